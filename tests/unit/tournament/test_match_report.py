"""What a referee notes of matches and reports of them."""

from dataclasses import replace

from tests.unit.tournament.asking import ask, refusal
from tests.unit.tournament.driving import Tournament, one_stage, won

from ginref.record.lifecycle import EndingKind
from ginref.tournament.error import Objection
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.operation import Advance, RecordMatch, ReportMatch
from ginref.tournament.result import Outcome


def running() -> Tournament:
    tournament = Tournament(one_stage({"format": "single_elimination"}))
    tournament.start(4)
    return tournament


def first_match(tournament: Tournament) -> RecordMatch:
    order = tournament.settle().orders[0]
    return RecordMatch(
        fixture=order.fixture, attempt=order.attempt, game=order.game, match="m-1"
    )


def report(match: RecordMatch, outcome: Outcome) -> ReportMatch:
    return ReportMatch(
        fixture=match.fixture,
        attempt=match.attempt,
        game=match.game,
        match=match.match,
        outcome=outcome,
        record="ab" * 32,
    )


def test_a_match_is_noted_once_and_reported_once() -> None:
    tournament = running()
    match = first_match(tournament)
    ended = report(match, won("bot-01", tournament.node("R1.1")))

    assert len(ask(tournament, match).events) == 1
    assert ask(tournament, match).events == ()
    assert len(ask(tournament, ended).events) == 1
    assert ask(tournament, ended).events == ()
    assert tournament.node("R1.1").winner == "bot-01"


def test_another_match_for_the_same_place_is_a_conflict() -> None:
    tournament = running()
    match = first_match(tournament)
    ask(tournament, match)

    assert refusal(tournament, replace(match, match="m-2")) is Objection.CONFLICT
    assert refusal(tournament, replace(match, game=2)) is Objection.WRONG_TIME
    assert refusal(tournament, replace(match, attempt=2)) is Objection.WRONG_TIME


def test_no_match_begins_while_it_is_paused() -> None:
    tournament = running()
    match = first_match(tournament)
    ask(tournament, Advance(to=Lifecycle.PAUSED))

    assert refusal(tournament, match) is Objection.WRONG_TIME


def test_a_report_must_be_about_its_match() -> None:
    tournament = running()
    match = first_match(tournament)
    fixture = tournament.node("R1.1")
    unknown = report(match, won("bot-01", fixture))
    assert refusal(tournament, unknown) is Objection.UNKNOWN
    ask(tournament, match)
    stranger = Outcome(ending=EndingKind.COMPLETED, winner="bot-02", boards=(9,))
    assert refusal(tournament, report(match, stranger)) is Objection.INVALID

    ask(tournament, report(match, won("bot-01", fixture)))

    other = report(match, won("bot-04", fixture))
    assert refusal(tournament, other) is Objection.CONFLICT


def test_a_finished_fixture_takes_no_further_match() -> None:
    tournament = running()
    match = first_match(tournament)
    ask(tournament, match)
    ask(tournament, report(match, won("bot-01", tournament.node("R1.1"))))

    assert refusal(tournament, replace(match, game=2)) is Objection.WRONG_TIME
