"""Whole rounds move by move beside OpenSpiel. `make prove-engine` plays many more."""

import os
import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest
from tests.differential.open_spiel import Divergence, play
from tests.unit.engine.brute_force import MELDS, texts

from ginref.engine.card import PACK, Card, CardSet
from ginref.engine.deadwood import deadwood, discard_deadwoods
from ginref.engine.meld import DeclaredMeld, find_meld
from ginref.engine.move import DRAW_UPCARD, Discard, Knock, Move
from ginref.engine.phase import Throw
from ginref.engine.round import Round
from ginref.engine.ruleset import GIN, OKLAHOMA, Ruleset

ROUNDS = int(os.environ.get("ROUNDS", "2400"))
SEED = os.environ.get("SEED", "1")

Shuffle = Callable[[random.Random], list[Card]]

MELDS_OF_THE_PACK = [
    CardSet.of(Card.parse(text) for text in texts(meld)) for meld in MELDS
]


@dataclass
class Bot:
    """Plays legal moves, more or less well.

    Attributes:
        chance: What it decides by.
        care: How often it draws and throws for the least deadwood.
        eagerness: How often it knocks when it can.
    """

    chance: random.Random
    care: float
    eagerness: float

    def choose(self, round_: Round, moves: Sequence[Move]) -> Move:
        assert round_.to_act is not None
        hand = round_.hand(round_.to_act)
        careful = self.chance.random() < self.care
        if not isinstance(round_.phase, Throw):
            return self._draw(round_, moves, hand) if careful else self._any(moves)
        knocks = [move for move in moves if isinstance(move, Knock)]
        if knocks and self.chance.random() < self.eagerness:
            return self._knock(round_, hand, self.chance.choice(knocks))
        throws = [move for move in moves if isinstance(move, Discard)]
        if not careful:
            return self._any(throws)
        left = discard_deadwoods(hand)
        return min(throws, key=lambda move: (left[move.card], -move.card.points))

    def _any(self, moves: Sequence[Move]) -> Move:
        return self.chance.choice(moves)

    def _draw(self, round_: Round, moves: Sequence[Move], hand: CardSet) -> Move:
        upcard = round_.upcard
        if DRAW_UPCARD in moves and upcard is not None:
            after = min(discard_deadwoods(hand.add(upcard)).values())
            if after < deadwood(hand):
                return DRAW_UPCARD
        return next(move for move in moves if move != DRAW_UPCARD)

    def _knock(self, round_: Round, hand: CardSet, knock: Knock) -> Knock:
        """Declare nothing, or melds that need not be the best ones."""
        assert knock.card is not None
        rest, melds = hand.remove(knock.card), []
        if self.chance.random() < 0.5:
            return knock
        here = [meld for meld in MELDS_OF_THE_PACK if meld & rest == meld]
        self.chance.shuffle(here)
        for cards in here:
            meld = find_meld(cards)
            if meld is not None and cards & rest == cards:
                melds.append(DeclaredMeld.of(meld))
                rest -= cards
        if rest.points > round_.knock_limit:
            return knock
        return Knock(knock.card, tuple(melds))


def any_deck(chance: random.Random) -> list[Card]:
    return chance.sample(PACK, 52)


def dense_deck(chance: random.Random) -> list[Card]:
    """All cards of six ranks in sequence on top, where nearly everything melds."""
    low = chance.randrange(8)
    deck = chance.sample(PACK, 52)
    return sorted(deck, key=lambda card: not low <= card.rank < low + 6)


CARELESS, CAREFUL = (0.0, 0.5), (0.9, 0.7)
LEARNER = (0.4, 0.4)
WITHOUT_DOUBLES = OKLAHOMA.but(spades_double=False)
STRICT = GIN.but(name="strict", knock_limit=5, gin_bonus=20, undercut_bonus=25)


@pytest.mark.parametrize(
    ("rules", "shuffle", "bots", "share", "expected"),
    [
        pytest.param(
            GIN,
            any_deck,
            CARELESS,
            3,
            {Divergence.THROW_BACK, Divergence.WALL},
            id="gin between careless bots",
        ),
        pytest.param(
            GIN,
            any_deck,
            CAREFUL,
            9,
            {Divergence.KNOCK_BY_THROW_BACK, Divergence.TIE},
            id="gin between careful bots",
        ),
        pytest.param(
            GIN,
            dense_deck,
            LEARNER,
            8,
            {
                Divergence.KNOCK_BY_THROW_BACK,
                Divergence.KNOCK_NOT_FOUND,
                Divergence.LONG_RUN,
                Divergence.TIE,
            },
            id="gin with dense hands",
        ),
        pytest.param(
            WITHOUT_DOUBLES,
            any_deck,
            CAREFUL,
            2,
            {Divergence.WALL},
            id="Oklahoma without doubled spades",
        ),
        pytest.param(
            STRICT,
            dense_deck,
            LEARNER,
            2,
            {Divergence.THROW_BACK, Divergence.WALL},
            id="a lower limit and other bonuses",
        ),
    ],
)
def test_a_round_goes_the_same_way_at_both_engines(  # noqa: PLR0913, PLR0917
    request: pytest.FixtureRequest,
    rules: Ruleset,
    shuffle: Shuffle,
    bots: tuple[float, float],
    share: int,
    expected: set[Divergence],
) -> None:
    known: Counter[Divergence] = Counter()
    endings: Counter[str] = Counter()
    for number in range(ROUNDS * share // 24):
        chance = random.Random(f"{request.node.name} {SEED} {number}")
        bot = Bot(chance, *bots)
        try:
            result = play(rules, shuffle(chance), bot.choose, known)
        except AssertionError as error:
            error.add_note(f"in round {number} of seed {SEED}")
            raise
        endings[result.outcome if result else "only there"] += 1

    _tell(endings)
    _tell(known)
    assert expected <= set(known)


def _tell(counts: Counter[Divergence] | Counter[str]) -> None:
    for kind, count in counts.most_common():
        sys.stdout.write(f"{count:8} {kind}\n")
