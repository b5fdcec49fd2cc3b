"""A tournament on the wire: its stages, fixtures, tables, and what it waits for."""

from collections.abc import Iterator, Sequence
from typing import Final

from ginref.app.tournament_report import Changed, Head, Listing, Overview
from ginref.record.setup import canonical
from ginref.tournament.configuration_write import configuration_to_json
from ginref.tournament.event import GroupRanking
from ginref.tournament.fixture import Fixture
from ginref.tournament.ledger import Entrant, Game, Ledger
from ginref.tournament.log import LogEntry, encode_entry
from ginref.tournament.plan import rankings
from ginref.tournament.problem import problems
from ginref.tournament.qualifying import attempts_of, qualifying_state
from ginref.tournament.result import (
    Cause,
    DoubleForfeited,
    Forfeited,
    Result,
    Won,
    winner_of,
)
from ginref.tournament.roster import waiting
from ginref.tournament.shape import word_of
from ginref.tournament.stage_table import group_standings
from ginref.tournament.stage_view import StageView
from ginref.tournament.standing import Standing
from ginref.transport.codec_enum import (
    EXITS,
    FIXTURE_STATES,
    LIFECYCLES,
    QUALIFYING_STATES,
)
from ginref.transport.codec_match import time_to_wire
from ginref.v1 import session_pb2 as session_pb
from ginref.v1 import tournament_pb2 as tournament_pb
from ginref.v1 import tournament_service_pb2 as service_pb

_PAIR: Final = 2


def head_to_wire(head: Head) -> session_pb.TournamentHead:
    """Write how far the log of a tournament has grown."""
    return session_pb.TournamentHead(
        tournament_id=head.tournament,
        length=head.length,
        digest=bytes.fromhex(head.digest),
    )


def tournament_to_wire(overview: Overview) -> tournament_pb.Tournament:
    """Write a tournament as its caller may see it."""
    plan, entries = overview.plan, overview.entries
    ledger = plan.ledger
    listing = Listing(
        tournament=overview.tournament,
        title=overview.configuration.title,
        lifecycle=ledger.lifecycle,
        version=len(entries),
        head=overview.head,
        created_ms=entries[0].time_ms,
        since_ms=ledger.since_ms,
        problems=problems(plan),
    )
    form = canonical(configuration_to_json(overview.configuration))
    written = listing_to_wire(listing)
    written.configuration = form.decode()
    written.entrants.extend(_entrants(ledger))
    written.stages.extend(_stage(ledger, view) for view in plan.stages)
    written.appeals.extend(
        tournament_pb.Appeal(
            appeal_id=name,
            fixture_id=appeal.fixture,
            bot=appeal.bot,
            text=appeal.text,
            decided=appeal.upheld is not None,
            upheld=bool(appeal.upheld),
        )
        for name, appeal in ledger.appeals.items()
    )
    return written


def listing_to_wire(listing: Listing) -> tournament_pb.Tournament:
    """Write what a list tells of a tournament."""
    return tournament_pb.Tournament(
        tournament_id=listing.tournament,
        title=listing.title,
        state=LIFECYCLES[listing.lifecycle],
        version=listing.version,
        head=head_to_wire(listing.head),
        create_time=time_to_wire(listing.created_ms),
        # A draft is one since it was created.
        state_time=time_to_wire(max(listing.since_ms, listing.created_ms)),
        problems=[
            tournament_pb.TournamentProblem(
                kind=problem.kind,
                about=problem.about,
                message=problem.what,
                blocking=problem.is_blocking,
            )
            for problem in listing.problems
        ],
    )


def changed_to_wire(
    changed: Changed, codes: Sequence[str] = ()
) -> service_pb.ChangeTournamentResponse:
    """Write what a change has done, or would do."""
    return service_pb.ChangeTournamentResponse(
        version=changed.version,
        head=head_to_wire(
            Head(
                tournament=changed.tournament,
                length=changed.version,
                digest=changed.head,
            )
        ),
        unchanged=not changed.is_new,
        differences=[
            tournament_pb.TournamentDifference(
                path=change.path, before=change.before, after=change.after
            )
            for change in changed.changes
        ],
        codes=codes,
    )


def entry_to_wire(entry: LogEntry) -> service_pb.TournamentEntry:
    """Write an entry of the log."""
    return service_pb.TournamentEntry(
        sequence=entry.sequence, json=encode_entry(entry).decode()
    )


def _entrants(ledger: Ledger) -> Iterator[tournament_pb.Entrant]:
    waits = {entrant.bot for entrant in waiting(ledger)}
    seeds = {bot: at for at, bot in enumerate(ledger.order, 1)}
    for entrant in ledger.entrants.values():
        yield tournament_pb.Entrant(
            bot=entrant.bot,
            owner=entrant.owner,
            state=_entrant_state(ledger, entrant, waits),
            seed=seeds.get(entrant.bot),
            checked_in=entrant.is_checked_in,
            latency_ms=entrant.latency,
            revealed=entrant.bot in ledger.shares,
            exit=_exit(ledger, entrant.bot),
            qualifying=_qualifying(ledger, entrant.bot),
        )


def _exit(ledger: Ledger, bot: str) -> tournament_pb.EntrantExit.ValueType:
    departure = ledger.departures.get(bot)
    if departure is None or departure.cause is not Cause.WITHDRAWN:
        return tournament_pb.ENTRANT_EXIT_UNSPECIFIED
    return EXITS[departure.exit]


def _qualifying(ledger: Ledger, bot: str) -> tournament_pb.Qualifying | None:
    state = qualifying_state(ledger, bot)
    if state is None:
        return None
    return tournament_pb.Qualifying(
        state=QUALIFYING_STATES[state], matches=map(_match, attempts_of(ledger, bot))
    )


def _entrant_state(
    ledger: Ledger, entrant: Entrant, waits: set[str]
) -> tournament_pb.EntrantState.ValueType:
    departure = ledger.departures.get(entrant.bot)
    if departure is not None:
        return (
            tournament_pb.ENTRANT_STATE_DISQUALIFIED
            if departure.cause is Cause.DISQUALIFIED
            else tournament_pb.ENTRANT_STATE_WITHDRAWN
        )
    if entrant.bot in waits:
        return tournament_pb.ENTRANT_STATE_WAITING
    return tournament_pb.ENTRANT_STATE_PLACED


def _stage(ledger: Ledger, view: StageView) -> tournament_pb.TournamentStage:
    return tournament_pb.TournamentStage(
        name=view.stage.name,
        format=word_of(type(view.stage.format)),
        closed=view.closing is not None,
        fixtures=map(fixture_to_wire, view.fixtures),
        rankings=[
            _ranking(ledger, view, ranking) for ranking in rankings(ledger, view)
        ],
    )


def fixture_to_wire(fixture: Fixture) -> tournament_pb.Fixture:
    """Write a fixture."""
    return tournament_pb.Fixture(
        fixture_id=fixture.fixture_id,
        node=fixture.node,
        group=fixture.group,
        round=fixture.round,
        sides=[
            tournament_pb.FixtureSide(bot=bot or "", source=str(source))
            for bot, source in zip(fixture.entrants, fixture.sources, strict=True)
        ],
        state=FIXTURE_STATES[fixture.state],
        attempt=fixture.attempt,
        matches=map(_match, fixture.games),
        result=(
            None
            if fixture.result is None
            else _result(fixture.result, fixture.entrants)
        ),
    )


def _match(game: Game) -> tournament_pb.FixtureMatch:
    outcome = game.outcome
    if outcome is None:
        return tournament_pb.FixtureMatch(match_id=game.match, game=game.number)
    return tournament_pb.FixtureMatch(
        match_id=game.match,
        game=game.number,
        over=True,
        ending=str(outcome.ending),
        winner=outcome.winner or "",
        boards=outcome.boards,
        record_digest=game.record or "",
    )


def _result(
    result: Result, entrants: tuple[str | None, str | None]
) -> tournament_pb.FixtureResult:
    loser, cause = "", ""
    match result:
        case Won(by=by):
            cause = str(by)
        case Forfeited(loser=loser, cause=why):
            cause = str(why)
        case DoubleForfeited(cause=why):
            cause = str(why)
        case _:
            pass
    return tournament_pb.FixtureResult(
        kind=word_of(type(result)),
        winner=winner_of(result, entrants) or "",
        loser=loser,
        cause=cause,
    )


def _ranking(
    ledger: Ledger, view: StageView, ranking: GroupRanking
) -> tournament_pb.GroupRanking:
    knows = bool(ledger.lots) and len(view.seats) >= _PAIR
    lines = [
        _line(line, has_points=view.bracket is None)
        for line in (group_standings(ledger, view, ranking) if knows else ())
    ]
    told = {line.bot for line in lines}
    # Whoever was sent out has a place, and no figures.
    lines += [
        tournament_pb.StandingLine(rank=placing.rank, bot=bot)
        for placing in ranking.placings
        for bot in placing.bots
        if bot not in told
    ]
    return tournament_pb.GroupRanking(group=ranking.group, lines=lines)


def _line(line: Standing, *, has_points: bool) -> tournament_pb.StandingLine:
    return tournament_pb.StandingLine(
        rank=line.rank,
        bot=line.entrant,
        points=line.points if has_points else None,
        won=line.won,
        drawn=line.drawn,
        lost=line.lost,
        net_per_board=line.net_per_board if has_points else None,
        mean=line.skill.mean,
        margin=line.skill.margin,
        boards=line.skill.count,
        tie_breaks=[
            tournament_pb.TieBreakValue(criterion=str(one.criterion), value=one.value)
            for one in line.tie_breaks
        ],
    )
