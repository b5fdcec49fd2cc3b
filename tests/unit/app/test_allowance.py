"""What a token has left: buckets, turns, streams and matches."""

from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginref.app.allowance import Allowance
from ginref.app.caller import Caller, Role
from ginref.app.error import Reason, RefusedError
from ginref.app.limit import DEFAULTS, Cap, Kind, Limits, Rate
from ginref.engine.move import PASS
from ginref.engine.seat import Seat
from ginref.record.submission import Submission

ORGANIZER = Caller(token_id="t-organizer", role=Role.ORGANIZER)
OTHER = Caller(token_id="t-other", role=Role.ORGANIZER)
OPERATOR = Caller(token_id="t-operator", role=Role.OPERATOR)


@dataclass
class Time:
    """A clock that stands still."""

    now: float = 1_000.0

    def __call__(self) -> float:
        return self.now


def _limited(**limits: Rate | int) -> tuple[Allowance, Time]:
    time = Time()
    rates = {
        Kind(name): rate for name, rate in limits.items() if isinstance(rate, Rate)
    }
    caps = {
        Cap(name.replace("_", "-")): cap
        for name, cap in limits.items()
        if isinstance(cap, int)
    }
    return Allowance(Limits(rates, caps), time), time


def _spent(allowance: Allowance, caller: Caller, kind: Kind, times: int) -> int:
    """Ask so often; return how often that was too often."""
    refused = 0
    for _ in range(times):
        try:
            allowance.spend(caller, kind)
        except RefusedError as error:
            refused += error.reason is Reason.RATE_LIMITED
    return refused


def test_a_burst_passes_and_then_so_many_a_second() -> None:
    allowance, time = _limited(creates=Rate(10, 40))

    assert _spent(allowance, ORGANIZER, Kind.CREATES, 50) == 10
    time.now += 1.0
    assert _spent(allowance, ORGANIZER, Kind.CREATES, 15) == 5
    assert _spent(allowance, OTHER, Kind.CREATES, 40) == 0
    assert _spent(allowance, ORGANIZER, Kind.READS, 1_000) == 0

    with pytest.raises(RefusedError) as refused:
        allowance.spend(ORGANIZER, Kind.CREATES)
    assert dict(refused.value.facts) == {"limit": "creates", "resets_ms": "100"}


@given(
    st.integers(1, 50), st.integers(1, 50), st.lists(st.floats(0, 0.2), max_size=120)
)
def test_no_more_than_rate_and_burst_pass_and_the_reset_is_right(
    per_second: int, burst: int, waits: list[float]
) -> None:
    allowance, time = _limited(reads=Rate(per_second, burst))
    start, passed = time.now, 0
    for wait in waits:
        time.now += wait
        try:
            allowance.spend(ORGANIZER, Kind.READS)
        except RefusedError as error:
            time.now += int(error.facts["resets_ms"]) / 1000
            allowance.spend(ORGANIZER, Kind.READS)
        passed += 1

    assert passed <= burst + (time.now - start) * per_second + 0.01


def test_an_operator_is_held_to_nothing() -> None:
    allowance, _ = _limited(creates=Rate(1, 1), streams=1, matches=1, all_matches=1)

    assert _spent(allowance, OPERATOR, Kind.CREATES, 9) == 0
    with ExitStack() as stack:
        for number in range(9):
            stack.enter_context(allowance.stream(OPERATOR, is_watch=True))
            allowance.check_match(OPERATOR, f"m{number}")
            allowance.match_begun(f"m{number}", OPERATOR.identity)


def test_tokens_that_are_remembered_are_limited_in_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ginref.app.allowance._TOKENS", 3)
    allowance, _ = _limited(reads=Rate(1, 1))
    for number in range(3):
        caller = Caller(token_id=f"t{number}", role=Role.SPECTATOR)
        assert _spent(allowance, caller, Kind.READS, 2) == 1

    assert _spent(allowance, ORGANIZER, Kind.READS, 2) == 1
    first = Caller(token_id="t0", role=Role.SPECTATOR)
    assert _spent(allowance, first, Kind.READS, 1) == 0


def _submission(
    version: int, match_id: str = "m1", seat: Seat = Seat.NORTH
) -> Submission:
    return Submission(
        match_id=match_id,
        seat=seat,
        expected_version=version,
        request_id="r",
        move=PASS,
    )


def test_the_first_submission_of_each_turn_is_new_and_no_other() -> None:
    allowance = Allowance()

    assert allowance.is_new(_submission(7), 7)
    assert not allowance.is_new(_submission(7), 7)
    assert not allowance.is_new(_submission(6), 8)
    assert not allowance.is_new(_submission(9), 8)
    assert allowance.is_new(_submission(9), 9)
    assert allowance.is_new(_submission(9, seat=Seat.SOUTH), 9)
    assert allowance.is_new(_submission(2, "m2"), 9)


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 1)), max_size=60))
def test_whatever_was_sent_before_a_turn_that_comes_is_new(
    said: list[tuple[int, int]],
) -> None:
    allowance, version = Allowance(), 5
    passed: Counter[int] = Counter()
    for claimed, grows in said:
        passed[claimed] += allowance.is_new(_submission(claimed), version)
        version += grows

    assert all(count <= 1 for count in passed.values())
    assert allowance.is_new(_submission(version + 1), version + 1)


def test_a_turn_that_the_store_has_lost_is_new_again() -> None:
    allowance = Allowance()
    assert allowance.is_new(_submission(9), 9)

    assert allowance.is_new(_submission(7), 7)


def test_streams_are_counted_while_they_last_and_watches_apart() -> None:
    allowance, _ = _limited(streams=3, watches=1)
    with ExitStack() as stack:
        stack.enter_context(allowance.stream(ORGANIZER, is_watch=True))
        with pytest.raises(RefusedError) as refused:
            stack.enter_context(allowance.stream(ORGANIZER, is_watch=True))
        stack.enter_context(allowance.stream(OTHER, is_watch=True))
        for _ in range(2):
            stack.enter_context(allowance.stream(ORGANIZER, is_watch=False))
        with pytest.raises(RefusedError) as too_many:
            stack.enter_context(allowance.stream(ORGANIZER, is_watch=False))

    assert refused.value.reason is too_many.value.reason is Reason.LIMIT_EXCEEDED
    assert dict(refused.value.facts) == {"limit": "watches", "most": "1"}
    assert dict(too_many.value.facts) == {"limit": "streams", "most": "3"}
    with allowance.stream(ORGANIZER, is_watch=True):
        pass


def test_matches_are_counted_by_creator_until_they_are_over() -> None:
    allowance, _ = _limited(matches=2, all_matches=3)
    for number in range(2):
        allowance.check_match(ORGANIZER, f"m{number}")
        allowance.match_begun(f"m{number}", ORGANIZER.identity)
    allowance.match_begun("m2", OTHER.identity)

    allowance.check_match(ORGANIZER, "m1")
    with pytest.raises(RefusedError) as own:
        allowance.check_match(ORGANIZER, "m3")
    with pytest.raises(RefusedError) as everyones:
        allowance.check_match(OTHER, "m3")
    assert {*allowance.perhaps_over(ORGANIZER)} == {"m0", "m1", "m2"}
    for match_id in ("m0", "m0", "unknown"):
        allowance.match_over(match_id)

    allowance.check_match(ORGANIZER, "m3")
    assert own.value.facts["limit"] == "matches"
    assert everyones.value.facts["limit"] == "all-matches"


def test_the_defaults_limit_everything_and_watches_below_streams() -> None:
    assert {*DEFAULTS.rates} == {*Kind}
    assert {*DEFAULTS.caps} == {*Cap}
    assert DEFAULTS.caps[Cap.WATCHES] < DEFAULTS.caps[Cap.STREAMS] < 1_000
