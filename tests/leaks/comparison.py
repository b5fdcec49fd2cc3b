"""Plays scripts in pairs of worlds, and finds what tells one from the other."""

import gc
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Final

from google.protobuf.message import Message
from tests.leaks.dealing import Deck
from tests.leaks.pair import OtherWorld, other_world
from tests.leaks.performance import perform
from tests.leaks.script import Script, write_script
from tests.leaks.wire import CONNECT, WATCH, Sent
from tests.leaks.world import SEATED, World, in_world

from ginref.v1 import referee_service_pb2 as referee_pb
from ginref.v1.bot_service_pb2 import ConnectResponse

BATCH: Final = 25
"""Scripts that are played in one world."""

OTHERS: Final = 16
"""Other worlds for each script."""

_SHOWN: Final = 5


@dataclass
class Findings:
    """What a comparison has come to.

    Attributes:
        pairs: Pairs of worlds.
        compared: Messages that had to be the same, and were looked at.
        octets: Their bytes.
        moved: Cards that were elsewhere in the other worlds.
        apart: Pairs in which somebody who may see the difference was told of it.
        sizes: Bytes of messages in the first worlds, by kind of message.
        unequal: Messages to somebody who may see the difference, by kind, and
            `same` or `other` for their sizes.
        differences: What told one world from the other.
    """

    pairs: int = 0
    compared: int = 0
    octets: int = 0
    moved: int = 0
    apart: int = 0
    sizes: dict[str, Counter[int]] = field(default_factory=dict)
    unequal: Counter[tuple[str, str]] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)

    def add(self, other: "Findings") -> None:
        """Add what other pairs have come to."""
        self.pairs += other.pairs
        self.compared += other.compared
        self.octets += other.octets
        self.moved += other.moved
        self.apart += other.apart
        for kind, sizes in other.sizes.items():
            self.sizes.setdefault(kind, Counter()).update(sizes)
        self.unequal.update(other.unequal)
        self.differences += other.differences


@dataclass(frozen=True)
class _Played:
    """What has left a world."""

    told: list[list[Sent]]
    metrics: list[str]
    log: list[str]


def compare(
    first: int, scripts: int, others: int = OTHERS, *, patient: bool = True
) -> Findings:
    """Play scripts from a number on, each in one world and in others.

    Args:
        first: The number of the first script.
        scripts: How many.
        others: Other worlds for each script.
        patient: Go on after a difference was found.
    """
    findings = Findings()
    with _collecting_seldom():
        for start in range(first, first + scripts, BATCH):
            numbers = range(start, min(start + BATCH, first + scripts))
            batch = [write_script(one) for one in numbers]
            for found in _compare_batch(batch, others):
                findings.add(found)
                if findings.differences and not patient:
                    return findings
            gc.collect()
    return findings


@contextmanager
def _collecting_seldom() -> Iterator[None]:
    """Take back memory between batches only: a fifth of the time goes into it else."""
    is_collecting = gc.isenabled()
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.unfreeze()
        if is_collecting:
            gc.enable()


def _compare_batch(scripts: Sequence[Script], others: int) -> Iterator[Findings]:
    one = _play(scripts, [script.decks for script in scripts])
    yield Findings(sizes=_sizes(one.told))
    for number in range(others):
        worlds = [other_world(script, number) for script in scripts]
        other = _play(scripts, [world.decks for world in worlds])
        findings = Findings()
        for script, world, mine, theirs in zip(
            scripts, worlds, one.told, other.told, strict=True
        ):
            findings.add(_compare_pair(script, world, mine, theirs))
        where = f"scripts {scripts[0].number} to {scripts[-1].number}, {number}"
        findings.differences += _lines(f"{where}: log", one.log, other.log)
        findings.differences += _lines(f"{where}: metrics", one.metrics, other.metrics)
        yield findings


def _play(scripts: Sequence[Script], decks: Sequence[tuple[Deck, ...]]) -> _Played:
    async def work(world: World) -> _Played:
        told = await perform(world, scripts, decks)
        return _Played(told, world.metrics(), world.log.raw)

    return in_world(work)


def _compare_pair(
    script: Script, world: OtherWorld, one: Sequence[Sent], other: Sequence[Sent]
) -> Findings:
    findings = Findings(pairs=1, moved=world.moved)
    where = f"script {script.number}, {world.kind}"
    apart = False
    for place, (mine, theirs) in enumerate(zip_longest(one, other)):
        if mine is None or theirs is None or mine[:3] != theirs[:3]:
            told = f"{where}: message {place} is {_name(mine)}, or {_name(theirs)}"
            findings.differences.append(told)
            break
        if mine.to in SEATED and mine.to not in world.blind:
            if mine.data != theirs.data:
                apart = True
                sizes = "same" if len(mine.data) == len(theirs.data) else "other"
                findings.unequal[kind_of(mine), sizes] += 1
            continue
        findings.compared += 1
        findings.octets += len(mine.data)
        if mine.data != theirs.data:
            findings.differences += _lines(
                f"{where}: message {place}, {_name(mine)}",
                _text(mine).splitlines(),
                _text(theirs).splitlines(),
            )
    findings.apart = apart
    return findings


def _lines(where: str, one: Sequence[str], other: Sequence[str]) -> list[str]:
    """Return the lines in which two texts differ, the first ones of them."""
    if list(one) == list(other):
        return []
    changed = [
        f"{where}: {mine!r}, or {theirs!r}"
        for mine, theirs in zip_longest(one, other)
        if mine != theirs
    ]
    return changed[:_SHOWN]


def _sizes(told: Sequence[Sequence[Sent]]) -> dict[str, Counter[int]]:
    sizes: dict[str, Counter[int]] = {}
    for batch in told:
        for sent in batch:
            sizes.setdefault(kind_of(sent), Counter())[len(sent.data)] += 1
    return sizes


def kind_of(sent: Sent) -> str:
    """Return what kind of message something is."""
    if sent.kind != "message":
        return f"{sent.method} {sent.kind}"
    if sent.method == CONNECT:
        named = ConnectResponse.FromString(sent.data).WhichOneof("message")
        return f"{sent.method} {named}"
    return sent.method


def read(sent: Sent) -> Message:
    """Return a message of the referee's services as it was meant."""
    if sent.method == CONNECT:
        return ConnectResponse.FromString(sent.data)
    if sent.method == WATCH:
        return referee_pb.WatchMatchResponse.FromString(sent.data)
    kind: type[Message] = getattr(
        referee_pb, f"{sent.method.rpartition('/')[2]}Response"
    )
    message = kind()
    message.MergeFromString(sent.data)
    return message


def _text(sent: Sent) -> str:
    if sent.kind != "message":
        return sent.data.decode()
    return str(read(sent)) or repr(sent.data)


def _name(sent: Sent | None) -> str:
    return "missing" if sent is None else f"{kind_of(sent)} to {sent.to}"
