"""One seat of one match: thinking in order, and one submission at a time.

Whatever the connection does, a turn is thought about once, and its move goes out
under one request id until the referee has answered it.
"""

import asyncio
import enum
import logging
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from ginref.engine.error import IllegalMoveError
from ginref.engine.move import Move, move_kind
from ginref.engine.seat import Seat
from ginref.engine.view import SeatView
from ginref.record.submission import Submission
from ginref.v1 import session_pb2, view_pb2
from ginref.v1.bot_service_pb2 import ConnectRequest
from ginref_client.bot import Bot
from ginref_client.codec import (
    move_to_wire,
    round_from_wire,
    seat_view_from_wire,
    sheet_from_wire,
)
from ginref_client.evidence import Evidence
from ginref_client.fact import FinishedMatch, FinishedRound, MatchInfo
from ginref_client.fallback import harmless_move
from ginref_client.status import reason_name, wait_seconds
from ginref_client.thinking import ThinkingPool
from ginref_client.turn import Turn
from ginref_client.wire import milliseconds, seat_to_wire

_log = logging.getLogger(__name__)

FAILURES_MOST: Final = 3
"""Moves that a bot may fail to make in one match before it resigns."""

_RESEND_SECONDS: Final = 0.5

_ASK_AGAIN: Final = {
    "STORE_UNAVAILABLE",
    "INTERNAL_FAULT",
    "REFEREE_DRAINING",
    "LIMIT_EXCEEDED",
    "RATE_LIMITED",
}
_MOVED_ON: Final = {
    "VERSION_STALE",
    "NOT_YOUR_TURN",
    "MOVE_LATE",
    "MATCH_OVER",
    "MATCH_NOT_PLAYING",
    "MATCH_NOT_FOUND",
    "MATCH_EXPIRED",
    "SEAT_NOT_YOURS",
}


class _Fate(enum.Enum):
    """What became of a submission."""

    UNKNOWN = enum.auto()
    ACCEPTED = enum.auto()
    REFUSED = enum.auto()


@dataclass(slots=True)
class _Submission:
    """A move on its way."""

    turn: Turn
    asked: Submission
    request: session_pb2.MoveSubmission
    fate: _Fate = _Fate.UNKNOWN


def _unsigned(_: Submission) -> bytes | None:
    return None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the seats of one session share.

    Attributes:
        pool: The threads that bots think in.
        evidence: Shares and receipts.
        send: Sends a message if a stream is attached, and drops it otherwise.
        sign: Returns the bot's signature of a submission; None if it has no key
            that the referee knows.
    """

    pool: ThinkingPool
    evidence: Evidence
    send: Callable[[ConnectRequest], None]
    sign: Callable[[Submission], bytes | None] = _unsigned


class SeatPlay:
    """A seat in play. Methods are called by the reader of the stream, in order.

    Attributes:
        match_id: The match.
        seat: The seat.
        version: Last version of the match that is known.
        failures: Moves that the bot has failed to make.
    """

    def __init__(
        self, match_id: str, seat: Seat, bot: Bot, around: Surroundings
    ) -> None:
        """Take a seat; the bot has heard nothing yet."""
        self.match_id = match_id
        self.seat = seat
        self.version = 0
        self.failures = 0
        self._bot = bot
        self._around = around
        self._info: MatchInfo | None = None
        self._rounds_told = 0
        self._turn: Turn | None = None
        self._submission: _Submission | None = None
        self._resigned = False
        self._over = False
        self._jobs: asyncio.Queue[Callable[[], Awaitable[None]] | None] = (
            asyncio.Queue()
        )
        self._worker = asyncio.create_task(self._work())

    def started(self, info: MatchInfo) -> None:
        """Tell the bot that play begins, once."""
        if self._info is None:
            self._info = info
            self._tell(partial(self._bot.match_started, info))

    def turn(self, message: view_pb2.SeatView) -> None:
        """Think about a turn, or send its move again if that has been done.

        Raises:
            ProtocolError: The view cannot be read.
        """
        self.version = message.version
        if self._resigned:
            self._resign()
            return
        sent = self._submission
        if sent is not None and sent.turn.version == message.version:
            if sent.fate is not _Fate.REFUSED:
                self._send(sent)
            return
        if self._turn is not None and self._turn.version == message.version:
            self.credited(message.version, milliseconds(message.clock.deadline))
            return
        view = seat_view_from_wire(message)
        self._catch_up(message, view)
        if view.is_my_turn:
            self._submission = None
            self._turn = Turn.of(message, view)
            self._jobs.put_nowait(partial(self._think, self._turn))

    def credited(self, version: int, deadline_ms: int) -> None:
        """Learn until when the turn at a version lasts, after time was given back."""
        if self._turn is not None and self._turn.version == version:
            self._turn.last_until(deadline_ms)

    def result(self, message: session_pb2.MoveResult) -> None:
        """Hear what became of a move."""
        sent = self._submission
        if sent is None or sent.request.request_id != message.request_id:
            return
        if message.HasField("accepted"):
            self._accepted(sent, message.accepted)
        elif message.HasField("refused"):
            self._refused(sent, message.refused)

    def round_over(self, message: session_pb2.RoundOver) -> None:
        """Tell the bot how a round ended, once.

        Raises:
            ProtocolError: The message cannot be read.
        """
        self.version = max(self.version, message.version)
        sheet = sheet_from_wire(message.sheet)
        seats = tuple(Seat)[: len(sheet.wins)]
        summary, showdown = round_from_wire(message.round, seats)
        ended = FinishedRound(
            match_id=self.match_id,
            seat=self.seat,
            summary=summary,
            showdown=showdown,
            sheet=sheet,
        )
        self._tell_round(ended)

    def match_over(self, result: FinishedMatch) -> None:
        """Tell the bot how the match ended, and let it go."""
        self._over = True
        self._tell(partial(self._bot.match_over, result))
        self._jobs.put_nowait(None)

    def attached(self, version: int | None) -> None:
        """Go on over a new stream.

        Args:
            version: Where the match is; None when that was not told.
        """
        sent = self._submission
        if sent is not None and sent.fate is _Fate.UNKNOWN:
            # At the same version its turn comes again, and with it the move.
            if version != sent.turn.version:
                self._send(sent)
        elif self._resigned:
            self._resign()

    def sync(self) -> None:
        """Ask to be told where the match stands."""
        sync = session_pb2.Sync(match_id=self.match_id, seat=seat_to_wire(self.seat))
        self._around.send(ConnectRequest(sync=sync))

    async def settle(self, seconds: float) -> None:
        """Wait for the bot to hear what it has been told, but not for ever."""
        await asyncio.wait({self._worker}, timeout=seconds)
        self._worker.cancel()

    def close(self) -> None:
        """Drop the seat; the bot hears no more."""
        self._over = True
        self._worker.cancel()

    @property
    def worker(self) -> "asyncio.Task[None]":
        """The task that this seat thinks in."""
        return self._worker

    async def _work(self) -> None:
        while (job := await self._jobs.get()) is not None:
            await job()

    async def _think(self, turn: Turn) -> None:
        if not self._is_at_hand(turn):
            return
        turn.think(self._bot)
        move = await self._choose(turn.view)
        turn.thinker = None
        # Meanwhile the match may have moved on, by a clock for example.
        if move is not None and self._is_at_hand(turn):
            self._submit(turn, move)

    def _is_at_hand(self, turn: Turn) -> bool:
        return turn is self._turn and not self._over

    async def _choose(self, view: SeatView) -> Move | None:
        """Ask the bot; None when it has failed too often and resigns."""
        try:
            move = await self._around.pool.run(partial(self._bot.choose, view))
            _check(view, move)
        except IllegalMoveError as error:
            # Which card it was may be told to whoever asked for details only.
            _log.warning("%s: illegal move chosen: %s", self._label, error.breach)
            _log.debug("%s: %s", self._label, error)
        except Exception as error:  # noqa: BLE001 - whatever a bot may raise
            _log.warning("%s: choose failed", self._label, exc_info=error)
        else:
            return move
        return self._instead(view)

    def _instead(self, view: SeatView) -> Move | None:
        self.failures += 1
        if self.failures < FAILURES_MOST:
            return harmless_move(view)
        _log.error("%s: %s failures, resigning", self._label, self.failures)
        self._resigned = True
        self._resign()
        return None

    def _submit(self, turn: Turn, move: Move) -> None:
        turn.tried.append(move)
        submission = Submission(
            match_id=self.match_id,
            seat=self.seat,
            expected_version=turn.version,
            request_id=secrets.token_hex(16),
            move=move,
        )
        request = session_pb2.MoveSubmission(
            match_id=self.match_id,
            seat=seat_to_wire(self.seat),
            expected_version=turn.version,
            request_id=submission.request_id,
            move=move_to_wire(move),
            signature=self._around.sign(submission),
        )
        self._submission = _Submission(turn, submission, request)
        self._send(self._submission)

    def _accepted(self, sent: _Submission, accepted: session_pb2.MoveAccepted) -> None:
        if sent.fate is _Fate.UNKNOWN:
            self._around.evidence.answered(
                sent.asked, accepted.receipt, version=accepted.version
            )
        sent.fate = _Fate.ACCEPTED
        self.version = max(self.version, accepted.version)

    def _refused(self, sent: _Submission, refusal: session_pb2.Refusal) -> None:
        reason = reason_name(refusal.reason)
        if sent.fate is _Fate.UNKNOWN:
            self._around.evidence.answered(
                sent.asked,
                refusal.receipt,
                version=refusal.version,
                reason=reason,
                is_counted=refusal.HasField("strikes_left"),
            )
        if reason in _ASK_AGAIN:
            loop = asyncio.get_running_loop()
            seconds = max(wait_seconds(refusal.facts), _RESEND_SECONDS)
            loop.call_later(seconds, self._send_again, sent)
            return
        sent.fate = _Fate.REFUSED
        move = sent.turn.tried[-1]
        _log.warning("%s: %s refused: %s", self._label, move_kind(move), reason)
        _log.debug("%s: %s refused: %s", self._label, move, refusal.message)
        if reason == "VERSION_STALE":
            return
        if reason not in _MOVED_ON:
            # Illegal, although it was legal here: the two disagree on the rules.
            left = refusal.strikes_left if refusal.HasField("strikes_left") else 1
            untried = [m for m in sent.turn.view.legal if m not in sent.turn.tried]
            if left > 0 and untried and len(sent.turn.tried) <= FAILURES_MOST:
                self._submit(sent.turn, untried[0])
                return
        self.sync()

    def _send_again(self, sent: _Submission) -> None:
        if self._submission is sent and sent.fate is _Fate.UNKNOWN and not self._over:
            self._send(sent)

    def _send(self, sent: _Submission) -> None:
        self._around.send(ConnectRequest(move=sent.request))

    def _resign(self) -> None:
        resign = session_pb2.Resign(
            match_id=self.match_id, seat=seat_to_wire(self.seat)
        )
        self._around.send(ConnectRequest(resign=resign))

    def _catch_up(self, message: view_pb2.SeatView, view: SeatView) -> None:
        """Tell the bot what it would have heard, had it been attached."""
        self.started(
            MatchInfo(
                match_id=self.match_id,
                seat=self.seat,
                bots=tuple(holder.bot for holder in message.seats),
                rules=view.rules,
            )
        )
        if message.HasField("last_round"):
            summary, showdown = round_from_wire(message.last_round, view.seats)
            self._tell_round(
                FinishedRound(
                    match_id=self.match_id,
                    seat=self.seat,
                    summary=summary,
                    showdown=showdown,
                    sheet=view.sheet,
                )
            )

    def _tell_round(self, ended: FinishedRound) -> None:
        if ended.summary.number > self._rounds_told:
            self._rounds_told = ended.summary.number
            self._tell(partial(self._bot.round_over, ended))

    def _tell(self, hook: Callable[[], None]) -> None:
        self._jobs.put_nowait(partial(self._run_hook, hook))

    async def _run_hook(self, hook: Callable[[], None]) -> None:
        try:
            await self._around.pool.run(hook)
        except Exception as error:  # noqa: BLE001 - whatever a bot may raise
            _log.warning("%s: a method failed", self._label, exc_info=error)

    @property
    def _label(self) -> str:
        return f"match {self.match_id}, {self.seat}"


def _check(view: SeatView, move: object) -> None:
    if not isinstance(move, Move):
        raise TypeError(f"choose returned {type(move).__name__}, which is no move")
    view.check(move)
