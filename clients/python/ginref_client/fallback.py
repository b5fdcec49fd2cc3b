"""The harmless move that is made where a bot has none."""

from ginref.engine.move import Discard, Move
from ginref.engine.view import SeatView


def harmless_move(view: SeatView) -> Move:
    """Return a legal move that commits to nothing: pass, draw, or throw dead weight.

    It throws the dearest card among those whose loss costs the hand least.

    Raises:
        ValueError: It is not the seat's turn.
    """
    if view.discards:
        return Discard(view.discards[0].card)
    for move in (view.pass_turn, view.draw_stock, view.draw_upcard):
        if move is not None:
            return move
    message = "a move was asked for out of turn"
    raise ValueError(message)
