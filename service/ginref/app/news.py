"""Word of what may have changed that waits to be looked at: once for each topic."""

from collections.abc import Sequence

from ginref.app.match_store import EntryId, Wake


class News:
    """Topics that may have changed, each with the latest place that is known of it."""

    __slots__ = ("_places",)

    def __init__(self) -> None:
        """Know of nothing."""
        self._places: dict[str, EntryId | None] = {}

    def add(self, wake: Wake) -> bool:
        """Add word of a topic; say whether there was none of it."""
        topic, place = wake.topic, wake.place
        is_new = topic not in self._places
        known = place if is_new else self._places[topic]
        # Of two places the later one counts; none at all means to go and look.
        late = None if place is None or known is None else max(place, known)
        self._places[topic] = late
        return is_new

    def take(self, topic: str) -> EntryId | None:
        """Take the word of a topic: the place that it has come to, if that is known."""
        return self._places.pop(topic)

    def take_all(self) -> Sequence[Wake]:
        """Take the word of every topic, in the order in which they came."""
        places, self._places = self._places, {}
        return tuple(Wake(topic, place) for topic, place in places.items())
