"""Matches played by moves that are written out, each round on the same deck."""

from ginref.engine.card import Card
from ginref.engine.match import Match, apply, start_match
from ginref.engine.move import parse_move
from ginref.engine.ruleset import GIN, Ruleset
from ginref.engine.seat import Seat

DECK = tuple[Card, ...]


def play(match: Match, deck: DECK, *moves: str) -> Match:
    for text in moves:
        assert match.to_act is not None
        match = apply(match, match.to_act, parse_move(text), lambda _k: deck)
    return match


def started(deck: DECK, *moves: str, rules: Ruleset = GIN) -> Match:
    """A match dealt by North, so that South is offered the upcard; some moves on."""
    seats = (Seat.NORTH, Seat.SOUTH)
    return play(start_match(rules, seats, Seat.NORTH, lambda _k: deck), deck, *moves)
