"""What a sceptic finds in an export, by the name of what was tried."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from tests.unit.conftest import Referee
from tests.unit.tournament.driving import Tournament, one_stage, worse_seed
from tests.unit.tournament.exporting import (
    Season,
    digest_of,
    judge,
    rewritten,
    sealed,
    season,
    trusted,
)

from ginref.record.envelope import parse_envelope, seal_envelope
from ginref.record.flaw import Flaw
from ginref.record.setup import canonical
from ginref.record.verify import Finding
from ginref.tournament.event import (
    Event,
    MatchCreated,
    MatchEnded,
    SecretOpened,
    Seeded,
)
from ginref.tournament.export_verify import ExportVerdict, verify_export
from ginref.tournament.log import entry_to_json, head
from ginref.tournament.witness import KeptHead, contradicts, read_heads

SWISS = one_stage({"format": "swiss", "rounds": 2})


@pytest.fixture(scope="module")
def played() -> Season:
    return season(SWISS)


@pytest.fixture(scope="module")
def good(played: Season) -> bytes:
    return sealed(played)


def with_events(
    tournament: Tournament, change: Callable[[Event], Event | None]
) -> Tournament:
    """Return a tournament in which other things happened, with a sound chain."""
    changed = [(entry, change(entry.event)) for entry in tournament.entries]
    return rewritten(
        tournament,
        [replace(entry, event=event) for entry, event in changed if event is not None],
    )


def test_a_season_is_valid_and_nobody_stepped_in(good: bytes) -> None:
    verdict = verify_export(good, trusted())

    assert (verdict.finding, verdict.problem, verdict.wrong) == (
        Finding.VALID,
        None,
        None,
    )
    assert verdict.audited is not None
    assert verdict.audited.is_open
    assert verdict.audited.interventions == ()


def test_an_unknown_key_is_said(good: bytes) -> None:
    verdict = verify_export(good, {})

    assert (verdict.finding, verdict.wrong) == (Finding.UNKNOWN_KEY, Flaw.KEY)
    assert verdict.key_id == Referee().key_id


def test_a_secret_that_was_committed_to_and_is_not_open_proves_nothing(
    played: Season,
) -> None:
    closed = with_events(
        played, lambda event: None if isinstance(event, SecretOpened) else event
    )

    assert verify_export(sealed(closed), trusted()).finding is Finding.NOT_OPEN
    assert verify_export(sealed(closed), {}).finding is Finding.NOT_OPEN


def test_lots_that_nobody_committed_to_are_said_to_be_the_hosts() -> None:
    tournament = Tournament(SWISS)
    tournament.start(4)

    verdict = verify_export(sealed(tournament), trusted())

    assert verdict.finding is Finding.VALID
    assert any("the host chose the lots" in note for note in verdict.notes)


def test_another_configuration_is_found(good: bytes) -> None:
    changed = json.loads(parse_envelope(good).payload)
    changed["configuration"]["conduct"]["award"] = 1

    verdict = judge(changed)

    assert verdict.problem is not None
    assert "another configuration" in verdict.problem


def test_split_log(played: Season) -> None:
    """Two logs of one length were told; whoever kept a head finds it out."""
    other = with_events(played, _other_points)
    kept = len(other.entries), head(other.entries)

    assert len(other.entries) == len(played.entries)
    assert contradicts(*kept, played.entries) == (
        f"entry {kept[0]} is another one than the one that was told"
    )
    for length in range(len(played.entries) + 1):
        told = played.entries[:length]
        assert contradicts(length, head(told), played.entries) is None
    assert contradicts(kept[0] + 1, kept[1], played.entries) == (
        f"it had {kept[0] + 1} entries, and now has {kept[0]}"
    )


def test_split_log_is_found_by_what_a_bot_has_kept(played: Season, good: bytes) -> None:
    other = with_events(played, _other_points)
    last = len(other.entries)
    kept: list[dict[str, Any]] = [
        {"kind": "head", "length": 1, "digest": head(played.entries[:1])},
        {"kind": "share", "share": "00" * 32},
        {"kind": "head", "length": last + 9, "digest": "00" * 32},
    ]
    told = {"kind": "contradiction", "length": last, "digest": head(other.entries)}

    def heads(*facts: dict[str, Any]) -> list[KeptHead]:
        named = [{"server": "s-1", "tournament_id": "t-1", **one} for one in facts]
        data = b"".join(canonical(one) + b"\n" for one in named)
        return list(read_heads(data + b'{"kind":"hea', "kept.jsonl"))

    agreed = verify_export(good, trusted(), heads=heads(*kept))
    split = verify_export(good, trusted(), heads=heads(*kept, told))

    assert (agreed.finding, agreed.heads) == (Finding.VALID, 1)
    assert f"a bot was told of {last + 9} entries, and {last} are here" in agreed.notes
    assert split.wrong is Flaw.EVIDENCE
    assert split.problem == (
        f"kept.jsonl, told by s-1: entry {last} is another one than the one that"
        " was told"
    )


@pytest.mark.parametrize("line", [b"{", b"[]", b'{"kind":"head","length":"1"}'])
def test_lines_that_nobody_has_kept_are_refused(line: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        list(read_heads(line + b"\n", "kept.jsonl"))


def _other_points(event: Event) -> Event:
    """Return an event with other net points, if it tells of the end of a match."""
    if isinstance(event, MatchEnded):
        boards = tuple(2 * net for net in event.outcome.boards)
        return replace(event, outcome=replace(event.outcome, boards=boards))
    return event


def test_re_signed_season(played: Season) -> None:
    """History is written anew, everything fits, and another key has signed it."""
    other = season(SWISS, choose=worse_seed)
    envelope = sealed(other, key=1)

    assert verify_export(envelope, trusted()).finding is Finding.UNKNOWN_KEY
    for length in range(1, len(played.entries)):
        kept = length, head(played.entries[:length])
        told = contradicts(*kept, other.entries)
        same = played.entries[:length] == other.entries[:length]
        assert (told is None) is same
    assert contradicts(len(played.entries), head(played.entries), other.entries)


def again(event: Event, first: MatchCreated) -> Event:
    if isinstance(event, MatchCreated) and event is not first:
        return replace(event, match=first.match)
    return event


def test_rerun_a_match_created_twice(played: Season) -> None:
    """One identity stands for two matches, so that one result could be chosen."""
    created = [e.event for e in played.entries if isinstance(e.event, MatchCreated)]

    entries = [
        replace(entry, event=again(entry.event, created[0]))
        for entry in played.entries
        if not isinstance(entry.event, MatchEnded | SecretOpened)
    ]

    verdict = _judge_entries(played, entries)

    assert verdict.wrong is Flaw.CHAIN
    assert verdict.problem is not None
    assert "the match was created before" in verdict.problem


def _judge_entries(played: Season, entries: list[Any]) -> ExportVerdict:
    """Judge a log that no referee would export, with the rest of a true export."""
    document = json.loads(parse_envelope(sealed(played)).payload)
    other = rewritten(played, entries)
    document["log"] = [entry_to_json(entry) for entry in other.entries]
    document["head"] = head(other.entries)
    return judge(document)


def test_rerun_an_attempt_that_is_in_no_log(played: Season) -> None:
    """A fixture that was decided is played a second time under another attempt."""
    at, created = next(
        (at, entry.event)
        for at, entry in enumerate(played.entries)
        if isinstance(entry.event, MatchEnded)
    )
    assert isinstance(created, MatchEnded)
    extra = MatchCreated(
        fixture=created.fixture, attempt=2, game=1, match="m-again", commitment=None
    )
    entries = [
        *played.entries[: at + 1],
        replace(played.entries[at], event=extra, request_id="again"),
        *played.entries[at + 1 :],
    ]

    verdict = _judge_entries(played, entries)

    assert verdict.problem == f"log: entry {at + 2}: no such match was to be created"


def test_rerun_a_creation_without_a_record(played: Season) -> None:
    """A match has ended, and nothing in the log leads to its record."""

    def forget(event: Event) -> Event:
        if isinstance(event, MatchEnded):
            return replace(event, record=None)
        return event

    verdict = verify_export(sealed(with_events(played, forget)), trusted())

    assert verdict.wrong is Flaw.CHAIN
    assert verdict.problem is not None
    assert "the log names no record of m-" in verdict.problem


def test_boards_that_were_not_committed_to_are_found(played: Season) -> None:
    def deal(event: Event) -> Event:
        if isinstance(event, MatchCreated):
            return replace(event, commitment=digest_of("other cards"))
        return event

    verdict = verify_export(sealed(with_events(played, deal)), trusted())

    assert verdict.wrong is Flaw.DEAL
    assert verdict.problem is not None
    assert "was not to be dealt the boards of" in verdict.problem


def test_a_draw_from_other_lots_is_found(played: Season) -> None:
    def draw(event: Event) -> Event:
        if isinstance(event, Seeded):
            return replace(event, lots=digest_of("lucky lots"))
        return event

    entries = [replace(one, event=draw(one.event)) for one in played.entries]
    verdict = _judge_entries(played, entries)

    assert verdict.wrong is Flaw.CHAIN
    assert verdict.problem is not None
    assert verdict.problem.startswith("log: entry ")


def test_a_match_record_is_no_export(good: bytes) -> None:
    envelope = parse_envelope(good)
    other = seal_envelope(envelope.payload, "text/plain", Referee())

    assert verify_export(other, trusted()).wrong is Flaw.FORM
    assert verify_export(b"", trusted()).wrong is Flaw.FORM


def test_what_goes_on_is_said_and_breaks_nothing() -> None:
    tournament = Season(SWISS)
    tournament.draw(4)
    tournament.begin(tournament.settle().orders[0])

    verdict = verify_export(sealed(tournament), trusted())

    assert verdict.finding is Finding.NOT_OPEN
    assert "1 matches go on, or never ended" in verdict.notes
