"""The catalogue of faults: each injects something and says what it expects.

What every fault must leave intact is the oracle's business; a fault itself expects
what goes beyond that. All take the rig and a scale, 1 for a short run.
"""

import asyncio
import signal
import time
from collections.abc import Awaitable, Callable

import grpc.aio
from tests.faults import fault_network, fault_server
from tests.faults.audience import Watcher
from tests.faults.failing_referee import (
    ENDING_POINT,
    POINTS,
    RECORD_POINTS,
    SWEEP_POINT,
)
from tests.faults.note import note_creation
from tests.faults.player import Answer, Player, Turn
from tests.faults.proxy import Mode
from tests.faults.rig import DRILL_S, Rig
from tests.faults.short_match import (
    EXTRAS,
    PASSED_S,
    die_with_a_match,
    moves_at_the_deadline,
    no_shows,
    stop_in_sweep,
)
from tests.faults.side_door import SideDoor
from tests.faults.wire import refusal_of

from ginref.v1 import referee_service_pb2 as referee_pb
from ginref.v1 import ruleset_pb2

__all__ = ["EXTRAS", "FAULTS", "Fault"]

Fault = Callable[[Rig, float], Awaitable[None]]

DUEL = 32
"""Submissions of a duel at once."""


async def f01_kill_referee(rig: Rig, _: float) -> None:
    """Kill a referee at a point of a move; the other one goes on at once."""
    point = rig.next_of(POINTS)
    if point == ENDING_POINT:
        await die_with_a_match(rig, point)
    else:
        number = rig.pick()
        rig.arm(number, point, passes=rig.random.randint(1, 20))
        died = await rig.death(number, PASSED_S)
        rig.expect(died, f"{point} was never reached")
        rig.saw(f"died {point}", died)
        rig.kill(number)
        await rig.acknowledged()
        rig.heal(number)


async def f02_stop_referee(rig: Rig, scale: float) -> None:
    """Stop a referee, and let it go on late: what it still writes is stale."""
    number = rig.pick()
    rig.send_signal(number, signal.SIGSTOP)
    try:
        await rig.acknowledged()
        await asyncio.sleep(min(10.0, rig.random.uniform(1, 3) * scale))
        rig.saw("a referee stood still", rig.stands_still(number))
    finally:
        rig.send_signal(number, signal.SIGCONT)
    await rig.acknowledged()


async def f03_duel(rig: Rig, _: float) -> None:
    """Send one move many times, and others against it, through both referees.

    One request is accepted, all its copies get its answer, the others are stale.
    """

    async def duel(turn: Turn) -> None:
        player, request = turn.player, turn.request
        rival = player.request(
            request.match_id,
            request.seat - 1,
            request.expected_version,
            request.move.text,
        )
        sent = [request, rival] * (DUEL // 2)
        answers = await asyncio.gather(
            *(
                player.submit(one, turn.token, rig.wires[at % 3 % 2])
                for at, one in enumerate(sent)
            )
        )
        accepted = {
            one.request_id for one, a in zip(sent, answers, strict=True) if a.response
        }
        rig.expect(len(accepted) == 1, f"{len(accepted)} of two rivals were accepted")
        for one, answer in zip(sent, answers, strict=True):
            is_stale = answer.refusal and answer.refusal.reason in {
                "VERSION_STALE",
                "MATCH_OVER",
            }
            kept = answer.response if one.request_id in accepted else is_stale
            rig.expect(kept, f"a duel's answer: {answer.refusal}")
            rig.saw("copies answered" if answer.response else "rivals stale")
        turn.answer = next(answer for answer in answers if answer.response)

    await rig.drilled(duel)


async def f09_create_twice(rig: Rig, scale: float) -> None:
    """Lose the answer to a creation, repeat it elsewhere, and again much later.

    There is one match.
    """
    request = referee_pb.CreateMatchRequest(
        request_id=rig.random.randbytes(8).hex(),
        ruleset=ruleset_pb2.RulesetChoice(preset="gin"),
        bots=EXTRAS[:2],
    )
    number = rig.pick()
    async with SideDoor(rig, number) as side:
        side.proxy.set(Mode.DROP_REPLY)
        try:
            await side.wire.send("CreateMatch", request)
        except grpc.aio.AioRpcError as error:
            lost = refusal_of(error)
            rig.expect(not lost.is_final, f"a lost reply is {lost}")
    player = Player(rig, EXTRAS[:2], rig.tokens)
    made = await player.call("CreateMatch", request)
    note_creation(rig, made.match.match_id, request.request_id)
    await asyncio.sleep(min(60.0, scale))
    again = await rig.wires[number].send("CreateMatch", request, within=30)
    rig.expect(
        again.match.match_id == made.match.match_id, "a creation made two matches"
    )
    rig.saw("creation repeated")
    await player.abort(made.match.match_id)


async def f12_deadline(rig: Rig, scale: float) -> None:
    """Send moves just around their deadline: each is accepted, or late, never both."""
    await moves_at_the_deadline(rig, int(min(500, 12 * scale)))


async def f14_vanished_bots(rig: Rig, scale: float) -> None:
    """Let nobody show up in many matches at once: each ends once, soon."""
    await no_shows(rig, int(min(1000, 25 * scale)))


async def f16_overtaken(rig: Rig, _: float) -> None:
    """Hold a move up until a later one is accepted: it is stale when it comes."""

    async def drill(turn: Turn) -> None:
        player, request = turn.player, turn.request
        held = player.request(
            request.match_id,
            request.seat - 1,
            request.expected_version,
            request.move.text,
        )
        async with SideDoor(rig, rig.pick()) as side:
            side.proxy.set(Mode.HOLD)
            late = asyncio.create_task(
                player.attempt(held, turn.token, side.wire, within=30)
            )
            await asyncio.sleep(0.2)
            turn.answer = await player.submit(request, turn.token)
            side.proxy.set(Mode.PASS)
            answer: Answer = await late
        reason = answer.refusal.reason if answer.refusal else "accepted"
        rig.saw("overtaken", reason == "VERSION_STALE")
        rig.expect(
            reason in {"VERSION_STALE", "MATCH_OVER"}, f"overtaken, and {reason}"
        )

    await rig.drilled(drill)


async def f17_rolling_restart(rig: Rig, _: float) -> None:
    """Restart one referee after the other, politely: no call fails for good."""
    for number in range(len(rig.referees)):
        code = await asyncio.to_thread(rig.referees[number].stop)
        rig.expect(code == 0, f"stopped with {code}")
        rig.saw("restarted", code == 0)
        await rig.acknowledged()
        rig.heal(number)
        await rig.healed()


async def f18_kill_watched(rig: Rig, scale: float) -> None:
    """Kill a referee with watchers: they go on elsewhere, and miss nothing."""
    number, chosen = rig.pick(), asyncio.Event()
    watchers: list[Watcher] = []

    async def choose(turn: Turn) -> None:
        watchers.extend(
            Watcher(
                rig, turn.request.match_id, f"f18.{time.monotonic_ns()}.{n}", number
            )
            for n in range(int(min(300, 10 * scale)))
        )
        chosen.set()

    await rig.drilled(choose)
    tasks = [asyncio.create_task(watcher.follow()) for watcher in watchers]
    try:
        async with asyncio.timeout(DRILL_S):
            await asyncio.gather(*(watcher.is_following.wait() for watcher in watchers))
        rig.kill(number)
        async with asyncio.timeout(DRILL_S):
            await asyncio.gather(*(watcher.has_resumed.wait() for watcher in watchers))
        rig.saw("watcher went on", len(watchers))
        await rig.acknowledged()
        await asyncio.sleep(0.3)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        if rig.referees[number].process is None:
            rig.heal(number)


async def f19_stopped_sweeper(rig: Rig, scale: float) -> None:
    """Stop a sweeper that is about to act: another one does, and it changes nothing."""
    await stop_in_sweep(rig, SWEEP_POINT, int(min(100, 6 * scale)))


async def f20_kill_signer(rig: Rig, _: float) -> None:
    """Kill a referee while it keeps a record: there is one, with the same bytes."""
    await die_with_a_match(rig, rig.next_of(RECORD_POINTS))


FAULTS: dict[str, Fault] = {
    name.replace("f", "F", 1): fault
    for name, fault in sorted(
        {**vars(fault_network), **vars(fault_server), **globals()}.items()
    )
    if name[:1] == "f" and name[1:3].isdigit()
}
"""All of them by name; F07 and F15 want stores of their own."""
