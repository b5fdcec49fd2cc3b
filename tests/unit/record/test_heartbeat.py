"""What heartbeats show: outages, jumps of a clock, and what is credited for them."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginref.record.heartbeat import (
    OUTAGE_LIMIT,
    OUTAGE_MS,
    PULSE_MS,
    Heartbeat,
    Outage,
)

START = 1_790_000_000_000
FIRST = Heartbeat().beat(START)
HOURS = 2 * 3_600_000


def beats(heartbeat: Heartbeat, *clocks_ms: int) -> Heartbeat:
    for clock_ms in clocks_ms:
        heartbeat = heartbeat.beat(clock_ms)
    return heartbeat


def test_before_the_first_heartbeat_nothing_is_settled_and_nothing_credited() -> None:
    nothing = Heartbeat()

    assert not nothing.is_settled(START)
    assert nothing.credit_ms(START - 10, START) == 0
    assert nothing.now_ms(START) == START
    assert beats(nothing, START).outages == ()


@pytest.mark.parametrize(
    ("pause_ms", "outages"),
    [
        pytest.param(250, (), id="as it should be"),
        pytest.param(OUTAGE_MS, (), id="as long as may be"),
        pytest.param(
            OUTAGE_MS + 1,
            (Outage(START, START + OUTAGE_MS + 1),),
            id="a millisecond longer",
        ),
        pytest.param(HOURS, (Outage(START, START + HOURS),), id="hours"),
    ],
)
def test_a_pause_that_is_too_long_is_an_outage(
    pause_ms: int, outages: tuple[Outage, ...]
) -> None:
    after = FIRST.beat(START + pause_ms)

    assert after.outages == outages
    assert after.at_ms == after.now_ms(START + pause_ms) == START + pause_ms
    assert after.is_settled(START + pause_ms)


def test_two_sweepers_are_not_twice_as_many_heartbeats() -> None:
    assert FIRST.beat(START + PULSE_MS - 1) is FIRST
    assert FIRST.beat(START + PULSE_MS).at_ms == START + PULSE_MS


def test_a_pause_that_is_too_long_is_credited_before_it_ends() -> None:
    clock_ms = START + 7_000

    assert not FIRST.is_settled(clock_ms)
    assert FIRST.credit_ms(START - 500, clock_ms) == 7_000
    assert FIRST.credit_ms(START + 1_500, clock_ms) == 5_500
    assert FIRST.beat(clock_ms).credit_ms(START + 1_500, clock_ms) == 5_500


@pytest.mark.parametrize(
    ("started_ms", "credit_ms"),
    [
        pytest.param(-1, 13_000, id="before both"),
        pytest.param(4_000, 9_000, id="in the first one"),
        pytest.param(11_000, 5_000, id="between them"),
        pytest.param(25_000, 0, id="when the second one ends"),
        pytest.param(26_000, 0, id="after both"),
    ],
)
def test_outages_are_credited_from_when_a_clock_started(
    started_ms: int, credit_ms: int
) -> None:
    times = [8_000, *range(8_250, 20_001, 250), 25_000, 26_000]
    after = beats(FIRST, *(START + time_ms for time_ms in times))

    assert after.credit_ms(START + started_ms, START + 26_000) == credit_ms


def test_after_a_step_back_time_goes_on() -> None:
    after = beats(FIRST, START + 1_000, START + 1_000 - HOURS)

    assert after.outages == ()
    assert after.now_ms(START + 1_000 - HOURS) == START + 1_000
    assert after.now_ms(START + 1_500 - HOURS) == START + 1_500
    assert after.is_settled(START + 3_000 - HOURS)


def test_a_step_back_that_is_put_right_leaves_no_trace() -> None:
    back = beats(FIRST, START - HOURS, START - HOURS + 250)
    after = back.beat(START + 500)

    assert back.skew_ms == HOURS
    assert after == Heartbeat(at_ms=START + 500)


def test_a_step_back_too_small_to_be_seen_lets_time_stand_still() -> None:
    assert FIRST.now_ms(START - 50) == START
    assert FIRST.beat(START - 50).now_ms(START - 20) == START + 30


def test_of_many_outages_the_latest_are_remembered() -> None:
    clocks = range(START, START + 3_000 * (OUTAGE_LIMIT + 9), 3_000)
    after = beats(Heartbeat(), *clocks)

    assert len(after.outages) == OUTAGE_LIMIT
    assert after.outages[-1] == Outage(clocks[-2], clocks[-1])


@given(st.lists(st.integers(-20_000, 20_000), max_size=40), st.integers(0, 60_000))
def test_time_never_goes_back_and_no_credit_exceeds_it(
    steps_ms: list[int], started_ms: int
) -> None:
    clocks = [START + step_ms for step_ms in itertools.accumulate(steps_ms)]
    heartbeat, latest_ms, started_ms = FIRST, START, START + started_ms
    for clock_ms in clocks:
        heartbeat = heartbeat.beat(clock_ms)
        now_ms = heartbeat.now_ms(clock_ms)
        assert heartbeat.at_ms is not None

        assert now_ms >= heartbeat.at_ms >= latest_ms
        assert heartbeat.is_settled(clock_ms)
        assert heartbeat.skew_ms >= 0
        credit_ms = heartbeat.credit_ms(started_ms, clock_ms)
        assert 0 <= credit_ms <= max(0, now_ms - started_ms)
        latest_ms = heartbeat.at_ms
    ends = [end for one in heartbeat.outages for end in (one.from_ms, one.to_ms)]
    assert ends == sorted(ends)


@given(st.lists(st.integers(0, OUTAGE_MS - PULSE_MS), max_size=60))
def test_while_somebody_is_there_nothing_is_credited(steps_ms: list[int]) -> None:
    clocks = [START + step_ms for step_ms in itertools.accumulate(steps_ms)]

    after = beats(FIRST, *clocks)

    assert after.outages == ()
    assert after.credit_ms(START, (clocks or [START])[-1]) == 0
