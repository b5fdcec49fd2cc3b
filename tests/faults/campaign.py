"""A run: matches are played while faults come, and the oracle judges what is left.

Everything that chance decides follows from a seed, apart from what processes make of
it: the same seed brings the same faults, in the same order, with the same measures.
"""

import asyncio
import itertools
import logging
import math
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc.aio
from tests.faults.audience import JournalledSession, Watcher
from tests.faults.fault import EXTRAS, FAULTS, Fault
from tests.faults.happening import MUST_HAPPEN, TOLD_BY_THE_RECORDS
from tests.faults.journal import Journal, read_journal
from tests.faults.leftover import collect, levels_again, levels_of
from tests.faults.oracle import Evidence, Violation, judge
from tests.faults.player import Player
from tests.faults.rig import Rig
from tests.faults.store_server import StoreServer
from tests.faults.wire import refusal_of

from ginref.adapters.trusted_keys import read_trusted_keys

_LOG = logging.getLogger(__name__)

START_S = 120.0
"""How long the first move may take."""

ENDGAME_S = 3.0
"""How long matches may go on, once it is enough, before their host ends them."""

AGAIN = 5
"""How often a fault comes again at most, after all others, that has hit nothing."""

PRESETS = ("gin", "oklahoma", "hollywood")


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a run shall be.

    Attributes:
        seed: Of all chance.
        faults: Names of faults and how often each comes.
        moves: Acknowledged moves that there shall be at least.
        tables: Matches by calls that are played at once.
        streams: Matches on streams that are played at once.
        scale: How large faults are that come in sizes.
        pause_s: The longest pause between two faults, beside what moves take.
        patience_s: How long the run may take.
        enough_s: After how long no more faults come and no more moves are waited for.
    """

    seed: int
    faults: dict[str, int]
    moves: int = 0
    tables: int = 12
    streams: int = 2
    scale: float = 1.0
    pause_s: float = 0.3
    patience_s: float = 1500.0
    enough_s: float = math.inf


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a run came to."""

    plan: Plan
    seconds: float
    faults: Counter[str]
    counts: Counter[str]
    violations: list[Violation]
    problems: list[str]
    happened: Counter[str]
    longest_wait_s: float

    @property
    def lost(self) -> int:
        return sum(found.check == "I1" for found in self.violations)

    @property
    def doubled(self) -> int:
        return sum(found.check in {"I2", "I9"} for found in self.violations)

    @property
    def is_clean(self) -> bool:
        return not self.violations and not self.problems

    def summary(self) -> str:
        """One line that says it all."""
        kinds = " ".join(f"{name}:{n}" for name, n in sorted(self.faults.items()))
        return (
            f"seed {self.plan.seed}: {self.faults.total()} faults ({kinds}), "
            f"{self.counts['acknowledged']} acknowledged moves, {self.lost} lost, "
            f"{self.doubled} doubled, {self.counts['matches']} matches, "
            f"{self.counts['watched']} watched moves, "
            f"{self.counts['unknown']} calls repeated, "
            f"{self.longest_wait_s:.1f} s to the next move at most, "
            f"{self.seconds:.0f} s"
        )

    @property
    def missing(self) -> list[str]:
        """What must come of the faults that came, and did not."""
        happened = self.happened + self.counts
        return [
            f"{name}: {what}"
            for name in sorted(self.faults)
            for what in MUST_HAPPEN[name]
            if not happened[what]
        ]

    def complaint(self) -> str:
        """Everything that was wrong, and how to see it again."""
        wrong = [f"{v.check} {v.match_id}: {v.what}" for v in self.violations]
        lines = [self.summary(), *wrong[:40], *self.problems[:40]]
        return "\n".join([*lines, f"again: SEED={self.plan.seed}"])


@dataclass
class _Party:
    """Everyone who takes part."""

    rig: Rig
    plan: Plan
    tokens: dict[str, str]
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    watchers: list[asyncio.Task[None]] = field(default_factory=list)
    sessions: list[JournalledSession] = field(default_factory=list)
    players: list[Player] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.enough_at = time.monotonic() + self.plan.enough_s


async def run(
    plan: Plan,
    folder: Path,
    *,
    store: StoreServer | None = None,
    store_url: str | None = None,
    faults: dict[str, Fault] | None = None,
) -> Outcome:
    """Carry out a plan.

    Args:
        plan: The plan.
        folder: An empty folder.
        store: A store of another kind, that is not started yet.
        store_url: A store that somebody else sees to.
        faults: Faults by name; None for those of the catalogue.
    """
    start = time.monotonic()
    with Journal(folder / "journal") as journal:
        async with Rig(
            folder, journal, plan.seed, store=store, store_url=store_url
        ) as rig:
            names = [*_bots(plan), *EXTRAS]
            tokens = await rig.wires[0].register(names)
            rig.tokens = tokens
            before = await levels_of(rig)
            party = _Party(rig, plan, tokens)
            counted = await _play(party, faults or FAULTS)
            records = await collect(rig)
            levels = await levels_again(rig, before)
        keys = read_trusted_keys(folder / "keys")
    evidence = Evidence(
        journal=list(read_journal(folder / "journal")),
        records=records,
        keys=keys,
        levels=levels,
    )
    findings = await asyncio.to_thread(judge, evidence)
    return Outcome(
        plan=plan,
        seconds=time.monotonic() - start,
        faults=counted,
        counts=findings.counts,
        violations=findings.violations,
        problems=rig.problems,
        happened=rig.happened,
        longest_wait_s=rig.longest_wait_s,
    )


def _bots(plan: Plan) -> list[str]:
    tables = [f"call{n}{side}" for n in range(plan.tables) for side in "abc"]
    return [*tables, "streama", "streamb"]


# --- playing ------------------------------------------------------------------


async def _play(party: _Party, faults: dict[str, Any]) -> Counter[str]:
    """Play while faults come, and then to the end of every match."""
    rig, plan = party.rig, party.plan
    tasks = [asyncio.create_task(_table(party, n)) for n in range(plan.tables)]
    if plan.streams:
        tasks.append(asyncio.create_task(_streams(party)))
    counted: Counter[str] = Counter()
    try:
        async with asyncio.timeout(plan.patience_s):
            await rig.acknowledged(START_S)
            names = _order(plan, rig)
            for at, name in enumerate(names):
                share = plan.moves * at // len(names)
                await _moves(party, tasks, share)
                if time.monotonic() > party.enough_at:
                    break
                await rig.healed()
                await asyncio.sleep(rig.random.uniform(0, plan.pause_s))
                counted[name] += await _fault(rig, name, faults[name], plan.scale)
            for name in sorted(counted):
                counted[name] += await _again(rig, name, faults[name], plan)
            await rig.healed()
            rig.mark("calm")
            await _moves(party, tasks, plan.moves)
            party.stop.set()
            await asyncio.sleep(ENDGAME_S)
            await asyncio.gather(*(player.abort() for player in party.players))
            await asyncio.gather(*tasks)
            await asyncio.gather(*party.watchers)
    except TimeoutError:
        rig.expect(kept=False, what=f"not done within {plan.patience_s:.0f} s")
    finally:
        for task in (*tasks, *party.watchers):
            task.cancel()
        for session in party.sessions:
            session.stop()
        await asyncio.wait([*tasks, *party.watchers])
    return counted


def _raise_early(tasks: Sequence[asyncio.Task[None]]) -> None:
    for task in tasks:
        if task.done():
            task.result()


def _order(plan: Plan, rig: Rig) -> list[str]:
    names = [name for name, number in plan.faults.items() for _ in range(number)]
    rig.random.shuffle(names)
    return names


async def _moves(
    party: _Party, tasks: Sequence[asyncio.Task[None]], number: int
) -> None:
    """Wait for so many moves since the beginning, or until it is enough."""
    while party.rig.journal.accepted < number and time.monotonic() < party.enough_at:
        _raise_early(tasks)
        await asyncio.sleep(0.05)


async def _fault(rig: Rig, name: str, fault: Any, scale: float) -> int:  # noqa: ANN401 - a fault
    """Let a fault happen; return how many that were."""
    rig.mark(name)
    _LOG.info("%s", name)
    start = time.monotonic()
    try:
        await fault(rig, scale)
    except (TimeoutError, AssertionError, grpc.aio.AioRpcError) as error:
        told = refusal_of(error) if isinstance(error, grpc.aio.AioRpcError) else error
        rig.expect(kept=False, what=f"{name}: {told!r}")
    _LOG.info("%s took %.1f s", name, time.monotonic() - start)
    return 1


async def _again(rig: Rig, name: str, fault: Any, plan: Plan) -> int:  # noqa: ANN401 - a fault
    """Let a fault happen again that has hit nothing; return how often it did."""
    times = 0
    while times < AGAIN and any(
        not rig.happened[what]
        for what in MUST_HAPPEN[name]
        if what not in TOLD_BY_THE_RECORDS
    ):
        await rig.healed()
        times += await _fault(rig, name, fault, plan.scale)
    return times


async def _table(party: _Party, number: int) -> None:
    """Play one match after another."""
    rig = party.rig
    for turn in itertools.count():
        if party.stop.is_set():
            return
        preset = PRESETS[(number + turn) % len(PRESETS)]
        is_three = (number + turn) % 9 == 8
        sides = "abc" if is_three else "ab"
        bots = tuple(f"call{number}{side}" for side in sides)
        player = Player(rig, bots, party.tokens)
        party.players.append(player)
        watched = asyncio.create_task(_watch_next(party, player, number, turn))
        try:
            await player.play(
                "three_handed" if is_three else preset, seeded=turn % 4 == 3
            )
        finally:
            watched.cancel()
            party.players.remove(player)


async def _watch_next(party: _Party, player: Player, number: int, turn: int) -> None:
    """Have some of the matches watched from early on."""
    if number % 4:
        return
    while not player.match_id:  # noqa: ASYNC110 - it is being created
        await asyncio.sleep(0.05)
    watcher = Watcher(party.rig, player.match_id, f"w{number}.{turn}", turn)
    party.watchers.append(asyncio.create_task(watcher.follow()))


async def _streams(party: _Party) -> None:
    """Keep two bots on streams busy."""
    rig, doors = party.rig, [door.address for door in party.rig.doors]
    party.sessions = [
        JournalledSession(rig, party.tokens["streama"], doors),
        JournalledSession(rig, party.tokens["streamb"], doors[::-1]),
    ]
    running = [asyncio.create_task(session.run()) for session in party.sessions]
    hosts: dict[str, Player] = {}
    try:
        while hosts or not party.stop.is_set():
            while len(hosts) < party.plan.streams and not party.stop.is_set():
                host = Player(rig, ("streama", "streamb"), party.tokens)
                party.players.append(host)
                hosts[await host.create("gin")] = host
            over = [
                frozenset(match.match_id for match in session.finished)
                for session in party.sessions
            ]
            for match_id in frozenset.intersection(*over) & hosts.keys():
                party.players.remove(hosts.pop(match_id))
            _raise_early(running)  # type: ignore[arg-type]
            await asyncio.sleep(0.1)
    finally:
        for session in party.sessions:
            session.stop()
        await asyncio.wait(running)
