"""What the seat to act may do: one judgement, used by the referee and by views.

Everything here is decided from the rules, the phase, the mover's own hand and the
knock limit, all of which the mover knows. So a bot can work out its legal moves
without asking, and a refusal tells it nothing new.
"""

from typing import Final

from ginref.engine.card import PACK, Card, CardSet
from ginref.engine.deadwood import Arrangement, deadwood, knock_discards
from ginref.engine.error import Breach, IllegalMoveError
from ginref.engine.move import (
    DRAW_STOCK,
    DRAW_UPCARD,
    PASS,
    Discard,
    DrawStock,
    DrawUpcard,
    Knock,
    Move,
    Pass,
    move_kind,
)
from ginref.engine.phase import Draw, FirstUpcard, Phase, RoundOver, Throw
from ginref.engine.ruleset import Ruleset
from ginref.engine.showdown import arrange

_DISCARDS: Final = {card: Discard(card) for card in PACK}
_KNOCKS: Final = {card: Knock(card) for card in PACK}
_BIG_GIN: Final = Knock()
_UPCARD_MOVES: Final[tuple[Move, ...]] = (PASS, DRAW_UPCARD)
_DRAW_MOVES: Final[tuple[Move, ...]] = (DRAW_UPCARD, DRAW_STOCK)
_FORCED_DRAW: Final[tuple[Move, ...]] = (DRAW_STOCK,)


def forbidden_discard(rules: Ruleset, phase: Phase) -> Card | None:
    """Return the card that may not be thrown this turn: the one just taken.

    Throwing it back would be a pass, which the game does not know.

    Source: askalink.com/play/gin-rummy/gin-rummy-rules.html, for the first upcard and
    for every later one.
    """
    if (
        isinstance(phase, Throw)
        and phase.from_pile
        and not rules.may_discard_taken_card
    ):
        return phase.drawn
    return None


def options(
    rules: Ruleset, phase: Phase, hand: CardSet, knock_limit: int
) -> tuple[Move, ...]:
    """Return every move of the seat to act: discards, then knocks, by card.

    Knocks are listed by discard, without declarations: what each of them leaves can
    be arranged within the limit.
    """
    match phase:
        case Throw():
            return _throws(rules, phase, hand, knock_limit)
        case Draw():
            return _FORCED_DRAW if phase.forced_stock else _DRAW_MOVES
        case FirstUpcard():
            return _UPCARD_MOVES
        case RoundOver():
            return ()


def _throws(
    rules: Ruleset, phase: Throw, hand: CardSet, knock_limit: int
) -> tuple[Move, ...]:
    kept = forbidden_discard(rules, phase)
    moves: list[Move] = [_DISCARDS[card] for card in hand if card is not kept]
    moves += [_KNOCKS[card] for card in knock_discards(hand, knock_limit, kept)]
    if rules.big_gin_bonus is not None and not deadwood(hand):
        moves.append(_BIG_GIN)
    return tuple(moves)


def check(
    rules: Ruleset,
    phase: Phase,
    hand: CardSet,
    move: Pass | DrawUpcard | DrawStock | Discard,
) -> None:
    """Check a move of the seat to act, knocks apart.

    Raises:
        IllegalMoveError: The phase does not have this move, the upcard was refused
            by both seats, or the card is not in hand or may not be thrown.
    """
    match phase, move:
        case (Throw(), Discard()):
            _check_throw(rules, phase, hand, move.card)
        case (Draw(), DrawUpcard()):
            if phase.forced_stock:
                raise IllegalMoveError(Breach.UPCARD_REFUSED_TWICE)
        case (Draw(), DrawStock()) | (FirstUpcard(), Pass() | DrawUpcard()):
            pass
        case _:
            raise _wrong_phase(phase, move)


def lay_down(
    rules: Ruleset, phase: Phase, hand: CardSet, knock_limit: int, knock: Knock
) -> Arrangement:
    """Return how a knock of the seat to act lays its hand down.

    Raises:
        IllegalMoveError: The seat has not drawn yet, the card is not in hand or may
            not be thrown, the declaration is no arrangement of the other cards, or
            it leaves more deadwood than the limit; or it is no big gin.
    """
    if not isinstance(phase, Throw):
        raise _wrong_phase(phase, knock)
    if knock.card is not None:
        _check_throw(rules, phase, hand, knock.card)
        return arrange(hand.remove(knock.card), knock.melds, knock_limit)
    if rules.big_gin_bonus is None:
        raise IllegalMoveError(Breach.NO_BIG_GIN)
    if left := deadwood(hand):
        raise IllegalMoveError(Breach.NO_BIG_GIN, deadwood=left)
    return arrange(hand, knock.melds, 0)


def _check_throw(rules: Ruleset, phase: Throw, hand: CardSet, card: Card) -> None:
    if card not in hand:
        raise IllegalMoveError(Breach.CARD_NOT_IN_HAND, card=card)
    if card is forbidden_discard(rules, phase):
        raise IllegalMoveError(Breach.TAKEN_CARD_RETURNED, card=card)


def _wrong_phase(phase: Phase, move: Move) -> IllegalMoveError:
    return IllegalMoveError(Breach.WRONG_PHASE, phase=phase.name, move=move_kind(move))
