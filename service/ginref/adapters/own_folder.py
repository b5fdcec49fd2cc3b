"""Whose a folder is: nothing is written among the files of somebody else."""

import re
from pathlib import Path
from typing import Final

_DISK_ROOT: Final = "lost+found"
"""What an empty disk holds."""


def is_own(path: Path, mark: re.Pattern[str]) -> bool:
    """Say whether a folder is new, empty, or one that was written before.

    Hidden files do not count. Whatever is no folder is left to the one who makes it.

    Args:
        path: The folder.
        mark: Names of files and folders that nobody else would give.

    Raises:
        OSError: The folder cannot be read.
    """
    if not path.is_dir():
        return True
    names = [
        entry.name
        for entry in path.iterdir()
        if not entry.name.startswith(".") and entry.name != _DISK_ROOT
    ]
    return not names or any(mark.fullmatch(name) for name in names)
