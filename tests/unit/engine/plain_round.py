"""A round of gin played the plain way: cards are words, and every meld is tried.

It takes nothing from the engine but a shuffled deck, and is too slow for anything
but checking it. Run as a program from the repository's root, it prints the counts
of `tests/golden/perft.txt` anew:

    python -m tests.unit.engine.plain_round
"""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

from ginref.engine.deck import derive_deck, seed_secret
from ginref.engine.ruleset import Ruleset, preset

PERFT = Path(__file__).parents[2] / "golden" / "perft.txt"

RANKS, SUITS = "A23456789TJQK", "shdc"
PACK = [rank + suit for suit in SUITS for rank in RANKS]

Hand = frozenset[str]

SETS = [
    frozenset(cards)
    for rank in RANKS
    for size in (3, 4)
    for cards in combinations([rank + suit for suit in SUITS], size)
]
RUNS = [
    frozenset(rank + suit for rank in RANKS[low:end])
    for suit in SUITS
    for low in range(13)
    for end in range(low + 3, 14)
]


def points(card: str) -> int:
    return min(RANKS.index(card[0]) + 1, 10)


def total(cards: Hand) -> int:
    return sum(map(points, cards))


@cache
def least_deadwood(hand: Hand) -> int:
    """Take away one meld after another, in every possible way."""
    left = [least_deadwood(hand - meld) for meld in SETS + RUNS if meld <= hand]
    return min([total(hand), *left])


def arrangements(hand: Hand) -> Iterator[Hand]:
    """What is left of a hand by every way to meld some of it, or nothing."""
    yield hand
    for meld in SETS + RUNS:
        if meld <= hand:
            yield from arrangements(hand - meld)


def least_after_layoffs(hand: Hand, melds: list[Hand]) -> int:
    """The deadwood of a defender who melds and lays off as well as can be."""
    return min(_lay_off(rest, melds) for rest in set(arrangements(hand)))


def _lay_off(rest: Hand, melds: list[Hand]) -> int:
    """Try every card on every meld, for as long as any fits."""
    tries = [
        _lay_off(rest - {card}, [*melds[:at], longer, *melds[at + 1 :]])
        for card in rest
        for at, meld in enumerate(melds)
        if (longer := meld | {card}) in SETS or longer in RUNS
    ]
    return min([total(rest), *tries])


@dataclass(frozen=True, kw_only=True)
class PlainRound:
    """A round before some move.

    Attributes:
        rules: The options of its ruleset, by name.
        deck: Its cards from the top, dealt ones too.
        hands: What each side holds: "N", the non-dealer, and "D", the dealer.
        gone: How many cards have left the deck.
        pile: The discard pile, its top last.
        to_act: The side that decides.
        asks: What about: "upcard", "forced", "draw", "throw", or "" at the end.
        taken: The card just taken from the pile.
        turns: How many turns are over.
    """

    rules: Mapping[str, Any]
    deck: list[str]
    hands: Mapping[str, Hand]
    gone: int = 21
    pile: tuple[str, ...]
    to_act: str = "N"
    asks: str = "upcard"
    taken: str = ""
    turns: int = 0

    @property
    def knock_limit(self) -> int:
        limit: int = self.rules["knock_limit"]
        if not self.rules["knock_limit_from_upcard"]:
            return limit
        if self.deck[20][0] == "A" and self.rules["ace_limit"] == "gin_only":
            return 0
        return min(limit, points(self.deck[20]))

    def moves(self) -> list[str]:
        if self.asks == "throw":
            return self._throws()
        draws = {"draw": ["draw_upcard", "draw_stock"], "forced": ["draw_stock"]}
        draws["upcard"] = ["pass", "draw_upcard"]
        return draws.get(self.asks, [])

    def _throws(self) -> list[str]:
        hand = self.hands[self.to_act]
        may = sorted(hand)
        if self.taken and not self.rules["may_discard_taken_card"]:
            may.remove(self.taken)
        limit = self.knock_limit
        low = [card for card in may if least_deadwood(hand - {card}) <= limit]
        moves = [f"discard {card}" for card in may]
        moves += [f"knock {card}" for card in low]
        if self.rules["big_gin_bonus"] is not None and least_deadwood(hand) == 0:
            moves.append("knock")
        return moves

    def after(self, move: str) -> "PlainRound":
        kind, _, card = move.partition(" ")
        other = "D" if self.to_act == "N" else "N"
        hand = self.hands[self.to_act]
        if kind == "pass":
            asks = "upcard" if self.to_act == "N" else "forced"
            return replace(self, to_act=other, asks=asks)
        if kind == "draw_upcard":
            top = self.pile[-1]
            taking = replace(self, asks="throw", taken=top, pile=self.pile[:-1])
            return taking.holding(hand | {top})
        if kind == "draw_stock":
            drawing = replace(self, asks="throw", taken="", gone=self.gone + 1)
            return drawing.holding(hand | {self.deck[self.gone]})
        if kind == "knock":
            return replace(self, asks="")
        thrown = replace(self, pile=(*self.pile, card), turns=self.turns + 1)
        thrown = thrown.holding(hand - {card})
        wall = 52 - self.gone <= self.rules["wall"]
        over = wall or thrown.turns >= self.rules["turn_limit"]
        return replace(thrown, to_act=other, asks="" if over else "draw")

    def holding(self, hand: Hand) -> "PlainRound":
        return replace(self, hands={**self.hands, self.to_act: hand})

    def count(self, depth: int) -> int:
        """How many sequences of so many moves are legal from here."""
        if depth == 0:
            return 1
        return sum(self.after(move).count(depth - 1) for move in self.moves())


def deal(ruleset: Ruleset, seed: str) -> PlainRound:
    """The first deal of a seed."""
    deck = [str(card) for card in derive_deck(seed_secret(seed), 0)]
    hands = {"N": frozenset(deck[0:20:2]), "D": frozenset(deck[1:20:2])}
    rules = ruleset.to_dict()
    return PlainRound(rules=rules, deck=deck, hands=hands, pile=(deck[20],))


@dataclass(frozen=True)
class Start:
    """Where counting starts: a line of the file, up to its counts.

    Attributes:
        rules: A preset, then options that differ from it, apart by commas.
        seed: The seed of the deal.
        turns: How many turns are played before.
    """

    rules: str
    seed: str
    turns: int

    @property
    def ruleset(self) -> Ruleset:
        name, *options = self.rules.split(",")
        changes: dict[str, object] = {"name": "perft"}
        for option in options:
            key, _, value = option.partition("=")
            changes[key] = value == "true" if value in {"true", "false"} else int(value)
        return preset(name).but(**changes)

    def opening(self) -> list[str]:
        """The moves before: both refuse the upcard, draw and throw the dearest card.

        Of several dearest cards they throw the first one in the order of the pack.
        """
        if not self.turns:
            return []
        round_, moves = deal(self.ruleset, self.seed), ["pass", "pass"]
        for move in moves:
            round_ = round_.after(move)
        while round_.turns < self.turns:
            round_ = round_.after("draw_stock")
            hand = round_.hands[round_.to_act]
            dearest = max(sorted(hand, key=PACK.index), key=points)
            round_ = round_.after(f"discard {dearest}")
            moves += ["draw_stock", f"discard {dearest}"]
        return moves

    def round(self) -> PlainRound:
        round_ = deal(self.ruleset, self.seed)
        for move in self.opening():
            round_ = round_.after(move)
        return round_


def read_perft() -> list[tuple[Start, list[int]]]:
    """The starts of the file, each with its counts from depth 1 on."""
    lines = PERFT.read_text(encoding="utf-8").splitlines()
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    return [
        (Start(rules, seed, int(turns)), [int(count) for count in counts])
        for rules, seed, turns, *counts in rows
    ]


def main() -> None:
    for start, counts in read_perft():
        round_ = start.round()
        found = [round_.count(depth + 1) for depth in range(len(counts))]
        words = [start.rules, start.seed, start.turns, *found]
        sys.stdout.write(" ".join(map(str, words)) + "\n")


if __name__ == "__main__":
    main()
