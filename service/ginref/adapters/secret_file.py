"""Files that hold secrets: written whole or not at all, and read by nobody else."""

import contextlib
import fcntl
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

FILE_MODE: Final = 0o600
FOLDER_MODE: Final = 0o700

# A group may read: that is how an orchestrator mounts secrets for a program that
# does not run as root.
_OPEN_TO_OTHERS: Final = stat.S_IWGRP | stat.S_IXGRP | stat.S_IRWXO
_FOLDER_OPEN_TO_OTHERS: Final = stat.S_IWGRP | stat.S_IRWXO


class SecretFileError(Exception):
    """A secret that is missing, unreadable or open to others; says which file."""


def read_secret(path: Path) -> bytes:
    """Return what a secret file holds.

    Raises:
        SecretFileError: It cannot be read, or others than its owner and group can.
    """
    try:
        mode = path.stat().st_mode
        data = path.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise SecretFileError(f"{path} cannot be read: {reason}") from error
    if mode & _OPEN_TO_OTHERS:
        message = f"{path} is open to others: take the rights away (chmod 600)"
        raise SecretFileError(message)
    return data


def is_mounted(path: Path) -> bool:
    """Say whether a file is from elsewhere than its folder, and so not to replace."""
    return path.stat().st_dev != path.parent.stat().st_dev


def check_folder(path: Path) -> None:
    """See that nobody but its owner can put secrets into a folder.

    Raises:
        SecretFileError: There is no such folder, or it is open to others than its
            owner and group.
    """
    if not path.is_dir():
        raise SecretFileError(f"{path} is no folder")
    if not path.stat().st_mode & _FOLDER_OPEN_TO_OTHERS:
        return
    # An orchestrator mounts secrets in a folder that seems open to everybody, and
    # that nobody can write. Each file in it has rights of its own.
    if not os.statvfs(path).f_flag & os.ST_RDONLY:
        message = f"{path} is open to others: take the rights away (chmod 700)"
        raise SecretFileError(message)


def add_secret(path: Path, data: bytes) -> bool:
    """Write a secret file unless there is one; say whether it was written.

    Of several processes that try at the same time, one succeeds, and the others
    find the whole file.

    Raises:
        SecretFileError: The file cannot be written.
    """
    try:
        temporary = _write_beside(path, data)
        try:
            path.hardlink_to(temporary)
        except FileExistsError:
            return False
        finally:
            temporary.unlink()
        sync_folder(path.parent)
    except OSError as error:
        raise _unwritable(path, error) from error
    return True


def replace_secret(path: Path, data: bytes) -> None:
    """Write a secret file in place of the one that may be there.

    Raises:
        SecretFileError: The file cannot be written.
    """
    try:
        _write_beside(path, data).replace(path)
        sync_folder(path.parent)
    except OSError as error:
        raise _unwritable(path, error) from error


def make_folder(path: Path) -> None:
    """Make a folder for secrets unless it is there.

    Raises:
        SecretFileError: It cannot be made.
    """
    try:
        path.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(path, error) from error


@contextlib.contextmanager
def lock_folder(path: Path) -> Iterator[None]:
    """Keep other processes from making secrets in a folder at the same time.

    Raises:
        SecretFileError: The folder cannot be locked.
    """
    try:
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise _unwritable(path, error) from error
    try:
        # Closing the folder gives the lock back, however the process ends.
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        os.close(folder)


def sync_folder(path: Path) -> None:
    """Wait until the names in a folder are safe on disk."""
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _write_beside(path: Path, data: bytes) -> Path:
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
    with os.fdopen(handle, "wb") as file:
        _give(handle, path.parent)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    return temporary


def _give(handle: int, folder: Path) -> None:
    """Let the owner of a folder read what root writes into it."""
    owner = folder.stat()
    if os.geteuid() == 0 and os.fstat(handle).st_uid != owner.st_uid:
        os.fchown(handle, owner.st_uid, owner.st_gid)


def _unwritable(path: Path, error: OSError) -> SecretFileError:
    reason = error.strerror or type(error).__name__
    return SecretFileError(f"{path} cannot be written: {reason}")
