"""Ends matches that the referee itself has damaged: void, and by its own fault.

A match whose snapshot cannot be read goes on from its log. Where the log does not lead
there either, no move can be judged and no time be taken. Nobody guesses then, and
nothing is played again: once the deadline has been over for a while, during which
another process may have known better, the match is void. Its record holds what can
still be proved.
"""

import asyncio
import bisect
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ginref.app.judge import Judge
from ginref.app.keeper import Draft, Keeper, Stored
from ginref.app.live_match import LiveMatch, fold, id_of, place_of
from ginref.app.match_store import (
    Applied,
    Change,
    EntryId,
    MatchStore,
    StoredEntry,
    StoredMatch,
)
from ginref.app.packing import DamageError, Packer
from ginref.record.entry import Created, StampedEntry, Voided
from ginref.record.setup import Setup

_LOG: Final = logging.getLogger(__name__)

PATIENCE_MS: Final = 60_000
"""How long a deadline must be over before a match that cannot be read is void."""


class Salvage:
    """Saves what can be saved of damaged matches, and ends them."""

    def __init__(self, store: MatchStore, keeper: Keeper, judge: Judge) -> None:
        """Work on the keeper's matches; the judge takes the steps."""
        self._store = store
        self._keeper = keeper
        self._judge = judge

    async def give_up(self, match_id: str) -> bool:
        """End a match that has been due for long and could not be timed out.

        By its deadline if its log is sound, void if it is not.

        Returns:
            Whether this has ended it.
        """
        stored = await self._store.read(match_id)
        if stored is None or stored.over or _overdue_ms(stored) < PATIENCE_MS:
            return False
        self._keeper.forget(match_id)
        try:
            setup = self._keeper.packer.open_setup(match_id, stored.setup)
        except DamageError:
            return await self._void_unread(match_id, stored)
        log = await self._store.log(match_id)
        # Folding takes a while, and all other matches go on meanwhile.
        live = await asyncio.to_thread(
            _salvage, self._keeper.packer, setup, stored, log
        )
        place = EntryId(stored.version, stored.refusals)
        if place_of(live) == place:
            try:
                return await self._judge.time_out(live)
            except Exception:  # noqa: BLE001 - then it is void, too
                _LOG.exception("match %s ends neither way", match_id)
        lost = stored.version - live.state.version
        _LOG.error("match %s is void: %s versions are lost", match_id, lost)
        draft = Draft(
            live=live,
            entry=Voided(lost),
            judge_time=False,
            due_only=True,
            place=place,
        )
        result = await self._judge.take(draft)
        return isinstance(result, Stored)

    async def _void_unread(self, match_id: str, stored: StoredMatch) -> bool:
        """End a match of which not even the seats are known: it has no record."""
        _LOG.error("match %s is void: its setup cannot be read", match_id)
        entry = Voided(stored.version - 1)
        place = EntryId(stored.version + 1)
        result = await self._store.apply(
            Change(
                match_id=match_id,
                expected_version=stored.version,
                expected_refusals=stored.refusals,
                entry=self._keeper.packer.pack_entry(match_id, place, entry),
                ending=True,
                judge_time=False,
                due_only=True,
            )
        )
        return isinstance(result, Applied)


def _overdue_ms(stored: StoredMatch) -> int:
    return stored.now_ms - stored.clock.due_ms


def _salvage(
    packer: Packer, setup: Setup, stored: StoredMatch, log: Sequence[StoredEntry]
) -> LiveMatch:
    """Return the match as the longest sound beginning of its log leads to it.

    A version is sound with all of its refusals, or lost with them.
    """
    match_id, place = setup.match_id, EntryId(stored.version, stored.refusals)
    entries = [StampedEntry(1, 0, stored.created_ms, Created())]
    for stored_entry in log[1:]:
        if stored_entry.id > place:
            break
        try:
            entries.append(packer.open_entry(match_id, stored_entry))
        except DamageError:
            break
    lengths = range(2, len(entries) + 1)
    sound = bisect.bisect_left(
        lengths, 1, key=lambda length: _is_broken(setup, entries[:length])
    )
    kept = entries[: sound + 1]
    if id_of(kept[-1]) != place:
        following = log[len(kept)].id if len(kept) < len(log) else place
        kept = [one for one in kept if one.version < following.version]
    live = fold(setup, kept or entries[:1])
    return replace(live, clock=stored.clock, now_ms=stored.now_ms)


def _is_broken(setup: Setup, log: Sequence[StampedEntry]) -> bool:
    try:
        fold(setup, log)
    except Exception:  # noqa: BLE001 - whatever it is, this log cannot be played
        return True
    return False
