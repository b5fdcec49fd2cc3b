"""What must have happened in a batch of seeds, for its silence to mean anything."""

from collections import Counter
from typing import Final

from ginref.engine.showdown import Outcome
from ginref.record.lifecycle import EndingKind

_RARE_ROUNDS: Final = {Outcome.BIG_GIN, Outcome.TIE, Outcome.UNDERCUT}

MUST_HAPPEN: Final = (
    # Who asks again, and what becomes of it.
    "duplicate found by reading",
    "duplicate found by writing",
    "asked again after a lost reply",
    "asked again after a crash",
    "answered again",
    "creation again",
    "outcome asked for afterwards",
    # Time.
    "refused: MOVE_LATE",
    "late by the store",
    "timeout by the sweeper",
    "timeout by a caller",
    "not due",
    "outage",
    "credit in a log",
    "fault: clock jumps",
    # What is refused.
    "refused: VERSION_STALE",
    "refused: NOT_YOUR_TURN",
    "refused: MATCH_OVER",
    "refused: REQUEST_ID_REUSED",
    "refused: STORE_UNAVAILABLE",
    "problem: COMMITMENT_BROKEN",
    "strike",
    # Races.
    "race lost",
    "over by the store",
    "signed by two",
    # What goes wrong.
    "request lost",
    "reply lost, yet stored",
    "call lost",
    "call twice",
    "answer lost",
    "crash at work",
    "stored for a dead referee",
    "zombie woke",
    "archive failed",
    "wake lost",
    "wake twice",
    "gap told",
    # Attachments and spectators.
    "stream ended: ATTACHMENT_FENCED",
    "stream ended: LIMIT_EXCEEDED",
    "stream ended: REFEREE_DRAINING",
    "stream ended: STORE_UNAVAILABLE",
    "stream ended: broken",
    "sync",
    "turn known in time",
    "turn told again in time",
    "older attachment ended in time",
    "watch ended: REFEREE_DRAINING",
    "watch ended: STORE_UNAVAILABLE",
    "watch resumed",
    # What is played.
    "three seats played",
    "one bot in two seats",
    "logged: decline",
    "logged: resign",
    "logged: abort",
    *(
        f"ending: {kind}"
        for kind in EndingKind
        if kind is not EndingKind.VOID  # nothing here costs the referee a log
    ),
    *(f"round: {outcome}" for outcome in Outcome if outcome not in _RARE_ROUNDS),
)
"""Counts of a batch that must not be 0."""

ENOUGH: Final = 1_000
"""Seeds in which all of it happens; in fewer of them some of it may not."""


def missing(counts: Counter[str]) -> tuple[str, ...]:
    """Return what should have happened, and did not."""
    return tuple(what for what in MUST_HAPPEN if not counts[what])
