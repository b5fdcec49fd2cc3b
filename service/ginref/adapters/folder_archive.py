"""Signed match records as files in a folder, one for each match."""

import asyncio
import os
import re
import secrets
from pathlib import Path
from typing import Final

from ginref.adapters.secret_file import sync_folder
from ginref.app.port import Archive, ArchiveConflictError
from ginref.record.envelope import is_same_content

SUFFIX: Final = ".json"

_FILE_MODE: Final = 0o644
_MATCH_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")


class FolderArchive(Archive):
    """A record is kept as `<match id>.json`, whole or not at all, and for good.

    Several referees may share the folder.
    """

    def __init__(self, path: Path) -> None:
        """Keep records in this folder; see also `prepare`."""
        self._path = path

    async def prepare(self) -> None:
        """Make the folder, and see that a record could be kept in it.

        Raises:
            OSError: The folder cannot be made or written.
        """
        self._path.mkdir(parents=True, exist_ok=True)
        probe = self._path / f".{secrets.token_hex(8)}"
        probe.touch(_FILE_MODE, exist_ok=False)
        probe.unlink()

    def path_of(self, match_id: str) -> Path:
        """Return where the record of a match is, or will be.

        Raises:
            ValueError: It is no match id, and might name a file elsewhere.
        """
        if not is_match_id(match_id):
            raise ValueError(f"{match_id!r} is no match id")
        return self._path / f"{match_id}{SUFFIX}"

    async def put(self, match_id: str, envelope: bytes) -> None:
        """Keep a record; the same one again is fine, whoever has signed it.

        Raises:
            ArchiveConflictError: Another record of this match is kept already.
            OSError: The folder cannot be written.
            ValueError: It is no match id.
        """
        await asyncio.to_thread(self._put, self.path_of(match_id), envelope)

    async def get(self, match_id: str) -> bytes | None:
        """Return the record, or None while there is none.

        Raises:
            OSError: The record is there, but cannot be read.
        """
        if not is_match_id(match_id):
            return None
        return await asyncio.to_thread(_read, self.path_of(match_id))

    def _put(self, path: Path, envelope: bytes) -> None:
        self._path.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _FILE_MODE)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(envelope)
                file.flush()
                os.fsync(file.fileno())
            # A link, unlike a rename, never takes the place of what is there.
            path.hardlink_to(temporary)
        except FileExistsError:
            # Who signs may change between two that write the same record.
            if not is_same_content(path.read_bytes(), envelope):
                message = f"{path} holds another record of the match"
                raise ArchiveConflictError(message) from None
        finally:
            temporary.unlink(missing_ok=True)
        # Also when it was there already: the one who wrote it may have stopped
        # before this, and the caller is about to forget the match.
        sync_folder(self._path)


def is_match_id(text: str) -> bool:
    """Say whether a text can be a match id, and so the name of a record."""
    return bool(_MATCH_ID.fullmatch(text))


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
