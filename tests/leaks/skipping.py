"""Matches that a referee finds in its store, as if others had brought them so far."""

from dataclasses import replace
from functools import lru_cache
from typing import Any

from tests.leaks.script import Script
from tests.leaks.world import SEATED, World

from ginref.app.match_store import Creation, EntryId, StoredEntry
from ginref.record.clock import ClockPolicy
from ginref.record.entry import Accepted, Created, Entry, Moved
from ginref.record.lifecycle import begin, step
from ginref.record.setup import DealSource, Setup


async def find(world: World, script: Script, clock: ClockPolicy) -> tuple[str, int]:
    """Put the match of a script into the store, right after its silent moves.

    Returns:
        Its id and its version.
    """
    packer, setup = world.tools.keeper.packer, _set_up(script, clock)
    match_id, state = setup.match_id, begin(setup)
    creation = Creation(
        match_id=match_id,
        request_hash=bytes(8),
        setup=packer.pack_setup(setup),
        state=packer.pack_state(state),
        entry=packer.pack_entry(match_id, EntryId(1), Created()),
        clock=clock,
        seat_count=len(setup.bots),
        bots=setup.bots,
    )
    await world.store.create(creation)
    # Nobody has been told of it by now: that takes a turn of the event loop.
    held: Any = world.store._matches[match_id]  # noqa: SLF001 - the store of this test
    for entry in _entries(script):
        state = step(state, entry)
        place = EntryId(state.version)
        written = packer.pack_entry(match_id, place, entry)
        held.log.append(StoredEntry(id=place, time_ms=held.created_ms, entry=written))
    assert state.to_act is not None
    held.clock = replace(
        held.clock,
        to_act=int(state.to_act),
        deadline_ms=held.created_ms + clock.cap_ms,
    )
    held.version, held.state = state.version, packer.pack_state(state)
    held.due_ms = held.clock.deadline_ms
    await world.settle()
    return match_id, state.version


def _set_up(script: Script, clock: ClockPolicy) -> Setup:
    return Setup(
        match_id=f"found{script.number}",
        ruleset=script.rules,
        clock=clock,
        strikes_allowed=script.strikes_allowed,
        bots=SEATED[: len(script.seats)],
        deal_source=DealSource.SEEDED,
        referee_share=bytes(32),
        seed=f"seed {script.number}",
        commitment=bytes(32),
        signature=bytes(64),
        key_id="k" * 43,
        creator="another referee",
        durability="memory",
        engine="0",
    )


@lru_cache(64)
def _entries(script: Script) -> tuple[Entry, ...]:
    moves = (
        Moved(play.seat, f"silent {number}", play.move, 0)
        for number, play in enumerate(script.silent)
    )
    return (*map(Accepted, script.seats), *moves)
