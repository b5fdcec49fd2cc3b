"""What must come of each fault: a fault that hit nothing has tested nothing.

Faults note what happens (`Rig.saw`), the oracle counts the rest. A run is only worth
something if each of these is more than nothing.
"""

from collections.abc import Mapping

from tests.faults.failing_referee import POINTS, RECORD_POINTS

FAILED_OVER = ("another primary",)

MUST_HAPPEN: Mapping[str, tuple[str, ...]] = {
    "F01_kill_referee": tuple(f"died {point}" for point in POINTS),
    "F02_stop_referee": ("a referee stood still",),
    "F03_duel": ("copies answered", "rivals stale"),
    "F04_kill_store": ("store killed", "unknown"),
    "F05_slow_loading": ("store loading",),
    "F06_flush_scripts": ("scripts missed",),
    "F07_depose_primary": FAILED_OVER,
    "F07_hand_over": FAILED_OVER,
    "F07_kill_primary": FAILED_OVER,
    "F07_partition": ("replica silent",),
    "F07_restart_primary": ("same primary again",),
    "F07_stop_primary": FAILED_OVER,
    "F08_blackhole": ("BLACKHOLE",),
    "F08_cut": ("CUT",),
    "F08_delay": ("DELAY",),
    "F08_half_close": ("HALF_CLOSE",),
    "F08_lose_replies": ("DROP_REPLY", "kept, and told at a repetition"),
    "F08_reset": ("RESET",),
    "F08_trickle": ("TRICKLE",),
    "F09_create_twice": ("creation repeated",),
    "F10_evicting_policy": ("not ready, may evict",),
    "F10_full_disk": ("not ready, no disk",),
    "F10_full_memory": ("creation refused",),
    "F11_busy_store": ("store busy",),
    "F12_deadline": ("in time", "too late"),
    "F13_store_outage": ("store away", "credited"),
    "F14_vanished_bots": ("no-show",),
    "F15_ahead": ("clock set",),
    "F15_behind": ("clock set",),
    "F15_jitter": ("clock set",),
    "F15_right": ("clock set",),
    "F16_overtaken": ("overtaken",),
    "F17_rolling_restart": ("restarted",),
    "F18_kill_watched": ("watcher went on",),
    "F19_stopped_sweeper": ("stopped in a sweep",),
    "F20_kill_signer": tuple(f"died {point}" for point in RECORD_POINTS),
}
"""By the name of a fault, what must have happened if it came."""

TOLD_BY_THE_RECORDS = frozenset({"credited", "unknown"})
"""Of these, what the oracle finds when all is over, and no fault can note."""
