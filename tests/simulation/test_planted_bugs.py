"""The simulation finds bugs: here are some that were made on purpose."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from tests.simulation.run import simulate

from ginref.adapters import memory_store
from ginref.adapters.memory_store import MemoryStore
from ginref.app import judge, reporting
from ginref.app.announcer import Announcer
from ginref.app.caller import Caller
from ginref.app.hub import Hub
from ginref.app.keeper import Draft, Keeper, LiveMatch, Stored
from ginref.app.match_store import (
    EVERYTHING,
    ApplyResult,
    Change,
    EntryId,
    Refusal,
    Stale,
    Wake,
)
from ginref.app.session import Session
from ginref.app.signing import Signing
from ginref.app.watch import Watcher, WatchStep
from ginref.engine.match import Match
from ginref.engine.seat import Seat
from ginref.engine.view import SeatView, view_for
from ginref.record.document import build_record
from ginref.record.entry import StampedEntry
from ginref.record.heartbeat import Heartbeat
from ginref.record.lifecycle import MatchState
from ginref.record.setup import Setup

Plant = Callable[[pytest.MonkeyPatch], None]
Judgement = Refusal | Stale | None

PLANTS: dict[str, tuple[int, Plant]] = {}


def within(seeds: int) -> Callable[[Plant], Plant]:
    """Expect a bug to be found within some seeds, from 1 on."""

    def plant(bug: Plant) -> Plant:
        PLANTS[bug.__name__] = (seeds, bug)
        return bug

    return plant


def judging(change_of: Callable[[Change], Change]) -> Callable[..., Judgement]:
    """Return the store's judgement of other changes than those that are asked for."""
    judged = memory_store._objection  # noqa: SLF001 - where the store judges

    def judge_other(held: object, change: Change, *times: int) -> Judgement:
        verdict: Judgement = judged(held, change_of(change), *times)  # type: ignore[arg-type]
        return verdict

    return judge_other


# --- the store ---------------------------------------------------------------------


@within(10)
def no_look_for_earlier_submissions(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(memory_store._Match, "seen", lambda *_: None)  # noqa: SLF001


@within(60)
def no_look_for_earlier_refusals(patch: pytest.MonkeyPatch) -> None:
    seen = memory_store._Match.seen  # noqa: SLF001

    def moves_alone(self: object, key: object) -> object:
        found = seen(self, key)  # type: ignore[arg-type]
        return None if found and found.entry_id.refusal else found

    patch.setattr(memory_store._Match, "seen", moves_alone)  # noqa: SLF001


@within(10)
def timeouts_without_a_look_at_the_clock(patch: pytest.MonkeyPatch) -> None:
    async def due(self: MemoryStore, limit: int) -> Sequence[str]:
        matches = self._matches.items()
        return [one for one, held in matches if held.ended_ms is None][:limit]

    def at_any_time(change: Change) -> Change:
        judge_time = change.judge_time and not change.due_only
        return replace(change, due_only=False, judge_time=judge_time)

    patch.setattr(MemoryStore, "due", due)
    patch.setattr(memory_store, "_objection", judging(at_any_time))


@within(60)
def moves_after_the_deadline(patch: pytest.MonkeyPatch) -> None:
    def at_any_time(change: Change) -> Change:
        return replace(change, judge_time=False)

    patch.setattr(memory_store, "_objection", judging(at_any_time))


@within(30)
def no_comparison_of_versions(patch: pytest.MonkeyPatch) -> None:
    judged = judging(lambda change: change)

    def never_stale(*asked: object) -> Judgement:
        verdict = judged(*asked)
        return None if isinstance(verdict, Stale) else verdict

    patch.setattr(memory_store, "_objection", never_stale)


@within(60)
def outages_charged_to_the_seat_to_act(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Heartbeat, "credit_ms", lambda *_: 0)


# --- moves -------------------------------------------------------------------------


@within(10)
def answers_before_the_move_is_stored(patch: pytest.MonkeyPatch) -> None:
    store_step = Keeper._store_step  # noqa: SLF001
    under_way: set[asyncio.Task[Stored | ApplyResult]] = set()

    async def answer_first(
        self: Keeper,
        draft: Draft,
        state: MatchState,
        then: Callable[[Stored], None],
    ) -> Stored:
        under_way.add(asyncio.create_task(store_step(self, draft, state, then)))
        live = draft.live
        logged = StampedEntry(
            version=state.version,
            refusal=state.refusals,
            time_ms=live.now_ms,
            entry=draft.entry,
        )
        after = replace(live, state=state, tail=(*live.tail, logged))
        return Stored(live, after, logged)

    patch.setattr(Keeper, "_store_step", answer_first)


@within(30)
def any_hint_will_do(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(judge, "_is_turn", lambda *_: True)


@within(10)
def the_rules_before_the_clock_and_the_version(patch: pytest.MonkeyPatch) -> None:
    async def refuse_nothing(*_: object) -> None:
        """Leave it to the rules."""

    patch.setattr(judge.Judge, "_refuse_unless_turn", refuse_nothing)


# --- what bots and spectators are told ----------------------------------------------


@within(120)
def no_turn_after_a_refused_move(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Announcer, "owe_turn", lambda *_: None)


@within(60)
def no_fence_around_older_attachments(patch: pytest.MonkeyPatch) -> None:
    async def never(_: Session) -> bool:
        return False

    patch.setattr(Session, "_is_fenced", never)


@within(200)
def no_look_around_after_a_gap(patch: pytest.MonkeyPatch) -> None:
    notify = Hub.notify

    def pass_on(self: Hub, wake: Wake) -> None:
        if wake != EVERYTHING:
            notify(self, wake)

    patch.setattr(Hub, "notify", pass_on)


@within(30)
def spectators_told_of_the_latest_step_alone(patch: pytest.MonkeyPatch) -> None:
    make = Watcher._step  # noqa: SLF001

    async def shorten(
        self: Watcher, caller: Caller, live: LiveMatch, after: EntryId
    ) -> WatchStep:
        step = await make(self, caller, live, after)
        return replace(step, events=step.events[-1:])

    patch.setattr(Watcher, "_step", shorten)


@within(10)
def the_next_card_of_the_stock_in_a_view(patch: pytest.MonkeyPatch) -> None:
    def peek(match: Match, seat: Seat) -> SeatView:
        hidden = match.round.deck[match.round.drawn]
        return replace(view_for(match, seat), first_upcard=hidden)

    patch.setattr(reporting, "view_for", peek)


# --- records -----------------------------------------------------------------------


@within(60)
def records_acknowledged_before_they_are_kept(patch: pytest.MonkeyPatch) -> None:
    sign = Signing._sign  # noqa: SLF001

    async def acknowledge_first(self: Signing, match_id: str) -> None:
        await self._tools.store.acknowledge(match_id)
        await sign(self, match_id)

    patch.setattr(Signing, "_sign", acknowledge_first)


@within(10)
def records_that_differ_by_signer(patch: pytest.MonkeyPatch) -> None:
    count = iter(range(1_000_000))

    def build(setup: Setup, log: Sequence[StampedEntry]) -> bytes:
        return build_record(setup, log) + b" " * (next(count) % 2)

    patch.setattr("ginref.app.signing.build_record", build)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("bug", PLANTS)
def test_a_planted_bug_is_found(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seeds, plant = PLANTS[bug]
    plant(monkeypatch)

    assert any(simulate(seed).problems for seed in range(1, seeds + 1))
