"""The game clock: free time per move, a bank per match, a cap, and grace.

All times are whole milliseconds. Elapsed time counts from the moment a seat is to
act to the moment its move is stored; the free time of a move costs nothing, the
rest is taken from the seat's bank. Time that was lost to an outage is credited: it
does not count as elapsed, and puts the deadline off. The store computes the same
numbers where it keeps a match, so that a move and its clock change in one step.
"""

from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockPolicy:
    """The time rules of a match, fixed at creation; all values in milliseconds.

    Attributes:
        name: Name of the preset that it is, or `custom`.
        start_ms: Time for each step from offer to ready.
        free_ms: Time of a move that costs nothing.
        bank_ms: Time of a seat for the whole match beyond its free time.
        cap_ms: Most time for one move.
        grace_ms: Slack before a move counts as late.
    """

    name: str
    start_ms: int
    free_ms: int
    bank_ms: int
    cap_ms: int
    grace_ms: int


FAST: Final = ClockPolicy(
    name="fast",
    start_ms=10_000,
    free_ms=100,
    bank_ms=10_000,
    cap_ms=2_000,
    grace_ms=0,
)
STANDARD: Final = ClockPolicy(
    name="standard",
    start_ms=60_000,
    free_ms=1_000,
    bank_ms=120_000,
    cap_ms=30_000,
    grace_ms=250,
)
RESEARCH: Final = ClockPolicy(
    name="research",
    start_ms=600_000,
    free_ms=5_000,
    bank_ms=1_800_000,
    cap_ms=120_000,
    grace_ms=250,
)

PRESETS: Final = MappingProxyType(
    {policy.name: policy for policy in (FAST, STANDARD, RESEARCH)}
)
"""Time rules by name. A name stands for its numbers in every record there is, so
other numbers need another name."""

CUSTOM: Final = "custom"
"""Name of all time rules that have no name of their own."""

MOST_MS: Final = 24 * 60 * 60 * 1000
"""Most milliseconds of any time rule: a day."""

LEAST_MS: Final = MappingProxyType(
    {
        field.name: 0 if field.name == "grace_ms" else 1
        for field in fields(ClockPolicy)
        if field.name != "name"
    }
)
"""Least milliseconds of each time rule: no grace is a rule, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredClock:
    """The clocks of a match at its latest step.

    Attributes:
        to_act: Seat index whose clock runs, or None.
        started_ms: When that clock started.
        deadline_ms: Last moment in time, without credit and grace; 0 when the match
            is over.
        banks_ms: What is left of each seat's bank.
        elapsed_ms: What the latest move took.
        credit_ms: What outages have cost since that clock started.
    """

    to_act: int | None
    started_ms: int
    deadline_ms: int
    banks_ms: tuple[int, ...]
    elapsed_ms: int = 0
    credit_ms: int = 0

    @property
    def due_ms(self) -> int:
        """Last moment in time, credit included, without grace."""
        return self.deadline_ms + self.credit_ms


def debit(bank_ms: int, elapsed_ms: int, free_ms: int) -> int:
    """Return what is left of a bank after a move that took `elapsed_ms`.

    A bank never falls below nothing: grace is not paid back.
    """
    used_ms = max(0, elapsed_ms - free_ms)
    return bank_ms - min(bank_ms, used_ms)


def deadline(started_ms: int, bank_ms: int, free_ms: int, cap_ms: int) -> int:
    """Return the last moment in time, without grace, of a clock that runs."""
    return started_ms + min(free_ms + bank_ms, cap_ms)


def is_late(now_ms: int, deadline_ms: int, grace_ms: int) -> bool:
    """Say whether a deadline and its grace are past."""
    return now_ms > deadline_ms + grace_ms


def advance(  # noqa: PLR0913 - the facts of one step, all of them needed
    clock: StoredClock,
    policy: ClockPolicy,
    *,
    now_ms: int,
    mover: int | None,
    to_act: int | None,
    window_ms: int | None,
    ending: bool,
    credit_ms: int = 0,
) -> StoredClock:
    """Return the clocks after a step that was stored at `now_ms`.

    Args:
        clock: The clocks before it.
        policy: The time rules.
        now_ms: When the step was stored.
        mover: Seat index whose clock is debited, or None.
        to_act: Seat index whose clock runs afterwards, or None.
        window_ms: A fixed time until the next deadline, or None.
        ending: The match is over with the step.
        credit_ms: What outages have cost since the clock started.
    """
    banks, elapsed_ms = list(clock.banks_ms), clock.elapsed_ms
    if mover is not None:
        elapsed_ms = now_ms - clock.started_ms - credit_ms
        banks[mover] = debit(banks[mover], elapsed_ms, policy.free_ms)
    due_ms = clock.deadline_ms + credit_ms
    if ending:
        due_ms = 0
    elif window_ms is not None:
        due_ms = now_ms + window_ms
    elif to_act is not None:
        due_ms = deadline(now_ms, banks[to_act], policy.free_ms, policy.cap_ms)
    return StoredClock(
        to_act=to_act,
        started_ms=now_ms,
        deadline_ms=due_ms,
        banks_ms=tuple(banks),
        elapsed_ms=elapsed_ms,
    )
