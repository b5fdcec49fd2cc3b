"""The work that the engines are compared by, done by each in its own way.

The policy is the same for all: shuffle, then choose among the engine's own legal
moves at random until the round is over. A decision is one choice of a player; what
chance does is not counted.
"""

import functools
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import pyspiel
import rlcard
from pyspiel import gin_rummy
from rlcard.games.gin_rummy.game import GinRummyGame

from ginref.engine.card import PACK, Card, CardSet
from ginref.engine.deadwood import deadwood, discard_deadwoods
from ginref.engine.deck import derive_deck, seed_secret
from ginref.engine.match import DeckFor, Match, apply, start_match
from ginref.engine.match import legal_moves as legal_moves_of_match
from ginref.engine.move import Discard, Knock, Move
from ginref.engine.phase import Throw
from ginref.engine.round import Round, apply_move, deal, legal_moves
from ginref.engine.ruleset import GIN, HOLLYWOOD
from ginref.engine.seat import Seat

OURS, OPEN_SPIEL = "ginref", "OpenSpiel"
RLCARD, RLCARD_BARE = "RLCard", "RLCard, its game alone"
DECISIONS, ROUNDS, HANDS = "decisions", "rounds", "hands"

Counts = Mapping[str, int]
"""What was done, by unit."""

Work = Callable[[random.Random], Counts]

SEATS: Final = (Seat.NORTH, Seat.SOUTH)


@dataclass(frozen=True)
class Contest:
    """The same work at several engines; the first is ours.

    Attributes:
        name: What is done.
        work: How each engine does a few hundredths of a second of it.
        goals: How many times as fast ours has to be, by engine.
    """

    name: str
    work: Mapping[str, Work]
    goals: Mapping[str, float]


# --- random rounds ---------------------------------------------------------------


def play_ours(chance: random.Random, rounds: int = 40) -> Counts:
    decisions, pack, choose = 0, list(PACK), chance.choice
    for _ in range(rounds):
        chance.shuffle(pack)
        round_ = deal(GIN, pack, *SEATS)
        while (seat := round_.to_act) is not None:
            move = choose(legal_moves(round_, GIN, seat))
            round_ = apply_move(round_, GIN, seat, move)
            decisions += 1
    return {DECISIONS: decisions, ROUNDS: rounds}


_OPEN_SPIEL_GAME: Final = pyspiel.load_game(
    "gin_rummy",
    {"knock_card": 10, "gin_bonus": GIN.gin_bonus, "undercut_bonus": 10},
)


def play_open_spiel(chance: random.Random, rounds: int = 10) -> Counts:
    decisions, pack, choose = 0, list(range(52)), chance.choice
    for _ in range(rounds):
        chance.shuffle(pack)
        state, deck = _OPEN_SPIEL_GAME.new_initial_state(), iter(pack)
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(next(deck))
            else:
                state.apply_action(choose(state.legal_actions()))
                decisions += 1
    return {DECISIONS: decisions, ROUNDS: rounds}


_RLCARD_ADDING_UP: Final = 2
"""Actions below this one add a score up: a step there, and nobody's decision."""


def play_rlcard(chance: random.Random, rounds: int = 1) -> Counts:
    """By the interface that its bots are written for, observations included."""
    decisions, choose = 0, chance.choice
    environment = rlcard.make("gin-rummy", {"seed": chance.randrange(1 << 32)})
    for _ in range(rounds):
        state, _ = environment.reset()
        while not environment.is_over():
            action = choose(list(state["legal_actions"]))
            state, _ = environment.step(action)
            decisions += action >= _RLCARD_ADDING_UP
    return {DECISIONS: decisions, ROUNDS: rounds}


def play_rlcard_bare(chance: random.Random, rounds: int = 4) -> Counts:
    """By the game behind that interface, which observes less."""
    decisions, choose = 0, chance.choice
    game = GinRummyGame()
    game.np_random.seed(chance.randrange(1 << 32))
    for _ in range(rounds):
        game.init_game()
        while not game.is_over():
            action = choose(game.judge.get_legal_actions())
            game.step(action)
            decisions += action.action_id >= _RLCARD_ADDING_UP
    return {DECISIONS: decisions, ROUNDS: rounds}


# --- deadwood --------------------------------------------------------------------


def _draw_hands(*, dense: bool) -> list[list[Card]]:
    """Ten cards of the pack, or of six ranks in sequence."""
    chance = random.Random(10)
    hands = []
    for _ in range(5000):
        low = chance.randrange(8)
        dense_pack = [card for card in PACK if low <= card.rank < low + 6]
        hands.append(chance.sample(dense_pack if dense else PACK, 10))
    return hands


def deadwood_of_ours(hands: list[list[Card]]) -> Work:
    held = [CardSet.of(hand) for hand in hands]

    def work(_: random.Random) -> Counts:
        for hand in held:
            deadwood(hand)
        return {HANDS: len(held)}

    return work


def deadwood_of_open_spiel(hands: list[list[Card]]) -> Work:
    utils = gin_rummy.GinRummyUtils(13, 4, 10)
    held = [[utils.card_int(str(card)) for card in hand] for hand in hands]

    def work(_: random.Random) -> Counts:
        for hand in held:
            utils.min_deadwood(hand)
        return {HANDS: len(held)}

    return work


# --- ours alone ------------------------------------------------------------------


def decks_of(number: int) -> DeckFor:
    return functools.partial(derive_deck, seed_secret(f"bench {number}"))


def play_well(number: int) -> tuple[list[Match], list[Move]]:
    """A Hollywood match between careful bots: every position, and every move."""
    deck_for, chance = decks_of(number), random.Random(number)
    match = start_match(HOLLYWOOD, SEATS, Seat.NORTH, deck_for)
    positions, moves = [match], []
    while (seat := match.to_act) is not None:
        move = _choose(match, seat, chance)
        match = apply(match, seat, move, deck_for)
        positions.append(match)
        moves.append(move)
    return positions, moves


def _choose(match: Match, seat: Seat, chance: random.Random) -> Move:
    legal = legal_moves_of_match(match, seat)
    if not isinstance(match.round.phase, Throw):
        return chance.choice(legal)
    knocks = [move for move in legal if isinstance(move, Knock)]
    if knocks:
        return chance.choice(knocks)
    left = discard_deadwoods(match.round.hand(seat))
    throws = [move for move in legal if isinstance(move, Discard)]
    return min(throws, key=lambda move: (left[move.card], -move.card.points))


def replay(matches: list[list[Move]]) -> Work:
    def work(_: random.Random) -> Counts:
        for number, moves in enumerate(matches):
            deck_for = decks_of(number)
            match = start_match(HOLLYWOOD, SEATS, Seat.NORTH, deck_for)
            for move in moves:
                seat = match.to_act
                assert seat is not None
                match = apply(match, seat, move, deck_for)
            assert match.over
        return {"matches": len(matches), "moves": sum(map(len, matches))}

    return work


def knock(knocks: list[tuple[Round, Seat, Knock]]) -> Work:
    def work(_: random.Random) -> Counts:
        for round_, seat, move in knocks:
            apply_move(round_, HOLLYWOOD, seat, move)
        return {"showdowns": len(knocks)}

    return work


def contests() -> list[Contest]:
    played = [play_well(number) for number in range(5)]
    knocks = [
        (match.round, match.to_act, move)
        for positions, moves in played
        for match, move in zip(positions, moves, strict=False)
        if isinstance(move, Knock) and match.to_act is not None
    ]
    uniform, dense = _draw_hands(dense=False), _draw_hands(dense=True)
    return [
        Contest(
            "random rounds",
            {
                OURS: play_ours,
                OPEN_SPIEL: play_open_spiel,
                RLCARD: play_rlcard,
                RLCARD_BARE: play_rlcard_bare,
            },
            {OPEN_SPIEL: 3.0, RLCARD: 10.0},
        ),
        Contest(
            "deadwood, uniform",
            {
                OURS: deadwood_of_ours(uniform),
                OPEN_SPIEL: deadwood_of_open_spiel(uniform),
            },
            {OPEN_SPIEL: 1.0},
        ),
        Contest(
            "deadwood, dense",
            {OURS: deadwood_of_ours(dense), OPEN_SPIEL: deadwood_of_open_spiel(dense)},
            {OPEN_SPIEL: 1.0},
        ),
        Contest("knocks laid down", {OURS: knock(knocks)}, {}),
        Contest(
            "Hollywood replayed",
            {OURS: replay([moves for _, moves in played])},
            {},
        ),
    ]
