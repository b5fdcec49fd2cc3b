import json
from typing import Any

import pytest

from ginref.app.error import Reason, RefusedError
from ginref.app.report import MatchFacts
from ginref.engine.ruleset import THREE_HANDED, Ruleset, Table
from ginref.engine.seat import Seat
from ginref.record.envelope import parse_envelope
from ginref.record.lifecycle import Ending, EndingKind, Fault
from ginref.record.verify import Finding, verify_record

World = Any
"""The referee of `conftest`."""

BOTS = ("careful", "greedy", "careful")
EAST = Seat.EAST
TABLES = [
    pytest.param(THREE_HANDED, id="cutthroat"),
    pytest.param(THREE_HANDED.but(name="box", table=Table.BOX), id="box"),
]


async def start(world: World, rules: Ruleset = THREE_HANDED) -> MatchFacts:
    facts: MatchFacts = await world.start(bots=BOTS, ruleset=rules)
    return facts


@pytest.mark.parametrize("rules", TABLES)
async def test_a_match_of_three_leads_to_a_record_that_holds(
    world: World, rules: Ruleset
) -> None:
    facts = await start(world, rules)

    last = await world.play_out(facts)
    await world.one.signing.sign_finished()

    assert last.ending
    assert last.ending.kind is EndingKind.COMPLETED
    envelope = world.archive.records[facts.match_id]
    keys = {world.signer.key_id: world.signer.public_key}
    assert verify_record(envelope, keys).finding is Finding.VALID
    record = json.loads(parse_envelope(envelope).payload)
    assert {played["idle"] for played in record["rounds"]} <= {"north", "south", "east"}
    (game,) = record["sheet"]["games"]
    assert sum(game["settlement"]["balances"]) == 0
    assert game["settlement"]["totals"] == game["totals"]


async def test_a_seat_that_sits_out_is_told_so(world: World) -> None:
    facts = await start(world)
    public = (await world.desk.get_match(world.host, facts.match_id)).public

    assert public.view
    idle = public.view.idle
    assert idle is not None
    view = (await world.report(facts, idle)).view
    assert view.is_idle
    assert not view.hand
    assert len(view.opponents) == 2


async def test_a_seat_that_sits_out_may_not_move(world: World) -> None:
    facts = await start(world)
    turn = await world.turn(facts)
    idle = turn.view.idle
    assert idle is not None

    with pytest.raises(RefusedError) as refused:
        await world.submit(world.submission(turn, seat=idle), facts)

    assert refused.value.reason is Reason.NOT_YOUR_TURN


async def test_a_seat_that_sits_out_may_resign(world: World) -> None:
    facts = await start(world)
    idle = (await world.turn(facts)).view.idle
    assert idle is not None

    await world.desk.resign_match(world.player(facts, idle), facts.match_id, idle)

    over = (await world.desk.get_match(world.host, facts.match_id)).public.facts
    # The two that are left have no points yet, so neither is ahead.
    assert over.ending == Ending(EndingKind.RESIGNED, None, Fault.SEAT, (idle,))


async def test_of_three_seats_two_that_showed_up_have_no_winner(world: World) -> None:
    facts = await world.create(bots=BOTS, ruleset=THREE_HANDED)
    for seat, step in world.steps(facts)[:2]:
        await world.step(facts, seat, step)

    world.time.ms += 1_000_000
    await world.one.sweeper.sweep()

    over = (await world.desk.get_match(world.host, facts.match_id)).public.facts
    assert over.ending == Ending(EndingKind.NO_SHOW, None, Fault.SEAT, (EAST,))


async def test_two_bots_are_too_few_for_three_seats(world: World) -> None:
    with pytest.raises(RefusedError) as refused:
        await world.create(ruleset=THREE_HANDED)

    assert "3 bots expected" in str(refused.value)
