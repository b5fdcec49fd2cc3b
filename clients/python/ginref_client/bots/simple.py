"""A modest player: it looks at its own cards only."""

from ginref.engine.move import Discard, Move
from ginref.engine.view import SeatView
from ginref_client.bot import Bot


class Simple(Bot):
    """Takes what saves points, throws the dearest loose card, knocks when it can."""

    def choose(self, view: SeatView) -> Move:
        """Return the obvious move."""
        if view.drawn is None:
            if view.upcard_saves and view.draw_upcard:
                return view.draw_upcard
            return view.pass_turn or view.draw_stock or view.legal[0]
        return view.best_knock or Discard(view.discards[0].card)
