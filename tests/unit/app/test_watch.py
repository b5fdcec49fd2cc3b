"""Following a match."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import pytest

from ginref.app.caller import Caller, Role
from ginref.app.challenge import Challenges
from ginref.app.error import Reason, RefusedError
from ginref.app.match_store import EVERYTHING, EntryId, Wake
from ginref.app.watch import WatchStep
from ginref.record.lifecycle import EndingKind, Stage
from ginref.transport.call import CALL, Call
from ginref.transport.referee_service import RefereeService
from ginref.v1.referee_service_pb2 import WatchMatchRequest

World = Any
"""The referee of `conftest`, whose class cannot be imported."""

SPECTATOR = Caller(token_id="t", role=Role.SPECTATOR)


def _watch(
    world: World, match_id: str, cursor: str = "", caller: Caller = SPECTATOR
) -> AsyncGenerator[WatchStep, None]:
    watched: AsyncGenerator[WatchStep, None] = world.one.watcher.watch(
        caller, match_id, cursor
    )
    return watched


async def _admit() -> None:
    """Let a caller go on."""


async def _next(steps: AsyncGenerator[WatchStep, None]) -> WatchStep:
    async with asyncio.timeout(10):
        return await anext(steps)


async def test_the_first_step_is_the_match_now(world: World) -> None:
    facts = await world.start()

    async with aclosing(_watch(world, facts.match_id)) as steps:
        step = await _next(steps)

    assert step.facts == facts
    assert step.events == ()
    assert step.public.view is not None
    assert step.turns == ()


async def test_every_change_follows_until_the_match_is_over(world: World) -> None:
    facts = await world.create()
    seen: list[str] = []
    async with aclosing(_watch(world, facts.match_id)) as steps:
        await _next(steps)
        for seat, step in world.steps(facts):
            await world.step(facts, seat, step)
            (event,) = (await _next(steps)).events
            seen.append(event.kind)
            assert event.seat is seat
        turn = await world.turn(facts)
        with pytest.raises(RefusedError):
            await world.submit(world.wrong(turn), facts)
        (struck,) = (await _next(steps)).events
        await world.move(facts)
        (played,) = (await _next(steps)).events
        await world.desk.abort_match(world.host, facts.match_id)
        last = await _next(steps)
        with pytest.raises(StopAsyncIteration):
            await _next(steps)

    assert seen == [*["accepted"] * 2, *["committed"] * 2, *["revealed"] * 2]
    assert (struck.kind, played.kind) == ("struck", "played")
    assert [event.kind for event in last.events] == ["ended"]
    assert last.facts.ending is not None
    assert last.facts.ending.kind is EndingKind.ABORTED
    assert world.tally.seen["watching"] == 0


async def test_changes_made_elsewhere_are_followed_too(world: World) -> None:
    facts, other = await world.start(), await world.replica()
    async with aclosing(_watch(world, facts.match_id)) as steps:
        await _next(steps)

        await world.move(facts, desk=other.desk)

        step = await _next(steps)
        assert step.facts.version == facts.version + 1


async def test_going_on_from_a_cursor_misses_nothing_and_repeats_nothing(
    world: World,
) -> None:
    facts = await world.create()
    for seat, step in world.steps(facts):
        facts = await world.step(facts, seat, step)
    turn = await world.turn(facts)
    with pytest.raises(RefusedError):
        await world.submit(world.wrong(turn), facts)
    await world.play_out(facts)
    log = await world.store.log(facts.match_id)
    places = [(entry.id.version, entry.id.refusal) for entry in log]

    for at in range(0, len(places) - 1, 9):
        cursor = "{}-{}".format(*places[at])
        rest = [step async for step in _watch(world, facts.match_id, cursor)]
        told = [(event.version, event.refusal) for one in rest for event in one.events]
        assert sorted(set(told)) == places[at + 1 :]
        # Only the last step is told twice: once as a move, once as the end.
        assert len(told) == len(set(told)) + 1

    whole = [step async for step in _watch(world, facts.match_id, "0-0")]
    assert whole[0].events[0].kind == "created"
    assert whole[-1].events[-1].kind == "ended"
    last = whole[-1].cursor
    assert [step async for step in _watch(world, facts.match_id, last)] == []


async def test_a_watch_goes_on_where_another_replica_left_it(world: World) -> None:
    facts, other = await world.start(), await world.replica()
    async with aclosing(_watch(world, facts.match_id)) as steps:
        cursor = (await _next(steps)).cursor
    await world.move(facts)
    await world.move(facts)

    async with aclosing(
        other.watcher.watch(SPECTATOR, facts.match_id, cursor)
    ) as steps:
        step = await _next(steps)

    assert [event.version for event in step.events] == [
        facts.version + 1,
        facts.version + 2,
    ]


async def test_a_slow_watcher_gets_several_changes_in_one_step(world: World) -> None:
    facts = await world.start()
    async with aclosing(_watch(world, facts.match_id)) as steps:
        await _next(steps)
        for _ in range(5):
            await world.move(facts)
        await asyncio.sleep(0)

        step = await _next(steps)

    assert [event.version - facts.version for event in step.events] == [1, 2, 3, 4, 5]


async def test_a_bot_sees_its_turns_and_nobody_elses(world: World) -> None:
    facts = await world.start()
    for _ in range(6):
        turn = await world.turn(facts)
        for seat in (turn.view.seat, 1 - turn.view.seat):
            caller = world.player(facts, seat)
            async with aclosing(_watch(world, facts.match_id, caller=caller)) as steps:
                step = await _next(steps)
            assert step.turns == ((turn,) if seat == turn.view.seat else ())
        await world.move(facts)


async def test_who_holds_no_seat_is_told_the_very_same(world: World) -> None:
    facts = await world.start()
    places = [_watch(world, facts.match_id) for _ in range(3)]
    bots = [_watch(world, facts.match_id, caller=world.player(facts, 0))]
    for steps in (*places, *bots):
        await _next(steps)

    for _ in range(4):
        await world.move(facts)
        first, *others = [await _next(steps) for steps in places]
        (own,) = [await _next(steps) for steps in bots]

        assert all(step is first for step in others)
        assert own is not first
        assert not first.turns
        assert own.public == first.public

    for steps in (*places, *bots):
        await steps.aclose()


async def test_what_is_told_together_is_told_from_where_each_one_was(
    world: World,
) -> None:
    facts = await world.start()
    places = [_watch(world, facts.match_id) for _ in range(3)]
    for steps in places:
        await _next(steps)
    quick, slow, other = places

    for _ in range(3):
        await world.move(facts)
        await _next(quick)
    late = await _next(slow)
    places.append(_watch(world, facts.match_id, f"{facts.version + 1}-0"))
    resumed = await _next(places[-1])

    assert [event.version - facts.version for event in late.events] == [1, 2, 3]
    assert [event.version - facts.version for event in resumed.events] == [2, 3]
    assert (await _next(other)).events == late.events
    for steps in places:
        await steps.aclose()


async def test_a_step_that_many_watch_is_written_once(world: World) -> None:
    facts = await world.start()
    one = world.one
    challenges = Challenges(one.tools, one.desk.opening)
    service = RefereeService(one.desk, one.watcher, challenges)
    CALL.set(Call(SPECTATOR, 0.0, _admit))
    request = WatchMatchRequest(match_id=facts.match_id)
    watches = [service.WatchMatch(request, None) for _ in range(3)]
    for watch in watches:
        await anext(watch)

    await world.move(facts)
    first, *others = [await anext(watch) for watch in watches]

    assert all(message is first for message in others)
    assert [event.version for event in first.events] == [facts.version + 1]
    for watch in watches:
        await watch.aclose()


async def test_a_draining_referee_ends_every_watch(world: World) -> None:
    facts = await world.start()
    async with aclosing(_watch(world, facts.match_id)) as steps:
        await _next(steps)

        world.one.hub.drain()

        # Not as at the end of a match: whoever watches goes on elsewhere.
        with pytest.raises(RefusedError) as refused:
            await _next(steps)
        assert refused.value.reason is Reason.REFEREE_DRAINING


async def test_a_gap_is_not_hidden_by_word_of_an_earlier_step(world: World) -> None:
    facts, other = await world.start(), await world.replica()
    world.listeners[0].cancel()
    async with aclosing(_watch(world, facts.match_id)) as steps:
        await _next(steps)
        await world.move(facts, desk=other.desk)
        await world.one.keeper.load(facts.match_id)
        await world.move(facts, desk=other.desk)

        world.one.hub.notify(Wake(facts.match_id, EntryId(facts.version + 1)))
        world.one.hub.notify(EVERYTHING)

        step = await _next(steps)
        assert step.facts.version == facts.version + 2


@pytest.mark.parametrize(
    "cursor",
    [
        "x",
        "1",
        "1-",
        "-1",
        "1-x",
        "1-2-3",
        "1-²",
        "\uff11-0",
        "+1-0",
        "1 -0",
        "99999999999999999-0",
        pytest.param("1000-0", id="of a later day"),
    ],
)
async def test_a_cursor_of_another_kind_is_refused(world: World, cursor: str) -> None:
    facts = await world.create()

    with pytest.raises(RefusedError) as refused:
        await _next(_watch(world, facts.match_id, cursor))

    assert refused.value.reason is Reason.FIELD_INVALID
    assert refused.value.facts == {"field": "cursor"}


async def test_what_is_out_of_reach_is_not_watched(world: World) -> None:
    facts = await world.create()
    limited = Caller(token_id="t", role=Role.SPECTATOR, match_ids=frozenset({"m1"}))

    for caller, match_id, reason in [
        (SPECTATOR, "m1", Reason.MATCH_NOT_FOUND),
        (limited, facts.match_id, Reason.SEAT_NOT_YOURS),
    ]:
        with pytest.raises(RefusedError) as refused:
            await _next(_watch(world, match_id, caller=caller))
        assert refused.value.reason is reason
    assert world.tally.seen["watching"] == 0


async def test_a_watcher_of_a_local_match_reads_the_store_once(world: World) -> None:
    facts = await world.start()
    async with aclosing(_watch(world, facts.match_id)) as steps:
        await _next(steps)
        turn = await world.turn(facts)
        submission = world.submission(turn)
        world.store.asked.clear()

        await world.submit(submission, facts)
        step = await _next(steps)

    assert step.facts.version == facts.version + 1
    assert step.facts.stage is Stage.PLAYING
    assert world.store.asked == {"apply": 1}
