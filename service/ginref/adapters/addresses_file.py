"""The file in a data folder that tells where a referee is, while it runs."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

_ADDRESSES: Final = "referee.json"
_WORKERS: Final = "workers"


def addresses_file(data: Path, worker: int | None) -> Path:
    """Return the file of a referee, or of one of its workers."""
    if worker is None:
        return data / _ADDRESSES
    return data / _WORKERS / f"{worker}.json"


def publish(path: Path, addresses: Mapping[str, object]) -> None:
    """Tell other processes of this machine where the referee is.

    Raises:
        OSError: The file cannot be written.
    """
    path.parent.mkdir(mode=0o700, exist_ok=True)
    draft = path.with_suffix(f".{os.getpid()}")
    draft.write_text(json.dumps({**addresses, "pid": os.getpid()}) + "\n")
    draft.replace(path)
