import copy
import pickle

import pytest

from ginref.engine.error import (
    Breach,
    EngineError,
    IllegalMoveError,
    NotationError,
    RulesetError,
    shown,
)
from ginref.engine.meld import DeclaredMeld
from ginref.engine.notation import MatchNotationError


def test_an_illegal_move_names_the_breach_and_its_facts() -> None:
    error = IllegalMoveError(Breach.KNOCK_ABOVE_LIMIT, deadwood=11, limit=10)

    assert str(error) == "knock_above_limit: deadwood 11, limit 10"
    assert error.breach is Breach.KNOCK_ABOVE_LIMIT
    assert error.facts == {"deadwood": "11", "limit": "10"}


def test_an_illegal_move_may_have_no_facts() -> None:
    assert str(IllegalMoveError(Breach.NOT_YOUR_TURN)) == "not_your_turn"


def test_a_ruleset_error_names_the_option() -> None:
    error = RulesetError("wall", "30 is not within 0 to 29")

    assert error.key == "wall"
    assert str(error) == "wall: 30 is not within 0 to 29"


@pytest.mark.parametrize(
    "kind",
    [NotationError, RulesetError, IllegalMoveError],
    ids=lambda kind: kind.__name__,
)
def test_everything_the_engine_refuses_is_one_family(kind: type[Exception]) -> None:
    assert issubclass(kind, EngineError)


@pytest.mark.parametrize(
    "error",
    [
        NotationError("no card"),
        MatchNotationError(2, 7, "a card", "the line ends"),
        RulesetError("wall", "30 is not within 0 to 29"),
        IllegalMoveError(Breach.KNOCK_ABOVE_LIMIT, deadwood=11, limit=10),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_refusal_reaches_another_process_as_it_was(error: EngineError) -> None:
    for copied in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(copied) is type(error)
        assert str(copied) == str(error)
        assert vars(copied) == vars(error)


def test_a_breach_is_written_in_one_way() -> None:
    # Answers to bots and records hold these words.
    assert list(Breach) == [
        "not_your_turn",
        "wrong_phase",
        "upcard_refused_twice",
        "card_not_in_hand",
        "taken_card_returned",
        "knock_above_limit",
        "meld_too_short",
        "broken_meld",
        "meld_card_not_in_hand",
        "card_in_two_melds",
        "no_big_gin",
        "match_over",
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param("a" * 60, repr("a" * 60)[:60] + "...", id="quoted, it is longer"),
        pytest.param("a" * 58, repr("a" * 58), id="a line"),
        pytest.param("b" * 61, repr("b" * 60) + "... (61 letters)", id="more"),
        pytest.param([1] * 30, repr([1] * 30)[:60] + "...", id="a list"),
        pytest.param(10**5000, "a value too large to show", id="a number"),
    ],
)
def test_what_was_given_is_shown_on_one_line(value: object, text: str) -> None:
    assert shown(value) == text


def test_a_key_of_a_line_is_named_as_it_is() -> None:
    assert str(RulesetError("k" * 60, "unknown")) == f"{'k' * 60}: unknown"


def test_half_a_card_is_no_meld() -> None:
    with pytest.raises(NotationError) as refusal:
        DeclaredMeld.parse("7s7h7")

    assert str(refusal.value) == (
        "'7s7h7' is not a meld: cards written together, as in 7s7h7d"
    )
