"""No card escapes the search, wherever it is."""

from dataclasses import dataclass

import pytest
from tests.simulation.leak import cards_shown

from ginref.engine.card import Card, CardSet


@dataclass(frozen=True)
class Note:
    """Something that could hold anything."""

    inside: object


TEN, ACE = Card.parse("Td"), Card.parse("As")


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(TEN, id="a card"),
        pytest.param(CardSet.of([TEN]), id="a set of cards"),
        pytest.param((1, None, [b"", TEN]), id="a sequence"),
        pytest.param({"hand": CardSet.of([TEN])}, id="a mapping"),
        pytest.param({TEN: 1}, id="a key"),
        pytest.param(Note(Note(TEN)), id="a dataclass"),
        pytest.param("discard Td", id="a move"),
        pytest.param("you do not hold Td.", id="a sentence"),
    ],
)
def test_a_card_is_found(value: object) -> None:
    assert cards_shown(value) == TEN.bit
    assert cards_shown([value, Note("As")]) == TEN.bit | ACE.bit


@pytest.mark.parametrize("value", ["", "m7dacs3kthd2", None, 12, b"Td", ()])
def test_what_is_no_card_is_none(value: object) -> None:
    assert cards_shown(value) == 0


def test_what_cannot_be_searched_is_not_passed_over() -> None:
    with pytest.raises(TypeError):
        cards_shown(object())
