"""Following one match: its state now, then every change, until it is over."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass

from ginref.app.caller import Caller
from ginref.app.desk import check_reach
from ginref.app.error import Reason, RefusedError
from ginref.app.hub import Hub
from ginref.app.keeper import Keeper, LiveMatch, place_of
from ginref.app.match_store import EntryId
from ginref.app.port import Observer
from ginref.app.report import MatchFacts, PublicEvent, PublicReport, SeatReport
from ginref.app.reporting import (
    match_facts,
    public_events,
    public_report,
    seat_report,
    seats_of,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchStep:
    """A match at one moment, and what happened since the step before.

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

    def __init__(self, keeper: Keeper, hub: Hub, observer: Observer) -> None:
        """Read from the keeper whenever the hub wakes a follower."""
        self._keeper = keeper
        self._hub = hub
        self._observer = observer

    async def watch(
        self, caller: Caller, match_id: str, cursor: str
    ) -> AsyncGenerator[WatchStep, None]:
        """Yield the match now, then each change; end when it is over.

        Raises:
            RefusedError: MATCH_NOT_FOUND, SEAT_NOT_YOURS, or FIELD_INVALID for a
                cursor that is not one; REFEREE_DRAINING when this replica is about
                to stop: the last cursor goes on elsewhere.
        """
        check_reach(caller, match_id)
        place, credit_ms = _read_cursor(cursor), 0
        self._observer.watching(1)
        try:
            with self._hub.subscribe() as subscription:
                subscription.follow(match_id)
                live = await self._keeper.load(match_id)
                while True:
                    here = place_of(live)
                    if place is not None and here < place:
                        raise _bad_cursor()
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
                    gap = any(wake.place is None for wake in changes)
                    newest = None if gap else changes[0].place
                    live = await self._keeper.latest(match_id, newest)
        finally:
            self._observer.watching(-1)

    async def _step(self, caller: Caller, live: LiveMatch, after: EntryId) -> WatchStep:
        here, state = place_of(live), live.state
        turns = [
            await seat_report(self._keeper, live, seat)
            for seat in seats_of(live, caller)
            if seat is state.to_act
        ]
        return WatchStep(
            cursor=f"{here.version}-{here.refusal}",
            facts=match_facts(live),
            events=await public_events(self._keeper, live, after),
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
