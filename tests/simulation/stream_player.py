"""Bots that attach: one stream for all their matches, made anew when it breaks."""

import asyncio
from collections.abc import Callable
from typing import Final

from tests.simulation.hand import Hand, Resignation
from tests.simulation.ledger import Answer, Ledger
from tests.simulation.line import AGAIN, End, Line, UnreachableError
from tests.simulation.network import settle
from tests.simulation.player import Player
from tests.simulation.stream import Stream

from ginref.app.error import Reason, RefusedError
from ginref.app.message import (
    Drain,
    MatchOver,
    Message,
    MoveResult,
    Offer,
    Ping,
    Prepare,
    Problem,
    Turn,
)
from ginref.app.report import MatchFacts, MoveReport, SeatReport
from ginref.app.request import Accept, Decline, SeatStep, Step
from ginref.app.session import Session
from ginref.engine.seat import Seat
from ginref.record.submission import Submission

_PATIENCE: Final = (0.3, 1.0)
"""Seconds after which a move without an answer is sent again."""

_BREATH: Final = (0.02, 0.25)
"""Seconds before a bot attaches again."""

_ASIDE: Final = 0.1
"""How many moves are sent by a call of their own, beside the stream."""

_FLOOD: Final = 1_100
"""Messages of a bot that talks without listening: each one is complained about."""

_DEAFNESS: Final = 1.2
"""Seconds for which it does not listen."""


class StreamPlayer(Player):
    """A bot that plays its seats on a stream.

    Attributes:
        stream: Its newest attachment.
        attachments: How many it has made.
        capacity: Matches that it plays at once; 0 for any number.
        floods: It will talk without listening, once.
        superseded: Attachments that others have followed, and since when.
        refused: Told of each refused move: attachment, match and seat.
    """

    stream: Stream | None = None
    attachments = 0
    capacity = 0
    floods = False

    def __init__(
        self,
        bot: str,
        style: str,
        line: Line,
        ledger: Ledger,
        deal_hand: Callable[[MatchFacts, Seat], Hand],
    ) -> None:
        """Play under a bot's name, once attached."""
        super().__init__(bot, style, line, ledger, deal_hand)
        self.superseded: list[tuple[Stream, float]] = []
        self.refused: Callable[[Stream, str, Seat], None] = lambda *_: None
        self._turns: dict[tuple[str, Seat], SeatReport] = {}
        self._acting: dict[tuple[str, Seat], asyncio.Task[None]] = {}
        self._waiting: dict[tuple[str, Seat, str], asyncio.Future[Answer]] = {}

    def attach(self) -> None:
        """Open one more stream, which takes over."""
        network = self.line.network
        cursors = {
            match_id: hand.version
            for (match_id, _), hand in self.hands.items()
            if not hand.is_over
        }
        if self.stream is not None and not self.stream.is_over:
            self.superseded.append((self.stream, network.now()))
        self.attachments += 1
        self.stream = Stream(
            network,
            network.dice.pick(self.line.referees),
            self.caller,
            cursors,
            self.capacity,
        )
        network.start(self._read(self.stream, f"{self.bot}/{self.attachments}"))

    async def _read(self, stream: Stream, name: str) -> None:
        journal, network = self.line.network.journal, self.line.network
        while True:
            message = await stream.read()
            if isinstance(message, End):
                break
            self.ledger.heard(name, message)
            self._hear(stream, message)
            if stream.is_slow:
                await asyncio.sleep(_DEAFNESS)
                stream.is_slow = False
        reason = message.error.reason if message.error else "broken"
        journal.note("stream", name, reason)
        journal.count(f"stream ended: {reason}")
        if stream is self.stream:
            await asyncio.sleep(network.dice.between(*_BREATH))
            if stream is self.stream:
                self.attach()

    def _hear(self, stream: Stream, message: Message) -> None:
        match message:
            case Offer() | Prepare():
                self._answer(stream, message)
            case Turn(report):
                self._take_notice(stream, report)
            case MoveResult():
                self._hear_result(stream, message)
            case MatchOver(match_id=match_id, seat=seat):
                if (match_id, seat) in self.hands:
                    self.hands[match_id, seat].is_over = True
            case Ping():
                stream.say(Session.heard)
            case Drain() if stream is self.stream:
                self.attach()
            case Problem(error=error, match_id=match_id):
                self._hear_problem(stream, error, match_id)
            case _:
                pass

    def _hear_result(self, stream: Stream, message: MoveResult) -> None:
        self.ledger.answered(message)
        key = message.match_id, message.seat, message.request_id
        if key in self._waiting:
            settle(self._waiting[key], message.result)
        if isinstance(message.result, RefusedError):
            self.refused(stream, message.match_id, message.seat)

    def _hear_problem(self, stream: Stream, error: RefusedError, match_id: str) -> None:
        self.line.network.journal.count(f"problem: {error.reason}")
        if error.reason is Reason.VERSION_STALE:
            self._ask_again(stream, match_id)

    def _ask_again(self, stream: Stream, match_id: str) -> None:
        for of_match, seat in self.hands:
            if of_match == match_id:
                self._sync(stream, match_id, seat)

    def _sync(self, stream: Stream, match_id: str, seat: Seat) -> None:
        self.line.network.journal.count("sync")
        stream.say(lambda session: session.sync(match_id, seat))

    # --- before play -------------------------------------------------------------

    def _answer(self, stream: Stream, asked: Offer | Prepare) -> None:
        hand = self.hand(asked.facts, asked.seat)
        if isinstance(asked, Offer):
            if not hand.traits.no_show:
                step = Decline() if hand.traits.declines else Accept()
                self._say_step(stream, hand, step)
        elif not asked.reveal:
            self._say_step(stream, hand, hand.commit())
        else:
            wrong = hand.wrong_reveal()
            if wrong is not None:
                self._say_step(stream, hand, wrong)
            self._say_step(stream, hand, hand.reveal())

    def _say_step(self, stream: Stream, hand: Hand, step: Step) -> None:
        asked = SeatStep(match_id=hand.match_id, seat=hand.seat, step=step)
        stream.say(lambda session: session.prepare(asked))

    # --- play ----------------------------------------------------------------------

    def _take_notice(self, stream: Stream, report: SeatReport) -> None:
        if self.floods:
            self.floods = False
            stream.is_slow = True
            stream.say(_flood)
        hand = self.hand(report.facts, report.view.seat)
        key = hand.match_id, hand.seat
        self._turns[key] = report
        if key not in self._acting and not hand.is_silent:
            self._acting[key] = self.line.network.start(self._act(hand))

    async def _act(self, hand: Hand) -> None:
        key = hand.match_id, hand.seat
        while key in self._turns and not hand.is_silent and not hand.is_over:
            report = self._turns.pop(key)
            if report.facts.version < hand.accepted:
                continue
            await hand.think(report)
            if key in self._turns:
                continue
            decision = hand.decide(report)
            if isinstance(decision, Resignation):
                hand.is_silent = True
                self._say(lambda s: s.resign(hand.match_id, hand.seat))
            elif decision is not None:
                answer = await self._submit_somehow(hand, decision)
                hand.is_refused = isinstance(answer, RefusedError)
                if isinstance(answer, MoveReport):
                    hand.accepted = max(hand.accepted, answer.version)
        del self._acting[key]

    async def _submit_somehow(
        self, hand: Hand, submission: Submission
    ) -> Answer | None:
        network = self.line.network
        if not network.dice.chance(_ASIDE):
            return await self._submit_on_stream(hand, submission)
        answer = await self.submit(hand, submission)
        if not isinstance(answer, MoveReport) and self.stream is not None:
            # What was said elsewhere is not answered by a turn here.
            self._sync(self.stream, hand.match_id, hand.seat)
        return answer

    async def _submit_on_stream(
        self, hand: Hand, submission: Submission
    ) -> Answer | None:
        network = self.line.network
        self.ledger.claim(submission)
        key = submission.match_id, submission.seat, submission.request_id
        loop = asyncio.get_running_loop()
        while not hand.is_over:
            reply: asyncio.Future[Answer] = loop.create_future()
            self._waiting[key] = reply
            self._say(lambda session: session.submit(submission, loop.time()))
            patience = network.dice.between(*_PATIENCE)
            timer = network.later(patience, settle, reply, UnreachableError())
            try:
                answer = await reply
            except UnreachableError:
                newer = self._turns.get((hand.match_id, hand.seat))
                if newer is not None and newer.facts.version > hand.version:
                    return None
                if hand.forgets():
                    network.journal.count("move forgotten")
                    if self.stream is not None:
                        self._sync(self.stream, hand.match_id, hand.seat)
                    return None
            except RefusedError as error:
                if error.reason not in AGAIN:
                    return error
            else:
                return answer
            finally:
                timer.cancel()
                del self._waiting[key]
        return None

    def _say(self, do: Callable[[Session], None]) -> None:
        if self.stream is not None and not self.stream.is_over:
            self.stream.say(do)


def _flood(session: Session) -> None:
    for _ in range(_FLOOD):
        session.complain(RefusedError(Reason.MESSAGE_UNREADABLE, "no message at all"))
