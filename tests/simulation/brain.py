"""How a bot plays one seat: well enough, and badly in every way there is."""

from dataclasses import dataclass
from typing import Final

from tests.simulation.dice import Dice

from ginref.engine.card import PACK
from ginref.engine.move import (
    DRAW_STOCK,
    DRAW_UPCARD,
    PASS,
    Discard,
    Knock,
    Move,
)
from ginref.engine.view import SeatView

_TAKES_UPCARD: Final = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What a bot is like; likelihoods are per decision.

    Attributes:
        think: Seconds that a decision usually takes, from and to.
        dawdles: It takes so long that the clock may run out.
        cuts_it_fine: It takes nearly all its time, and may be too late.
        ponders: It takes long, but within its time, once in a match.
        blunders: It makes an illegal move.
        misjudges: It names a version that is not the current one.
        reuses: It sends another move under an old request id.
        butts_in: It moves though another seat is to act.
        forgets: It throws away its own move that was not answered yet.
        waits_for_gin: It does not knock with less.
        quits_after: Decisions after which it says nothing more; None for never.
        resigns_after: Decisions after which it resigns; None for never.
        declines: It does not take its seat.
        no_show: It never answers an offer.
        no_share: It leaves the cards to the shares of others.
        cheats: It tries to reveal another share than it has committed to.
    """

    think: tuple[float, float]
    dawdles: float = 0.0
    cuts_it_fine: float = 0.0
    ponders: float = 0.0
    blunders: float = 0.0
    misjudges: float = 0.0
    reuses: float = 0.0
    butts_in: float = 0.0
    forgets: float = 0.0
    waits_for_gin: bool = False
    quits_after: int | None = None
    resigns_after: int | None = None
    declines: bool = False
    no_show: bool = False
    no_share: bool = False
    cheats: bool = False


def good_move(view: SeatView, dice: Dice, *, waits_for_gin: bool) -> Move:
    """Return a legal move that brings the match to its end."""
    if view.drawn is None:
        upcard = view.draw_upcard
        if upcard is not None and (
            dice.chance(_TAKES_UPCARD) or (waits_for_gin and view.upcard_saves > 0)
        ):
            return DRAW_UPCARD
        return PASS if view.pass_turn is not None else DRAW_STOCK
    discards = view.discards
    best = discards[0]
    if view.rules.big_gin_bonus is not None and not view.deadwood:
        return Knock()
    limit = 0 if waits_for_gin else view.knock_limit
    if best.deadwood <= limit:
        return Knock(best.card)
    return Discard(best.card)


def bad_move(view: SeatView, dice: Dice) -> Move:
    """Return a well-formed move that the rules refuse."""
    foreign = [card for card in PACK if card not in view.hand]
    if view.drawn is None:
        early: list[Move] = [Discard(dice.pick(tuple(view.hand))), Knock()]
        return dice.pick(early)
    wrong: list[Move] = [DRAW_STOCK, DRAW_UPCARD, PASS, Discard(dice.pick(foreign))]
    worst = view.discards[-1]
    if worst.deadwood > view.knock_limit:
        wrong.append(Knock(worst.card))
    return dice.pick(wrong)
