"""What the engine refuses, by kind of wrong: bad text, bad rules, illegal moves."""

import enum
from collections.abc import Callable, Mapping
from typing import Any, Final

_SHOWN_LETTERS: Final = 60


def shown(value: object) -> str:
    """Return a value as a refusal names it: quoted, and never longer than a line."""
    if isinstance(value, str) and len(value) > _SHOWN_LETTERS:
        return f"{value[:_SHOWN_LETTERS]!r}... ({len(value)} letters)"
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        # A number of thousands of digits, or tables in tables without end.
        return "a value too large to show"
    return text if len(text) <= _SHOWN_LETTERS else f"{text[:_SHOWN_LETTERS]}..."


class EngineError(Exception):
    """Anything the engine refuses."""

    def __reduce__(self) -> tuple[Callable[..., "EngineError"], tuple[Any, ...]]:
        """Copy and pickle by message and attributes, whatever the constructor takes."""
        return _restore, (type(self), str(self), vars(self))


def _restore(
    kind: type[EngineError], message: str, attributes: Mapping[str, Any]
) -> EngineError:
    error = kind.__new__(kind, message)
    vars(error).update(attributes)
    return error


class NotationError(EngineError, ValueError):
    """Text that is not notation: it names the offending text and what was expected."""


class RulesetError(EngineError, ValueError):
    """A ruleset that cannot be played.

    Attributes:
        key: The option at fault, or `name` for an unknown ruleset.
    """

    def __init__(self, key: str, message: str) -> None:
        """Remember which option is at fault."""
        # A key of somebody's file may hold anything, a terminal's commands as well.
        is_plain = key.isprintable() and len(key) <= _SHOWN_LETTERS
        name = key if is_plain else shown(key)
        super().__init__(f"{name}: {message}")
        self.key = key


class Breach(enum.StrEnum):
    """Which rule an illegal move breaks."""

    NOT_YOUR_TURN = "not_your_turn"
    WRONG_PHASE = "wrong_phase"
    UPCARD_REFUSED_TWICE = "upcard_refused_twice"
    CARD_NOT_IN_HAND = "card_not_in_hand"
    TAKEN_CARD_RETURNED = "taken_card_returned"
    KNOCK_ABOVE_LIMIT = "knock_above_limit"
    MELD_TOO_SHORT = "meld_too_short"
    BROKEN_MELD = "broken_meld"
    MELD_CARD_NOT_IN_HAND = "meld_card_not_in_hand"
    CARD_IN_TWO_MELDS = "card_in_two_melds"
    NO_BIG_GIN = "no_big_gin"
    MATCH_OVER = "match_over"


class IllegalMoveError(EngineError):
    """A well-formed move that the rules do not allow here; nothing has changed.

    Attributes:
        breach: The rule that is broken.
        facts: Public facts of the refusal as text, for example the deadwood
            declared and the knock limit. They name only what the mover knows.
    """

    def __init__(self, breach: Breach, **facts: object) -> None:
        """Keep the breach and its facts; the message is made of both."""
        self.breach = breach
        self.facts: Mapping[str, str] = {
            key: str(value) for key, value in facts.items()
        }
        detail = ", ".join(f"{key} {value}" for key, value in self.facts.items())
        super().__init__(f"{breach}: {detail}" if detail else str(breach))
