"""A store that comes back with less than it had acknowledged."""

from typing import Any

import pytest
from tests.unit.app.listener import attached, play, version

from ginref.app.caller import Caller, Role
from ginref.app.match_store import EVERYTHING
from ginref.app.message import MatchOver, Started, Turn
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
