"""A turn that a seat thinks about, and how long it may."""

from dataclasses import dataclass, field, replace

from ginref.engine.move import Move
from ginref.engine.seat import Seat
from ginref.engine.view import SeatView
from ginref.v1 import view_pb2
from ginref_client.bot import Bot
from ginref_client.fact import TurnClock
from ginref_client.wire import milliseconds, seat_to_wire


@dataclass(slots=True)
class Turn:
    """A turn that is thought about, and the moves that were tried in it.

    Attributes:
        version: Version of the match that it is for.
        view: What the seat may know.
        clock: How much time there is, with what was credited so far.
        deadline_ms: When it ends, by the referee's time.
        thinker: The bot that was asked for a move; None while nobody thinks.
        tried: The moves.
    """

    version: int
    view: SeatView
    clock: TurnClock
    deadline_ms: int
    thinker: Bot | None = None
    tried: list[Move] = field(default_factory=list)

    @classmethod
    def of(cls, message: view_pb2.SeatView, view: SeatView) -> "Turn":
        """Return the turn that a message tells of, whose view has been read."""
        clock = _clock(message, view.seat)
        return cls(message.version, view, clock, milliseconds(message.clock.deadline))

    def think(self, bot: Bot) -> None:
        """Tell a bot how much time it has; it is told of more while it thinks."""
        self.thinker = bot
        bot.clock = self.clock

    def last_until(self, deadline_ms: int) -> None:
        """Take note of a new deadline, after time was given back."""
        if self.clock.left_ms is None:
            return
        left_ms = self.clock.left_ms + deadline_ms - self.deadline_ms
        self.clock = replace(self.clock, left_ms=left_ms)
        self.deadline_ms = deadline_ms
        if self.thinker is not None:
            self.thinker.clock = self.clock


def _clock(message: view_pb2.SeatView, seat: Seat) -> TurnClock:
    clock = message.clock
    left = None
    if clock.HasField("deadline"):
        left = milliseconds(clock.deadline) - milliseconds(clock.server_time)
    own = next((row for row in clock.seats if row.seat == seat_to_wire(seat)), None)
    return TurnClock(
        left_ms=left,
        bank_ms=own.bank_ms if own else 0,
        strikes_left=own.strikes_left if own else 0,
    )
