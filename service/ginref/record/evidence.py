"""What a bot keeps of its seat in a match: one JSON object a line, only ever added to.

Every line is in the form of RFC 8785. The first one says whose evidence it is:

    {"format":1,"kind":"evidence","match_id":…,"seat":…}

The others, in any order and any number:

    offer    the seat as it was offered, with the referee's signed commitment
    share    the bot's own share of the deal, and its commitment to it
    ready    what all seats had committed to when the bot was asked for its share
    receipt  an answer that the referee has signed, and what the bot had submitted
    over     how the match ended, as the bot was told
"""

from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final

from ginref.engine.seat import Seat
from ginref.record.lifecycle import EndingKind
from ginref.record.setup import DealSource, Setup, canonical
from ginref.record.submission import Submission
from ginref.record.tournament_place import TournamentPlace

FORMAT: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedPlace:
    """Where an offered match is to stand in a tournament.

    Attributes:
        tournament: Identity of the tournament.
        fixture: The fixture.
        attempt: Its attempt, counted from 1.
        game: Which match of the fixture, counted from 1.
        deal: Names its cards.
        length: Entries of the tournament's log that the bot was told of with the offer.
        head: Digest of the last of them, 64 hexadecimal digits.
    """

    tournament: str
    fixture: str
    attempt: int
    game: int
    deal: str
    length: int
    head: str

    @classmethod
    def of(cls, place: TournamentPlace) -> "OfferedPlace":
        """Return what is offered of a place that a record has."""
        return cls(**{name: getattr(place, name) for name in _PLACE})


_PLACE: Final = tuple(one.name for one in fields(OfferedPlace))


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferLine:
    """A seat as it was offered: what the match is to be, before anything happens.

    Attributes:
        bots: Name of the bot of each seat.
        ruleset_digest: The rules.
        deal_source: Where the cards are to come from.
        commitment: The referee's commitment to its share, 32 bytes.
        signature: The referee's signature over the commitment's statement.
        key_id: Name of the key that made it.
        receipts: Every submission is to be acknowledged by a receipt.
        place: Where it is to stand in a tournament; None for a match by itself.
    """

    bots: tuple[str, ...]
    ruleset_digest: str
    deal_source: DealSource
    commitment: bytes
    signature: bytes
    key_id: str
    receipts: bool
    place: OfferedPlace | None = None

    @classmethod
    def of(cls, setup: Setup) -> "OfferLine":
        """Return the offer of a match that was set up like this."""
        return cls(
            bots=setup.bots,
            ruleset_digest=setup.ruleset.digest,
            deal_source=setup.deal_source,
            commitment=setup.commitment,
            signature=setup.signature,
            key_id=setup.key_id,
            receipts=setup.receipts,
            place=None if setup.place is None else OfferedPlace.of(setup.place),
        )

    def facts(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "kind": "offer",
            "bots": list(self.bots),
            "ruleset_digest": self.ruleset_digest,
            "deal_source": str(self.deal_source),
            "commitment": self.commitment.hex(),
            "signature": self.signature.hex(),
            "key_id": self.key_id,
            "receipts": self.receipts,
            "place": None if self.place is None else asdict(self.place),
        }


@dataclass(frozen=True, slots=True)
class ShareLine:
    """The bot's own share of the deal, 32 bytes, and its commitment to it."""

    share: bytes = field(repr=False)
    commitment: bytes

    def facts(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "kind": "share",
            "share": self.share.hex(),
            "commitment": self.commitment.hex(),
        }


@dataclass(frozen=True, slots=True)
class ReadyLine:
    """What all seats had committed to, by seat, when the bot was asked for its share.

    None is a seat without a share. Nobody can have chosen a share later than that.
    """

    commitments: tuple[bytes | None, ...]

    def facts(self) -> dict[str, Any]:
        """Return it as JSON values."""
        listed = [None if one is None else one.hex() for one in self.commitments]
        return {"kind": "ready", "commitments": listed}


@dataclass(frozen=True, slots=True)
class ReceiptLine:
    """An answer that the referee has signed.

    Attributes:
        receipt: The envelope, as it came.
        submission: What the bot had submitted; None if that was no move.
    """

    receipt: str
    submission: Submission | None

    def facts(self) -> dict[str, Any]:
        """Return it as JSON values."""
        asked = self.submission
        said = None
        if asked is not None:
            said = {
                "expected_version": asked.expected_version,
                "request_id": asked.request_id,
                "move": str(asked.move),
            }
        return {"kind": "receipt", "receipt": self.receipt, "submission": said}


@dataclass(frozen=True, slots=True, kw_only=True)
class OverLine:
    """How the match ended, as the bot was told.

    Attributes:
        ending: How.
        winner: The seat that won; None for nobody.
        record_digest: SHA-256 of the record's payload; None if it was not told.
    """

    ending: EndingKind
    winner: Seat | None
    record_digest: bytes | None

    def facts(self) -> dict[str, Any]:
        """Return it as JSON values."""
        digest = self.record_digest
        return {
            "kind": "over",
            "ending": str(self.ending),
            "winner": None if self.winner is None else str(self.winner),
            "record_digest": None if digest is None else digest.hex(),
        }


Line = OfferLine | ShareLine | ReadyLine | ReceiptLine | OverLine


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEvidence:
    """What a bot has kept of its seat in one match.

    Attributes:
        match_id: The match.
        seat: The seat.
        lines: What was kept, each with its number in the file.
    """

    match_id: str
    seat: Seat
    lines: tuple[tuple[int, Line], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """What a record has in common with the evidence of one seat.

    Attributes:
        seat: The seat.
        offers: How often the seat was offered as the record says.
        shares: Own shares that are in the deal.
        accepted: Receipts of accepted submissions that are in the record.
        refused: Receipts of refusals that the record bears out.
        unacknowledged: Submissions of the seat in the record without a receipt.
    """

    seat: Seat
    offers: int
    shares: int
    accepted: int
    refused: int
    unacknowledged: int


def first_line(match_id: str, seat: Seat) -> bytes:
    """Return the line that says whose evidence follows."""
    facts = {
        "format": FORMAT,
        "kind": "evidence",
        "match_id": match_id,
        "seat": str(seat),
    }
    return canonical(facts) + b"\n"


def write_line(line: Line) -> bytes:
    """Return a line of evidence."""
    return canonical(line.facts()) + b"\n"
