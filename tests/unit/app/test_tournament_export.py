"""Exports that many ask for."""

import asyncio
import threading
from typing import Any

import pytest
from tests.unit.app.cup import Cup
from tests.unit.app.world import World

from ginref.app import tournament_export
from ginref.app.caller import Caller, Role
from ginref.app.error import Reason, RefusedError
from ginref.record.envelope import parse_envelope
from ginref.tournament.export import build_export, parse_export
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


async def test_an_export_is_made_to_its_end_whoever_has_lost_patience(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = Cup(world=world)
    await cup.process()
    await cup.declare({"format": "single_elimination"})
    desk = cup.one.desk
    calls = 0
    may_end = threading.Event()

    def slowly(*given: Any) -> bytes:  # noqa: ANN401
        nonlocal calls
        calls += 1
        assert may_end.wait(60)
        return build_export(*given)

    monkeypatch.setattr(tournament_export, "build_export", slowly)
    for _ in range(3):
        asking = asyncio.create_task(desk.export(SPECTATOR, "cup"))
        await asyncio.sleep(0.01)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
    may_end.set()
    parse_export(parse_envelope(await desk.export(SPECTATOR, "cup")).payload)
    assert calls == 1


async def test_no_more_exports_are_made_at_once_than_are_kept(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_end = threading.Event()

    def slowly(*_: Any) -> bytes:  # noqa: ANN401
        assert may_end.wait(60)
        return b"{}"

    monkeypatch.setattr(tournament_export, "build_export", slowly)
    monkeypatch.setattr(tournament_export, "head", lambda entries: entries[0])
    exporter = tournament_export.Exporter(lambda: world.signer)
    configuration: Any = None
    waiting = [
        asyncio.create_task(exporter.export(configuration, [name]))  # type: ignore[list-item]
        for name in "abcd"
    ]
    await asyncio.sleep(0.01)
    with pytest.raises(RefusedError) as refused:
        await exporter.export(configuration, ["e"])  # type: ignore[list-item]
    assert refused.value.reason is Reason.LIMIT_EXCEEDED
    may_end.set()
    await asyncio.gather(*waiting)
    await exporter.export(configuration, ["e"])  # type: ignore[list-item]
