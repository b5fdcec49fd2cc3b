"""The verifier in JavaScript beside the one in Python: both come to the same."""

import json
import random
from collections.abc import Callable, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from tests.unit.record.javascript import node
from tests.unit.record.tampering import TAMPERINGS

from ginref.record.document import PAYLOAD_TYPE, chain_head
from ginref.record.envelope import parse_envelope, seal_envelope
from ginref.record.flaw import Flaw
from ginref.record.public_key import write_jwks, write_pem
from ginref.record.verify import verify_record

GOLDEN = Path(__file__).parents[2] / "golden"

MakeReferee = Callable[..., Any]
Document = dict[str, Any]
Verify = Callable[..., tuple[int, list[Document]]]

NOT_JUDGED = {
    "move_late",
    "take_longer",
    "time_out_early",
    "give_time_back",
    "credit_more_than_the_time",
    "strike_a_legal_move",
}
"""Lies about clocks and about refusals, which the second verifier leaves alone."""

SMALL = {
    "three_handed",
    "seeded",
    "one_share",
    "lost_by_strikes",
    "not_revealed",
    "timed_out",
    "oklahoma",
    "credited",
    "signed_by_one",
}
"""Records that were kept and are quick to judge."""


@pytest.fixture
def verify(tmp_path: Path, keys: dict[str, bytes]) -> Verify:
    """Write envelopes to files and run the second verifier on all of them."""
    trusted = tmp_path / "keys.json"
    trusted.write_bytes(write_jwks(keys.values()))

    def run(
        envelopes: Sequence[bytes], *, key_file: Path | None = trusted
    ) -> tuple[int, list[Document]]:
        files = []
        for number, envelope in enumerate(envelopes):
            path = tmp_path / f"{number}.json"
            path.write_bytes(envelope)
            files.append(str(path))
        options = ["--keys", str(key_file)] if key_file else []
        done = node("verify.mjs", *files, *options, "--json")
        assert not done.stderr, done.stderr
        return done.returncode, [json.loads(one) for one in done.stdout.splitlines()]

    return run


@pytest.fixture
def seal(referee: MakeReferee) -> Callable[[bytes], bytes]:
    return lambda payload: seal_envelope(payload, PAYLOAD_TYPE, referee())


def test_both_come_to_the_same_for_every_kind_of_match(
    gallery: dict[str, bytes],
    seal: Callable[[bytes], bytes],
    keys: dict[str, bytes],
    verify: Verify,
) -> None:
    envelopes = [seal(payload) for payload in gallery.values()]

    code, told = verify(envelopes)

    assert code == 4  # one of them is not open yet
    for name, envelope, facts in zip(gallery, envelopes, told, strict=True):
        verdict = verify_record(envelope, keys)
        assert (facts["finding"], facts["problem"]) == (verdict.finding, None), name
        assert facts["exit_code"] == verdict.finding.exit_code
        assert facts["signed"] == list(map(str, verdict.signed_seats)), name
        if verdict.record and verdict.replayed:
            assert facts["moves"] == verdict.move_count
            assert facts["sheet"] == verdict.record.document["sheet"]


def test_no_record_with_another_byte_is_accepted(
    gallery: dict[str, bytes], seal: Callable[[bytes], bytes], verify: Verify
) -> None:
    chance = random.Random(6)
    changed = []
    for _ in range(300):
        envelope = bytearray(seal(gallery[chance.choice(["void", "no share", "box"])]))
        envelope[chance.randrange(len(envelope))] ^= chance.randrange(1, 256)
        changed.append(bytes(envelope))

    code, told = verify(changed)

    assert code == 1
    assert len(told) == 300
    assert not [facts for facts in told if facts["finding"] == "valid"]


def test_odd_envelopes_are_read_alike(
    gallery: dict[str, bytes],
    seal: Callable[[bytes], bytes],
    keys: dict[str, bytes],
    verify: Verify,
) -> None:
    sealed = seal(gallery["void"])
    odd = [
        b"\xef\xbb\xbf" + sealed,
        sealed.decode().encode("utf-16"),
        sealed.replace(b"{", b'{"more":NaN,', 1),
        *(
            sealed.replace(b'"keyid":', b'"keyid":%b,"k":' % value)
            for value in (b"7", b"null")
        ),
    ]

    _, told = verify(odd)

    assert [verify_record(one, keys).finding for one in odd] == ["broken"] * len(odd)
    assert [facts["finding"] for facts in told] == ["broken"] * len(odd)


def test_signed_lies_are_named_as_the_first_verifier_names_them(
    whole: Document, referee: MakeReferee, verify: Verify
) -> None:
    lies = []
    for tamper in TAMPERINGS:
        document = deepcopy(whole)
        tamper(document)
        document["chain"] = chain_head(document["entries"]).hex()
        payload = rfc8785.dumps(document)
        lies.append(seal_envelope(payload, PAYLOAD_TYPE, referee()))

    _, told = verify(lies)

    named = {
        tamper.__name__: facts["wrong"]
        for tamper, facts in zip(TAMPERINGS, told, strict=True)
        if tamper.__name__ not in NOT_JUDGED
    }
    assert named == {
        tamper.__name__: str(flaw)
        for tamper, flaw in TAMPERINGS.items()
        if tamper.__name__ not in NOT_JUDGED
    }


def test_the_second_verifier_misses_times_and_accuses_nobody_wrongly(
    referee: MakeReferee, keys: dict[str, bytes], verify: Verify
) -> None:
    chance = random.Random(7)
    documents = [
        json.loads(parse_envelope(path.read_bytes()).payload)
        for path in sorted((GOLDEN / "records").glob("format-*/*.json"))
        if path.stem in SMALL
    ]
    envelopes = []
    for _ in range(150):
        document = deepcopy(chance.choice(documents))
        _change_something(document, chance)
        document["chain"] = chain_head(document["entries"]).hex()
        payload = rfc8785.dumps(document)
        envelopes.append(seal_envelope(payload, PAYLOAD_TYPE, referee()))

    _, told = verify(envelopes)

    assert len(told) == 150
    for envelope, facts in zip(envelopes, told, strict=True):
        verdict = verify_record(envelope, keys)
        if facts["finding"] == "broken":
            assert verdict.problem is not None, facts
        else:
            assert verdict.wrong in {None, Flaw.CLOCK, Flaw.FORM}, verdict.problem


def _change_something(document: Document, chance: random.Random) -> None:
    """Put another value of the same kind somewhere."""
    place: Any = document
    inside: Any = chance.choice(sorted(set(document) - {"chain", "format"}))
    while isinstance(place[inside], dict | list) and place[inside]:
        place = place[inside]
        inside = chance.choice(
            sorted(place) if isinstance(place, dict) else range(len(place))
        )
    old = place[inside]
    if isinstance(old, int):
        place[inside] = old + chance.choice([-1, 1])
    elif isinstance(old, str):
        place[inside] = chance.choice(["north", "south", "As", "pass", old + " As"])
    else:
        place[inside] = "south"


def test_a_key_that_is_not_given_is_not_trusted(
    gallery: dict[str, bytes],
    seal: Callable[[bytes], bytes],
    referee: MakeReferee,
    tmp_path: Path,
    verify: Verify,
) -> None:
    pem, stranger = tmp_path / "keys.pem", tmp_path / "stranger.pem"
    retired = {referee().key_id: "2026-11-30T12:00:00Z"}
    both = [referee(1).public_key, referee().public_key]
    pem.write_bytes(write_pem(both, retired))
    (tmp_path / "keys.json").write_bytes(write_jwks(both, retired))
    stranger.write_bytes(write_pem([referee(1).public_key]))
    envelope = seal(gallery["void"])

    assert verify([envelope], key_file=pem)[0] == 0
    assert verify([envelope], key_file=tmp_path / "keys.json")[0] == 0
    assert verify([envelope], key_file=None)[0] == 3
    code, (facts,) = verify([envelope], key_file=stranger)
    assert (code, facts["finding"], facts["wrong"]) == (3, "unknown_key", Flaw.KEY)


def test_people_read_what_was_proved_and_what_was_not(
    gallery: dict[str, bytes],
    seal: Callable[[bytes], bytes],
    keys: dict[str, bytes],
    tmp_path: Path,
) -> None:
    record, trusted = tmp_path / "record.json", tmp_path / "keys.json"
    record.write_bytes(seal(gallery["hollywood"]))
    trusted.write_bytes(write_jwks(keys.values()))

    done = node("verify.mjs", str(record), "--keys", str(trusted))

    assert done.returncode == 0
    first, *lines = done.stdout.splitlines()
    assert first == f"{record}: VALID"
    told = dict(line.strip().split(maxsplit=1) for line in lines if "game" not in line)
    assert told["played"].endswith(" moves")
    assert told["deals"] == "shares of the referee and 2 seats"
    assert "clocks" in told["not"]


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        pytest.param([], 2, "usage: verify.mjs RECORD", id="nothing"),
        pytest.param(["x", "--keys", "nowhere"], 1, "no such file", id="no keys"),
        pytest.param(["x", "--fast"], 1, "unknown option --fast", id="unknown option"),
    ],
)
def test_a_wrong_call_is_named(arguments: list[str], code: int, says: str) -> None:
    done = node("verify.mjs", *arguments)

    assert done.returncode == code
    assert says in done.stderr
    assert done.stdout == ""
