"""Texts that are no match: each is refused at its first wrong letter."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.engine.written_match import MATCH, play

from ginref.engine.error import NotationError
from ginref.engine.notation import MatchNotationError, parse_match, write_match
from ginref.engine.ruleset import GIN
from ginref.engine.transcript import Transcript

# What is changed in the match above, with ^ where the text is refused then, and how
# that begins which was expected there.
MALFORMED: dict[str, tuple[dict[str, str], str]] = {
    "no format": ({"ginref match 1\n": "^"}, "ginref match 1"),
    "another format": ({"match 1": "match ^2"}, "ginref match 1"),
    "an option of no rules": ({"game_target": "^target"}, "rules that can be played"),
    "an option out of range": ({"game_target 20": "^game_target 0"}, "rules that can"),
    "an option of a wrong type": ({"game_target 20": "^game_target true"}, "rules"),
    "an option twice": (
        {"target 20": "target 20\noption ^game_target 20"}, "an option that is not",
    ),
    "an option without value": ({"target 20": "target^"}, "the value of the option"),
    "a name of another preset": (
        {"game_target 20": "name ^hollywood"}, "a name that no preset has",
    ),
    "a name of nothing": ({"game_target 20": '^name ""'}, "rules that can be played"),
    "an unknown preset": ({"rules gin": "rules ^bridge"}, "one of gin, hollywood, okl"),
    "another digest": ({"7dcdbf670520": "^7dcdbf670521"}, "7dcdbf670520, the digest"),
    "an open digest": ({"670520)": "670520^"}, ")"),
    "no rules": (
        {"rules gin (7dcdbf670520)\n": "", "round 1": "^round 1"}, "rules PRESET",
    ),
    "rules twice": ({"dealer": "^rules gin\ndealer"}, "each line once"),
    "no dealer": ({"dealer south\n": "", "round 1": "^round 1"}, "dealer SEAT"),
    "a dealer without a seat": ({"dealer south": "dealer ^east"}, "north or south"),
    "words after the dealer": ({"dealer south": "dealer south ^x"}, "the end of the"),
    "no seat for a bot": (
        {'seat south "simple bot"\n': "", "round 1": "^round 1"}, "seat south NAME",
    ),
    "a seat too many": ({"dealer": "seat ^east x\ndealer"}, "north or south under"),
    "a seat twice": ({"seat south": "seat ^north"}, "south or east"),
    "a name of two words": ({"careful": "care ^ful"}, "the end of the line, or a name"),
    "no name": ({"north careful": "north^"}, "a name"),
    "a name in parentheses": ({"north careful": "north ^(careful)"}, "a name"),
    "no closing quotation mark": ({'"simple bot"': '^"simple bot'}, 'a closing "'),
    "an escape that is none": ({'"simple': '^"\\x'}, "a text in quotation marks"),
    "an unknown line": ({"dealer south": "dealer south\n^clock 5"}, "round 1 (south"),
    "a round that is not next": ({"round 1 (": "round ^3 ("}, "round 1 (south deals)"),
    "another dealer": ({"round 2 (south": "round 2 (^north"}, "round 2 (south deals)"),
    "no card": ({"4d 9d 3c": "4d ^1d 3c"}, "a card: a rank of"),
    "half a card": ({"4d 9d 3c": "4d 9d ^3"}, "a card: a rank of"),
    "a ten in digits": ({"7c Tc Jc": "7c ^10c Jc"}, "a card: a rank of"),
    "a card twice in a hand": ({"As Ks 4h": "As Ks ^As"}, "a card that lies nowhere"),
    "a card in both hands": ({"9s Qs 7h": "9s ^As 7h"}, "a card that lies nowhere"),
    "a card in hand and stock": ({"stock Ah": "stock ^As"}, "a card that lies nowhere"),
    "nine cards": ({"6h Jh Ad 3d 4d 9d 3c": "6h Jh Ad 3d 4d 9d^"}, "10 cards"),
    "eleven cards": ({"4d 9d 3c": "4d 9d 3c ^2s"}, "the end of the line after 10 car"),
    "two upcards": ({"upcard 3h": "upcard 3h ^5c"}, "the end of the line after one"),
    "no upcard": ({"upcard 3h\n": "", "1. north": "^1. north"}, "upcard, with its"),
    "no hand": (
        {"hand north As": "# hand north As", "1. north": "^1. north"}, "hand north, wi",
    ),
    "a hand twice": ({"hand south 9s": "^hand north 9s"}, "hand north once only"),
    "a hand of nobody": ({"hand south 9s": "hand ^east 9s"}, "north or south"),
    "an empty stock": ({"stock Ks\n": "stock^\n"}, "a card"),
    "another turn": ({"3. north": "^4. north"}, "3."),
    "another seat": ({"3. north": "3. ^south"}, "north, whose turn it is"),
    "a turn without a seat": ({"3. north draw": "3. ^draw"}, "north, whose turn it is"),
    "a move alone": ({"  3. north draw": "^draw"}, "a turn of north"),
    "no move": ({"north pass": "north^"}, "pass, draw_upcard, draw_stock, discard"),
    "no move after a comma": ({"(Ah), discard Jh": "(Ah),^"}, "pass, draw_upcard, dra"),
    "an unknown move": ({"north pass": "north ^skip"}, "pass, draw_upcard, draw_stock"),
    "a move with too much": ({"north pass": "north pass ^now"}, "a comma, or the end"),
    "a discard of nothing": ({"discard Jh": "^discard"}, "pass, draw_upcard, draw_sto"),
    "a discard of two cards": ({"discard Jh": "discard Jh ^Qs"}, "a comma, or the end"),
    "a discard of no card": ({"discard Jh": "discard ^1h"}, "a card: a rank of"),
    "half a card in a meld": ({"7h 9s9h9d": "7h 9s9h^9"}, "a card: a rank of"),
    "a move of another phase": (
        {"north pass": "north ^discard 3s"}, "a legal move of north: pass, draw_upcard",
    ),
    "a card not in hand": (
        {"discard Jh": "^discard Jc"}, "a legal move of north: discard As/Ah/3h/",
    ),
    "the card that was taken": (
        {"discard Qs": "^discard Ks"}, "a legal move of south: discard 9s/Qs/7h/",
    ),
    "a meld that is none": (
        {"knock 7h 9s9h9d": "^knock 7h 9s9hJd"}, "a legal move of south: discard 9s/",
    ),
    "a knock above the limit": (
        {"discard Jh": "^knock Jh"}, "a legal move of north: discard As/",
    ),
    "a knock without its melds": (
        {"knock Js (7h8h9h 4s4d4c TsTdTc)": "^knock Js -"}, "a legal move of north: di",
    ),
    "moves after the turn": ({"discard Jh": "discard Jh^, pass"}, "the end of the li"),
    "moves after the round": ({"KcKdKs": "KcKdKs^, pass"}, "the end of the line"),
    "another card drawn": ({"draw_stock (Ah)": "draw_stock (^Ac)"}, "(Ah)"),
    "other melds": ({"4s4d4c Ts": "^4s4d4h Ts"}, "(7h8h9h 4s4d4c TsTdTc)"),
    "a note that says nothing": ({"discard Jh": "discard Jh ^()"}, "a comma, or the"),
    "an open note": ({"(Ah), discard Jh": "(Ah, discard Jh^"}, ")"),
    "a note before its move": ({"north pass": "north ^(5s) pass"}, "pass, draw_upcard"),
    "no comma": ({"(Ah), discard": "(Ah) ^discard"}, "a comma, or the end of the line"),
    "a stock that ends too early": (
        {"2. north": "north draw_stock, discard Js\nsouth ^draw_stock\n#"},
        "another move",
    ),
    "a wrong outcome": ({"result knock, s": "result ^gin, s"}, "result knock, south 9"),
    "a wrong winner": ({"knock, south": "knock, ^north"}, "result knock, south 9"),
    "wrong points": ({"south 9 (": "south ^8 ("}, "result knock, south 9 (7 to 16)"),
    "no points": ({"south 9 (7 to 16)": "south^"}, "result knock, south 9 (7 to 16)"),
    "wrong deadwood": ({"7 to 16": "7 to ^15"}, "result knock, south 9 (7 to 16)"),
    "a wrong layoff": ({"off Th": "off ^Td"}, "result knock, north 53 (3 to 56, laid"),
    "a result too early": (
        {"  6. south": "# 6. south", "result knock, s": "^result knock, s"},
        "a turn of south",
    ),
    "a round too early": (
        {"  6. south": "# 6.", "result knock, s": "#", "round 2": "^round 2"},
        "a turn of south",
    ),
    "a turn after the result": ({"(7 to 16)": "\n^north pass"}, "round 2"),
    "a wrong end": ({"over completed": "over ^round_cap"}, "over completed (north wi"),
    "a wrong winner of the match": ({"(north w": "(^south w"}, "over completed (north"),
    "no end": ({"over completed (north wins)": "over^"}, "how the match ended"),
    "an end too early": (
        {"  2. north draw_upcard": "#", "result knock, n": "#", "over c": "over ^c"},
        "a turn of north, or forfeit or abandoned",
    ),
    "an end before the next round": (
        {"round 2 (south deals)": "over ^completed\n"},
        "round 2, or forfeit or abandoned",
    ),
    "a forfeit by nobody": ({"round 2 (s": "over forfeit ^("}, "by SEAT"),
    "a forfeit without by": ({"round 2 (south deals)": "over forfeit^"}, "by SEAT"),
    "a forfeit by a stranger": (
        {"round 2 (south deals)": "over forfeit by ^east"}, "north or south",
    ),
    "a forfeit of a match that is over": (
        {"over completed": "over ^forfeit by north"}, "over completed (north wins)",
    ),
    "more after the end": (
        {"(north wins)\n": "(north wins)\n^round 3\n"}, "nothing more, for the match",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("edits", "expected"),
    [pytest.param(*case, id=name) for name, case in MALFORMED.items()],
)
def test_a_wrong_text_is_refused_where_it_is_wrong(
    edits: dict[str, str], expected: str
) -> None:
    text = MATCH
    for old, new in edits.items():
        assert old in text
        text = text.replace(old, new, 1)
    before, after = text.split("^")

    with pytest.raises(MatchNotationError) as caught:
        parse_match(before + after)

    error = caught.value
    place = before.count("\n") + 1, len(before) - before.rfind("\n")
    assert (error.line, error.column) == place, str(error)
    assert error.expected.startswith(expected), str(error)
    assert str(error).startswith(f"line {place[0]}, column {place[1]}: ")
    assert str(error).endswith(f", but expected {error.expected}")


@pytest.mark.parametrize(
    ("text", "column", "expected"),
    [
        pytest.param("", 1, "ginref match 1", id="nothing"),
        pytest.param("# a comment\n\n", 1, "ginref match 1", id="a comment"),
        pytest.param("ginref match 1 # end", 15, "rules PRESET", id="one line"),
    ],
)
def test_a_text_that_ends_too_early_is_refused_at_its_end(
    text: str, column: int, expected: str
) -> None:
    with pytest.raises(NotationError) as caught:
        parse_match(text)

    assert isinstance(caught.value, MatchNotationError)
    assert (caught.value.line, caught.value.column) == (1, column)
    assert caught.value.expected == expected


@pytest.mark.parametrize(
    ("line", "count", "wrong"),
    [
        pytest.param("hand north", 10, 9, id="hand of north"),
        pytest.param("hand south", 10, 0, id="hand of south"),
        pytest.param("upcard", 1, 0, id="upcard"),
        pytest.param("stock", 5, 4, id="stock"),
    ],
)
def test_a_card_that_the_seed_does_not_deal_is_refused(
    line: str, count: int, wrong: int
) -> None:
    played = play(GIN, "7", 0, seeded=True)
    text = write_match(played)
    head = text[: text.index("hand")]
    cards = text[text.index(line) + len(line) :].split()[:count]
    cards[wrong] = str(played.rounds[0].deal.stock[-1])

    with pytest.raises(MatchNotationError, match="as the seed deals") as caught:
        parse_match(f"{head}{line} {' '.join(cards)}")

    assert caught.value.column == len(line) + 2 + 3 * wrong


@given(st.data())
def test_no_text_breaks_the_reader(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(MATCH)))
    length = data.draw(st.integers(0, 8))
    put = data.draw(
        st.text(max_size=6)
        | st.sampled_from(["(", ")", ",", '"', "#", "\n", "north", "over", "Ks", "٣."])
    )
    text = MATCH[:at] + put + MATCH[at + length :]

    read, refused = try_to_read(text)

    if refused:
        lines = text.split("\n")
        assert 1 <= refused.line <= len(lines)
        assert 1 <= refused.column <= len(lines[refused.line - 1]) + 1
    if read:
        assert parse_match(write_match(read)) == read


def try_to_read(text: str) -> tuple[Transcript | None, MatchNotationError | None]:
    try:
        return parse_match(text), None
    except MatchNotationError as error:
        return None, error
