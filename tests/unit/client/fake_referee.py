"""A referee of one match that does as it is told, and its address."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import grpc
import grpc.aio

from ginref.app import message as app
from ginref.app.error import Reason, RefusedError
from ginref.app.report import ClockFacts, MatchFacts, MoveReport, SeatReport
from ginref.engine.card import Card
from ginref.engine.deck import derive_deck, draw_first_dealer
from ginref.engine.match import Match, apply, start_match
from ginref.engine.ruleset import GIN
from ginref.engine.seat import Seat
from ginref.engine.view import view_for
from ginref.record.clock import STANDARD
from ginref.record.lifecycle import Ending, EndingKind, Fault, Stage
from ginref.record.setup import DealSource
from ginref.record.share import opens
from ginref.transport.codec_message import message_to_wire
from ginref.transport.codec_move import move_from_wire
from ginref.v1 import bot_service_pb2_grpc, session_pb2
from ginref.v1.bot_service_pb2 import ConnectRequest, ConnectResponse
from ginref_client.bot import Bot
from ginref_client.bots.simple import Simple
from ginref_client.fact import FinishedMatch
from ginref_client.session import Session

MATCH_ID = "m1"
TOKEN = "t" * 43
RULES = GIN.but(game_target=30)

Replies = list[ConnectResponse]
Reaction = Callable[["FakeReferee", session_pb2.MoveSubmission], Replies]


class CutError(Exception):
    """The stream breaks here."""


class FakeReferee(bot_service_pb2_grpc.BotServiceServicer):
    """A referee of one match between the attached bot, NORTH, and a simple one.

    `reactions` says what happens, instead of the usual, when the n-th move comes in,
    counted from 1. Everything that was received is kept.
    """

    def __init__(self, reactions: dict[int, Reaction] | None = None) -> None:
        self.reactions = reactions or {}
        self.greeting: list[app.Message] = []
        self.status: grpc.StatusCode | None = None
        self.tokens: list[object] = []
        self.received: list[ConnectRequest] = []
        self.moves: list[session_pb2.MoveSubmission] = []
        self.answers: dict[str, Replies] = {}
        self.stage = Stage.FORMING
        self.version = 1
        self.commitment = b""
        self.is_visited = False
        self._match: Match | None = None
        self.ending: Ending | None = None
        self.is_silent_about_the_end = False

    async def Connect(  # noqa: N802
        self,
        request_iterator: AsyncIterator[ConnectRequest],
        context: grpc.aio.ServicerContext[ConnectRequest, ConnectResponse],
    ) -> AsyncIterator[ConnectResponse]:
        self.tokens.append(dict(context.invocation_metadata() or ())["authorization"])
        if self.status is not None:
            await context.abort(self.status, "as scripted")
        try:
            async for request in request_iterator:
                self.received.append(request)
                for response in self.react(request):
                    yield response
        except CutError:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "cut")

    @property
    def match(self) -> Match:
        """The match, once cards are on the table."""
        assert self._match is not None
        return self._match

    @match.setter
    def match(self, match: Match) -> None:
        self._match = match

    def of(self, kind: str) -> list[Any]:
        """Messages of one kind that were received."""
        return [
            getattr(request, kind)
            for request in self.received
            if request.HasField(kind)  # type: ignore[arg-type]
        ]

    def react(self, request: ConnectRequest) -> Replies:  # noqa: PLR0911
        match request.WhichOneof("message"):
            case "hello":
                return write(self.welcome(), *self.greeting, *self.state())
            case "accept":
                self.stage = Stage.COMMITTING
                return write(*self.state())
            case "preparation":
                return self.prepare(request.preparation)
            case "move":
                self.moves.append(request.move)
                number = len(self.moves)
                return self.reactions.get(number, FakeReferee.usual)(self, request.move)
            case "sync":
                return write(*self.state())
            case "resign":
                return write(self.end(EndingKind.RESIGNED, Seat.SOUTH))
            case _:
                return []

    def facts(self) -> MatchFacts:
        return MatchFacts(
            match_id=MATCH_ID,
            bots=("ours", "theirs"),
            ruleset=RULES,
            clock=STANDARD,
            strikes_allowed=3,
            deal_source=DealSource.SHARES,
            stage=self.stage,
            version=self.version,
            ending=None,
            created_ms=0,
            commitment=b"c" * 32,
            signature=b"s" * 64,
            key_id="key",
            commitments=(
                (self.commitment, b"") if self.stage is Stage.REVEALING else ()
            ),
        )

    def welcome(self) -> app.Message:
        live = () if self.ending else (self.facts(),)
        return app.Welcome(
            attachment="a",
            bot="ours",
            live=live,
            live_count=len(live),
            ping_interval_ms=0,
            silence_ms=0,
        )

    def state(self) -> list[app.Message]:
        facts, seat = self.facts(), Seat.NORTH
        if self.ending:
            told = [] if self.is_silent_about_the_end else [self.over()]
            self.is_silent_about_the_end = False
            return told
        if self.stage is Stage.FORMING:
            return [app.Offer(facts=facts, seat=seat, deadline_ms=0)]
        if self.stage is Stage.PLAYING:
            return [self.turn()]
        reveal = self.stage is Stage.REVEALING
        return [app.Prepare(facts=facts, seat=seat, reveal=reveal, deadline_ms=0)]

    def prepare(self, answer: session_pb2.Preparation) -> Replies:
        if self.stage is Stage.COMMITTING:
            self.commitment = answer.commitment
            self.stage = Stage.REVEALING
            return write(*self.state())
        assert opens(self.commitment, MATCH_ID, Seat.NORTH, answer.nonce)
        # The same cards in every run of a test, whatever the shares are.
        self.deal(bytes(32))
        return write(app.Started(facts=self.facts(), seat=Seat.NORTH), *self.go_on(0))

    def deal(self, secret: bytes) -> None:
        """Begin to play."""
        self.stage = Stage.PLAYING
        seats = (Seat.NORTH, Seat.SOUTH)
        self.deck_for: Callable[[int], tuple[Card, ...]] = partial(derive_deck, secret)
        dealer = draw_first_dealer(secret, seats)
        self.match = start_match(RULES, seats, dealer, self.deck_for)

    def usual(self, move: session_pb2.MoveSubmission) -> Replies:
        """Answer a move as a referee does: once, and the same every time."""
        if move.request_id in self.answers:
            return self.answers[move.request_id]
        if self.ending:
            return self.refuse(move, Reason.MATCH_OVER)
        if move.expected_version != self.version:
            return self.refuse(move, Reason.VERSION_STALE)
        rounds = len(self.match.history)
        self.step(Seat.NORTH, move)
        report = MoveReport(
            version=self.version,
            time_ms=0,
            elapsed_ms=1,
            referee_ms=0,
            turn=None,
            ending=None,
        )
        self.answers[move.request_id] = write(self.result(move, report))
        return [*self.answers[move.request_id], *write(*self.go_on(rounds))]

    def refuse(
        self, move: session_pb2.MoveSubmission, reason: Reason, **facts: object
    ) -> Replies:
        error = RefusedError(reason, "as scripted", **facts)
        self.answers[move.request_id] = write(self.result(move, error))
        return self.answers[move.request_id]

    def result(
        self, move: session_pb2.MoveSubmission, result: MoveReport | RefusedError
    ) -> app.Message:
        return app.MoveResult(
            match_id=MATCH_ID,
            seat=Seat.NORTH,
            request_id=move.request_id,
            result=result,
            version=self.version,
        )

    def step(self, seat: Seat, move: session_pb2.MoveSubmission) -> None:
        chosen = move_from_wire(move.move, "move")
        self.match = apply(self.match, seat, chosen, self.deck_for)
        self.version += 1

    def go_on(self, rounds: int) -> list[app.Message]:
        """Let the other seat play, then tell of rounds, the end, or the next turn."""
        while self.match.to_act is Seat.SOUTH:
            move = Simple().choose(view_for(self.match, Seat.SOUTH))
            self.match = apply(self.match, Seat.SOUTH, move, self.deck_for)
            self.version += 1
        told: list[app.Message] = []
        for summary in self.match.history[rounds:]:
            reveal = view_for(self.match, Seat.NORTH).last_result
            shown = reveal if reveal and reveal.number == summary.number else None
            told.append(
                app.RoundOver(
                    match_id=MATCH_ID,
                    seat=Seat.NORTH,
                    version=self.version,
                    summary=summary,
                    reveal=shown,
                    sheet=self.match.sheet,
                    game_target=RULES.game_target,
                )
            )
        if self.match.over:
            told.append(self.end(EndingKind.COMPLETED, self.match.over.winner))
            return told
        return [*told, *self.state()]

    def turn(self) -> app.Message:
        clock = ClockFacts(
            policy=STANDARD,
            banks_ms=(7_000, 8_000),
            strikes=(0, 0),
            strikes_allowed=3,
            deadline_ms=11_000,
            now_ms=1_500,
            elapsed_ms=0,
            referee_ms=0,
        )
        view = view_for(self.match, Seat.NORTH)
        return app.Turn(
            SeatReport(facts=self.facts(), view=view, clock=clock, events=())
        )

    def end(self, kind: EndingKind, winner: Seat | None) -> app.Message:
        self.stage = Stage.OVER
        self.ending = Ending(kind, winner, Fault.NOBODY)
        return self.over()

    def over(self) -> app.Message:
        assert self.ending is not None
        return app.MatchOver(
            match_id=MATCH_ID,
            seat=Seat.NORTH,
            version=self.version,
            ending=self.ending,
            sheet=None if self._match is None else self._match.sheet,
            game_target=RULES.game_target,
        )


def write(*messages: app.Message) -> Replies:
    return [message_to_wire(message) for message in messages]


@asynccontextmanager
async def listening(
    *referees: FakeReferee, others: Sequence[grpc.GenericRpcHandler] = ()
) -> AsyncIterator[str]:
    """Serve referees on ports of their own, and other services; yield addresses."""
    servers, urls = [], []
    for referee in referees:
        server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
        bot_service_pb2_grpc.add_BotServiceServicer_to_server(referee, server)
        server.add_generic_rpc_handlers(others)
        urls.append(f"http://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}")
        servers.append(server)
        await server.start()
    try:
        yield ",".join(urls)
    finally:
        await asyncio.gather(*(server.stop(None) for server in servers))


async def play(
    url: str,
    bot: Bot | Callable[[], Bot] = Simple,
    *,
    give_up_after: float | None = 10,
    capacity: int = 0,
    state: Path | None = None,
) -> list[FinishedMatch]:
    """Attach a bot until its first match is over."""
    session = Session(
        url,
        TOKEN,
        bot,
        capacity=capacity,
        state=state,
        give_up_after=give_up_after,
    )
    return await session.run(until=bool)
