"""Requests of the referee's service, read strictly."""

from dataclasses import dataclass
from typing import Final, assert_never

from ginref.app.error import RefusedError
from ginref.app.request import (
    Accept,
    Commit,
    Decline,
    NewMatch,
    Reveal,
    SeatStep,
    UnreadMove,
)
from ginref.engine.seat import Seat
from ginref.record.envelope import SIGNATURE_SIZE
from ginref.record.setup import DealSource
from ginref.record.share import SHARE_SIZE
from ginref.record.submission import Submission
from ginref.transport.codec_enum import DEAL_SOURCES_READ, SEATS_READ
from ginref.transport.codec_move import move_from_wire
from ginref.transport.codec_rules import clock_from_wire, ruleset_from_wire
from ginref.transport.field import (
    invalid,
    missing,
    read_bytes,
    read_enum,
    read_id,
    read_name,
    read_request_id,
    read_within,
    require,
)
from ginref.v1 import match_pb2 as match_pb
from ginref.v1 import referee_service_pb2 as referee_pb
from ginref.v1 import session_pb2 as session_pb

STRIKES_ALLOWED: Final = 3
"""Illegal moves allowed to each seat when the request does not say."""

STRIKE_LIMIT: Final = 100
"""Most illegal moves that a match may allow to a seat."""

PAGE_SIZE: Final = 50
"""Matches on a page when the request does not say."""

PAGE_LIMIT: Final = 200
"""Most matches on a page."""

SEED_LENGTH: Final = 128
"""Most characters of a seed."""

CURSOR_LENGTH: Final = 512
"""Most characters of a cursor or a page token."""

VERSION_LIMIT: Final = 2**31 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """A page of matches that is asked for.

    Attributes:
        bot: Only matches of this bot; None for all.
        limit: Most matches on the page.
        cursor: Where the page before ended; None for the first page.
    """

    bot: str | None
    limit: int
    cursor: str | None


def seat_from_wire(value: int, at: str) -> Seat:
    """Read a seat.

    Raises:
        RefusedError: FIELD_MISSING or ENUM_UNKNOWN.
    """
    return read_enum(value, SEATS_READ, at)


def new_match_from_wire(request: referee_pb.CreateMatchRequest) -> NewMatch:
    """Read a request for a new match.

    Raises:
        RefusedError: A field is absent or cannot be used.
    """
    request_id = read_request_id(request.request_id, "request_id")
    require(request, "ruleset", "ruleset")
    rules = ruleset_from_wire(request.ruleset, "ruleset")
    strikes_allowed = STRIKES_ALLOWED
    if request.HasField("strikes_allowed"):
        strikes_allowed = read_within(
            request.strikes_allowed, 0, STRIKE_LIMIT, "strikes_allowed"
        )
    return NewMatch(
        request_id=request_id,
        ruleset=rules,
        bots=tuple(
            read_name(bot, f"bots[{place}]") for place, bot in enumerate(request.bots)
        ),
        clock=clock_from_wire(
            request.clock_preset, request.clock if request.HasField("clock") else None
        ),
        strikes_allowed=strikes_allowed,
        deal_source=_deal_source(request.deal_source),
        seed=_seed(request) if request.HasField("seed") else None,
        receipts=request.receipts,
    )


def seat_step_from_wire(request: referee_pb.PrepareSeatRequest) -> SeatStep:
    """Read a step of a seat before play.

    Raises:
        RefusedError: A field is absent or cannot be used.
    """
    match_id = read_id(request.match_id, "match_id")
    seat = seat_from_wire(request.seat, "seat")
    kind = request.WhichOneof("step")
    step: Accept | Decline | Commit | Reveal
    match kind:
        case "accept":
            step = Accept()
        case "decline":
            step = Decline()
        case "commitment":
            step = Commit(read_bytes(request.commitment, SHARE_SIZE, "commitment"))
        case "nonce":
            step = Reveal(read_bytes(request.nonce, SHARE_SIZE, "nonce"))
        case "no_share":
            step = Commit(None)
        case None:
            raise missing("step")
        case _:
            assert_never(kind)
    return SeatStep(match_id=match_id, seat=seat, step=step)


def submission_from_wire(
    request: referee_pb.SubmitMoveRequest | session_pb.MoveSubmission, at: str = ""
) -> Submission:
    """Read a submitted move; `at` is the path of the message, dot included.

    Raises:
        RefusedError: A field is absent or cannot be used.
    """
    match_id = read_id(request.match_id, f"{at}match_id")
    seat = seat_from_wire(request.seat, f"{at}seat")
    require(request, "expected_version", f"{at}expected_version")
    version = read_within(
        request.expected_version, 0, VERSION_LIMIT, f"{at}expected_version"
    )
    request_id = read_request_id(request.request_id, f"{at}request_id")
    require(request, "move", f"{at}move")
    signature = None
    if request.HasField("signature"):
        signature = read_bytes(request.signature, SIGNATURE_SIZE, f"{at}signature")
    return Submission(
        match_id=match_id,
        seat=seat,
        expected_version=version,
        request_id=request_id,
        move=move_from_wire(request.move, f"{at}move"),
        signature=signature,
    )


def unread_move_from_wire(
    request: referee_pb.SubmitMoveRequest | session_pb.MoveSubmission,
) -> UnreadMove | None:
    """Read whose submission it is, whatever else is wrong with it.

    None if that cannot be told.
    """
    try:
        return UnreadMove(
            match_id=read_id(request.match_id, "match_id"),
            seat=seat_from_wire(request.seat, "seat"),
            request_id=read_request_id(request.request_id, "request_id"),
        )
    except RefusedError:
        return None


def page_from_wire(request: referee_pb.ListMatchesRequest) -> PageRequest:
    """Read a request for a page of matches.

    Raises:
        RefusedError: A field cannot be used.
    """
    size = read_within(request.page_size, 0, PAGE_LIMIT, "page_size")
    return PageRequest(
        bot=read_name(request.bot, "bot") if request.bot else None,
        limit=size or PAGE_SIZE,
        cursor=cursor_from_wire(request.page_token, "page_token") or None,
    )


def cursor_from_wire(text: str, at: str) -> str:
    """Read a cursor, as far as its length goes; empty means the beginning.

    Raises:
        RefusedError: FIELD_INVALID.
    """
    if len(text) > CURSOR_LENGTH:
        raise invalid(at, "a cursor of this referee")
    return text


def _deal_source(value: int) -> DealSource:
    if value == match_pb.DEAL_SOURCE_UNSPECIFIED:
        return DealSource.SHARES
    if value == match_pb.DEAL_SOURCE_TOURNAMENT:
        raise invalid("deal_source", "shares or a seed")
    return read_enum(value, DEAL_SOURCES_READ, "deal_source")


def _seed(request: referee_pb.CreateMatchRequest) -> str:
    if not 0 < len(request.seed) <= SEED_LENGTH:
        raise invalid("seed", f"1 to {SEED_LENGTH} characters")
    return request.seed
