"""One attachment of a bot: what it is told, and what it says.

Messages leave in order through a bounded queue. What a bot is told follows from the
state of its matches, so a new attachment is simply told what is the case now.
"""

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ginref.app.announcer import Announcer
from ginref.app.caller import Caller, Role
from ginref.app.desk import Desk, Tools
from ginref.app.error import Reason, RefusedError
from ginref.app.hub import EVERYTHING, Hub, Subscription
from ginref.app.message import (
    Drain,
    Fenced,
    Message,
    MoveResult,
    Ping,
    Problem,
    Welcome,
)
from ginref.app.port import StoreUnavailableError
from ginref.app.reporting import match_facts
from ginref.app.request import SeatStep
from ginref.engine.seat import Seat
from ginref.record.submission import Submission

_LOG: Final = logging.getLogger(__name__)

_QUEUE: Final = 1024
_PENDING: Final = 4096
_RETRY: Final = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPolicy:
    """How a session is kept alive; all values in milliseconds.

    Attributes:
        ping_interval_ms: Time between pings.
        silence_ms: Silence after which the stream is dropped.
        drain_ms: Time a draining referee leaves before it closes streams.
    """

    ping_interval_ms: int = 10_000
    silence_ms: int = 60_000
    drain_ms: int = 1_000


@dataclass(slots=True)
class _Work:
    """Tasks of a session: at most one at work on a match at any time."""

    locks: defaultdict[str, asyncio.Lock] = field(
        default_factory=lambda: defaultdict(asyncio.Lock)
    )
    tasks: set[asyncio.Task[None]] = field(default_factory=set)


class Session:
    """One attachment of a bot.

    Attributes:
        error: Why the stream was ended, when it was ended by force.
    """

    def __init__(
        self,
        desk: Desk,
        tools: Tools,
        hub: Hub,
        caller: Caller,
        policy: SessionPolicy | None = None,
    ) -> None:
        """Serve a bot.

        Raises:
            RefusedError: ROLE_NOT_ALLOWED: the caller is no bot.
        """
        caller.require("Connect", Role.BOT)
        self.error: RefusedError | None = None
        self._desk = desk
        self._tools = tools
        self._hub = hub
        self._caller = caller
        self._bot = caller.bot or ""
        self._policy = policy or SessionPolicy()
        self._attachment = tools.chance.token(8).hex()
        self._queue: asyncio.Queue[Message | None] = asyncio.Queue(_QUEUE)
        self._subscription: Subscription = hub.subscribe()
        self._announcer = Announcer(tools.keeper, caller, self._emit)
        self._work = _Work()
        self._heard = time.monotonic()
        self._greeted = False
        self._closed = False

    async def hello(self, cursors: Mapping[str, int]) -> None:
        """Attach the bot and tell it where its matches stand.

        Args:
            cursors: Last version that the bot knows, by match.

        Raises:
            StoreUnavailableError: Nothing can be told now.
        """
        if self._greeted:
            self._problem(Reason.STEP_OUT_OF_ORDER, "hello was said already")
            return
        self._greeted = True
        # Listening comes first: what changes from here on is not missed.
        self._subscription.follow(f"bot/{self._bot}")
        await self._tools.store.attach(self._bot, self._attachment)
        found = await self._announcer.find(self._tools.store, cursors)
        self._emit(
            Welcome(
                attachment=self._attachment,
                bot=self._bot,
                live=tuple(
                    match_facts(live) for live in found if not live.state.ending
                ),
                ping_interval_ms=self._policy.ping_interval_ms,
                silence_ms=self._policy.silence_ms,
            )
        )
        self._tools.observer.attached(1)
        for live in found:
            match_id = live.state.setup.match_id
            self._subscription.follow(match_id)
            self._start(self._announce(match_id))
        self._start(self._listen())
        self._start(self._keep_alive())

    async def outgoing(self) -> AsyncIterator[Message]:
        """Yield what the bot is told, until the attachment ends."""
        while True:
            message = await self._queue.get()
            if message is None:
                return
            yield message
            if isinstance(message, Fenced):
                return

    def submit(self, submission: Submission, received: float) -> None:
        """Judge a move; the answer is a `MoveResult`."""
        self._heard = time.monotonic()
        self._start(self._submit(submission, received))

    def prepare(self, step: SeatStep) -> None:
        """Take a step of a seat before play; a refusal is a `Problem`."""
        self._heard = time.monotonic()
        call = self._desk.prepare_seat(self._caller, step)
        self._start(self._call(step.match_id, call))

    def resign(self, match_id: str, seat: Seat) -> None:
        """Resign a match; a refusal is a `Problem`."""
        self._heard = time.monotonic()
        call = self._desk.resign_match(self._caller, match_id, seat)
        self._start(self._call(match_id, call))

    def sync(self, match_id: str) -> None:
        """Tell again where a match stands."""
        self._heard = time.monotonic()
        self._announcer.begin(match_id)
        self._start(self._announce(match_id))

    def heard(self) -> None:
        """Note that the bot is there: it answered a ping or announced capacity."""
        self._heard = time.monotonic()

    def complain(self, error: RefusedError, match_id: str = "") -> None:
        """Tell the bot that a message of its could not be used."""
        self._heard = time.monotonic()
        self._emit(Problem(error=error, match_id=match_id))

    def hang_up(self) -> None:
        """End the stream after what the bot has been told so far."""
        if self._queue.full():
            # The reader is gone or far behind: make room for the last word.
            self._queue.get_nowait()
        self._queue.put_nowait(None)

    async def close(self) -> None:
        """Give back everything; moves that are being judged are judged to the end."""
        if self._greeted and not self._closed:
            self._tools.observer.attached(-1)
        self._closed = True
        self._subscription.__exit__(None, None, None)
        for task in list(self._work.tasks):
            task.cancel()
        await asyncio.gather(*self._work.tasks, return_exceptions=True)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        if len(self._work.tasks) >= _PENDING:
            work.close()
            self._end(Reason.LIMIT_EXCEEDED, "too many messages are waiting")
            return
        task = asyncio.create_task(self._guard(work))
        self._work.tasks.add(task)
        task.add_done_callback(self._work.tasks.discard)

    async def _guard(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except StoreUnavailableError:
            self._end(Reason.STORE_UNAVAILABLE, "the store cannot answer now")
        except Exception:  # noqa: BLE001 - a fault ends this session, not the process
            _LOG.exception("a session failed")
            self._end(Reason.INTERNAL_FAULT, "something is wrong with the referee")

    async def _submit(self, submission: Submission, received: float) -> None:
        match_id, seat = submission.match_id, submission.seat
        async with self._work.locks[match_id]:
            try:
                report = await self._desk.submit_move(
                    self._caller, submission, received
                )
                result: Any = report
                version = report.version
            except RefusedError as error:
                result, version = error, submission.expected_version
                # A bot that knows nothing but turns sees where it stands now.
                self._announcer.forget_turn(match_id, seat)
            self._emit(
                MoveResult(
                    match_id=match_id,
                    seat=seat,
                    request_id=submission.request_id,
                    result=result,
                    version=version,
                )
            )
            await self._tell(match_id)

    async def _call(self, match_id: str, call: Coroutine[Any, Any, Any]) -> None:
        async with self._work.locks[match_id]:
            try:
                await call
            except RefusedError as error:
                self._emit(Problem(error=error, match_id=match_id))
            await self._tell(match_id)

    async def _announce(self, match_id: str) -> None:
        async with self._work.locks[match_id]:
            await self._tell(match_id)

    async def _tell(self, match_id: str) -> None:
        if await self._announcer.announce(match_id):
            self._subscription.leave(match_id)
            self._work.locks.pop(match_id, None)
            await self._tools.store.drop_live(self._bot, match_id)

    async def _listen(self) -> None:
        mine = f"bot/{self._bot}"
        while topics := await self._subscription.changes():
            if EVERYTHING in topics:
                topics = {mine, *self._announcer.matches}
            if mine in topics:
                newest = await self._tools.store.attachment(self._bot)
                if newest not in (self._attachment, None):
                    self._emit(Fenced(newest or ""))
                    return
                for live in await self._announcer.find(self._tools.store, {}):
                    topics.add(live.state.setup.match_id)
                    self._subscription.follow(live.state.setup.match_id)
            for match_id in topics - {mine}:
                self._start(self._announce(match_id))
        self._emit(Drain(self._policy.drain_ms))
        await asyncio.sleep(self._policy.drain_ms / 1000)
        self._end(Reason.REFEREE_DRAINING, "this replica is about to stop")

    async def _keep_alive(self) -> None:
        number = 0
        while True:
            await asyncio.sleep(self._policy.ping_interval_ms / 1000)
            silence_ms = (time.monotonic() - self._heard) * 1000
            if silence_ms > self._policy.silence_ms:
                self._end(Reason.LIMIT_EXCEEDED, "nothing was heard for too long")
                return
            number += 1
            self._emit(Ping(number=number, now_ms=time.time_ns() // 1_000_000))

    def _problem(self, reason: Reason, message: str) -> None:
        self._emit(Problem(error=RefusedError(reason, message)))

    def _end(self, reason: Reason, message: str) -> None:
        if self.error is None:
            self.error = RefusedError(reason, message)
        self.hang_up()

    def _emit(self, message: Message) -> None:
        try:
            self._queue.put_nowait(message)
        except asyncio.QueueFull:
            self._end(Reason.LIMIT_EXCEEDED, "the stream is read too slowly")


__all__ = ["Session", "SessionPolicy"]
