"""The game clock: free time per move, a bank per match, a cap, and grace.

All times are whole milliseconds. Elapsed time counts from the moment a seat is to
act to the moment its move is stored; the free time of a move costs nothing, the
rest is taken from the seat's bank. The store computes the same numbers where it
keeps a match, so that a move and its clock change in one step.
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockPolicy:
    """The time rules of a match, fixed at creation; all values in milliseconds.

    Attributes:
        name: Preset name, or `custom`.
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
