"""What a tournament refuses, by kind of wrong."""

import enum
from typing import Final

from ginref.engine.error import shown

_PATH_LETTERS: Final = 120


class FieldError(ValueError):
    """A value that cannot be used, named by the path of its field.

    Attributes:
        path: Where it stands, such as `stages[1].rounds`; empty for the whole.
        what: What is wrong there.
    """

    def __init__(self, path: str, what: str) -> None:
        """Keep path and wrong; the message is made of both."""
        # A key of somebody's file may hold anything, a terminal's commands as well.
        plain = path.isprintable() and len(path) <= _PATH_LETTERS
        named = path if plain else shown(path)
        super().__init__(f"{named or 'the whole'}: {what}")
        self.path = path
        self.what = what


class LogError(ValueError):
    """A log that no tournament could have written.

    Attributes:
        sequence: The first entry at fault, counted from 1.
        what: What is wrong with it.
    """

    def __init__(self, sequence: int, what: str) -> None:
        """Keep place and wrong; the message is made of both."""
        super().__init__(f"entry {sequence}: {what}")
        self.sequence = sequence
        self.what = what


class Objection(enum.StrEnum):
    """Why an operation is refused."""

    VERSION = "version"
    """The tournament has changed since the caller looked at it."""

    REQUEST_REUSED = "request_reused"
    """The request id belongs to another operation."""

    WRONG_TIME = "wrong_time"
    """Not while the tournament is where it is."""

    UNKNOWN = "unknown"
    """There is no such entrant, fixture, stage or appeal."""

    ENTRY_CLOSED = "entry_closed"
    """The rules of entry do not let this one in."""

    DUPLICATE = "duplicate"
    """It is there already, as something else."""

    ATTEMPT = "attempt"
    """The fixture is at another attempt."""

    DEPENDENTS_STARTED = "dependents_started"
    """What follows from the result has begun."""

    CONFLICT = "conflict"
    """Another result has been reported."""

    INVALID = "invalid"
    """A value in it cannot be used."""


class OperationError(Exception):
    """An operation that is refused; nothing has changed.

    Attributes:
        objection: Why.
        what: The reason in words.
        path: The field at fault, if it is one.
    """

    def __init__(self, objection: Objection, what: str, path: str = "") -> None:
        """Keep the objection; the message is made of all."""
        super().__init__(f"{path}: {what}" if path else what)
        self.objection = objection
        self.what = what
        self.path = path
