"""What a tournament does next: a pure function of its configuration and its log.

Whoever has the same log gets the same plan, so any number of referees may carry it out:
they append its events if nobody has appended others meanwhile, and create its matches,
each under an identity that follows from the fixture.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ginref.tournament.bracket_play import rank_bracket
from ginref.tournament.configuration import Boards, Configuration, MatchFormat
from ginref.tournament.event import Event, GroupRanking
from ginref.tournament.fixture import Fixture, FixtureState
from ginref.tournament.fold import fold
from ginref.tournament.ledger import Ledger
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.log import LogEntry
from ginref.tournament.next_step import next_events
from ginref.tournament.qualifying import (
    AT_ONCE,
    is_qualifying,
    is_qualifying_open,
    qualifier,
    qualifiers,
)
from ginref.tournament.roster import needs_seeds, with_place
from ginref.tournament.stage_view import StageView, view_stages
from ginref.tournament.table_rank import group_rankings


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchOrder:
    """A match that is to be created.

    Attributes:
        fixture: Its fixture.
        attempt: The fixture's attempt.
        game: Which match of the fixture, counted from 1.
        bots: Who plays, the seat that deals on odd boards first.
        match: How it is played.
        deal: Names its cards: matches with one name have the same decks.
    """

    fixture: str
    attempt: int
    game: int
    bots: tuple[str, str]
    match: MatchFormat
    deal: str

    @property
    def request_id(self) -> str:
        """Identity of the request to create it: the same for whoever asks."""
        return f"{self.fixture}/{self.attempt}/{self.game}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A tournament as it stands, and what comes next.

    Attributes:
        ledger: What the log adds up to.
        stages: All stages as far as they have come.
        to_seed: Who is to be seeded now: the draw needs lots. Empty if nobody.
        events: What is to be appended now; the next plan finds what comes then.
        orders: Matches that are to be created now.
        aborts: Matches that go on and are of no use any more.
    """

    ledger: Ledger
    stages: tuple[StageView, ...]
    to_seed: tuple[str, ...]
    events: tuple[Event, ...]
    orders: tuple[MatchOrder, ...]
    aborts: tuple[str, ...]

    def fixtures(self) -> Iterator[Fixture]:
        """Return all fixtures that are known, stage by stage."""
        return (fixture for view in self.stages for fixture in view.fixtures)

    def fixture(self, fixture_id: str) -> Fixture | None:
        """Return a fixture by its identity, if there is one."""
        return next(
            (one for one in self.fixtures() if one.fixture_id == fixture_id), None
        )

    def meeting(self, fixture_id: str) -> Fixture | None:
        """Return a fixture, also one of qualifying matches, if there is one."""
        return self.fixture(fixture_id) or qualifier(self.ledger, fixture_id)

    def allows(self, fixture_id: str, attempt: int, game: int) -> bool:
        """Say whether a match may be created, be it ordered now or a moment ago."""
        runs = self.ledger.lifecycle is Lifecycle.RUNNING
        open_ = _open_fixtures(self.stages) if runs else qualifiers(self.ledger)
        return any(
            (fixture.fixture_id, fixture.attempt, len(fixture.games) + 1)
            == (fixture_id, attempt, game)
            for fixture in open_
            if runs or fixture.state is FixtureState.READY
        )


def plan(
    configuration: Configuration, entries: Sequence[LogEntry], now_ms: int
) -> Plan:
    """Return how a tournament stands and what comes next.

    Args:
        configuration: What the organizer has declared.
        entries: The whole log.
        now_ms: Milliseconds since the Unix epoch by the store's clock.

    Raises:
        LogError: The log is none, or is about another configuration.
    """
    return plan_ledger(fold(configuration, entries), now_ms)


def plan_ledger(ledger: Ledger, now_ms: int) -> Plan:
    """Return how a tournament stands and what comes next, from its ledger."""
    stages = view_stages(ledger)
    events = tuple(next_events(ledger, stages, now_ms))
    runs, short = ledger.lifecycle is Lifecycle.RUNNING, tuple(qualifiers(ledger))
    return Plan(
        ledger=ledger,
        stages=stages,
        to_seed=tuple(one.bot for one in with_place(ledger))
        if needs_seeds(ledger) and not is_qualifying_open(ledger)
        else (),
        events=events,
        orders=tuple(_orders(ledger, stages) if runs else _qualifying(short)),
        aborts=tuple(_aborts(ledger, stages, short)),
    )


def _open_fixtures(stages: Sequence[StageView]) -> Iterator[Fixture]:
    """Yield the fixtures that wait for a match."""
    for view in stages:
        if view.closing is not None:
            continue
        for fixture in view.fixtures:
            waits = fixture.state in (FixtureState.READY, FixtureState.PLAYING)
            if waits and all(game.ended for game in fixture.games):
                yield fixture


def _orders(ledger: Ledger, stages: Sequence[StageView]) -> Iterator[MatchOrder]:
    """Yield matches to create, earlier rounds first, one at a time for each bot."""
    busy = {
        bot
        for view in stages
        for fixture in view.fixtures
        for bot in fixture.entrants
        if fixture.state is FixtureState.PLAYING
    }
    for fixture in sorted(_open_fixtures(stages), key=lambda one: one.round):
        a, b = fixture.entrants
        # A fixture that has begun goes on before its bots turn to another one.
        if a is None or b is None:
            continue
        if fixture.state is FixtureState.READY and not busy.isdisjoint((a, b)):
            continue
        busy.update((a, b))
        yield order_match(ledger.configuration.boards, fixture, len(fixture.games) + 1)


def _qualifying(short: Sequence[Fixture]) -> Iterator[MatchOrder]:
    """Yield qualifying matches to create: the house bot plays so many at a time.

    Whoever has not played yet comes before those who try again, in order of entry.
    """
    playing = sum(fixture.state is FixtureState.PLAYING for fixture in short)
    ready = sorted(
        (fixture for fixture in short if fixture.state is FixtureState.READY),
        key=lambda one: one.attempt,
    )
    for fixture in ready[: max(0, AT_ONCE - playing)]:
        yield order_match(Boards.INDEPENDENT, fixture, 1)


def order_match(boards: Boards, fixture: Fixture, game: int) -> MatchOrder:
    """Return what a match of a fixture is, whoever asks for it and when.

    Args:
        boards: Who gets which cards.
        fixture: The fixture, of two entrants.
        game: Which match of it, counted from 1.
    """
    a, b = (bot or "" for bot in fixture.entrants)
    identity = f"{fixture.fixture_id}/{fixture.attempt}"
    match Boards.INDEPENDENT if is_qualifying(identity) else boards:
        case Boards.COMMON if fixture.attempt == 1:
            deal = f"{fixture.stage}/{fixture.round}/{game}"
            if fixture.undone:
                # The round may have begun before that, with others at its tables.
                deal = f"{deal}/{fixture.undone}"
        case Boards.MIRRORED:
            deal = f"{identity}/{(game + 1) // 2}"
        case _:
            deal = f"{identity}/{game}"
    return MatchOrder(
        fixture=fixture.fixture_id,
        attempt=fixture.attempt,
        game=game,
        bots=(a, b) if game % 2 else (b, a),
        match=fixture.match,
        deal=deal,
    )


def _aborts(
    ledger: Ledger, stages: Sequence[StageView], short: Sequence[Fixture]
) -> Iterator[str]:
    wanted = {
        (fixture.fixture_id, fixture.attempt)
        for view in stages
        for fixture in view.fixtures
        if view.closing is None and fixture.state is FixtureState.PLAYING
    }
    wanted |= {(fixture.fixture_id, fixture.attempt) for fixture in short}
    if ledger.lifecycle is Lifecycle.CANCELLED:
        wanted = set()
    for key, games in ledger.games.items():
        if key not in wanted:
            yield from (game.match for game in games if not game.ended)


def rankings(ledger: Ledger, view: StageView) -> tuple[GroupRanking, ...]:
    """Return the ranking of a stage: frozen if it is closed, else as it stands."""
    if view.closing is not None:
        return view.closing.event.rankings
    if view.bracket is not None:
        return rank_bracket(view.bracket, view.fixtures)
    return group_rankings(ledger, view) if ledger.lots else ()
