"""Exports that many ask for."""

import asyncio

from tests.unit.app.cup import Cup
from tests.unit.app.world import World

from ginref.app.caller import Caller, Role
from ginref.record.envelope import parse_envelope
from ginref.tournament.export import parse_export
from ginref.tournament.lifecycle import Lifecycle

SPECTATOR = Caller(token_id="t-eyes", role=Role.SPECTATOR)


async def test_an_export_is_made_once_and_anew_when_the_log_has_grown(
    world: World,
) -> None:
    cup = Cup(world=world)
    await cup.process()
    await cup.declare({"format": "single_elimination"})
    desk = cup.one.desk

    first, *others = await asyncio.gather(
        *(desk.export(SPECTATOR, "cup") for _ in range(8))
    )
    assert all(other is first for other in others)

    await cup.to(Lifecycle.REGISTRATION)
    grown = parse_export(parse_envelope(await desk.export(SPECTATOR, "cup")).payload)
    assert grown.entries == (await cup.now()).entries
