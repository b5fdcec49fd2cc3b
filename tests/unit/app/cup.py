"""A tournament for tests: processes that run it and may crash, bots that play it."""

import asyncio
import hashlib
import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.unit.app.world import World

from ginref.adapters.memory_tournament import MemoryTournaments
from ginref.app.caller import Caller, Role
from ginref.app.desk import Desk
from ginref.app.fixture_work import FixtureWork
from ginref.app.live_tournament import LiveTournament
from ginref.app.request import Accept
from ginref.app.runner import Runner
from ginref.app.signing import Signing
from ginref.app.steward import Steward
from ginref.app.tournament_desk import TournamentDesk
from ginref.app.tournament_keeper import TournamentKeeper
from ginref.app.tournament_parts import TournamentParts
from ginref.app.tournament_report import Asking, Changed
from ginref.app.tournament_store import Addition, StoredLog
from ginref.engine.seat import Seat
from ginref.tournament.audit import Audit, audit
from ginref.tournament.event import MatchCreated, MatchEnded
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.operation import Advance, CheckIn, Operation, RevealShare
from ginref.tournament.plan import plan_ledger, rankings
from ginref.tournament.secret import commit_share

ROUNDS_MOST = 400

OPERATOR = Caller(token_id="t-operator", role=Role.OPERATOR)

SHORT_MATCH = {
    "ruleset": {"name": "short", "game_target": 1},
    "clock": "fast",
}
"""Over after a round or two."""


class CrashError(BaseException):
    """The process has died at this point."""


class Fate:
    """Decides where processes die.

    Attributes:
        odds: How likely one dies wherever it may.
        at: The point at which one dies, and how often it goes well before.
        deaths: How many have died where.
    """

    def __init__(self) -> None:
        self.random = random.Random(0)
        self.odds = 0.0
        self.at: tuple[str, int] | None = None
        self.seen: Counter[str] = Counter()
        self.deaths: Counter[str] = Counter()

    def meet(self, point: str) -> None:
        """Go on, or die.

        Raises:
            CrashError: Die.
        """
        is_due = self.at == (point, self.seen[point])
        self.seen[point] += 1
        if is_due or self.random.random() < self.odds:
            self.deaths[point] += 1
            raise CrashError(point)


class FatedTournaments(MemoryTournaments):
    """A store behind a wire, whose callers may die before and after each write."""

    fate: Fate
    left: asyncio.Event
    reads = 0

    async def read(self, tournament: str, *, after: int = 0) -> StoredLog:
        self.reads += 1
        found = await super().read(tournament, after=after)
        await asyncio.sleep(0)
        return found

    async def append(self, addition: Addition) -> bool:
        self.fate.meet("before append")
        done = await super().append(addition)
        await asyncio.sleep(0)
        self.fate.meet("after append")
        return done

    async def wake(self, topic: str) -> None:
        self.fate.meet("before wake")
        await super().wake(topic)

    def lose_secret(self, tournament: str) -> None:
        """Forget what a tournament's draw and boards follow from."""
        self._of(tournament).secret = None

    def lose_entries(self, tournament: str, count: int) -> None:
        """Forget the last entries of a log."""
        del self._of(tournament).log[-count:]

    def swap_entries(self, tournament: str) -> None:
        """Change places of the last two entries of a log."""
        log = self._of(tournament).log
        log[-1], log[-2] = log[-2], log[-1]

    def announce(self, tournament: str) -> None:
        """List a tournament whose creator died before it was created."""
        self._created[tournament] = self._clock()
        self._live[tournament] = None

    async def leave_live(self, tournament: str) -> None:
        self.fate.meet("before leaving")
        await super().leave_live(tournament)
        self.left.set()


@dataclass(kw_only=True)
class Process:
    """One process that runs tournaments."""

    match_desk: Desk
    desk: TournamentDesk
    steward: Steward
    runner: Runner
    signing: Signing


@dataclass(kw_only=True)
class Cup:
    """A tournament, and everything around it.

    Attributes:
        world: What is around it.
        name: Its identity.
        plays: Matches are played; otherwise somebody resigns each at once.
    """

    world: World
    plays: bool = False
    name: str = "cup"
    store: FatedTournaments = field(init=False)
    fate: Fate = field(default_factory=Fate)
    processes: list[Process] = field(default_factory=list)
    asked: int = 0

    def __post_init__(self) -> None:
        self.store = FatedTournaments(self.world.store.wake, self.world.store.now_ms)
        self.store.fate, self.store.left = self.fate, asyncio.Event()
        self.world.store.meet = self.world.archive.meet = self.fate.meet

    async def process(self) -> Process:
        """Start one more process."""
        replica = await self.world.replica()
        tools = replica.tools
        parts = TournamentParts.of(tools, self.store, self.world.sealer)
        match_desk = Desk(tools, parts.embargo)
        work = FixtureWork(tools, match_desk, parts.secrets)
        made = Process(
            match_desk=match_desk,
            desk=parts.desk,
            steward=Steward(parts.keeper, parts.secrets, work),
            runner=parts.runner(tools, match_desk),
            signing=Signing(tools, self.world.time.seconds, tournaments=self.store),
        )
        self.processes.append(made)
        return made

    @property
    def one(self) -> Process:
        """The first process that still lives."""
        return self.processes[0]

    def asking(self, **changes: Any) -> Asking:  # noqa: ANN401 - fields of Asking
        """A request that nobody has made yet."""
        self.asked += 1
        return Asking(**{"request_id": f"r-{self.asked}", **changes})

    async def declare(self, stage: Mapping[str, Any], **others: object) -> Changed:
        """Create the tournament."""
        document = {
            "name": self.name,
            "match": SHORT_MATCH,
            "stages": [{"name": "main", **stage}],
            **others,
        }
        changed, _ = await self.one.desk.create(
            self.world.host, document, self.asking()
        )
        return changed

    async def do(self, operation: Operation, **asking: object) -> Changed:
        """Have the organizer change the tournament."""
        return await self.one.desk.change(
            self.world.host, self.name, operation, self.asking(**asking)
        )

    async def to(self, lifecycle: Lifecycle) -> Changed:
        """Send the tournament on."""
        return await self.do(Advance(to=lifecycle))

    async def enter(self, count: int) -> list[str]:
        """Register bots and let them enter."""
        bots = [f"bot-{at:03}" for at in range(count)]
        for bot in bots:
            owner = f"owner-of-{bot}"
            await self.world.gate.create_owner(OPERATOR, owner)
            await self.world.gate.create_bot(OPERATOR, bot, owner, house=False)
            await self.one.desk.enter(
                self.world.bot(bot), self.name, bot, None, self.asking()
            )
        return bots

    def share(self, bot: str) -> bytes:
        """The share of a bot."""
        return hashlib.sha256(f"share of {bot}".encode()).digest()

    async def answer_summons(self, bots: list[str]) -> None:
        """Let bots answer what they are asked for now."""
        for bot in bots:
            for summons in await self.one.desk.summons(bot):
                share = self.share(bot)
                operation: Operation = RevealShare(bot=bot, share=share.hex())
                if summons.kind == "commitment":
                    commitment = commit_share(self.name, bot, share).hex()
                    operation = CheckIn(bot=bot, commitment=commitment)
                await self.one.desk.change(
                    self.world.bot(bot), self.name, operation, self.asking()
                )

    async def start(
        self, count: int, stage: Mapping[str, Any], **others: object
    ) -> list[str]:
        """Declare a tournament, let bots enter, and start it."""
        await self.declare(stage, **others)
        await self.to(Lifecycle.REGISTRATION)
        bots = await self.enter(count)
        await self.to(Lifecycle.CHECK_IN)
        await self.answer_summons(bots)
        await self.to(Lifecycle.SEEDING)
        await self.answer_summons(bots)
        await self.carry_on()
        await self.to(Lifecycle.RUNNING)
        return bots

    async def carry_on(self) -> None:
        """Let all processes take what steps they can, at the same time.

        A process that dies is replaced, and its successor begins from the stores.
        """
        for _ in range(ROUNDS_MOST):
            results = await asyncio.gather(
                *(self._carry_on(one) for one in self.processes),
                return_exceptions=True,
            )
            dead = []
            for one, result in zip(list(self.processes), results, strict=True):
                if isinstance(result, CrashError):
                    dead.append(one)
                elif isinstance(result, BaseException):
                    raise result
            if not dead:
                return
            await self.replace(dead)
        raise AssertionError("nobody lives long enough")

    async def _carry_on(self, process: Process) -> None:
        standing = await process.steward.carry_on(self.name, look=True)
        if standing.is_done:
            await self.store.leave_live(self.name)

    async def replace(self, dead: list[Process]) -> None:
        """Start new processes for those that died."""
        for one in dead:
            self.processes.remove(one)
            await self.process()

    async def play(self) -> None:
        """End all matches that go on, each through some process."""
        for at, match_id in enumerate(await self.going_on()):
            desk = self.processes[at % len(self.processes)].match_desk
            await self.finish(match_id, desk)

    async def finish(self, match_id: str, desk: Desk | None = None) -> None:
        """End a match.

        Who resigns follows from the match, whenever and wherever it is played.
        """
        desk = desk or self.one.match_desk
        facts = (await desk.get_match(self.world.host, match_id)).public.facts
        for seat in (Seat.NORTH, Seat.SOUTH):
            facts = await self.world.step(facts, seat, Accept(), desk=desk)
        if self.plays:
            while not (await self.world.move(facts, desk=desk)).ending:
                pass
            return
        seat = Seat(hashlib.sha256(match_id.encode()).digest()[0] % 2)
        await desk.resign_match(self.world.player(facts, seat), match_id, seat)

    async def going_on(self) -> list[str]:
        """Matches that are stored and not over."""
        page = await self.world.store.list_matches(bot=None, limit=1000, cursor=None)
        found = []
        for match_id in sorted(page.match_ids):
            stored = await self.world.store.read(match_id)
            if stored is not None and not stored.over:
                found.append(match_id)
        return found

    async def sign(self) -> None:
        """Sign what is over."""
        for one in list(self.processes):
            try:
                while await one.signing.sign_finished():
                    pass
            except CrashError:
                await self.replace([one])

    async def run(self) -> LiveTournament:
        """Run the tournament to its end."""
        for _ in range(ROUNDS_MOST):
            await self.carry_on()
            if not await self.store.live():
                return await self.now()
            await self.play()
            await self.sign()
            self.world.time.ms += 1_000
        raise AssertionError("a tournament without end")

    async def now(self) -> LiveTournament:
        """The tournament as it is now."""
        return await TournamentKeeper(self.store).load(self.name)

    async def places(self) -> list[tuple[int, set[str]]]:
        """Who shares which rank of the last stage."""
        live = await self.now()
        planned = plan_ledger(live.ledger, live.now_ms)
        (ranking, *_) = rankings(planned.ledger, planned.stages[-1])
        return [(placing.rank, set(placing.bots)) for placing in ranking.placings]

    async def check(self) -> Audit:
        """Check that the log is sound, and that every match of it has its record."""
        live = await self.now()
        seen = audit(live.configuration, live.entries, live.head.digest)
        created = [e.event for e in live.entries if isinstance(e.event, MatchCreated)]
        ended = [e.event for e in live.entries if isinstance(e.event, MatchEnded)]
        games = Counter((one.fixture, one.attempt, one.game) for one in created)
        assert set(games.values()) == {1}
        assert not seen.missing
        assert Counter(one.match for one in created) == Counter(
            one.match for one in ended
        )
        assert {one.match for one in created} == set(self.world.archive.records)
        return seen
