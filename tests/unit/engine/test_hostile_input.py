"""Input that nobody would write by hand: it is refused at once, and in a few words."""

from collections.abc import Callable

import pytest
from tests.unit.engine.written_match import MATCH

from ginref.engine.card import PACK, Card, CardSet
from ginref.engine.deck import derive_deck
from ginref.engine.error import EngineError, RulesetError
from ginref.engine.match import apply, start_match
from ginref.engine.meld import DeclaredMeld
from ginref.engine.move import PASS, parse_move
from ginref.engine.notation import MatchNotationError, parse_match
from ginref.engine.ruleset import GIN, Ruleset, Table, preset
from ginref.engine.ruleset_text import read_ruleset
from ginref.engine.seat import Seat
from ginref.engine.snapshot import SnapshotError, decode, encode

_MANY = 1_000_000
_TABLE = (Seat.NORTH, Seat.SOUTH)


def _deck(k: int) -> tuple[Card, ...]:
    return derive_deck(bytes(32), k)


@pytest.mark.parametrize("blank", [" ", "\t", "\r", "\u3000"], ids=ascii)
def test_thousands_of_blanks_at_the_end_of_a_line_are_nothing(blank: str) -> None:
    # A reader that tries each of them as a beginning needs days for this.
    text = MATCH.replace("\n", blank * 90_000 + "\n", 5)

    assert parse_match(text) == parse_match(MATCH)


def test_a_line_without_end_is_refused_before_it_is_read() -> None:
    with pytest.raises(MatchNotationError) as refused:
        parse_match("ginref match 1\n" + "(" * _MANY)

    assert (refused.value.line, refused.value.column) == (2, 100_001)


def test_a_text_is_refused_at_its_first_wrong_line_whatever_follows() -> None:
    with pytest.raises(MatchNotationError, match=r"^line 2, column 1: 'bridge'"):
        parse_match('ginref match 1\nbridge\nseat north "open')


def test_a_seat_more_than_there_are_is_told_what_may_stand_there() -> None:
    text = "ginref match 1\nseat north a\nseat south b\nseat east c\nseat north d\n"

    with pytest.raises(MatchNotationError) as refused:
        parse_match(text)

    assert (refused.value.line, refused.value.expected) == (5, "dealer SEAT")


@pytest.mark.parametrize(
    "read",
    [
        lambda: parse_match("x" * 90_000),
        lambda: parse_match('"' + "x" * 90_000),
        lambda: parse_match('ginref match 1\nseed "\\x' + "x" * 90_000 + '"'),
        lambda: parse_move("x" * _MANY),
        lambda: Card.parse("x" * _MANY),
        lambda: CardSet.parse("As" * _MANY),
        lambda: DeclaredMeld.parse("x" * (_MANY + 1)),
        lambda: Seat.parse("x" * _MANY),
        lambda: preset("x" * _MANY),
        lambda: read_ruleset('name = "' + "x" * _MANY + '"'),
        lambda: read_ruleset('name = "x"\n' + "x" * 90_000 + " = 1"),
        lambda: read_ruleset('name = "x"\nwall = 0x' + "f" * 90_000),
        lambda: read_ruleset('name = "x"\ntable = 0x' + "f" * 90_000),
        lambda: read_ruleset("name = 0x" + "f" * 90_000),
        lambda: read_ruleset('name = "x"\npreset = 0x' + "f" * 90_000),
        lambda: read_ruleset('name = "x"\nwall' + ".a" * 2_000 + " = 1"),
    ],
    ids=[
        "a word", "an open quotation", "a wrong escape", "a move", "a card", "cards",
        "a meld", "a seat", "a preset", "a name", "a key", "a number", "a choice",
        "a name of digits", "a preset of digits", "a table in tables",
    ],
)  # fmt: skip
def test_a_refusal_is_short_however_long_the_input(read: Callable[[], object]) -> None:
    with pytest.raises(EngineError) as refused:
        read()

    assert len(str(refused.value)) < 300


@pytest.mark.parametrize("text", ['name = "x"', '{"name": "x"}'], ids=["toml", "json"])
def test_a_mark_before_the_first_letter_of_a_ruleset_is_nothing(text: str) -> None:
    assert read_ruleset(f"\ufeff{text}") == Ruleset(name="x")


def test_half_of_a_letter_is_no_name_of_rules() -> None:
    with pytest.raises(RulesetError, match=r"^name: "):
        read_ruleset('{"name": "\\ud800"}')


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("table", "two_handed"), ("gin_bonus", 2.5), ("gin_bonus", "25"),
        ("gin_bonus", True), ("gin_bonus", None), ("undercut_on_tie", "no"),
        ("name", 5), ("name", ""), ("name", "x" * 33), ("boards", 1.0),
    ],
)  # fmt: skip
def test_rules_of_a_wrong_type_cannot_be_made(key: str, value: object) -> None:
    options: dict[str, object] = {"name": "x", key: value}

    with pytest.raises(RulesetError) as refused:
        Ruleset(**options)  # type: ignore[arg-type]

    assert refused.value.key == key


def test_rules_read_from_a_choice_itself_are_as_from_its_text() -> None:
    options = {"name": "x", "table": Table.BOX}

    assert Ruleset.from_dict(options).table is Table.BOX


@pytest.mark.parametrize("move", ["pass", None, type(PASS)], ids=repr)
def test_what_is_no_move_is_called_so(move: object) -> None:
    match = start_match(GIN, _TABLE, Seat.NORTH, _deck)

    with pytest.raises(TypeError, match=r"is no move$"):
        apply(match, Seat.SOUTH, move, _deck)  # type: ignore[arg-type]


def test_a_match_of_seats_given_as_numbers_is_a_match_of_seats() -> None:
    match = start_match(GIN, [0, 1], 0, _deck)  # type: ignore[list-item, arg-type]

    assert match == start_match(GIN, _TABLE, Seat.NORTH, _deck)
    assert match.to_act is Seat.SOUTH


@pytest.mark.parametrize(
    "deck",
    [PACK[:51], PACK[:26] * 2, (*PACK, PACK[0]), ()],
    ids=["51 cards", "cards twice", "53 cards", "no cards"],
)
def test_a_deck_that_is_not_the_pack_is_not_dealt(deck: tuple[Card, ...]) -> None:
    with pytest.raises(ValueError, match="52 cards, each of them once"):
        start_match(GIN, _TABLE, Seat.NORTH, lambda _: deck)


@pytest.mark.parametrize("number", [b"1.5", b"1e9", b"NaN", b"Infinity"])
def test_a_snapshot_with_another_than_a_whole_number_is_damaged(number: bytes) -> None:
    match = start_match(GIN, _TABLE, Seat.NORTH, _deck)
    hand = str(match.round.hands[0].mask).encode()
    data = encode(match)
    assert data.count(hand) == 1

    with pytest.raises(SnapshotError, match="damaged"):
        decode(data.replace(hand, number))
