"""A store that comes back with less than it had acknowledged."""

import asyncio
from typing import Any

import pytest
from tests.unit.app.listener import attached, play, version

from ginref.app.caller import Caller, Role
from ginref.app.error import Reason
from ginref.app.match_store import EVERYTHING
from ginref.app.message import MatchOver, Offer, Problem, Started, Turn
from ginref.engine.move import DRAW_STOCK, Discard
from ginref.engine.seat import Seat
from ginref.record.lifecycle import EndingKind
from ginref.record.verify import Finding, verify_record

World = Any
"""The referee of `conftest`, whose class cannot be imported."""


async def test_what_a_store_has_lost_is_logged_and_the_match_goes_on_before_it(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    facts = await world.start()
    ears = [
        await attached(world, facts, seat, events=True)
        for seat in (Seat.NORTH, Seat.SOUTH)
    ]
    for _ in range(3):
        await world.move(facts)
    world.store.save()
    held = (await world.turn(facts)).facts.version
    for _ in range(4):
        await world.move(facts)
    for ear in ears:
        while version(await ear.next()) < held + 4:
            pass

    spectator = Caller(token_id="t", role=Role.SPECTATOR)
    watching = world.one.watcher.watch(spectator, facts.match_id, "")
    seen = [await anext(watching)]

    world.store.go_back()
    world.one.hub.notify(EVERYTHING)
    again = [await ear.until(Started) for ear in ears]
    seen.append(await anext(watching))
    await play(world, *ears)
    await world.one.signing.sign_finished()
    seen += [step async for step in watching]

    told = f"lost steps of match {facts.match_id}: it was at version {held + 4}"
    assert f"{told}, now at {held}" in caplog.text
    assert [started.facts.version for started in again] == [held, held]
    heard = [message for ear in ears for message in ear.heard]
    assert held in [version(told) for told in heard if isinstance(told, Turn)]
    assert [told.ending.kind for told in heard if isinstance(told, MatchOver)] == [
        EndingKind.COMPLETED,
        EndingKind.COMPLETED,
    ]
    assert [step.facts.version for step in seen[:2]] == [held + 4, held]
    assert seen[-1].facts.ending
    envelope = world.archive.records[facts.match_id]
    keys = {world.signer.key_id: world.signer.public_key}
    assert verify_record(envelope, keys).finding is Finding.VALID


async def test_a_store_that_has_lost_nothing_is_not_accused(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    other = await world.replica()
    facts = await world.start()
    for number in range(12):
        await world.move(facts, desk=(world.desk, other.desk)[number % 2])

    world.one.hub.notify(EVERYTHING)
    await world.turn(facts)

    assert "lost steps" not in caplog.text


async def _turn(world: World, replica: Any, facts: Any) -> Any:  # noqa: ANN401
    """What the seat to act is told by a replica."""
    public = (await replica.desk.get_match(world.host, facts.match_id)).public
    player = world.player(facts, public.view.to_act)
    report = await replica.desk.get_match(player, facts.match_id)
    return report.seats[0]


async def test_what_another_replica_takes_in_place_of_lost_steps_is_the_match(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    other = await world.replica()
    facts = await world.start()
    ears = [await attached(world, facts, seat) for seat in (Seat.NORTH, Seat.SOUTH)]
    while DRAW_STOCK not in (await world.turn(facts)).view.legal:
        await world.move(facts)
    world.store.save()
    for _ in range(2):
        await world.move(facts)
    lost = await world.turn(facts)
    ear = ears[lost.view.seat]
    while version(await ear.next()) < lost.facts.version:
        pass

    world.store.go_back()
    other.hub.notify(EVERYTHING)
    for number in range(2):
        turn = await _turn(world, other, facts)
        move = Discard(turn.view.discards[-1].card) if number else DRAW_STOCK
        world.time.ms += 11
        await world.submit(world.submission(turn, move), facts, other.desk)
    world.one.hub.notify(EVERYTHING)

    again = await ear.until(Turn)
    assert again.report.facts.version == lost.facts.version
    assert again.report.view.pile != lost.view.pile
    assert f"lost steps of match {facts.match_id}" in caplog.text
    ear.session.submit(world.submission(again.report), 0.0)
    await play(world, *ears)
    await world.one.signing.sign_finished()
    envelope = world.archive.records[facts.match_id]
    keys = {world.signer.key_id: world.signer.public_key}
    assert verify_record(envelope, keys).finding is Finding.VALID


async def test_a_match_that_a_store_has_lost_altogether_harms_no_other(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    kept = await world.start()
    world.store.save()
    gone = await world.start()
    ear = await attached(world, kept, Seat.NORTH)
    for _ in range(2):
        await ear.until(Started)

    world.store.go_back()
    world.one.hub.notify(EVERYTHING)

    problem = await ear.until(Problem)
    assert problem.match_id == gone.match_id
    assert problem.error.reason is Reason.MATCH_NOT_FOUND
    assert f"the store has lost match {gone.match_id}" in caplog.text
    await world.desk.resign_match(world.bot("careful"), kept.match_id, Seat.NORTH)
    assert (await ear.until(MatchOver)).match_id == kept.match_id


async def test_a_match_that_is_lost_while_it_waits_keeps_no_other_waiting(
    world: World,
) -> None:
    playing = await world.start()
    world.store.save()
    ear = await world.attach("careful", capacity=1)
    await ear.until(Started)
    await world.create()
    for _ in range(100):
        await asyncio.sleep(0)

    world.store.go_back()
    world.one.hub.notify(EVERYTHING)
    await ear.until(Problem)
    offered = await world.create()
    await world.desk.abort_match(world.host, playing.match_id)

    assert (await ear.until(Offer)).facts == offered
