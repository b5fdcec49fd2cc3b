"""Corrections, awards and further attempts: what they change and what they must not."""

import pytest
from tests.unit.tournament.asking import ask, correction, refusal
from tests.unit.tournament.driving import (
    Tournament,
    better_seed,
    one_stage,
    won,
    worse_seed,
)

from ginref.record.lifecycle import EndingKind
from ginref.tournament.error import Objection
from ginref.tournament.event import Cascade, Expired, Requeued
from ginref.tournament.fixture import Fixture, FixtureState
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.operation import (
    Advance,
    Award,
    Correct,
    Requeue,
)
from ginref.tournament.plan import MatchOrder
from ginref.tournament.result import (
    Cause,
    DoubleForfeited,
    Drawn,
    Forfeited,
    FreeRound,
    Outcome,
    Result,
    Voided,
    Won,
)

SINGLE = one_stage({"format": "single_elimination"})
SWISS = one_stage({"format": "swiss", "rounds": 3})


def test_a_corrected_result_changes_who_goes_on(bracket: Tournament) -> None:
    ask(bracket, correction(bracket.node("R1.1"), "bot-04"))

    assert bracket.node("R2.1").entrants == ("bot-04", "bot-02")


def test_a_strict_correction_is_refused_once_the_next_fixture_has_started(
    bracket: Tournament,
) -> None:
    bracket.begin(bracket.settle().orders[0])

    assert (
        refusal(bracket, correction(bracket.node("R1.1"), "bot-04"))
        is Objection.DEPENDENTS_STARTED
    )
    assert bracket.node("R2.1").entrants == ("bot-01", "bot-02")


def test_a_correction_can_have_what_follows_played_again(bracket: Tournament) -> None:
    order = bracket.settle().orders[0]
    match = bracket.begin(order)
    first = bracket.node("R2.1").fixture_id

    mode = Cascade.RESET_DEPENDENTS
    decision = ask(bracket, correction(bracket.node("R1.1"), "bot-04", mode))

    assert [getattr(event, "reset", None) for event in decision.events] == [(first,)]
    final = bracket.node("R2.1")
    assert final.entrants == ("bot-04", "bot-02")
    assert final.state is FixtureState.READY
    assert bracket.settle().aborts == (match,)
    # Back again: what was played before the correction does not count.
    bracket.finish(order, won("bot-01", final))
    ask(bracket, correction(bracket.node("R1.1"), "bot-01", mode))
    again = bracket.node("R2.1")
    assert (again.fixture_id, again.attempt) == (first, 2)
    assert again.state is FixtureState.READY


def test_a_correction_for_the_record_leaves_who_goes_on(bracket: Tournament) -> None:
    bracket.begin(bracket.settle().orders[0])

    ask(bracket, correction(bracket.node("R1.1"), "bot-04", Cascade.RECORD_ONLY))

    first = bracket.node("R1.1")
    assert first.result == Won("bot-04")
    assert first.winner == "bot-01"
    assert bracket.node("R2.1").entrants == ("bot-01", "bot-02")


def test_a_correction_that_names_the_same_winner_disturbs_nothing(
    bracket: Tournament,
) -> None:
    bracket.begin(bracket.settle().orders[0])
    fixture = bracket.node("R1.1")
    operation = Correct(
        fixture=fixture.fixture_id,
        attempt=1,
        result=Forfeited("bot-04", Cause.RULING),
        mode=Cascade.STRICT,
        reason="it had stopped before",
    )

    ask(bracket, operation)

    assert bracket.node("R1.1").result == Forfeited("bot-04", Cause.RULING)
    assert bracket.node("R2.1").state is FixtureState.PLAYING


def test_a_correction_that_is_made_twice_is_made_once(bracket: Tournament) -> None:
    operation = correction(bracket.node("R1.1"), "bot-04")
    ask(bracket, operation)

    assert ask(bracket, operation).events == ()


def test_a_tournament_runs_again_when_its_last_result_is_taken_back() -> None:
    tournament = Tournament(
        one_stage({"format": "single_elimination"}, schedule={"appeals": "1h"})
    )
    tournament.start(2)
    tournament.step(better_seed)
    tournament.settle()
    assert tournament.plan().ledger.lifecycle is Lifecycle.FINISHING
    fixture = tournament.node("R1.1")

    ask(tournament, Requeue(fixture=fixture.fixture_id, attempt=1, reason="appeal"))

    planned = tournament.settle()
    assert planned.ledger.lifecycle is Lifecycle.RUNNING
    assert [order.attempt for order in planned.orders] == [2]


def test_a_swiss_round_is_paired_anew_after_a_correction_before_it_starts() -> None:
    tournament = Tournament(SWISS)
    tournament.start(4)
    tournament.step(better_seed)
    before = tournament.settle().stages[0].rounds[1].pairs

    ask(tournament, correction(tournament.node("R1.1"), "bot-03"))

    after = tournament.settle().stages[0].rounds[1].pairs
    assert before == (("bot-01", "bot-02"), ("bot-03", "bot-04"))
    assert after == (("bot-02", "bot-03"), ("bot-01", "bot-04"))


def test_a_swiss_result_can_be_corrected_while_pairings_stay() -> None:
    tournament = Tournament(SWISS)
    tournament.start(4)
    tournament.step(better_seed)
    tournament.begin(tournament.settle().orders[0])

    ask(tournament, correction(tournament.node("R1.1"), "bot-03", Cascade.RECORD_ONLY))

    assert tournament.settle().stages[0].rounds[1].pairs[0] == ("bot-01", "bot-02")
    assert tournament.places()[0][1] <= {"bot-02", "bot-03"}


@pytest.mark.parametrize(
    ("result", "is_allowed"),
    [
        (Won("bot-01"), True),
        (Forfeited("bot-04", Cause.RULING), True),
        (DoubleForfeited(Cause.RULING), True),
        (Voided("bot-01"), True),
        (Won("bot-02"), False),
        (Forfeited("bot-03", Cause.RULING), False),
        (Drawn(), False),
        (Voided(), False),
        (FreeRound("bot-01"), False),
    ],
    ids=repr,
)
def test_an_award_must_be_a_result_that_the_fixture_can_have(
    result: Result, *, is_allowed: bool
) -> None:
    tournament = Tournament(SINGLE)
    tournament.start(4)
    tournament.settle()
    fixture = tournament.node("R1.1")
    operation = Award(
        fixture=fixture.fixture_id, attempt=1, result=result, reason="power cut"
    )

    if not is_allowed:
        assert refusal(tournament, operation) is Objection.INVALID
        return
    ask(tournament, operation)

    assert tournament.node("R1.1").result == result
    assert ask(tournament, operation).events == ()


def test_a_decided_fixture_takes_no_other_result(bracket: Tournament) -> None:
    fixture = bracket.node("R1.1")
    operation = Award(
        fixture=fixture.fixture_id, attempt=1, result=Won("bot-04"), reason="no"
    )

    assert refusal(bracket, operation) is Objection.CONFLICT


def test_a_fixture_that_is_asked_for_twice_is_played_again_once() -> None:
    tournament = Tournament(SWISS)
    tournament.start(4)
    tournament.step(better_seed)
    fixture = tournament.node("R1.1")
    operation = Requeue(fixture=fixture.fixture_id, attempt=1, reason="wrong rules")

    first, second = ask(tournament, operation), ask(tournament, operation)

    assert (len(first.events), len(second.events)) == (1, 0)
    again = tournament.node("R1.1")
    assert (again.attempt, again.state) == (2, FixtureState.READY)
    assert len(tournament.plan().ledger.games[fixture.fixture_id, 1]) == 1
    later = Requeue(fixture=fixture.fixture_id, attempt=5, reason="?")
    assert refusal(tournament, later) is Objection.ATTEMPT


def test_what_the_referee_cannot_finish_is_tried_again_and_then_void() -> None:
    document = one_stage({"format": "single_elimination"}, conduct={"attempts": 2})
    tournament = Tournament(document)
    tournament.start(2)

    def breaks(fixture: Fixture, order: MatchOrder) -> Outcome:
        assert (fixture.attempt, order.game) in {(1, 1), (2, 1)}
        return Outcome(ending=EndingKind.VOID)

    tournament.play(breaks)

    assert tournament.node("R1.1").result == Voided("bot-01")
    requeued = [e.event for e in tournament.entries if isinstance(e.event, Requeued)]
    assert [event.reason for event in requeued] == ["void"]


def test_a_match_that_was_aborted_waits_for_the_organizer() -> None:
    tournament = Tournament(SINGLE)
    tournament.start(2)
    order = tournament.settle().orders[0]
    tournament.begin(order)
    tournament.finish(order, Outcome(ending=EndingKind.ABORTED))

    planned = tournament.settle()

    assert tournament.node("R1.1").state is FixtureState.STOPPED
    assert (planned.orders, planned.events) == ((), ())
    fixture = tournament.node("R1.1").fixture_id
    ask(tournament, Requeue(fixture=fixture, attempt=1, reason="again"))
    assert [one.attempt for one in tournament.settle().orders] == [2]


def test_a_fixture_whose_time_is_over_is_decided_by_what_was_played() -> None:
    document = one_stage(
        {"format": "single_elimination"},
        match={"best_of": 5},
        schedule={"fixture": "1h"},
    )
    tournament = Tournament(document)
    tournament.start(2)
    tournament.step(worse_seed)
    match = tournament.begin(tournament.settle().orders[0])

    tournament.now_ms += 3_600_000
    planned = tournament.settle()

    assert tournament.node("R1.1").winner == "bot-02"
    assert planned.aborts == (match,)


def test_a_pause_takes_no_time_of_a_fixture() -> None:
    document = one_stage({"format": "single_elimination"}, schedule={"fixture": "1h"})
    tournament = Tournament(document)
    tournament.start(2)
    tournament.begin(tournament.settle().orders[0])
    ask(tournament, Advance(to=Lifecycle.PAUSED))
    tournament.now_ms += 7_200_000
    assert tournament.settle().events == ()
    ask(tournament, Advance(to=Lifecycle.RUNNING))

    assert tournament.plan().events == ()
    tournament.now_ms += 3_600_000
    assert [type(event) for event in tournament.plan().events] == [Expired]
