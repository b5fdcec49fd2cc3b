"""What everybody at the table may see of a match, spectators and idle seats too."""

from dataclasses import dataclass

from ginref.engine.card import Card
from ginref.engine.match import MatchOver, RoundSummary
from ginref.engine.opponent import OpponentView
from ginref.engine.phase import PhaseName, Showdown
from ginref.engine.round import DiscardEntry
from ginref.engine.ruleset import Ruleset
from ginref.engine.seat import Seat
from ginref.engine.sheet import ScoreSheet
from ginref.engine.showdown import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundReveal:
    """A round that ended in a knock, with everything laid down.

    Attributes:
        number: The round, counted from 1.
        dealer: Who dealt it.
        outcome: How it ended.
        winner: The seat that scored; None for a tie that scores nothing.
        points: What it scored.
        columns: Positions of the games it was entered in.
        idle: The seat that sat it out; None at a table of two.
        showdown: Both hands: melds, layoffs and deadwood.
    """

    number: int
    dealer: Seat
    outcome: Outcome
    winner: Seat | None
    points: int
    columns: tuple[int, ...]
    idle: Seat | None = None
    showdown: Showdown


@dataclass(frozen=True, slots=True, kw_only=True)
class TableView:
    """What everybody at the table may see.

    Attributes:
        rules: The house rules.
        seats: The seats of the match.
        round_number: The current round, counted from 1; drawn rounds count.
        deal_number: The number `k` of its deal, counted from 0.
        dealer: Who dealt it.
        idle: The seat that sits it out; None at a table of two.
        to_act: The seat that decides; None when the match is over.
        phase: What it decides.
        forced_stock: Only the stock may be drawn: both seats refused the upcard.
        knock_limit: Most deadwood to knock with, in points.
        multiplier: What the round's score is multiplied by.
        first_upcard: The card turned up after the deal.
        upcard: The top of the discard pile; None when the pile is empty.
        stock_count: Cards in the stock.
        draws_left: Stock cards that can still be drawn, by both seats together.
        pile: Every card laid on the discard pile, in order.
        turn: Turns completed in this round, of both seats together.
        turns_left: Turns after which the round is drawn.
        sheet: The score sheet.
        last_result: The round before this one, if it ended in a knock.
        over: The end of the match; None while it is played.
    """

    rules: Ruleset
    seats: tuple[Seat, ...]
    round_number: int
    deal_number: int
    dealer: Seat
    idle: Seat | None = None
    to_act: Seat | None
    phase: PhaseName
    forced_stock: bool
    knock_limit: int
    multiplier: int
    first_upcard: Card
    upcard: Card | None
    stock_count: int
    draws_left: int
    pile: tuple[DiscardEntry, ...]
    turn: int
    turns_left: int
    sheet: ScoreSheet
    last_result: RoundReveal | None
    over: MatchOver | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicView(TableView):
    """A match as a spectator sees it: no hand at all.

    Attributes:
        players: What is known of each seat, by seat.
        rounds: Every finished round.
    """

    players: tuple[OpponentView, ...]
    rounds: tuple[RoundSummary, ...]
