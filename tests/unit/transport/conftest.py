import random
from collections.abc import Callable
from functools import lru_cache
from itertools import accumulate

import pytest

from ginref.app.keeper import LiveMatch
from ginref.app.report import PublicEvent, SeatReport
from ginref.app.reporting import clock_facts, match_facts
from ginref.engine.seat import Seat
from ginref.engine.view import view_for
from ginref.record.clock import StoredClock
from ginref.record.entry import StampedEntry
from ginref.record.lifecycle import MatchState, begin, step
from ginref.record.setup import Setup

CREATED_MS = 1_790_000_000_000
NOW_MS = 1_790_000_123_456


@pytest.fixture(scope="session")
def live_at(
    play_match: Callable[..., tuple[Setup, tuple[StampedEntry, ...]]],
) -> Callable[..., LiveMatch]:
    """A match as the referee knows it after so many entries of its log."""

    @lru_cache
    def states(number: int, setup: Setup | None) -> tuple[MatchState, ...]:
        setup, log = play_match(number, setup=setup)
        return tuple(
            accumulate((logged.entry for logged in log[1:]), step, initial=begin(setup))
        )

    def build(number: int, entries: int, setup: Setup | None = None) -> LiveMatch:
        known = states(number, setup)
        state = known[min(entries, len(known)) - 1]
        chance = random.Random(number)
        clock = StoredClock(
            to_act=None if state.to_act is None else int(state.to_act),
            started_ms=NOW_MS - 100,
            deadline_ms=NOW_MS + 1234,
            banks_ms=(chance.randrange(10_000), chance.randrange(10_000)),
            elapsed_ms=chance.randrange(500),
        )
        return LiveMatch(state=state, clock=clock, created_ms=CREATED_MS, now_ms=NOW_MS)

    return build


@pytest.fixture(scope="session")
def report_for() -> Callable[..., SeatReport]:
    """What a seat is told of a match."""

    def build(
        live: LiveMatch, seat: Seat, events: tuple[PublicEvent, ...] = ()
    ) -> SeatReport:
        assert live.state.match is not None
        return SeatReport(
            facts=match_facts(live),
            view=view_for(live.state.match, seat),
            clock=clock_facts(live),
            events=events,
        )

    return build
