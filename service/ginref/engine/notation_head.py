"""The lines of a match before its first round: rules, seats, dealer and seed."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ginref.engine.error import NotationError, RulesetError
from ginref.engine.notation_line import Line, Page, Word, compare
from ginref.engine.notation_write import DIGEST_LETTERS, FORMAT_LINE
from ginref.engine.ruleset import PRESETS, Ruleset
from ginref.engine.seat import Seat

_WORDS: Final[dict[str, object]] = {"true": True, "false": False, "none": None}
_NUMBER: Final = re.compile(r"-?[0-9]{1,9}")
HEAD_LINES: Final = ("rules", "option", "seat", "dealer", "seed")
"""What the lines before the first round begin with."""

_NAME: Final = "a name; one of several words in quotation marks"


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What the first lines say.

    Attributes:
        rules: The house rules.
        bots: Name of the bot of each seat.
        first_dealer: Who dealt the first round.
        seed: The seed of the deals, if one is named.
    """

    rules: Ruleset
    bots: tuple[str, ...]
    first_dealer: Seat
    seed: str | None


def read_head(page: Page) -> Head:
    """Read the lines before the first round.

    Raises:
        MatchNotationError: A line is missing, comes twice, or cannot be read.
    """
    _read_format(page)
    found: dict[str, Line] = {}
    options: dict[str, tuple[Word, Word]] = {}
    bots: dict[Seat, tuple[Word, str]] = {}
    while line := page.take_if(*HEAD_LINES):
        word = line.take("")
        if word.key == "option":
            _read_option(line, options)
        elif word.key == "seat":
            _read_bot(line, bots)
        elif word.key in found:
            raise word.refuse("each line once")
        found[word.key] = line
    _need(page, found, "rules", "rules PRESET")
    rules = _read_rules(found["rules"], options)
    seats = tuple(Seat)[: rules.seat_count]
    _check_seats(page, seats, bots)
    _need(page, found, "dealer", "dealer SEAT")
    dealer = take_seat(found["dealer"], seats)
    found["dealer"].finish()
    return Head(
        rules=rules,
        bots=tuple(bots[seat][1] for seat in seats),
        first_dealer=dealer,
        seed=_take_name(found["seed"]) if "seed" in found else None,
    )


def _need(page: Page, found: Mapping[str, Line], key: str, expected: str) -> None:
    if key not in found:
        raise page.refuse(expected)


def _check_seats(
    page: Page, seats: Sequence[Seat], bots: Mapping[Seat, tuple[Word, str]]
) -> None:
    for seat, (word, _) in bots.items():
        if seat not in seats:
            raise word.refuse(f"{' or '.join(map(str, seats))} under these rules")
    for seat in seats:
        if seat not in bots:
            raise page.refuse(f"seat {seat} NAME")


def _read_format(page: Page) -> None:
    line = page.take()
    if line is None:
        raise page.refuse(FORMAT_LINE)
    compare(line.words, FORMAT_LINE)


def take_seat(line: Line, seats: Sequence[Seat]) -> Seat:
    """Take the name of one of these seats.

    Raises:
        MatchNotationError: It is none of them.
    """
    expected = " or ".join(map(str, seats))
    word = line.take(expected)
    seat = seat_of(word)
    if seat is None or seat not in seats:
        raise word.refuse(expected)
    return seat


def seat_of(word: Word) -> Seat | None:
    """Return the seat that a word names, if it names one."""
    try:
        return Seat.parse(word.key)
    except NotationError:
        return None


def _read_bot(line: Line, bots: dict[Seat, tuple[Word, str]]) -> None:
    free = [seat for seat in Seat if seat not in bots]
    if not free:
        raise line.first.refuse("dealer SEAT")
    seat = take_seat(line, free)
    bots[seat] = line.words[1], _take_name(line)


def _take_name(line: Line) -> str:
    """Take a name that ends its line."""
    word = line.take(_NAME)
    if word.key in ("(", ")", ","):
        raise word.refuse(_NAME)
    if line.rest:
        raise line.rest[0].refuse(f"the end of the line, or {_NAME}")
    return word.text


def _read_option(line: Line, options: dict[str, tuple[Word, Word]]) -> None:
    key = line.take("the name of an option")
    if key.key in options:
        raise key.refuse("an option that is not named yet")
    value = line.take("the value of the option")
    line.finish()
    options[key.key] = key, value


def _read_rules(line: Line, options: Mapping[str, tuple[Word, Word]]) -> Ruleset:
    expected = f"one of {', '.join(PRESETS)}"
    name = line.take(expected)
    if name.text not in PRESETS:
        raise name.refuse(expected)
    base = PRESETS[name.text].to_dict()
    changed = {
        key: _option(base.get(key), value) for key, (_, value) in options.items()
    }
    try:
        rules = Ruleset.from_dict({**base, **changed})
    except RulesetError as error:
        word = options[error.key][0] if error.key in options else name
        raise word.refuse("rules that can be played", str(error)) from None
    if "name" in changed and rules.name in PRESETS:
        raise options["name"][1].refuse("a name that no preset has")
    _check_digest(line, rules.digest)
    return rules


def _check_digest(line: Line, digest: str) -> None:
    if line.take_if("("):
        expected = digest[:DIGEST_LETTERS]
        word = line.take(expected)
        if word.key != expected:
            raise word.refuse(f"{expected}, the digest of these rules")
        if not line.take_if(")"):
            raise line.missing(")")
    line.finish()


def _option(default: object, word: Word) -> object:
    """Read a value as what the option is: a word, a switch, a number or nothing."""
    if word.is_quoted or isinstance(default, str):
        return word.text
    if word.key in _WORDS:
        return _WORDS[word.key]
    return int(word.text) if _NUMBER.fullmatch(word.text) else word.text
