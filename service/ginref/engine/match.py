"""A match: rounds one after another, their score sheet, and how it ends.

The end of a round and the next deal are one transition, so a match that is not over
always waits for a seat. Of three seats two play each round; the third sits it out.
"""

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ginref.engine.card import Card
from ginref.engine.error import Breach, IllegalMoveError
from ginref.engine.move import Move
from ginref.engine.phase import RoundOver, RoundResult
from ginref.engine.rotation import Roles, credited, first_roles, next_roles
from ginref.engine.round import Round, apply_move, deal
from ginref.engine.round import legal_moves as legal_moves_of_round
from ginref.engine.ruleset import Ruleset
from ginref.engine.seat import Seat
from ginref.engine.sheet import (
    ScoreSheet,
    close_boards,
    close_open_games,
    decide_by_count,
    enter,
    is_over,
    next_columns,
    open_sheet,
)
from ginref.engine.showdown import Outcome

DeckFor = Callable[[int], tuple[Card, ...]]
"""The deck of the deal `k`, counted from 0, redeals included; top first.

A match of boards deals none again, so there `k` is the board, counted from 0.
"""


class Ending(enum.StrEnum):
    """How a match ended, as far as the rules of the game go."""

    COMPLETED = "completed"
    ROUND_CAP = "round_cap"
    FORFEIT = "forfeit"
    ABANDONED = "abandoned"


@dataclass(frozen=True, slots=True)
class MatchOver:
    """The end of a match.

    Attributes:
        winner: The seat that won; None for a drawn or an abandoned match.
        how: How it ended.
        at_fault: The seats that forfeited.
    """

    winner: Seat | None
    how: Ending
    at_fault: tuple[Seat, ...] = ()


class RoundSummary(NamedTuple):
    """What everybody may know of a finished round.

    Attributes:
        number: The round, counted from 1.
        dealer: Who dealt it.
        outcome: How it ended.
        winner: The seat that scored; None for a drawn round.
        points: What it scored.
        columns: Positions of the games it was entered in.
        idle: The seat that sat it out; None at a table of two.
    """

    number: int
    dealer: Seat
    outcome: Outcome
    winner: Seat | None
    points: int
    columns: tuple[int, ...]
    idle: Seat | None = None


class Match(NamedTuple):
    """A match at one moment, hidden cards and all.

    Attributes:
        rules: The house rules.
        seats: The seats, in order.
        round_number: The current round, counted from 1; drawn rounds count.
        round: The current round; after the end, the last one.
        sheet: The score sheet.
        history: Every finished round.
        last_result: How the latest finished round ended; None in the first.
        over: The end of the match; None while it is played.
    """

    rules: Ruleset
    seats: tuple[Seat, ...]
    round_number: int
    round: Round
    sheet: ScoreSheet
    history: tuple[RoundSummary, ...]
    last_result: RoundResult | None
    over: MatchOver | None

    @property
    def deal_number(self) -> int:
        """The number `k` of the deal of the current round, counted from 0."""
        return self.round_number - 1

    @property
    def dealer(self) -> Seat:
        """Who dealt the current round."""
        return self.round.dealer

    @property
    def idle(self) -> Seat | None:
        """The seat that sits the current round out; None at a table of two."""
        return _idle_seat(self.seats, self.round)

    @property
    def to_act(self) -> Seat | None:
        """The seat that decides; None when the match is over."""
        return None if self.over else self.round.to_act


def _idle_seat(seats: tuple[Seat, ...], round_: Round) -> Seat | None:
    """Return the seat that sits a round out; None when all of them play."""
    for seat in seats:
        if not round_.is_played_by(seat):
            return seat
    return None


def start_match(
    rules: Ruleset, seats: Sequence[Seat], first_dealer: Seat, deck_for: DeckFor
) -> Match:
    """Deal the first round of a match.

    Raises:
        ValueError: The seats are not the table's, the dealer is none of them, or
            the deck is not the 52 cards.
    """
    table = tuple(Seat)[: rules.seat_count]
    if tuple(seats) != table or first_dealer not in table:
        who = f"{tuple(seats)} with dealer {first_dealer!r}"
        message = f"{who} is no table for {rules.name}"
        raise ValueError(message)
    # Numbers equal their seats, but who acts is known by identity.
    roles = first_roles(table, Seat(first_dealer))
    return Match(
        rules=rules,
        seats=table,
        round_number=1,
        round=deal(rules, deck_for(0), roles.dealer, roles.non_dealer),
        sheet=open_sheet(rules),
        history=(),
        last_result=None,
        over=None,
    )


def legal_moves(match: Match, seat: Seat) -> tuple[Move, ...]:
    """Return what a seat may do: nothing unless it is to act."""
    if match.over:
        return ()
    return legal_moves_of_round(match.round, match.rules, seat)


def apply(match: Match, seat: Seat, move: Move, deck_for: DeckFor) -> Match:
    """Return the match after a move; a move that ends a round deals the next one.

    Args:
        match: The match as it stands.
        seat: Who moves.
        move: The move.
        deck_for: The decks of this match; asked only when a round ends.

    Raises:
        IllegalMoveError: The match is over, it is not the seat's turn, or the rules
            do not allow the move.
        TypeError: It is not a move at all, a text of one perhaps.
    """
    if match.over:
        raise IllegalMoveError(Breach.MATCH_OVER)
    round_ = apply_move(match.round, match.rules, seat, move)
    if isinstance(round_.phase, RoundOver):
        return _next_round(match, round_, round_.phase.result, deck_for)
    rules, seats, number, _, sheet, history, last_result, over = match
    return Match(rules, seats, number, round_, sheet, history, last_result, over)


def _next_round(
    match: Match, ended: Round, result: RoundResult, deck_for: DeckFor
) -> Match:
    rules, sheet, number = match.rules, match.sheet, match.round_number
    roles = Roles(ended.dealer, ended.non_dealer, _idle_seat(match.seats, ended))
    columns: tuple[int, ...] = ()
    if result.winner is not None:
        columns = next_columns(sheet, rules, result.winner)
        winner, *partners = credited(rules, roles.dealer, roles.idle, result.winner)
        sheet = enter(sheet, rules, winner, result.points, number, *partners)
    if rules.boards == number:
        sheet = close_boards(sheet, number)
    summary = RoundSummary(
        number,
        roles.dealer,
        result.outcome,
        result.winner,
        result.points,
        columns,
        roles.idle,
    )
    scored = match._replace(
        round=ended,
        sheet=sheet,
        history=(*match.history, summary),
        last_result=result,
    )
    if is_over(sheet, rules):
        return scored._replace(over=MatchOver(sheet.winner, Ending.COMPLETED))
    if number >= rules.round_limit:
        leader = decide_by_count(sheet)
        return scored._replace(over=MatchOver(leader, Ending.ROUND_CAP))
    after = next_roles(rules, roles, result.winner)
    return scored._replace(
        round_number=number + 1,
        round=deal(rules, deck_for(number), after.dealer, after.non_dealer),
    )


def forfeit(match: Match, at_fault: Sequence[Seat]) -> Match:
    """Return the match ended by the fault of one seat, or of several.

    A seat that forfeits loses every open game, and the match whatever the sheet
    says. Closed games stand. Of two seats that are left the one with more points wins;
    with equal points, or when every seat is at fault, nobody does.

    Raises:
        IllegalMoveError: The match is over already.
        ValueError: No seat, or a seat of another table, is at fault.
    """
    if match.over:
        raise IllegalMoveError(Breach.MATCH_OVER)
    guilty = tuple(sorted(set(at_fault)))
    if not guilty or not set(guilty) <= set(match.seats):
        message = f"{at_fault!r} are no seats at fault among {match.seats!r}"
        raise ValueError(message)
    left = [seat for seat in match.seats if seat not in guilty]
    winner = _ahead(match.sheet, left)
    if winner is None:
        return match._replace(over=MatchOver(None, Ending.FORFEIT, guilty))
    return match._replace(
        sheet=close_open_games(match.sheet, winner, match.round_number),
        over=MatchOver(winner, Ending.FORFEIT, guilty),
    )


def _ahead(sheet: ScoreSheet, seats: Sequence[Seat]) -> Seat | None:
    """Return the one seat with most points; None if there is no such seat."""
    best = max((sheet.points[seat] for seat in seats), default=None)
    leaders = [seat for seat in seats if sheet.points[seat] == best]
    return leaders[0] if len(leaders) == 1 else None


def abandon(match: Match) -> Match:
    """Return the match ended without a winner and without anybody's fault.

    Raises:
        IllegalMoveError: The match is over already.
    """
    if match.over:
        raise IllegalMoveError(Breach.MATCH_OVER)
    return match._replace(over=MatchOver(None, Ending.ABANDONED))
