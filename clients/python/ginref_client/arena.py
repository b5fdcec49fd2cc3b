"""Matches on this machine, without a referee: bots, rules, a secret, and no clock.

The same bots, rules and secret play the same match, move by move.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from ginref.engine.card import Card
from ginref.engine.deck import derive_deck, draw_first_dealer
from ginref.engine.error import IllegalMoveError
from ginref.engine.match import (
    DeckFor,
    Match,
    MatchOver,
    RoundSummary,
    apply,
    start_match,
)
from ginref.engine.match import Ending as HowOver
from ginref.engine.move import Move
from ginref.engine.phase import Showdown
from ginref.engine.ruleset import Ruleset
from ginref.engine.seat import Seat
from ginref.engine.sheet import ScoreSheet
from ginref.engine.view import view_for
from ginref.record.lifecycle import Ending, EndingKind, Fault
from ginref_client.blame import BotFailedError, blamed
from ginref_client.bot import Bot
from ginref_client.fact import FinishedMatch, FinishedRound, MatchInfo

_DECKS_KEPT = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Dealt:
    """A round begins.

    Attributes:
        number: The round, counted from 1.
        dealer: Who deals.
        upcard: The card turned up.
        match: The match, all cards open.
    """

    number: int
    dealer: Seat
    upcard: Card
    match: Match

    @classmethod
    def of(cls, match: Match) -> "Dealt":
        """Return what has happened when a match has just dealt a round."""
        upcard = match.round.first_upcard
        return cls(
            number=match.round_number, dealer=match.dealer, upcard=upcard, match=match
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """A move was made.

    Attributes:
        seat: Who moved.
        move: The move.
        drawn: The card that it brought into the hand, if any.
        match: The match after the move.
    """

    seat: Seat
    move: Move
    drawn: Card | None
    match: Match

    @classmethod
    def of(cls, before: Match, seat: Seat, move: Move, after: Match) -> "Moved":
        """Return what has happened when a seat has moved a match on."""
        return cls(seat=seat, move=move, drawn=_drawn(before, after, seat), match=after)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundEnded:
    """A round is over.

    Attributes:
        summary: How it ended.
        showdown: Both hands, if it ended in a knock.
        sheet: The score sheet after it.
    """

    summary: RoundSummary
    showdown: Showdown | None
    sheet: ScoreSheet

    @classmethod
    def of(cls, match: Match) -> "RoundEnded":
        """Return what has happened when a match has just finished a round."""
        result = match.last_result
        showdown = result.showdown if result else None
        return cls(summary=match.history[-1], showdown=showdown, sheet=match.sheet)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchResult:
    """A match is over.

    Attributes:
        over: Who won, and how.
        sheet: The final score sheet.
        rounds: Every round.
        moves: Moves made.
    """

    over: MatchOver
    sheet: ScoreSheet
    rounds: tuple[RoundSummary, ...]
    moves: int

    @property
    def winner(self) -> Seat | None:
        """The seat that won; None for a drawn match."""
        return self.over.winner


Happening = Dealt | Moved | RoundEnded | MatchResult


def play_match(bots: Sequence[Bot], rules: Ruleset, secret: bytes) -> MatchResult:
    """Play a match between bots, by seat, and return how it ended.

    Raises:
        BotFailedError: A bot raised or chose an illegal move.
        ValueError: Not one bot per seat.
    """
    *_, last = tell_match(bots, rules, secret)
    assert isinstance(last, MatchResult)  # noqa: S101 - the story ends with it
    return last


def tell_match(
    bots: Sequence[Bot], rules: Ruleset, secret: bytes
) -> Iterator[Happening]:
    """Play a match and yield all that happens, the `MatchResult` last.

    Raises:
        BotFailedError: A bot raised or chose an illegal move.
        ValueError: Not one bot per seat.
    """
    seats = tuple(Seat)[: rules.seat_count]
    if len(bots) != len(seats):
        raise ValueError(f"{len(bots)} bots for {len(seats)} seats")
    names = tuple(bot.name for bot in bots)
    for seat in seats:
        info = MatchInfo(match_id="", seat=seat, bots=names, rules=rules)
        with blamed(seat, bots[seat], "match_started"):
            bots[seat].match_started(info)
    deck_for = lru_cache(_DECKS_KEPT)(partial(derive_deck, secret))
    match = start_match(rules, seats, draw_first_dealer(secret, seats), deck_for)
    yield Dealt.of(match)
    moves = 0
    while match.to_act is not None:
        seat = match.to_act
        move, after = _move(bots[seat], match, seat, deck_for)
        moves += 1
        yield Moved.of(match, seat, move, after)
        ended = len(after.history) > len(match.history)
        match = after
        if ended:
            yield _round_ended(match, bots)
            if not match.over:
                yield Dealt.of(match)
    yield _finish(match, bots, moves)


def _move(bot: Bot, match: Match, seat: Seat, deck_for: DeckFor) -> tuple[Move, Match]:
    view = view_for(match, seat)
    with blamed(seat, bot, "choose"):
        move = bot.choose(view)
    if not isinstance(move, Move):
        raise BotFailedError(
            seat, f"{bot.name} ({seat}) returned {move!r}, which is no move"
        )
    try:
        return move, apply(match, seat, move, deck_for)
    except IllegalMoveError as error:
        raise BotFailedError(
            seat, f"{bot.name} ({seat}) chose {move}, which is illegal: {error}"
        ) from error


def _drawn(before: Match, after: Match, seat: Seat) -> Card | None:
    if before.round_number != after.round_number:
        return None
    gained = after.round.hand(seat) - before.round.hand(seat)
    return next(iter(gained), None)


def _round_ended(match: Match, bots: Sequence[Bot]) -> RoundEnded:
    ended = RoundEnded.of(match)
    for seat in match.seats:
        told = FinishedRound(
            match_id="",
            seat=seat,
            summary=ended.summary,
            showdown=ended.showdown,
            sheet=ended.sheet,
        )
        with blamed(seat, bots[seat], "round_over"):
            bots[seat].round_over(told)
    return ended


def _finish(match: Match, bots: Sequence[Bot], moves: int) -> MatchResult:
    assert match.over is not None  # noqa: S101 - nobody is to act
    capped = match.over.how is HowOver.ROUND_CAP
    ending = Ending(
        kind=EndingKind.ROUND_CAP if capped else EndingKind.COMPLETED,
        winner=match.over.winner,
        fault=Fault.NOBODY,
    )
    for seat in match.seats:
        told = FinishedMatch(match_id="", seat=seat, ending=ending, sheet=match.sheet)
        with blamed(seat, bots[seat], "match_over"):
            bots[seat].match_over(told)
    return MatchResult(
        over=match.over, sheet=match.sheet, rounds=match.history, moves=moves
    )
