"""Why the referee refuses a call: one exception, and the closed set of its reasons."""

import enum
from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType

from ginref.engine.error import Breach


class Reason(enum.StrEnum):
    """The reasons of the API by name; `error_reason.proto` explains each one."""

    TOKEN_MISSING = "TOKEN_MISSING"  # noqa: S105 - the name of a reason
    TOKEN_UNKNOWN = "TOKEN_UNKNOWN"  # noqa: S105
    TOKEN_EXPIRED = "TOKEN_EXPIRED"  # noqa: S105
    TOKEN_REVOKED = "TOKEN_REVOKED"  # noqa: S105
    ROLE_NOT_ALLOWED = "ROLE_NOT_ALLOWED"
    SEAT_NOT_YOURS = "SEAT_NOT_YOURS"
    MESSAGE_UNREADABLE = "MESSAGE_UNREADABLE"
    MESSAGE_TOO_LARGE = "MESSAGE_TOO_LARGE"
    FIELD_MISSING = "FIELD_MISSING"
    FIELD_INVALID = "FIELD_INVALID"
    ENUM_UNKNOWN = "ENUM_UNKNOWN"
    NAME_INVALID = "NAME_INVALID"
    REQUEST_ID_INVALID = "REQUEST_ID_INVALID"
    MOVE_UNREADABLE = "MOVE_UNREADABLE"
    RULESET_INVALID = "RULESET_INVALID"
    MATCH_NOT_FOUND = "MATCH_NOT_FOUND"
    MATCH_EXPIRED = "MATCH_EXPIRED"
    BOT_NOT_FOUND = "BOT_NOT_FOUND"
    OWNER_NOT_FOUND = "OWNER_NOT_FOUND"
    TOKEN_NOT_FOUND = "TOKEN_NOT_FOUND"  # noqa: S105
    NAME_TAKEN = "NAME_TAKEN"
    REQUEST_ID_REUSED = "REQUEST_ID_REUSED"
    VERSION_STALE = "VERSION_STALE"
    NOT_YOUR_TURN = "NOT_YOUR_TURN"
    MOVE_LATE = "MOVE_LATE"
    MATCH_OVER = "MATCH_OVER"
    MATCH_NOT_PLAYING = "MATCH_NOT_PLAYING"
    STEP_OUT_OF_ORDER = "STEP_OUT_OF_ORDER"
    COMMITMENT_BROKEN = "COMMITMENT_BROKEN"
    WRONG_PHASE = "WRONG_PHASE"
    UPCARD_REFUSED_TWICE = "UPCARD_REFUSED_TWICE"
    CARD_NOT_IN_HAND = "CARD_NOT_IN_HAND"
    TAKEN_CARD_RETURNED = "TAKEN_CARD_RETURNED"
    KNOCK_ABOVE_LIMIT = "KNOCK_ABOVE_LIMIT"
    MELD_TOO_SHORT = "MELD_TOO_SHORT"
    BROKEN_MELD = "BROKEN_MELD"
    MELD_CARD_NOT_IN_HAND = "MELD_CARD_NOT_IN_HAND"
    CARD_IN_TWO_MELDS = "CARD_IN_TWO_MELDS"
    NO_BIG_GIN = "NO_BIG_GIN"
    RECORD_NOT_READY = "RECORD_NOT_READY"
    SEEDED_NOT_ALLOWED = "SEEDED_NOT_ALLOWED"
    CHALLENGE_NOT_ALLOWED = "CHALLENGE_NOT_ALLOWED"
    INVITATION_NOT_FOUND = "INVITATION_NOT_FOUND"
    INVITATION_EXPIRED = "INVITATION_EXPIRED"
    INVITATION_USED_UP = "INVITATION_USED_UP"
    LIMIT_EXCEEDED = "LIMIT_EXCEEDED"
    RATE_LIMITED = "RATE_LIMITED"
    ATTACHMENT_FENCED = "ATTACHMENT_FENCED"
    REFEREE_DRAINING = "REFEREE_DRAINING"
    STORE_UNAVAILABLE = "STORE_UNAVAILABLE"
    INTERNAL_FAULT = "INTERNAL_FAULT"
    TOURNAMENT_NOT_FOUND = "TOURNAMENT_NOT_FOUND"
    TOURNAMENT_PART_NOT_FOUND = "TOURNAMENT_PART_NOT_FOUND"
    TOURNAMENT_STALE = "TOURNAMENT_STALE"
    ATTEMPT_STALE = "ATTEMPT_STALE"
    TOURNAMENT_STATE_WRONG = "TOURNAMENT_STATE_WRONG"
    ENTRY_REFUSED = "ENTRY_REFUSED"
    TOURNAMENT_CONFLICT = "TOURNAMENT_CONFLICT"
    DEPENDENTS_STARTED = "DEPENDENTS_STARTED"
    CONFIGURATION_INVALID = "CONFIGURATION_INVALID"
    BOARD_CLOSED = "BOARD_CLOSED"
    PATH_UNKNOWN = "PATH_UNKNOWN"
    VERB_NOT_ALLOWED = "VERB_NOT_ALLOWED"
    MEDIA_TYPE_UNKNOWN = "MEDIA_TYPE_UNKNOWN"


class RefusedError(Exception):
    """A call that the referee refuses; nothing has changed.

    Attributes:
        reason: Why.
        message: The reason in a sentence, for people. It never holds a card that
            the caller does not know.
        facts: What the sentence says, by name.
        receipt: Signed acknowledgement of a refused submission; empty where the
            match keeps none.
    """

    receipt: bytes = b""

    def __init__(self, reason: Reason, message: str, **facts: object) -> None:
        """Keep reason, message and facts."""
        super().__init__(f"{reason}: {message}")
        self.reason = reason
        self.message = message
        self.facts: Mapping[str, str] = MappingProxyType(
            {key: str(value) for key, value in facts.items()}
        )


def reason_of(breach: Breach) -> Reason:
    """Return the reason that tells a caller of a broken rule."""
    return Reason[breach.name]


def moment(time_ms: int) -> str:
    """Return a moment as facts tell it: RFC 3339 in UTC, as protobuf JSON has it."""
    time = datetime.fromtimestamp(time_ms / 1000, UTC)
    spec = "milliseconds" if time_ms % 1000 else "seconds"
    return time.isoformat(timespec=spec).replace("+00:00", "Z")
