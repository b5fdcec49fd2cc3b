import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
import rfc8785

from ginref.engine.ruleset import GIN, HOLLYWOOD
from ginref.engine.seat import Seat
from ginref.record.document import build_record, chain_head, parse_record
from ginref.record.entry import (
    Declined,
    Entry,
    Refused,
    StampedEntry,
    encode_entry,
)
from ginref.record.lifecycle import Stage
from ginref.record.replay import ReplayError
from ginref.record.setup import Setup
from ginref.record.shape import RecordError

MakeSetup = Callable[..., Setup]
Play = Callable[..., tuple[Setup, tuple[StampedEntry, ...]]]


@pytest.fixture(scope="session")
def whole(play_match: Play) -> dict[str, Any]:
    """The record of a match that was played out, with refused moves."""
    document: dict[str, Any] = json.loads(build_record(*play_match(3, refusals=0.1)))
    return document


@pytest.mark.parametrize("number", [0, 4, 6])
def test_a_record_gives_back_the_match_it_was_made_of(
    play_match: Play, number: int
) -> None:
    setup, entries = play_match(number)

    record = parse_record(build_record(setup, entries))

    assert record.setup == setup
    assert record.entries == entries
    assert record.is_open


def test_a_seeded_match_gives_back_its_seed(
    play_match: Play, make_setup: MakeSetup
) -> None:
    setup, entries = play_match(2, setup=make_setup(2, seeded=True))

    assert parse_record(build_record(setup, entries)).setup == setup


@pytest.mark.parametrize("stage", [stage for stage in Stage if stage != Stage.OVER])
def test_a_match_that_ended_early_has_a_record_too(
    play_match: Play, early_ending: Entry, stage: Stage
) -> None:
    setup, entries = play_match(1, ending=early_ending, ends_in=stage)

    record = parse_record(build_record(setup, entries))

    assert (record.setup, record.entries) == (setup, entries)
    assert (record.document["sheet"] is None) is (stage is not Stage.PLAYING)


def test_a_seat_that_declined_is_in_the_record(play_match: Play) -> None:
    setup, entries = play_match(1, ending=Declined(Seat.NORTH), ends_in=Stage.FORMING)

    record = parse_record(build_record(setup, entries))

    assert record.entries == entries
    assert record.document["ending"] == {
        "kind": "no_show",
        "winner": "south",
        "fault": "seat",
        "seats_at_fault": ["north"],
    }


def test_a_round_without_a_knock_shows_no_hand(
    play_match: Play, make_setup: MakeSetup
) -> None:
    rules = GIN.but(name="hasty", turn_limit=2, round_limit=2)
    log = play_match(1, setup=make_setup(1, rules=rules))

    drawn, *_ = json.loads(build_record(*log))["rounds"]

    assert (drawn["outcome"], drawn["winner"], drawn["points"]) == ("turn_cap", None, 0)
    assert drawn["columns"] == []
    assert "showdown" not in drawn


def test_whoever_has_the_same_log_writes_the_same_bytes(play_match: Play) -> None:
    assert build_record(*play_match(1)) == build_record(*play_match(1))


def test_a_record_is_in_canonical_form(play_match: Play) -> None:
    payload = build_record(*play_match(1))

    assert rfc8785.dumps(json.loads(payload)) == payload


def test_a_match_that_goes_on_has_no_record(play_match: Play) -> None:
    setup, entries = play_match(1)

    with pytest.raises(ReplayError, match="the match is not over with it"):
        build_record(setup, entries[:-1])


def test_every_refused_move_is_in_the_record(play_match: Play) -> None:
    setup, entries = play_match(3, refusals=0.1)
    refused = [stamped for stamped in entries if isinstance(stamped.entry, Refused)]

    listed = json.loads(build_record(setup, entries))["entries"]

    strikes = [entry for entry in listed if entry["kind"] == "strike"]
    assert [(entry["version"], entry["refusal"]) for entry in strikes] == [
        (stamped.version, stamped.refusal) for stamped in refused
    ]
    assert strikes


def test_the_results_are_those_of_the_sheet(whole: dict[str, Any]) -> None:
    scored = [0, 0]
    for played in whole["rounds"]:
        if played["winner"] is not None:
            scored[["north", "south"].index(played["winner"])] += played["points"]

    (game,) = whole["sheet"]["games"]
    assert scored == game["totals"] == whole["sheet"]["points"]
    assert game["winner"] == whole["ending"]["winner"]
    assert whole["ending"]["kind"] == "completed"
    assert [played["number"] for played in whole["rounds"]] == list(
        range(1, len(whole["rounds"]) + 1)
    )


def test_a_knock_shows_both_hands(whole: dict[str, Any]) -> None:
    for played in whole["rounds"]:
        shown = played["showdown"]
        laid = " ".join([*shown["melds"], shown["deadwood"]]).split()
        spread = " ".join([*shown["defender_melds"], shown["defender_deadwood"]])
        spread_cards = [*spread.split(), *(card for card, _ in shown["layoffs"])]

        assert len(laid) == len(spread_cards) == 10
        assert len({*laid, *spread_cards, shown["discard"]}) == 21


def test_the_chain_is_the_one_that_is_described(whole: dict[str, Any]) -> None:
    head = chain_head(whole["entries"])

    assert head.hex() == whole["chain"]
    for at in range(len(whole["entries"])):
        fewer = whole["entries"][:at] + whole["entries"][at + 1 :]
        assert chain_head(fewer) != head


def test_the_chain_of_two_entries_is_known() -> None:
    # Computed with sha256sum.
    entries = [{"kind": "new", "version": 1}, {"version": 2, "kind": "abort"}]

    assert (
        chain_head(entries).hex()
        == "18f0e81af69a3b62ef16cbb1153b0d6c8ad3228d54e9597723df70be3fbbf9c0"
    )


@pytest.mark.parametrize("signing", [(), tuple(Seat)], ids=["unsigned", "signed"])
def test_a_record_is_at_most_twice_as_long_as_the_log(
    play_match: Play, make_setup: MakeSetup, signing: tuple[Seat, ...]
) -> None:
    setup, entries = play_match(
        3, setup=make_setup(3, rules=HOLLYWOOD, signing=signing)
    )
    log = sum(
        len(encode_entry(stamped.entry))
        + len(f"{stamped.version}-{stamped.refusal}{stamped.time_ms}")
        for stamped in entries
    )

    assert len(build_record(setup, entries)) <= 2 * log


def put(document: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    """A copy with one value changed; `...` takes it away."""
    changed = deepcopy(document)
    *way, last = [int(word) if word.isdigit() else word for word in path.split("/")]
    place: Any = changed
    for word in way:
        place = place[word]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return changed


@pytest.mark.parametrize(
    ("path", "value", "wrong"),
    [
        ("format", 2, "format: only formats 0 and 1 can be read"),
        ("format", 0, "match: unknown member 'keys'"),
        ("format", False, "format: a whole number"),
        ("format", ..., "the record: format is missing"),
        ("rounds", ..., "the record: rounds is missing"),
        ("more", 1, "the record: unknown member 'more'"),
        ("match", [], "match: an object expected"),
        ("match/match_id", 7, "match.match_id: text expected"),
        ("match/engine", ..., "match: engine is missing"),
        ("match/seed", None, "match: unknown member 'seed'"),
        ("match/bots", ["a"], "match.bots: 2 bots expected"),
        ("match/bots", {}, "match.bots: a list expected"),
        ("match/bots/1", 1, r"match.bots\[1\]: text expected"),
        ("match/clock/cap_ms", -1, "match.clock.cap_ms: a whole number"),
        ("match/clock/cap_ms", 2_001, "match.clock: other numbers than fast stands"),
        ("match/clock/name", "research", "match.clock: other numbers than research"),
        ("match/clock/name", "slow", "match.clock.name: one of fast, standard, "),
        ("match/clock/cap_ms", True, "match.clock.cap_ms: a whole number"),
        ("match/clock/tick_ms", 1, "match.clock: unknown member 'tick_ms'"),
        ("match/strikes_allowed", 1.5, "match.strikes_allowed: a whole number"),
        ("match/commitment", "AB", "match.commitment: 32 bytes"),
        ("match/signature", "ab", "match.signature: 64 bytes"),
        ("match/deal_source", "cards", "match.deal_source: one of shares, tournament"),
        ("match/ruleset", [], "match.ruleset: an object expected"),
        ("match/ruleset/wall", 99, "match.ruleset: wall: 99 is not within"),
        ("match/ruleset/wall", ..., "match.ruleset.wall: nothing where 2 is expected"),
        ("match/ruleset/wall", 3, "match.ruleset_digest: not the digest"),
        ("openings/secret", ..., "openings: secret is missing"),
        ("openings/seed", "x", "openings.seed: null expected"),
        ("openings/referee_share", "", "openings.referee_share: 32 bytes"),
        ("created_ms", "now", "created_ms: a whole number"),
        ("chain", "00", "chain: 32 bytes"),
        ("entries", {}, "entries: a list expected"),
        ("entries/0", "new", r"entries\[0\]: an entry of a known kind"),
        ("entries/0/kind", "old", r"entries\[0\]: an entry of a known kind"),
        ("entries/0/kind", [], r"entries\[0\]: an entry of a known kind"),
        ("entries/0/version", 0, r"entries\[0\].version: a whole number from 1"),
        ("entries/1/seat", "west", r"entries\[1\].seat: north, south or east"),
        ("entries/1/at_ms", -1, r"entries\[1\].at_ms: a whole number"),
        ("entries/1/refusal", 0, r"entries\[1\].refusal: a whole number from 1"),
        ("entries/1/move", "pass", r"entries\[1\]: unknown member 'move'"),
        ("entries/3/commitment", "zz", r"entries\[3\].commitment: 32 bytes"),
        ("entries/5/share", None, r"entries\[5\].share: text expected"),
        ("entries/7/move", "fold", r"entries\[7\].move: 'fold' is not a move"),
        ("entries/7/move", "PASS", r"entries\[7\].move: written 'pass' expected"),
        ("entries/7/request_id", "", r"entries\[7\].request_id: 1 to 64 bytes"),
        ("entries/7/request_id", "é" * 33, r"entries\[7\].request_id: 1 to 64 bytes"),
        ("match/receipts", False, "match.receipts: false where nothing is expected"),
        ("match/receipts", 1, "match.receipts: 1 where nothing is expected"),
        ("match/keys", ..., "match: keys is missing"),
        ("match/keys", [None], "match.keys: one for each bot"),
        ("match/keys/1", "00", r"match.keys\[1\]: 32 bytes"),
        ("entries/7/turn_ms", ..., r"entries\[7\]: turn_ms is missing"),
        ("entries/7/turn_ms", [None], r"entries\[7\].turn_ms: when the turn was"),
        ("entries/7/turn_ms/1", None, r"entries\[7\].turn_ms\[1\]: a whole number"),
        ("entries/7/turn_ms/0", "x", r"entries\[7\].turn_ms\[0\]: a whole number"),
        ("entries/7/signature", "00", r"entries\[7\].signature: 64 bytes"),
        ("entries/7/referee_ms", 1, r"entries\[7\]: unknown member 'referee_ms'"),
        ("entries/1/turn_ms", 1, r"entries\[1\]: unknown member 'turn_ms'"),
    ],
)
def test_the_first_wrong_thing_is_named(
    whole: dict[str, Any], path: str, value: object, wrong: str
) -> None:
    payload = rfc8785.dumps(put(whole, path, value))

    with pytest.raises(RecordError, match=f"^{wrong}"):
        parse_record(payload)


@pytest.mark.parametrize(
    ("payload", "wrong"),
    [
        pytest.param(b"", "not JSON", id="nothing"),
        pytest.param(b"\xff", "not JSON", id="no text"),
        pytest.param(b"[" * 100_000, "not JSON", id="too deep"),
        pytest.param(b"NaN", "not JSON", id="not a number"),
        pytest.param(b"[Infinity]", "not JSON", id="no end"),
        pytest.param(
            b'{"a":[0,{"b":9007199254740992}]}',
            r"^a\[1\].b: 9007199254740992 is beyond 2\^53 - 1, the largest number$",
            id="too large a number",
        ),
        pytest.param(b"-9007199254740992", "is beyond 2", id="too small a number"),
        pytest.param(b"[1e999]", r"^\[0\]: Infinity is beyond 2", id="a huge number"),
        pytest.param(b"9007199254740991", "an object expected", id="just a number"),
        pytest.param(b"[]", "an object expected", id="a list"),
        pytest.param(b'{ "a":1}', "not the canonical form", id="a blank"),
        pytest.param(b'{"b":1,"a":1}', "not the canonical form", id="disorder"),
        pytest.param(b'{"a":1,"a":1}', "not the canonical form", id="a name twice"),
    ],
)
def test_a_payload_that_is_no_record_is_refused(payload: bytes, wrong: str) -> None:
    with pytest.raises(RecordError, match=wrong):
        parse_record(payload)
