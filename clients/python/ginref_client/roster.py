"""The seats that a bot holds, and what each message of the referee means for them."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any, Final

from ginref.engine.ruleset import Ruleset
from ginref.engine.seat import Seat
from ginref.record.evidence import OfferedPlace, OfferLine, OverLine
from ginref.record.setup import DealSource
from ginref.v1 import match_pb2, session_pb2
from ginref.v1.bot_service_pb2 import ConnectRequest, ConnectResponse
from ginref_client.bot import Bot
from ginref_client.codec import (
    ending_from_wire,
    ruleset_from_wire,
    seats_from_wire,
    sheet_from_wire,
)
from ginref_client.error import FencedError
from ginref_client.fact import FinishedMatch, MatchInfo
from ginref_client.seat_play import SeatPlay, Surroundings
from ginref_client.status import reason_name
from ginref_client.wire import (
    choice,
    milliseconds,
    require,
    seat_from_wire,
    seat_to_wire,
)
from ginref_client.witness import Witness

_log = logging.getLogger(__name__)

_Key = tuple[str, Seat]

_FAREWELL_SECONDS: Final = 2.0
_CURSORS_MOST: Final = 256
"""As many as a referee reads; they only spare it telling what is known."""

_SYNCS_MOST: Final = 64
"""Matches that are asked for at a time."""

_NOT_OURS: Final = {"MATCH_NOT_FOUND", "MATCH_EXPIRED", "SEAT_NOT_YOURS"}


_DEAL_SOURCES: Final = {
    match_pb2.DEAL_SOURCE_SHARES: DealSource.SHARES,
    match_pb2.DEAL_SOURCE_TOURNAMENT: DealSource.TOURNAMENT,
    match_pb2.DEAL_SOURCE_SEEDED: DealSource.SEEDED,
}


class DrainedError(Exception):
    """The referee asks the bot to attach elsewhere."""


class Roster:
    """All seats of one bot.

    Attributes:
        finished: Matches that are over, in the order in which they ended.
    """

    def __init__(  # noqa: PLR0913
        self,
        new_bot: Callable[[], Bot],
        around: Surroundings,
        *,
        capacity: int,
        accept: Callable[[MatchInfo], bool],
        on_fault: Callable[[BaseException], None],
        witness: Witness | None = None,
    ) -> None:
        """Hold no seat yet.

        Args:
            new_bot: Makes the bot of one match.
            around: What all seats share.
            capacity: Matches to play at once; 0 for any number.
            accept: Says whether an offered seat is wanted.
            on_fault: Hears of a mistake of this client in the play of a seat.
            witness: Keeps what is told of tournaments; None keeps it in memory.
        """
        self.finished: list[FinishedMatch] = []
        self._new_bot = new_bot
        self._around = around
        self._capacity = capacity
        self._accept = accept
        self._on_fault = on_fault
        self._witness = witness or Witness()
        self._bot = ""
        self._plays: dict[_Key, SeatPlay] = {}
        self._leaving: set[SeatPlay] = set()
        # Seats whose matches the last Hello named, and those that the Welcome after
        # it left open and nothing has been heard of since.
        self._named: set[_Key] = set()
        self._unheard: dict[_Key, None] = {}
        self._handlers: Final[Mapping[str, Callable[[Any], None]]] = {
            "welcome": self._welcome,
            "offer": self._offer,
            "prepare": self._prepare,
            "started": self._started,
            "turn": self._turn,
            "move_result": self._move_result,
            "round_over": self._round_over,
            "credit_given": self._credit_given,
            "match_over": self._match_over,
            "problem": self._problem,
            "summons": self._summons,
            "ping": self._ping,
            "drain": self._drain,
            "fenced": self._fenced,
        }

    def handle(self, response: ConnectResponse) -> None:
        """Act on one message.

        Raises:
            DrainedError: The referee is about to stop.
            FencedError: Another stream of the bot has taken over.
            ProtocolError: The message cannot be read.
            SplitLogError: The log of a tournament is not the one that was told.
            OSError: Evidence that must be kept cannot be written.
        """
        kind = response.WhichOneof("message")
        # A turn is complete: what has no handler tells nothing that a bot needs.
        if kind is not None and (handler := self._handlers.get(kind)):
            handler(getattr(response, kind))

    def cursors(self) -> list[session_pb2.MatchCursor]:
        """Return where the knowledge of each match ends, of the latest ones."""
        latest = tuple(self._plays.items())[-_CURSORS_MOST:]
        self._named = {key for key, _ in latest}
        return [
            session_pb2.MatchCursor(match_id=play.match_id, version=play.version)
            for _, play in latest
        ]

    async def close(self) -> None:
        """Let bots hear the end of their matches, and drop all seats."""
        for play in self._plays.values():
            play.close()
        self._plays.clear()
        await asyncio.gather(
            *(play.settle(_FAREWELL_SECONDS) for play in tuple(self._leaving))
        )

    def _welcome(self, message: session_pb2.Welcome) -> None:
        self._bot = message.bot
        for head in message.heads:
            self._witness.note(head, is_latest=True)
        live = {match.match_id: match.version for match in message.live_matches}
        self._unheard.clear()
        for key, play in tuple(self._plays.items()):
            play.attached(live.get(play.match_id))
            if play.match_id in live:
                continue
            # What was named would be listed if it were live. Of the rest many may
            # be live, and are told of without asking.
            if key in self._named:
                play.sync()
            else:
                self._unheard[key] = None

    def _offer(self, offer: session_pb2.Offer) -> None:
        seat = seat_from_wire(offer.seat)
        match = offer.match
        if offer.HasField("head"):
            self._witness.note(offer.head, is_latest=False)
        key = match.match_id, seat
        self._unheard.pop(key, None)
        if key not in self._plays:
            others = {match_id for match_id, _ in self._plays} - {match.match_id}
            full = 0 < self._capacity <= len(others)
            if full or not self._accept(match_info(match, seat)):
                _log.info("match %s, %s: declined", match.match_id, seat)
                decline = session_pb2.Decline(
                    match_id=match.match_id, seat=seat_to_wire(seat)
                )
                self._around.send(ConnectRequest(decline=decline))
                return
            self._take(key)
            rules = ruleset_from_wire(match.ruleset)
            line = offer_from_wire(offer, rules)
            self._around.evidence.offered(match.match_id, seat, rules, line)
        accept = session_pb2.Accept(match_id=match.match_id, seat=seat_to_wire(seat))
        self._around.send(ConnectRequest(accept=accept))

    def _prepare(self, message: session_pb2.Prepare) -> None:
        seat = seat_from_wire(message.seat)
        play = self._play(message.match_id, seat)
        play.version = max(play.version, message.version)
        answer = session_pb2.Preparation(
            match_id=message.match_id, seat=seat_to_wire(seat)
        )
        evidence = self._around.evidence
        match message.kind:
            case session_pb2.PREPARE_KIND_COMMITMENT:
                answer.commitment = evidence.commitment(message.match_id, seat)
            case session_pb2.PREPARE_KIND_NONCE:
                share = evidence.ready(message.match_id, seat, message.commitments)
                if share is None:
                    _log.error(
                        "match %s, %s: the share is not shown; if it was lost with the "
                        "process that made it, keep a state folder",
                        message.match_id,
                        seat,
                    )
                    return
                answer.nonce = share
            case _:
                return
        self._around.send(ConnectRequest(preparation=answer))

    def _started(self, message: session_pb2.Started) -> None:
        require(message, "ruleset", "started.")
        seat = seat_from_wire(message.seat)
        play = self._play(message.match_id, seat)
        play.version = max(play.version, message.version)
        play.started(
            MatchInfo(
                match_id=message.match_id,
                seat=seat,
                bots=tuple(holder.bot for holder in message.seats),
                rules=ruleset_from_wire(message.ruleset),
            )
        )

    def _turn(self, message: session_pb2.Turn) -> None:
        require(message, "view", "turn.")
        view = message.view
        self._play(view.match_id, seat_from_wire(view.seat)).turn(view)

    def _move_result(self, message: session_pb2.MoveResult) -> None:
        if play := self._known(message):
            play.result(message)

    def _round_over(self, message: session_pb2.RoundOver) -> None:
        if play := self._known(message):
            play.round_over(message)

    def _credit_given(self, message: session_pb2.CreditGiven) -> None:
        seat = seat_from_wire(message.credit.seat)
        if play := self._plays.get((message.match_id, seat)):
            play.credited(message.credit.version, milliseconds(message.deadline))

    def _summons(self, message: session_pb2.Summons) -> None:
        answer = self._witness.answer(message, self._bot)
        if answer is not None:
            self._around.send(ConnectRequest(check_in=answer))

    def _ping(self, message: session_pb2.Ping) -> None:
        pong = session_pb2.Pong(number=message.number)
        self._around.send(ConnectRequest(pong=pong))
        for key in tuple(self._unheard)[:_SYNCS_MOST]:
            del self._unheard[key]
            if play := self._plays.get(key):
                play.sync()

    def _drain(self, _: session_pb2.Drain) -> None:
        raise DrainedError

    def _fenced(self, _: session_pb2.Fenced) -> None:
        raise FencedError("another stream of this bot has taken over")

    def _match_over(self, message: session_pb2.MatchOver) -> None:
        key = message.match_id, seat_from_wire(message.seat)
        self._unheard.pop(key, None)
        play = self._plays.pop(key, None)
        if play is None:
            return
        require(message, "ending", "match_over.")
        sheet = sheet_from_wire(message.sheet) if message.HasField("sheet") else None
        result = FinishedMatch(
            match_id=message.match_id,
            seat=play.seat,
            ending=ending_from_wire(message.ending),
            sheet=sheet,
            record_digest=message.record_digest,
        )
        line = OverLine(
            ending=result.ending.kind,
            winner=result.ending.winner,
            record_digest=message.record_digest or None,
        )
        self._around.evidence.over(*key, line)
        self._around.evidence.forget(*key)
        self._leaving.add(play)
        play.match_over(result)
        self.finished.append(result)

    def _problem(self, message: session_pb2.Problem) -> None:
        reason = reason_name(message.refusal.reason)
        _log.warning("match %s: the referee: %s", message.match_id or "-", reason)
        if reason in _NOT_OURS:
            for key in [key for key in self._plays if key[0] == message.match_id]:
                self._plays.pop(key).close()

    def _known(
        self,
        message: session_pb2.MoveResult | session_pb2.RoundOver,
    ) -> SeatPlay | None:
        key = message.match_id, seat_from_wire(message.seat)
        self._unheard.pop(key, None)
        return self._plays.get(key)

    def _play(self, match_id: str, seat: Seat) -> SeatPlay:
        """Return a seat's play; after a restart the seat may be new to us."""
        key = match_id, seat
        self._unheard.pop(key, None)
        return self._plays.get(key) or self._take(key)

    def _take(self, key: _Key) -> SeatPlay:
        play = SeatPlay(*key, self._new_bot(), self._around)
        self._plays[key] = play
        play.worker.add_done_callback(lambda task: self._left(play, task))
        return play

    def _left(self, play: SeatPlay, task: "asyncio.Task[None]") -> None:
        self._leaving.discard(play)
        if not task.cancelled() and (error := task.exception()):
            self._on_fault(error)


def match_info(match: match_pb2.Match, seat: Seat) -> MatchInfo:
    """Read what a bot is told of a match.

    Raises:
        ProtocolError: The message cannot be read.
    """
    require(match, "ruleset", "match.")
    seats_from_wire(match.seats)
    return MatchInfo(
        match_id=match.match_id,
        seat=seat,
        bots=tuple(holder.bot for holder in match.seats),
        rules=ruleset_from_wire(match.ruleset),
    )


def offer_from_wire(offer: session_pb2.Offer, rules: Ruleset) -> OfferLine:
    """Read what a seat was offered with, as it is kept in evidence.

    Raises:
        ProtocolError: The message cannot be read.
    """
    match, place = offer.match, None
    if match.HasField("place"):
        require(offer, "head", "offer.")
        place = OfferedPlace(
            tournament=match.place.tournament_id,
            fixture=match.place.fixture_id,
            attempt=match.place.attempt,
            game=match.place.game,
            deal=match.place.deal,
            length=offer.head.length,
            head=offer.head.digest.hex(),
        )
    return OfferLine(
        bots=tuple(holder.bot for holder in match.seats),
        ruleset_digest=rules.digest,
        deal_source=choice(_DEAL_SOURCES, match.deal_source, "match.deal_source"),
        commitment=match.referee_commitment,
        signature=match.commitment_signature,
        key_id=match.key_id,
        receipts=match.receipts,
        place=place,
    )


def accept_all(_: MatchInfo) -> bool:
    """Want every seat."""
    return True
