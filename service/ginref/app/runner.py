"""Runs tournaments: on word that something has changed, and every second anyway.

Any number of processes may run them. None holds a lease, so none is missed.
"""

import asyncio
import logging
import secrets
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from ginref.app.error import Reason, RefusedError
from ginref.app.hub import Hub, Subscription
from ginref.app.match_store import EVERYTHING
from ginref.app.port import Observer, StoreUnavailableError
from ginref.app.steward import Standing, Steward
from ginref.app.tournament_store import (
    TournamentStore,
    bot_topic,
    tournament_topic,
)

_LOG: Final = logging.getLogger(__name__)

_INTERVAL: Final = 1.0
"""Seconds between two looks at what is due by time."""

_LOOKING: Final = 5.0
"""Seconds between two looks at all matches that go on: word of one may be lost."""

_CALLING: Final = 5.0
"""Seconds after which a bot that does not answer is called again."""

_PATIENCE: Final = 0.25
"""Seconds, or up to twice as many, by which a process that was beaten comes later."""

_FIRST_PAUSE: Final = 1.0
_LONGEST_PAUSE: Final = 60.0


@dataclass(slots=True)
class _Care:
    """What a runner knows of one tournament.

    Attributes:
        standing: How far it had come when it was last carried on.
        task: Carries it on now.
        is_woken: There was word of it since that began.
        looked: When its matches were last looked at, in seconds.
        called: When the bots that it waits for were last called.
        awaited: Which those were.
        failed_until: Until when it is left alone after a failure.
        pause: How long it was left alone last.
        is_beaten: Others were faster lately, so they may go first.
    """

    standing: Standing | None = None
    task: asyncio.Task[None] | None = None
    is_woken: bool = False
    looked: float = -_LOOKING
    called: float = -_CALLING
    awaited: frozenset[str] = field(default_factory=frozenset)
    failed_until: float = 0.0
    pause: float = 0.0
    is_beaten: bool = False


class Runner:
    """Carries on all tournaments that are not done, each by itself."""

    def __init__(
        self,
        store: TournamentStore,
        steward: Steward,
        hub: Hub,
        observer: Observer,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Work with these; `monotonic` tells seconds."""
        self._store = store
        self._steward = steward
        self._hub = hub
        self._observer = observer
        self._monotonic = monotonic
        self._cares: dict[str, _Care] = {}
        # Several that were beaten do not come at the same time, either.
        self._patience = _PATIENCE * (1 + secrets.randbelow(1_000) / 1_000)

    async def run(self) -> None:
        """Run tournaments until cancelled."""
        with self._hub.subscribe() as subscription:
            async with asyncio.TaskGroup() as tasks:
                while True:
                    await self._tick(subscription, tasks)
                    await self._listen(subscription, tasks)

    async def _listen(
        self, subscription: Subscription, tasks: asyncio.TaskGroup
    ) -> None:
        """Carry on what there is word of, until all are due again."""
        due = self._monotonic() + _INTERVAL
        while (left := due - self._monotonic()) > 0:
            if self._hub.draining:
                # There will be no more word, and the process is about to end.
                await asyncio.sleep(left)
                return
            try:
                async with asyncio.timeout(left):
                    wakes = await subscription.changes()
            except TimeoutError:
                return
            if EVERYTHING in wakes:
                for name in self._cares:
                    self._begin(name, tasks, is_woken=True)
            for name in [*self._cares]:
                if any(wake.topic == tournament_topic(name) for wake in wakes):
                    self._begin(name, tasks, is_woken=True)

    async def _tick(self, subscription: Subscription, tasks: asyncio.TaskGroup) -> None:
        """Carry on all that are live."""
        try:
            live = await self._store.live()
        except StoreUnavailableError:
            return
        except Exception:  # noqa: BLE001 - tournaments go on
            _LOG.exception("tournaments cannot be listed")
            return
        for name in self._cares.keys() - set(live):
            if self._cares[name].task is None:
                del self._cares[name]
                subscription.leave(tournament_topic(name))
        for name in live:
            if name not in self._cares:
                self._cares[name] = _Care()
                subscription.follow(tournament_topic(name))
            self._begin(name, tasks)

    def _begin(
        self, name: str, tasks: asyncio.TaskGroup, *, is_woken: bool = False
    ) -> None:
        """Carry on a tournament, as soon as that is done which is under way."""
        care = self._cares[name]
        care.is_woken = care.is_woken or is_woken
        if care.task is None and self._monotonic() >= care.failed_until:
            care.task = tasks.create_task(self._carry_on(name, care))

    async def _carry_on(self, name: str, care: _Care) -> None:
        try:
            while True:
                if care.is_beaten:
                    # What others do meanwhile need not be worked out here, too.
                    await asyncio.sleep(self._patience)
                now = self._monotonic()
                look = care.is_woken or now - care.looked >= _LOOKING
                care.is_woken = False
                care.looked = now if look else care.looked
                standing = await self._carry(name, care, look=look)
                await self._call(care, standing)
                if standing.is_done:
                    await self._store.leave_live(name)
                care.pause = 0.0
                if not care.is_woken:
                    return
        except StoreUnavailableError:
            return
        except Exception as error:  # noqa: BLE001 - one must not stop the others
            self._leave_alone(name, care, error)
        finally:
            care.task = None

    async def _carry(self, name: str, care: _Care, *, look: bool) -> Standing:
        standing = await self._steward.carry_on(name, look=look)
        if standing.won or standing.lost:
            care.is_beaten = standing.lost > standing.won
        care.standing = standing
        self._count()
        return standing

    async def _call(self, care: _Care, standing: Standing) -> None:
        """Wake the sessions of the bots that are waited for."""
        awaited = frozenset(standing.awaited)
        now = self._monotonic()
        is_again = now - care.called >= _CALLING
        called = awaited if is_again else awaited - care.awaited
        if is_again:
            care.called = now
        care.awaited = awaited
        for bot in sorted(called):
            await self._store.wake(bot_topic(bot))

    def _leave_alone(self, name: str, care: _Care, error: Exception) -> None:
        if isinstance(error, RefusedError):
            if error.reason is Reason.TOURNAMENT_NOT_FOUND:
                # It was made known, and never created.
                return
            _LOG.warning("tournament %s has to wait: %s", name, error)
        else:
            _LOG.error("tournament %s cannot go on", name, exc_info=error)
        doubled = max(_FIRST_PAUSE, 2 * care.pause)
        care.pause = min(doubled, _LONGEST_PAUSE)
        care.failed_until = self._monotonic() + care.pause

    def _count(self) -> None:
        known = [care.standing for care in self._cares.values() if care.standing]
        tournaments = Counter(str(one.lifecycle) for one in known)
        fixtures: Counter[str] = Counter()
        for one in known:
            fixtures.update({str(state): n for state, n in one.fixtures.items()})
        self._observer.tournaments(tournaments, fixtures)
