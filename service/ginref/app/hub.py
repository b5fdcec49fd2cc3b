"""Wakes whoever follows a match or a bot in this process."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Final, Self

from ginref.app.match_store import EVERYTHING, EntryId, MatchStore, Wake
from ginref.app.news import News
from ginref.app.outbox import Bell

_NOWHERE: Final = EntryId(0)


class Subscription:
    """Topics that one follower is woken for. Leaving its context gives it back.

    Attributes:
        woken_at: How much its hub had passed on when it was last woken.
    """

    def __init__(self, hub: "Hub", attend: Callable[[Wake], bool] | None) -> None:
        """Belong to a hub; follow nothing yet.

        Args:
            hub: Where it is woken from.
            attend: Asked to deal with a wake at once; says whether it has.
        """
        self._hub = hub
        self._attend = attend
        self._topics: set[str] = set()
        self._news = News()
        self._bell = Bell()
        self._closed = False
        self.woken_at = 0

    def follow(self, topic: str) -> None:
        """Be woken for a topic: a match id or `bot/<name>`."""
        if self._closed:
            return
        self._topics.add(topic)
        self._hub.enlist(topic, self)

    def leave(self, topic: str) -> None:
        """Be woken for a topic no more."""
        self._topics.discard(topic)
        self._hub.dismiss(topic, self)

    def wake(self, wake: Wake) -> None:
        """Note that a topic may have changed, unless that is dealt with at once."""
        if self._attend is not None and self._attend(wake):
            return
        self._news.add(wake)
        self.woken_at = self._hub.passed_on
        self._bell.ring()

    async def changes(self) -> Sequence[Wake]:
        """Wait for what may have changed; nothing when the hub is draining."""
        if not self._hub.draining:
            await self._bell.heard()
        self._bell.still()
        wakes = self._news.take_all()
        return () if self._hub.draining else wakes

    def ring(self) -> None:
        """End the wait of `changes` without naming a topic."""
        self._bell.ring()

    def close(self) -> None:
        """Leave every topic for good; doing it twice is fine."""
        self._closed = True
        for topic in list(self._topics):
            self.leave(topic)
        self._hub.forget(self)

    def __enter__(self) -> Self:
        """Start following."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave every topic."""
        self.close()


class Hub:
    """One listener on the store's wakes for all followers of this process.

    Attributes:
        passed_on: How many wakes it has passed on so far.
        draining: The process is about to stop.
    """

    def __init__(
        self, store: MatchStore, missed: Callable[[], object] = lambda: None
    ) -> None:
        """Listen to a store once `run` is awaited.

        Args:
            store: Where to listen.
            missed: Called before anyone is woken when some word may be missing.
        """
        self._store = store
        self._missed = missed
        # Ordered, so that the same wakes reach the same followers in the same order.
        self._followers: defaultdict[str, dict[Subscription, None]] = defaultdict(dict)
        self._places: dict[str, EntryId] = {}
        self._held: dict[str, int] = {}
        self._early: dict[str, EntryId] = {}
        self._all: dict[Subscription, None] = {}
        self.passed_on = 0
        self.draining = False

    async def run(self) -> None:
        """Pass wakes on until cancelled."""
        async for wake in self._store.wakes():
            topic, place = wake.topic, wake.place
            if topic not in self._held or place is None:
                self.notify(wake)
            else:
                self._early[topic] = max(place, self._early.get(topic, place))

    def hold(self, topic: str) -> None:
        """Keep what the store says of a topic until it is released.

        Word of a step comes before the answer to whoever took it; while one is taken
        here, the followers need not look for what this process is about to know.
        """
        self._held[topic] = self._held.get(topic, 0) + 1

    def release(self, topic: str) -> None:
        """Pass on what was kept, unless that is known by now."""
        held = self._held.pop(topic) - 1
        if held:
            self._held[topic] = held
        elif (early := self._early.pop(topic, None)) is not None:
            self.notify(Wake(topic, early))

    def notify(self, wake: Wake) -> None:
        """Wake the followers of a topic, or everyone for `EVERYTHING`."""
        self.passed_on += 1
        if wake == EVERYTHING:
            # The store may have started again, with less than it had.
            self._missed()
            self._places.clear()
            self._early.clear()
            for follower in [*self._all]:
                follower.wake(wake)
            return
        followers = self._followers.get(wake.topic)
        if not followers:
            return
        if wake.place is not None:
            # A step of this process is told of twice: by itself and by the store.
            if wake.place <= self._places.get(wake.topic, _NOWHERE):
                return
            self._places[wake.topic] = wake.place
        for follower in [*followers]:
            follower.wake(wake)

    def subscribe(self, attend: Callable[[Wake], bool] | None = None) -> Subscription:
        """Return a new follower, to be used as a context.

        Args:
            attend: Asked to deal with each wake at once; says whether it has.
        """
        follower = Subscription(self, attend)
        self._all[follower] = None
        return follower

    def drain(self) -> None:
        """End every wait: the process is about to stop."""
        self.draining = True
        for follower in self._all:
            follower.ring()

    def enlist(self, topic: str, follower: Subscription) -> None:
        """Wake a follower for a topic from now on."""
        self._followers[topic][follower] = None

    def dismiss(self, topic: str, follower: Subscription) -> None:
        """Wake a follower for a topic no more."""
        followers = self._followers.get(topic)
        if followers is not None:
            followers.pop(follower, None)
            if not followers:
                del self._followers[topic]
                self._places.pop(topic, None)

    def followers(self, topic: str) -> int:
        """Return how many are woken for a topic."""
        return len(self._followers.get(topic, ()))

    def forget(self, follower: Subscription) -> None:
        """Drop a follower for good."""
        self._all.pop(follower, None)
