"""Cursors over matches."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginref.adapters.cursor import format_cursor, parse_cursor


@given(st.integers(0, 10**15 - 1), st.text(min_size=1))
def test_a_cursor_is_read_as_it_was_written(time_ms: int, match_id: str) -> None:
    assert parse_cursor(format_cursor(time_ms, match_id)) == (time_ms, match_id)


@pytest.mark.parametrize("text", ["", "7", "7.", ".m1", "x.m1", "-7.m1", "7e3.m1"])
def test_other_text_is_no_cursor(text: str) -> None:
    with pytest.raises(ValueError, match="not a cursor"):
        parse_cursor(text)
