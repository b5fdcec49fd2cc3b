"""When a turn was sent, as the log of a match keeps it."""

import asyncio

from tests.unit.app.judgment import World

from ginref.app.message import Turn
from ginref.app.turn_times import TurnTimes
from ginref.engine.move import PASS
from ginref.record.entry import Moved


class Hand:
    """A clock that is moved by hand, in seconds."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_turn_counts_from_when_it_was_first_sent() -> None:
    hand = Hand()
    times = TurnTimes(hand)

    times.note("m1", 7)
    hand.now += 1
    times.note("m1", 7)

    assert times.waited_ms("m1", 7, 103.25) == 3_250


def test_only_the_turn_that_is_answered_counts() -> None:
    times = TurnTimes(Hand())
    times.note("m1", 7)
    times.note("m1", 5)

    assert times.waited_ms("m1", 7, 100.0) == 0
    assert times.waited_ms("m1", 5, 100.0) is None
    assert times.waited_ms("m2", 7, 100.0) is None


def test_a_match_that_is_over_is_forgotten() -> None:
    times = TurnTimes(Hand())
    times.note("m1", 7)

    times.forget("m1")
    times.forget("m1")

    assert times.waited_ms("m1", 7, 100.0) is None


async def _waited(world: World, match_id: str) -> list[int | None]:
    _, log = await (await world.replica()).keeper.history(match_id)
    return [one.entry.waited_ms for one in log if isinstance(one.entry, Moved)]


async def test_who_has_sent_the_turn_says_when(world: World) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    # Whoever asks for the match is shown the turn.
    await world.desk.get_match(world.player(facts, turn.view.seat), facts.match_id)
    loop = asyncio.get_running_loop()

    submission = world.submission(turn, PASS)
    await world.desk.submit_move(
        world.player(facts, submission.seat), submission, loop.time() + 5
    )

    (waited_ms,) = await _waited(world, facts.match_id)
    assert waited_ms is not None
    assert waited_ms >= 4_900


async def test_who_has_not_sent_the_turn_does_not_say_when(world: World) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    elsewhere = await world.replica()

    await elsewhere.desk.submit_move(
        world.player(facts, turn.view.seat),
        world.submission(turn, PASS),
        asyncio.get_running_loop().time(),
    )

    assert await _waited(world, facts.match_id) == [None]


async def test_a_turn_on_a_stream_is_noted(world: World) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    elsewhere = await world.replica()
    ear = await world.attach(facts.bots[turn.view.seat], replica=elsewhere)
    await ear.until(Turn)

    await world.submit(world.submission(turn, PASS), facts, elsewhere.desk)

    (waited_ms,) = await _waited(world, facts.match_id)
    assert waited_ms is not None
