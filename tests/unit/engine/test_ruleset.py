import json
from typing import Any

import pytest

from ginref.engine.error import RulesetError
from ginref.engine.rule_source import SOURCES
from ginref.engine.ruleset import (
    GIN,
    HOLLYWOOD,
    OKLAHOMA,
    PRESETS,
    THREE_HANDED,
    AceLimit,
    NextDealer,
    Ruleset,
    Table,
    preset,
)


@pytest.mark.parametrize("rules", PRESETS.values(), ids=lambda rules: rules.name)
def test_a_preset_is_found_by_its_name(rules: Ruleset) -> None:
    assert preset(rules.name) is rules


def test_an_unknown_preset_is_refused_by_name() -> None:
    with pytest.raises(RulesetError, match="canasta") as refusal:
        preset("canasta")

    assert refusal.value.key == "name"


@pytest.mark.parametrize("rules", PRESETS.values(), ids=lambda rules: rules.name)
def test_a_ruleset_survives_json(rules: Ruleset) -> None:
    options = json.loads(json.dumps(rules.to_dict()))

    assert Ruleset.from_dict(options) == rules
    assert Ruleset.from_dict(options).digest == rules.digest


@pytest.mark.parametrize(
    ("rules", "digest"),
    [
        (GIN, "8e098a2f8926221012ec7015e8ca8946f28a1650f52977e77beac633dd826a75"),
        (HOLLYWOOD, "a05bf4879171afb45b87eb6e31937f9b14808329a1027f35ef6923a5a0f9be41"),
        (OKLAHOMA, "c544c7fa17af5939509b678264e2faa7f454cf0948c60acdb4d2d606ba97c630"),
        (
            THREE_HANDED,
            "e03ea5752e565af3759347e4a25ea27ccb9317e798add383a17897a665141c7d",
        ),
    ],
    ids=lambda value: value.name if isinstance(value, Ruleset) else "",
)
def test_a_published_digest_stays(rules: Ruleset, digest: str) -> None:
    assert rules.digest == digest


def test_any_change_changes_the_digest() -> None:
    changed = [
        GIN.but(name="house"),
        GIN.but(version=2),
        GIN.but(gin_bonus=20),
        GIN.but(big_gin_bonus=31),
        GIN.but(may_discard_taken_card=True),
        GIN.but(next_dealer="alternate"),
    ]

    assert len({rules.digest for rules in (GIN, *changed)}) == 7


def test_absent_options_keep_their_defaults() -> None:
    assert Ruleset.from_dict({"name": "gin"}) == GIN


def test_options_are_read_as_what_they_name() -> None:
    rules = Ruleset.from_dict(
        {"name": "house", "next_dealer": "alternate", "big_gin_bonus": None}
    )

    assert rules.next_dealer is NextDealer.ALTERNATE
    assert rules.big_gin_bonus is None


def test_rules_are_changed_by_option() -> None:
    rules = OKLAHOMA.but(ace_limit="one", games=3)

    assert rules.ace_limit is AceLimit.ONE
    assert rules.games == 3
    assert rules.game_target == OKLAHOMA.game_target


def test_rules_change_by_enum_too() -> None:
    assert GIN.but(next_dealer=NextDealer.ALTERNATE) == GIN.but(next_dealer="alternate")


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        pytest.param({"colour": 1}, "colour", id="an unknown option"),
        pytest.param({"gin_bonus": "25"}, "gin_bonus", id="text for a number"),
        pytest.param({"gin_bonus": True}, "gin_bonus", id="a switch for a number"),
        pytest.param({"gin_bonus": 2.5}, "gin_bonus", id="a fraction"),
        pytest.param({"gin_bonus": -1}, "gin_bonus", id="a negative bonus"),
        pytest.param({"gin_bonus": None}, "gin_bonus", id="nothing for a number"),
        pytest.param({"big_gin_bonus": "no"}, "big_gin_bonus", id="text for a bonus"),
        pytest.param({"layoff_on_gin": 1}, "layoff_on_gin", id="a number for a switch"),
        pytest.param({"knock_limit": 11}, "knock_limit", id="a limit above ten"),
        pytest.param({"wall": 30}, "wall", id="a wall of the whole stock"),
        pytest.param({"games": 2}, "games", id="two games"),
        pytest.param({"next_dealer": "loser"}, "next_dealer", id="an unknown value"),
        pytest.param({"next_dealer": 1}, "next_dealer", id="a number for a choice"),
        pytest.param({"name": ""}, "name", id="no name"),
        pytest.param({"name": "x" * 33}, "name", id="a name too long"),
        pytest.param({"name": 1}, "name", id="a number for a name"),
        pytest.param({"table": "four_handed"}, "table", id="a table unheard of"),
        pytest.param({"boards": 0}, "boards", id="no board at all"),
        pytest.param({"boards": True}, "boards", id="a switch for a number of boards"),
        pytest.param({"shutout": None}, "shutout", id="nothing for a choice"),
    ],
)
def test_rules_that_cannot_be_played_are_refused_by_option(
    changes: dict[str, Any], key: str
) -> None:
    with pytest.raises(RulesetError) as refusal:
        GIN.but(**changes)

    assert refusal.value.key == key
    assert str(refusal.value).startswith(f"{key}: ")


@pytest.mark.parametrize(
    ("changes", "key", "other"),
    [
        pytest.param(
            {"spades_double": True},
            "spades_double",
            "knock_limit_from_upcard",
            id="half of Oklahoma",
        ),
        pytest.param(
            {"ace_limit": "one"},
            "ace_limit",
            "knock_limit_from_upcard",
            id="an ace that limits nothing",
        ),
        pytest.param(
            {"closed_policy": "ordinal"},
            "closed_policy",
            "games",
            id="a column closed beside none",
        ),
        pytest.param(
            {"stop": "majority"}, "stop", "games", id="a majority of one game"
        ),
        pytest.param(
            {"next_dealer": "board_parity"},
            "next_dealer",
            "boards",
            id="the parity of no board",
        ),
        pytest.param(
            {"knock_limit": 0, "knock_limit_from_upcard": True},
            "knock_limit_from_upcard",
            "knock_limit 0",
            id="a limit below nothing",
        ),
        pytest.param(
            {"boards": 8, "games": 3}, "boards", "1 game", id="boards in columns"
        ),
        pytest.param(
            {"boards": 8, "table": "cutthroat"},
            "boards",
            "2 seats",
            id="boards for three",
        ),
        pytest.param(
            {"boards": 101}, "boards", "round_limit 100", id="more boards than rounds"
        ),
        pytest.param(
            {"boards": 8, "line_bonus": 25},
            "boards",
            "settlement",
            id="boards with bonuses",
        ),
        pytest.param(
            {"shutout": "double_game_bonus"},
            "shutout",
            "game_bonus",
            id="twice no game bonus",
        ),
        pytest.param(
            {"shutout": "flat_bonus"},
            "shutout",
            "shutout_bonus",
            id="a flat bonus of nothing",
        ),
        pytest.param(
            {"shutout_bonus": 100},
            "shutout_bonus",
            "flat_bonus",
            id="a flat bonus without its form",
        ),
        pytest.param(
            {"shutout_bonus": 100, "shutout": "double_total"},
            "shutout_bonus",
            "flat_bonus",
            id="a flat bonus beside a doubled total",
        ),
        pytest.param(
            {"table": "box", "next_dealer": "alternate"},
            "next_dealer",
            "box",
            id="turns to deal for three",
        ),
        pytest.param(
            {"table": "cutthroat", "games": 3},
            "games",
            "three seats",
            id="columns for three",
        ),
        pytest.param(
            {"table": "cutthroat", "shutout": "double_total"},
            "shutout",
            "two seats",
            id="a total doubled against three",
        ),
    ],
)
def test_options_that_contradict_each_other_are_refused_by_both(
    changes: dict[str, Any], key: str, other: str
) -> None:
    with pytest.raises(RulesetError, match=other) as refusal:
        GIN.but(**changes)

    assert refusal.value.key == key


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"knock_limit": 0}, id="straight gin"),
        pytest.param({"gin_bonus": 20}, id="gin for 20"),
        pytest.param({"wall": 0}, id="no dead cards"),
        pytest.param({"boards": 16, "next_dealer": "board_parity"}, id="boards"),
        pytest.param({"boards": 200, "round_limit": 200}, id="many boards"),
        pytest.param({"game_bonus": 100, "line_bonus": 25}, id="bonuses"),
        pytest.param(
            {"game_bonus": 100, "shutout": "double_game_bonus"}, id="twice the game"
        ),
        pytest.param({"shutout": "double_total"}, id="twice the total"),
        pytest.param(
            {"table": "box", "shutout": "flat_bonus", "shutout_bonus": 100},
            id="a box that pays",
        ),
        pytest.param({"games": 3, "closed_policy": "ordinal"}, id="columns by count"),
    ],
)
def test_house_rules_that_fit_together_are_taken(changes: dict[str, Any]) -> None:
    rules = GIN.but(name="house", **changes)

    assert Ruleset.from_dict(json.loads(json.dumps(rules.to_dict()))) == rules


def test_every_option_has_a_source() -> None:
    options = set(GIN.to_dict()) - {"name", "version"}

    assert set(SOURCES) == options
    assert all(SOURCES.values())


@pytest.mark.parametrize(
    ("key", "low", "high"),
    [
        ("version", 1, 1_000_000),
        ("gin_bonus", 0, 1000),
        ("undercut_bonus", 0, 1000),
        ("big_gin_bonus", 0, 1000),
        ("knock_limit", 0, 10),
        ("wall", 0, 29),
        ("turn_limit", 2, 1000),
        ("round_limit", 1, 1000),
        ("game_target", 1, 10_000),
        ("boards", 1, 1000),
        ("game_bonus", 0, 10_000),
        ("line_bonus", 0, 1000),
        ("shutout_bonus", 1, 10_000),
    ],
)
def test_a_number_has_bounds(key: str, low: int, high: int) -> None:
    needed: dict[str, dict[str, Any]] = {
        "boards": {"round_limit": 1000},
        "shutout_bonus": {"shutout": "flat_bonus"},
    }
    others = needed.get(key, {})

    for value in (low, high):
        assert getattr(GIN.but(**others, **{key: value}), key) == value
    for value in (low - 1, high + 1):
        with pytest.raises(RulesetError):
            GIN.but(**others, **{key: value})


def test_a_ruleset_without_a_name_is_refused() -> None:
    with pytest.raises(RulesetError, match="name: missing"):
        Ruleset.from_dict({"gin_bonus": 25})


def test_a_table_has_two_seats_or_three() -> None:
    assert GIN.seat_count == 2
    assert GIN.table is Table.TWO_HANDED
    assert THREE_HANDED.seat_count == GIN.but(table="box").seat_count == 3


def test_the_presets_differ_where_their_games_do() -> None:
    assert GIN.but(name="hollywood", games=3) == HOLLYWOOD
    assert GIN.but(name="three_handed", table=Table.CUTTHROAT) == THREE_HANDED
    assert GIN.games == OKLAHOMA.games == 1
    assert OKLAHOMA.knock_limit_from_upcard
    assert OKLAHOMA.spades_double
    assert not GIN.knock_limit_from_upcard
