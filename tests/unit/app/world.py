"""A referee for tests: replicas on one store, and bots that listen."""

import asyncio
import hashlib
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any, TypeVar

from tests.unit.app.tool import CountedStore, MemoryArchive, SameChance, Tally, Time

from ginref.adapters.memory_registry import MemoryRegistry
from ginref.adapters.sealing import AesSealer
from ginref.app.caller import Caller, Role
from ginref.app.desk import Desk
from ginref.app.gate import Gate
from ginref.app.hub import Hub
from ginref.app.keeper import Keeper
from ginref.app.message import Message
from ginref.app.port import (
    Signer,
)
from ginref.app.report import MatchFacts, MoveReport, SeatReport
from ginref.app.request import Accept, Commit, NewMatch, Reveal, SeatStep, Step
from ginref.app.session import Session
from ginref.app.session_policy import SessionPolicy
from ginref.app.signing import Signing
from ginref.app.sweep import Sweeper
from ginref.app.tools import Tools
from ginref.app.watch import Watcher
from ginref.engine.card import PACK
from ginref.engine.move import DRAW_STOCK, PASS, Discard, Knock, Move
from ginref.engine.ruleset import GIN
from ginref.engine.seat import Seat
from ginref.engine.view import SeatView
from ginref.record.clock import FAST
from ginref.record.setup import DealSource
from ginref.record.share import commit_seat
from ginref.record.submission import Submission

SHORT = GIN.but(name="short", game_target=60)
"""A match of few rounds."""

SECONDS = 10
"""How long a test waits for what must come."""

_M = TypeVar("_M", bound=Message)


@dataclass(kw_only=True)
class Replica:
    """One process of the referee."""

    tools: Tools
    keeper: Keeper
    hub: Hub
    desk: Desk
    watcher: Watcher
    sweeper: Sweeper
    signing: Signing


class Ear:
    """Reads what a bot is told."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.heard: list[Message] = []

    async def next(self) -> Message:
        """The next message; the test fails when none comes."""
        async with asyncio.timeout(SECONDS):
            message = await self.session.next_message()
        assert message is not None, "the stream has ended"
        self.heard.append(message)
        return message

    async def until(self, kind: type[_M]) -> _M:
        """The next message of a kind; others before it are only heard."""
        while True:
            message = await self.next()
            if isinstance(message, kind):
                return message

    async def rest(self) -> list[Message]:
        """All messages until the stream ends."""
        rest = []
        async with asyncio.timeout(SECONDS):
            while (message := await self.session.next_message()) is not None:
                rest.append(message)
        self.heard += rest
        return rest


@dataclass(kw_only=True)
class World:
    """A store, replicas on it, and bots that call them.

    Attributes:
        host: Who runs matches and tournaments.
        cups: Tournaments that tokens of bots are limited to.
    """

    time: Time
    store: CountedStore
    registry: MemoryRegistry
    archive: MemoryArchive
    signer: Signer
    tally: Tally
    chance: SameChance
    sealer: AesSealer
    gate: Gate
    host: Caller
    cups: frozenset[str] = frozenset()
    listeners: list[asyncio.Task[None]] = field(default_factory=list)
    replicas: list[Replica] = field(default_factory=list)
    sessions: list[Session] = field(default_factory=list)
    requests: int = 0

    @property
    def one(self) -> Replica:
        """The first replica."""
        return self.replicas[0]

    @property
    def desk(self) -> Desk:
        """The desk of the first replica."""
        return self.one.desk

    async def replica(self, **changes: object) -> Replica:
        """Start one more process of the referee."""
        keeper = Keeper(self.store, self.sealer)
        hub = Hub(self.store, keeper.doubt)
        tools = replace(
            Tools(
                store=self.store,
                registry=self.registry,
                keeper=keeper,
                signer=lambda: self.signer,
                archive=self.archive,
                chance=self.chance,
                observer=self.tally,
                engine="0.1.0",
                allow_seeded=True,
                hub=hub,
            ),
            **changes,  # type: ignore[arg-type] # a test names fields of Tools
        )
        desk = Desk(tools)
        made = Replica(
            tools=tools,
            keeper=keeper,
            hub=hub,
            desk=desk,
            watcher=Watcher(keeper, hub, self.tally),
            sweeper=Sweeper(self.store, desk, self.tally),
            signing=Signing(tools, self.time.seconds),
        )
        self.replicas.append(made)
        self.listeners.append(asyncio.create_task(hub.run()))
        await asyncio.sleep(0)
        return made

    def bot(self, name: str) -> Caller:
        """The caller that plays as a bot."""
        return Caller(
            token_id=f"t-{name}", role=Role.BOT, bot=name, tournament_ids=self.cups
        )

    def player(self, facts: MatchFacts, seat: Seat) -> Caller:
        """The caller that holds a seat."""
        return self.bot(facts.bots[seat])

    def new(self, **changes: Any) -> NewMatch:  # noqa: ANN401 - fields of NewMatch
        """A request for a match that nobody has made yet."""
        self.requests += 1
        asked = NewMatch(
            request_id=f"new-{self.requests}",
            ruleset=SHORT,
            bots=("careful", "greedy"),
            clock=FAST,
            strikes_allowed=3,
            deal_source=DealSource.SHARES,
            seed=None,
        )
        return replace(asked, **changes)

    async def create(self, **changes: object) -> MatchFacts:
        """A match whose seats are offered."""
        return await self.desk.create_match(self.host, self.new(**changes))

    async def step(
        self,
        facts: MatchFacts,
        seat: Seat,
        step: Step,
        *,
        desk: Desk | None = None,
    ) -> MatchFacts:
        """Take a step of a seat before play."""
        asked = SeatStep(match_id=facts.match_id, seat=seat, step=step)
        after, _ = await (desk or self.desk).prepare_seat(
            self.player(facts, seat), asked
        )
        return after

    def share(self, seat: Seat) -> bytes:
        """The share of a seat."""
        return hashlib.sha256(f"share of {seat}".encode()).digest()

    def steps(self, facts: MatchFacts) -> list[tuple[Seat, Step]]:
        """Every step before play, in an order that works."""
        seats = tuple(Seat)[: len(facts.bots)]
        accepts: list[tuple[Seat, Step]] = [(seat, Accept()) for seat in seats]
        if facts.deal_source is DealSource.SEEDED:
            return accepts
        for seat in seats:
            commitment = commit_seat(facts.match_id, seat, self.share(seat))
            accepts.append((seat, Commit(commitment)))
        return accepts + [(seat, Reveal(self.share(seat))) for seat in seats]

    async def start(self, **changes: object) -> MatchFacts:
        """A match in which somebody is to move."""
        facts = await self.create(**changes)
        for seat, step in self.steps(facts):
            facts = await self.step(facts, seat, step)
        return facts

    async def report(self, facts: MatchFacts, seat: Seat) -> SeatReport:
        """What a seat may know now."""
        report = await self.desk.get_match(self.player(facts, seat), facts.match_id)
        return next(one for one in report.seats if one.view.seat is seat)

    async def turn(self, facts: MatchFacts) -> SeatReport:
        """What the seat to act may know now."""
        public = (await self.desk.get_match(self.host, facts.match_id)).public
        assert public.view
        assert public.view.to_act is not None
        return await self.report(facts, public.view.to_act)

    def submission(
        self,
        turn: SeatReport,
        move: Move | None = None,
        **changes: Any,  # noqa: ANN401 - fields of Submission
    ) -> Submission:
        """A move for a turn, a good one unless another is given."""
        self.requests += 1
        made = Submission(
            match_id=turn.facts.match_id,
            seat=turn.view.seat,
            expected_version=turn.facts.version,
            request_id=f"move-{self.requests}",
            move=move or choose(turn.view),
        )
        return replace(made, **changes)

    def wrong(self, turn: SeatReport) -> Submission:
        """A well-formed move for a turn that the rules refuse."""
        hand = turn.view.hand
        return self.submission(turn, Discard(next(c for c in PACK if c not in hand)))

    async def submit(
        self, submission: Submission, facts: MatchFacts, desk: Desk | None = None
    ) -> MoveReport:
        """Submit a move as the bot that holds its seat."""
        caller = self.player(facts, submission.seat)
        return await (desk or self.desk).submit_move(caller, submission, monotonic())

    async def move(
        self, facts: MatchFacts, move: Move | None = None, desk: Desk | None = None
    ) -> MoveReport:
        """Make a move for whoever is to act."""
        submission = self.submission(await self.turn(facts), move)
        self.time.ms += 7
        return await self.submit(submission, facts, desk)

    async def play_out(self, facts: MatchFacts) -> MoveReport:
        """Play a match to its end."""
        while True:
            made = await self.move(facts)
            if made.ending:
                return made

    async def attach(  # noqa: PLR0913 - how a bot attaches
        self,
        bot: str,
        *,
        replica: Replica | None = None,
        cursors: dict[str, int] | None = None,
        capacity: int = 0,
        client: str = "",
        policy: SessionPolicy | None = None,
        events: bool = False,
    ) -> Ear:
        """Attach a bot, and hear what it is told."""
        where = replica or self.one
        session = Session(where.desk, where.tools, self.bot(bot), policy)
        self.sessions.append(session)
        await session.hello(cursors or {}, capacity, client, wants_events=events)
        return Ear(session)

    async def close(self) -> None:
        """End everything that was started."""
        self.store.away = False
        if self.store.answers:
            self.store.answers.set()
        for session in self.sessions:
            await session.close()
        for listener in self.listeners:
            listener.cancel()
        await asyncio.gather(*self.listeners, return_exceptions=True)


def choose(view: SeatView) -> Move:
    """A move that brings the match to its end."""
    knocks = [move for move in view.legal if isinstance(move, Knock)]
    if knocks:
        return knocks[0]
    if view.discards:
        return Discard(view.discards[0].card)
    return DRAW_STOCK if DRAW_STOCK in view.legal else PASS
