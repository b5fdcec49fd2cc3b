"""What is done to referees, to the store and to connections, and how it ends."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any, Final

from tests.simulation.network import Weather
from tests.simulation.referee import Referee
from tests.simulation.stream_player import StreamPlayer
from tests.simulation.world import World

_CALM: Final = Weather(delay=(0.0002, 0.002))

_SHORT: Final = (0.1, 1.5)
_LONG: Final = (2.2, 3.0)
"""Seconds; a long time without any referee is an outage."""

_SETTLED: Final = 1.5
"""Seconds in which all must be well again."""

_DRAIN: Final = 0.4
"""Seconds that a referee has between the word and the end."""


class Trouble:
    """Makes trouble until it is told to stop."""

    def __init__(self, world: World) -> None:
        """Make it in a world."""
        self._world = world
        self._dice = world.network.dice
        self._tasks: list[asyncio.Task[None]] = []
        self._away = 0
        self._ways: dict[str, Callable[[], Coroutine[Any, Any, None]]] = {
            "crash": self._crash_one,
            "all down": self._crash_all,
            "pause": self._pause,
            "drain": self._drain,
            "store away": self._take_store_away,
            "store blinks": self._blink,
            "deaf": self._deafen,
            "clock jumps": self._set_clock,
            "cut": self._cut,
            "attach again": self._attach_again,
        }

    async def make(self) -> None:
        """Make trouble for as long as planned, then put everything right."""
        world, plan = self._world, self._world.plan
        while world.network.now() < plan.trouble and not world.is_over:
            await asyncio.sleep(self._dice.between(*plan.pause))
            if plan.faults:
                fault = self._dice.pick(plan.faults)
                world.journal.note("fault", fault)
                world.journal.count(f"fault: {fault}")
                self._tasks.append(world.network.start(self._ways[fault]()))
        self._end()

    def _end(self) -> None:
        world = self._world
        for task in self._tasks:
            task.cancel()
        world.journal.note("calm")
        world.is_troubled = False
        world.calm = world.network.now() + _SETTLED
        network = world.network
        network.weather = replace(_CALM)
        network.store_away = False
        network.disturbed = network.now()
        for referee in world.referees:
            if referee.is_up and referee.hub.draining:
                referee.crash()
            if not referee.is_up:
                referee.start()
            self._resume(referee)
            referee.hear_again()
        for player in world.players.values():
            for hand in player.hands.values():
                hand.heal()

    # --- the ways to make it -------------------------------------------------------

    def _one(self) -> Referee | None:
        up = [one for one in self._world.referees if one.is_up]
        return self._dice.pick(up) if up else None

    async def _crash_one(self) -> None:
        referee = self._one()
        if referee is not None:
            await self._crash(referee, _SHORT)

    async def _crash_all(self) -> None:
        down = self._dice.pick((_SHORT, _LONG))
        crashes = (self._crash(one, down) for one in self._world.referees)
        await asyncio.gather(*crashes)

    async def _crash(self, referee: Referee, down: tuple[float, float]) -> None:
        referee.crash()
        await asyncio.sleep(self._dice.between(*down))
        if not referee.is_up:
            referee.start()

    async def _pause(self) -> None:
        referee = self._one()
        if referee is None or referee.process.is_paused:
            return
        process = referee.process
        process.is_paused = True
        await asyncio.sleep(self._dice.between(*self._dice.pick((_SHORT, _LONG))))
        if process is referee.process:
            self._resume(referee)

    def _resume(self, referee: Referee) -> None:
        if referee.process.is_paused:
            if self._world.loop.holds_back(referee.process):
                self._world.journal.count("zombie woke")
            self._world.loop.resume(referee.process)
        referee.healthy_since = self._world.network.now()

    async def _drain(self) -> None:
        referee = self._one()
        if referee is None:
            return
        process = referee.process
        process.context.run(referee.begin_to_drain)
        await asyncio.sleep(_DRAIN)
        if process is referee.process:
            await self._crash(referee, (0.01, 0.3))

    async def _take_store_away(self) -> None:
        await self._away_for(self._dice.between(*self._dice.pick((_SHORT, _LONG))))

    async def _blink(self) -> None:
        await self._away_for(self._dice.between(0.005, 0.05))

    async def _away_for(self, seconds: float) -> None:
        network = self._world.network
        self._away += 1
        network.store_away = True
        await asyncio.sleep(seconds)
        self._away -= 1
        network.store_away = self._away > 0
        network.disturbed = network.now()
        self._world.wakes.reconnect()

    async def _deafen(self) -> None:
        referee = self._one()
        if referee is None:
            return
        store = referee.store
        store.is_deaf = True
        await asyncio.sleep(self._dice.between(*self._dice.pick((_SHORT, _LONG))))
        if store is referee.store:
            referee.hear_again()
            referee.healthy_since = self._world.network.now()

    async def _set_clock(self) -> None:
        server = self._world.server
        server.skew_ms += self._dice.pick(
            (-3_600_000, -3_000, -150, 150, 3_000, 3_600_000)
        )
        server.has_jumped = True
        self._world.network.disturbed = self._world.network.now()

    async def _cut(self) -> None:
        streams = [
            player.stream
            for player in self._world.players.values()
            if isinstance(player, StreamPlayer) and player.stream is not None
        ]
        if streams:
            self._dice.pick(streams).cut()

    async def _attach_again(self) -> None:
        players = [
            player
            for player in self._world.players.values()
            if isinstance(player, StreamPlayer)
        ]
        if players:
            self._dice.pick(players).attach()
