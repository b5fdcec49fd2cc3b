"""Matches that a referee finds in its store, as if others had brought them so far."""

from dataclasses import replace
from functools import lru_cache
from typing import Any

from tests.leaks.script import Script
from tests.leaks.world import SEATED, World

from ginref.app.match_store import Creation, EntryId, StoredEntry
from ginref.engine.match import apply
from ginref.record.clock import ClockPolicy
from ginref.record.entry import Accepted, Created, Entry, Moved, encode_entry
from ginref.record.lifecycle import MatchState, begin, step
from ginref.record.setup import DealSource, Setup


async def find(world: World, script: Script, clock: ClockPolicy) -> tuple[str, int]:
    """Put the match of a script into the store, right after its silent moves.

    Returns:
        Its id and its version.
    """
    packer, setup = world.tools.keeper.packer, _set_up(script, clock)
    match_id, state = setup.match_id, _state(script, setup)
    packed = packer.pack_state(state)
    creation = Creation(
        match_id=match_id,
        request_hash=bytes(8),
        setup=packer.pack_setup(setup),
        state=packed,
        entry=packer.pack_entry(match_id, EntryId(1), Created()),
        clock=clock,
        seat_count=len(setup.bots),
        bots=setup.bots,
    )
    await world.store.create(creation)
    # Nobody has been told of it by now: that takes a turn of the event loop.
    held: Any = world.store._matches[match_id]  # noqa: SLF001 - the store of this test
    held.log += [
        StoredEntry(id=EntryId(number), time_ms=held.created_ms, entry=entry)
        for number, entry in enumerate(_entries(script), start=2)
    ]
    assert state.to_act is not None
    held.clock = replace(
        held.clock,
        to_act=int(state.to_act),
        deadline_ms=held.created_ms + clock.cap_ms,
    )
    held.version, held.due_ms = state.version, held.clock.deadline_ms
    await world.settle()
    return match_id, state.version


def _state(script: Script, setup: Setup) -> MatchState:
    """Return the state after the silent moves, as steps one by one would leave it."""
    state = begin(setup)
    for seat in script.seats:
        state = step(state, Accepted(seat))
    game, version = state.match, state.version
    assert game is not None
    last_moved = [*state.last_moved]
    for play in script.silent:
        game = apply(game, play.seat, play.move, state.deck_for)
        version += 1
        last_moved[play.seat] = version
    return replace(state, version=version, match=game, last_moved=tuple(last_moved))


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
def _entries(script: Script) -> tuple[bytes, ...]:
    """Return what is in the log, which is the same in every world."""
    entries: list[Entry] = [Accepted(seat) for seat in script.seats]
    entries += [
        Moved(play.seat, f"silent {number}", play.move, 0)
        for number, play in enumerate(script.silent)
    ]
    return tuple(map(encode_entry, entries))
