"""The file with the operator's token, in the data folder of each process."""

import contextlib
import logging
from pathlib import Path
from typing import Final

from ginref.adapters.secret_file import is_mounted, read_secret, replace_secret
from ginref.app.error import RefusedError
from ginref.app.gate import Gate

OPERATOR_TOKEN: Final = "operator.token"  # noqa: S105 - the name of a file

_LOG: Final = logging.getLogger(__name__)


async def keep_operator_token(folder: Path, gate: Gate) -> Path:
    """Keep a file with a working token of an operator, and return its path.

    A token that the host has put there is taken for the operator's. One that does not
    work any more is made anew, unless its file is mounted: then only the host can.

    Raises:
        SecretFileError: The file is open to others, or cannot be written.
    """
    path = folder / OPERATOR_TOKEN
    if path.exists():
        secret = read_secret(path).decode(errors="replace").strip()
        with contextlib.suppress(RefusedError):
            await gate.authenticate(secret)
            return path
        if await gate.admit_operator(secret):
            return path
        if is_mounted(path):
            _LOG.warning("the operator token in %s is of no use: mount another", path)
            return path
        _LOG.warning("the operator token in %s is of no use: made anew", path)
    _, secret = await gate.issue_operator()
    replace_secret(path, f"{secret}\n".encode())
    return path
