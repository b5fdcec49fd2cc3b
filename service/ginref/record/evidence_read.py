"""Reading what a bot has kept of its seat in a match."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Final

from ginref.engine.seat import Seat
from ginref.record.entry_json import read_move, read_request_id, read_seat
from ginref.record.envelope import SIGNATURE_SIZE
from ginref.record.evidence import (
    FORMAT,
    Line,
    MatchEvidence,
    OfferedPlace,
    OfferLine,
    OverLine,
    ReadyLine,
    ReceiptLine,
    ShareLine,
)
from ginref.record.lifecycle import EndingKind
from ginref.record.setup import DealSource
from ginref.record.shape import Place, RecordError, read_canonical
from ginref.record.share import SHARE_SIZE, commit_seat
from ginref.record.submission import Submission

_DIGEST_SIZE: Final = 32
_PLACE: Final = tuple(one.name for one in fields(OfferedPlace))


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
            case "ready":
                yield number, _ready(place)
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


def _ready(place: Place) -> ReadyLine:
    facts = place.members({"kind", "commitments"})
    return ReadyLine(
        tuple(
            None if one.value is None else one.octets(SHARE_SIZE)
            for one in facts["commitments"].items()
        )
    )


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
