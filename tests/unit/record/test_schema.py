"""The published schema and the code mean the same layout."""

import json
import random
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from jsonschema import Draft202012Validator
from tests.unit.record.layout import SCHEMA, SCHEMAS, follows, violations
from tests.unit.record.tampering import TAMPERINGS

from ginref.engine.error import RulesetError
from ginref.engine.ruleset import PRESETS, Ruleset
from ginref.engine.seat import Seat
from ginref.engine.showdown import Outcome
from ginref.record.clock import CUSTOM
from ginref.record.clock import PRESETS as CLOCKS
from ginref.record.document import RecordError, parse_record
from ginref.record.entry import StampedEntry
from ginref.record.envelope import parse_envelope
from ginref.record.flaw import Flaw
from ginref.record.lifecycle import EndingKind, Fault
from ginref.record.setup import DealSource, Setup
from ginref.record.verify import Verdict

GOLDEN = sorted(
    (Path(__file__).parents[2] / "golden" / "records").glob("format-*/*.json")
)
DEFINED = SCHEMA["$defs"]

Document = dict[str, Any]
Judge = Callable[[Document], Verdict]
Play = Callable[..., tuple[Setup, tuple[StampedEntry, ...]]]
Spot = tuple[str | int, ...]

DEPENDENT = {("match", "ruleset"), ("match", "ruleset_digest"), ("match", "clock")}
"""Facts that must fit each other, not only their kinds."""

STATED = ("match", "created_ms", "entries", "chain")
"""Parts of a record that the code reads; it works out the others and compares."""


@pytest.mark.parametrize("number", range(len(SCHEMAS)))
def test_there_is_a_schema_of_each_format(number: int) -> None:
    Draft202012Validator.check_schema(SCHEMAS[number])
    assert SCHEMAS[number]["properties"]["format"]["const"] == number


def test_every_kind_of_record_follows_it(gallery: dict[str, bytes]) -> None:
    wrong = {name: violations(json.loads(one)) for name, one in gallery.items()}

    assert wrong == {name: [] for name in gallery}


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: "/".join(path.parts[-2:]))
def test_every_record_that_was_kept_follows_it(path: Path) -> None:
    assert violations(json.loads(parse_envelope(path.read_bytes()).payload)) == []


@pytest.mark.parametrize(
    ("place", "values"),
    [
        pytest.param(("seat",), list(map(str, Seat)), id="seats"),
        pytest.param(("round", "properties", "outcome"), list(Outcome), id="outcomes"),
        pytest.param(("ending", "properties", "kind"), list(EndingKind), id="endings"),
        pytest.param(("ending", "properties", "fault"), list(Fault), id="faults"),
        pytest.param(
            ("match", "properties", "deal_source"), list(DealSource), id="deals"
        ),
        pytest.param(
            ("match", "properties", "clock", "properties", "name"),
            [*CLOCKS, CUSTOM],
            id="clocks",
        ),
    ],
)
def test_it_names_what_the_code_names(place: Spot, values: list[str]) -> None:
    found: Any = DEFINED
    for name in place:
        found = found[name]

    assert found["enum"] == values


def test_it_knows_every_option_of_the_rules_with_its_range() -> None:
    options = DEFINED["ruleset"]["properties"]
    rules = PRESETS["hollywood"]

    assert list(options) == [field.name for field in fields(Ruleset)]
    for name, option in options.items():
        kind = option.get("anyOf", [option])[0]
        outside = (
            [kind["minimum"] - 1, kind["maximum"] + 1] if "minimum" in kind else []
        )
        outside += ["unheard of"] if "enum" in kind else []
        for value in outside:
            with pytest.raises(RulesetError) as caught:
                rules.but(**{name: value})
            assert caught.value.key == name


def objects(value: object, spot: Spot = ()) -> Iterator[Spot]:
    """Where the objects of a JSON value stand."""
    if isinstance(value, dict):
        yield spot
        for name, member in value.items():
            yield from objects(member, (*spot, name))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from objects(item, (*spot, at))


def at(document: Document, spot: Spot) -> Any:  # noqa: ANN401 - JSON
    found: Any = document
    for name in spot:
        found = found[name]
    return found


@pytest.fixture(scope="module")
def rich() -> Document:
    """A short record that has everything a record can have."""
    (path,) = (path for path in GOLDEN if path.match("format-1/three_handed.json"))
    document: Document = json.loads(parse_envelope(path.read_bytes()).payload)
    return document


def test_both_refuse_a_member_too_many(rich: Document, judge: Judge) -> None:
    chance = random.Random(1)
    for spot in chance.sample(list(objects(rich)), 40):
        document = deepcopy(rich)
        at(document, spot)["surplus"] = None

        assert not follows(document), spot
        assert judge(document).wrong is not None, spot


def test_both_refuse_a_member_too_few(rich: Document, judge: Judge) -> None:
    chance = random.Random(2)
    members = [
        (spot, name)
        for spot in objects(rich)
        for name in at(rich, spot)
        # These may be absent, where the rules or the match have no use for them.
        if name not in {"refusal", "idle", "showdown", "settlement"}
    ]
    for spot, name in chance.sample(members, 80):
        document = deepcopy(rich)
        del at(document, spot)[name]

        assert not follows(document), (spot, name)
        assert judge(document).wrong is not None, (spot, name)


def test_what_the_schema_allows_of_what_is_stated_the_code_can_read(
    rich: Document, gallery: dict[str, bytes]
) -> None:
    chance = random.Random(3)
    records = [
        rich,
        *(
            json.loads(gallery[name])
            for name in ("lost by strikes", "void with a loss", "signed by one")
        ),
    ]
    values: list[Any] = [
        None,
        True,
        -1,
        0,
        1.5,
        "",
        "x",
        "00",
        [],
        {},
        2**53,
        "north",
        "As",
    ]
    allowed_count = refused = 0
    for _ in range(150):
        document = deepcopy(chance.choice(records))
        spot: Spot = (chance.choice(STATED),)
        while isinstance(at(document, spot), dict | list) and at(document, spot):
            inside = at(document, spot)
            more = list(inside) if isinstance(inside, dict) else range(len(inside))
            spot = (*spot, chance.choice(more))
        at(document, spot[:-1])[spot[-1]] = chance.choice(values)

        allowed, readable = follows(document), _reads(document)

        # Digests and names that belong to numbers are beyond a schema.
        assert readable or not allowed or spot[:2] in DEPENDENT, spot
        # Kinds of entries have members of their own, which the code compares later.
        assert allowed or not readable, spot
        allowed_count += allowed
        refused += not readable

    assert refused > 50
    assert allowed_count > 10


def _reads(document: Document) -> bool:
    try:
        parse_record(rfc8785.dumps(document))
    except (RecordError, rfc8785.CanonicalizationError):
        return False
    return True


def test_a_lie_about_the_layout_breaks_the_schema(gallery: dict[str, bytes]) -> None:
    for tamper, flaw in TAMPERINGS.items():
        if flaw is Flaw.FORM:
            document = json.loads(gallery["settled"])
            tamper(document)
            assert not follows(document), tamper
