"""Bugs that are made on purpose, one for each promise, and found by the simulation.

Most of them are in what a store or a use case does for others, not in how it does it,
so that they can be planted whatever the code looks like inside.
"""

import asyncio
import copy
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Final

import pytest
from tests.simulation.remote_store import RemoteStore

from ginref.adapters.memory_store import MemoryStore
from ginref.app import judge, reporting
from ginref.app.announcer import Announcer
from ginref.app.caller import Caller
from ginref.app.hub import Hub
from ginref.app.keeper import Draft, Keeper, Stored
from ginref.app.live_match import LiveMatch
from ginref.app.match_store import (
    EVERYTHING,
    Applied,
    ApplyResult,
    Change,
    EntryId,
    Stale,
    SubmissionKey,
    Wake,
)
from ginref.app.session import Session
from ginref.app.watch import Watcher, WatchStep
from ginref.engine.match import Match
from ginref.engine.seat import Seat
from ginref.engine.view import SeatView, view_for
from ginref.record.document import build_record
from ginref.record.entry import StampedEntry
from ginref.record.heartbeat import Heartbeat
from ginref.record.lifecycle import step
from ginref.record.setup import Setup
from ginref.record.submission import Submission

Plant = Callable[[pytest.MonkeyPatch], None]
Apply = Callable[[MemoryStore, Change], Awaitable[ApplyResult]]

PLANTS: Final[dict[str, tuple[int, Plant]]] = {}
"""Each bug by its name, and the seeds within which it must be found, from 1 on."""


def within(seeds: int) -> Callable[[Plant], Plant]:
    """Expect a bug to be found within some seeds."""

    def plant(bug: Plant) -> Plant:
        PLANTS[bug.__name__] = (seeds, bug)
        return bug

    return plant


def _storing(patch: pytest.MonkeyPatch, other: Callable[[Change], Change]) -> None:
    """Let the store judge and write other changes than those that are asked for."""
    apply = MemoryStore.apply

    async def apply_other(self: MemoryStore, change: Change) -> ApplyResult:
        return await apply(self, other(change))

    patch.setattr(MemoryStore, "apply", apply_other)


# --- the store ---------------------------------------------------------------------


@within(20)
def no_look_for_earlier_submissions(patch: pytest.MonkeyPatch) -> None:
    _storing(patch, lambda change: replace(change, key=None))


@within(300)
def no_look_for_earlier_refusals(patch: pytest.MonkeyPatch) -> None:
    def keyless(change: Change) -> Change:
        return replace(change, key=None) if change.refusal else change

    _storing(patch, keyless)


@within(20)
def submissions_of_all_seats_under_one_key(patch: pytest.MonkeyPatch) -> None:
    digest = Submission.digest.fget  # type: ignore[attr-defined] # it is a property

    def of_no_seat(self: Submission) -> bytes:
        found: bytes = digest(replace(self, seat=Seat.NORTH))
        return found

    patch.setattr(Submission, "digest", property(of_no_seat))


@within(20)
def timeouts_without_a_look_at_the_clock(patch: pytest.MonkeyPatch) -> None:
    async def due(self: MemoryStore, limit: int) -> Sequence[str]:
        page = await self.list_matches(bot=None, limit=limit, cursor=None)
        return page.match_ids

    def at_any_time(change: Change) -> Change:
        judge_time = change.judge_time and not change.due_only
        return replace(change, due_only=False, judge_time=judge_time)

    patch.setattr(MemoryStore, "due", due)
    _storing(patch, at_any_time)


@within(400)
def moves_after_the_deadline(patch: pytest.MonkeyPatch) -> None:
    _storing(patch, lambda change: replace(change, judge_time=False))


@within(300)
def no_comparison_of_versions(patch: pytest.MonkeyPatch) -> None:
    apply = MemoryStore.apply

    async def apply_to_any(self: MemoryStore, change: Change) -> ApplyResult:
        result = await apply(self, change)
        if not isinstance(result, Stale):
            return result
        there = replace(
            change,
            expected_version=result.version,
            expected_refusals=result.refusals,
        )
        return await apply(self, there)

    patch.setattr(MemoryStore, "apply", apply_to_any)


@within(60)
def moves_acknowledged_and_then_lost(patch: pytest.MonkeyPatch) -> None:
    apply, count = MemoryStore.apply, iter(range(1_000_000))

    async def apply_and_forget(self: MemoryStore, change: Change) -> ApplyResult:
        matches = self._matches
        before = copy.deepcopy(matches.get(change.match_id))
        result = await apply(self, change)
        moved = isinstance(result, Applied) and change.key and not change.ending
        if moved and before and next(count) % 40 == 0:
            matches[change.match_id] = before
        return result

    patch.setattr(MemoryStore, "apply", apply_and_forget)


@within(400)
def outages_charged_to_the_seat_to_act(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Heartbeat, "credit_ms", lambda *_: 0)


@within(20)
def credits_without_an_outage(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Heartbeat, "credit_ms", lambda *_: 40)


@within(20)
def match_ids_that_differ_by_referee(patch: pytest.MonkeyPatch) -> None:
    count = iter(range(1_000_000))

    async def identity_key(_: RemoteStore) -> bytes:
        return next(count).to_bytes(32, "big")

    patch.setattr(RemoteStore, "identity_key", identity_key)


# --- moves -------------------------------------------------------------------------


@within(20)
def answers_before_the_move_is_stored(patch: pytest.MonkeyPatch) -> None:
    commit = Keeper.commit
    under_way: set[asyncio.Task[Stored | ApplyResult]] = set()

    async def answer_first(
        self: Keeper, draft: Draft, then: Callable[[Stored], None]
    ) -> Stored | ApplyResult:
        live = draft.live
        state = draft.state or step(live.state, draft.entry)
        under_way.add(asyncio.create_task(commit(self, draft, then)))
        logged = StampedEntry(
            version=state.version,
            refusal=state.refusals,
            time_ms=live.now_ms,
            entry=draft.entry,
        )
        after = replace(live, state=state, tail=(*live.tail, logged))
        return Stored(live, after, logged)

    patch.setattr(Keeper, "commit", answer_first)


@within(60)
def retries_answered_from_what_is_now(patch: pytest.MonkeyPatch) -> None:
    replay = Keeper.replay

    async def with_clocks_of_now(
        self: Keeper, match_id: str, upto: EntryId | None = None
    ) -> LiveMatch:
        then, now = await replay(self, match_id, upto), await self.load(match_id)
        return replace(then, clock=now.clock)

    patch.setattr(Keeper, "replay", with_clocks_of_now)


@within(20)
def any_hint_will_do(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(judge, "_is_turn", lambda *_: True)


@within(20)
def hints_instead_of_the_store(patch: pytest.MonkeyPatch) -> None:
    load = Keeper.load

    async def load_once(
        self: Keeper, match_id: str, key: SubmissionKey | None = None
    ) -> LiveMatch:
        return self.hint(match_id) or await load(self, match_id, key)

    patch.setattr(Keeper, "load", load_once)


@within(60)
def the_rules_before_the_clock_and_the_version(patch: pytest.MonkeyPatch) -> None:
    async def refuse_nothing(*_: object) -> None:
        """Leave it to the rules."""

    patch.setattr(judge.Judge, "_objection", refuse_nothing)


@within(200)
def late_without_a_look_at_the_credit(patch: pytest.MonkeyPatch) -> None:
    async def take_for_late(*_: object) -> bool:
        return True

    patch.setattr(judge.Judge, "time_out", take_for_late)


# --- what bots and spectators are told ----------------------------------------------


@within(300)
def no_turn_after_a_refused_move(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Announcer, "owe_turn", lambda *_: None)


@within(300)
def no_fence_around_older_attachments(patch: pytest.MonkeyPatch) -> None:
    async def never(_: Session) -> bool:
        return False

    patch.setattr(Session, "_is_fenced", never)


@within(600)
def no_look_around_after_a_gap(patch: pytest.MonkeyPatch) -> None:
    notify = Hub.notify

    def pass_on(self: Hub, wake: Wake) -> None:
        if wake != EVERYTHING:
            notify(self, wake)

    patch.setattr(Hub, "notify", pass_on)


@within(60)
def spectators_told_of_the_latest_step_alone(patch: pytest.MonkeyPatch) -> None:
    watch = Watcher.watch

    async def shorten(
        self: Watcher, caller: Caller, match_id: str, cursor: str
    ) -> AsyncGenerator[WatchStep, None]:
        async with aclosing(watch(self, caller, match_id, cursor)) as steps:
            async for one in steps:
                yield replace(one, events=one.events[-1:])

    patch.setattr(Watcher, "watch", shorten)


@within(10)
def the_next_card_of_the_stock_in_a_view(patch: pytest.MonkeyPatch) -> None:
    def peek(match: Match, seat: Seat) -> SeatView:
        hidden = match.round.deck[match.round.drawn]
        return replace(view_for(match, seat), first_upcard=hidden)

    patch.setattr(reporting, "view_for", peek)


# --- records -----------------------------------------------------------------------


@within(60)
def records_acknowledged_before_they_are_kept(patch: pytest.MonkeyPatch) -> None:
    finished = MemoryStore.finished

    async def take_off(self: MemoryStore, limit: int) -> Sequence[str]:
        found = await finished(self, limit)
        for match_id in found:
            await self.acknowledge(match_id)
        return found

    patch.setattr(MemoryStore, "finished", take_off)


@within(20)
def records_that_differ_by_signer(patch: pytest.MonkeyPatch) -> None:
    count = iter(range(1_000_000))

    def build(setup: Setup, log: Sequence[StampedEntry]) -> bytes:
        return build_record(setup, log) + b" " * (next(count) % 2)

    patch.setattr("ginref.app.signing.build_record", build)
