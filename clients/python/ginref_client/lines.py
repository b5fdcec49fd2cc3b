"""Files of lines that are only ever added to, and survive a crash in between."""

import os
from pathlib import Path
from typing import Final

_FILE_MODE: Final = 0o600


def append(path: Path, line: bytes, *, is_vital: bool = False) -> None:
    """Add to a file; what is vital survives a power cut.

    Raises:
        OSError: The file cannot be written.
    """
    with open(path, "ab", opener=_open_private) as file:
        file.write(line)
        if is_vital:
            file.flush()
            os.fsync(file.fileno())


def mend(path: Path) -> bytes:
    """Return a file without a last line that a crash has cut off, and cut it off.

    Raises:
        OSError: The file cannot be read.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return b""
    whole = data[: data.rfind(b"\n") + 1]
    if len(whole) < len(data):
        os.truncate(path, len(whole))
    return whole


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, _FILE_MODE)
