"""Wakes whoever follows a match or a bot in this process."""

import asyncio
from collections import defaultdict
from types import TracebackType
from typing import Self

from ginref.app.match_store import MatchStore

EVERYTHING = ""
"""Topic that says that anything may have changed."""


class Subscription:
    """Topics that one follower is woken for. Leaving its context gives it back."""

    def __init__(self, hub: "Hub") -> None:
        """Belong to a hub; follow nothing yet."""
        self._hub = hub
        self._topics: set[str] = set()
        self._woken: set[str] = set()
        self._bell = asyncio.Event()

    def follow(self, topic: str) -> None:
        """Be woken for a topic: a match id or `bot/<name>`."""
        self._topics.add(topic)
        self._hub.enlist(topic, self)

    def leave(self, topic: str) -> None:
        """Be woken for a topic no more."""
        self._topics.discard(topic)
        self._hub.dismiss(topic, self)

    def wake(self, topic: str) -> None:
        """Note that a topic may have changed."""
        self._woken.add(topic)
        self._bell.set()

    async def changes(self) -> set[str]:
        """Wait for topics that may have changed; empty when the hub is draining."""
        if not self._hub.draining:
            await self._bell.wait()
        self._bell.clear()
        woken, self._woken = self._woken, set()
        return set() if self._hub.draining else woken

    def ring(self) -> None:
        """End the wait of `changes` without naming a topic."""
        self._bell.set()

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
        for topic in list(self._topics):
            self.leave(topic)
        self._hub.release(self)


class Hub:
    """One listener on the store's wakes for all followers of this process."""

    def __init__(self, store: MatchStore) -> None:
        """Listen to a store once `run` is awaited."""
        self._store = store
        self._followers: defaultdict[str, set[Subscription]] = defaultdict(set)
        self._all: set[Subscription] = set()
        self.draining = False

    async def run(self) -> None:
        """Pass wakes on until cancelled."""
        async for topic in self._store.wakes():
            self.notify(topic)

    def notify(self, topic: str) -> None:
        """Wake the followers of a topic, or everyone for `EVERYTHING`."""
        if topic == EVERYTHING:
            for follower in self._all:
                follower.wake(EVERYTHING)
            return
        for follower in self._followers.get(topic, ()):
            follower.wake(topic)

    def subscribe(self) -> Subscription:
        """Return a new follower, to be used as a context."""
        follower = Subscription(self)
        self._all.add(follower)
        return follower

    def drain(self) -> None:
        """End every wait: the process is about to stop."""
        self.draining = True
        for follower in self._all:
            follower.ring()

    def enlist(self, topic: str, follower: Subscription) -> None:
        """Wake a follower for a topic from now on."""
        self._followers[topic].add(follower)

    def dismiss(self, topic: str, follower: Subscription) -> None:
        """Wake a follower for a topic no more."""
        followers = self._followers.get(topic)
        if followers is not None:
            followers.discard(follower)
            if not followers:
                del self._followers[topic]

    def release(self, follower: Subscription) -> None:
        """Forget a follower."""
        self._all.discard(follower)
