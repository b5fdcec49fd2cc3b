"""Plays scripts in a world, one after another, while its bots stay attached."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tests.leaks.dealing import Deck, dealing
from tests.leaks.script import Play, Question, Script, Slip
from tests.leaks.skipping import find
from tests.leaks.wire import Sent, Stream
from tests.leaks.world import ORGANIZER, SEATED, SPECTATOR, World

from ginref.engine.card import PACK
from ginref.engine.move import DRAW_STOCK
from ginref.engine.ruleset import GIN, Ruleset
from ginref.engine.seat import Seat
from ginref.record.clock import ClockPolicy
from ginref.record.share import commit_seat
from ginref.v1 import (
    bot_service_pb2,
    clock_pb2,
    match_pb2,
    move_pb2,
    ruleset_pb2,
    session_pb2,
)
from ginref.v1 import referee_service_pb2 as referee_pb

CLOCK: Final = ClockPolicy(
    name="custom",
    start_ms=5_000,
    free_ms=100,
    bank_ms=1_000,
    cap_ms=1_500,
    grace_ms=0,
)

_SPAN_MS: Final = 7
_TOO_LONG_S: Final = 2.0


@dataclass(eq=False)
class Table:
    """Bots that are attached to a referee for as long as scripts are played.

    Attributes:
        world: The referee.
        bots: Their streams.
        wants_events: They are told of what others do as it happens.
    """

    world: World
    wants_events: bool
    bots: dict[Seat, Stream] = field(default_factory=dict)

    async def attach(self, seat: Seat) -> None:
        """Attach the bot of a seat; its stream before that ends."""
        features = ["events"] if self.wants_events else []
        hello = session_pb2.Hello(protocol=1, features=features)
        self.bots[seat] = await self.world.wire.connect(SEATED[seat])
        self.bots[seat].say(bot_service_pb2.ConnectRequest(hello=hello))
        await self.world.settle()

    async def leave(self) -> None:
        """End all streams."""
        for stream in self.bots.values():
            await stream.close()


@dataclass(eq=False)
class Performance:
    """A script as it is played.

    Attributes:
        table: Where.
        script: What is played.
        match_id: The match.
        version: Its version.
        named: Moves that bots have sent, as texts, by bot.
    """

    table: Table
    script: Script
    match_id: str = ""
    version: int = 0
    named: dict[str, list[str]] = field(default_factory=dict)
    _watches: list[Stream] = field(default_factory=list)
    _requests: int = 0
    _latest: dict[Seat, referee_pb.SubmitMoveRequest] = field(default_factory=dict)

    @property
    def world(self) -> World:
        """The referee."""
        return self.table.world

    async def begin(self) -> None:
        """Have the match where it is to be looked at, and let somebody watch."""
        script = self.script
        if script.silent:
            self.match_id, self.version = await find(self.world, script, CLOCK)
        else:
            await self.create()
            await self.prepare()
        if script.observer is None or script.number % 4 == 1:
            await self.watch(SPECTATOR)
        elif script.number % 4 == 0:
            await self.watch(SEATED[script.observer])

    async def act(self) -> None:
        """Do all that the script says."""
        for action in self.script.actions:
            if isinstance(action, Play):
                await self.submit(action.seat, str(action.move))
                self.version += 1
            elif isinstance(action, Slip):
                await self.submit(action.seat, str(action.move))
            else:
                await self._ask(action)

    async def end(self) -> None:
        """End the match as the script says, and look at what is left."""
        world, script = self.world, self.script
        seat = script.seats[script.number % len(script.seats)]
        if script.end == "resign":
            resign = referee_pb.ResignMatchRequest(
                match_id=self.match_id, seat=wire_seat(seat)
            )
            await self.call(SEATED[seat], "ResignMatch", resign)
        elif script.end == "abort":
            abort = referee_pb.AbortMatchRequest(match_id=self.match_id)
            await self.call(ORGANIZER, "AbortMatch", abort)
        elif script.end == "time":
            await world.wait(_TOO_LONG_S)
        looking = SEATED[seat] if script.number % 2 else SPECTATOR
        found = referee_pb.GetMatchResponse.FromString((await self.look(looking)).data)
        assert found.public_view.ending.kind, found
        assert found.public_view.version == self.version + 1, found
        for stream in self._watches:
            await stream.close()

    async def call(self, caller: str, method: str, request: Any) -> Sent:  # noqa: ANN401 - of the method
        """Make a call to the referee's service."""
        return await self.world.call(caller, f"RefereeService/{method}", request)

    async def look(self, caller: str) -> Sent:
        """Look at the match."""
        request = referee_pb.GetMatchRequest(match_id=self.match_id)
        return await self.call(caller, "GetMatch", request)

    async def watch(self, caller: str) -> None:
        """Follow the match."""
        self._watches.append(await self.world.watch(caller, self.match_id))

    async def ask(self, kind: str, seat: Seat) -> None:
        """Ask something that changes nothing."""
        await self._ask(Question(kind, seat, PACK[0]))

    async def create(self) -> None:
        """Create the match."""
        made = await self.create_another(f"script {self.script.number}")
        assert made.kind == "message", made
        answer = referee_pb.CreateMatchResponse.FromString(made.data)
        self.match_id, self.version = answer.match.match_id, 1

    async def create_another(self, request_id: str = "another") -> Sent:
        """Ask for a match like this one."""
        script = self.script
        source = match_pb2.DEAL_SOURCE_SEEDED
        if script.has_shares:
            source = match_pb2.DEAL_SOURCE_SHARES
        request = referee_pb.CreateMatchRequest(
            request_id=request_id,
            ruleset=_choice(script.rules),
            bots=SEATED[: len(script.seats)],
            clock=clock_pb2.ClockPolicy(
                start_ms=CLOCK.start_ms,
                free_ms=CLOCK.free_ms,
                bank_ms=CLOCK.bank_ms,
                cap_ms=CLOCK.cap_ms,
            ),
            strikes_allowed=script.strikes_allowed,
            deal_source=source,
            seed=None if script.has_shares else f"seed {script.number}",
        )
        return await self.call(ORGANIZER, "CreateMatch", request)

    async def prepare(self) -> None:
        """Take all steps before play."""
        steps = ["accept"]
        if self.script.has_shares:
            steps += ["commitment", "nonce"]
        for step in steps:
            for seat in self.script.seats:
                self.version += 1
                await self._step(seat, step)

    async def _step(self, seat: Seat, step: str) -> None:
        request = referee_pb.PrepareSeatRequest(
            match_id=self.match_id, seat=wire_seat(seat)
        )
        if step == "accept":
            request.accept.SetInParent()
        elif step == "commitment":
            request.commitment = commit_seat(self.match_id, seat, share_of(seat))
        else:
            request.nonce = share_of(seat)
        await self.call(SEATED[seat], "PrepareSeat", request)

    async def submit(self, seat: Seat, text: str, /, **changes: Any) -> None:  # noqa: ANN401 - fields of the request
        """Submit a move of a seat, at the version as it is unless told otherwise."""
        self._requests += 1
        fields = {
            "match_id": self.match_id,
            "seat": wire_seat(seat),
            "expected_version": self.version,
            "request_id": f"request {self._requests}",
            "move": move_pb2.Move(text=text),
        }
        request = referee_pb.SubmitMoveRequest(**{**fields, **changes})
        if not changes:
            self._latest[seat] = request
        await self._send(seat, request)

    async def _send(self, seat: Seat, request: referee_pb.SubmitMoveRequest) -> None:
        await self.world.wait_ms(_SPAN_MS)
        bot = SEATED[seat]
        self.named.setdefault(bot, []).append(request.move.text)
        if not self.script.streams[seat]:
            await self.call(bot, "SubmitMove", request)
            return
        message = bot_service_pb2.ConnectRequest()
        message.move.MergeFromString(request.SerializeToString())
        self.table.bots[seat].say(message)
        await self.world.settle()

    async def _ask(self, question: Question) -> None:
        """Ask something that changes nothing."""
        seat, kind = question.seat, question.kind
        if seat is None:
            await self.look(SPECTATOR)
        elif kind == "look":
            await self.look(SEATED[seat])
        elif kind == "list":
            request = referee_pb.ListMatchesRequest(page_size=2)
            await self.call(SEATED[seat], "ListMatches", request)
        elif kind == "record":
            record = referee_pb.GetMatchRecordRequest(match_id=self.match_id)
            await self.call(SEATED[seat], "GetMatchRecord", record)
        elif kind == "sync":
            await self._sync(seat)
        elif kind == "attach":
            await self.table.attach(seat)
        elif kind == "again" and seat in self._latest:
            await self._send(seat, self._latest[seat])
        elif kind == "foreign":
            other = next(one for one in self.script.seats if one is not seat)
            await self.submit(seat, str(DRAW_STOCK), seat=wire_seat(other))
        else:
            # Out of turn, and of another version where the seat is to act.
            text = f"discard {question.card}"
            await self.submit(seat, text, expected_version=self.version - 1)

    async def _sync(self, seat: Seat) -> None:
        message = bot_service_pb2.ConnectRequest()
        message.sync.match_id, message.sync.seat = self.match_id, wire_seat(seat)
        self.table.bots[seat].say(message)
        await self.world.settle()


async def perform(
    world: World, scripts: Sequence[Script], decks: Sequence[tuple[Deck, ...]]
) -> list[list[Sent]]:
    """Play scripts on some cards; return what the referee has told in each."""
    table = Table(world, wants_events=scripts[0].number % 2 == 0)
    told: list[list[Sent]] = []
    for seat in Seat:
        await table.attach(seat)
    for script, cards in zip(scripts, decks, strict=True):
        start = len(world.sent)
        performance = Performance(table, script)
        # Somebody sweeps, or all that time would be an outage.
        await world.sweeper.sweep()
        with dealing(cards, script.first_dealer):
            await performance.begin()
            await performance.act()
            await performance.end()
        told.append(world.sent[start:])
    await table.leave()
    return told


def share_of(seat: Seat) -> bytes:
    """Return the share of a seat."""
    return hashlib.sha256(f"share of {seat}".encode()).digest()


def wire_seat(seat: Seat) -> Any:  # noqa: ANN401 - the generated enum
    """Return a seat as it is called on the wire."""
    return seat + 1


def _choice(rules: Ruleset) -> ruleset_pb2.RulesetChoice:
    """Return how rules are asked for: plain gin, and what is different."""
    choice, plain = ruleset_pb2.RulesetChoice(preset="gin"), GIN.to_dict()
    for name, value in rules.to_dict().items():
        if name not in {"name", "version"} and value != plain[name]:
            setattr(choice.changes, name, value)
    return choice
