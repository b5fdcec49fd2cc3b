"""Players by unary calls: both seats of a match, every call and reply in the journal.

A call whose outcome is unknown is made again under the same request id, through the
other door, until a referee has answered it. That is all that a player does about
faults.
"""

import asyncio
import itertools
import random
import secrets
import time
from contextlib import suppress
from dataclasses import dataclass

import grpc.aio
from tests.faults.journal import Asked, Told, digest, now_ns
from tests.faults.note import note_creation, note_ending, told_refusal
from tests.faults.rig import Rig
from tests.faults.wire import Refusal, Wire, Wired, refusal_of

from ginref.engine.card import CardSet
from ginref.engine.deadwood import discard_deadwoods
from ginref.engine.seat import Seat
from ginref.record.share import commit_seat
from ginref.v1 import clock_pb2, match_pb2, move_pb2, ruleset_pb2
from ginref.v1 import referee_service_pb2 as referee_pb

STUCK_S = 300.0
"""How long a call may fail before it counts as stuck."""

STRIKES = 100
WANDERING = 0.05
"""How often a player changes doors of itself, so that no referee is idle."""

ILLEGAL = 0.01
"""How often a player tries an illegal move."""

SLACK_S = 0.005
"""How much two readings of the machine's clock may be apart."""

LOOKING = 0.1
"""How often a player looks at the match before a draw that is legal in any case."""

ACKNOWLEDGED = 0.25
"""How often a match keeps receipts."""

PAIR = 2

WALL = 2
"""Cards in the stock that nobody draws."""

PATIENT = clock_pb2.ClockPolicy(
    name="custom",
    start_ms=120_000,
    free_ms=60_000,
    bank_ms=1_800_000,
    cap_ms=1_000_000,
    grace_ms=250,
)
"""Time rules that outlast every fault."""

SEATS = tuple(Seat)

_players = itertools.count()


class StuckError(Exception):
    """A call that no referee answers, however often it is made."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The final answer to a submission: a response, or a refusal."""

    response: Wired = None
    refusal: Refusal | None = None


@dataclass
class Turn:
    """A move that is about to be submitted: what a drill gets to play with."""

    player: "Player"
    request: Wired
    token: str
    answer: Answer | None = None


@dataclass
class Next:
    """Who moves next, and how.

    Attributes:
        seat: Whose turn it is.
        version: What the match has come to.
        view: What the seat sees; None if nobody has looked.
        move: What it does.
    """

    seat: int
    version: int
    view: Wired
    move: str = ""


class Player:
    """Plays one match after another with bots of its own."""

    def __init__(self, rig: Rig, bots: tuple[str, ...], tokens: dict[str, str]) -> None:
        """Play with these bots, by seat."""
        self.rig = rig
        self.bots = bots
        self.tokens = [tokens[bot] for bot in bots]
        self.random = random.Random(f"{rig.seed}/{bots}/{next(_players)}")
        self.match_id = ""
        self.is_aborted = False
        self._at = self.random.randrange(2)
        self._asked = 0

    # --- calls ----------------------------------------------------------------

    async def call(self, method: str, request: Wired, token: str = "") -> Wired:
        """Call until a referee answers.

        Raises:
            AioRpcError: It refuses.
            StuckError: None answers.
        """
        end = time.monotonic() + STUCK_S
        tries = 1
        while True:
            try:
                return await self.wire.send(method, request, token=token)
            except grpc.aio.AioRpcError as error:
                if refusal_of(error).is_final:
                    raise
                await self._fail(end, method, tries)
            tries += 1

    @property
    def wire(self) -> Wire:
        """The door that is used now; now and then it is another one."""
        if self.random.random() < WANDERING:
            self._at = self.random.randrange(len(self.rig.wires))
        return self.rig.wires[self._at]

    async def _fail(self, end: float, what: str, tries: int) -> None:
        """Turn to the other door, after a pause that grows."""
        if time.monotonic() > end:
            raise StuckError(what)
        self._at = (self._at + 1) % len(self.rig.wires)
        await asyncio.sleep(self.random.uniform(0.02, 0.2) * min(tries, 5))

    async def submit(
        self, request: Wired, token: str, wire: Wire | None = None
    ) -> Answer:
        """Submit a move until a referee answers; by one wire, or by any."""
        end = time.monotonic() + STUCK_S
        tries = 1
        while True:
            answer = await self.attempt(request, token, wire or self.wire)
            if answer.refusal is None or answer.refusal.is_final:
                return answer
            await self._fail(end, "SubmitMove", tries)
            tries += 1

    async def attempt(
        self,
        request: Wired,
        token: str,
        wire: Wire,
        within: float = 3.0,
    ) -> Answer:
        """Submit a move once, with a line before and after it."""
        journal = self.rig.journal
        number = journal.next_number()
        asked = Asked(
            number=number,
            at_ns=now_ns(),
            match_id=request.match_id,
            seat=str(SEATS[request.seat - 1]),
            request_id=request.request_id,
            expected_version=request.expected_version,
            move=request.move.text,
            way="call",
        )
        journal.put(asked)
        asked_s = time.time()
        try:
            response = await wire.send(
                "SubmitMove", request, token=token, within=within
            )
        except grpc.aio.AioRpcError as error:
            refusal = refusal_of(error)
            journal.put(told_refusal(number, refusal))
            return Answer(refusal=refusal)
        kept_s = response.accept_time.ToMilliseconds() / 1000
        self.rig.saw("kept, and told at a repetition", kept_s + SLACK_S < asked_s)
        journal.put(
            Told(
                number=number,
                at_ns=now_ns(),
                outcome="accepted",
                version=response.version,
                time_ms=response.accept_time.ToMilliseconds(),
                answer=digest(response.SerializeToString(deterministic=True)),
                receipt=response.receipt.decode(),
            )
        )
        return Answer(response=response)

    # --- a match --------------------------------------------------------------

    async def play(self, preset: str, *, seeded: bool) -> str:
        """Play a match to its end, and return its id."""
        match_id = await self.create(preset, seeded=seeded)
        await self._prepare(match_id, seeded=seeded)
        seat, next_one = 0, None
        while True:
            if next_one is None:
                next_one = await self._look(match_id, seat)
                if next_one is None:
                    return match_id
            seat = next_one.seat
            response = await self._move(match_id, next_one)
            if response is not None and response.HasField("ending"):
                self.told_ending(match_id, response.ending, "mover")
                return match_id
            next_one = self._following(next_one, response)

    def _following(self, last: Next, response: Wired) -> Next | None:
        """Say who moves next, as far as can be known without a look."""
        if response is None:
            return None
        if response.HasField("turn") and response.turn.legal_moves:
            return Next(last.seat, response.version, response.turn)
        goes_on = (
            len(self.bots) == PAIR
            and last.view is not None
            and last.view.own.HasField("drawn")
            and last.move.startswith("discard")
            and last.view.table.stock_count > WALL
            and last.view.table.turns_left > 1
        )
        if not goes_on or self.random.random() < LOOKING:
            return None
        return Next(1 - last.seat, response.version, None, "draw_stock")

    async def create(
        self,
        preset: str,
        *,
        seeded: bool = False,
        clock: clock_pb2.ClockPolicy = PATIENT,
    ) -> str:
        """Create a match, and return its id."""

        request = referee_pb.CreateMatchRequest(
            request_id=self.random.randbytes(12).hex(),
            ruleset=ruleset_pb2.RulesetChoice(preset=preset),
            bots=self.bots,
            clock=clock,
            strikes_allowed=STRIKES,
            receipts=self.random.random() < ACKNOWLEDGED,
        )
        if seeded:
            request.deal_source = match_pb2.DEAL_SOURCE_SEEDED
            request.seed = request.request_id
        made = await self.call("CreateMatch", request)
        self.match_id = made.match.match_id
        note_creation(self.rig, self.match_id, request.request_id)
        return self.match_id

    async def accept(self, match_id: str) -> None:
        """Take every seat."""
        for number in range(len(self.bots)):
            await self.step(match_id, number, accept=referee_pb.AcceptSeat())

    async def _prepare(self, match_id: str, *, seeded: bool) -> None:
        await self.accept(match_id)
        if seeded:
            return
        seats = range(len(self.bots))
        shares = [
            secrets.token_bytes(32) if self.random.random() < 0.8 else b""
            for _ in seats
        ]
        for number, share in enumerate(shares):
            if share:
                commitment = commit_seat(match_id, SEATS[number], share)
                await self.step(match_id, number, commitment=commitment)
            else:
                await self.step(match_id, number, no_share=referee_pb.NoShare())
        for number, share in enumerate(shares):
            if share:
                await self.step(match_id, number, nonce=share)

    async def step(self, match_id: str, number: int, **what: Wired) -> Wired:
        """Take a step of a seat before play."""
        request = referee_pb.PrepareSeatRequest(
            match_id=match_id, seat=_wire_seat(number), **what
        )
        return await self.call("PrepareSeat", request, self.tokens[number])

    async def _look(self, match_id: str, seat: int) -> Next | None:
        """Find out who moves next; None when all is over."""
        while True:
            request = referee_pb.GetMatchRequest(match_id=match_id)
            found = await self.call("GetMatch", request, self.tokens[seat])
            if found.match.stage == match_pb2.MATCH_STAGE_OVER:
                self.told_ending(match_id, found.match.ending, "reader")
                return None
            to_act = found.public_view.table.to_act - 1
            if to_act == seat:
                view = found.seat_views[0]
                return Next(seat, view.version, view)
            seat = to_act

    async def _move(self, match_id: str, what: Next) -> Wired:
        """Choose and submit a move; return the response, or None to look again."""
        view, is_illegal = what.view, False
        if view is not None:
            what.move = choose(view, self.random)
            strikes = view.clock.seats[what.seat].strikes_left
            is_illegal = strikes > STRIKES // 2 and self.random.random() < ILLEGAL
            if is_illegal:
                what.move = "draw_stock" if view.own.HasField("drawn") else "discard As"
        turn = Turn(
            self,
            self.request(match_id, what.seat, what.version, what.move),
            self.tokens[what.seat],
        )
        if self.rig.drills and not is_illegal:
            await self.rig.drills.popleft()(turn)
        answer = turn.answer or await self.submit(turn.request, turn.token)
        refusal = answer.refusal
        if refusal is None:
            told = f"{match_id}: illegal {what.move} accepted"
            self.rig.expect(not is_illegal, told)
            return answer.response
        is_expected = is_illegal or (self.is_aborted and refusal.reason == "MATCH_OVER")
        self.rig.expect(is_expected, f"{match_id}: {what.move}: {refusal}")
        return None

    async def abort(self, match_id: str = "") -> None:
        """Have a match ended, its own or another, whatever its players do."""
        self.is_aborted = True
        match_id = match_id or self.match_id
        request = referee_pb.AbortMatchRequest(match_id=match_id)
        with suppress(grpc.aio.AioRpcError):
            answer = await self.call("AbortMatch", request)
            note_ending(self.rig, match_id, answer.match.ending, "host")

    def request(self, match_id: str, seat: int, version: int, move: str) -> Wired:
        """Make a submission with a request id of its own."""
        self._asked += 1
        return referee_pb.SubmitMoveRequest(
            match_id=match_id,
            seat=_wire_seat(seat),
            expected_version=version,
            request_id=f"{self._asked}-{self.random.randbytes(6).hex()}",
            move=move_pb2.Move(text=move),
        )

    def told_ending(self, match_id: str, ending: match_pb2.Ending, by: str) -> None:
        """Note how a match ended, as somebody was told."""
        note_ending(self.rig, match_id, ending, by)


def choose(view: Wired, chance: random.Random) -> str:
    """Choose by one's own cards alone, and as cheaply as can be."""
    legal = [option.text for option in view.legal_moves]
    if not view.own.HasField("drawn"):
        return "draw_stock" if "draw_stock" in legal else chance.choice(legal)
    left = discard_deadwoods(CardSet.parse(" ".join(view.own.hand)))
    best = sorted(left, key=lambda card: (left[card], -card.points))
    words = [f"knock {card}" for card in best] + [f"discard {card}" for card in best]
    return next(word for word in words if word in legal)


def _wire_seat(number: int) -> Wired:
    return number + 1
