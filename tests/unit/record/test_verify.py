import base64
import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
import rfc8785

from ginref.engine.seat import Seat
from ginref.record.document import (
    PAYLOAD_TYPE,
    build_record,
    chain_head,
    record_json,
)
from ginref.record.entry import Entry, Resigned, StampedEntry
from ginref.record.envelope import seal_envelope
from ginref.record.lifecycle import Stage
from ginref.record.replay import replay
from ginref.record.setup import Setup
from ginref.record.verify import Finding, Verdict, verify_record

MakeReferee = Callable[..., Any]
MakeSetup = Callable[..., Setup]
Play = Callable[..., tuple[Setup, tuple[StampedEntry, ...]]]
Document = dict[str, Any]
Judge = Callable[[Document], Verdict]

HANDSHAKE = 7
"""Entries before the first move of a match from shares."""


@pytest.fixture(scope="session")
def whole(play_match: Play) -> Document:
    document: Document = json.loads(build_record(*play_match(3, refusals=0.05)))
    return document


@pytest.fixture(scope="session")
def keys(referee: MakeReferee) -> dict[str, bytes]:
    return {referee().key_id: referee().public_key}


@pytest.fixture(scope="session")
def judge(referee: MakeReferee, keys: dict[str, bytes]) -> Judge:
    """Sign a document whose chain is put right, and verify it."""

    def run(document: Document) -> Verdict:
        payload = rfc8785.dumps(document)
        return verify_record(seal_envelope(payload, PAYLOAD_TYPE, referee()), keys)

    return run


def rechain(document: Document) -> Document:
    document["chain"] = chain_head(document["entries"]).hex()
    return document


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


def test_no_byte_of_a_record_can_be_changed(
    play_match: Play, referee: MakeReferee, keys: dict[str, bytes]
) -> None:
    log = play_match(1, ending=Resigned(Seat.NORTH), moves=2, refusals=0)
    envelope = seal_envelope(build_record(*log), PAYLOAD_TYPE, referee())
    assert verify_record(envelope, keys).finding is Finding.VALID

    for at in range(len(envelope)):
        changed = bytearray(envelope)
        changed[at] ^= 1
        assert verify_record(bytes(changed), keys).finding is not Finding.VALID, at


def test_no_piece_of_a_record_can_be_missing(
    whole: Document, referee: MakeReferee, keys: dict[str, bytes]
) -> None:
    envelope = seal_envelope(rfc8785.dumps(whole), PAYLOAD_TYPE, referee())

    for size in range(0, len(envelope), 97):
        assert verify_record(envelope[:size], keys).finding is Finding.BROKEN


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        pytest.param(
            {"payloadType": "text/plain"}, "its type is 'text/plain'", id="type"
        ),
        pytest.param({"signatures": []}, "nobody has signed it", id="unsigned"),
        pytest.param(
            {"payload": base64.b64encode(b"{}").decode()},
            "the signature was not made with the key",
            id="another payload",
        ),
        pytest.param({"payload": 7}, "not a signed record: payload", id="no payload"),
    ],
)
def test_an_envelope_around_nothing_good_is_broken(
    whole: Document,
    referee: MakeReferee,
    keys: dict[str, bytes],
    change: dict[str, object],
    wrong: str,
) -> None:
    envelope = json.loads(seal_envelope(rfc8785.dumps(whole), PAYLOAD_TYPE, referee()))

    verdict = verify_record(json.dumps({**envelope, **change}).encode(), keys)

    assert (verdict.finding, verdict.finding.exit_code) == (Finding.BROKEN, 1)
    assert str(verdict.problem).startswith(wrong)


def first(document: Document, kind: str) -> int:
    """Where the first entry of a kind stands."""
    kinds = [entry["kind"] for entry in document["entries"]]
    return kinds.index(kind)


def drop_an_entry(document: Document) -> str:
    dropped = document["entries"].pop(12)
    following = document["entries"][12]["version"]
    return f"entry {following}: it does not follow entry {dropped['version'] - 1}"


def repeat_an_entry(document: Document) -> str:
    document["entries"].insert(12, document["entries"][12])
    version = document["entries"][12]["version"]
    return f"entry {version}: it does not follow entry {version}"


def forget_the_creation(document: Document) -> str:
    del document["entries"][0]
    return "entry 2: it does not follow entry 0"


def forget_everything(document: Document) -> str:
    document["entries"].clear()
    return "entry 1: the creation is missing"


def create_twice(document: Document) -> str:
    document["entries"][1] = {"at_ms": 0, "kind": "new", "version": 2}
    return "entry 2: a match is created once"


def turn_back_time(document: Document) -> str:
    entry = document["entries"][20]
    entry["at_ms"] = document["entries"][19]["at_ms"] - 1
    return f"entry {entry['version']}: its time is before"


def move_late(document: Document) -> str:
    for entry in document["entries"][20:]:
        entry["at_ms"] += 60_000
    return f"entry {document['entries'][20]['version']}: it came "


def take_longer(document: Document) -> str:
    for entry in document["entries"][20:]:
        entry["at_ms"] += 300
    return "clocks["


def time_out_early(document: Document) -> str:
    cut = document["entries"][20]
    document["entries"][20:] = [
        {"at_ms": cut["at_ms"], "kind": "timeout", "version": cut["version"]}
    ]
    return f"entry {cut['version']}: the seat had "


def play_an_illegal_move(document: Document) -> str:
    entry = document["entries"][first(document, "move")]
    entry["move"] = "draw_stock"
    return f"entry {entry['version']}: the accepted move is illegal (wrong_phase"


def move_for_the_other_seat(document: Document) -> str:
    entry = document["entries"][first(document, "move")]
    entry["seat"] = "north" if entry["seat"] == "south" else "south"
    return f"entry {entry['version']}: the accepted move is illegal (not_your_turn"


def move_for_a_third_seat(document: Document) -> str:
    entry = document["entries"][first(document, "move")]
    entry["seat"] = "east"
    return f"entry {entry['version']}: the match has no seat east"


def strike_a_legal_move(document: Document) -> str:
    at = first(document, "strike")
    strike, after = document["entries"][at], document["entries"][at + 1]
    strike["move"] = after["move"]
    return f"entry {strike['version']}-1: the refused move is legal"


def hide_a_strike(document: Document) -> str:
    del document["entries"][first(document, "strike")]
    return "strikes["


def call_a_strike_a_step(document: Document) -> str:
    at = first(document, "strike")
    strike = document["entries"][at]
    del strike["refusal"]
    for entry in document["entries"][at:]:
        entry["version"] += 1
    return f"entry {strike['version']}: a step and a counted refusal are mixed up"


def go_on_after_the_end(document: Document) -> str:
    last = document["entries"][-1]
    added = {**last, "version": last["version"] + 1}
    document["entries"].append(added)
    return f"entry {added['version']}: the match is over before it"


def stop_before_the_end(document: Document) -> str:
    del document["entries"][-1]
    return "clocks["


def reveal_another_share(document: Document) -> str:
    entry = document["entries"][first(document, "reveal")]
    entry["share"] = "00" * 32
    return f"entry {entry['version']}: the share is not the one committed to"


def take_a_seat_twice(document: Document) -> str:
    document["entries"][2]["seat"] = document["entries"][1]["seat"]
    return "entry 3: it cannot follow at this point of the match"


def move_before_the_deal(document: Document) -> str:
    move = document["entries"][first(document, "move")]
    document["entries"][3] = {**move, "at_ms": 500, "version": 4}
    for entry in document["entries"][4:]:
        entry["at_ms"] += 500
    return "entry 4: it is a move, but no cards are dealt"


def open_another_referee_share(document: Document) -> str:
    document["openings"]["referee_share"] = "00" * 32
    return "openings.referee_share: not the share the referee committed to"


def commit_to_something_else(document: Document) -> str:
    document["match"]["commitment"] = "00" * 32
    return "openings.referee_share: not the share the referee committed to"


def seat_another_bot(document: Document) -> str:
    document["match"]["bots"][0] = "cheat"
    return "match.signature: not made with the key"


def move_to_another_match(document: Document) -> str:
    document["match"]["match_id"] = "match-9"
    return "openings.referee_share"


def change_the_winner(document: Document) -> str:
    winner = document["ending"]["winner"]
    document["ending"]["winner"] = "north" if winner == "south" else "south"
    return f'ending.winner: "{document["ending"]["winner"]}" where "{winner}"'


def change_the_score(document: Document) -> str:
    document["sheet"]["games"][0]["totals"][0] += 1
    return "sheet.games[0].totals[0]"


def change_a_round(document: Document) -> str:
    document["rounds"][1]["points"] += 5
    return "rounds[1].points"


def forget_a_round(document: Document) -> str:
    number = len(document["rounds"]) - 1
    document["rounds"].pop()
    return f"rounds[{number}]: nothing where"


def lay_down_another_meld(document: Document) -> str:
    document["rounds"][0]["showdown"]["melds"][0] = "As 2s 3s"
    return "rounds[0].showdown.melds[0]"


def claim_another_secret(document: Document) -> str:
    document["openings"]["secret"] = "00" * 32
    return "openings.secret"


def claim_another_dealer(document: Document) -> str:
    dealer = document["openings"]["first_dealer"]
    document["openings"]["first_dealer"] = "north" if dealer == "south" else "south"
    return "openings.first_dealer"


def give_time_back(document: Document) -> str:
    document["clocks"][1]["bank_ms"] += 1
    return "clocks[1].bank_ms"


def put_one_for_true(document: Document) -> str:
    document["strikes"][0] = False
    return "strikes[0]"


TAMPERINGS = [
    drop_an_entry,
    repeat_an_entry,
    forget_the_creation,
    forget_everything,
    create_twice,
    turn_back_time,
    move_late,
    take_longer,
    time_out_early,
    play_an_illegal_move,
    move_for_the_other_seat,
    move_for_a_third_seat,
    strike_a_legal_move,
    hide_a_strike,
    call_a_strike_a_step,
    go_on_after_the_end,
    stop_before_the_end,
    reveal_another_share,
    take_a_seat_twice,
    move_before_the_deal,
    open_another_referee_share,
    commit_to_something_else,
    seat_another_bot,
    move_to_another_match,
    change_the_winner,
    change_the_score,
    change_a_round,
    forget_a_round,
    lay_down_another_meld,
    claim_another_secret,
    claim_another_dealer,
    give_time_back,
    put_one_for_true,
]


@pytest.mark.parametrize("tamper", TAMPERINGS, ids=lambda tamper: tamper.__name__)
def test_a_lie_that_is_signed_is_found_and_named(
    whole: Document, judge: Judge, tamper: Callable[[Document], str]
) -> None:
    document = deepcopy(whole)
    expected = tamper(document)

    verdict = judge(rechain(document))

    assert verdict.finding is Finding.BROKEN
    assert str(verdict.problem).startswith(expected)
    numbered = expected.startswith("entry ")
    assert (verdict.version is not None) is numbered


def test_a_match_that_is_not_over_has_no_true_record(
    play_match: Play, judge: Judge
) -> None:
    setup, entries = play_match(1)
    unfinished = entries[:20]

    verdict = judge(record_json(setup, unfinished, replay(setup, unfinished)))

    assert verdict.finding is Finding.BROKEN
    assert verdict.problem == "ending: the match is not over with its last entry"


def test_a_chain_over_other_entries_is_found(whole: Document, judge: Judge) -> None:
    verdict = judge({**whole, "chain": "00" * 32})

    assert verdict.finding is Finding.BROKEN
    assert verdict.problem == "chain: not the head of the chain over the entries"


def test_a_commitment_signed_by_somebody_else_is_found(
    whole: Document, referee: MakeReferee, keys: dict[str, bytes], judge: Judge
) -> None:
    document = deepcopy(whole)
    document["match"]["signature"] = referee(1).sign(b"").hex()

    verdict = judge(document)

    assert (
        verdict.problem == f"match.signature: not made with the key {next(iter(keys))}"
    )


def test_of_several_findings_the_worst_counts() -> None:
    assert sorted(Finding, key=lambda finding: finding.rank) == [
        Finding.VALID,
        Finding.UNKNOWN_KEY,
        Finding.NOT_OPEN,
        Finding.BROKEN,
    ]
