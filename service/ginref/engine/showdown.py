"""The end of a round: what the knocker lays down, and what the round is worth.

A knock needs deadwood within the limit after the discard; what the knocker declares is
binding, also when it is not the best. Gin takes the gin bonus on top of the defender's
deadwood and cannot be undercut; equal deadwood is an undercut.

Source: ginrummy.com/scoring.html for the score; github.com/jdh8/gin-rummy for melds
that the knocker declares.
"""

import enum
from dataclasses import dataclass

from ginref.engine.card import CardSet
from ginref.engine.deadwood import Arrangement, best_arrangement
from ginref.engine.error import Breach, IllegalMoveError
from ginref.engine.meld import MELD_CARDS_MIN, DeclaredMeld, Meld, find_meld
from ginref.engine.ruleset import Ruleset


class Outcome(enum.StrEnum):
    """How a round ended. The last three score nothing and keep the dealer."""

    KNOCK = "knock"
    GIN = "gin"
    BIG_GIN = "big_gin"
    UNDERCUT = "undercut"
    TIE = "tie"
    WALL = "wall"
    TURN_CAP = "turn_cap"


@dataclass(frozen=True, slots=True)
class RoundScore:
    """What a showdown is worth.

    Attributes:
        outcome: How the round ended.
        knocker_wins: Whether the knocker scores, or the defender; None when
            nobody does.
        points: Points of the winner.
    """

    outcome: Outcome
    knocker_wins: bool | None
    points: int


def arrange(
    hand: CardSet, melds: tuple[DeclaredMeld, ...] | None, limit: int
) -> Arrangement:
    """Lay down a knocker's hand as declared, or at its best without a declaration.

    Args:
        hand: The cards after the discard: ten, or eleven for big gin.
        melds: The declared melds; their cards may come in any order.
        limit: The knock limit, in deadwood points.

    Raises:
        IllegalMoveError: A declared meld is too short, names a card twice or is
            no meld; holds a card that is not in the hand; shares a card with
            another; or the deadwood is above the limit. The first of these counts.
    """
    laid = best_arrangement(hand) if melds is None else _judge(hand, melds)
    if laid.points > limit:
        raise IllegalMoveError(
            Breach.KNOCK_ABOVE_LIMIT, deadwood=laid.points, limit=limit
        )
    return laid


def _judge(hand: CardSet, declared: tuple[DeclaredMeld, ...]) -> Arrangement:
    """Check a declaration in the order of the rules."""
    melds = [_judge_meld(claim) for claim in declared]
    for claim in declared:
        for card in claim.cards:
            if card not in hand:
                raise IllegalMoveError(Breach.MELD_CARD_NOT_IN_HAND, card=card)
    rest = hand
    for claim in declared:
        for card in claim.cards:
            if card not in rest:
                raise IllegalMoveError(Breach.CARD_IN_TWO_MELDS, card=card)
            rest = rest.remove(card)
    return Arrangement(tuple(sorted(melds, key=lambda meld: meld.cards.mask)), rest)


def _judge_meld(claim: DeclaredMeld) -> Meld:
    if len(claim.cards) < MELD_CARDS_MIN:
        raise IllegalMoveError(Breach.MELD_TOO_SHORT, meld=claim)
    cards = CardSet.of(claim.cards)
    if len(cards) < len(claim.cards):
        raise IllegalMoveError(Breach.CARD_IN_TWO_MELDS, meld=claim)
    meld = find_meld(cards)
    if meld is None:
        raise IllegalMoveError(Breach.BROKEN_MELD, meld=claim)
    return meld


def score(
    rules: Ruleset,
    knocker_deadwood: int,
    defender_deadwood: int,
    *,
    multiplier: int = 1,
    big_gin: bool = False,
) -> RoundScore:
    """Score a showdown.

    Args:
        rules: The bonuses, and what equal deadwood means.
        knocker_deadwood: Deadwood points the knocker laid down.
        defender_deadwood: Deadwood points of the defender after layoffs.
        multiplier: What the round counts: difference and bonus together.
        big_gin: Whether the knocker melded all eleven cards. Where the rules
            know no big gin it is plain gin.
    """
    difference = defender_deadwood - knocker_deadwood
    if knocker_deadwood == 0:
        outcome, bonus = Outcome.GIN, rules.gin_bonus
        if big_gin and rules.big_gin_bonus is not None:
            outcome, bonus = Outcome.BIG_GIN, rules.big_gin_bonus
        points = (difference + bonus) * multiplier
        return RoundScore(outcome, knocker_wins=True, points=points)
    if difference > 0:
        points = difference * multiplier
        return RoundScore(Outcome.KNOCK, knocker_wins=True, points=points)
    if difference == 0 and not rules.undercut_on_tie:
        return RoundScore(Outcome.TIE, knocker_wins=None, points=0)
    points = (rules.undercut_bonus - difference) * multiplier
    return RoundScore(Outcome.UNDERCUT, knocker_wins=False, points=points)
