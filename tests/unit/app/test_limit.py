"""Limits as text, and what is refused beyond them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginref.app.limit import (
    DEFAULTS,
    UNLIMITED,
    Cap,
    Kind,
    Limits,
    Rate,
    read_limits,
)

RATES = st.builds(Rate, st.integers(1, 999_999), st.integers(1, 999_999))

LIMITS = st.builds(
    Limits,
    st.dictionaries(st.sampled_from(Kind), RATES),
    st.dictionaries(st.sampled_from(Cap), st.integers(1, 9_999_999)),
)


@given(LIMITS)
def test_limits_are_read_as_they_were_written(limits: Limits) -> None:
    assert read_limits(str(limits)) == limits


def test_what_is_not_named_keeps_its_default() -> None:
    limits = read_limits("creates=5/50, watches=off,streams=7")

    assert limits.rates == {**DEFAULTS.rates, Kind.CREATES: Rate(5, 50)}
    assert limits.caps == {
        Cap.STREAMS: 7,
        Cap.MATCHES: DEFAULTS.caps[Cap.MATCHES],
        Cap.ALL_MATCHES: DEFAULTS.caps[Cap.ALL_MATCHES],
    }
    assert read_limits("off") == UNLIMITED


@pytest.mark.parametrize(
    "text",
    [
        *("", "on", "moves", "moves=", "moves=20", "moves=0/1", "moves=1/0"),
        *("streams=0", "streams=1/2", "streams=-1", "bits=1/2", "moves=\u0661/1"),
        *("moves=1/2;reads=1/2", "moves=1/2,moves=1/2", "streams=1, streams=off"),
    ],
)
def test_what_is_no_limit_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - whoever asks says what is wrong
        read_limits(text)
