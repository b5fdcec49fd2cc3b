"""The rules of gin rummy and its variants: frozen values and pure functions.

Here is what plays matches. What looks closer has a module of its own: deadwood,
melds and layoffs, single rounds, score sheets, notation, snapshots.
"""

from ginref.engine.card import Card, CardSet
from ginref.engine.deadwood import Arrangement, best_arrangement
from ginref.engine.deck import derive_deck, seed_secret
from ginref.engine.error import (
    EngineError,
    IllegalMoveError,
    NotationError,
    RulesetError,
)
from ginref.engine.match import Match, apply, legal_moves, start_match
from ginref.engine.move import (
    DRAW_STOCK,
    DRAW_UPCARD,
    PASS,
    Discard,
    Knock,
    Move,
    parse_move,
)
from ginref.engine.ruleset import (
    GIN,
    HOLLYWOOD,
    OKLAHOMA,
    THREE_HANDED,
    Ruleset,
    preset,
)
from ginref.engine.seat import Seat
from ginref.engine.view import SeatView, view_for

__all__ = [
    "DRAW_STOCK",
    "DRAW_UPCARD",
    "GIN",
    "HOLLYWOOD",
    "OKLAHOMA",
    "PASS",
    "THREE_HANDED",
    "Arrangement",
    "Card",
    "CardSet",
    "Discard",
    "EngineError",
    "IllegalMoveError",
    "Knock",
    "Match",
    "Move",
    "NotationError",
    "Ruleset",
    "RulesetError",
    "Seat",
    "SeatView",
    "apply",
    "best_arrangement",
    "derive_deck",
    "legal_moves",
    "parse_move",
    "preset",
    "seed_secret",
    "start_match",
    "view_for",
]
