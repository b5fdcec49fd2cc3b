"""When this process has sent each turn, for the times that a record tells."""

from collections.abc import Callable
from typing import Final

from ginref.app.message import Message, Turn

_MATCHES: Final = 20_000
"""Matches whose latest turn is remembered, about 200 bytes each."""


class TurnTimes:
    """Remembers when the latest turn of each match was first sent from here."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        """Remember nothing yet; `monotonic` tells seconds."""
        self._monotonic = monotonic
        self._sent: dict[str, tuple[int, float]] = {}

    def note(self, match_id: str, version: int) -> None:
        """Note that the turn at a version is sent now, unless it was before."""
        known = self._sent.get(match_id)
        if known is not None and known[0] >= version:
            return
        if known is None and len(self._sent) >= _MATCHES:
            del self._sent[next(iter(self._sent))]
        self._sent[match_id] = version, self._monotonic()

    def waited_ms(self, match_id: str, version: int, received: float) -> int | None:
        """Return how long after the turn its move came; None if it is not known.

        Args:
            match_id: The match.
            version: The version that the turn asked for a move at.
            received: Monotonic time in seconds when the move came.
        """
        known = self._sent.get(match_id)
        if known is None or known[0] != version:
            return None
        return max(0, round((received - known[1]) * 1000))

    def forget(self, match_id: str) -> None:
        """Forget a match that is over."""
        self._sent.pop(match_id, None)

    def through(self, emit: Callable[[Message], None]) -> Callable[[Message], None]:
        """Return what passes messages on and notes the turns among them."""

        def noting(message: Message) -> None:
            if isinstance(message, Turn):
                facts = message.report.facts
                self.note(facts.match_id, facts.version)
            emit(message)

        return noting
