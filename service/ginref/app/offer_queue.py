"""Which matches a bot is offered now, and which wait until it has room for them."""

from itertools import islice


class OfferQueue:
    """The matches of one bot: those it has been offered or plays, and those that wait.

    Attributes:
        capacity: Matches that the bot plays at once: offers of more wait until one
            of them is over. 0 for any number.
    """

    def __init__(self) -> None:
        """Offer everything."""
        self.capacity = 0
        self._taken: set[str] = set()
        self._waiting: dict[str, None] = {}

    def take(self, match_id: str) -> None:
        """Let a match wait no longer, whatever the bot's capacity."""
        if match_id not in self._taken:
            self._taken.add(match_id)
            self._waiting.pop(match_id, None)

    def leave(self, match_id: str) -> None:
        """Make room: a match is over, or lost."""
        self._taken.discard(match_id)
        self._waiting.pop(match_id, None)

    def must_wait(self, match_id: str, *, is_new: bool) -> bool:
        """Say whether the offer of a match waits for another one to end.

        Args:
            match_id: The match.
            is_new: The bot has taken no seat of it yet.
        """
        is_full = 0 < self.capacity <= len(self._taken)
        if is_full and is_new and match_id not in self._taken:
            self._waiting[match_id] = None
            return True
        self.take(match_id)
        return False

    def next_up(self) -> tuple[str, ...]:
        """Return matches whose offers have waited, as many as the bot can take."""
        free = len(self._waiting)
        if self.capacity:
            free = max(0, self.capacity - len(self._taken))
        return tuple(islice(self._waiting, free))
