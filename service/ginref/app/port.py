"""Ports: what the use cases need from the outside, beside the store of matches."""

import abc
from collections.abc import Mapping, Sequence
from typing import Protocol


class StoreUnavailableError(Exception):
    """The store cannot answer now; whether a write happened is unknown.

    The same submission with the same request id may be tried again.
    """


class Registry(abc.ABC):
    """Keeps owners, bots and tokens as rows of JSON text by kind and key.

    Every method may raise `StoreUnavailableError`.
    """

    @abc.abstractmethod
    async def add(self, kind: str, key: str, row: str) -> str:
        """Store a row unless the key is taken; return the row that is stored."""

    @abc.abstractmethod
    async def get(self, kind: str, key: str) -> str | None:
        """Return a row, or None."""

    @abc.abstractmethod
    async def replace(self, kind: str, key: str, old: str, new: str) -> bool:
        """Replace a row if it is still `old`; say whether it was."""

    @abc.abstractmethod
    async def rows(self, kind: str) -> Sequence[str]:
        """Return all rows of a kind, ordered by key."""


class Sealer(Protocol):
    """Keeps hidden state unreadable where it is stored."""

    def seal(self, plain: bytes, context: str) -> bytes:
        """Encrypt and authenticate; the context must be the same to open it."""

    def open(self, sealed: bytes, context: str) -> bytes:
        """Decrypt.

        Raises:
            SealError: The bytes or the context are not what was sealed.
        """


class SealError(Exception):
    """Sealed bytes that do not open: another key, another context or damage."""


class Signer(Protocol):
    """Signs with the referee's key."""

    @property
    def key_id(self) -> str:
        """RFC 7638 thumbprint of the public key."""

    def sign(self, message: bytes) -> bytes:
        """Return the Ed25519 signature of exactly these bytes."""


class Archive(abc.ABC):
    """Keeps signed match records for good."""

    @abc.abstractmethod
    async def put(self, match_id: str, envelope: bytes) -> None:
        """Keep a record; the same one again is fine, whoever has signed it.

        The first one stays.

        Raises:
            ArchiveConflictError: Another record of this match is kept already.
        """

    @abc.abstractmethod
    async def get(self, match_id: str) -> bytes | None:
        """Return the record, or None while there is none."""


class ArchiveConflictError(Exception):
    """Two different records of one match: the second one was not stored."""


class Observer(Protocol):
    """Counts what happens; labels come from closed sets only."""

    def move(self, kind: str, verdict: str) -> None:
        """Count a judged submission by move kind and verdict."""

    def move_times(self, waited_ms: int | None, referee_s: float) -> None:
        """Count what a stored move took, of the bot and of the referee apart.

        Args:
            waited_ms: Milliseconds between the turn and the move; None if that is
                not known here.
            referee_s: Seconds from when it came until it was stored.
        """

    def refusal(self, reason: str) -> None:
        """Count a refusal that a caller was told on its stream, by reason."""

    def round_over(self, outcome: str) -> None:
        """Count a finished round."""

    def match_created(self) -> None:
        """Count a created match."""

    def match_over(self, ending: str, fault: str) -> None:
        """Count an ended match by how it ended, and by who is answerable."""

    def timeout(self, delay_ms: int) -> None:
        """Count a deadline that was acted on so many milliseconds after it."""

    def swept(self) -> None:
        """Note that this process has just looked for deadlines that are past."""

    def live(self, count: int) -> None:
        """Tell how many matches are not over."""

    def outage(self, outage_ms: int) -> None:
        """Count an outage that was credited to the clocks, in milliseconds."""

    def record_signed(self) -> None:
        """Count a signed and archived record."""

    def backlog(self, count: int, age_ms: int) -> None:
        """Tell how many records are to be signed, and how old the oldest end is."""

    def tournaments(
        self, tournaments: Mapping[str, int], fixtures: Mapping[str, int]
    ) -> None:
        """Tell how many live tournaments, and fixtures of them, are in which state."""

    def attached(self, change: int) -> None:
        """Add to the number of attached bots."""

    def watching(self, change: int) -> None:
        """Add to the number of watchers."""


class Chance(Protocol):
    """Where secrets come from."""

    def token(self, size: int) -> bytes:
        """Return unpredictable bytes."""
