"""Records that were changed, byte by byte and fact by fact: all of them are refused.

`make prove-records` makes ten times as many changes; `SEED` makes others.
"""

import json
import os
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.unit.record.tampering import TAMPERINGS

from ginref.record.document import PAYLOAD_TYPE, chain_head
from ginref.record.envelope import seal_envelope
from ginref.record.flaw import Flaw
from ginref.record.verify import Finding, Verdict, verify_record

MUTATIONS = int(os.environ.get("MUTATIONS", "1000"))
SEED = int(os.environ.get("SEED", "1"))

MakeReferee = Callable[..., Any]
Document = dict[str, Any]
Judge = Callable[[Document], Verdict]
Path = tuple[str | int, ...]

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


def test_every_untouched_record_is_accepted(
    envelopes: dict[str, bytes], keys: dict[str, bytes]
) -> None:
    found = {name: verify_record(one, keys).finding for name, one in envelopes.items()}

    closed = found.pop("unopened")
    assert closed is Finding.NOT_OPEN
    assert set(found.values()) == {Finding.VALID}


def test_no_record_with_another_byte_is_accepted(
    envelopes: dict[str, bytes], keys: dict[str, bytes]
) -> None:
    chance = random.Random(SEED)
    names = sorted(envelopes)
    refused = 0
    for _ in range(MUTATIONS):
        name = chance.choice(names)
        changed = bytearray(envelopes[name])
        at, by = chance.randrange(len(changed)), chance.randrange(1, 256)
        changed[at] ^= by
        verdict = verify_record(bytes(changed), keys)
        assert verdict.finding is not Finding.VALID, (name, at, by)
        # A name of the key that is not known says so; all else breaks the record.
        assert verdict.wrong in {Flaw.FORM, Flaw.SIGNATURE, Flaw.KEY} or (
            verdict.finding is Finding.NOT_OPEN
        )
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
