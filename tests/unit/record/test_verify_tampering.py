import base64
import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
import rfc8785
from tests.unit.record.tampering import TAMPERINGS

from ginref.engine.seat import Seat
from ginref.record.document import PAYLOAD_TYPE, build_record, chain_head, record_json
from ginref.record.entry import Resigned, StampedEntry
from ginref.record.envelope import seal_envelope
from ginref.record.replay import replay
from ginref.record.setup import Setup
from ginref.record.verify import Finding, Verdict, verify_record

MakeReferee = Callable[..., Any]
Play = Callable[..., tuple[Setup, tuple[StampedEntry, ...]]]
Document = dict[str, Any]
Judge = Callable[[Document], Verdict]


def rechain(document: Document) -> Document:
    document["chain"] = chain_head(document["entries"]).hex()
    return document


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


@pytest.mark.parametrize("tamper", TAMPERINGS, ids=lambda tamper: tamper.__name__)
def test_a_lie_that_is_signed_is_found_and_named(
    whole: Document, judge: Judge, tamper: Callable[[Document], str]
) -> None:
    document = deepcopy(whole)
    expected = tamper(document)

    verdict = judge(rechain(document))

    assert verdict.finding is Finding.BROKEN
    assert str(verdict.problem).startswith(expected)
    assert verdict.wrong is TAMPERINGS[tamper]
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
