"""An honest pair of bots: it plays by single calls, and notes what each move took."""

import asyncio
import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import grpc.aio
from tests.e2e.table import PATIENT
from tests.faults.wire import Wire, Wired, refusal_of

from ginref.engine.seat import Seat
from ginref.v1 import referee_service_pb2 as referee_pb
from ginref.v1 import ruleset_pb2
from ginref_client.bots.simple import Simple
from ginref_client.codec import move_to_wire, seat_view_from_wire

BOTS = ("ada", "bob")

WITHIN_S = 60.0
"""How long a call may take, however busy the machine is."""


@dataclass
class HonestPair:
    """Two bots that play one match after the other.

    Attributes:
        wire: The operator's channel: it creates the matches.
        tokens: Those of the bots, by seat.
        took_s: What each move took, in order.
        problems: What was refused or not answered, and why: then they stop.
        match_id: What they play now.
    """

    wire: Wire
    tokens: Sequence[str]
    took_s: list[float] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    match_id: str = ""

    def __post_init__(self) -> None:
        self._seats = [Wire(self.wire.address, token) for token in self.tokens]
        self._numbers = itertools.count()
        self._bot = Simple()

    async def close(self) -> None:
        for wire in self._seats:
            await wire.close()

    async def play(self) -> None:
        """Play until this is cancelled."""
        try:
            while True:
                self.match_id = await self._begin()
                while await self._move():
                    pass
        except grpc.aio.AioRpcError as error:
            self.problems.append(f"{error.code().name} {refusal_of(error).reason}")

    async def moves(self, count: int) -> list[float]:
        """Wait for so many more moves, and return what they took."""
        start = len(self.took_s)
        while len(self.took_s) < start + count and not self.problems:  # noqa: ASYNC110 - they play elsewhere
            await asyncio.sleep(0.01)
        return self.took_s[start:]

    async def _begin(self) -> str:
        made = await self.wire.send(
            "CreateMatch",
            referee_pb.CreateMatchRequest(
                request_id=f"honest {next(self._numbers)}",
                ruleset=ruleset_pb2.RulesetChoice(preset="hollywood"),
                bots=BOTS,
                clock=PATIENT,
            ),
            within=WITHIN_S,
        )
        match_id: str = made.match.match_id
        steps: tuple[dict[str, Wired], ...] = (
            {"accept": referee_pb.AcceptSeat()},
            {"no_share": referee_pb.NoShare()},
        )
        for step in steps:
            for seat, wire in zip(Seat, self._seats, strict=False):
                await wire.referee(
                    "PrepareSeat",
                    within=WITHIN_S,
                    match_id=match_id,
                    seat=seat + 1,
                    **step,
                )
        return match_id

    async def _move(self) -> bool:
        """Make the next move; say whether the match goes on."""
        for seat, wire in zip(Seat, self._seats, strict=False):
            found = await wire.referee(
                "GetMatch", within=WITHIN_S, match_id=self.match_id
            )
            if found.match.HasField("ending"):
                return False
            view = seat_view_from_wire(found.seat_views[0])
            if view.is_my_turn:
                move = move_to_wire(self._bot.choose(view))
                await self._submit(wire, seat, found.match.version, move)
        return True

    async def _submit(self, wire: Wire, seat: Seat, version: int, move: Wired) -> None:
        start = time.monotonic()
        await wire.referee(
            "SubmitMove",
            within=WITHIN_S,
            match_id=self.match_id,
            seat=seat + 1,
            expected_version=version,
            request_id=f"move {next(self._numbers)}",
            move=move,
        )
        self.took_s.append(time.monotonic() - start)


def p99_ms(took_s: Sequence[float]) -> float:
    """Return what 99 of a hundred moves took at most, in milliseconds."""
    ordered = sorted(took_s)
    return round(1000 * ordered[int(0.99 * (len(ordered) - 1))], 1) if ordered else 0.0
