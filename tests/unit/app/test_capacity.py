"""How many matches at once a bot is offered."""

import asyncio
import logging
from typing import Any

import pytest

from ginref.app.message import MatchOver, MoveResult, Offer, Problem, Turn, Welcome
from ginref.app.request import Accept, SeatStep
from ginref.engine.seat import Seat
from ginref.record.setup import DealSource

World = Any
Ear = Any
"""The referee and the reader of `conftest`, whose classes cannot be imported."""

NORTH = Seat.NORTH


async def _offers(ear: Ear) -> list[str]:
    """Matches that the bot has been offered until now."""
    for _ in range(200):
        await asyncio.sleep(0)
    # With nothing under way, the answer to this comes after all that was told.
    ear.session.resign("m1", NORTH)
    await ear.until(Problem)
    return [one.facts.match_id for one in ear.heard if isinstance(one, Offer)]


async def test_a_bot_is_offered_as_many_matches_as_it_plays_at_once(
    world: World,
) -> None:
    made = [(await world.create()).match_id for _ in range(4)]

    ear = await world.attach("careful", capacity=2)

    first = await _offers(ear)
    assert len(first) == 2
    assert set(first) < set(made)
    assert len(ear.heard[0].live) == 4


async def test_the_next_match_is_offered_when_one_is_over(world: World) -> None:
    ear = await world.attach("careful", capacity=1)
    made = [(await world.create()).match_id for _ in range(3)]
    for count in (1, 2, 3):
        offered = await _offers(ear)
        assert len(offered) == count
        assert set(offered) <= set(made)
        await world.desk.abort_match(world.host, offered[-1])
        await ear.until(MatchOver)

    assert sorted(await _offers(ear)) == sorted(made)


async def test_a_match_that_is_played_counts(world: World) -> None:
    playing, offered = await world.start(), await world.create()
    ear = await world.attach("careful", capacity=1)
    await ear.until(Welcome)
    assert await _offers(ear) == []

    ear.session.resign(playing.match_id, NORTH)

    assert (await ear.until(Offer)).facts == offered


async def test_a_match_whose_seat_was_taken_elsewhere_counts(world: World) -> None:
    taken = await world.create()
    await world.step(taken, NORTH, Accept())
    await world.create()

    ear = await world.attach("careful", capacity=1)

    assert await _offers(ear) == []


async def test_a_match_that_waits_can_be_lost_by_its_deadline(world: World) -> None:
    ear = await world.attach("careful", capacity=1)
    await world.create()
    [offered] = await _offers(ear)
    waits = await world.create()
    assert await _offers(ear) == [offered]
    world.time.ms += waits.clock.start_ms + waits.clock.grace_ms + 1

    assert await world.desk.time_out(waits.match_id)

    over = await ear.until(MatchOver)
    assert over.match_id == waits.match_id
    assert await _offers(ear) == [offered]


@pytest.mark.parametrize(
    ("capacity", "count"), [(1, 1), (2, 2), (3, 3), (0, 4)], ids=str
)
async def test_a_bot_that_can_play_more_is_offered_more_at_once(
    world: World, capacity: int, count: int
) -> None:
    ear = await world.attach("careful", capacity=1)
    for _ in range(4):
        await world.create()
    assert len(await _offers(ear)) == 1

    ear.session.ready(capacity)

    assert len(await _offers(ear)) == count


async def test_a_match_of_two_seats_of_a_bot_counts_once(world: World) -> None:
    ear = await world.attach("careful", capacity=1)

    facts = await world.create(bots=("careful", "careful"))

    assert await _offers(ear) == [facts.match_id] * 2


async def test_a_bot_that_asks_for_a_match_that_waits_is_offered_it(
    world: World,
) -> None:
    ear = await world.attach("careful", capacity=1)
    made = [(await world.create()).match_id for _ in range(2)]
    [first] = await _offers(ear)
    [waiting] = set(made) - {first}

    ear.session.sync(waiting, NORTH)

    assert (await ear.until(Offer)).facts.match_id == waiting


async def test_bots_of_little_capacity_play_all_their_matches(world: World) -> None:
    ear = await world.attach("careful", capacity=1)
    asked = {
        "bots": ("careful", "careful"),
        "deal_source": DealSource.SEEDED,
        "seed": "capacity",
    }
    made = [await world.create(**asked) for _ in range(3)]
    at_once: set[str] = set()
    over: list[str] = []
    while len(over) < 2 * len(made):
        match message := await ear.next():
            case Offer(facts=facts, seat=seat):
                at_once.add(facts.match_id)
                assert len(at_once) == 1
                step = SeatStep(match_id=facts.match_id, seat=seat, step=Accept())
                ear.session.prepare(step)
            case Turn(report):
                ear.session.resign(report.facts.match_id, report.view.seat)
            case MatchOver():
                over.append(message.match_id)
                at_once.discard(message.match_id)
            case MoveResult() | Problem():
                pytest.fail(str(message))
            case _:
                pass

    assert sorted(over) == sorted(2 * [facts.match_id for facts in made])


async def test_the_name_of_a_client_is_logged_in_printable_characters(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    ear = await world.attach("careful")
    await ear.session.close()
    with caplog.at_level(logging.INFO):
        ear = await world.attach("careful", client="my\nbot/1\x1b[0m " + 90 * "x")
    await ear.until(Welcome)

    [told] = [one.getMessage() for one in caplog.records if "careful" in one.message]
    assert "mybot/1[0m xxx" in told
    assert told.count("x") == 64 - len("mybot/1[0m ")
