"""Tokens for some tournaments alone: what they reach, and what is told of others."""

import json
import logging
from collections.abc import AsyncGenerator, Awaitable, Iterator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

import pytest
from tests.unit.app.cup import SHORT_MATCH, Cup, Process
from tests.unit.app.world import Ear, World

from ginref.app.caller import Caller, Role
from ginref.app.error import Reason, RefusedError
from ginref.app.message import MoveResult, Problem, Welcome
from ginref.app.registry_row import Grant, TokenRow, read_token, write_token
from ginref.app.request import Accept, SeatStep
from ginref.app.session import Session
from ginref.app.watch import Watcher
from ginref.engine.move import PASS
from ginref.engine.seat import Seat
from ginref.record.submission import Submission
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.operation import Advance, CheckIn

ROBIN = {"format": "round_robin"}
BOT = "bot-000"
CUP = frozenset({"cup"})

HOST = Caller(token_id="t-host", role=Role.ORGANIZER, tournament_ids=CUP)
PLAYER = Caller(token_id="t-bot", role=Role.BOT, bot=BOT, tournament_ids=CUP)
EYES = Caller(token_id="t-eyes", role=Role.SPECTATOR, tournament_ids=CUP)

Told = tuple[Reason, str, dict[str, object]]


@dataclass
class Hall:
    """Two tournaments of the same bots, and a match of theirs that is of neither.

    Attributes:
        cup: What holds them.
        own: The match of the tournament that tokens are limited to.
        other: The match of the other one.
        free: The match that is of neither.
    """

    cup: Cup
    own: str
    other: str
    free: str

    async def seat(self, match_id: str) -> Seat:
        """The seat of the bot, where it has one."""
        if match_id not in {self.own, self.other, self.free}:
            return Seat.NORTH
        report = await self.cup.one.match_desk.get_match(self.cup.world.host, match_id)
        return Seat(report.public.facts.bots.index(BOT))


@pytest.fixture
async def hall(world: World) -> Hall:
    cup, matches = Cup(world=world), dict[str, str]()
    await cup.process()
    for name in ("league", "cup"):
        cup.name = name
        await cup.start(2, ROBIN)
        await cup.carry_on()
        (matches[name],) = {*await cup.going_on()} - {*matches.values()}
    free = await world.create(bots=(BOT, "bot-001"))
    return Hall(cup, matches["cup"], matches["league"], free.match_id)


async def told(call: Awaitable[object]) -> Told:
    """What somebody is told who is refused."""
    with pytest.raises(RefusedError) as refused:
        await call
    return refused.value.reason, str(refused.value), dict(refused.value.facts)


async def first(stream: AsyncGenerator[Any, None]) -> Any:  # noqa: ANN401 - a step
    """The first that a stream tells."""
    async with aclosing(stream) as steps:
        return await anext(steps)


def move(match_id: str, seat: Seat) -> Submission:
    return Submission(
        match_id=match_id, seat=seat, expected_version=77, request_id="x", move=PASS
    )


def calls(
    process: Process, watcher: Watcher, match_id: str, seat: Seat
) -> Iterator[Awaitable[object]]:
    """Everything that can be asked of a match."""
    desk = process.match_desk
    step = SeatStep(match_id=match_id, seat=seat, step=Accept())
    yield desk.get_match(EYES, match_id)
    yield desk.match_record(EYES, match_id)
    yield first(watcher.watch(EYES, match_id, ""))
    yield desk.prepare_seat(PLAYER, step)
    yield desk.submit_move(PLAYER, move(match_id, seat), 0.0)
    yield desk.resign_match(PLAYER, match_id, seat)
    yield desk.abort_match(HOST, match_id)


@pytest.mark.parametrize(
    ("matches", "tournaments", "reached"),
    [
        pytest.param((), (), "m1 m2 cup cup's league's", id="no limit"),
        pytest.param(("m1",), (), "m1", id="a match"),
        pytest.param((), ("cup",), "cup cup's", id="a tournament"),
        pytest.param(("m1",), ("cup",), "m1 cup cup's", id="what either names"),
    ],
)
def test_what_a_token_reaches(
    matches: tuple[str, ...], tournaments: tuple[str, ...], reached: str
) -> None:
    caller = replace(
        EYES, match_ids=frozenset(matches), tournament_ids=frozenset(tournaments)
    )
    known = {
        "m1": caller.reaches_match("m1", None),
        "m2": caller.reaches_match("m2", None),
        "cup": caller.reaches_tournament("cup"),
        "cup's": caller.reaches_match("m3", "cup"),
        "league's": caller.reaches_match("m4", "league"),
    }

    assert [name for name, is_reached in known.items() if is_reached] == reached.split()


@pytest.mark.parametrize("is_new", [False, True], ids=["known", "not read yet"])
async def test_of_matches_elsewhere_nothing_is_told_not_even_that_they_are(
    hall: Hall,
    is_new: bool,  # noqa: FBT001 - whether the process has read the match before
) -> None:
    cup, world = hall.cup, hall.cup.world
    asked = {one: await hall.seat(one) for one in (hall.other, hall.free, "mother")}
    process = await cup.process() if is_new else cup.one
    watcher = world.replicas[-1].watcher
    world.store.asked.clear()

    answers = {
        match_id: [await told(call) for call in calls(process, watcher, match_id, seat)]
        for match_id, seat in asked.items()
    }

    assert {reason for reason, _, _ in answers["mother"]} == {Reason.SEAT_NOT_YOURS}
    assert answers[hall.other] == answers[hall.free] == answers["mother"]
    assert not world.store.asked["apply"]
    listed = (await process.match_desk.list_matches(EYES, None, 10, None)).matches
    assert [facts.match_id for facts in listed] == [hall.own]


async def test_a_move_is_judged_without_another_look_into_the_store(hall: Hall) -> None:
    world, desk = hall.cup.world, hall.cup.one.match_desk
    seat = await hall.seat(hall.own)
    world.store.asked.clear()

    reason, _, _ = await told(desk.submit_move(EYES, move(hall.other, seat), 0.0))
    assert reason is Reason.ROLE_NOT_ALLOWED
    reason, _, _ = await told(desk.submit_move(PLAYER, move(hall.other, seat), 0.0))

    assert reason is Reason.SEAT_NOT_YOURS
    assert not world.store.asked


async def test_matches_of_its_tournament_are_open_to_a_token(hall: Hall) -> None:
    desk, watcher = hall.cup.one.match_desk, hall.cup.world.one.watcher
    seat, match_id = await hall.seat(hall.own), hall.own

    report = await desk.get_match(EYES, match_id)
    step = await first(watcher.watch(EYES, match_id, ""))
    taken, _ = await desk.prepare_seat(
        PLAYER, SeatStep(match_id=match_id, seat=seat, step=Accept())
    )

    assert step.facts == report.public.facts
    assert taken.version == report.public.facts.version + 1
    aborted = await desk.abort_match(HOST, match_id)
    assert aborted.ending


async def test_records_of_its_tournament_are_open_to_a_token(hall: Hall) -> None:
    cup, desk = hall.cup, hall.cup.one.match_desk
    for match_id in (hall.own, hall.other, hall.free):
        await cup.finish(match_id)
    await cup.sign()
    both = replace(EYES, match_ids=frozenset({hall.free}))
    other = replace(EYES, match_ids=frozenset({"mother"}), tournament_ids=frozenset())

    refused = [
        await told(desk.match_record(EYES, one))
        for one in (hall.other, hall.free, "mother")
    ]

    assert refused == [refused[0]] * 3
    assert refused[0][0] is Reason.SEAT_NOT_YOURS
    assert await desk.match_record(EYES, hall.own)
    assert await desk.match_record(both, hall.free)
    assert await told(desk.match_record(both, hall.other)) == refused[0]
    assert await told(desk.match_record(other, hall.own)) == refused[0]


@pytest.mark.parametrize("caller", [HOST, PLAYER, EYES], ids=lambda one: one.role)
async def test_of_other_tournaments_nothing_is_told_not_even_that_they_are(
    hall: Hall, caller: Caller
) -> None:
    desk, asking = hall.cup.one.desk, hall.cup.asking()
    version = len(await desk.entries(hall.cup.world.host, "league", 0))

    for ask in (
        desk.overview,
        desk.export,
        lambda by, name: desk.entries(by, name, 0),
        lambda by, name: desk.change(by, name, CheckIn(bot=BOT), asking),
        lambda by, name: desk.enter(by, name, BOT, None, asking),
    ):
        refused = [await told(ask(caller, name)) for name in ("league", "nowhere")]
        assert refused[0] == refused[1]
        role_has_it = caller is not EYES or ask in {desk.overview, desk.export}
        if role_has_it:
            assert refused[0][0] is Reason.SEAT_NOT_YOURS

    assert len(await desk.entries(hall.cup.world.host, "league", 0)) == version
    listed = (await desk.page(caller, 10, None)).listings
    assert [one.tournament for one in listed] == ["cup"]
    assert (await desk.overview(caller, "cup")).tournament == "cup"


async def test_a_host_of_one_tournament_changes_no_other(hall: Hall) -> None:
    desk, asking = hall.cup.one.desk, hall.cup.asking()
    pause = Advance(to=Lifecycle.PAUSED)

    for call in (
        desk.change(HOST, "league", pause, asking),
        desk.configure(HOST, "league", {"name": "league"}, asking),
        desk.order_seeds(HOST, "league", (BOT, "bot-001"), asking),
        desk.issue_codes(HOST, "league", 1, asking),
    ):
        assert (await told(call))[0] is Reason.SEAT_NOT_YOURS

    assert (await desk.change(HOST, "cup", pause, asking)).is_new


async def test_a_host_of_one_tournament_declares_it_and_no_other(world: World) -> None:
    cup = Cup(world=world)
    await cup.process()
    document = {"match": SHORT_MATCH, "stages": [{"name": "main", **ROBIN}]}
    made, _ = await cup.one.desk.create(HOST, {**document, "name": "cup"}, cup.asking())

    refused = await told(
        cup.one.desk.create(HOST, {**document, "name": "league"}, cup.asking())
    )

    assert made.is_new
    assert refused[0] is Reason.SEAT_NOT_YOURS
    assert (await cup.store.list_tournaments(10, None)).names == ("cup",)


async def test_a_host_of_one_tournament_creates_no_match(world: World) -> None:
    reason, _, _ = await told(world.desk.create_match(HOST, world.new()))

    assert reason is Reason.SEAT_NOT_YOURS
    assert not world.store.asked["create"]


async def test_a_bots_stream_is_of_its_tournament_alone(
    hall: Hall, caplog: pytest.LogCaptureFixture
) -> None:
    world, cup, seat = hall.cup.world, hall.cup, await hall.seat(hall.other)
    tools = world.replicas[-1].tools
    session = Session(cup.one.match_desk, tools, PLAYER, tournaments=cup.one.desk)
    world.sessions.append(session)
    ear = Ear(session)
    with caplog.at_level(logging.INFO):
        await session.hello({hall.other: 1, hall.free: 1}, client="x")
    welcome = await ear.until(Welcome)
    session.sync(hall.other, seat)
    problem = await ear.until(Problem)
    session.sync("mother", seat)
    unknown = await ear.until(Problem)
    session.submit(move(hall.other, seat), 0.0)
    result = await ear.until(MoveResult)
    session.hang_up()
    rest = await ear.rest()

    assert [facts.match_id for facts in welcome.live] == [hall.own]
    assert [head.tournament for head in welcome.heads] == ["cup"]
    assert problem.error.reason is Reason.SEAT_NOT_YOURS
    assert str(unknown.error) == str(problem.error)
    assert isinstance(result.result, RefusedError)
    assert result.result.reason is Reason.SEAT_NOT_YOURS
    # How far the match has come is not told either.
    assert result.version == 77
    assert not {hall.other, hall.free} & {getattr(one, "match_id", "") for one in rest}
    assert f"bot {BOT} attaches with 'x', limited to tournament cup" in caplog.text


async def test_a_tournament_is_run_and_played_by_tokens_for_it_alone(
    world: World,
) -> None:
    world.host, world.cups = HOST, CUP
    cup = Cup(world=world, plays=True)
    await cup.process()

    await cup.start(3, ROBIN)
    await cup.run()

    seen = await cup.check()
    assert len(seen.matches) == 3


async def test_a_recognised_caller_has_the_limits_of_its_token(world: World) -> None:
    grant = Grant(
        role=Role.SPECTATOR, match_ids=("m1",), tournament_ids=("cup", "league")
    )
    row, secret = await world.gate.create_token(world.host, grant)

    caller = await world.gate.authenticate(secret)

    assert caller.match_ids == {"m1"}
    assert caller.tournament_ids == {"cup", "league"}
    assert caller.limits == ", limited to match m1, tournament cup, tournament league"
    assert await world.gate.list_tokens(world.host) == (row,)
    assert row.tournament_ids == ("cup", "league")


def test_rows_from_before_tokens_had_tournaments_reach_all_of_them() -> None:
    old = TokenRow(
        token_id="t", role=Role.OPERATOR, created_ms=1, expires_ms=None, revoked_ms=None
    )
    written = write_token("ab", old)
    limited = replace(old, tournament_ids=("cup",))

    # A process of the version before reads it, too.
    assert "tournament_ids" not in json.loads(written)
    assert read_token(written) == old
    assert read_token(write_token("ab", limited)) == limited
