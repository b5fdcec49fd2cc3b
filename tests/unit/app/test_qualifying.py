"""Qualifying matches that processes make, find again after a crash, and end."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.unit.app.cup import Cup
from tests.unit.app.world import World
from tests.unit.tournament.asking import ask
from tests.unit.tournament.test_export import SCHEMA
from tests.unit.tournament.test_qualifying import called_to, plays, seeded

from ginref.app.error import RefusedError
from ginref.app.tournament_embargo import closed_fixtures
from ginref.engine.seat import Seat
from ginref.record.verify import Finding
from ginref.tournament.event import Exit
from ginref.tournament.export_match import read_match_record
from ginref.tournament.export_verify import verify_export
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.operation import Advance
from ginref.tournament.qualifying import is_qualifying
from ginref.tournament.roster import with_place

Fresh = Callable[[], AbstractAsyncContextManager[World]]

SINGLE = {"format": "single_elimination"}
ENTRY: dict[str, Any] = {
    "capacity": 2,
    "qualifying": {"house": "careful", "rounds": 1, "attempts": 2},
}
FAILING = "bot-000"


async def called(world: World, processes: int) -> Cup:
    """Have a house bot, and three bots that have checked in."""
    cup = Cup(world=world, plays=True)
    for _ in range(processes):
        await cup.process()
    await world.gate.create_owner(world.host, "house")
    await world.gate.create_bot(world.host, "house.careful", "house", house=True)
    await cup.declare(SINGLE, entry=ENTRY)
    await cup.to(Lifecycle.REGISTRATION)
    bots = await cup.enter(3)
    await cup.to(Lifecycle.CHECK_IN)
    await cup.answer_summons(bots)
    await cup.carry_on()
    return cup


async def qualify(cup: Cup) -> None:
    """End all qualifying matches; one bot resigns each of its own."""
    for _ in range(3):
        for match_id in await cup.going_on():
            desk = cup.one.match_desk
            read = await desk.get_match(cup.world.host, match_id)
            facts = read.public.facts
            if facts.bots[0] == FAILING:
                player = cup.world.player(facts, Seat.NORTH)
                await desk.resign_match(player, match_id, Seat.NORTH)
            else:
                await cup.finish(match_id)
        await cup.sign()
        await cup.carry_on()


async def started(cup: Cup) -> None:
    """Draw, and start."""
    await cup.to(Lifecycle.SEEDING)
    await cup.carry_on()
    ledger = (await cup.now()).ledger
    await cup.answer_summons([one.bot for one in with_place(ledger)])
    await cup.carry_on()
    await cup.to(Lifecycle.RUNNING)


async def test_a_bot_that_does_not_qualify_leaves_its_place_to_the_next(
    world: World,
) -> None:
    cup = await called(world, 2)
    await qualify(cup)
    await started(cup)
    live = await cup.run()

    seen = await cup.check()
    assert live.ledger.order == ("bot-001", "bot-002")
    assert live.ledger.departures[FAILING].exit is Exit.QUALIFYING
    orders = [one.order for one in seen.matches if not one.stage]
    assert sorted((one.bots, one.attempt) for one in orders) == [
        ((FAILING, "house.careful"), 1),
        ((FAILING, "house.careful"), 2),
        (("bot-001", "house.careful"), 1),
        (("bot-002", "house.careful"), 1),
    ]
    assert len({one.deal for one in orders}) == len(orders)
    keys = {world.signer.key_id: world.signer.public_key}  # type: ignore[attr-defined] # the referee of tests has one
    records = [
        read_match_record(name, envelope, keys)
        for name, envelope in world.archive.records.items()
    ]
    export = await cup.one.desk.export(world.host, "cup")
    verdict = verify_export(export, keys, records)
    assert verdict.finding is Finding.VALID, verdict.problem
    assert verdict.records == len(records) == len(seen.matches)
    assert verdict.export is not None
    Draft202012Validator(SCHEMA).validate(verdict.export.document)
    entrants = {one["bot"]: one for one in verdict.export.document["entrants"]}
    assert entrants[FAILING]["qualifying"] == "failed"
    assert entrants["bot-001"]["qualifying"] == "passed"


@pytest.mark.parametrize("point", ["after append", "before creation"])
async def test_a_qualifying_match_is_made_once_wherever_a_process_dies(
    fresh: Fresh, point: str
) -> None:
    async with fresh() as world:
        cup = await called(world, 2)
        cup.fate.at = point, cup.fate.seen[point]
        await qualify(cup)
        await started(cup)
        live = await cup.run()
        await cup.check()

        assert cup.fate.deaths == {point: 1}
        assert live.ledger.order == ("bot-001", "bot-002")


def test_where_tables_share_boards_qualifying_matches_have_their_own() -> None:
    rules = {"name": "b", "boards": 2, "next_dealer": "board_parity"}
    shared = {"boards": "common", "trust": "closed", "match": {"ruleset": rules}}
    tournament = called_to({"format": "round_robin"}, **shared)
    orders = {one.bots[0]: one for one in tournament.plan().orders}
    for bot in orders:
        plays(tournament, bot)
    seeded(tournament)
    ask(tournament, Advance(to=Lifecycle.RUNNING))
    planned = tournament.plan()

    assert len({one.deal for one in orders.values()}) == len(orders) == 3
    assert {one.match.ruleset.boards for one in orders.values()} == {2}
    assert not [key for key in closed_fixtures(planned) if is_qualifying(key[0])]
    assert closed_fixtures(planned)


async def test_a_house_bot_that_is_not_there_is_refused_by_the_field(
    world: World,
) -> None:
    cup = Cup(world=world)
    await cup.process()
    await world.gate.create_owner(world.host, "house")
    await world.gate.create_bot(world.host, "house.simple", "house", house=True)
    await world.gate.create_bot(world.host, "house.careful", "house", house=False)
    with pytest.raises(RefusedError) as refused:
        await cup.declare(SINGLE, entry=ENTRY)
    await cup.declare(SINGLE)
    document = {
        "name": "cup",
        "entry": ENTRY,
        "stages": [{"name": "main", **SINGLE}],
    }
    with pytest.raises(RefusedError) as changed:
        await cup.one.desk.configure(world.host, "cup", document, cup.asking())

    for error in (refused.value, changed.value):
        assert error.reason == "CONFIGURATION_INVALID"
        assert error.facts["field"] == "entry.qualifying.house"
        assert "one of simple expected" in str(error)
