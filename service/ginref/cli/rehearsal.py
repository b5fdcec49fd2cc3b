"""A tournament that is played on a referee of its own, with all that can go wrong.

One bot never shows up, another one crashes in the middle of a match and comes back, and
the referee itself is started again. The tournament has to come to its end all the same.
"""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from ginref.cli.child_referee import ChildReferee
from ginref.cli.tournament_export import save_records
from ginref.engine.move import Move
from ginref.engine.view import SeatView
from ginref_client.bot import Bot
from ginref_client.loading import load_bot
from ginref_client.referee import Referee
from ginref_client.session import Session
from ginref_client.tournament import Tournament
from ginref_client.tournament_change import advance, enter

_PLAYERS: Final = ("careful", "simple")
_CLOCK: Final = {
    "start": "5s",
    "free": "100ms",
    "bank": "10s",
    "cap": "2s",
    "grace": "0s",
}
_ATTEMPTS: Final = 60
"""How often a call is tried while the referee is away."""

_CRASH_TURN: Final = 5
"""The turn at which the bot crashes, counted over all of its matches."""

_AWAY_SECONDS: Final = 1.0
_PART: Final = 3
"""After one of so many parts the referee is started again."""

_LADDER_FIXTURES: Final = 3


def rehearsed(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration as it is rehearsed: open to all, at once and fast."""
    stages = []
    for stage in document["stages"]:
        played: dict[str, Any] = {
            "match": {**stage["match"], "clock": _CLOCK},
            "except": {
                name: {**match, "clock": _CLOCK}
                for name, match in stage["except"].items()
            },
        }
        if stage["format"] == "ladder" and stage["fixtures"] is None:
            played["fixtures"] = _LADDER_FIXTURES
        stages.append({**stage, **played})
    seeding = document["entry"]["seeding"]
    return {
        **document,
        "stages": stages,
        "schedule": {},
        "entry": {
            "capacity": document["entry"]["capacity"],
            "check_in": True,
            "seeding": "draw" if seeding == "given" else seeding,
        },
    }


class Rehearsal:
    """Plays a tournament once, with everything in a folder."""

    def __init__(
        self,
        folder: Path,
        document: Mapping[str, Any],
        bots: Sequence[str],
        tell: Callable[[str], None],
        show: Callable[[Tournament], None],
    ) -> None:
        """Prepare to play.

        Args:
            folder: An empty folder.
            document: The configuration as it is rehearsed.
            bots: Who plays. The first one crashes, the last one never shows up.
            tell: Hears what happens, for people.
            show: Is shown how the tournament stands whenever that has changed.
        """
        self._folder = folder
        self._document = document
        self._name = document["name"]
        self._bots = tuple(bots)
        self._tell = tell
        self._show = show
        self._tokens: dict[str, str] = {}
        self._sessions: dict[str, Session] = {}
        self._playing: set[asyncio.Task[None]] = set()
        self._turns = 0
        self._child = ChildReferee(self.home, dev=False)

    @property
    def home(self) -> Path:
        """The folder of the referee."""
        return self._folder / "referee"

    @property
    def export(self) -> Path:
        """The signed export, once there is one."""
        return self._folder / f"{self._name}.json"

    @property
    def records(self) -> Path:
        """The folder of the matches' records."""
        return self._folder / "records"

    async def run(self) -> None:
        """Play to the end, and fetch what proves it.

        Raises:
            ChildRefereeError: The referee did not start.
            ClientError: The referee refuses, or does not come back.
            OSError: A file cannot be written.
        """
        await self._child.__aenter__()
        try:
            self._tell(f"a referee answers at {self._child.address}")
            async with Referee(
                self._child.address, self._child.operator_token(), attempts=_ATTEMPTS
            ) as referee:
                await self._let_in(referee)
                await self._begin(referee)
                await self._follow(referee)
                self.export.write_bytes(await referee.export_tournament(self._name))
                seen = await referee.get_tournament(self._name)
                await save_records(referee, seen, self.records)
        finally:
            await self._dismiss()
            await self._child.__aexit__(None, None, None)

    async def _let_in(self, referee: Referee) -> None:
        """Declare the tournament, and let bots enter it and attach."""
        await referee.create_tournament(self._document)
        await self._advance(referee, "registration")
        for at, bot in enumerate(self._bots):
            owner = f"owner-{at + 1}"
            await referee.create_owner(owner)
            await referee.create_bot(bot, owner)
            self._tokens[bot] = (await referee.create_token("bot", bot=bot)).secret
            seen = await referee.get_tournament(self._name)
            await referee.change_tournament(
                self._name, enter(bot), expected_version=seen.version
            )
        self._tell(f"{len(self._bots)} bots have entered {self._name}")
        for bot in self._bots:
            self._attach(bot)

    async def _begin(self, referee: Referee) -> None:
        """Let the bots check in, draw, and start; one of them is gone by then."""
        await self._advance(referee, "check_in")
        await self._until(
            referee, lambda seen: all(one.checked_in for one in seen.entrants)
        )
        await self._advance(referee, "seeding")
        await self._until(
            referee, lambda seen: any(one.HasField("seed") for one in seen.entrants)
        )
        self._tell("all have checked in, and the draw is made")
        self._sessions.pop(self._bots[-1]).stop()
        self._tell(f"{self._bots[-1]} is gone, and will not show up")
        await self._advance(referee, "running")

    async def _follow(self, referee: Referee) -> None:
        """Watch until all is over; start the referee again on the way."""
        over, restarted = 0, False
        async for entry in referee.watch_tournament(self._name):
            event = json.loads(entry.json)["event"]
            over += event["kind"] == "match_ended"
            seen = await referee.get_tournament(self._name)
            self._show(seen)
            if not restarted and over and over * _PART >= _match_count(seen):
                restarted = True
                self._tell("the referee is stopped in the middle of it")
                await self._start_again()
                self._tell("the referee is there again")
            if event["kind"] == "secret_opened":
                return

    async def _start_again(self) -> None:
        address = self._child.address
        await self._child.__aexit__(None, None, None)
        self._child = ChildReferee(self.home, dev=False, listen=address)
        await self._child.__aenter__()

    async def _advance(self, referee: Referee, to: str) -> None:
        seen = await referee.get_tournament(self._name)
        await referee.change_tournament(
            self._name, advance(to), expected_version=seen.version
        )

    async def _until(
        self, referee: Referee, is_there: Callable[[Tournament], bool]
    ) -> None:
        """Wait until the tournament has come somewhere."""
        seen = await referee.get_tournament(self._name)
        if is_there(seen):
            return
        async for _ in referee.watch_tournament(self._name, seen.version):
            seen = await referee.get_tournament(self._name)
            self._show(seen)
            if is_there(seen):
                return

    def _attach(self, bot: str) -> None:
        """Attach a bot in a task of its own."""
        player = load_bot(_PLAYERS[self._bots.index(bot) % len(_PLAYERS)])
        is_first = bot == self._bots[0]
        loop = asyncio.get_running_loop()

        def count() -> None:
            self._turns += 1
            if self._turns == _CRASH_TURN:
                loop.call_soon_threadsafe(self._crash, bot)

        def new_bot() -> Bot:
            return Counted(player(), count) if is_first else player()

        session = self._sessions[bot] = Session(
            self._child.address,
            self._tokens[bot],
            new_bot,
            state=self._folder / "bots" / bot,
        )
        task = asyncio.create_task(_play(session))
        self._playing.add(task)
        task.add_done_callback(self._playing.discard)

    def _crash(self, bot: str) -> None:
        """End a bot in the middle of a match, and start it again a little later."""
        self._tell(f"{bot} crashes")
        self._sessions.pop(bot).stop()
        asyncio.get_running_loop().call_later(_AWAY_SECONDS, self._come_back, bot)

    def _come_back(self, bot: str) -> None:
        self._tell(f"{bot} is started again")
        self._attach(bot)

    async def _dismiss(self) -> None:
        for session in self._sessions.values():
            session.stop()
        if self._playing:
            await asyncio.wait(self._playing)


class Counted(Bot):
    """A bot whose turns are counted."""

    def __init__(self, player: Bot, count: Callable[[], None]) -> None:
        """Play as another bot, and call `count` before each move."""
        self._player = player
        self._count = count

    def choose(self, view: SeatView) -> Move:
        """Choose as the player does."""
        self._count()
        self._player.clock = self.clock
        return self._player.choose(view)


async def _play(session: Session) -> None:
    await session.run()


def _match_count(seen: Tournament) -> int:
    return sum(len(stage.fixtures) for stage in seen.stages)
