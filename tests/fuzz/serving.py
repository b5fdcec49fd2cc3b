"""A referee in this process that is told anything, with the memory of a few calls."""

import re
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass
from tests.fuzz.shaped import DESCRIBED
from tests.leaks.wire import CONNECT, Sent
from tests.leaks.world import (
    NOBODY,
    OPERATOR,
    ORGANIZER,
    SEATED,
    SPECTATOR,
    STRANGER,
    Log,
    World,
    build_world,
)
from tests.simulation.dice import Dice
from tests.simulation.loop import SimulatedLoop

from ginref.v1 import bot_service_pb2

_T = TypeVar("_T")

CALLERS: Final = (
    SEATED[0],
    SEATED[1],
    ORGANIZER,
    OPERATOR,
    SPECTATOR,
    STRANGER,
    NOBODY,
)

_STEPS: Final = 10**9
_LIFE: Final = 400
"""Inputs after which a referee is made anew: so is all that a failure depends on."""

_STATUS: Final = re.compile(rb"\('([A-Z_]+)'")

_FAULTS: Final = {"INTERNAL", "UNKNOWN", "UNAVAILABLE", "DATA_LOSS"}
"""What no caller can bring about where the store is there."""


class FaultError(AssertionError):
    """A referee has answered with a fault, or nobody has caught an error."""


class Served:
    """A referee with a loop of its own."""

    def __init__(self) -> None:
        self._loop = SimulatedLoop(  # type: ignore[abstract] # what it leaves out raises
            Dice(0, "order"), 1, _STEPS
        )
        self.world = self._loop.run(build_world(Log()))

    def do(self, work: Callable[[World], Awaitable[_T]]) -> _T:
        """Do something, and see that nothing goes wrong.

        Raises:
            FaultError: Something does.
        """
        start = len(self.world.sent)

        async def run() -> _T:
            return await work(self.world)

        result = self._loop.run(run())
        look(self.world.sent[start:])
        if lost := [*self._loop.errors, *map(repr, self._loop.unseen())]:
            raise FaultError(str(lost))
        return result

    def close(self) -> None:
        self._loop.close()


def look(sent: list[Sent]) -> None:
    """See that everything that was told can be read, and that none of it is a fault.

    Raises:
        FaultError: Something is.
    """
    for one in sent:
        if one.kind == "status":
            found = _STATUS.match(one.data)
            if found is None or found[1].decode() in _FAULTS:
                raise FaultError(f"{one.method} to {one.to}: {one.data!r}")
            continue
        make: Any = GetMessageClass(DESCRIBED[one.method].output_type)
        try:
            message = make.FromString(one.data)
        except DecodeError as error:
            raise FaultError(f"{one.method} to {one.to} cannot be read") from error
        if b"INTERNAL_FAULT" in one.data or "INTERNAL_FAULT" in _reasons(message):
            raise FaultError(f"{one.method} to {one.to}: {message}")


def _reasons(message: Message) -> str:
    """Return the reason of a refusal on a bot's stream; other messages have none."""
    kind = message.WhichOneof("message") if "message" in _oneofs(message) else None
    return str(getattr(message, kind)) if kind in {"problem", "move_result"} else ""


def _oneofs(message: Message) -> set[str]:
    return {one.name for one in message.DESCRIPTOR.oneofs}


async def ask(world: World, method: str, caller: str, request: Message | bytes) -> None:
    """Make a call of any kind, and leave it when there is nothing more to hear."""
    described = DESCRIBED[method]
    if method == CONNECT:
        stream = await world.wire.connect(caller)
        hello: Any = bot_service_pb2.ConnectRequest()
        hello.hello.protocol = 1
        stream.say(hello)
        stream.say(request)
        await world.settle()
        await stream.close()
    elif described.server_streaming:
        stream = await world.wire.watch(caller, request, method)
        await world.settle()
        stream.task.cancel()
        await world.settle()
    else:
        await world.call(caller, method, request)


class Renewed:
    """A referee that is made anew after some inputs."""

    def __init__(self, prepare: Callable[[World], Awaitable[object]]) -> None:
        self._prepare = prepare
        self._left = 0
        self._served: Served | None = None

    def get(self) -> Served:
        """Return the referee, prepared."""
        if self._served is None or not self._left:
            if self._served is not None:
                self._served.close()
            self._served = Served()
            self._served.do(self._prepare)
            self._left = _LIFE
        self._left -= 1
        return self._served
