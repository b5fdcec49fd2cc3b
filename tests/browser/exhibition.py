"""What the pages show in tests: matches and tournaments of real bots."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from tests.e2e.cups import Cup, declared

from ginref.engine.move import Move
from ginref.engine.ruleset import HOLLYWOOD
from ginref.engine.view import SeatView
from ginref_client.bot import Bot
from ginref_client.bots.simple import Simple
from ginref_client.referee import Referee
from ginref_client.session import Session

_T = TypeVar("_T")

BRACKET: Final = Cup(name="autumn-cup", count=5, stage={"format": "double_elimination"})
LEAGUE: Final = Cup(name="league", count=3, stage={"format": "round_robin"})
RULES: Final = replace(HOLLYWOOD, game_target=10)
PLAYERS: Final = ("ada", "bea")


@dataclass(frozen=True)
class Exhibition:
    """What there is to see.

    Attributes:
        match_id: A Hollywood match that is over.
        tokens: Of the two bots that have played it.
    """

    match_id: str
    tokens: tuple[str, ...]


class Slow(Simple):
    """A simple bot that takes its time, so that it can be watched."""

    pause_s = 0.1

    def choose(self, view: SeatView) -> Move:
        """Return the obvious move, after a while."""
        time.sleep(self.pause_s)
        return super().choose(view)


@asynccontextmanager
async def attached(
    address: str, tokens: Sequence[str], bot: Callable[[], Bot] = Simple
) -> AsyncIterator[None]:
    """Attach a bot with each token."""
    sessions = [Session([address], token, bot) for token in tokens]
    async with asyncio.TaskGroup() as group:
        playing = [group.create_task(session.run()) for session in sessions]
        try:
            yield
        finally:
            for session in sessions:
                session.stop()
            await asyncio.wait(playing)


async def exhibit(address: str, token: str) -> Exhibition:
    """Play what is to be shown, and return it when all of it is over."""
    cups = (BRACKET, LEAGUE)
    async with Referee([address], token, attempts=20) as referee:
        tokens = [secret for cup in cups for secret in await cup.declare(referee)]
        players = tuple([await declared(referee, bot) for bot in PLAYERS])
        async with attached(address, [*tokens, *players]):
            match = await referee.create_match(PLAYERS, ruleset=RULES)
            await asyncio.gather(*(cup.start(referee) for cup in cups))
            await asyncio.gather(*(cup.until(referee, "secret_opened") for cup in cups))
            async for _ in referee.watch(match.match_id):
                pass
    return Exhibition(match.match_id, players)


async def all_declared(address: str, token: str, bots: Sequence[str]) -> list[str]:
    """Make bots known, and return their tokens."""
    async with Referee([address], token, attempts=20) as referee:
        return [await declared(referee, bot) for bot in bots]


def done(work: Coroutine[Any, Any, _T]) -> _T:
    """Do something before a browser looks; its driver's loop may run in this thread."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


@contextmanager
def aside(work: Callable[[asyncio.Event], Coroutine[Any, Any, None]]) -> Iterator[None]:
    """Do something in a loop of its own while a browser looks on.

    Args:
        work: Is given an event that is set when the browser has seen enough.
    """
    loop = asyncio.new_event_loop()
    seen = asyncio.Event()
    failed: list[BaseException] = []

    def run() -> None:
        try:
            loop.run_until_complete(work(seen))
        except BaseException as error:  # noqa: BLE001 - raised where it is waited for
            failed.append(error)
        finally:
            loop.close()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        if thread.is_alive():
            loop.call_soon_threadsafe(seen.set)
        thread.join()
    if failed:
        raise failed[0]
