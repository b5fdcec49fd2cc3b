"""An export beside the records of its matches, which were really played."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from tests.unit.conftest import Referee
from tests.unit.tournament.driving import Tournament, better_seed, one_stage
from tests.unit.tournament.exporting import (
    PlayedSeason,
    rewritten,
    sealed,
    trusted,
)

from ginref.record.document import PAYLOAD_TYPE, build_record
from ginref.record.envelope import parse_envelope, seal_envelope
from ginref.record.flaw import Flaw
from ginref.record.tournament_place import TournamentPlace
from ginref.record.verify import Finding
from ginref.tournament.event import Event, MatchCreated, MatchEnded
from ginref.tournament.export_match import MatchRecord, read_match_record
from ginref.tournament.export_verify import ExportVerdict, verify_export
from ginref.tournament.log import LogEntry, append
from ginref.tournament.witness import contradicts

CUP = one_stage(
    {"format": "single_elimination"},
    match={
        "ruleset": {"name": "short", "preset": "gin", "game_target": 20},
        "clock": "fast",
    },
)


@pytest.fixture(scope="module")
def played() -> PlayedSeason:
    cup = PlayedSeason(CUP)
    cup.draw(3)
    cup.play(better_seed)
    cup.open()
    return cup


@pytest.fixture(scope="module")
def records(played: PlayedSeason) -> list[MatchRecord]:
    return [
        read_match_record(f"{match}.json", envelope, trusted())
        for match, envelope in played.records().items()
    ]


def judge(played: Tournament, records: Sequence[MatchRecord]) -> ExportVerdict:
    return verify_export(sealed(played), trusted(), records)


def with_events(played: Tournament, change: Callable[[Event], Event]) -> Tournament:
    entries = [replace(one, event=change(one.event)) for one in played.entries]
    return rewritten(played, entries)


def test_every_result_is_what_its_record_says(
    played: PlayedSeason, records: list[MatchRecord]
) -> None:
    verdict = verify_export(sealed(played, played.services()), trusted(), records)

    assert (verdict.finding, verdict.problem) == (Finding.VALID, None)
    assert verdict.compared is not None
    assert verdict.compared.matches == len(records) == 2
    assert verdict.compared.services == played.services()
    assert verdict.notes == ()


def test_a_record_that_is_missing_is_named(
    played: PlayedSeason, records: list[MatchRecord]
) -> None:
    verdict = judge(played, records[1:])

    assert verdict.wrong is Flaw.CHAIN
    assert verdict.problem is not None
    assert verdict.problem.endswith(f"the record of {records[0].match} is missing")


def test_another_record_of_the_same_match_is_named(
    played: PlayedSeason, records: list[MatchRecord]
) -> None:
    setup, entries = played.logs[records[0].match or ""]
    other = build_record(replace(setup, creator="somebody"), entries)
    envelope = seal_envelope(other, PAYLOAD_TYPE, Referee())

    verdict = judge(
        played, [read_match_record("other", envelope, trusted()), *records[1:]]
    )

    assert verdict.problem is not None
    assert verdict.problem.endswith("is another one: other")


def test_a_broken_record_breaks_the_export(
    played: PlayedSeason, records: list[MatchRecord]
) -> None:
    envelope = next(iter(played.records().values()))
    payload = parse_envelope(envelope).payload
    unsigned = json.dumps(
        {
            **json.loads(envelope),
            "signatures": [],
        }
    ).encode()
    assert parse_envelope(unsigned).payload == payload

    broken = read_match_record("broken", unsigned, trusted())
    verdict = judge(played, [broken, *records[1:]])

    assert verdict.wrong is Flaw.SIGNATURE
    assert verdict.problem is not None
    assert "broken: nobody has signed it" in verdict.problem


def test_a_result_that_is_not_that_of_the_record_is_found(
    played: PlayedSeason, records: list[MatchRecord]
) -> None:
    last = max(
        at for at, one in enumerate(played.entries) if isinstance(one.event, MatchEnded)
    )

    def lie(entry: LogEntry) -> Event:
        event = entry.event
        if entry.sequence != last + 1 or not isinstance(event, MatchEnded):
            return event
        boards = tuple(net + 1 for net in event.outcome.boards)
        return replace(event, outcome=replace(event.outcome, boards=boards))

    entries = [replace(one, event=lie(one)) for one in played.entries]
    verdict = judge(rewritten(played, entries), records)

    assert verdict.wrong is Flaw.ENDING
    assert verdict.problem is not None
    assert "ended otherwise than the log says: completed" in verdict.problem


def test_a_record_stands_for_the_log_that_its_match_was_created_in(
    played: PlayedSeason, records: list[MatchRecord]
) -> None:
    # Everything is told a second later, and all of it fits but for the records.
    entries: list[LogEntry] = []
    for one in played.entries:
        entries.append(
            append(
                entries,
                one.event,
                time_ms=one.time_ms + 1_000,
                actor=one.actor,
                request_id=one.request_id,
            )
        )
    other = rewritten(played, entries)

    verdict = judge(other, records)

    assert verdict.wrong is Flaw.CHAIN
    assert verdict.problem is not None
    assert verdict.problem.endswith("the log that it was created in was another one")
    assert contradicts(1, played.entries[0].digest, other.entries)


def test_cards_that_do_not_follow_from_the_secret_are_found(
    played: PlayedSeason, records: list[MatchRecord]
) -> None:
    def uncommitted(event: Event) -> Event:
        if isinstance(event, MatchCreated):
            return replace(event, commitment=None)
        return event

    # Without commitments in the log, the cards themselves must tell.
    other = with_events(played, uncommitted)
    record = records[0].verdict.record
    assert record is not None
    openings = {**record.document["openings"], "secret": "00" * 32}
    document = {**record.document, "openings": openings}
    setup = replace(record.setup, place=None)
    changed = replace(record, document=document, setup=setup)
    verdict = replace(records[0].verdict, record=changed)

    found = judge(other, [replace(records[0], verdict=verdict), *records[1:]])

    assert found.wrong is Flaw.DEAL
    assert found.problem is not None
    assert "do not follow from the tournament's secret" in found.problem


def test_service_times_are_worked_out_again(
    played: PlayedSeason, records: list[MatchRecord]
) -> None:
    first, *others = played.services()
    faster = replace(first, referee_ms=first.referee_ms - 1)

    verdict = verify_export(sealed(played, [faster, *others]), trusted(), records)

    assert first.submissions > 0
    assert first.longest_ms <= first.referee_ms
    assert verdict.wrong is Flaw.CLOCK


def unnamed(record: MatchRecord, place: TournamentPlace | None) -> MatchRecord:
    """Return the record of a match that no entry of the log has created."""
    read = record.verdict.record
    assert read is not None
    other = replace(read, setup=replace(read.setup, match_id="m-more", place=place))
    verdict = replace(record.verdict, record=other)
    return replace(record, name="more", digest="", verdict=verdict)


def test_rerun_an_attempt_that_is_in_no_log_is_found_by_its_record(
    played: PlayedSeason, records: list[MatchRecord]
) -> None:
    read = records[0].verdict.record
    assert read is not None
    assert read.setup.place is not None
    again = replace(read.setup.place, attempt=2)

    verdict = judge(played, [*records, unnamed(records[0], again)])

    assert verdict.wrong is Flaw.CHAIN
    assert verdict.problem == (
        f"more: m-more, attempt 2 of {again.fixture}, was played, and the log does"
        " not name it"
    )


def test_a_record_of_something_else_is_only_said(
    played: PlayedSeason, records: list[MatchRecord]
) -> None:
    read = records[0].verdict.record
    assert read is not None
    assert read.setup.place is not None
    later = replace(read.setup.place, length=len(played.entries) + 1)
    strangers = [unnamed(records[0], place) for place in (None, later)]

    found = judge(played, [*records, *strangers])

    assert found.finding is Finding.VALID
    assert "2 records are of matches that the log does not name" in found.notes
