"""Whether a log is the one that somebody has seen the head of.

The head of a tournament's log travels to its bots, which keep it. Whoever has kept one
can tell a log that was split in two, or written anew, whoever has signed it.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ginref.tournament.log import LogEntry, head


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptHead:
    """A head that a bot has kept, as a referee told it.

    Attributes:
        tournament: The tournament.
        length: How many entries its log had then.
        digest: Its head then, 64 hexadecimal digits.
        source: Who says so, and of which referee.
    """

    tournament: str
    length: int
    digest: str
    source: str


def read_heads(data: bytes, source: str) -> Iterator[KeptHead]:
    """Read the heads in a file that a bot has kept; what else is in it is passed over.

    A last line that a crash has cut off is none.

    Args:
        data: The file.
        source: What messages call it.

    Raises:
        ValueError: A line is no JSON object, or a head in it is none.
    """
    for line in data[: data.rfind(b"\n") + 1].splitlines():
        facts: dict[str, Any] = json.loads(line)
        if not isinstance(facts, dict):
            raise ValueError("a line that is no JSON object")  # noqa: TRY004
        # What contradicted a head was told, too.
        if facts.get("kind") not in {"head", "contradiction"}:
            continue
        tournament: Any = facts.get("tournament_id")
        length: Any = facts.get("length")
        digest: Any = facts.get("digest")
        kinds = type(tournament), type(length), type(digest)
        if kinds != (str, int, str) or length < 0:
            raise ValueError("a line with a head that is none")
        server = facts.get("server") or "its referee"
        yield KeptHead(
            tournament=tournament,
            length=length,
            digest=digest,
            source=f"{source}, told by {server}",
        )


def contradicts(
    head_length: int, digest: str, entries: Sequence[LogEntry]
) -> str | None:
    """Return how a log contradicts a head that was kept of it, or None.

    Args:
        head_length: How many entries the log had then.
        digest: Its head then, 64 hexadecimal digits.
        entries: The log as it is told now; its chain is sound.
    """
    if head_length > len(entries):
        return f"it had {head_length} entries, and now has {len(entries)}"
    if head(entries[:head_length]) != digest:
        return f"entry {head_length} is another one than the one that was told"
    return None
