"""Records and evidence, changed byte by byte and fact by fact: all of it is refused.

`make prove-records` makes ten times as many changes; `SEED` makes others.
"""

import json
import os
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from tests.unit.conftest import Referee
from tests.unit.record.tampering import TAMPERINGS
from tests.unit.record.witness import Log, keep, told, write

from ginref.engine.seat import Seat
from ginref.record.agreement import confront
from ginref.record.document import PAYLOAD_TYPE, build_record, chain_head
from ginref.record.entry import Resigned
from ginref.record.envelope import parse_envelope, seal_envelope
from ginref.record.evidence import ReceiptLine
from ginref.record.flaw import Flaw
from ginref.record.receipt import read_receipt
from ginref.record.setup import Setup
from ginref.record.verify import Finding, Verdict, verify_record
from ginref_client.doubt import doubt_receipt

MUTATIONS = int(os.environ.get("MUTATIONS", "1000"))
SEED = int(os.environ.get("SEED", "1"))

MakeReferee = Callable[..., Any]
Document = dict[str, Any]
Judge = Callable[[Document], Verdict]
Examine = Callable[[bytes], Verdict]
MakeSetup = Callable[..., Setup]
Play = Callable[..., tuple[Setup, Log]]
Path = tuple[str | int, ...]

EVIDENCE = 8
"""Files of evidence among the records that bytes are changed in, and receipts."""

SECTIONS = {
    "chain": Flaw.CHAIN,
    "openings": Flaw.DEAL,
    "rounds": Flaw.SCORE,
    "sheet": Flaw.SCORE,
    "ending": Flaw.ENDING,
    "clocks": Flaw.CLOCK,
    "strikes": Flaw.MOVE,
}
"""What follows from the rest of a record, and what a change of it is about."""

PLAYED = ["settled", "straight gin", "oklahoma"]
"""Records of whole matches between two seats, where every lie can be told."""


@pytest.fixture(scope="module")
def envelopes(gallery: dict[str, bytes], referee: MakeReferee) -> dict[str, bytes]:
    return {
        name: seal_envelope(payload, PAYLOAD_TYPE, referee())
        for name, payload in gallery.items()
    }


@pytest.fixture(scope="module")
def files(
    envelopes: dict[str, bytes],
    play_match: Play,
    make_setup: MakeSetup,
    keys: dict[str, bytes],
) -> dict[str, tuple[bytes, Examine]]:
    """Whatever is signed or kept, each with the one who judges it."""
    found: dict[str, tuple[bytes, Examine]] = {
        name: (one, partial(verify_record, keys=keys))
        for name, one in envelopes.items()
    }
    setup = replace(make_setup(90), receipts=True)
    resigned = Resigned(Seat.SOUTH)
    log = play_match(90, setup=setup, ending=resigned, moves=10, refusals=0.2)
    payload = build_record(*log)
    record = seal_envelope(payload, PAYLOAD_TYPE, Referee())
    verdict = verify_record(record, keys)
    for number in range(EVIDENCE):
        seat = Seat(number % 2)
        lines = told(payload, keep(*log, seat))
        examine = partial(confront, verdict, keys=keys)
        found[f"evidence {number}"] = write(setup, seat, lines), examine
        receipts = [line for line in lines if isinstance(line, ReceiptLine)]
        line = receipts[number // 2]
        found[f"receipt {number}"] = line.receipt.encode(), Recipient(line, keys)
    return found


class Recipient:
    """Judges what comes as the receipt of a submission, as a bot does at once."""

    def __init__(self, line: ReceiptLine, keys: dict[str, bytes]) -> None:
        receipt = read_receipt(parse_envelope(line.receipt.encode()).payload)
        assert line.submission is not None
        self._facts = line.submission, receipt.reason, receipt.version
        self._commitment = receipt.commitment
        self._keys = keys

    def __call__(self, envelope: bytes) -> Verdict:
        problem = doubt_receipt(envelope, *self._facts, self._commitment, self._keys)
        if problem is None:
            return Verdict(finding=Finding.VALID)
        return Verdict(finding=Finding.BROKEN, problem=problem, wrong=Flaw.EVIDENCE)


def leaves(value: object, path: Path = ()) -> Iterator[Path]:
    """Where the facts of a JSON value stand."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield from leaves(member, (*path, name))
    elif isinstance(value, list) and value:
        for at, item in enumerate(value):
            yield from leaves(item, (*path, at))
    else:
        yield path


def change(document: Document, path: Path) -> None:
    """Change one fact into another of its kind."""
    *names, last = path
    place: Any = document
    for name in names:
        place = place[name]
    old = place[last]
    if isinstance(old, str):
        # Bytes stay bytes, so that it is not their form that is wrong.
        place[last] = old[:-1] + ("0" if old[-1:] != "0" else "1")
    elif isinstance(old, int):
        place[last] = old + 1
    else:
        place[last] = "north" if old is None else ["north"]


def test_every_untouched_file_is_accepted(
    files: dict[str, tuple[bytes, Examine]],
) -> None:
    found = {name: examine(one).finding for name, (one, examine) in files.items()}

    closed = found.pop("unopened")
    assert closed is Finding.NOT_OPEN
    assert set(found.values()) == {Finding.VALID}


def test_no_file_with_another_byte_is_accepted(
    files: dict[str, tuple[bytes, Examine]],
) -> None:
    chance = random.Random(SEED)
    names = sorted(files)
    refused = 0
    for _ in range(MUTATIONS):
        name = chance.choice(names)
        whole, examine = files[name]
        changed = bytearray(whole)
        at, by = chance.randrange(len(changed)), chance.randrange(1, 256)
        changed[at] ^= by
        verdict = examine(bytes(changed))
        assert verdict.finding is not Finding.VALID, (name, at, by)
        # A name of the key that is not known says so; all else breaks the record.
        assert verdict.wrong in {
            Flaw.FORM,
            Flaw.SIGNATURE,
            Flaw.KEY,
            Flaw.EVIDENCE,
        } or (verdict.finding is Finding.NOT_OPEN)
        refused += 1

    assert refused == MUTATIONS


def test_a_changed_result_that_is_signed_is_named_by_what_it_is_about(
    gallery: dict[str, bytes], judge: Judge
) -> None:
    chance = random.Random(SEED)
    # A seed is judged by the moves that it leads to.
    names = sorted(set(gallery) - {"unopened", "seeded"})
    for _ in range(MUTATIONS // 10):
        document = json.loads(gallery[chance.choice(names)])
        section = chance.choice([name for name in SECTIONS if document[name]])
        path = chance.choice(list(leaves(document[section], (section,))))
        if path == ("openings", "seed"):
            continue
        change(document, path)

        verdict = judge(document)

        assert verdict.finding is Finding.BROKEN, (document["match"]["match_id"], path)
        assert verdict.wrong is SECTIONS[section], (path, verdict.problem)


def test_a_changed_entry_breaks_the_chain_even_if_it_is_signed(
    gallery: dict[str, bytes], judge: Judge
) -> None:
    chance = random.Random(SEED)
    names = sorted(gallery)
    for _ in range(MUTATIONS // 10):
        document = json.loads(gallery[chance.choice(names)])
        path = chance.choice(list(leaves(document["entries"], ("entries",))))
        change(document, path)

        verdict = judge(document)

        assert verdict.finding is Finding.BROKEN, path
        assert verdict.wrong in {Flaw.CHAIN, Flaw.FORM, Flaw.CLOCK}, path


@pytest.mark.parametrize("name", PLAYED)
def test_lies_about_matches_of_every_kind_are_named(
    gallery: dict[str, bytes], judge: Judge, name: str
) -> None:
    named = {}
    for tamper in TAMPERINGS:
        document = json.loads(gallery[name])
        tamper(document)
        document["chain"] = chain_head(document["entries"]).hex()
        named[tamper] = judge(document).wrong

    assert named == {tamper: TAMPERINGS[tamper] for tamper in named}


def test_nothing_that_is_not_open_can_be_made_valid(
    gallery: dict[str, bytes], judge: Judge
) -> None:
    told = 0
    for tamper in TAMPERINGS:
        document = json.loads(gallery["unopened"])
        if "openings" in tamper.__code__.co_consts:
            continue
        tamper(document)
        document["chain"] = chain_head(document["entries"]).hex()
        told += 1
        assert judge(document).finding in {Finding.BROKEN, Finding.NOT_OPEN}, tamper

    assert told > 20
