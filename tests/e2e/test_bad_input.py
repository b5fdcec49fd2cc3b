"""Bad input to a real referee: each kind gets its own reason, and changes nothing."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import grpc
import grpc.aio
import pytest
from google.protobuf.message import Message
from tests.e2e.answer import Answer, cards_in, of_error
from tests.e2e.bad_call import CALLS
from tests.e2e.bad_move import ILLEGAL, LIMITED, MOVER, WAITING, BadMove
from tests.e2e.bad_step import ACCEPT, NO_SHARE, STEPS, BadStep, stand_at
from tests.e2e.bad_submission import MALFORMED, UNTIMELY
from tests.e2e.bad_tournament_call import TOURNAMENTS
from tests.e2e.host import ORGANIZER, SEATED, Host, Room, Sight, hosting
from tests.e2e.position import Position, forced, taken
from tests.e2e.token_case import TOKENS
from tests.e2e.way import BotStream, SingleCall, Way, attach, ending

from ginref.engine.seat import Seat
from ginref.v1 import clock_pb2, error_reason_pb2, match_pb2
from ginref.v1 import referee_service_pb2 as referee_pb

WAYS = [pytest.param(SingleCall(), id="call"), pytest.param(BotStream(), id="stream")]

MOVES = (*ILLEGAL, *UNTIMELY, *MALFORMED)

STRIKES_ALLOWED = 3

NO_TIME = clock_pb2.ClockPolicy(start_ms=60_000, free_ms=1, bank_ms=1, cap_ms=1)
"""Time rules by which every move is late."""

_OBJECTIONS = "../unit/app/test_tournament_refusal.py"

ELSEWHERE = {
    "UNSPECIFIED": "is never sent",
    "MATCH_NOT_PLAYING": "test_a_move_before_the_cards_are_dealt_is_refused",
    "MATCH_EXPIRED": "../unit/app/test_signing.py",
    "MOVE_LATE": "test_a_late_move_ends_the_match",
    "SEEDED_NOT_ALLOWED": "test_a_seed_is_refused_where_deals_are_fair",
    "LIMIT_EXCEEDED": "../unit/app/test_session_end.py",
    "RATE_LIMITED": "../unit/app/test_move_limit.py",
    "ATTACHMENT_FENCED": "../unit/transport/test_bot_service.py",
    "REFEREE_DRAINING": "../unit/transport/test_bot_service.py",
    "STORE_UNAVAILABLE": "test_outage.py",
    "INTERNAL_FAULT": "../unit/transport/test_fault.py",
    "TOURNAMENT_PART_NOT_FOUND": _OBJECTIONS,
    "TOURNAMENT_STALE": _OBJECTIONS,
    "ATTEMPT_STALE": _OBJECTIONS,
    "TOURNAMENT_STATE_WRONG": _OBJECTIONS,
    "ENTRY_REFUSED": _OBJECTIONS,
    "TOURNAMENT_CONFLICT": _OBJECTIONS,
    "DEPENDENTS_STARTED": _OBJECTIONS,
    "BOARD_CLOSED": "../unit/app/test_embargo.py",
    **dict.fromkeys(
        ("INVITATION_EXPIRED", "INVITATION_NOT_FOUND", "INVITATION_USED_UP"),
        "../unit/app/test_invitation.py",
    ),
    **dict.fromkeys(
        ("MEDIA_TYPE_UNKNOWN", "PATH_UNKNOWN", "VERB_NOT_ALLOWED"),
        "../unit/transport/test_rest.py",
    ),
}
"""Reasons that no table gives, and where they are tried instead."""


async def _sender(room: Room, by: str, position: Position) -> str:
    """Return the caller that a case is about."""
    mover = SEATED[position.mover]
    if by == LIMITED:
        room.host.tokens[LIMITED] = await room.token(bot=mover, match_ids=["mother"])
        return LIMITED
    return {MOVER: mover, WAITING: SEATED[position.waiting]}.get(by, by)


def _check(answer: Answer, position: Position, request: Message | bytes) -> None:
    """Check that an answer tells nothing of the inside, and no hidden card."""
    assert not answer.leaks, answer.text
    hidden = answer.cards - position.seen - cards_in(str(request))
    assert not hidden, answer.text


def _struck(sight: Sight, seat: Seat, seen: Sight) -> Sight:
    """Return what is to be seen after a strike of a seat, and nothing else."""
    for before, after in zip(sight.seats, seen.seats, strict=True):
        clocks = [view.clock for view in before.seat_views]
        for clock in [before.public_view.clock, *clocks]:
            clock.seats[seat].strikes_used += 1
            clock.seats[seat].strikes_left -= 1
        for view, later in zip(before.seat_views, after.seat_views, strict=True):
            told = later.events[-1]
            assert (told.struck.seat, told.struck.strikes_used) == (seat + 1, 1)
            view.events.append(told)
    return Sight(sight.seats, (*sight.log, seen.log[-1]))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("bad", [pytest.param(bad, id=bad.name) for bad in MOVES])
async def test_a_bad_move_is_refused_and_changes_nothing(
    room: Room, bad: BadMove, way: Way
) -> None:
    position = bad.at()
    match_id = await room.deal(position, strikes_allowed=STRIKES_ALLOWED)
    sender = await _sender(room, bad.by, position)
    request = bad.request(match_id) if bad.data is None else bad.data
    before = await room.sight(match_id)

    answer = await way.refused(room, sender, request)

    after = await room.sight(match_id)
    facts = {key: str(value) for key, value in bad.facts(position).items()}
    if "field" in facts:
        facts["field"] = way.field(facts["field"], request)
    if bad.strike:
        facts["strikes_left"] = str(STRIKES_ALLOWED - 1)
        before = _struck(before, position.mover, after)
    assert (answer.reason, answer.facts) == (bad.reason, facts)
    assert answer.code == way.code(bad.code)
    assert answer.strikes_left == facts.get("strikes_left")
    assert after == before
    _check(answer, position, request)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("bad", [pytest.param(bad, id=bad.name) for bad in STEPS])
async def test_a_bad_step_is_refused_and_changes_nothing(
    room: Room, bad: BadStep, way: Way
) -> None:
    match_id = await stand_at(room, bad.stage)
    request = bad.request(match_id)
    before = await room.sight(match_id)

    answer = await way.refused(room, bad.by, request)

    facts = dict(bad.facts)
    if "field" in facts:
        facts["field"] = way.field(facts["field"], request)
    assert (answer.reason, answer.facts) == (bad.reason, facts)
    assert answer.code == way.code(bad.code)
    assert await room.sight(match_id) == before
    assert not answer.leaks, answer.text


@pytest.mark.parametrize("way", WAYS)
async def test_an_illegal_move_that_is_sent_again_costs_one_strike(
    room: Room, way: Way
) -> None:
    (bad,) = (bad for bad in ILLEGAL if bad.reason == "UPCARD_REFUSED_TWICE")
    match_id = await room.deal(forced())
    sender = SEATED[forced().mover]

    first = await way.refused(room, sender, bad.request(match_id))
    after = await room.sight(match_id)
    again = await way.refused(room, sender, bad.request(match_id))

    assert again.facts == first.facts == {"strikes_left": "2"}
    assert await room.sight(match_id) == after


@pytest.mark.parametrize("way", WAYS)
async def test_the_strike_over_the_allowance_ends_the_match(
    room: Room, way: Way
) -> None:
    (bad,) = (bad for bad in ILLEGAL if bad.reason == "UPCARD_REFUSED_TWICE")
    match_id = await room.deal(forced(), strikes_allowed=0)
    mover = forced().mover

    answer = await way.refused(room, SEATED[mover], bad.request(match_id))

    found = await room.referee(ORGANIZER, "GetMatch", match_id=match_id)
    assert (answer.reason, answer.strikes_left) == (bad.reason, "0")
    assert found.match.ending.kind == match_pb2.ENDING_KIND_STRIKES
    assert found.match.ending.seats_at_fault == [mover + 1]


@pytest.mark.parametrize("way", WAYS)
async def test_a_move_before_the_cards_are_dealt_is_refused(
    room: Room, way: Way
) -> None:
    match_id = await stand_at(room, "committing")
    before = await room.sight(match_id)
    request = BadMove(
        name="too early",
        reason="MATCH_NOT_PLAYING",
        code="FAILED_PRECONDITION",
        fields=lambda _: {"expected_version": before.seats[0].match.version},
    ).request(match_id)

    answer = await way.refused(room, SEATED[request.seat - 1], request)

    assert (answer.reason, answer.facts) == (
        "MATCH_NOT_PLAYING",
        {"stage": "committing"},
    )
    assert answer.code == way.code("FAILED_PRECONDITION")
    assert await room.sight(match_id) == before


@pytest.fixture(scope="module")
def slow_host() -> Iterator[Host]:
    """Return a referee that ends no match on its own, however late it is."""
    with hosting("--roles", "referee") as started:
        yield started


@pytest.mark.parametrize("way", WAYS)
async def test_a_late_move_ends_the_match(slow_host: Host, way: Way) -> None:
    async with slow_host.open() as room:
        match_id = await room.create(clock=NO_TIME)
        await room.prepare(match_id, **ACCEPT)
        await room.prepare(match_id, **NO_SHARE)
        found = await room.referee(ORGANIZER, "GetMatch", match_id=match_id)
        seat = found.public_view.table.to_act
        clock = found.public_view.clock
        while clock.server_time.ToMilliseconds() <= clock.deadline.ToMilliseconds():
            await asyncio.sleep(0.001)
            looked = await room.referee(ORGANIZER, "GetMatch", match_id=match_id)
            clock = looked.public_view.clock
        deadline = clock.deadline.ToJsonString()
        request = referee_pb.SubmitMoveRequest(
            match_id=match_id,
            seat=seat,
            expected_version=found.match.version,
            request_id="late",
        )
        request.move.text = "draw_upcard"

        answer = await way.refused(room, SEATED[seat - 1], request)

        over = (await room.referee(ORGANIZER, "GetMatch", match_id=match_id)).match
    assert answer.reason == "MOVE_LATE"
    assert answer.code == way.code("FAILED_PRECONDITION")
    assert answer.facts == {"deadline": deadline}
    assert over.ending.kind == match_pb2.ENDING_KIND_TIMED_OUT
    assert over.ending.seats_at_fault == [seat]


async def test_a_seed_is_refused_where_deals_are_fair(slow_host: Host) -> None:
    async with slow_host.open() as room:
        before = await room.referee(ORGANIZER, "ListMatches")
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await room.create(seed="7")
        after = await room.referee(ORGANIZER, "ListMatches")

    answer = of_error(refused.value)
    assert (answer.reason, answer.code) == ("SEEDED_NOT_ALLOWED", "FAILED_PRECONDITION")
    assert answer.facts == {}
    assert after == before


async def test_a_message_above_64_kib_does_not_reach_the_referee(room: Room) -> None:
    match_id = await room.deal(taken())
    before = await room.sight(match_id)
    data = b"\x0a\xff\xff\x04" + b"m" * 0x13FFF

    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await room.send(SEATED[0], "RefereeService/SubmitMove", data)
    stream = await attach(room, SEATED[0])
    await stream.write(data)
    ended = await ending(stream)

    answer = of_error(refused.value)
    assert answer.code == ended.code == "RESOURCE_EXHAUSTED"
    assert answer.reason == ended.reason == ""
    assert await room.sight(match_id) == before


def test_every_reason_of_the_api_is_tried() -> None:
    tried = {
        bad.reason
        for table in (MOVES, STEPS, CALLS, TOURNAMENTS, TOKENS)
        for bad in table
    }
    names = error_reason_pb2.ErrorReason.keys()
    reasons = {name.removeprefix("ERROR_REASON_") for name in names}

    assert tried | set(ELSEWHERE) == reasons
    assert not tried & set(ELSEWHERE)


@pytest.mark.parametrize(
    ("reason", "where"),
    [pytest.param(*item, id=item[0]) for item in ELSEWHERE.items()],
)
def test_what_is_tried_elsewhere_is_there(reason: str, where: str) -> None:
    if where.startswith("test_a_"):
        assert where in globals()
    elif where.endswith(".py"):
        assert reason in (Path(__file__).parent / where).read_text()
