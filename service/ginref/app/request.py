"""What callers ask for, after the codec has read it."""

import hashlib
from dataclasses import asdict, dataclass

from ginref.engine.ruleset import Ruleset
from ginref.engine.seat import Seat
from ginref.record.clock import ClockPolicy
from ginref.record.entry import Accepted, Committed, Declined, Entry, Revealed
from ginref.record.setup import DealSource, canonical
from ginref.record.submission import HASH_SIZE


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMatch:
    """A match to be created.

    Attributes:
        request_id: The caller's identity of the request, 1 to 64 bytes.
        ruleset: The rules.
        bots: Names of the bots by seat.
        clock: The time rules.
        strikes_allowed: Illegal moves allowed to each seat.
        deal_source: Where the cards come from.
        seed: Seed of a seeded deal.
        receipts: Acknowledge every submission by a receipt.
    """

    request_id: str
    ruleset: Ruleset
    bots: tuple[str, ...]
    clock: ClockPolicy
    strikes_allowed: int
    deal_source: DealSource
    seed: str | None
    receipts: bool = False

    @property
    def request_hash(self) -> bytes:
        """What tells this request from others: 8 bytes over all that it asks for."""
        facts = {
            "bots": list(self.bots),
            "clock": asdict(self.clock),
            "deal_source": str(self.deal_source),
            "ruleset": self.ruleset.to_dict(),
            "seed": self.seed,
            "strikes_allowed": self.strikes_allowed,
        }
        if self.receipts:
            # A request that was made before there were any stays the same.
            facts["receipts"] = True
        return hashlib.sha256(canonical(facts)).digest()[:HASH_SIZE]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadMove:
    """What can be told of a submission whose move could not be read."""

    match_id: str
    seat: Seat
    request_id: str


@dataclass(frozen=True, slots=True)
class Accept:
    """Take the seat."""


@dataclass(frozen=True, slots=True)
class Decline:
    """Leave the seat."""


@dataclass(frozen=True, slots=True)
class Commit:
    """Commit to a share; None says that the seat has none."""

    commitment: bytes | None


@dataclass(frozen=True, slots=True)
class Reveal:
    """Reveal the share."""

    share: bytes


Step = Accept | Decline | Commit | Reveal


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatStep:
    """A step of a seat before play."""

    match_id: str
    seat: Seat
    step: Step

    @property
    def entry(self) -> Entry:
        """What it is in the log of the match."""
        seat, wanted = self.seat, self.step
        if isinstance(wanted, Accept):
            return Accepted(seat)
        if isinstance(wanted, Decline):
            return Declined(seat)
        if isinstance(wanted, Commit):
            return Committed(seat, wanted.commitment)
        return Revealed(seat, wanted.share)
