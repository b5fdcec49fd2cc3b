"""Exports that were changed, byte by byte and fact by fact: all of them are refused."""

import hashlib
import json
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from tests.unit.tournament.driving import one_stage
from tests.unit.tournament.exporting import judge, sealed, season, trusted

from ginref.record.envelope import parse_envelope
from ginref.record.flaw import Flaw
from ginref.record.setup import canonical
from ginref.record.verify import Finding
from ginref.tournament.export import DERIVED
from ginref.tournament.export_verify import verify_export
from ginref.tournament.log import START

MUTATIONS = 600

Spot = tuple[str | int, ...]


@pytest.fixture(scope="module")
def good() -> bytes:
    return sealed(season(one_stage({"format": "swiss", "rounds": 2})))


def leaves(value: object, spot: Spot = ()) -> Iterator[Spot]:
    if isinstance(value, dict):
        for name, member in value.items():
            yield from leaves(member, (*spot, name))
    elif isinstance(value, list) and value:
        for at, item in enumerate(value):
            yield from leaves(item, (*spot, at))
    else:
        yield spot


def change(document: dict[str, Any], spot: Spot) -> None:
    """Change one fact into another of its kind."""
    *names, last = spot
    place: Any = document
    for name in names:
        place = place[name]
    old = place[last]
    if isinstance(old, str):
        place[last] = old[:-1] + ("0" if old[-1:] != "0" else "1")
    elif isinstance(old, bool):
        place[last] = not old
    elif isinstance(old, int | float):
        place[last] = old + 1
    else:
        place[last] = "bot-01" if old is None else ["bot-01"]


def test_no_export_with_another_byte_is_accepted(good: bytes) -> None:
    chance = random.Random(1)
    refused = 0
    for _ in range(MUTATIONS):
        changed = bytearray(good)
        at, by = chance.randrange(len(changed)), chance.randrange(1, 256)
        changed[at] ^= by
        verdict = verify_export(bytes(changed), trusted())
        assert verdict.finding is not Finding.VALID, (at, by)
        assert verdict.wrong in {Flaw.FORM, Flaw.SIGNATURE, Flaw.KEY}
        refused += 1

    assert refused == MUTATIONS


def test_whatever_follows_is_compared_even_if_it_is_signed(good: bytes) -> None:
    chance = random.Random(2)
    payload = parse_envelope(good).payload
    document = json.loads(payload)
    spots = [spot for name in DERIVED for spot in leaves(document[name], (name,))]
    for spot in chance.sample(spots, 16):
        changed = json.loads(payload)
        change(changed, spot)

        verdict = judge(changed)

        assert verdict.finding is Finding.BROKEN, spot
        assert verdict.wrong in {Flaw.SCORE, Flaw.ENDING, Flaw.DEAL}, spot
        assert verdict.problem is not None
        assert verdict.problem.startswith(str(spot[0])), spot


def test_a_changed_entry_is_found_even_if_it_is_signed(good: bytes) -> None:
    chance = random.Random(3)
    payload = parse_envelope(good).payload
    spots = list(leaves(json.loads(payload)["log"], ("log",)))
    for spot in chance.sample(spots, 16):
        changed = json.loads(payload)
        change(changed, spot)

        verdict = judge(changed)

        assert verdict.finding is Finding.BROKEN, spot
        assert verdict.wrong in {Flaw.CHAIN, Flaw.FORM}, (spot, verdict.problem)


STRANGE: tuple[Any, ...] = (
    None,
    True,
    -1,
    7,
    "",
    "x",
    "bot-01",
    "bot-09",
    "main",
    "00" * 32,
    [],
    {},
)


def rechained(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document with a chain that is sound, whatever its entries say."""
    previous = START
    for entry in document["log"]:
        entry["previous"] = previous
        previous = hashlib.sha256(canonical(entry)).hexdigest()
    return {**document, "head": previous}


def test_a_log_that_says_anything_at_all_gets_a_verdict(good: bytes) -> None:
    chance = random.Random(4)
    payload = parse_envelope(good).payload
    findings = Counter[Finding]()
    for _ in range(150):
        changed = json.loads(payload)
        at = chance.randrange(len(changed["log"]))
        event = changed["log"][at]["event"]
        *names, last = chance.choice(list(leaves(event)))
        place = event
        for name in names:
            place = place[name]
        place[last] = chance.choice(STRANGE)

        findings[judge(rechained(changed)).finding] += 1

    # A round trip, an owner, or a reason may be anything; the rest follows from them.
    assert findings[Finding.BROKEN] > 140


@pytest.mark.parametrize(
    ("kind", "names", "value", "what"),
    [
        ("match_ended", ("outcome", "winner"), "dan", "somebody who did not play"),
        ("match_ended", ("outcome", "at_fault"), ["dan"], "somebody who did not play"),
        ("seeded", ("lots",), "no digits", "hexadecimal digits expected"),
    ],
)
def test_an_event_that_cannot_be_is_named(
    good: bytes, kind: str, names: tuple[str, ...], value: object, what: str
) -> None:
    changed = json.loads(parse_envelope(good).payload)
    event = next(one["event"] for one in changed["log"] if one["event"]["kind"] == kind)
    *path, last = names
    for name in path:
        event = event[name]
    event[last] = value

    verdict = judge(rechained(changed))

    assert verdict.problem is not None
    assert what in verdict.problem
