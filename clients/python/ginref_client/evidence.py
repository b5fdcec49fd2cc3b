"""A bot's shares of the deals, and the evidence it keeps of each match.

A share is made once per match and seat. With a folder it outlives the process, so a
bot that is started again can still open what it committed to.
"""

import logging
import secrets
from base64 import b32encode
from bisect import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final

from ginref.engine.ruleset import Ruleset
from ginref.engine.seat import Seat
from ginref.record.evidence import (
    Line,
    OfferLine,
    OverLine,
    ReadyLine,
    ReceiptLine,
    ShareLine,
    first_line,
    write_line,
)
from ginref.record.evidence_read import read_evidence
from ginref.record.shape import RecordError
from ginref.record.share import SHARE_SIZE, commit_seat
from ginref.record.submission import Submission
from ginref_client.doubt import doubt_offer, doubt_receipt
from ginref_client.lines import append, mend

_log = logging.getLogger(__name__)

FILES: Final = "*.*.jsonl"
"""Names of the files of matches in a bot's state folder: match and seat."""

_FOLDER_MODE: Final = 0o700
_NO_KEYS: Final[Mapping[str, bytes]] = MappingProxyType({})

_Key = tuple[str, Seat]


@dataclass(slots=True)
class _Kept:
    """What is kept of one seat, as far as this process needs it."""

    share: bytes | None = field(default=None, repr=False)
    offers: list[OfferLine] = field(default_factory=list)
    commitments: tuple[bytes | None, ...] | None = None

    @property
    def has_receipts(self) -> bool:
        """Every submission is to be acknowledged."""
        return any(offer.receipts for offer in self.offers)


class Evidence:
    """What a bot knows of its matches that nobody can take back.

    One file per match and seat, to which lines are only ever added: the seat as it
    was offered, with the referee's signed commitment; the share; receipts; and how
    the match ended. `ginref verify --evidence` compares them with the record. Without a
    folder nothing but the shares is kept, in memory; what the referee signs is checked
    as it comes all the same.
    """

    def __init__(
        self, folder: Path | None = None, keys: Mapping[str, bytes] = _NO_KEYS
    ) -> None:
        """Keep evidence in a folder of the bot's own, which is made if need be.

        Args:
            folder: The folder; None keeps nothing.
            keys: The referee's public keys by name, to check what it signs; empty if
                they are not known.

        Raises:
            OSError: The folder cannot be made.
        """
        self._folder = folder
        self._keys = keys
        self._kept: dict[_Key, _Kept] = {}
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
            line = ShareLine(share, commit_seat(match_id, seat, share))
            self._add(match_id, seat, write_line(line), is_vital=True)
            self._at(match_id, seat).share = share
        return commit_seat(match_id, seat, share)

    def share(self, match_id: str, seat: Seat) -> bytes | None:
        """Return the share that a seat committed to; None when it is not known.

        Raises:
            OSError: The file cannot be read.
        """
        return self._at(match_id, seat).share

    def ready(
        self, match_id: str, seat: Seat, commitments: Sequence[bytes]
    ) -> bytes | None:
        """Return the share that is asked for, once it is safe to show it.

        It is safe when every seat has committed to its own: then nobody can choose a
        share, and with it the cards, by what this one is. What they have committed to
        is kept, so that a record with another share is found out.

        Args:
            match_id: The match.
            seat: The seat.
            commitments: What the referee says that each seat has committed to, by
                seat; empty for a seat without a share.

        Returns:
            The share; None if it is not known, or is not to be shown.

        Raises:
            OSError: A file cannot be read or written.
        """
        kept = self._at(match_id, seat)
        if kept.share is None:
            return None
        own = commit_seat(match_id, seat, kept.share)
        line = ReadyLine(tuple(one or None for one in commitments))
        seats = len(kept.offers[-1].bots) if kept.offers else max(2, len(commitments))
        if len(commitments) != seats or commitments[seat] != own:
            what = "it asks for the share without what all seats have committed to"
            self._warn(match_id, seat, what)
            return None
        if kept.commitments not in (None, line.commitments):
            what = "it has told other commitments before"
            self._warn(match_id, seat, what)
            return None
        if kept.commitments is None:
            self._add(match_id, seat, write_line(line), is_vital=True)
            kept.commitments = line.commitments
        return kept.share

    def forget(self, match_id: str, seat: Seat) -> None:
        """Drop a match from memory once it is over; files stay."""
        self._kept.pop((match_id, seat), None)

    def offered(
        self, match_id: str, seat: Seat, rules: Ruleset, offer: OfferLine
    ) -> None:
        """Keep how a seat was offered, and check the referee's commitment.

        Raises:
            OSError: The file cannot be written.
        """
        kept = self._at(match_id, seat)
        if offer in kept.offers:
            return
        if problem := doubt_offer(match_id, rules, offer, self._keys):
            self._warn(match_id, seat, problem)
        if kept.offers:
            self._warn(match_id, seat, "it has offered this match otherwise before")
        self._add(match_id, seat, write_line(offer))
        kept.offers.append(offer)

    def answered(
        self,
        submission: Submission,
        receipt: bytes,
        *,
        version: int,
        reason: str | None = None,
        is_counted: bool = False,
    ) -> None:
        """Keep the receipt of a submission, and check it.

        Args:
            submission: What the bot had submitted.
            receipt: What the referee has signed about it; empty for nothing.
            version: The version that it made.
            reason: Why it was refused; None if it was accepted.
            is_counted: The refusal has cost a strike.

        Raises:
            OSError: The file cannot be written.
        """
        match_id, seat = submission.match_id, submission.seat
        kept = self._at(match_id, seat)
        if not receipt:
            # There is none for what was not judged; what is stored always has one.
            if kept.has_receipts and (reason is None or is_counted):
                self._warn(match_id, seat, "it has sent no receipt of a move")
            return
        line = ReceiptLine(receipt.decode(errors="replace"), submission)
        self._add(match_id, seat, write_line(line))
        committed = kept.share and commit_seat(match_id, seat, kept.share)
        problem = doubt_receipt(
            receipt, submission, reason, version, committed, self._keys
        )
        if problem:
            self._warn(match_id, seat, problem)

    def over(self, match_id: str, seat: Seat, line: OverLine) -> None:
        """Keep how a match ended.

        Raises:
            OSError: The file cannot be written.
        """
        self._add(match_id, seat, write_line(line))

    def _at(self, match_id: str, seat: Seat) -> _Kept:
        kept = self._kept.get((match_id, seat))
        if kept is None:
            kept = self._kept[match_id, seat] = self._read(match_id, seat)
        return kept

    def _read(self, match_id: str, seat: Seat) -> _Kept:
        kept = _Kept()
        if self._folder is None:
            return kept
        path = self._path(match_id, seat)
        data = mend(path)
        if not data:
            return kept
        try:
            lines = read_evidence(data).lines
        except RecordError as error:
            _log.warning("%s: %s", path, error)
            lines = _sound_lines(data.splitlines(keepends=True))
        for _, line in lines:
            if isinstance(line, ShareLine):
                kept.share = line.share
            elif isinstance(line, OfferLine):
                kept.offers.append(line)
            elif isinstance(line, ReadyLine):
                kept.commitments = line.commitments
        return kept

    def _add(
        self, match_id: str, seat: Seat, line: bytes, *, is_vital: bool = False
    ) -> None:
        if self._folder is None:
            return
        self._at(match_id, seat)
        path = self._path(match_id, seat)
        if not path.exists() or not path.stat().st_size:
            line = first_line(match_id, seat) + line
        append(path, line, is_vital=is_vital)

    def _path(self, match_id: str, seat: Seat) -> Path:
        assert self._folder is not None  # noqa: S101 - callers have checked
        # Match ids are the referee's text, and not to be trusted as names of files.
        name = match_id
        if not (name.isascii() and name.isalnum()):
            name = "x-" + b32encode(match_id.encode()).decode().rstrip("=").lower()
        return self._folder / f"{name}.{seat}.jsonl"

    def _warn(self, match_id: str, seat: Seat, problem: str) -> None:
        where = "" if self._folder is None else f" ({self._path(match_id, seat)})"
        _log.error(
            "match %s, %s: DO NOT TRUST THIS REFEREE: %s%s",
            *(match_id, seat, problem, where),
        )


def _sound_lines(rows: Sequence[bytes]) -> tuple[tuple[int, Line], ...]:
    """Return the lines before the first that is spoilt.

    The share is among them: it is on the disk before all that a power cut can spoil.
    """
    sound = bisect(range(1, len(rows)), 0, key=lambda size: _is_spoilt(rows[:size]))
    return read_evidence(b"".join(rows[:sound])).lines if sound else ()


def _is_spoilt(rows: Sequence[bytes]) -> bool:
    try:
        read_evidence(b"".join(rows))
    except RecordError:
        return True
    return False
