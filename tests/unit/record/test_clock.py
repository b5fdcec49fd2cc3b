from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginref.record.clock import (
    FAST,
    PRESETS,
    STANDARD,
    ClockPolicy,
    StoredClock,
    advance,
    deadline,
    debit,
    is_late,
)

MS = st.integers(0, 10**7)
POLICIES = st.builds(
    ClockPolicy,
    name=st.just("custom"),
    start_ms=MS,
    free_ms=MS,
    bank_ms=MS,
    cap_ms=MS,
    grace_ms=MS,
)


def clock_at(
    started_ms: int,
    *,
    to_act: int | None = 0,
    banks_ms: tuple[int, ...] = (10_000,) * 2,
) -> StoredClock:
    return StoredClock(
        to_act=to_act,
        started_ms=started_ms,
        deadline_ms=started_ms + 2_000,
        banks_ms=banks_ms,
    )


@pytest.mark.parametrize(
    ("name", "times_ms"),
    [
        ("fast", (10_000, 100, 10_000, 2_000, 0)),
        ("standard", (60_000, 1_000, 120_000, 30_000, 250)),
        ("research", (600_000, 5_000, 1_800_000, 120_000, 250)),
    ],
)
def test_a_preset_has_the_times_it_is_known_for(
    name: str, times_ms: tuple[int, ...]
) -> None:
    policy = PRESETS[name]

    assert policy.name == name
    assert times_ms == (
        policy.start_ms,
        policy.free_ms,
        policy.bank_ms,
        policy.cap_ms,
        policy.grace_ms,
    )


@pytest.mark.parametrize(
    ("bank_ms", "elapsed_ms", "left_ms"),
    [
        pytest.param(500, 0, 500, id="no time costs nothing"),
        pytest.param(500, 100, 500, id="the free time costs nothing"),
        pytest.param(500, 101, 499, id="a millisecond over it costs one"),
        pytest.param(500, 600, 0, id="all of the bank"),
        pytest.param(500, 9_000, 0, id="never below nothing"),
    ],
)
def test_the_bank_pays_what_is_over_the_free_time(
    bank_ms: int, elapsed_ms: int, left_ms: int
) -> None:
    assert debit(bank_ms, elapsed_ms, free_ms=100) == left_ms


@pytest.mark.parametrize(
    ("bank_ms", "due_ms"),
    [
        pytest.param(10_000, 52_000, id="the cap comes first"),
        pytest.param(300, 50_400, id="the bank comes first"),
        pytest.param(0, 50_100, id="an empty bank leaves the free time"),
    ],
)
def test_a_deadline_is_the_cap_or_all_the_time_a_seat_has(
    bank_ms: int, due_ms: int
) -> None:
    assert deadline(50_000, bank_ms, FAST.free_ms, FAST.cap_ms) == due_ms


@pytest.mark.parametrize(
    ("now_ms", "late"),
    [
        pytest.param(1_000, False, id="at the deadline"),
        pytest.param(1_250, False, id="at the end of the grace"),
        pytest.param(1_251, True, id="a millisecond later"),
    ],
)
def test_only_what_comes_after_the_grace_is_late(now_ms: int, *, late: bool) -> None:
    assert is_late(now_ms, 1_000, STANDARD.grace_ms) is late


def test_a_move_is_paid_by_the_mover_and_starts_the_other_clock() -> None:
    after = advance(
        clock_at(0), FAST, now_ms=700, mover=0, to_act=1, window_ms=None, ending=False
    )

    assert after == StoredClock(
        to_act=1,
        started_ms=700,
        deadline_ms=2_700,
        banks_ms=(9_400, 10_000),
        elapsed_ms=700,
    )


def test_a_window_sets_the_deadline_and_costs_nobody_anything() -> None:
    after = advance(
        clock_at(0, to_act=None),
        FAST,
        now_ms=300,
        mover=None,
        to_act=None,
        window_ms=FAST.start_ms,
        ending=False,
    )

    assert after.deadline_ms == 10_300
    assert after.banks_ms == (10_000, 10_000)


def test_without_a_window_a_stage_keeps_its_deadline() -> None:
    after = advance(
        clock_at(0, to_act=None),
        FAST,
        now_ms=300,
        mover=None,
        to_act=None,
        window_ms=None,
        ending=False,
    )

    assert after.deadline_ms == 2_000


def test_what_an_outage_cost_is_paid_by_nobody() -> None:
    after = advance(
        clock_at(0),
        FAST,
        now_ms=9_700,
        mover=0,
        to_act=1,
        window_ms=None,
        ending=False,
        credit_ms=9_000,
    )

    assert after == StoredClock(
        to_act=1,
        started_ms=9_700,
        deadline_ms=11_700,
        banks_ms=(9_400, 10_000),
        elapsed_ms=700,
    )


def test_a_stage_that_goes_on_keeps_its_deadline_and_the_credit() -> None:
    after = advance(
        clock_at(0, to_act=None),
        FAST,
        now_ms=9_300,
        mover=None,
        to_act=None,
        window_ms=None,
        ending=False,
        credit_ms=9_000,
    )

    assert after.deadline_ms == after.due_ms == 11_000
    assert after.credit_ms == 0


def test_a_clock_is_due_at_its_deadline_and_the_credit() -> None:
    assert replace(clock_at(50), credit_ms=3_000).due_ms == 5_050


@given(
    policy=POLICIES,
    bank_ms=MS,
    waited_ms=MS,
    mover=st.sampled_from([0, 1]),
    ending=st.booleans(),
)
def test_a_step_takes_from_the_mover_alone_and_never_more_than_it_used(
    policy: ClockPolicy, bank_ms: int, waited_ms: int, mover: int, *, ending: bool
) -> None:
    before = clock_at(5, to_act=mover, banks_ms=(bank_ms, bank_ms))

    after = advance(
        before,
        policy,
        now_ms=5 + waited_ms,
        mover=mover,
        to_act=None if ending else 1 - mover,
        window_ms=None,
        ending=ending,
    )

    assert after.banks_ms[1 - mover] == bank_ms
    assert 0 <= bank_ms - after.banks_ms[mover] <= waited_ms
    assert after.elapsed_ms == waited_ms
    assert after.deadline_ms == 0 if ending else after.deadline_ms >= 5 + waited_ms


@given(POLICIES, MS, MS)
def test_whoever_moves_in_time_could_pay_for_it(
    policy: ClockPolicy, bank_ms: int, elapsed_ms: int
) -> None:
    due_ms = deadline(0, bank_ms, policy.free_ms, policy.cap_ms)

    if not is_late(elapsed_ms, due_ms, grace_ms=0):
        used_ms = max(0, elapsed_ms - policy.free_ms)
        assert bank_ms - debit(bank_ms, elapsed_ms, policy.free_ms) == used_ms
