"""What callers did and what they were told, kept on disk as it happens.

One JSON object a line. A call is written before it leaves and its reply before anybody
acts on it, so that a journal is never behind what a referee may have acknowledged.
Lines of many callers share one sync of the disk.
"""

import asyncio
import hashlib
import itertools
import json
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from pathlib import Path
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A submission leaves. `number` joins it with its reply, `at_ns` is monotonic."""

    number: int
    at_ns: int
    match_id: str
    seat: str
    request_id: str
    expected_version: int
    move: str
    way: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """The reply to a submission.

    Attributes:
        number: The call that it answers.
        at_ns: When it came, monotonic.
        outcome: `accepted`, `refused`, or `unknown` when no referee answered.
        reason: Why it was refused, or how the call failed.
        version: Version that the move led to; 0 if it was not accepted.
        time_ms: When it was stored, by the referee's word; 0 likewise.
        answer: Digest of the answer's bytes.
    """

    number: int
    at_ns: int
    outcome: str
    reason: str = ""
    version: int = 0
    time_ms: int = 0
    answer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A match was created, as its creator was told."""

    at_ns: int
    match_id: str
    request_id: str
    has_whole_journal: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """Somebody was told how a match ended."""

    at_ns: int
    match_id: str
    kind: str
    winner: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Saw:
    """A watcher was told of moves, by the versions that they led to."""

    at_ns: int
    match_id: str
    watcher: str
    versions: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """A moment of the run: `calm` when faults are over, or a fault's name."""

    at_ns: int
    name: str


Line = Asked | Told | Made | Ended | Saw | Marked

_KINDS: dict[str, Any] = {
    kind.__name__.lower(): kind for kind in (Asked, Told, Made, Ended, Saw, Marked)
}

_NAMES = {
    kind: (word, tuple(field.name for field in fields(kind)))
    for word, kind in _KINDS.items()
}
_COMPACT = json.JSONEncoder(separators=(",", ":"))


def digest(answer: bytes) -> str:
    """Name an answer by its bytes."""
    return hashlib.sha256(answer).hexdigest()[:24]


def now_ns() -> int:
    """Return the time that lines are stamped with."""
    return time.monotonic_ns()


class Journal:
    """A journal that is written. Use it as an asynchronous context manager."""

    def __init__(self, path: Path) -> None:
        """Write to a new file."""
        self.path = path
        self.accepted = 0
        self.unknown = 0
        self.accepted_at = time.monotonic()
        self._numbers = itertools.count(1)
        self._file = path.open("xb", buffering=0)
        self._lines: list[bytes] = []
        self._kept = asyncio.Event()
        self._wanted = asyncio.Event()
        self._thread = ThreadPoolExecutor(1)
        self._writer = asyncio.create_task(self._write())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.keep()
        self._writer.cancel()
        await asyncio.wait({self._writer})
        self._thread.shutdown()
        self._file.close()

    def next_number(self) -> int:
        """Return a number for a call."""
        return next(self._numbers)

    def put(self, line: Line) -> None:
        """Write a line with the next sync."""
        if isinstance(line, Told):
            if line.outcome == "accepted":
                self.accepted += 1
                self.accepted_at = time.monotonic()
            elif line.outcome == "unknown":
                self.unknown += 1
        kind, names = _NAMES[type(line)]
        facts = {"what": kind, **{name: getattr(line, name) for name in names}}
        self._lines.append(_COMPACT.encode(facts).encode() + b"\n")
        self._wanted.set()

    async def keep(self) -> None:
        """Wait until every line is on the disk."""
        if self._lines:
            await self._kept.wait()

    async def write(self, line: Line) -> None:
        """Write a line, and wait until it is on the disk."""
        self.put(line)
        await self._kept.wait()

    async def _write(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            data, kept = b"".join(self._lines), self._kept
            self._lines.clear()
            # Lines that come from here on wait for the next sync.
            self._kept = asyncio.Event()
            await loop.run_in_executor(self._thread, self._sync, data)
            kept.set()

    def _sync(self, data: bytes) -> None:
        self._file.write(data)
        os.fdatasync(self._file.fileno())


def read_journal(path: Path) -> Iterator[Line]:
    """Read a journal line by line."""
    with path.open(encoding="utf-8") as file:
        for text in file:
            facts = json.loads(text)
            kind = _KINDS[facts.pop("what")]
            if kind is Saw:
                facts["versions"] = tuple(facts["versions"])
            yield kind(**facts)
