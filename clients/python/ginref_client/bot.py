"""What a bot author writes: a class that chooses a move from a view."""

import re
from abc import ABC, abstractmethod

from ginref.engine.move import Move
from ginref.engine.view import SeatView
from ginref_client.fact import FinishedMatch, FinishedRound, MatchInfo, TurnClock


class Bot(ABC):
    """A player of one seat: one object plays one match.

    Only `choose` must be written. It is called in a thread of its own, for one turn
    after another, so it may take its time; the other methods are called in between,
    and do nothing unless overridden.

    A bot that raises, or chooses what the rules do not allow, does not lose its
    seat at once: a harmless move is made in its place. After the third time in one
    match it resigns that match.

    Attributes:
        name: What to call the bot where the referee does not say; by default the
            name of its class in small letters.
        clock: How long it may think about the turn at hand; None in local play. It
            may change while the bot thinks: time is given back after an outage.
    """

    name: str = ""
    clock: TurnClock | None = None

    def __init_subclass__(cls) -> None:
        """Name the class, unless it names itself."""
        super().__init_subclass__()
        if "name" not in cls.__dict__:
            cls.name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()

    @abstractmethod
    def choose(self, view: SeatView) -> Move:
        """Return the move to make: one of `view.legal`, or a knock with melds."""

    # The rest is there to be overridden, and does nothing by itself.

    def match_started(self, info: MatchInfo) -> None:  # noqa: B027
        """Hear that play begins."""

    def round_over(self, ended: FinishedRound) -> None:  # noqa: B027
        """Hear how a round ended, and see both hands if it ended in a knock."""

    def match_over(self, result: FinishedMatch) -> None:  # noqa: B027
        """Hear how the match ended."""
