"""Matches whose clocks run out on purpose, while everything else goes on."""

import asyncio
import signal
import time
from contextlib import suppress
from typing import Any

import grpc.aio
from tests.faults.note import note_ending
from tests.faults.player import Answer, Player
from tests.faults.rig import Rig

from ginref.v1 import clock_pb2, match_pb2
from ginref.v1 import referee_service_pb2 as referee_pb

EXTRAS = ("extra0", "extra1")
"""Bots of matches that faults make."""

PASSED_S = 120.0
"""How long it may take until a referee passes a point of its work."""

MOVE_MS = 1_500
START_MS = 4_000
SWEPT_S = 60.0
"""How long after its deadline a match may stay open on a busy machine."""

SHORT = clock_pb2.ClockPolicy(
    name="custom",
    start_ms=60_000,
    free_ms=100,
    bank_ms=10_000,
    cap_ms=MOVE_MS,
    grace_ms=0,
)
HASTY = clock_pb2.ClockPolicy(
    name="custom",
    start_ms=START_MS,
    free_ms=100,
    bank_ms=10_000,
    cap_ms=MOVE_MS,
    grace_ms=0,
)


SPREADS = ((-0.03, 0.01), (-0.03, 0.01), (-0.6, -0.4), (0.02, 0.1))
"""When moves are sent, in seconds from their deadline, from and to."""

BATCHES = 10
"""How often races are run until one was in time and one too late."""


async def moves_at_the_deadline(rig: Rig, count: int) -> None:
    """Submit a first move in many matches, each around its deadline.

    It goes on until some were in time and some too late.
    """
    told: set[str] = set()
    for _ in range(BATCHES):
        told |= set(
            await asyncio.gather(*(_race(rig, number) for number in range(count)))
        )
        if {"in time", "too late"} <= told:
            break
    for what in told:
        rig.saw(what)


async def _race(rig: Rig, number: int) -> str:
    """Send one move through both referees; say whether it was in time."""
    player = Player(rig, EXTRAS, rig.tokens)
    match_id = await player.create("gin", seeded=True, clock=SHORT)
    await player.accept(match_id)
    view, seat, left_s = await _first_turn(player, match_id)
    asked_s = time.monotonic()
    told = "over before"
    if view is not None:
        request = player.request(match_id, seat, view.version, "pass")
        offset_s = rig.random.uniform(*SPREADS[number % len(SPREADS)])
        past_s = time.monotonic() - asked_s
        await asyncio.sleep(max(0.0, left_s - past_s + offset_s))
        token = player.tokens[seat]
        answers = await asyncio.gather(
            *(player.submit(request, token, wire) for wire in rig.wires)
        )
        kinds = {_word(answer) for answer in answers}
        kept = kinds in (
            {"accepted"},
            {"MOVE_LATE"},
            {"MOVE_LATE", "MATCH_OVER"},
            {"MATCH_OVER"},
        )
        rig.expect(kept, f"race {number}: {kinds}")
        told = "in time" if kinds == {"accepted"} else "too late"
    await _over(player, match_id)
    return told


def _word(answer: Answer) -> str:
    return answer.refusal.reason if answer.refusal else "accepted"


async def _first_turn(player: Player, match_id: str) -> tuple[Any, int, float]:
    """Return the view of the seat to act, who it is, and how long it may take."""
    for seat, token in enumerate(player.tokens):
        request = referee_pb.GetMatchRequest(match_id=match_id)
        found = await player.call("GetMatch", request, token)
        table = found.public_view.table
        if table.to_act == seat + 1 and found.seat_views:
            # By one clock, which may be hours off.
            clock = found.public_view.clock
            left_ns = clock.deadline.ToNanoseconds() - clock.server_time.ToNanoseconds()
            return found.seat_views[0], seat, left_ns / 1e9
    # Too slow: its time has passed already.
    return None, 0, 0.0


async def _over(player: Player, match_id: str) -> match_pb2.Match:
    """Wait until a match is over, and note how."""
    end = time.monotonic() + SWEPT_S + MOVE_MS / 1000
    while True:
        request = referee_pb.GetMatchRequest(match_id=match_id)
        found = await player.call("GetMatch", request)
        if found.match.stage == match_pb2.MATCH_STAGE_OVER:
            note_ending(player.rig, match_id, found.match.ending, "waiting")
            match: match_pb2.Match = found.match
            return match
        if time.monotonic() > end:
            raise TimeoutError(f"{match_id} is not over")
        await asyncio.sleep(0.2)


async def no_shows(rig: Rig, count: int) -> None:
    """Create many matches that nobody comes to."""
    players = [Player(rig, EXTRAS, rig.tokens) for _ in range(count)]
    made = await asyncio.gather(
        *(player.create("gin", clock=HASTY) for player in players)
    )
    await asyncio.sleep(START_MS / 1000)
    over = await asyncio.gather(
        *(
            _over(player, match_id)
            for player, match_id in zip(players, made, strict=True)
        )
    )
    kinds = {match.ending.kind for match in over}
    rig.saw("no-show", len(over))
    rig.expect(kinds == {match_pb2.ENDING_KIND_NO_SHOW}, f"nobody came, and {kinds}")


async def stop_in_sweep(rig: Rig, point: str, count: int) -> None:
    """Let a sweeper stop with a match in its hands, until another one has swept."""
    number = rig.pick()
    rig.arm(number, point, what=signal.SIGSTOP)
    try:
        await no_shows(rig, count)
        rig.saw("stopped in a sweep", rig.stands_still(number))
    finally:
        # The other one may have come first to every match: it is not to stop later.
        rig.arm(number, "nowhere")
        rig.send_signal(number, signal.SIGCONT)
    await rig.acknowledged()


async def die_with_a_match(rig: Rig, point: str) -> None:
    """Let a referee die at a point that comes with the end of a match."""
    number = rig.pick()
    player = Player(rig, EXTRAS, rig.tokens)
    match_id = await player.create("gin")
    rig.arm(number, point)
    request = referee_pb.AbortMatchRequest(match_id=match_id)
    # It ends where the point is armed; whether it did, the other one tells.
    with suppress(grpc.aio.AioRpcError):
        await rig.wires[number].send("AbortMatch", request)
    await player.call("AbortMatch", request)
    note_ending(rig, match_id, (await _over(player, match_id)).ending, "host")
    died = await rig.death(number, PASSED_S)
    rig.expect(died, f"{point} was never reached")
    rig.saw(f"died {point}", died)
    rig.kill(number)
    await rig.acknowledged()
    rig.heal(number)
