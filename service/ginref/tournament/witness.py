"""Whether a log is the one that somebody has seen the head of.

The head of a tournament's log travels to its bots, which keep it. Whoever has kept one
can tell a log that was split in two, or written anew, whoever has signed it.
"""

from collections.abc import Sequence

from ginref.tournament.log import LogEntry, head


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
