"""How far a tournament has come, and where it can go from there."""

import enum
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final


class Lifecycle(enum.StrEnum):
    """How far a tournament has come."""

    DRAFT = "draft"
    REGISTRATION = "registration"
    CHECK_IN = "check_in"
    SEEDING = "seeding"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHING = "finishing"
    FINISHED = "finished"
    ARCHIVED = "archived"
    CANCELLED = "cancelled"


_L = Lifecycle

FOLLOWING: Final[Mapping[Lifecycle, frozenset[Lifecycle]]] = MappingProxyType(
    {
        _L.DRAFT: frozenset({_L.REGISTRATION, _L.CANCELLED}),
        _L.REGISTRATION: frozenset({_L.CHECK_IN, _L.SEEDING, _L.CANCELLED}),
        _L.CHECK_IN: frozenset({_L.SEEDING, _L.CANCELLED}),
        _L.SEEDING: frozenset({_L.RUNNING, _L.CANCELLED}),
        _L.RUNNING: frozenset({_L.PAUSED, _L.FINISHING, _L.CANCELLED}),
        _L.PAUSED: frozenset({_L.RUNNING, _L.CANCELLED}),
        _L.FINISHING: frozenset({_L.FINISHED, _L.RUNNING, _L.CANCELLED}),
        _L.FINISHED: frozenset({_L.ARCHIVED}),
        _L.ARCHIVED: frozenset(),
        _L.CANCELLED: frozenset(),
    }
)
"""Where a tournament can go. It runs again after it was to finish when a correction
opens what was decided."""

BEFORE_START: Final = frozenset({_L.DRAFT, _L.REGISTRATION, _L.CHECK_IN, _L.SEEDING})
"""Nothing has been played yet."""

ENTRY: Final = frozenset({_L.DRAFT, _L.REGISTRATION, _L.CHECK_IN})
"""The roster is not frozen yet."""

UNDER_WAY: Final = frozenset({_L.RUNNING, _L.PAUSED, _L.FINISHING})
"""Results come in, or may still be corrected."""
