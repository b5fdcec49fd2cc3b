import json
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginref.record.shape import first_difference

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)

WHOLE: dict[str, Any] = {"a": [1, {"b": "x"}], "c": {"d": None, "e": True}}


@given(VALUES)
def test_a_value_does_not_differ_from_itself(value: object) -> None:
    assert first_difference(value, deepcopy(value)) is None


@given(VALUES, VALUES)
def test_two_values_differ_when_their_json_does(one: object, two: object) -> None:
    left, right = (json.dumps(value, sort_keys=True) for value in (one, two))

    assert (first_difference(one, two) is None) is (left == right)


@pytest.mark.parametrize(
    ("claimed", "message"),
    [
        ({**WHOLE, "a": [1]}, 'a[1]: nothing where {"b": "x"} is expected'),
        ({**WHOLE, "a": [2, {"b": "y"}]}, "a[0]: 2 where 1 is expected"),
        ({**WHOLE, "a": [1, {"b": 7}]}, 'a[1].b: 7 where "x" is expected'),
        ({**WHOLE, "c": {"d": None}}, "c.e: nothing where true is expected"),
        ({**WHOLE, "c": {"d": 0, "e": 1}}, "c.d: 0 where null is expected"),
        ({**WHOLE, "c": {"d": None, "e": 1}}, "c.e: 1 where true is expected"),
        ({**WHOLE, "b": 1}, "b: 1 where nothing is expected"),
        ([], 'the record: [] where {"a": [1, {"b": "x"}], "c": {"d": null'),
    ],
)
def test_the_first_difference_is_named(claimed: object, message: str) -> None:
    assert str(first_difference(claimed, WHOLE)).startswith(message)


def test_a_long_value_is_cut_short() -> None:
    error = first_difference("x" * 1000, "y")

    assert error is not None
    assert len(str(error)) < 150
