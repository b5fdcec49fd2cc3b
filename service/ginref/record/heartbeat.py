"""Whether a referee is there: time that passes while none is belongs to nobody.

Every referee that acts on deadlines says so four times a second, to the store and by
its clock. A pause that is too long is an outage, of all referees or of the store, and
is credited to every clock that ran. So is a jump of the store's clock, which looks the
same. Where the clock is set back, time goes on from the latest heartbeat.

All times are whole milliseconds. The store computes the same where it keeps matches.
"""

from dataclasses import dataclass
from typing import Final

OUTAGE_MS: Final = 2_000
"""The longest pause between two heartbeats that is no outage."""

PULSE_MS: Final = 100
"""A heartbeat so soon after another one says nothing new."""

OUTAGE_LIMIT: Final = 256
"""Outages that are remembered: more than any clock of a match lives through."""


@dataclass(frozen=True, slots=True)
class Outage:
    """A time without any referee, from one heartbeat to the next."""

    from_ms: int
    to_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Heartbeat:
    """The latest heartbeat, and what the ones before it have shown.

    Attributes:
        at_ms: When it was; None before the first one.
        skew_ms: How far time is ahead of a clock that was set back.
        outages: The latest outages, oldest first.
    """

    at_ms: int | None = None
    skew_ms: int = 0
    outages: tuple[Outage, ...] = ()

    def now_ms(self, clock_ms: int) -> int:
        """Return the time when the store's clock shows `clock_ms`."""
        return max(clock_ms + self.skew_ms, self.at_ms or 0)

    def is_settled(self, clock_ms: int) -> bool:
        """Say whether it is known how much of the time up to now was an outage."""
        if self.at_ms is None:
            return False
        return self.now_ms(clock_ms) - self.at_ms <= OUTAGE_MS

    def beat(self, clock_ms: int) -> "Heartbeat":
        """Return what one more heartbeat makes of it."""
        if self.at_ms is None:
            return Heartbeat(at_ms=clock_ms, skew_ms=0, outages=self.outages)
        pause_ms = clock_ms + self.skew_ms - self.at_ms
        if 0 <= pause_ms < PULSE_MS:
            return self
        skew_ms, outages = self.skew_ms, self.outages
        if pause_ms < 0:
            skew_ms, pause_ms = skew_ms - pause_ms, 0
        elif pause_ms > OUTAGE_MS:
            # A clock that was set back may have been put right.
            back_ms = min(skew_ms, pause_ms)
            skew_ms, pause_ms = skew_ms - back_ms, pause_ms - back_ms
        at_ms = self.at_ms + pause_ms
        if pause_ms > OUTAGE_MS:
            outages = (*outages, Outage(self.at_ms, at_ms))[-OUTAGE_LIMIT:]
        return Heartbeat(at_ms=at_ms, skew_ms=skew_ms, outages=outages)

    def credit_ms(self, started_ms: int, clock_ms: int) -> int:
        """Return what outages have cost a clock since it started.

        The pause since the latest heartbeat counts if it is one already.
        """
        credit_ms = sum(
            max(0, outage.to_ms - max(outage.from_ms, started_ms))
            for outage in self.outages
        )
        if self.at_ms is not None and not self.is_settled(clock_ms):
            credit_ms += max(0, self.now_ms(clock_ms) - max(self.at_ms, started_ms))
        return credit_ms
