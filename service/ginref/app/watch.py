"""Following one match: its state now, then every change, until it is over."""

from collections import OrderedDict
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Final

from ginref.app.caller import Caller
from ginref.app.embargo import Embargo
from ginref.app.error import Reason, RefusedError
from ginref.app.hub import Hub
from ginref.app.keeper import Keeper
from ginref.app.live_match import LiveMatch, place_of
from ginref.app.match_store import EntryId
from ginref.app.port import Observer
from ginref.app.reach import load_reached
from ginref.app.report import MatchFacts, PublicEvent, PublicReport, SeatReport
from ginref.app.reporting import (
    load_seat_report,
    match_facts,
    public_events,
    public_report,
    seats_of,
    step_before,
)
from ginref.app.shared_read import SharedReads
from ginref.engine.seat import Seat

_SHARED: Final = 256
"""Matches whose latest step is kept for all who watch."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WatchStep:
    """A match at one moment, and what happened since the step before.

    Whoever holds no seat is told the same one, so that it need be written only once.

    Attributes:
        cursor: Where to go on after this step.
        facts: The match.
        events: What happened, oldest first.
        public: What anyone may know.
        turns: Views of the caller's seats that are to act.
    """

    cursor: str
    facts: MatchFacts
    events: tuple[PublicEvent, ...]
    public: PublicReport
    turns: tuple[SeatReport, ...]


class Watcher:
    """Follows matches for callers."""

    def __init__(
        self,
        keeper: Keeper,
        hub: Hub,
        observer: Observer,
        embargo: Embargo | None = None,
    ) -> None:
        """Read from the keeper whenever the hub wakes a follower.

        Nothing is said of boards under an embargo.
        """
        self._embargo = embargo
        self._keeper = keeper
        self._hub = hub
        self._observer = observer
        self._reads = SharedReads(keeper, hub)
        # What the latest step follows from, and the step, by match.
        self._latest: OrderedDict[str, tuple[object, WatchStep]] = OrderedDict()

    async def watch(
        self, caller: Caller, match_id: str, cursor: str
    ) -> AsyncGenerator[WatchStep, None]:
        """Yield the match now, then each change; end when it is over.

        Raises:
            RefusedError: MATCH_NOT_FOUND, MATCH_EXPIRED, SEAT_NOT_YOURS,
                BOARD_CLOSED, or FIELD_INVALID for a cursor that is not one;
                REFEREE_DRAINING when this replica is about to stop: the last cursor
                goes on elsewhere.
        """
        place, credit_ms = _read_cursor(cursor), 0
        self._observer.watching(1)
        try:
            with self._hub.subscribe() as subscription:
                subscription.follow(match_id)
                live = await load_reached(self._keeper, caller, match_id)
                if self._embargo is not None:
                    await self._embargo.check(caller, live.state.setup)
                if place is not None and place_of(live) < place:
                    raise _bad_cursor()
                while True:
                    here = place_of(live)
                    if place is not None and here < place:
                        # The store has lost steps: the match goes on from here.
                        place = None
                    credited = live.clock.credit_ms > credit_ms
                    if place is None or here > place or credited:
                        after = here if place is None else place
                        yield await self._step(caller, live, after)
                        place, credit_ms = here, live.clock.credit_ms
                    if live.state.ending:
                        return
                    changes = await subscription.changes()
                    if not changes:
                        message = "this replica is about to stop"
                        raise RefusedError(Reason.REFEREE_DRAINING, message)
                    # After a gap no place says how far the match has come.
                    newest = changes[0].place
                    if newest is None or any(wake.place is None for wake in changes):
                        live = await self._reads.read(match_id, subscription)
                    else:
                        live = await self._keeper.latest(match_id, newest)
        finally:
            self._observer.watching(-1)

    async def _step(self, caller: Caller, live: LiveMatch, after: EntryId) -> WatchStep:
        if seats := seats_of(live, caller):
            return await self._make(live, after, seats)
        match_id = live.state.setup.match_id
        source = after, place_of(live), live.clock, live.now_ms
        known = self._latest.get(match_id)
        if known and known[0] == source:
            return known[1]
        step = await self._make(live, after)
        self._latest[match_id] = source, step
        self._latest.move_to_end(match_id)
        if len(self._latest) > _SHARED:
            self._latest.popitem(last=False)
        return step

    async def _make(
        self, live: LiveMatch, after: EntryId, seats: Sequence[Seat] = ()
    ) -> WatchStep:
        here, state = place_of(live), live.state
        turns = [
            await load_seat_report(self._keeper, live, seat)
            for seat in seats
            if seat is state.to_act
        ]
        live = await self._keeper.reach(live, step_before(after))
        return WatchStep(
            cursor=f"{here.version}-{here.refusal}",
            facts=match_facts(live),
            events=public_events(live, after),
            public=public_report(live),
            turns=tuple(report for report in turns if report is not None),
        )


def _read_cursor(cursor: str) -> EntryId | None:
    if not cursor:
        return None
    version, dash, refusal = cursor.partition("-")
    digits = cursor.isascii() and version.isdigit() and refusal.isdigit()
    if not dash or not digits or len(cursor) > len("2147483647-65535"):
        raise _bad_cursor()
    return EntryId(int(version), int(refusal))


def _bad_cursor() -> RefusedError:
    message = "the cursor was not made by this referee"
    return RefusedError(Reason.FIELD_INVALID, message, field="cursor")
