"""House rules as data: every option of a match, the presets, and their digest.

Where houses differ, `rule_source` names whom each option follows, and `docs/rules.md`
says why.
"""

import enum
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

from ginref.engine.error import RulesetError, shown


class Table(enum.StrEnum):
    """How many seats a match has, and who plays a round when there are three."""

    TWO_HANDED = "two_handed"
    CUTTHROAT = "cutthroat"
    BOX = "box"


class NextDealer(enum.StrEnum):
    """Who deals after a scored round; a drawn round keeps its dealer."""

    WINNER = "winner"
    ALTERNATE = "alternate"
    BOARD_PARITY = "board_parity"


class ClosedPolicy(enum.StrEnum):
    """Where a win goes when its own column is closed already."""

    NEXT_OPEN = "next_open"
    ORDINAL = "ordinal"


class Stop(enum.StrEnum):
    """When a match of several games ends."""

    ALL_CLOSED = "all_closed"
    MAJORITY = "majority"


class AceLimit(enum.StrEnum):
    """What an ace as first upcard means for the knock limit in Oklahoma Gin."""

    GIN_ONLY = "gin_only"
    ONE = "one"


class Shutout(enum.StrEnum):
    """What it costs to have no box in a game that is settled."""

    NONE = "none"
    DOUBLE_GAME_BONUS = "double_game_bonus"
    DOUBLE_TOTAL = "double_total"
    FLAT_BONUS = "flat_bonus"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruleset:
    """Every option of a match. Its digest names exactly these rules.

    Attributes:
        name: Preset name, or a name of your own.
        version: Counts changes of a preset under one name, from 1.
        table: Two-handed, or a three-handed form.
        gin_bonus: Points for gin, on top of the defender's deadwood.
        undercut_bonus: Points for an undercut, on top of the difference.
        undercut_on_tie: Equal deadwood is an undercut; otherwise a tie scores 0.
        big_gin_bonus: Points for big gin; None switches big gin off.
        layoff_on_gin: The defender may lay off on a gin hand too.
        knock_limit: Most deadwood to knock with, 0 (straight gin) to 10.
        knock_limit_from_upcard: The first upcard's points tighten the limit.
        ace_limit: What an ace as first upcard means; used with the option above.
        spades_double: A spade as first upcard doubles the round's score.
        may_discard_taken_card: The card just taken from the pile may go back.
        wall: Stock cards that end a round when a plain discard leaves them.
        turn_limit: Turns of both seats together after which a round is drawn.
        round_limit: Rounds, drawn ones too, after which a match is decided.
        next_dealer: Who deals the next round; with three seats the table says.
        games: Columns of the score sheet: 1, or 3 for Hollywood.
        game_target: Points that win a game.
        closed_policy: Where a win goes when its own column is closed.
        stop: When a match of several games ends.
        boards: Rounds of a fixed-length match, decided by points; None plays to
            the target.
        game_bonus: Settlement: points for winning a game.
        line_bonus: Settlement: points for each box in a game.
        shutout: Settlement: what it costs a loser to have no box in a game.
        shutout_bonus: Settlement: points of the flat form of `shutout`.
    """

    name: str
    version: int = 1
    table: Table = Table.TWO_HANDED
    gin_bonus: int = 25
    undercut_bonus: int = 10
    undercut_on_tie: bool = True
    big_gin_bonus: int | None = None
    layoff_on_gin: bool = False
    knock_limit: int = 10
    knock_limit_from_upcard: bool = False
    ace_limit: AceLimit = AceLimit.GIN_ONLY
    spades_double: bool = False
    may_discard_taken_card: bool = False
    wall: int = 2
    turn_limit: int = 200
    round_limit: int = 100
    next_dealer: NextDealer = NextDealer.WINNER
    games: int = 1
    game_target: int = 100
    closed_policy: ClosedPolicy = ClosedPolicy.NEXT_OPEN
    stop: Stop = Stop.ALL_CLOSED
    boards: int | None = None
    game_bonus: int = 0
    line_bonus: int = 0
    shutout: Shutout = Shutout.NONE
    shutout_bonus: int = 0

    def __post_init__(self) -> None:
        """Refuse wrong types, values out of range and pairs that contradict each other.

        Raises:
            RulesetError: Naming the option at fault.
        """
        for field in fields(self):
            _check_type(field.name, field.type, getattr(self, field.name))
        for key, (low, high) in _RANGES.items():
            value = getattr(self, key)
            if value is not None and not low <= value <= high:
                raise RulesetError(key, f"{shown(value)} is not within {low} to {high}")
        if self.games not in (1, 3):
            raise RulesetError("games", "1 or 3 expected")
        for key, message in _contradictions(self):
            raise RulesetError(key, message)

    @property
    def seat_count(self) -> int:
        """Seats of a match, 2 or 3."""
        return 3 if self.has_idle_seat else 2

    @property
    def has_idle_seat(self) -> bool:
        """Three seats share a match, and one of them sits each round out."""
        return self.table is not Table.TWO_HANDED

    @property
    def is_settled(self) -> bool:
        """Games are settled when they close: there are bonuses, or three seats."""
        bonuses = self.game_bonus or self.line_bonus or self.shutout is not Shutout.NONE
        return bool(bonuses) or self.has_idle_seat

    @property
    def digest(self) -> str:
        """SHA-256 of the canonical JSON of all options, 64 hexadecimal digits."""
        text = json.dumps(self.to_dict(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """Return all options as JSON values: text, whole numbers, booleans, null."""
        return {
            field.name: str(value) if isinstance(value, enum.StrEnum) else value
            for field in fields(self)
            for value in (getattr(self, field.name),)
        }

    @classmethod
    def from_dict(cls, options: Mapping[str, Any]) -> "Ruleset":
        """Read options written by `to_dict`, or by hand; absent ones keep defaults.

        Raises:
            RulesetError: An unknown key, a wrong type, an unknown or
                out-of-range value, or no name.
        """
        if "name" not in options:
            raise RulesetError("name", "missing")
        known = {field.name: field.type for field in fields(cls)}
        values: dict[str, Any] = {}
        for key, value in options.items():
            if key not in known:
                raise RulesetError(str(key), "unknown option")
            values[key] = _read(key, known[key], value)
        return cls(**values)

    def but(self, **changes: object) -> "Ruleset":
        """Return these rules with some options changed.

        Raises:
            RulesetError: An unknown key or a value that is refused.
        """
        return Ruleset.from_dict({**self.to_dict(), **changes})


_RANGES: Final = {
    "version": (1, 1_000_000),
    "gin_bonus": (0, 1000),
    "undercut_bonus": (0, 1000),
    "big_gin_bonus": (0, 1000),
    "knock_limit": (0, 10),
    "wall": (0, 29),
    "turn_limit": (2, 1000),
    "round_limit": (1, 1000),
    "game_target": (1, 10_000),
    "boards": (1, 1000),
    "game_bonus": (0, 10_000),
    "line_bonus": (0, 1000),
    "shutout_bonus": (0, 10_000),
}


def _contradictions(rules: Ruleset) -> Iterator[tuple[str, str]]:
    """Name options that do nothing, or make no sense, beside another one."""
    if not rules.knock_limit_from_upcard:
        if rules.spades_double:
            yield "spades_double", "needs knock_limit_from_upcard"
        if rules.ace_limit is not AceLimit.GIN_ONLY:
            yield "ace_limit", "needs knock_limit_from_upcard"
    elif not rules.knock_limit:
        yield "knock_limit_from_upcard", "knock_limit 0 leaves nothing to tighten"
    if rules.games == 1:
        if rules.closed_policy is not ClosedPolicy.NEXT_OPEN:
            yield "closed_policy", f"{rules.closed_policy} needs 3 games"
        if rules.stop is not Stop.ALL_CLOSED:
            yield "stop", f"{rules.stop} needs 3 games"
    yield from _contradictions_of_boards(rules)
    yield from _contradictions_of_bonuses(rules)
    if rules.has_idle_seat:
        yield from _contradictions_of_three(rules)


def _contradictions_of_boards(rules: Ruleset) -> Iterator[tuple[str, str]]:
    if rules.boards is None:
        if rules.next_dealer is NextDealer.BOARD_PARITY:
            yield "next_dealer", f"{rules.next_dealer} needs boards"
        return
    if rules.games > 1:
        yield "boards", "a match of boards has 1 game"
    if rules.has_idle_seat:
        yield "boards", "a match of boards has 2 seats"
    if rules.boards > rules.round_limit:
        yield "boards", f"{rules.boards} is more than round_limit {rules.round_limit}"
    if rules.is_settled:
        yield "boards", "a match of boards is decided by points, without settlement"


def _contradictions_of_bonuses(rules: Ruleset) -> Iterator[tuple[str, str]]:
    if rules.shutout is Shutout.DOUBLE_GAME_BONUS and not rules.game_bonus:
        yield "shutout", f"{rules.shutout} needs game_bonus"
    flat = rules.shutout is Shutout.FLAT_BONUS
    if flat and not rules.shutout_bonus:
        yield "shutout", f"{rules.shutout} needs shutout_bonus"
    if rules.shutout_bonus and not flat:
        yield "shutout_bonus", f"needs shutout {Shutout.FLAT_BONUS}"


def _contradictions_of_three(rules: Ruleset) -> Iterator[tuple[str, str]]:
    if rules.next_dealer is not NextDealer.WINNER:
        yield "next_dealer", f"with three seats the table {rules.table} says who deals"
    if rules.games > 1:
        yield "games", "three seats play 1 game"
    if rules.shutout not in (Shutout.NONE, Shutout.FLAT_BONUS):
        yield "shutout", f"{rules.shutout} is for two seats"


def _read(key: str, kind: object, value: object) -> object:
    """Return one option's value; text becomes the enum it names."""
    if not (isinstance(kind, type) and issubclass(kind, enum.StrEnum)):
        return value
    if isinstance(value, str) and value in tuple(kind):
        return kind(value)
    expected = ", ".join(kind)
    raise RulesetError(key, f"{shown(value)}: one of {expected} expected")


def _check_type(key: str, kind: object, value: object) -> None:
    if isinstance(kind, type) and issubclass(kind, enum.StrEnum):
        if not isinstance(value, kind):
            raise RulesetError(key, f"{shown(value)}: {kind.__name__} expected")
        return
    # A bool is an int in Python, but a switch is not a number in a ruleset.
    fits: dict[object, bool] = {
        bool: isinstance(value, bool),
        int: isinstance(value, int) and not isinstance(value, bool),
        str: isinstance(value, str) and _is_name(value),
    }
    ok = fits[kind] if kind in fits else value is None or fits[int]
    if not ok:
        expected = getattr(kind, "__name__", str(kind))
        if kind is str:
            expected = f"text of 1 to {_NAME_LENGTH} letters"
        raise RulesetError(key, f"{shown(value)}: {expected} expected")


_NAME_LENGTH: Final = 32


def _is_name(text: str) -> bool:
    # Half of a letter can be neither written nor signed.
    is_text = not any("\ud800" <= letter <= "\udfff" for letter in text)
    return 0 < len(text) <= _NAME_LENGTH and is_text


GIN: Final = Ruleset(name="gin")
HOLLYWOOD: Final = Ruleset(name="hollywood", games=3)
OKLAHOMA: Final = Ruleset(
    name="oklahoma",
    knock_limit_from_upcard=True,
    spades_double=True,
    game_target=150,
)
THREE_HANDED: Final = Ruleset(name="three_handed", table=Table.CUTTHROAT)

PRESETS: Final[Mapping[str, Ruleset]] = {
    rules.name: rules for rules in (GIN, HOLLYWOOD, OKLAHOMA, THREE_HANDED)
}


def preset(name: str) -> Ruleset:
    """Return a preset by name.

    Raises:
        RulesetError: No preset has this name.
    """
    if name not in PRESETS:
        expected = ", ".join(PRESETS)
        raise RulesetError("name", f"{shown(name)}: one of {expected} expected")
    return PRESETS[name]
