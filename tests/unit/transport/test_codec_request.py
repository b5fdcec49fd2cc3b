import contextlib
from collections.abc import Callable

import pytest
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st

from ginref.app.error import Reason, RefusedError
from ginref.app.request import Accept, Commit, Decline, Reveal
from ginref.engine.ruleset import HOLLYWOOD, PRESETS
from ginref.engine.seat import Seat
from ginref.record.clock import FAST, RESEARCH, STANDARD
from ginref.record.setup import DealSource
from ginref.transport.codec_request import (
    new_match_from_wire,
    page_from_wire,
    seat_step_from_wire,
    submission_from_wire,
)
from ginref.transport.codec_rules import ruleset_from_wire, ruleset_to_wire
from ginref.v1 import clock_pb2, match_pb2, move_pb2, ruleset_pb2, seat_pb2
from ginref.v1 import referee_service_pb2 as referee_pb

NOBODY = seat_pb2.SEAT_UNSPECIFIED


def _new(**changes: object) -> referee_pb.CreateMatchRequest:
    fields: dict[str, object] = {
        "request_id": "r1",
        "ruleset": ruleset_pb2.RulesetChoice(preset="hollywood"),
        "bots": ["careful", "greedy"],
        **changes,
    }
    return referee_pb.CreateMatchRequest(**fields)  # type: ignore[arg-type]


def _submission(**changes: object) -> referee_pb.SubmitMoveRequest:
    fields: dict[str, object] = {
        "match_id": "m3k2vbq4tq2xa",
        "seat": seat_pb2.SEAT_NORTH,
        "expected_version": 0,
        "request_id": "r1",
        "move": move_pb2.Move(text="draw_stock"),
        **changes,
    }
    return referee_pb.SubmitMoveRequest(**fields)  # type: ignore[arg-type]


def _step(**changes: object) -> referee_pb.PrepareSeatRequest:
    fields: dict[str, object] = {
        "match_id": "m3k2vbq4tq2xa",
        "seat": seat_pb2.SEAT_SOUTH,
        **changes,
    }
    return referee_pb.PrepareSeatRequest(**fields)  # type: ignore[arg-type]


def _clock(**changes: int) -> clock_pb2.ClockPolicy:
    fields = {
        "start_ms": 1000,
        "free_ms": 10,
        "bank_ms": 20,
        "cap_ms": 30,
        "grace_ms": 0,
        **changes,
    }
    return clock_pb2.ClockPolicy(**fields)  # type: ignore[arg-type]


def test_what_is_left_out_of_a_new_match_has_its_default() -> None:
    new = new_match_from_wire(_new())

    assert new.ruleset == HOLLYWOOD
    assert new.clock is STANDARD
    assert new.strikes_allowed == 3
    assert new.deal_source is DealSource.SHARES
    assert new.seed is None
    assert new.bots == ("careful", "greedy")


def test_strikes_may_be_forbidden_altogether() -> None:
    assert new_match_from_wire(_new(strikes_allowed=0)).strikes_allowed == 0


@pytest.mark.parametrize("policy", [FAST, STANDARD, RESEARCH], ids=lambda p: p.name)
def test_time_rules_are_chosen_by_name(policy: object) -> None:
    name = getattr(policy, "name", "")

    assert new_match_from_wire(_new(clock_preset=name)).clock is policy


def test_time_rules_may_be_ones_own() -> None:
    clock = new_match_from_wire(_new(clock=_clock())).clock

    assert (clock.name, clock.start_ms, clock.grace_ms) == ("custom", 1000, 0)


def test_a_seeded_deal_has_a_seed() -> None:
    source = match_pb2.DEAL_SOURCE_SEEDED

    assert new_match_from_wire(_new(deal_source=source, seed="7")).seed == "7"


def test_options_of_a_preset_may_be_changed() -> None:
    changes = ruleset_pb2.RulesetOptions(gin_bonus=20, undercut_on_tie=False)
    choice = ruleset_pb2.RulesetChoice(preset="hollywood", changes=changes)

    rules = new_match_from_wire(_new(ruleset=choice)).ruleset

    assert rules == HOLLYWOOD.but(gin_bonus=20, undercut_on_tie=False)


@given(st.sampled_from(sorted(PRESETS)), st.integers(0, 1000), st.booleans())
def test_rules_that_were_told_can_be_asked_for(
    name: str,
    bonus: int,
    on_tie: bool,  # noqa: FBT001 - hypothesis draws it
) -> None:
    rules = PRESETS[name].but(gin_bonus=bonus, undercut_on_tie=on_tie)
    written = ruleset_to_wire(rules)

    choice = ruleset_pb2.RulesetChoice(preset=written.name, changes=written.options)

    assert written.digest == rules.digest
    assert ruleset_from_wire(choice, "ruleset") == rules


STEPS = [
    pytest.param({"accept": referee_pb.AcceptSeat()}, Accept(), id="accept"),
    pytest.param({"decline": referee_pb.DeclineSeat()}, Decline(), id="decline"),
    pytest.param({"commitment": b"c" * 32}, Commit(b"c" * 32), id="commit"),
    pytest.param({"nonce": b"n" * 32}, Reveal(b"n" * 32), id="reveal"),
    pytest.param({"no_share": referee_pb.NoShare()}, Commit(None), id="no share"),
]


@pytest.mark.parametrize(("answer", "step"), STEPS)
def test_a_seat_takes_one_step(answer: dict[str, object], step: object) -> None:
    request = seat_step_from_wire(_step(**answer))

    assert (request.match_id, request.seat) == ("m3k2vbq4tq2xa", Seat.SOUTH)
    assert request.step == step


def test_a_submission_names_all_that_tells_a_retry() -> None:
    submission = submission_from_wire(_submission(expected_version=41))

    assert submission.expected_version == 41
    assert submission.seat is Seat.NORTH
    assert submission.request_id == "r1"
    assert submission.signature is None


def test_a_signature_comes_with_its_submission() -> None:
    signed = submission_from_wire(_submission(signature=b"s" * 64))

    assert signed.signature == b"s" * 64


@pytest.mark.parametrize("size", [0, 63, 65])
def test_a_signature_of_another_size_is_refused(size: int) -> None:
    with pytest.raises(RefusedError) as refused:
        submission_from_wire(_submission(signature=bytes(size)), "move.")

    assert refused.value.reason is Reason.FIELD_INVALID
    assert refused.value.facts == {"field": "move.signature"}


def test_a_page_has_fifty_matches_unless_said_otherwise() -> None:
    assert page_from_wire(referee_pb.ListMatchesRequest()).limit == 50
    assert page_from_wire(referee_pb.ListMatchesRequest(page_size=200)).limit == 200


def _choice(data: bytes = b"", **changes: object) -> ruleset_pb2.RulesetChoice:
    choice = ruleset_pb2.RulesetChoice(**changes)  # type: ignore[arg-type]
    choice.changes.MergeFromString(data)
    return choice


def _case(read: Callable[..., object], request: object, *told: str) -> object:
    reason, key, value, name = told
    return pytest.param(read, request, Reason[reason], key, value, id=name)


def _new_case(field: str, reason: str, name: str, **changes: object) -> object:
    return _case(new_match_from_wire, _new(**changes), reason, "field", field, name)


def _move_case(field: str, reason: str, name: str, **changes: object) -> object:
    request = _submission(**changes)
    return _case(submission_from_wire, request, reason, "field", field, name)


def _step_case(field: str, reason: str, name: str, **changes: object) -> object:
    return _case(seat_step_from_wire, _step(**changes), reason, "field", field, name)


def _page_case(field: str, reason: str, name: str, **changes: object) -> object:
    request = referee_pb.ListMatchesRequest(**changes)  # type: ignore[arg-type]
    return _case(page_from_wire, request, reason, "field", field, name)


def _rules_case(key: str, name: str, choice: ruleset_pb2.RulesetChoice) -> object:
    request = _new(ruleset=choice)
    return _case(new_match_from_wire, request, "RULESET_INVALID", "key", key, name)


MALFORMED = [
    _new_case("request_id", "REQUEST_ID_INVALID", "no request id", request_id=""),
    _new_case(
        "request_id", "REQUEST_ID_INVALID", "a long request id", request_id="ä" * 33
    ),
    _new_case("ruleset", "FIELD_MISSING", "no rules", ruleset=None),
    _new_case(
        "ruleset.preset", "FIELD_MISSING", "rules without a preset", ruleset=_choice()
    ),
    _rules_case("name", "an unknown preset", _choice(preset="bridge")),
    _rules_case(
        "gin_bonus",
        "an option out of range",
        _choice(preset="gin", changes=ruleset_pb2.RulesetOptions(gin_bonus=-1)),
    ),
    _rules_case(
        "stop",
        "an option's unknown word",
        _choice(preset="gin", changes=ruleset_pb2.RulesetOptions(stop="never")),
    ),
    _rules_case(
        "100", "an option of a later version", _choice(b"\xa0\x06\x01", preset="gin")
    ),
    _new_case("bots[1]", "NAME_INVALID", "a bot in capitals", bots=["one", "TWO"]),
    _new_case("bots[0]", "NAME_INVALID", "a bot with a key", bots=["a:b", "two"]),
    _new_case("clock_preset", "FIELD_INVALID", "an unknown clock", clock_preset="x"),
    _new_case(
        "clock_preset",
        "FIELD_INVALID",
        "two clocks",
        clock_preset="fast",
        clock=_clock(),
    ),
    _new_case("clock.cap_ms", "FIELD_INVALID", "no time", clock=_clock(cap_ms=0)),
    _new_case(
        "clock.grace_ms", "FIELD_INVALID", "less than none", clock=_clock(grace_ms=-1)
    ),
    _new_case(
        "clock.bank_ms",
        "FIELD_INVALID",
        "more than a day",
        clock=_clock(bank_ms=86_400_001),
    ),
    _new_case(
        "strikes_allowed", "FIELD_INVALID", "negative strikes", strikes_allowed=-1
    ),
    _new_case("deal_source", "ENUM_UNKNOWN", "an unknown source", deal_source=17),
    _new_case("deal_source", "FIELD_INVALID", "a tournament's source", deal_source=2),
    _new_case("seed", "FIELD_INVALID", "an empty seed", deal_source=3, seed=""),
    _new_case("seed", "FIELD_INVALID", "a long seed", deal_source=3, seed="7" * 129),
    _move_case("match_id", "FIELD_MISSING", "a move in no match", match_id=""),
    _move_case("match_id", "FIELD_INVALID", "a move in a key", match_id="a}b"),
    _move_case("match_id", "FIELD_INVALID", "a long match id", match_id="m" * 65),
    _move_case("seat", "FIELD_MISSING", "a move of no seat", seat=NOBODY),
    _move_case("seat", "ENUM_UNKNOWN", "a move of an unknown seat", seat=17),
    _move_case(
        "expected_version", "FIELD_MISSING", "no version", expected_version=None
    ),
    _move_case(
        "expected_version", "FIELD_INVALID", "version minus one", expected_version=-1
    ),
    _move_case(
        "request_id", "REQUEST_ID_INVALID", "a move without its id", request_id=""
    ),
    _move_case(
        "request_id", "REQUEST_ID_INVALID", "a move's long id", request_id="x" * 65
    ),
    _move_case("move", "FIELD_MISSING", "a submission without a move", move=None),
    _move_case("move.kind", "FIELD_MISSING", "a move of no kind", move=move_pb2.Move()),
    _move_case(
        "move.text",
        "MOVE_UNREADABLE",
        "a move of no sense",
        move=move_pb2.Move(text="knock hard"),
    ),
    _step_case("step", "FIELD_MISSING", "no step"),
    _step_case(
        "seat",
        "FIELD_MISSING",
        "a step of no seat",
        seat=NOBODY,
        accept=referee_pb.AcceptSeat(),
    ),
    _step_case("commitment", "FIELD_INVALID", "31 bytes", commitment=b"c" * 31),
    _step_case("nonce", "FIELD_INVALID", "33 bytes", nonce=b"n" * 33),
    _page_case("page_size", "FIELD_INVALID", "a page of -1", page_size=-1),
    _page_case("page_size", "FIELD_INVALID", "a page of 201", page_size=201),
    _page_case("bot", "NAME_INVALID", "a page of a bad name", bot="x"),
    _page_case(
        "page_token", "FIELD_INVALID", "a long page token", page_token="t" * 513
    ),
]


@pytest.mark.parametrize(("read", "request_", "reason", "key", "value"), MALFORMED)
def test_what_cannot_be_meant_is_refused(
    read: Callable[..., object],
    request_: object,
    reason: Reason,
    key: str,
    value: str,
) -> None:
    with pytest.raises(RefusedError) as refused:
        read(request_)

    assert refused.value.reason is reason
    assert refused.value.facts[key] == value


@given(st.binary(max_size=200))
def test_any_readable_bytes_are_a_submission_or_refused(data: bytes) -> None:
    request = _submission()
    with contextlib.suppress(DecodeError):
        request.MergeFromString(data)

    with contextlib.suppress(RefusedError):
        assert submission_from_wire(request).encode()
