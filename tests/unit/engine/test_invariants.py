"""What holds in every round, whoever plays it and however badly."""

import copy
import functools
import pickle
import random
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.engine.brute_force import MELDS, texts

from ginref.engine.card import PACK, Card, CardSet, Suit
from ginref.engine.deadwood import (
    best_arrangement,
    deadwood,
    discard_deadwoods,
    knock_discards,
)
from ginref.engine.deck import derive_deck, seed_secret
from ginref.engine.layoff import defend
from ginref.engine.match import Match, apply, legal_moves, start_match
from ginref.engine.meld import DeclaredMeld, Meld, find_meld
from ginref.engine.move import DRAW_STOCK, PASS, Discard, Knock, Move, parse_move
from ginref.engine.round import Round
from ginref.engine.ruleset import HOLLYWOOD, OKLAHOMA, Ruleset
from ginref.engine.seat import Seat
from ginref.engine.showdown import Outcome
from ginref.engine.snapshot import encode
from ginref.engine.view import view_for

SEATS = tuple(Seat)[:2]
UNDECIDED = {Outcome.WALL, Outcome.TURN_CAP, Outcome.TIE}
SHORT = HOLLYWOOD.but(name="short", turn_limit=9)
STATES = (
    st.integers(0, 10_000),
    st.integers(0, 500),
    st.sampled_from([HOLLYWOOD, OKLAHOMA, SHORT]),
)

MELDS_OF_THE_PACK = [CardSet.parse(" ".join(texts(meld))) for meld in MELDS]
PERMUTATIONS = st.permutations(list(Suit))

Suits = Sequence[Suit]
Reach = Callable[..., Match]


def relabelled(card: Card, suits: Suits) -> Card:
    return Card(card.rank, suits[card.suit])


def relabelled_set(cards: CardSet, suits: Suits) -> CardSet:
    return CardSet.of(relabelled(card, suits) for card in cards)


def relabelled_meld(meld: Meld, suits: Suits) -> Meld:
    found = find_meld(relabelled_set(meld.cards, suits))
    assert found is not None
    return found


@st.composite
def showdowns(draw: st.DrawFn) -> tuple[list[Meld], CardSet]:
    """Melds of a knocker, and ten cards that often fit them."""
    chosen: list[CardSet] = []
    for cards in draw(st.lists(st.sampled_from(MELDS_OF_THE_PACK), max_size=6)):
        used = sum(map(len, chosen)) + len(cards)
        if used <= 10 and not any(cards & other for other in chosen):
            chosen.append(cards)
    melds = [meld for cards in chosen if (meld := find_meld(cards)) is not None]
    taken = CardSet.of(card for cards in chosen for card in cards)
    rest = [card for card in PACK if card not in taken]
    hand = draw(st.sets(st.sampled_from(rest), min_size=10, max_size=10))
    return melds, CardSet.of(hand)


@given(showdowns(), PERMUTATIONS)
def test_other_names_for_the_suits_leave_every_number_as_it_was(
    showdown: tuple[list[Meld], CardSet], suits: list[Suit]
) -> None:
    melds, hand = showdown
    named = relabelled_set(hand, suits)
    eleven = hand.add(next(card for card in PACK if card not in hand))

    left = discard_deadwoods(relabelled_set(eleven, suits))
    assert left == {
        relabelled(card, suits): points
        for card, points in discard_deadwoods(eleven).items()
    }
    assert set(knock_discards(relabelled_set(eleven, suits), 10, None)) == {
        relabelled(card, suits) for card in knock_discards(eleven, 10, None)
    }
    spread = defend([relabelled_meld(meld, suits) for meld in melds], named)
    assert spread.points == defend(melds, hand).points


@given(showdowns())
def test_a_layoff_leaves_the_rest_as_good_as_it_was(
    showdown: tuple[list[Meld], CardSet],
) -> None:
    melds, hand = showdown
    spread = defend(melds, hand)

    assert spread.points <= deadwood(hand)
    for layoff in spread.layoffs:
        grown = find_meld(melds[layoff.meld].cards.add(layoff.card))
        assert grown is not None
        melds[layoff.meld] = grown
        hand = hand.remove(layoff.card)
        assert defend(melds, hand).points == spread.points


@pytest.mark.parametrize(
    "copied",
    [
        pytest.param(copy.deepcopy, id="copied"),
        pytest.param(lambda match: pickle.loads(pickle.dumps(match)), id="pickled"),
    ],
)
def test_a_copy_of_a_match_goes_on_like_the_match(
    copied: Callable[[Match], Match], reach: Reach
) -> None:
    def deck_for(k: int) -> tuple[Card, ...]:
        return derive_deck(seed_secret("1"), k)

    match = reach(1, 0)
    for move in (PASS, PASS, DRAW_STOCK):
        seat, twin = match.to_act, copied(match)
        assert seat is not None
        match = apply(match, seat, move, deck_for)
        assert apply(twin, seat, move, deck_for) == match
        assert [view_for(copied(match), each) for each in match.seats] == [
            view_for(match, each) for each in match.seats
        ]


@given(*STATES)
@settings(max_examples=60)
def test_a_round_has_a_winner_with_points_or_neither(
    reach: Reach, seed: int, moves: int, rules: Ruleset
) -> None:
    most = (rules.gin_bonus + 98) * (2 if rules.spades_double else 1)

    for summary in reach(seed, moves, rules).history:
        if summary.outcome in UNDECIDED:
            assert (summary.winner, summary.points) == (None, 0)
        else:
            assert summary.winner in SEATS
            assert 1 <= summary.points <= most


@given(*STATES)
@settings(max_examples=60)
def test_the_stock_is_never_drawn_below_the_wall(
    reach: Reach, seed: int, moves: int, rules: Ruleset
) -> None:
    round_: Round = reach(seed, moves, rules).round

    assert 0 <= round_.drawn - 21 <= 29
    assert round_.turns <= rules.turn_limit
    assert round_.stock_count >= rules.wall


Decks = Callable[[int], tuple[Card, ...]]


def play(match: Match, moves: Sequence[Move], decks: Decks) -> Match:
    for move in moves:
        assert match.to_act is not None
        match = apply(match, match.to_act, move, decks)
    return match


def written_down(seed: int, count: int, rules: Ruleset) -> tuple[Match, list[Move]]:
    """A match some moves after its start, and those moves; all melds are declared."""
    chance, moves = random.Random(seed), list[Move]()
    match = start_match(rules, SEATS, Seat.NORTH, decks_of(seed))
    while match.to_act is not None and len(moves) < count:
        move = _choose(match, match.to_act, chance)
        match = apply(match, match.to_act, move, decks_of(seed))
        moves.append(move)
    return match, moves


def decks_of(seed: int) -> Decks:
    return functools.partial(derive_deck, seed_secret(str(seed)))


def _choose(match: Match, seat: Seat, chance: random.Random) -> Move:
    legal = legal_moves(match, seat)
    hand = match.round.hand(seat)
    if len(hand) == 10:
        return chance.choice(legal)
    knocks = [move.card for move in legal if isinstance(move, Knock)]
    for card in knocks:
        assert card is not None
        melds = best_arrangement(hand.remove(card)).melds
        return Knock(card, tuple(map(DeclaredMeld.of, melds)))
    left = discard_deadwoods(hand)
    throws = [move for move in legal if isinstance(move, Discard)]
    return min(throws, key=lambda move: left[move.card])


@given(*STATES)
@settings(max_examples=30)
def test_the_same_seed_and_the_same_written_moves_lead_to_the_same_match(
    seed: int, count: int, rules: Ruleset
) -> None:
    match, moves = written_down(seed, count, rules)
    read = [parse_move(str(move)) for move in moves]

    start = start_match(rules, SEATS, Seat.NORTH, decks_of(seed))
    again = play(start, read, decks_of(seed))

    assert encode(again) == encode(match)
    assert again == match


@given(*STATES, PERMUTATIONS)
@settings(max_examples=30)
def test_other_names_for_the_suits_leave_a_match_as_it_was(
    seed: int, count: int, rules: Ruleset, suits: list[Suit]
) -> None:
    rules = rules.but(spades_double=False)
    match, moves = written_down(seed, count, rules)

    def decks(k: int) -> tuple[Card, ...]:
        return tuple(relabelled(card, suits) for card in decks_of(seed)(k))

    start = start_match(rules, SEATS, Seat.NORTH, decks)
    again = play(start, [_relabelled_move(move, suits) for move in moves], decks)

    assert again.history == match.history
    assert again.sheet == match.sheet
    assert again.to_act == match.to_act


def _relabelled_move(move: Move, suits: Suits) -> Move:
    if isinstance(move, Discard):
        return Discard(relabelled(move.card, suits))
    if isinstance(move, Knock):
        assert move.card is not None
        melds = [
            DeclaredMeld(tuple(relabelled(card, suits) for card in meld.cards))
            for meld in move.melds or ()
        ]
        return Knock(relabelled(move.card, suits), tuple(melds))
    return move
