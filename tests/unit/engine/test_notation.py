"""Matches as text: every text says one match, and every match has one standard text."""

import json
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.engine.written_match import MATCH, RULES, play, transcripts

from ginref.engine.card import CardSet
from ginref.engine.move import PASS, parse_move
from ginref.engine.notation import MatchNotationError, parse_match, write_match
from ginref.engine.ruleset import GIN, HOLLYWOOD, OKLAHOMA, THREE_HANDED, Ruleset
from ginref.engine.seat import Seat
from ginref.engine.transcript import Transcript, replay

FOLDER = Path(__file__).parents[2] / "golden" / "matches"
RESULT = re.compile(r"^result (\w+)(?:, (\w+) (\d+))?", re.MULTILINE)
GOLDEN = sorted(FOLDER.glob("*.gin"))


@given(transcripts)
def test_a_match_that_is_written_and_read_is_the_same(played: Transcript) -> None:
    text = write_match(played)

    read = parse_match(text)

    assert read == played
    assert write_match(read) == text
    assert all(line.isprintable() for line in text.splitlines())


def test_an_option_that_is_switched_off_is_read_as_it_is_written() -> None:
    played = parse_match(MATCH)
    off = replace(played, rules=played.rules.but(name="ties", undercut_on_tie=False))

    text = write_match(off)

    assert "option undercut_on_tie false\n" in text
    assert parse_match(text).rules == off.rules


def test_a_name_is_written_as_it_is_read() -> None:
    named = replace(parse_match(MATCH), bots=("Zoë B", "bell\a"))

    text = write_match(named)

    assert 'seat north "Zoë B"\n' in text
    assert 'seat south "bell\\u0007"\n' in text
    assert parse_match(text) == named


@settings(max_examples=50)
@given(transcripts, st.randoms(use_true_random=False))
def test_any_text_of_a_match_becomes_its_standard_text(
    played: Transcript, chance: random.Random
) -> None:
    text = write_match(played)

    assert write_match(parse_match(carelessly(text, chance))) == text


def carelessly(text: str, chance: random.Random) -> str:
    """Write a text as a person may: spaces, capitals, comments, nothing extra."""
    lines = []
    for line in text.split("\n"):
        words = re.findall(r'"(?:[^"\\]|\\.)*"|\([^)]*\)|[(),]|[^\s(),"]+', line)
        head = words[0] if words else ""
        kept = [
            word
            for word in words
            if not (word.startswith("(") and chance.random() < 0.5)
            and not (word[0].isdigit() and word.endswith(".") and chance.random() < 0.5)
        ]
        if head not in {"rules", "option", "seat", "seed"}:
            kept = [word.upper() if chance.random() < 0.2 else word for word in kept]
        space = chance.choice([" ", "  ", "\t", " \u00a0"])
        comment = chance.choice(["", "#", '  # a (comment, with " all'])
        if head == "result" and chance.random() < 0.5:
            continue
        lines.append(space.join(kept) + comment)
        lines += chance.choice([[], [""], ["# alone"], ["   "]])
    return chance.choice(["\n", "\r\n"]).join(lines)


def test_a_text_is_played_as_it_says() -> None:
    read = parse_match(MATCH)
    *_, last = replay(read)

    assert read.rules == GIN.but(game_target=20)
    assert read.bots == ("careful", "simple bot")
    assert read.rounds[1].moves[0] == PASS
    assert read.rounds[0].moves[-1] == parse_move("knock 7h 9s9h9d JhJdJc KcKdKs")
    assert [summary.points for summary in last.match.history] == [9, 53]
    assert last.match.over is not None
    assert last.match.over.winner is Seat.NORTH
    assert write_match(read) == MATCH


def test_an_option_may_be_written_as_its_preset_has_it() -> None:
    said = "option boards none\noption undercut_on_tie true\noption wall 2\n"
    text = MATCH.replace("seat north", f"{said}seat north", 1)

    assert parse_match(text) == parse_match(MATCH)


@pytest.mark.parametrize("name", ["2024", "true", "none"])
def test_rules_may_have_a_name_that_looks_like_a_value(name: str) -> None:
    rules = GIN.but(name=name, game_target=20)
    text = write_match(replace(parse_match(MATCH), rules=rules))

    assert f"option name {name}\n" in text
    assert parse_match(text).rules == rules


def test_a_seed_stands_for_the_deals() -> None:
    rules = GIN.but(game_target=30)
    played = play(rules, "7", 200, seeded=True)
    text = write_match(played)

    bare = re.sub(r"^(hand|upcard|stock) .*\n", "", text, flags=re.MULTILINE)
    assert parse_match(bare) == played
    some = re.sub(r"^(hand north|stock) .*\n", "", text, flags=re.MULTILINE)
    assert parse_match(some) == played


def test_a_stock_may_end_with_its_last_card_that_was_drawn() -> None:
    read = parse_match(MATCH)

    assert len(read.rounds[0].deal.stock) == 31
    assert CardSet.of(read.rounds[1].deal.stock) == CardSet.parse("Ks")
    assert len(set(read.rounds[1].deal.deck)) == 52


def test_a_match_may_be_written_down_as_far_as_it_was_played() -> None:
    lines = MATCH.split("\n")
    begun = "\n".join(lines[:15])
    halfway = "\n".join(lines[:13]) + "\nnorth draw_upcard"

    assert len(parse_match(begun).rounds[0].moves) == 4
    assert write_match(parse_match(halfway)).endswith("  1. north draw_upcard (3h)\n")


def test_a_turn_may_be_split_over_lines() -> None:
    text = MATCH.replace("  3. north draw_stock (Ah), ", "north draw_stock\nnorth ")

    assert write_match(parse_match(text)) == MATCH


@pytest.mark.parametrize(
    ("end", "winner"),
    [
        ("over forfeit by south (north wins)", "north"),
        ("over forfeit by north (south wins)", "south"),
        ("over forfeit by north, south (nobody wins)", None),
        ("over abandoned (nobody wins)", None),
    ],
)
def test_a_match_may_be_stopped(end: str, winner: str | None) -> None:
    text = MATCH[: MATCH.index("\nround 2")] + f"\n{end}\n"

    read = parse_match(text)
    *_, last = replay(read)

    assert last.match.over is not None
    assert last.match.over.winner == (winner and Seat.parse(winner))
    assert write_match(read) == text


def test_a_round_of_three_seats_names_the_one_that_sits_out() -> None:
    text = write_match(play(THREE_HANDED, "1", 60, seeded=False))

    heading = r"^round 1 \((north|south|east) deals, \w+ sits out\)$"
    assert re.search(heading, text, re.MULTILINE)
    assert len(re.findall(r"^seat ", text, re.MULTILINE)) == 3


def golden(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(file.with_suffix(".json").read_text("utf-8"))
    return found


@pytest.mark.parametrize("file", GOLDEN, ids=lambda file: file.stem)
def test_a_match_that_was_kept_is_in_standard_form(file: Path) -> None:
    text = file.read_text(encoding="utf-8")

    assert write_match(parse_match(text)) == text


@pytest.mark.parametrize("file", GOLDEN, ids=lambda file: file.stem)
def test_a_match_that_was_kept_is_the_one_that_is_counted_by_hand(file: Path) -> None:
    kept, read = golden(file), parse_match(file.read_text(encoding="utf-8"))
    results = RESULT.findall(file.read_text(encoding="utf-8"))

    assert read.rules.name == kept["ruleset"]
    assert [", ".join(map(str, played.moves)) for played in read.rounds] == [
        round_["moves"] for round_ in kept["rounds"]
    ]
    assert results == [
        (
            round_["outcome"],
            round_["winner"] or "",
            str(round_["points"]) if round_["winner"] else "",
        )
        for round_ in kept["rounds"]
    ]


def test_a_match_that_was_kept_is_there_for_every_count() -> None:
    assert [file.stem for file in GOLDEN] == sorted(
        file.stem for file in FOLDER.glob("*.json")
    )


def test_a_win_that_counts_in_no_game_says_so() -> None:
    text = write_match(play(RULES["ordinal"], "85", 3000, seeded=True))

    assert re.search(r"^result knock, \w+ \d+ \(.*, no game\)$", text, re.MULTILINE)


def test_the_end_says_what_a_settled_game_is_worth() -> None:
    rules = GIN.but(game_target=20, game_bonus=100, line_bonus=25)
    text = write_match(replace(parse_match(MATCH), rules=rules))

    # South has 9 points and a box, north 53 points, a box and the game.
    assert text.endswith(
        "over completed (north wins, settled north 178 +144, south 34 -144)\n"
    )
    assert write_match(parse_match(text)) == text
    with pytest.raises(MatchNotationError, match="'\\+143', but expected over comp"):
        parse_match(text.replace("+144", "+143"))


def test_the_end_of_hollywood_settles_each_game() -> None:
    text = write_match(play(RULES["settled"], "1", 3000, seeded=True))

    settled = r"settled north \d+ [+-]\d+, south \d+ [+-]\d+"
    games = ", ".join(f"game {number} {settled}" for number in (1, 2, 3))
    assert re.search(rf"^over completed \(\w+ wins, {games}\)$", text, re.MULTILINE)


@pytest.mark.parametrize("rules", [HOLLYWOOD, OKLAHOMA], ids=lambda rules: rules.name)
def test_options_that_a_preset_has_are_not_repeated(rules: Ruleset) -> None:
    text = write_match(play(rules, "1", 1, seeded=True))

    assert "option" not in text
    assert f"rules {rules.name} ({rules.digest[:12]})" in text
