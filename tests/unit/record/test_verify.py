import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import rfc8785
from tests.unit.record.stage import ACCEPTED, NORTH, SOUTH

from ginref.record.document import PAYLOAD_TYPE, build_record, parse_record
from ginref.record.entry import (
    Committed,
    Created,
    Entry,
    Resigned,
    StampedEntry,
    Voided,
)
from ginref.record.envelope import seal_envelope
from ginref.record.lifecycle import Stage
from ginref.record.setup import Setup
from ginref.record.verify import Finding, Verdict, verify_record

MakeReferee = Callable[..., Any]
MakeSetup = Callable[..., Setup]
Play = Callable[..., tuple[Setup, tuple[StampedEntry, ...]]]
Document = dict[str, Any]
Judge = Callable[[Document], Verdict]

HANDSHAKE = 7
"""Entries before the first move of a match from shares."""


@pytest.mark.parametrize("number", [1, 2])
def test_a_true_record_is_valid(play_match: Play, judge: Judge, number: int) -> None:
    document = json.loads(build_record(*play_match(number, refusals=0.05)))

    verdict = judge(document)

    kinds = [entry["kind"] for entry in document["entries"]]
    assert verdict.problem is None
    assert (verdict.finding, verdict.finding.exit_code) == (Finding.VALID, 0)
    assert verdict.round_count == len(document["rounds"])
    assert verdict.move_count == kinds.count("move")
    assert verdict.strike_count == kinds.count("strike")
    assert verdict.deals == (
        "shares of the referee and the seats: nobody chose the cards"
    )
    assert verdict.notes == ()


def test_credit_is_verified_and_named_as_a_claim(
    play_match: Play, judge: Judge
) -> None:
    setup, entries = play_match(3, refusals=0)
    late = [replace(one, time_ms=one.time_ms + 7_000) for one in entries[20:]]
    log = (*entries[:20], replace(late[0], credit_ms=7_000), *late[1:])
    document = json.loads(build_record(setup, log))

    verdict = judge(document)

    assert [one.get("credit_ms") for one in document["entries"][19:22]] == [
        None,
        7_000,
        None,
    ]
    assert parse_record(rfc8785.dumps(document)).entries == log
    assert verdict.finding is Finding.VALID
    assert "credits 7000 ms of outages" in verdict.notes[0]


def test_what_is_lost_before_a_void_is_named(play_match: Play, judge: Judge) -> None:
    setup, entries = play_match(3, refusals=0)
    void = StampedEntry(entries[40].version, 0, entries[40].time_ms, Voided(10))
    log = (*entries[:30], void)
    document = json.loads(build_record(setup, log))

    verdict = judge(document)

    assert document["entries"][-1]["lost"] == 10
    assert document["ending"]["fault"] == "referee"
    assert document["ending"]["winner"] is None
    assert parse_record(rfc8785.dumps(document)).entries == log
    assert verdict.finding is Finding.VALID
    assert verdict.notes == ("the referee has lost 10 versions before the end",)


@pytest.mark.parametrize("stage", [stage for stage in Stage if stage != Stage.OVER])
def test_a_match_that_ended_early_is_valid(
    play_match: Play, judge: Judge, early_ending: Entry, stage: Stage
) -> None:
    shares = (True, False)
    log = play_match(4, ending=early_ending, ends_in=stage, shares=shares)

    verdict = judge(json.loads(build_record(*log)))

    assert verdict.problem is None
    assert verdict.finding is Finding.VALID


def test_a_match_lost_by_strikes_is_valid(
    play_match: Play, make_setup: MakeSetup, judge: Judge
) -> None:
    setup, entries = play_match(3, setup=make_setup(3, strikes_allowed=9), refusals=1)
    setup = make_setup(3, strikes_allowed=8)
    last = entries[HANDSHAKE + 8]
    fatal = StampedEntry(last.version + 1, 0, last.time_ms, last.entry)

    verdict = judge(json.loads(build_record(setup, (*entries[: HANDSHAKE + 8], fatal))))

    assert verdict.finding is Finding.VALID
    assert verdict.strike_count == 9


def test_a_seeded_record_says_that_the_host_chose_the_cards(
    play_match: Play, make_setup: MakeSetup, judge: Judge
) -> None:
    log = play_match(2, setup=make_setup(2, seeded=True))

    verdict = judge(json.loads(build_record(*log)))

    assert verdict.finding is Finding.VALID
    assert verdict.deals is not None
    assert "the host chose the cards" in verdict.deals


def test_a_record_without_a_share_of_any_seat_does_not_say_that_nobody_chose(
    make_setup: MakeSetup, judge: Judge
) -> None:
    steps = [
        Created(),
        *ACCEPTED,
        Committed(NORTH, None),
        Committed(SOUTH, None),
        Resigned(NORTH),
    ]
    log = [StampedEntry(at, 0, at, entry) for at, entry in enumerate(steps, start=1)]

    verdict = judge(json.loads(build_record(make_setup(), log)))

    assert verdict.finding is Finding.VALID
    assert verdict.deals is not None
    assert verdict.deals.startswith("the referee's share alone")


def test_a_true_record_of_an_unknown_key_is_not_trusted(
    play_match: Play, referee: MakeReferee, keys: dict[str, bytes]
) -> None:
    payload = build_record(*play_match(1))
    stranger = referee(1)

    verdict = verify_record(seal_envelope(payload, PAYLOAD_TYPE, stranger), keys)

    assert verdict.finding is Finding.UNKNOWN_KEY
    assert verdict.finding.exit_code == 3
    assert verdict.key_id == stranger.key_id


def test_a_false_record_of_an_unknown_key_is_broken(
    whole: Document, referee: MakeReferee
) -> None:
    payload = rfc8785.dumps({**whole, "created_ms": 1, "strikes": [9, 9]})

    verdict = verify_record(seal_envelope(payload, PAYLOAD_TYPE, referee()), {})

    assert verdict.finding is Finding.BROKEN


def test_one_trusted_signature_among_others_is_enough(
    whole: Document, referee: MakeReferee, keys: dict[str, bytes]
) -> None:
    payload = rfc8785.dumps(whole)
    envelopes = [
        json.loads(seal_envelope(payload, PAYLOAD_TYPE, referee(number)))
        for number in (1, 0)
    ]
    both = envelopes[0]
    both["signatures"] += envelopes[1]["signatures"]

    verdict = verify_record(json.dumps(both).encode(), keys)

    assert verdict.finding is Finding.VALID
    assert verdict.key_id == referee().key_id


def test_a_key_that_has_signed_the_commitment_and_is_gone_is_noted(
    play_match: Play, referee: MakeReferee
) -> None:
    newer = referee(1)
    envelope = seal_envelope(build_record(*play_match(1)), PAYLOAD_TYPE, newer)

    verdict = verify_record(envelope, {newer.key_id: newer.public_key})

    assert verdict.finding is Finding.VALID
    assert referee().key_id in verdict.notes[0]


def test_a_deal_that_is_not_open_yet_is_said_to_be_so(
    whole: Document, judge: Judge
) -> None:
    verdict = judge({**whole, "openings": None})

    assert (verdict.finding, verdict.finding.exit_code) == (Finding.NOT_OPEN, 4)
    assert verdict.is_trusted


def test_a_made_up_winner_does_not_pass_for_true_because_the_key_is_unknown(
    whole: Document, referee: MakeReferee, keys: dict[str, bytes]
) -> None:
    winner = {"north": "south", "south": "north"}[whole["ending"]["winner"]]
    ending = {**whole["ending"], "winner": winner}
    payload = rfc8785.dumps({**whole, "openings": None, "ending": ending})

    verdict = verify_record(seal_envelope(payload, PAYLOAD_TYPE, referee(1)), keys)

    assert (verdict.finding, verdict.finding.exit_code) == (Finding.NOT_OPEN, 4)
    assert not verdict.is_trusted
    assert (verdict.replayed, verdict.deals) == (None, None)


def test_of_several_findings_the_worst_counts() -> None:
    assert sorted(Finding, key=lambda finding: finding.rank) == [
        Finding.VALID,
        Finding.UNKNOWN_KEY,
        Finding.NOT_OPEN,
        Finding.BROKEN,
    ]
