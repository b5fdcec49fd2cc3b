"""How the referee served each entrant: times that the records of its matches hold.

So everybody can see that nobody was served better than others. Nothing of it counts for
any result.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace

from ginref.record.entry import Moved, Refused, StampedEntry
from ginref.record.setup import Setup


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceTime:
    """How one entrant was served, over all its matches.

    Attributes:
        bot: The entrant.
        submissions: Its moves and counted refusals.
        referee_ms: Milliseconds that the referee spent on them in all.
        longest_ms: Milliseconds that it spent on one of them at most.
        waited: Those whose waiting time is known.
        waited_ms: Milliseconds between the turn, as it was sent, and what came, in all.
    """

    bot: str
    submissions: int = 0
    referee_ms: int = 0
    longest_ms: int = 0
    waited: int = 0
    waited_ms: int = 0

    def __add__(self, other: "ServiceTime") -> "ServiceTime":
        """Return how it was served in both."""
        names = [field.name for field in fields(self)][1:]
        sums = {name: getattr(self, name) + getattr(other, name) for name in names}
        longest_ms = max(self.longest_ms, other.longest_ms)
        return replace(self, **{**sums, "longest_ms": longest_ms})


def times_of(setup: Setup, entries: Iterable[StampedEntry]) -> tuple[ServiceTime, ...]:
    """Return how a match served its bots, by seat."""
    times = [ServiceTime(bot=bot) for bot in setup.bots]
    for entry in (stamped.entry for stamped in entries):
        if not isinstance(entry, Moved | Refused):
            continue
        times[entry.seat] += ServiceTime(
            bot=setup.bots[entry.seat],
            submissions=1,
            referee_ms=entry.referee_ms,
            longest_ms=entry.referee_ms,
            waited=entry.waited_ms is not None,
            waited_ms=entry.waited_ms or 0,
        )
    return tuple(times)


def sum_times(listed: Sequence[ServiceTime]) -> tuple[ServiceTime, ...]:
    """Return how everybody was served in several matches, by name."""
    sums: dict[str, ServiceTime] = {}
    for one in listed:
        sums[one.bot] = sums[one.bot] + one if one.bot in sums else one
    return tuple(sums[bot] for bot in sorted(sums))
