"""One round played at two engines at once: ours and OpenSpiel's.

Every difference is either one of the known ones, which are counted, or an error.
The players are those of OpenSpiel: 0 for the non-dealer, 1 for the dealer.
"""

import enum
import functools
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Final

import pytest
from tests.unit.engine.brute_force import GROWN, least_deadwood_without_each, mask

from ginref.engine.card import PACK, Card, CardSet
from ginref.engine.deadwood import deadwood
from ginref.engine.meld import Meld
from ginref.engine.move import Discard, DrawStock, DrawUpcard, Knock, Move
from ginref.engine.phase import Draw, RoundOver, RoundResult, Showdown, Throw
from ginref.engine.round import Round, apply_move, deal, legal_moves
from ginref.engine.ruleset import Ruleset
from ginref.engine.seat import Seat
from ginref.engine.showdown import Outcome

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
gin_rummy = pyspiel.gin_rummy

DEALER, NON_DEALER = Seat.NORTH, Seat.SOUTH
PLAYERS: Final = {NON_DEALER: 0, DEALER: 1}

_UTILS: Final = gin_rummy.GinRummyUtils(13, 4, 10)
_ACTION: Final[dict[Card, int]] = {card: _UTILS.card_int(str(card)) for card in PACK}
_CARD: Final = {action: card for card, action in _ACTION.items()}
_LONGEST_PIECE: Final = 5

Choose = Callable[[Round, Sequence[Move]], Move]


class Divergence(enum.StrEnum):
    """Where the two engines are known to play by different rules."""

    TIE = "equal deadwood: an undercut here, nothing there"
    WALL = "two cards left: over here, a last pass there"
    WALL_KNOCK = "two cards left: over here, a knock with the last discard there"
    THROW_BACK = "the card just taken: kept here, may be thrown back there"
    KNOCK_BY_THROW_BACK = "the only knock throws the taken card back: none here"
    KNOCK_NOT_FOUND = "a knock that the best arrangement of eleven cards hides there"
    LONG_RUN = "a run of six or more: one meld here, laid down in pieces there"
    UPCARDS_TAKEN = "fifty upcards taken: play goes on here, over there"


@functools.cache
def game(rules: Ruleset) -> Any:  # noqa: ANN401 - nothing there is typed
    """OpenSpiel's game under the nearest rules it has."""
    return pyspiel.load_game(
        "gin_rummy",
        {
            "oklahoma": rules.knock_limit_from_upcard,
            "knock_card": rules.knock_limit,
            "gin_bonus": rules.gin_bonus,
            "undercut_bonus": rules.undercut_bonus,
        },
    )


def play(
    rules: Ruleset, deck: Sequence[Card], choose: Choose, known: Counter[Divergence]
) -> RoundResult | None:
    """Play a deal at both engines and count what is known to differ.

    Returns:
        How the round ended here; None when it ended there alone.
    """
    theirs = game(rules).new_initial_state()
    # They deal all cards of a player at once.
    for card in (*deck[0:20:2], *deck[1:20:2], deck[20]):
        theirs.apply_action(_ACTION[card])
    ours, upcards_taken = deal(rules, deck, DEALER, NON_DEALER), 0
    while not isinstance(ours.phase, RoundOver):
        seat = ours.to_act
        assert seat is not None
        if theirs.is_terminal():
            assert upcards_taken == gin_rummy.MAX_NUM_DRAW_UPCARD_ACTIONS
            assert theirs.returns() == [0, 0]
            known[Divergence.UPCARDS_TAKEN] += 1
            return None
        _compare_tables(ours, theirs)
        moves = legal_moves(ours, rules, seat)
        hidden = _compare_moves(ours, seat, moves, theirs, known)
        may = [move for move in moves if not (hidden and isinstance(move, Knock))]
        move = choose(ours, may)
        after = apply_move(ours, rules, seat, move)
        _follow(after, move, theirs)
        if isinstance(ours.phase, Draw):
            upcards_taken += isinstance(move, DrawUpcard)
        ours = after
    result = ours.phase.result
    if result.outcome is Outcome.WALL:
        _pass_the_wall(theirs, known)
    elif result.showdown is not None:
        _lay_down(result, theirs, known)
    _compare_scores(result, theirs, known)
    return result


def _compare_tables(ours: Round, theirs: Any) -> None:  # noqa: ANN401
    """Both hands with their deadwood, the pile, the stock, and whose turn it is."""
    seat = ours.to_act
    assert seat is not None
    assert theirs.current_player() == PLAYERS[seat]
    hands = theirs.hands()
    assert [_cards(hand) for hand in hands] == list(ours.hands)
    for mine, hand in zip(ours.hands, hands, strict=True):
        if len(mine) == 10:
            assert deadwood(mine) == _UTILS.min_deadwood(hand), str(mine)
    assert theirs.stock_size() == ours.stock_count
    top = theirs.upcard()
    pile = [_CARD[card] for card in theirs.discard_pile()]
    assert (*pile, *([] if top is None else [_CARD[top]])) == ours.pile
    assert theirs.knock_card() == ours.knock_limit


def _compare_moves(
    ours: Round,
    seat: Seat,
    moves: Sequence[Move],
    theirs: Any,  # noqa: ANN401
    known: Counter[Divergence],
) -> bool:
    """Say whether a knock that is legal here is none there."""
    legal = set(theirs.legal_actions())
    if not isinstance(ours.phase, Throw):
        assert legal == {_action(move) for move in moves}
        return False
    knocks = {move.card for move in moves if isinstance(move, Knock)}
    throws: set[Card | None] = {
        move.card for move in moves if isinstance(move, Discard)
    }
    hand: set[Card | None] = set(ours.hand(seat))
    kept = hand - throws
    throws_there = legal - {gin_rummy.KNOCK_ACTION}
    assert _with_cards(throws_there) == hand
    if kept:
        known[Divergence.THROW_BACK] += 1
    if gin_rummy.KNOCK_ACTION in legal:
        ahead = theirs.child(gin_rummy.KNOCK_ACTION).legal_actions()
        assert knocks <= _with_cards(ahead) <= knocks | kept
        assert ahead
        if not knocks:
            known[Divergence.KNOCK_BY_THROW_BACK] += 1
        return False
    if knocks:
        _check_knocks(ours.hand(seat), knocks, ours.knock_limit)
        known[Divergence.KNOCK_NOT_FOUND] += 1
    return bool(knocks)


def _with_cards(actions: Collection[int]) -> set[Card | None]:
    return {_CARD[action] for action in actions}


def _check_knocks(hand: CardSet, knocks: set[Card | None], limit: int) -> None:
    """Where they see no knock, every arrangement has to show that there is one."""
    left = least_deadwood_without_each(mask(*map(str, hand)))
    assert all(left[mask(str(card))] <= limit for card in knocks)


def _follow(after: Round, move: Move, theirs: Any) -> None:  # noqa: ANN401
    """Make the move there too; chance draws what our deck holds."""
    match move:
        case Knock():
            assert move.card is not None
            theirs.apply_action(gin_rummy.KNOCK_ACTION)
            theirs.apply_action(_ACTION[move.card])
        case DrawStock():
            theirs.apply_action(gin_rummy.DRAW_STOCK_ACTION)
            assert isinstance(after.phase, Throw)
            assert theirs.is_chance_node()
            theirs.apply_action(_ACTION[after.phase.drawn])
        case _:
            theirs.apply_action(_action(move))


def _pass_the_wall(theirs: Any, known: Counter[Divergence]) -> None:  # noqa: ANN401
    assert theirs.current_phase() == gin_rummy.Phase.WALL
    legal = set(theirs.legal_actions())
    assert legal <= {gin_rummy.PASS_ACTION, gin_rummy.KNOCK_ACTION}
    known[Divergence.WALL] += 1
    if gin_rummy.KNOCK_ACTION in legal:
        known[Divergence.WALL_KNOCK] += 1
    theirs.apply_action(gin_rummy.PASS_ACTION)


def _lay_down(
    result: RoundResult,
    theirs: Any,  # noqa: ANN401
    known: Counter[Divergence],
) -> None:
    """Lay the knocker's melds, the layoffs and the defender's melds down there."""
    shown = result.showdown
    assert shown is not None
    _meld(shown.arrangement.melds, theirs, known)
    assert theirs.current_phase() == gin_rummy.Phase.LAYOFF
    assert theirs.current_player() == PLAYERS[shown.defender]
    # Against gin nothing can be laid off, and they do not ask.
    assert theirs.finished_layoffs() == (not shown.arrangement.points)
    if shown.arrangement.points:
        _lay_off(shown, theirs)
    _meld(shown.spread.melds, theirs, known)
    assert theirs.is_terminal()


def _meld(
    melds: Sequence[Meld],
    theirs: Any,  # noqa: ANN401
    known: Counter[Divergence],
) -> None:
    for meld in melds:
        pieces = list(_pieces(list(meld.cards)))
        if len(pieces) > 1:
            known[Divergence.LONG_RUN] += 1
        for piece in pieces:
            action = gin_rummy.MELD_ACTION_BASE + _UTILS.meld_to_int(piece)
            assert action in theirs.legal_actions()
            theirs.apply_action(action)
    theirs.apply_action(gin_rummy.PASS_ACTION)


def _pieces(cards: Sequence[Card]) -> Iterator[list[int]]:
    """Cut a run into melds of three to five cards."""
    rest = [_ACTION[card] for card in cards]
    while len(rest) > _LONGEST_PIECE:
        yield rest[:3]
        rest = rest[3:]
    yield rest


def _lay_off(shown: Showdown, theirs: Any) -> None:  # noqa: ANN401
    """Compare what can be laid off first, then lay off what we have chosen."""
    hand = mask(*map(str, shown.defender_hand))
    melds = [mask(*map(str, meld.cards)) for meld in shown.arrangement.melds]
    first = {card for meld in melds for card, _ in GROWN[meld] if card & hand}
    *cards, last = sorted(theirs.legal_actions())
    assert {mask(str(_CARD[card])) for card in cards} == first
    assert last == gin_rummy.PASS_ACTION
    for layoff in shown.spread.layoffs:
        assert _ACTION[layoff.card] in theirs.legal_actions()
        theirs.apply_action(_ACTION[layoff.card])
    theirs.apply_action(gin_rummy.PASS_ACTION)


def _compare_scores(
    result: RoundResult,
    theirs: Any,  # noqa: ANN401
    known: Counter[Divergence],
) -> None:
    scores = [0, 0]
    if result.winner is not None:
        scores[PLAYERS[result.winner]] = result.points
        scores[1 - PLAYERS[result.winner]] = -result.points
    shown = result.showdown
    if shown is not None:
        left = theirs.deadwood()
        for seat in (shown.knocker, shown.defender):
            assert left[PLAYERS[seat]] == shown.deadwood(seat)
        if 0 < shown.arrangement.points == shown.spread.points:
            assert theirs.returns() == [0, 0]
            known[Divergence.TIE] += 1
            return
    assert theirs.returns() == scores


def _action(move: Move) -> int:
    match move:
        case Discard():
            return _ACTION[move.card]
        case DrawUpcard():
            return int(gin_rummy.DRAW_UPCARD_ACTION)
        case DrawStock():
            return int(gin_rummy.DRAW_STOCK_ACTION)
        case _:
            return int(gin_rummy.PASS_ACTION)


def _cards(actions: Sequence[int]) -> CardSet:
    return CardSet.of(_CARD[action] for action in actions)
