"""What a bot keeps of its seat in a match: one JSON object a line, only ever added to.

Every line is in the form of RFC 8785. The first one says whose evidence it is:

    {"format":1,"kind":"evidence","match_id":…,"seat":…}

The others, in any order and any number:

    offer    the seat as it was offered, with the referee's signed commitment
    share    the bot's own share of the deal, and its commitment to it
    receipt  an answer that the referee has signed, and what the bot had submitted
    over     how the match ended, as the bot was told
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final

from ginref.engine.seat import Seat
from ginref.record.entry_json import read_move, read_request_id, read_seat
from ginref.record.envelope import SIGNATURE_SIZE
from ginref.record.lifecycle import EndingKind
from ginref.record.setup import DealSource, Setup, canonical
from ginref.record.shape import Place, RecordError, read_canonical
from ginref.record.share import SHARE_SIZE, commit_seat
from ginref.record.submission import Submission
from ginref.record.tournament_place import TournamentPlace

FORMAT: Final = 1

_DIGEST_SIZE: Final = 32


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


Line = OfferLine | ShareLine | ReceiptLine | OverLine


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


def read_evidence(data: bytes) -> MatchEvidence:
    """Read a whole file of evidence, and check its shape only.

    Raises:
        RecordError: Naming the line that is none.
    """
    rows = data.split(b"\n")
    if rows.pop():
        raise RecordError(f"line {len(rows) + 1}", "it has no end: it was cut off")
    places = [_place(number, row) for number, row in enumerate(rows, 1)]
    if not places:
        raise RecordError("line 1", "it is missing")
    match_id, seat = read_first_line(places[0])
    return MatchEvidence(
        match_id=match_id,
        seat=seat,
        lines=tuple(_lines(match_id, seat, places[1:])),
    )


def match_of_evidence(line: bytes) -> str:
    """Return the match that a file of evidence is about, from its first line.

    Raises:
        RecordError: It is no such line.
    """
    return read_first_line(_place(1, line.removesuffix(b"\n")))[0]


def read_first_line(place: Place) -> tuple[str, Seat]:
    """Read the match and the seat that evidence is about.

    Raises:
        RecordError: The line says neither.
    """
    facts = place.members({"format", "kind", "match_id", "seat"})
    if facts["kind"].value != "evidence":
        raise facts["kind"].fail("evidence expected")
    if facts["format"].number() != FORMAT:
        raise facts["format"].fail(f"only format {FORMAT} can be read")
    return facts["match_id"].text(), read_seat(facts["seat"])


def _place(number: int, row: bytes) -> Place:
    try:
        return Place(read_canonical(row).value, f"line {number}")
    except RecordError as error:
        raise RecordError(f"line {number}", error.what) from None


def _lines(
    match_id: str, seat: Seat, places: list[Place]
) -> Iterator[tuple[int, Line]]:
    for number, place in enumerate(places, 2):
        kind = place.value.get("kind") if isinstance(place.value, dict) else None
        match kind:
            case "offer":
                yield number, _offer(place)
            case "share":
                yield number, _share(place, match_id, seat)
            case "receipt":
                yield number, _receipt(place, match_id, seat)
            case "over":
                yield number, _over(place)
            case _:
                raise place.fail("an unknown kind of line")


def _offer(place: Place) -> OfferLine:
    facts = place.members(
        {
            "kind",
            "bots",
            "ruleset_digest",
            "deal_source",
            "commitment",
            "signature",
            "key_id",
            "receipts",
            "place",
        }
    )
    source, receipts = facts["deal_source"], facts["receipts"].value
    if source.text() not in tuple(DealSource):
        raise source.fail(f"one of {', '.join(DealSource)} expected")
    if not isinstance(receipts, bool):
        raise facts["receipts"].fail("true or false expected")
    return OfferLine(
        bots=tuple(bot.text() for bot in facts["bots"].items()),
        ruleset_digest=facts["ruleset_digest"].text(),
        deal_source=DealSource(source.value),
        commitment=facts["commitment"].octets(SHARE_SIZE),
        signature=facts["signature"].octets(SIGNATURE_SIZE),
        key_id=facts["key_id"].text(),
        receipts=receipts,
        place=_offered_place(facts["place"]),
    )


def _offered_place(place: Place) -> OfferedPlace | None:
    if place.value is None:
        return None
    facts = place.members(set(_PLACE))
    return OfferedPlace(
        tournament=facts["tournament"].text(),
        fixture=facts["fixture"].text(),
        attempt=facts["attempt"].number(low=1),
        game=facts["game"].number(low=1),
        deal=facts["deal"].text(),
        length=facts["length"].number(low=1),
        head=facts["head"].octets(_DIGEST_SIZE).hex(),
    )


def _share(place: Place, match_id: str, seat: Seat) -> ShareLine:
    facts = place.members({"kind", "share", "commitment"})
    share = facts["share"].octets(SHARE_SIZE)
    commitment = facts["commitment"].octets(SHARE_SIZE)
    if commitment != commit_seat(match_id, seat, share):
        raise facts["commitment"].fail("not the commitment to this share")
    return ShareLine(share, commitment)


def _receipt(place: Place, match_id: str, seat: Seat) -> ReceiptLine:
    facts = place.members({"kind", "receipt", "submission"})
    asked = facts["submission"]
    submission = None
    if asked.value is not None:
        said = asked.members({"expected_version", "request_id", "move"})
        submission = Submission(
            match_id=match_id,
            seat=seat,
            expected_version=said["expected_version"].number(),
            request_id=read_request_id(said["request_id"]),
            move=read_move(said["move"]),
        )
    return ReceiptLine(facts["receipt"].text(), submission)


def _over(place: Place) -> OverLine:
    facts = place.members({"kind", "ending", "winner", "record_digest"})
    ending, winner, digest = facts["ending"], facts["winner"], facts["record_digest"]
    if ending.text() not in tuple(EndingKind):
        raise ending.fail("the ending of a match expected")
    return OverLine(
        ending=EndingKind(ending.value),
        winner=None if winner.value is None else read_seat(winner),
        record_digest=None if digest.value is None else digest.octets(_DIGEST_SIZE),
    )
