"""Legal moves counted and listed twice: by the engine, and the plain way."""

import random

import pytest
from tests.unit.engine.plain_round import Start, deal, read_perft

from ginref.engine.deck import derive_deck, seed_secret
from ginref.engine.move import parse_move
from ginref.engine.round import Round, apply_move, legal_moves
from ginref.engine.round import deal as deal_round
from ginref.engine.ruleset import GIN, OKLAHOMA, Ruleset
from ginref.engine.seat import Seat

DEALER, NON_DEALER = Seat.SOUTH, Seat.NORTH
RECOUNTED = 4
"""So many moves deep the plain way takes no time."""

STARTS = [
    pytest.param(start, counts, id=f"{start.rules} {start.seed} {start.turns}")
    for start, counts in read_perft()
]


def dealt(rules: Ruleset, seed: str) -> Round:
    deck = derive_deck(seed_secret(seed), 0)
    return deal_round(rules, deck, DEALER, NON_DEALER)


def after(round_: Round, rules: Ruleset, move: str) -> Round:
    assert round_.to_act is not None
    return apply_move(round_, rules, round_.to_act, parse_move(move))


def moves_of(round_: Round, rules: Ruleset) -> list[str]:
    if round_.to_act is None:
        return []
    return [str(move) for move in legal_moves(round_, rules, round_.to_act)]


def count(round_: Round, rules: Ruleset, depth: int) -> list[int]:
    """Sequences of each length up to the depth."""
    reached, counts = [round_], []
    for _ in range(depth - 1):
        reached = [
            after(each, rules, move)
            for each in reached
            for move in moves_of(each, rules)
        ]
        counts.append(len(reached))
    return [*counts, sum(len(moves_of(each, rules)) for each in reached)]


@pytest.mark.parametrize(("start", "counts"), STARTS)
def test_the_engine_allows_as_many_sequences_as_were_counted(
    start: Start, counts: list[int]
) -> None:
    round_ = dealt(start.ruleset, start.seed)
    for move in start.opening():
        round_ = after(round_, start.ruleset, move)

    assert count(round_, start.ruleset, len(counts)) == counts


@pytest.mark.parametrize(("start", "counts"), STARTS)
def test_the_plain_way_counts_the_same_again(start: Start, counts: list[int]) -> None:
    round_ = start.round()

    found = [round_.count(depth) for depth in range(1, RECOUNTED + 1)]

    assert found == counts[:RECOUNTED]


VARIANTS = [
    pytest.param(GIN, id="gin"),
    pytest.param(OKLAHOMA, id="oklahoma"),
    pytest.param(
        GIN.but(name="loose", may_discard_taken_card=True, big_gin_bonus=31, wall=0),
        id="loose",
    ),
]


@pytest.mark.parametrize("rules", VARIANTS)
@pytest.mark.parametrize("seed", range(4))
def test_a_whole_round_offers_the_same_moves_both_ways(
    rules: Ruleset, seed: int
) -> None:
    chance = random.Random(seed)
    plain, round_ = deal(rules, str(seed)), dealt(rules, str(seed))

    while moves := plain.moves():
        assert sorted(moves_of(round_, rules)) == sorted(moves)
        # Go on as long as possible: a knock would end the round.
        move = chance.choice([move for move in moves if "knock" not in move])
        plain, round_ = plain.after(move), after(round_, rules, move)

    assert round_.to_act is None
