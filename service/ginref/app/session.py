"""One attachment of a bot: what it is told, and what it says.

Messages leave in order through a bounded queue. What a bot is told follows from the
state of its matches, so a new attachment is simply told what is the case now.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Final

from ginref.app.announcer import ANYWHERE, Announcer
from ginref.app.caller import Caller, Role
from ginref.app.desk import Desk
from ginref.app.error import Reason, RefusedError
from ginref.app.fault import refusal_of
from ginref.app.hub import Subscription
from ginref.app.live_match import LiveMatch, place_of
from ginref.app.match_store import EVERYTHING, EntryId, Wake
from ginref.app.message import (
    Drain,
    Fenced,
    Message,
    MoveResult,
    Problem,
    Welcome,
    refusal_in,
)
from ginref.app.news import News
from ginref.app.outbox import Outbox
from ginref.app.packing import DamageError
from ginref.app.pulse import Pulse
from ginref.app.reach import check_seat, load_reached
from ginref.app.report import MoveReport
from ginref.app.reporting import listed_facts
from ginref.app.request import SeatStep
from ginref.app.session_policy import UNREAD, SessionPolicy, over_limit
from ginref.app.session_work import SessionWork
from ginref.app.summons_work import SummonsAnswer, SummonsWork
from ginref.app.told import Answer
from ginref.app.tools import Tools
from ginref.app.tournament_desk import TournamentDesk
from ginref.app.trace import ABOUT, About
from ginref.engine.seat import Seat
from ginref.record.submission import Submission

_LOG: Final = logging.getLogger(__name__)

_QUEUE: Final = 1024
"""Messages that wait for a bot; one that lets more of them wait is dropped."""

_CROWDED: Final = _QUEUE // 2
"""Waiting messages at which news waits, too: it gets no older by that."""

_TELLINGS: Final = 64
"""Matches that are told of at once. A bot may attach with thousands of them."""

_PENDING: Final = 4096
"""Messages of a bot that are at work; one that sends more at once is dropped."""

_Work = Callable[..., Coroutine[Any, Any, None]]

_CLIENT_LENGTH: Final = 64
"""Characters of a client's name that are logged."""


class Session:
    """One attachment of a bot.

    Attributes:
        error: Why the stream was ended, when it was ended by force.
    """

    def __init__(
        self,
        desk: Desk,
        tools: Tools,
        caller: Caller,
        policy: SessionPolicy | None = None,
        tournaments: TournamentDesk | None = None,
    ) -> None:
        """Serve a bot; without a desk for tournaments in single matches alone.

        Raises:
            RefusedError: ROLE_NOT_ALLOWED: the caller is no bot.
        """
        caller.require("Connect", Role.BOT)
        self.error: RefusedError | None = None
        self._desk = desk
        self._tools = tools
        self._caller = caller
        self._bot = caller.bot or ""
        self._policy = policy or SessionPolicy()
        self._attachment = tools.chance.token(8).hex()
        self._outbox = Outbox(_CROWDED)
        self._telling = asyncio.Semaphore(_TELLINGS)
        self._subscription: Subscription = tools.hub.subscribe(self._attend)
        emit = desk.turn_times.through(self._emit)
        self._announcer = Announcer(tools.keeper, caller, emit)
        self._summons = SummonsWork(tournaments, tools, caller, self._emit)
        self._work = SessionWork(tools.tracer)
        self._news = News()
        self._judging: set[str] = set()
        self._pulse = Pulse(self._policy, tools, self._emit, self._end)
        self._greeted = False
        self._attached = False
        self._ended = False

    async def hello(
        self,
        cursors: Mapping[str, int],
        capacity: int = 0,
        client: str = "",
        *,
        wants_events: bool = False,
    ) -> None:
        """Attach the bot and tell it where its matches stand.

        Args:
            cursors: Last version that the bot knows, by match.
            capacity: Matches that it plays at once; 0 for any number.
            client: Name of its program, for the log.
            wants_events: Tell it of what others do as it happens.

        Raises:
            StoreUnavailableError: Nothing can be told now.
        """
        if self._greeted:
            message = "hello was said already"
            self._emit(Problem(error=RefusedError(Reason.STEP_OUT_OF_ORDER, message)))
            return
        self._greeted = True
        self._announcer.offers.capacity = capacity
        self._announcer.tells_events = wants_events
        named = "".join(filter(str.isprintable, client))[:_CLIENT_LENGTH]
        _LOG.info("bot %s attaches with %r%s", self._bot, named, self._caller.limits)
        # Listening comes first: what changes from here on is not missed.
        self._subscription.follow(f"bot/{self._bot}")
        await self._tools.store.attach(self._bot, self._attachment)
        found = await self._find(cursors)
        self._emit(
            Welcome(
                attachment=self._attachment,
                bot=self._bot,
                live=listed_facts(found, cursors),
                live_count=sum(not live.state.ending for live in found),
                ping_interval_ms=self._policy.ping_interval_ms,
                silence_ms=self._policy.silence_ms,
                heads=await self._summons.heads(),
            )
        )
        self._tools.observer.attached(1)
        self._attached = True
        for live in found:
            self._announce_soon(live.state.setup.match_id, ANYWHERE)
        self._tell_soon(self._summons.call)
        self._tell_soon(self._listen)
        self._tell_soon(self._pulse.run)

    async def next_message(self) -> Message | None:
        """Return what the bot is told next; None when the attachment has ended."""
        return await self._outbox.get()

    def submit(self, submission: Submission, received: float) -> None:
        """Judge a move; the answer is a `MoveResult`."""
        self._call_soon(self._submit, submission, received)

    def prepare(self, step: SeatStep) -> None:
        """Take a step of a seat before play; a refusal is a `Problem`."""
        self._call_soon(self._call, step.match_id, self._desk.prepare_seat, step)

    def resign(self, match_id: str, seat: Seat) -> None:
        """Resign a match; a refusal is a `Problem`."""
        self._call_soon(self._call, match_id, self._desk.resign_match, match_id, seat)

    def sync(self, match_id: str, seat: Seat) -> None:
        """Tell again where a match of the bot stands; a refusal is a `Problem`."""
        self._call_soon(self._call, match_id, self._begin, match_id, seat)

    def check_in(self, answer: SummonsAnswer, received: float) -> None:
        """Pass on what the bot answers a tournament; a refusal is a `Problem`."""
        self._call_soon(self._summons.answer, answer, received)

    def ready(self, capacity: int) -> None:
        """Offer the bot as many matches at once as it can play; 0 for any number."""
        self.heard()
        self._announcer.offers.capacity = capacity
        self._offer_next()

    def heard(self) -> None:
        """Note that the bot is there."""
        self._pulse.heard()

    def complain(self, error: RefusedError, match_id: str = "") -> None:
        """Tell the bot that a message of its could not be used."""
        self.heard()
        self._emit(Problem(error=error, match_id=match_id))

    async def finish(self) -> None:
        """End the stream once all that the bot has asked for is answered."""
        await self._work.finish_calls()
        self.hang_up()

    def hang_up(self) -> None:
        """End the stream after what the bot has been told so far."""
        if self._ended:
            return
        self._ended = True
        self._subscription.close()
        self._work.stop_telling()
        self._outbox.put(None)

    async def close(self) -> None:
        """Give back everything; what the bot asked for is done to the end."""
        self.hang_up()
        if self._attached:
            self._attached = False
            self._tools.observer.attached(-1)
        await self._work.finish()

    def _call_soon(self, work: _Work, *facts: Any) -> None:  # noqa: ANN401 - its own
        self.heard()
        if self._work.call_count >= _PENDING:
            self._end(over_limit("pending", "too many messages are waiting"))
        elif not self._ended:
            self._work.call(self._guard(work, *facts))

    def _tell_soon(self, work: _Work, *facts: Any) -> None:  # noqa: ANN401 - its own
        if not self._ended:
            self._work.tell(self._guard(work, *facts))

    async def _guard(self, work: _Work, *facts: Any) -> None:  # noqa: ANN401 - its own
        try:
            await work(*facts)
        except Exception as exception:  # noqa: BLE001 - it ends no more than this
            self._end(refusal_of(exception))

    async def _submit(self, submission: Submission, received: float) -> None:
        match_id, seat = submission.match_id, submission.seat
        ABOUT.set(About(match_id, request_id=submission.request_id))
        async with self._work.on(match_id):
            answer = None
            result: MoveReport | RefusedError
            self._judging.add(match_id)
            try:
                result = await self._desk.judge_move(self._caller, submission, received)
                version = result.version
                answer = Answer(seat, version, result.turn)
            except (RefusedError, DamageError) as error:
                result, version = refusal_of(error), self._announcer.version(match_id)
                # A bot that knows nothing but turns sees where it stands now.
                self._announcer.owe_turn(match_id, seat)
            finally:
                self._judging.discard(match_id)
            self._emit(
                MoveResult(
                    match_id=match_id,
                    seat=seat,
                    request_id=submission.request_id,
                    result=result,
                    version=version or submission.expected_version,
                )
            )
            if not self._tell_now(match_id, answer):
                await self._tell(match_id, ANYWHERE, answer)

    async def _call(
        self,
        match_id: str,
        call: Callable[..., Coroutine[Any, Any, object]],
        *facts: Any,  # noqa: ANN401 - those of the call
    ) -> None:
        ABOUT.set(About(match_id))
        async with self._work.on(match_id):
            try:
                await call(self._caller, *facts)
            except (RefusedError, DamageError) as error:
                self._emit(Problem(error=refusal_of(error), match_id=match_id))
            await self._tell(match_id, ANYWHERE)

    async def _begin(self, caller: Caller, match_id: str, seat: Seat) -> None:
        self._subscription.follow(match_id)
        try:
            live = await load_reached(self._tools.keeper, caller, match_id)
            check_seat(live, caller, seat)
            self._announcer.begin(match_id)
            self._announcer.offers.take(match_id)
        finally:
            if not self._announcer.follows(match_id):
                self._subscription.leave(match_id)

    def _offer_next(self) -> None:
        for match_id in self._announcer.offers.next_up():
            self._announce_soon(match_id, ANYWHERE)

    def _announce_soon(self, match_id: str, place: EntryId | None) -> None:
        if self._news.add(Wake(match_id, place)):
            self._tell_soon(self._announce, match_id)

    async def _announce(self, match_id: str) -> None:
        async with self._telling:
            await self._outbox.room()
            async with self._work.on(match_id):
                await self._tell(match_id, self._news.take(match_id))

    def _attend(self, wake: Wake) -> bool:
        """Tell of a match at once, if that takes no waiting; say whether it is done.

        Not before the welcome; while a move is judged, as soon as it is answered.
        """
        match_id, place = wake.topic, wake.place
        if self._announcer.knows(match_id, place):
            return True
        live = self._tools.keeper.hint(match_id)
        if live is None or place is None or place_of(live) < place:
            return False
        if match_id in self._judging:
            return True
        is_busy = self._outbox.is_crowded or self._telling.locked()
        if is_busy or not self._attached or self._work.is_on(match_id):
            return False
        try:
            return self._tell_now(match_id)
        except Exception as exception:  # noqa: BLE001 - it ends no more than this
            self._end(refusal_of(exception))
            return True

    def _tell_now(self, match_id: str, answer: Answer | None = None) -> bool:
        """Tell what is new of a match that goes on; say whether that could be done."""
        live = self._tools.keeper.hint(match_id)
        if live is None or live.state.ending or not self._announcer.is_at_hand(live):
            return False
        self._announcer.tell(live, answer)
        return True

    async def _tell(
        self, match_id: str, place: EntryId | None, answer: Answer | None = None
    ) -> None:
        if await self._announcer.announce(match_id, place, answer):
            self._subscription.leave(match_id)
            await self._tools.store.drop_live(self._bot, match_id)
            self._offer_next()

    async def _find(self, cursors: Mapping[str, int]) -> Sequence[LiveMatch]:
        """Follow matches that are new to this attachment, and return them."""
        return await self._announcer.find(
            self._tools.store, cursors, self._subscription
        )

    async def _listen(self) -> None:
        mine = f"bot/{self._bot}"
        while wakes := await self._subscription.changes():
            places = {wake.topic: wake.place for wake in wakes}
            if EVERYTHING.topic in places:
                places = dict.fromkeys((mine, *self._announcer.matches))
            if mine in places:
                del places[mine]
                if await self._is_fenced():
                    return
                self._tell_soon(self._summons.call)
                for live in await self._find({}):
                    places[live.state.setup.match_id] = ANYWHERE
            for match_id, place in places.items():
                if not self._announcer.knows(match_id, place):
                    self._announce_soon(match_id, place)
        self._emit(Drain(self._policy.drain_ms))
        await asyncio.sleep(self._policy.drain_ms / 1000)
        message = "this replica is about to stop"
        self._end(RefusedError(Reason.REFEREE_DRAINING, message))

    async def _is_fenced(self) -> bool:
        """End the stream if a newer attachment of the bot has taken over."""
        newest = await self._tools.store.attachment(self._bot)
        if newest is None or newest == self._attachment:
            return False
        self._emit(Fenced(newest))
        message = "a newer stream of this bot has taken over"
        self._end(RefusedError(Reason.ATTACHMENT_FENCED, message))
        return True

    def _end(self, error: RefusedError) -> None:
        if not self._ended:
            self.error = error
        self.hang_up()

    def _emit(self, message: Message) -> None:
        if refusal := refusal_in(message):
            self._tools.observer.refusal(refusal.reason)
        if self._ended:
            return
        if len(self._outbox) >= _QUEUE:
            # A bot that is so far behind learns nothing from old news.
            self._outbox.clear()
            self._end(over_limit(UNREAD, "the stream is read too slowly"))
            return
        self._outbox.put(message)
