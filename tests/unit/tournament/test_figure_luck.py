from collections.abc import Iterator, Sequence
from statistics import fmean, pvariance

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ginref.engine.card import PACK, Card
from ginref.engine.deadwood import discard_deadwoods
from ginref.engine.deck import derive_deck
from ginref.engine.match import Match, apply, legal_moves, start_match
from ginref.engine.move import PASS, Discard, DrawStock, Knock, Move
from ginref.engine.ruleset import GIN
from ginref.engine.seat import Seat
from ginref.engine.transcript import Position
from ginref.tournament.figure_luck import USUAL, Luck, LuckRule, lucks_of

DECKS = st.permutations(PACK)


def choose(match: Match, seat: Seat) -> Move:
    """Draw from the stock, keep the least deadwood, knock as soon as possible."""
    options = legal_moves(match, seat)
    left = discard_deadwoods(match.round.hand(seat))

    def worth(move: Move) -> tuple[int, int, str]:
        kinds = [Knock, Discard, DrawStock, type(PASS)]
        rank = kinds.index(type(move)) if type(move) in kinds else len(kinds)
        card = move.card if isinstance(move, Knock | Discard) else None
        return rank, 0 if card is None else left[card], str(move)

    return min(options, key=worth)


def play(decks: Sequence[Sequence[Card]]) -> Iterator[Position]:
    """Play a match of as many boards as there are decks."""
    rules = GIN.but(name="boards", boards=len(decks), next_dealer="board_parity")
    known = [tuple(deck) for deck in decks]
    match = start_match(rules, (Seat.NORTH, Seat.SOUTH), Seat.NORTH, known.__getitem__)
    number = 0
    while not match.over:
        if match.round_number != number:
            number = match.round_number
            yield Position(match, None, None, None)
        before, seat = match, match.to_act
        assert seat is not None
        move = choose(match, seat)
        match = apply(match, seat, move, known.__getitem__)
        yield Position(match, seat, move, before)


def draws_in(positions: Sequence[Position]) -> list[Position]:
    return [one for one in positions if isinstance(one.move, DrawStock)]


@given(DECKS)
@settings(max_examples=15)
def test_a_draw_is_as_lucky_as_unlucky_over_all_cards_that_might_come(
    deck: list[Card],
) -> None:
    positions = list(play([deck]))

    for drawn in draws_in(positions)[:3]:
        before, seat = drawn.before, drawn.seat
        assert before is not None
        assert seat is not None
        at = before.round.drawn
        stock = before.round.deck[at:]
        lucks = []
        for turn in range(len(stock)):
            turned = (*before.round.deck[:at], *stock[turn:], *stock[:turn])
            other = before._replace(round=before.round._replace(deck=turned))
            (luck,) = lucks_of([positions[0], drawn._replace(before=other)])
            lucks.append(luck.draws)
        assert fmean(lucks) == pytest.approx(0, abs=1e-9)


@given(DECKS)
@settings(max_examples=30)
def test_with_hands_exchanged_the_luck_of_the_deal_is_the_other_sides(
    deck: list[Card],
) -> None:
    exchanged = list(deck)
    for at in range(0, 20, 2):
        exchanged[at], exchanged[at + 1] = exchanged[at + 1], exchanged[at]

    (mine,) = lucks_of(list(play([deck]))[:1])
    (theirs,) = lucks_of(list(play([exchanged]))[:1])

    assert mine.deal == -theirs.deal
    assert mine.draws == theirs.draws == 0


def test_each_board_has_its_own_luck() -> None:
    decks = [derive_deck(b"luck", board) for board in range(6)]

    together = lucks_of(play(decks))

    assert len(together) == 6
    alone = [luck for board in (0, 2, 4) for luck in lucks_of(play([decks[board]]))]
    assert list(together[::2]) == alone


def test_without_luck_results_vary_less_and_agree_on_average() -> None:
    decks = [derive_deck(b"many boards", board) for board in range(100)]
    positions = list(play(decks))
    history = positions[-1].match.history
    nets = [
        0
        if one.winner is None
        else one.points * (1 if one.winner is Seat.NORTH else -1)
        for one in history
    ]

    lucks = lucks_of(positions)

    without = [net - USUAL.points(luck) for net, luck in zip(nets, lucks, strict=True)]
    assert pvariance(without) < 0.8 * pvariance(nets)
    assert abs(fmean(without) - fmean(nets)) < 4


def test_a_rule_says_what_luck_is_worth() -> None:
    assert LuckRule(deal=0.5, draws=2).points(Luck(10, -3)) == -1
