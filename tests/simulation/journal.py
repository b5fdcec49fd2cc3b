"""What happened in a run, in order, with its hash, and how often what happened."""

import hashlib
from collections import Counter
from collections.abc import Callable
from typing import Final

_HASH_BYTES: Final = 16


class Journal:
    """Notes of one run.

    Attributes:
        counts: How often what happened.
        problems: What must not happen, and did.
        lines: The notes as text, if they are kept.
    """

    def __init__(self, now: Callable[[], float], *, keep: bool) -> None:
        """Take the time in seconds from `now`; keep the notes if they are read."""
        self.counts: Counter[str] = Counter()
        self.problems: list[str] = []
        self.lines: list[str] = []
        self._now = now
        self._keep = keep
        self._hash = hashlib.blake2b(digest_size=_HASH_BYTES)

    def note(self, *facts: object) -> None:
        """Write down what happened now."""
        line = f"{self._now():.6f} {' '.join(map(str, facts))}"
        self._hash.update(line.encode())
        if self._keep:
            self.lines.append(line)

    def count(self, what: str) -> None:
        """Count something that must happen now and then."""
        self.counts[what] += 1

    def problem(self, what: str) -> None:
        """Write down what must not happen."""
        self.problems.append(what)
        self.note("PROBLEM", what)

    @property
    def digest(self) -> str:
        """The hash over all notes so far, in hexadecimal digits."""
        return self._hash.hexdigest()
