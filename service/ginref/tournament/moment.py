"""When each event may happen."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from ginref.tournament.event import (
    Advanced,
    AppealDecided,
    AppealFiled,
    Awarded,
    CheckedIn,
    CodesIssued,
    Configured,
    Corrected,
    Created,
    Disqualified,
    Event,
    Expired,
    LateEntered,
    ManuallyPaired,
    MatchCreated,
    MatchEnded,
    Registered,
    Requeued,
    RoundPaired,
    SecretOpened,
    Seeded,
    ShareCommitted,
    ShareRevealed,
    StageClosed,
    TieBreaksChanged,
    Withdrawn,
)
from ginref.tournament.lifecycle import BEFORE_START, ENTRY, UNDER_WAY, Lifecycle

_NOT_OVER: Final = BEFORE_START | UNDER_WAY
_ALWAYS: Final = frozenset(Lifecycle)

MOMENTS: Final[Mapping[type[Event], frozenset[Lifecycle]]] = MappingProxyType(
    {
        Created: frozenset({Lifecycle.DRAFT}),
        Configured: BEFORE_START,
        Advanced: _ALWAYS,
        CodesIssued: ENTRY,
        Registered: ENTRY,
        ShareCommitted: frozenset({Lifecycle.REGISTRATION, Lifecycle.CHECK_IN}),
        CheckedIn: frozenset({Lifecycle.REGISTRATION, Lifecycle.CHECK_IN}),
        ShareRevealed: frozenset({Lifecycle.SEEDING}),
        Seeded: frozenset({Lifecycle.SEEDING}),
        RoundPaired: UNDER_WAY,
        ManuallyPaired: UNDER_WAY,
        # Qualifying matches are played while bots are called.
        MatchCreated: UNDER_WAY | {Lifecycle.CHECK_IN},
        MatchEnded: _ALWAYS,
        Expired: UNDER_WAY,
        Awarded: UNDER_WAY,
        Corrected: UNDER_WAY,
        Requeued: UNDER_WAY,
        Withdrawn: _NOT_OVER,
        Disqualified: _NOT_OVER,
        LateEntered: UNDER_WAY,
        StageClosed: UNDER_WAY,
        AppealFiled: UNDER_WAY,
        AppealDecided: UNDER_WAY,
        TieBreaksChanged: UNDER_WAY,
        SecretOpened: _ALWAYS,
    }
)
"""Where a tournament must be for an event to happen."""
