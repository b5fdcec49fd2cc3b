"""Requests: repeated ones, contradictory ones, and what they would change."""

from tests.unit.tournament.asking import ask, correction, refusal
from tests.unit.tournament.driving import Tournament, one_stage

from ginref.tournament.decide import Asked, decide
from ginref.tournament.difference import preview
from ginref.tournament.error import Objection
from ginref.tournament.event import Exit
from ginref.tournament.operation import ChangeTieBreaks, Withdraw
from ginref.tournament.tiebreak import Criterion


def test_the_same_request_is_answered_by_the_same_entry(bracket: Tournament) -> None:
    operation = Withdraw(bot="bot-02", reason="holidays")
    ask(bracket, operation, request_id="req-1")
    entry = len(bracket.entries)

    again = ask(bracket, operation, request_id="req-1", expected_version=1)

    assert (again.events, again.answered) == ((), entry)
    other = Withdraw(bot="bot-01", reason="holidays")
    assert refusal(bracket, other, request_id="req-1") is Objection.REQUEST_REUSED
    # Others have request ids of their own.
    assert ask(bracket, other, request_id="req-1", actor="somebody").answered is None


def test_a_request_for_another_order_is_another_request() -> None:
    tournament = Tournament(one_stage({"format": "swiss", "rounds": 2}))
    tournament.start(4)

    def order(*criteria: Criterion) -> ChangeTieBreaks:
        return ChangeTieBreaks(stage="main", order=criteria, reason="as announced")

    ask(tournament, order(Criterion.BUCHHOLZ), request_id="req-1")

    other = order(Criterion.WINS)
    assert refusal(tournament, other, request_id="req-1") is Objection.REQUEST_REUSED


def test_two_organizers_at_once_have_one_effect_and_one_conflict(
    bracket: Tournament,
) -> None:
    version = bracket.plan().ledger.version
    ask(bracket, correction(bracket.node("R1.1"), "bot-04"))

    second = correction(bracket.node("R1.2"), "bot-03")

    assert refusal(bracket, second, expected_version=version) is Objection.VERSION
    assert bracket.node("R1.2").winner == "bot-02"


def test_a_preview_names_what_would_change_and_changes_nothing(
    bracket: Tournament,
) -> None:
    asked = Asked(
        actor="organizer", request_id="p", expected_version=None, now_ms=bracket.now_ms
    )
    decision = decide(bracket.plan(), correction(bracket.node("R1.1"), "bot-04"), asked)
    length = len(bracket.entries)

    changes = preview(
        bracket.configuration, bracket.entries, decision.events, bracket.now_ms
    )

    by_path = {change.path: change for change in changes}
    final = by_path["fixtures.main/R2.1"]
    assert final.before == "bot-01 - bot-02, ready, attempt 1"
    assert final.after == "bot-04 - bot-02, ready, attempt 1"
    assert by_path["ranks.main/-/bot-01"].after == "3"
    assert "fixtures.main/R1.2" not in by_path
    assert len(bracket.entries) == length


def test_an_organizer_withdraws_and_the_referee_withdraws_for_other_reasons(
    bracket: Tournament,
) -> None:
    ask(bracket, Withdraw(bot="bot-02"))

    assert bracket.plan().ledger.departures["bot-02"].exit is Exit.REQUEST
    assert refusal(bracket, Withdraw(bot="nobody")) is Objection.UNKNOWN
