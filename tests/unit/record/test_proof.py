"""Signatures of bots in a record: what they prove, and what a host cannot do."""

import json
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from tests.unit.conftest import bot_key

from ginref.engine.seat import Seat
from ginref.record.document import PAYLOAD_TYPE, build_record, chain_head, parse_record
from ginref.record.entry import Moved, Refused, StampedEntry
from ginref.record.envelope import seal_envelope
from ginref.record.flaw import Flaw
from ginref.record.proof import submission_of
from ginref.record.public_key import write_jwks
from ginref.record.setup import Setup
from ginref.record.verify import Finding, Verdict

NORTH, SOUTH = Seat.NORTH, Seat.SOUTH
VERIFIER = Path(__file__).parents[3] / "clients" / "javascript" / "verify.mjs"

MakeSetup = Callable[..., Setup]
MakeReferee = Callable[..., Any]
Log = tuple[Setup, tuple[StampedEntry, ...]]
Play = Callable[..., Log]
Document = dict[str, Any]
Judge = Callable[[Document], Verdict]


@pytest.fixture(scope="module")
def log(play_match: Play, make_setup: MakeSetup) -> Log:
    """A match whose bots sign, with refused moves."""
    setup = make_setup(5, signing=(NORTH, SOUTH))
    return play_match(5, setup=setup, refusals=0.1)


@pytest.fixture
def document(log: Log) -> Document:
    built: Document = json.loads(build_record(*log))
    return built


def submitted(document: Document, kind: str = "move") -> Document:
    """The first submission of a kind."""
    found: Document = next(one for one in document["entries"] if one["kind"] == kind)
    return found


def rechained(document: Document) -> Document:
    document["chain"] = chain_head(document["entries"]).hex()
    return document


def unsigned(log: Log, *seats: Seat) -> Log:
    """The same match, in which some seats have signed nothing."""
    setup, entries = log
    return setup, tuple(
        replace(one, entry=replace(one.entry, signature=None))
        if isinstance(one.entry, Moved | Refused) and one.entry.seat in seats
        else one
        for one in entries
    )


def test_every_signature_is_in_the_record_and_fits(
    log: Log, document: Document, judge: Judge
) -> None:
    verdict = judge(document)

    assert (verdict.finding, verdict.notes) == (Finding.VALID, ())
    assert verdict.signed_seats == (NORTH, SOUTH)
    setup, entries = log
    keys = [bot_key(seat).public_key.hex() for seat in setup.seats]
    assert document["match"]["keys"] == keys
    kinds = {one["kind"] for one in document["entries"] if "signature" in one}
    assert kinds == {"move", "strike"}
    assert parse_record(build_record(setup, entries)).entries == entries


def test_a_submission_names_the_version_that_it_was_made_for(log: Log) -> None:
    setup, entries = log
    version, moves = 1, 0
    for stamped in entries:
        submission = submission_of(setup, stamped)
        if submission is not None:
            assert submission.expected_version == version
            moves += 1
        version = stamped.version
    assert moves


def another_move(document: Document) -> None:
    entry = submitted(document)
    entry["move"] = "pass" if entry["move"] != "pass" else "draw_upcard"


def another_request(document: Document) -> None:
    submitted(document)["request_id"] = "mine"


def another_refusal(document: Document) -> None:
    submitted(document, "strike")["move"] = "draw_stock"


def another_signature(document: Document) -> None:
    submitted(document)["signature"] = "00" * 64


def another_key(document: Document) -> None:
    document["match"]["keys"].reverse()


def no_key(document: Document) -> None:
    document["match"]["keys"][0] = None


def a_key_that_is_none(document: Document) -> None:
    document["match"]["keys"][0] = "ff" * 32


LIES: dict[Callable[[Document], None], str] = {
    another_move: "entry ",
    another_request: "entry ",
    another_refusal: "entry ",
    another_signature: "entry ",
    another_key: "entry ",
    no_key: "entry ",
    a_key_that_is_none: "entry ",
}


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.__name__)
def test_a_host_cannot_change_what_a_bot_has_signed(
    document: Document, judge: Judge, lie: Callable[[Document], None]
) -> None:
    lie(document)

    verdict = judge(rechained(document))

    assert (verdict.finding, verdict.wrong) == (Finding.BROKEN, Flaw.SUBMISSION)
    assert str(verdict.problem).startswith(LIES[lie])
    assert verdict.version is not None
    assert verdict.signed_seats == ()


def test_a_signature_of_another_match_does_not_fit(
    play_match: Play, make_setup: MakeSetup, document: Document, judge: Judge
) -> None:
    # The same bot, the same move at the same version under the same request id.
    twin = replace(make_setup(6, signing=(NORTH, SOUTH)), seed=None)
    other = json.loads(build_record(*play_match(5, setup=twin, refusals=0.1)))
    borrowed = submitted(other)
    entry = submitted(document)
    assert borrowed["request_id"] == entry["request_id"]
    entry["signature"] = borrowed["signature"]

    assert judge(rechained(document)).wrong is Flaw.SUBMISSION


def test_a_seat_with_a_key_that_does_not_sign_is_told(log: Log, judge: Judge) -> None:
    verdict = judge(json.loads(build_record(*unsigned(log, SOUTH))))

    assert verdict.finding is Finding.VALID
    assert verdict.signed_seats == (NORTH,)
    (note,) = verdict.notes
    assert note.startswith("south has a key, and ")
    assert note.endswith("only the host says that it made them")


def test_a_wrong_signature_spoils_no_record(log: Log, judge: Judge) -> None:
    # Nobody has looked at it while the match went on: a bot may send anything.
    setup, _ = log
    swapped = replace(setup, keys=(setup.keys or ())[::-1])

    document = json.loads(build_record(swapped, unsigned(log, NORTH)[1]))

    moves = document["entries"][7:]
    told = {one["seat"]: one.get("signature", "none") for one in moves}
    assert told == {"north": "none", "south": None}
    verdict = judge(document)
    assert (verdict.finding, verdict.signed_seats) == (Finding.VALID, ())
    assert len(verdict.notes) == 2
    again = parse_record(rfc8785.dumps(document))
    assert {one.entry.signature for one in again.entries[7:]} == {None, b""}  # type: ignore[union-attr]


def test_a_match_from_before_there_were_keys_keeps_its_format(
    log: Log, judge: Judge
) -> None:
    setup, entries = unsigned(log, NORTH, SOUTH)
    older = replace(setup, keys=None)

    document = json.loads(build_record(older, entries))

    assert document["format"] == 0
    assert "keys" not in document["match"]
    assert {"referee_ms"} <= submitted(document).keys()
    assert judge(document).finding is Finding.VALID


@pytest.mark.parametrize(
    ("referee_ms", "waited_ms", "turn_ms"),
    [
        pytest.param(3, 20, [1_977, 1_997], id="both"),
        pytest.param(3, None, [None, 1_997], id="sent by another process"),
        pytest.param(9_000, 20, [-7_020, -7_000], id="before the creation"),
    ],
)
def test_a_record_tells_when_a_turn_was_sent_and_its_move_received(
    log: Log, referee_ms: int, waited_ms: int | None, turn_ms: list[int | None]
) -> None:
    setup, entries = log
    at, first = next(
        (at, one) for at, one in enumerate(entries) if isinstance(one.entry, Moved)
    )
    assert isinstance(first.entry, Moved)
    entry = replace(first.entry, referee_ms=referee_ms, waited_ms=waited_ms)
    late = [
        replace(one, time_ms=max(one.time_ms, entries[0].time_ms + 2_000))
        for one in entries[at + 1 :]
    ]
    moved = replace(first, entry=entry, time_ms=entries[0].time_ms + 2_000)

    document = json.loads(build_record(setup, [*entries[:at], moved, *late]))

    assert document["entries"][at]["at_ms"] == 2_000
    assert document["entries"][at]["turn_ms"] == turn_ms


def test_the_second_verifier_judges_signatures_likewise(
    log: Log,
    document: Document,
    referee: MakeReferee,
    keys: Mapping[str, bytes],
    tmp_path: Path,
) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node.js is installed")
    documents = {
        "signed": document,
        "half": json.loads(build_record(*unsigned(log, SOUTH))),
    }
    for lie in LIES:
        documents[lie.__name__] = json.loads(build_record(*log))
        lie(documents[lie.__name__])
        rechained(documents[lie.__name__])
    trusted = tmp_path / "trusted"
    trusted.write_bytes(write_jwks(keys.values()))
    files = [tmp_path / name for name in documents]
    for file in files:
        payload = rfc8785.dumps(documents[file.name])
        file.write_bytes(seal_envelope(payload, PAYLOAD_TYPE, referee()))

    done = subprocess.run(
        [node, str(VERIFIER), *map(str, files), "--keys", str(trusted), "--json"],
        capture_output=True,
        text=True,
        check=False,
    )

    told = [json.loads(line) for line in done.stdout.splitlines()]
    found = {Path(one["file"]).name: (one["wrong"], one.get("signed")) for one in told}
    assert found.pop("signed") == (None, ["north", "south"])
    assert found.pop("half") == (None, ["north"])
    assert found == {lie.__name__: (Flaw.SUBMISSION, None) for lie in LIES}
