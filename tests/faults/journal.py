"""What callers did and what they were told, kept on disk as it happens.

One JSON object a line. A call is written before it leaves and its reply before anybody
acts on it, so that a journal is never behind what a referee may have acknowledged. The
writer is not among those that are killed: what the system has is enough.
"""

import hashlib
import itertools
import json
import time
from collections import Counter
from collections.abc import Iterator
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
        receipt: What the referee has signed about it, if the match keeps receipts.
    """

    number: int
    at_ns: int
    outcome: str
    reason: str = ""
    version: int = 0
    time_ms: int = 0
    answer: str = ""
    receipt: str = ""


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
    """A journal that is written. Use it as a context manager."""

    def __init__(self, path: Path) -> None:
        """Write to a new file."""
        self.path = path
        self.accepted = 0
        self.unknown: Counter[str] = Counter()
        self._numbers = itertools.count(1)
        self._file = path.open("xb", buffering=0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def next_number(self) -> int:
        """Return a number for a call."""
        return next(self._numbers)

    def put(self, line: Line) -> None:
        """Write a line."""
        if isinstance(line, Told):
            if line.outcome == "accepted":
                self.accepted += 1
            elif line.outcome == "unknown":
                self.unknown[line.reason] += 1
        kind, names = _NAMES[type(line)]
        facts = {"what": kind, **{name: getattr(line, name) for name in names}}
        self._file.write(_COMPACT.encode(facts).encode() + b"\n")


def read_journal(path: Path) -> Iterator[Line]:
    """Read a journal line by line."""
    with path.open(encoding="utf-8") as file:
        for text in file:
            facts = json.loads(text)
            kind = _KINDS[facts.pop("what")]
            if kind is Saw:
                facts["versions"] = tuple(facts["versions"])
            yield kind(**facts)
