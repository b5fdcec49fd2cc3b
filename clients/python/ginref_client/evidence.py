"""A bot's shares of the deals, and the evidence it keeps of each match.

A share is made once per match and seat. With a folder it outlives the process, so a
bot that is started again can still open what it committed to.
"""

import json
import os
import secrets
from base64 import b32encode
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from ginref.engine.seat import Seat
from ginref.record.share import SHARE_SIZE, commit_seat

_FILE_MODE: Final = 0o600
_FOLDER_MODE: Final = 0o700

_Facts = dict[str, Any]


class Evidence:
    """What a bot knows of its matches that nobody can take back.

    One JSON file per match and seat: the share and its commitment, the referee's
    signed commitment, receipts, and how the match ended. Without a folder all of it
    is kept in memory, and the shares only.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Keep evidence in a folder of the bot's own, which is made if need be.

        Raises:
            OSError: The folder cannot be made.
        """
        self._folder = folder
        self._shares: dict[tuple[str, Seat], bytes] = {}
        if folder is not None:
            folder.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)

    def commitment(self, match_id: str, seat: Seat) -> bytes:
        """Return the commitment to the share of a seat, making the share if need be.

        Raises:
            OSError: The share cannot be kept; then it is not promised either.
        """
        share = self.share(match_id, seat)
        if share is None:
            share = secrets.token_bytes(SHARE_SIZE)
            commitment = commit_seat(match_id, seat, share)
            facts = {"share": share.hex(), "commitment": commitment.hex()}
            self.note(match_id, seat, facts)
            self._shares[match_id, seat] = share
        return commit_seat(match_id, seat, share)

    def share(self, match_id: str, seat: Seat) -> bytes | None:
        """Return the share that a seat committed to; None when it is not known."""
        share = self._shares.get((match_id, seat))
        if share is None and (text := self._read(match_id, seat).get("share")):
            share = self._shares[match_id, seat] = bytes.fromhex(text)
        return share

    def forget(self, match_id: str, seat: Seat) -> None:
        """Drop a share from memory once its match is over; files stay."""
        self._shares.pop((match_id, seat), None)

    def note(self, match_id: str, seat: Seat, facts: Mapping[str, object]) -> None:
        """Add facts to what is kept of a match.

        Raises:
            OSError: The file cannot be written.
        """
        if self._folder is not None:
            kept = self._read(match_id, seat) or _head(match_id, seat)
            self._write(match_id, seat, {**kept, **facts})

    def add_receipt(self, match_id: str, seat: Seat, receipt: bytes) -> None:
        """Keep the referee's signed acknowledgement of a submission.

        Raises:
            OSError: The file cannot be written.
        """
        if self._folder is not None and receipt:
            path = self._path(match_id, seat).with_suffix(".receipts")
            with open(path, "ab", opener=_open_private) as file:
                file.write(receipt.hex().encode() + b"\n")

    def _path(self, match_id: str, seat: Seat) -> Path:
        assert self._folder is not None  # noqa: S101 - callers have checked
        # Match ids are the referee's text, and not to be trusted as names of files.
        name = match_id
        if not (name.isascii() and name.isalnum()):
            name = "x-" + b32encode(match_id.encode()).decode().rstrip("=").lower()
        return self._folder / f"{name}.{seat}.json"

    def _read(self, match_id: str, seat: Seat) -> _Facts:
        if self._folder is None:
            return {}
        try:
            facts = json.loads(self._path(match_id, seat).read_bytes())
        except (FileNotFoundError, ValueError):
            return {}
        return facts if isinstance(facts, dict) else {}

    def _write(self, match_id: str, seat: Seat, facts: _Facts) -> None:
        path = self._path(match_id, seat)
        draft = path.with_suffix(".new")
        with open(draft, "w", opener=_open_private) as file:
            json.dump(facts, file, indent=2)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)


def _head(match_id: str, seat: Seat) -> _Facts:
    return {"match_id": match_id, "seat": str(seat)}


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, _FILE_MODE)
