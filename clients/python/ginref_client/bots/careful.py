"""A stronger player: it weighs the next draw, what it feeds, and when to knock.

Its numbers were found by play against the simple bot, over thousands of deals that
both played from both sides.
"""

from typing import Final

from ginref.engine.card import Card, CardSet
from ginref.engine.deadwood import best_arrangement, deadwood, discard_deadwoods
from ginref.engine.move import Discard, Move
from ginref.engine.view import DiscardOption, SeatView
from ginref_client.bot import Bot

_CANDIDATES: Final = 5
"""Discards worth a closer look: those that leave the least deadwood."""

_FEED_COST: Final = 5.0
"""Points it costs to throw a card that completes a meld of the opponent."""

_EARLY_TURNS: Final = 16
"""Turns of both seats in which any knock is a good one."""

_SAFE_DEADWOOD: Final = 7
"""Deadwood to knock with later on: more of it invites an undercut."""


class Careful(Bot):
    """Keeps what may still meld, starves the opponent, and knocks early or low."""

    def choose(self, view: SeatView) -> Move:
        """Return the move that leaves the best prospects."""
        if view.drawn is None:
            if view.draw_upcard and _is_worth_taking(view):
                return view.draw_upcard
            return view.pass_turn or view.draw_stock or view.legal[0]
        if view.best_knock and _is_time_to_knock(view):
            return view.best_knock
        options = view.discards[:_CANDIDATES]
        return Discard(min(options, key=lambda option: _cost(view, option)).card)


def _is_worth_taking(view: SeatView) -> bool:
    """Say whether the upcard melds or makes a knock; less only tells of the hand."""
    upcard = view.upcard
    if upcard is None:
        return False
    hand = view.hand.add(upcard)
    left = discard_deadwoods(hand)
    throw = min(
        (card for card in left if card is not upcard),
        key=lambda card: (left[card], -card.points, card.index),
    )
    if left[throw] <= view.knock_limit and left[throw] < view.deadwood:
        return True
    return upcard not in best_arrangement(hand.remove(throw)).deadwood


def _is_time_to_knock(view: SeatView) -> bool:
    left = 0 if not view.deadwood else view.discards[0].deadwood
    return view.turn < _EARLY_TURNS or left <= _SAFE_DEADWOOD


def _cost(view: SeatView, option: DiscardOption) -> tuple[float, int, int]:
    """Rate a discard in points; ties go to the dearest card."""
    card = option.card
    cost = _prospect(view.hand.remove(card), view.unseen)
    cost += _FEED_COST * _feeds(view, card)
    return cost, -card.points, card.index


def _prospect(hand: CardSet, unseen: CardSet) -> float:
    """Return the deadwood to expect of ten cards after one more draw and discard."""
    now = deadwood(hand)
    loose = max((card.points for card in best_arrangement(hand).deadwood), default=0)
    total = 0
    for card in unseen:
        more = hand.add(card)
        if deadwood(more) == now + card.points:
            # It melds with nothing: keep it in place of the dearest loose card.
            total += now - max(0, loose - card.points)
        else:
            total += min(discard_deadwoods(more).values())
    return total / max(1, len(unseen))


def _feeds(view: SeatView, card: Card) -> float:
    """Estimate how likely the opponent melds with a card, from 0 to 1."""
    opponent = view.opponents[0]
    hidden = opponent.hand_count - len(opponent.known)
    chance = hidden / max(1, len(view.unseen))
    likely = 0.0
    for meld in view.wanted(card):
        held = 1.0
        for other in meld.cards - CardSet.of([card]) - opponent.known:
            held *= chance if other in view.unseen else 0.0
        likely += held
    return min(1.0, likely)
