"""What the fixtures of a table count for: forfeited boards with them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ginref.record.lifecycle import EndingKind
from ginref.tournament.fixture import Fixture, FixtureState
from ginref.tournament.format import Swiss
from ginref.tournament.ledger import Ledger
from ginref.tournament.result import (
    DoubleForfeited,
    Forfeited,
    FreeRound,
    Outcome,
    Voided,
    WalkedOver,
    is_forfeit_of,
)
from ginref.tournament.score import legs_of
from ginref.tournament.standing_tally import Board, Kind, Tally
from ginref.tournament.table_play import TableRound, missed_rounds

_HUNDREDTHS = 100


def tallies_of(
    ledger: Ledger,
    stage_format: object,
    rounds: Sequence[TableRound],
    fixtures: Sequence[Fixture],
) -> tuple[Tally, ...]:
    """Return what the decided fixtures of a table count for.

    Args:
        ledger: What has happened.
        stage_format: The stage's format.
        rounds: Its rounds.
        fixtures: Their fixtures.
    """
    legs = legs_of(ledger.configuration.boards)
    tallies = [
        tally
        for fixture in fixtures
        if fixture.state is FixtureState.FINAL
        for tally in _tally(fixture, legs)
    ]
    if isinstance(stage_format, Swiss):
        tallies += [
            Tally(round=number, first=bot, kind=Kind.ABSENCE, points=worth)
            for number, bot, worth in missed_rounds(ledger, rounds)
        ]
    return tuple(tallies)


def _tally(fixture: Fixture, legs: int) -> Iterator[Tally]:
    first, second = fixture.entrants
    result = fixture.result
    match result:
        case Voided() | None:
            return
        case FreeRound(entrant=entrant):
            yield Tally(round=fixture.round, first=entrant, kind=Kind.BYE)
            return
        case WalkedOver() | Forfeited() if first is None or second is None:
            # Whoever was to sit out has left before: a round missed on purpose.
            alone = first or second
            if alone is not None:
                yield Tally(round=fixture.round, first=alone, kind=Kind.ABSENCE)
            return
        case _:
            pass
    if first is None or second is None:
        return
    yield Tally(
        round=fixture.round,
        first=first,
        second=second,
        kind=_kind(fixture),
        winner=fixture.winner if fixture.result is fixture.onward else _shown(fixture),
        boards=tuple(_boards(fixture, legs)),
    )


def _shown(fixture: Fixture) -> str | None:
    """Return the winner by a correction that is only for the record."""
    shown = replace(fixture, onward=fixture.result)
    return shown.winner


def _kind(fixture: Fixture) -> Kind:
    match fixture.result:
        case DoubleForfeited():
            return Kind.DOUBLE_FORFEIT
        case Forfeited():
            return Kind.PLAYED if _has_begun(fixture) else Kind.FORFEIT
        case _:
            return Kind.PLAYED


def _has_begun(fixture: Fixture) -> bool:
    return any(
        outcome.boards or outcome.ending is not EndingKind.NO_SHOW
        for outcome in _counted(fixture)
    )


def _counted(fixture: Fixture) -> Iterator[Outcome]:
    """Yield how the matches ended that count: those that ended in time."""
    for game in fixture.games:
        in_time = game.ended is not None and game.ended <= fixture.decided
        if in_time and game.outcome is not None:
            yield game.outcome


def _played(outcome: Outcome, first: int | None) -> Iterator[Board]:
    """Yield the boards that were played to their end.

    Args:
        outcome: How their match ended.
        first: Number of the first deck; None where no deck comes twice.
    """
    is_known = len(outcome.luck) == len(outcome.boards)
    for at, net in enumerate(outcome.boards):
        yield Board(
            net,
            deck=None if first is None else first + at,
            luck=outcome.luck[at] / _HUNDREDTHS if is_known else None,
        )


def _boards(fixture: Fixture, legs: int) -> Iterator[Board]:
    """Yield all boards, those that were forfeited before they began among them."""
    length = fixture.match.ruleset.boards or 1
    is_paid = False
    for number, outcome in enumerate(_counted(fixture)):
        first = number // legs * length if legs > 1 else None
        yield from _played(outcome, first)
        if outcome.forfeiters:
            is_paid = True
            missing = max(1, length - len(outcome.boards))
            yield from [Board(0, outcome.forfeiters)] * missing
    losers = tuple(
        bot
        for bot in fixture.entrants
        if bot is not None
        and fixture.result is not None
        and is_forfeit_of(fixture.result, bot)
    )
    if losers and not is_paid:
        yield from [Board(0, losers)] * length
