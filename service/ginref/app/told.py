"""What a bot was told of a seat of its, and answered."""

from dataclasses import dataclass

from ginref.app.match_store import EntryId
from ginref.app.report import SeatReport
from ginref.engine.seat import Seat
from ginref.record.lifecycle import Stage


@dataclass(slots=True)
class Told:
    """What a bot was told of one seat.

    Attributes:
        place: Log entry up to which it was told; None before the first word.
        step_ms: When the store took the latest step up to there.
        stage: Stage in which it was last asked for something.
        started: It was told that play had begun.
        rounds: Finished rounds it knows of.
        owed: It is to be told again that it is its turn.
        credit_ms: Credit of the running clock that it knows of.
    """

    place: EntryId | None = None
    step_ms: int = 0
    stage: Stage | None = None
    started: bool = False
    rounds: int = 0
    owed: bool = False
    credit_ms: int = 0

    def has_lost(self, here: EntryId, step_ms: int) -> bool:
        """Say whether a match that has come to a place is not what was told of it."""
        if self.place is None:
            return False
        return here < self.place or (here == self.place and step_ms != self.step_ms)

    def forget(self) -> None:
        """Be as before the first word."""
        self.place, self.stage, self.started = None, None, False
        self.rounds, self.owed, self.credit_ms = 0, False, 0


@dataclass(frozen=True, slots=True)
class Answer:
    """What a bot was answered to an accepted move of a seat.

    Attributes:
        seat: The seat.
        version: Version that the move made.
        turn: The seat's next turn, if it is its turn again.
    """

    seat: Seat
    version: int
    turn: SeatReport | None
