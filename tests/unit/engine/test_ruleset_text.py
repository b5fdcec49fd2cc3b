import json

import pytest

from ginref.engine.error import RulesetError
from ginref.engine.ruleset import HOLLYWOOD, OKLAHOMA, PRESETS, Ruleset
from ginref.engine.ruleset_text import read_ruleset

CLUB = """
# Tuesday's rules
name = "club"
gin_bonus = 20
undercut_on_tie = false
next_dealer = "alternate"
"""


def test_rules_are_read_from_toml() -> None:
    rules = read_ruleset(CLUB)

    assert rules == Ruleset.from_dict(
        {
            "name": "club",
            "gin_bonus": 20,
            "undercut_on_tie": False,
            "next_dealer": "alternate",
        }
    )


@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)
def test_rules_are_read_from_json(rules: Ruleset) -> None:
    text = json.dumps(rules.to_dict(), indent=2)

    assert read_ruleset(f"\n{text}\n") == rules


def test_a_file_may_start_from_a_preset() -> None:
    rules = read_ruleset('preset = "hollywood"\nname = "club"\ngame_target = 150')

    assert rules == HOLLYWOOD.but(name="club", game_target=150)


def test_json_may_switch_off_what_a_preset_has() -> None:
    text = '{"preset": "oklahoma", "name": "club", "big_gin_bonus": null}'

    assert read_ruleset(text) == OKLAHOMA.but(name="club")


@pytest.mark.parametrize(
    ("text", "key"),
    [
        pytest.param('name = "a"\nknock_limt = 9', "knock_limt", id="an unknown key"),
        pytest.param('name = "a"\nwall = "2"', "wall", id="text for a number"),
        pytest.param('name = "a"\nwall = 2.0', "wall", id="a fraction"),
        pytest.param('name = "a"\nwall = true', "wall", id="a switch for a number"),
        pytest.param('name = "a"\nwall = 1979-05-27', "wall", id="a date"),
        pytest.param('name = "a"\n[wall]\ncards = 2', "wall", id="a table"),
        pytest.param('name = "a"\nwall = [2]', "wall", id="a list"),
        pytest.param('name = "a"\nstop = "never"', "stop", id="an unknown choice"),
        pytest.param('name = "a"\nwall = 30', "wall", id="out of range"),
        pytest.param(
            'name = "a"\nnext_dealer = "board_parity"',
            "next_dealer",
            id="a contradictory pair",
        ),
        pytest.param("wall = 2", "name", id="no name"),
        pytest.param('preset = "gin"', "name", id="a preset and no name"),
        pytest.param('name = "a"\npreset = "whist"', "preset", id="no such preset"),
        pytest.param('name = "a"\npreset = 1', "preset", id="a number for a preset"),
        pytest.param(
            'name = "a"\npreset = "oklahoma"\nknock_limit_from_upcard = false',
            "spades_double",
            id="a preset half undone",
        ),
        pytest.param('{"name": "a", "wall": null}', "wall", id="nothing for a number"),
        pytest.param('{"name": "a", "name": "b"}', "name", id="a key given twice"),
        pytest.param('{"name": "a", "wall": {"x": 1}}', "wall", id="an object"),
        pytest.param("", "name", id="nothing"),
        pytest.param("name is club", "ruleset", id="no TOML"),
        pytest.param('name = "a"\nname = "b"', "name", id="TOML names it twice"),
        pytest.param(
            "name = 'a'\nwall = 2 # cards\n  'wall'=3", "wall", id="in quotes as well"
        ),
        pytest.param('# name = "a"\nname = a', "ruleset", id="once in a comment"),
        pytest.param("{", "ruleset", id="no JSON"),
        pytest.param('{"a":' * 50_000, "ruleset", id="JSON without an end"),
        pytest.param(f"wall = {'9' * 5000}", "ruleset", id="no number of this world"),
    ],
)
def test_a_file_that_cannot_be_played_is_refused_by_its_key(
    text: str, key: str
) -> None:
    with pytest.raises(RulesetError) as refusal:
        read_ruleset(text)

    assert refusal.value.key == key
    assert str(refusal.value).startswith(f"{key}: ")


@pytest.mark.parametrize(
    ("text", "kind"), [("{", "JSON"), ("name is club", "TOML")], ids=lambda one: one
)
def test_a_refusal_says_as_what_a_file_was_read(text: str, kind: str) -> None:
    with pytest.raises(RulesetError, match=f"^ruleset: not {kind}: "):
        read_ruleset(text)


def test_a_refusal_names_every_preset_there_is() -> None:
    with pytest.raises(RulesetError) as refusal:
        read_ruleset('name = "a"\npreset = "bridge"')

    assert str(refusal.value) == (
        "preset: 'bridge': one of gin, hollywood, oklahoma, three_handed expected"
    )


def test_a_key_cannot_command_the_terminal_it_is_shown_on() -> None:
    with pytest.raises(RulesetError) as refusal:
        read_ruleset('{"name": "a", "x\\u001b[31m": 1}')

    assert str(refusal.value) == r"'x\x1b[31m': unknown option"
