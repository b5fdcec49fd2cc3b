from tests.unit.tournament.asking import ask
from tests.unit.tournament.driving import Tournament, better_seed, one_stage
from tests.unit.tournament.test_secret import BOTS, checked_in

from ginref.record.lifecycle import EndingKind
from ginref.tournament.event import RoundPaired
from ginref.tournament.operation import FileAppeal
from ginref.tournament.problem import ProblemKind, problems
from ginref.tournament.result import Outcome


def kinds(tournament: Tournament) -> list[tuple[ProblemKind, str, bool]]:
    found = problems(tournament.plan())
    return [(one.kind, one.about, one.is_blocking) for one in found]


def test_a_sound_tournament_has_no_problem() -> None:
    tournament = Tournament(one_stage({"format": "single_elimination"}))
    assert kinds(tournament) == []
    tournament.start(4)

    assert kinds(tournament) == []


def test_a_share_that_is_missing_is_one() -> None:
    assert kinds(checked_in()) == [(ProblemKind.SHARE, bot, True) for bot in BOTS]


def test_a_field_that_does_not_fit_keeps_it_from_its_start() -> None:
    tournament = Tournament(one_stage({"format": "swiss", "rounds": 5}))
    tournament.enter(["ann", "bob", "cat", "dan"])

    assert kinds(tournament) == [(ProblemKind.FIELD, "stages[0].rounds", True)]


def test_a_field_that_may_run_into_something_does_not() -> None:
    tournament = Tournament(one_stage({"format": "swiss", "rounds": 3}))
    tournament.enter(["ann", "bob", "cat", "dan"])

    assert kinds(tournament) == [(ProblemKind.FIELD, "stages[0].rounds", False)]


def test_a_fixture_that_was_aborted_waits_for_its_organizer() -> None:
    tournament = Tournament(one_stage({"format": "single_elimination"}))
    tournament.start(2)
    order = tournament.settle().orders[0]
    tournament.begin(order)
    tournament.finish(order, Outcome(ending=EndingKind.ABORTED))

    assert kinds(tournament) == [(ProblemKind.STOPPED, order.fixture, True)]


def test_a_fixture_that_is_tried_again_by_itself_does_not() -> None:
    tournament = Tournament(one_stage({"format": "single_elimination"}))
    tournament.start(2)
    order = tournament.settle().orders[0]
    tournament.begin(order)
    tournament.finish(order, Outcome(ending=EndingKind.VOID))

    assert kinds(tournament) == [(ProblemKind.STOPPED, order.fixture, False)]


def test_an_open_appeal_is_one() -> None:
    tournament = Tournament(
        one_stage({"format": "single_elimination"}, schedule={"appeals": "1h"})
    )
    tournament.start(2)
    tournament.step(better_seed)
    fixture = tournament.node("R1.1").fixture_id
    appeal = FileAppeal(appeal="a-1", fixture=fixture, bot="bot-02", text="but")
    ask(tournament, appeal)

    assert kinds(tournament) == [(ProblemKind.APPEAL, "a-1", True)]


def test_two_who_meet_again_are_named() -> None:
    tournament = Tournament(one_stage({"format": "swiss", "rounds": 3}))
    tournament.start(4)
    pairs = (("bot-01", "bot-02"), ("bot-03", "bot-04"))
    tournament.add(
        RoundPaired(stage="main", round=1, pairs=pairs, rematches=(pairs[0],))
    )

    assert kinds(tournament) == [(ProblemKind.REMATCH, "main/R1", False)]
