"""How far a fixture has come, by the facts of the ledger.

A match counts if it ended before one of the two left. Whoever has left forfeits what is
not decided: at once where it waits for a match, and later where it is still unknown
whom it would meet.
"""

from dataclasses import dataclass, replace

from ginref.record.lifecycle import EndingKind
from ginref.tournament.configuration import MatchFormat
from ginref.tournament.event import Cascade
from ginref.tournament.fixture import Fixture, FixtureState, fixture_id
from ginref.tournament.ledger import Game, Ledger
from ginref.tournament.result import (
    UNFINISHED,
    DoubleForfeited,
    Forfeited,
    Result,
    Voided,
    WalkedOver,
)
from ginref.tournament.score import Meeting, judge_games, judge_unfinished, legs_of
from ginref.tournament.source import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One side of a fixture.

    Attributes:
        source: Where it comes from.
        bot: Who it is; None for nobody.
        known: The log entry that settled it; 0 while it is to be decided.
        seed: Its seed in the stage, counted from 1; 0 for nobody.
    """

    source: Source
    bot: str | None = None
    known: int = 0
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a fixture stands in its stage, and how it is played there.

    Attributes:
        stage: The stage.
        group: The group, empty where there is one.
        round: The round, counted from 1.
        round_name: Its name.
        node: The place, `W1.2`.
        match: How it is played.
        is_knockout: Somebody has to go on.
    """

    stage: str
    group: str
    round: int
    round_name: str
    node: str
    match: MatchFormat
    is_knockout: bool


def judge(ledger: Ledger, place: Place, a: Slot, b: Slot) -> Fixture:
    """Return a fixture as far as it has come."""
    fixture = Fixture(
        stage=place.stage,
        group=place.group,
        round=place.round,
        node=place.node,
        sources=(a.source, b.source),
        entrants=(a.bot, b.bot),
        fixture_id="",
        state=FixtureState.BLOCKED,
        attempt=1,
        match=place.match,
        games=(),
        result=None,
        onward=None,
        known=max(a.known, b.known) if a.known and b.known else 0,
        decided=0,
    )
    if not fixture.known:
        return fixture
    if a.bot is None or b.bot is None:
        return _walk_over(ledger, fixture)
    identity = fixture_id(
        ledger.tournament, place.stage, place.round_name, (a.bot, b.bot)
    )
    fixture = replace(
        fixture,
        fixture_id=identity,
        attempt=ledger.attempt_of(identity),
        games=ledger.games_of(identity),
        state=FixtureState.READY,
    )
    undone = ledger.undone_before(place.stage, place.round, fixture.games)
    fixture = replace(fixture, undone=undone)
    stronger = a.bot if a.seed < b.seed else b.bot
    meeting = Meeting(
        a=a.bot,
        b=b.bot,
        match=place.match,
        legs=legs_of(ledger.configuration.boards),
        stronger=stronger if place.is_knockout else None,
        forfeit_scope=ledger.configuration.conduct.forfeit_scope,
    )
    return _rule(ledger, _play(ledger, fixture, meeting))


def _walk_over(ledger: Ledger, fixture: Fixture) -> Fixture:
    """Settle a fixture with one entrant, or none."""
    alone = next((bot for bot in fixture.entrants if bot is not None), None)
    result: Result = WalkedOver(alone)
    if alone is not None and ledger.left_before(alone, fixture.known + 1):
        result = Forfeited(alone, ledger.departures[alone].cause)
    return _final(fixture, result, fixture.known)


def _play(ledger: Ledger, fixture: Fixture, meeting: Meeting) -> Fixture:
    """Settle a fixture by what happened to it, the first thing that decides it."""
    left = [
        ledger.departures[bot].sequence
        for bot in (meeting.a, meeting.b)
        if bot in ledger.departures
    ]
    first_left = min(left, default=ledger.version + 1)
    expired = ledger.expired.get((fixture.fixture_id, fixture.attempt), 0)
    ended = sorted(
        ((game.ended, game) for game in fixture.games if game.ended),
        key=lambda pair: pair[0],
    )
    counted: list[Game] = []
    for sequence, game in ended:
        if sequence > first_left or (expired and sequence > expired):
            break
        counted.append(game)
        decided = _judge_until(ledger, fixture, meeting, counted)
        if decided is not None:
            return decided
    if expired and expired < first_left:
        outcomes = [game.outcome for game in counted if game.outcome is not None]
        outcomes = [one for one in outcomes if one.ending not in UNFINISHED]
        return _final(fixture, judge_unfinished(meeting, outcomes), expired)
    if left:
        return _leave(ledger, fixture, meeting, max(fixture.known, first_left))
    state = FixtureState.PLAYING if fixture.games else FixtureState.READY
    if counted and counted[-1].outcome and counted[-1].outcome.ending in UNFINISHED:
        state = FixtureState.STOPPED
    return replace(fixture, state=state)


def _judge_until(
    ledger: Ledger, fixture: Fixture, meeting: Meeting, counted: list[Game]
) -> Fixture | None:
    """Return the fixture if the last of some matches has decided it."""
    outcomes = [game.outcome for game in counted if game.outcome is not None]
    last, sequence = outcomes[-1], counted[-1].ended or 0
    if last.ending in UNFINISHED:
        spent = fixture.attempt >= ledger.configuration.conduct.attempts
        if last.ending is EndingKind.VOID and spent:
            return _final(fixture, Voided(meeting.stronger), sequence)
        return None
    result = judge_games(meeting, outcomes)
    return None if result is None else _final(fixture, result, sequence)


def _leave(ledger: Ledger, fixture: Fixture, meeting: Meeting, moment: int) -> Fixture:
    """Settle a fixture by who has left by a moment, one of its sides at least."""
    gone = [
        bot for bot in (meeting.a, meeting.b) if ledger.left_before(bot, moment + 1)
    ]
    cause = ledger.departures[gone[0]].cause
    both = len(gone) > 1
    result = DoubleForfeited(cause) if both else Forfeited(gone[0], cause)
    return _final(fixture, result, moment)


def _rule(ledger: Ledger, fixture: Fixture) -> Fixture:
    """Put the organizer's rulings over what happened."""
    for ruling in ledger.rulings.get(fixture.fixture_id, ()):
        if ruling.attempt != fixture.attempt:
            continue
        if fixture.decided and ruling.mode is Cascade.RECORD_ONLY:
            fixture = replace(fixture, result=ruling.result)
        else:
            decided = fixture.decided or max(fixture.known, ruling.sequence)
            fixture = _final(fixture, ruling.result, decided)
    return fixture


def _final(fixture: Fixture, result: Result, decided: int) -> Fixture:
    return replace(
        fixture,
        state=FixtureState.FINAL,
        result=result,
        onward=result,
        decided=decided,
    )
