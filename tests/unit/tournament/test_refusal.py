"""What is refused: reports that do not fit, and operations at the wrong time."""

from dataclasses import replace
from typing import Any

import pytest
from tests.unit.tournament.asking import ask, refusal
from tests.unit.tournament.driving import (
    LOTS,
    Tournament,
    better_seed,
    drawn,
    one_stage,
)

from ginref.tournament.error import LogError, Objection
from ginref.tournament.event import (
    Advanced,
    AppealDecided,
    AppealFiled,
    Cascade,
    CheckedIn,
    Configured,
    Corrected,
    Event,
    Handling,
    MatchCreated,
    MatchEnded,
    Registered,
    Requeued,
    Seeded,
    StageClosed,
    Withdrawn,
)
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.operation import (
    Advance,
    Award,
    ChangeTieBreaks,
    CloseStage,
    Configure,
    Correct,
    DecideAppeal,
    Disqualify,
    Enter,
    FileAppeal,
    IssueCodes,
    Operation,
    PairManually,
    Requeue,
    SeedField,
    Withdraw,
)
from ginref.tournament.result import Drawn, Voided, Won
from ginref.tournament.tiebreak import Criterion

CUP = one_stage({"format": "single_elimination"}, schedule={"appeals": "1h"})
SWISS = one_stage({"format": "swiss", "rounds": 2}, schedule={"appeals": "1h"})
TIES = (Criterion.MATCH_POINTS,)


def running(document: dict[str, Any] = CUP, count: int = 4) -> Tournament:
    tournament = Tournament(document)
    tournament.start(count)
    tournament.settle()
    return tournament


def fixture_of(tournament: Tournament, node: str = "R1.1") -> str:
    return tournament.node(node).fixture_id


def appeal(**changes: Any) -> FileAppeal:  # noqa: ANN401
    facts = {"appeal": "a-1", "fixture": "", "bot": "bot-04", "text": "but", **changes}
    return FileAppeal(**facts)


@pytest.mark.parametrize(
    ("operation", "objection"),
    [
        pytest.param(
            Award(fixture="?", attempt=1, result=Won("a"), reason=""),
            Objection.UNKNOWN,
            id="no such fixture",
        ),
        pytest.param(
            Requeue(fixture="", attempt=1, reason=""),
            Objection.UNKNOWN,
            id="a fixture without identity",
        ),
        pytest.param(appeal(), Objection.UNKNOWN, id="an appeal against nothing"),
        pytest.param(
            appeal(bot="nobody"), Objection.UNKNOWN, id="an appeal of a stranger"
        ),
        pytest.param(
            DecideAppeal(appeal="a-1", upheld=True, reason=""),
            Objection.UNKNOWN,
            id="no such appeal",
        ),
        pytest.param(
            PairManually(stage="main", round=1, pairs=(), reason=""),
            Objection.INVALID,
            id="pairs in a bracket",
        ),
        pytest.param(
            CloseStage(stage="main"), Objection.INVALID, id="a bracket ends by itself"
        ),
        pytest.param(
            IssueCodes(codes=("a", "a")), Objection.DUPLICATE, id="a code twice"
        ),
        pytest.param(
            IssueCodes(codes=("a",)), Objection.WRONG_TIME, id="codes after the start"
        ),
        pytest.param(
            SeedField(lots="ab"), Objection.INVALID, id="lots that are no secret"
        ),
        pytest.param(
            SeedField(lots=LOTS.hex(), order=("bot-04", "bot-03", "bot-02", "bot-01")),
            Objection.WRONG_TIME,
            id="other seeds after the start",
        ),
        pytest.param(
            Configure(configuration="?"), Objection.WRONG_TIME, id="another file"
        ),
    ],
)
def test_what_is_not_there_or_too_late_is_refused(
    operation: Operation, objection: Objection
) -> None:
    assert refusal(running(), operation) is objection


def test_a_fixture_that_was_not_played_is_neither_corrected_nor_played_again() -> None:
    tournament = running()
    fixture = fixture_of(tournament)
    correct = Correct(
        fixture=fixture, attempt=1, result=Won("bot-04"), mode=Cascade.STRICT, reason=""
    )

    assert refusal(tournament, correct) is Objection.WRONG_TIME
    again = Requeue(fixture=fixture, attempt=1, reason="")
    assert refusal(tournament, again) is Objection.WRONG_TIME


def test_nobody_who_has_left_plays_again() -> None:
    tournament = running()
    tournament.step(better_seed)
    fixture = fixture_of(tournament)
    ask(tournament, Withdraw(bot="bot-04"))

    again = Requeue(fixture=fixture, attempt=1, reason="")

    assert refusal(tournament, again) is Objection.WRONG_TIME


def test_a_fixture_is_not_played_again_once_the_next_one_has_started() -> None:
    tournament = running()
    tournament.step(better_seed)
    tournament.begin(tournament.settle().orders[0])

    again = Requeue(fixture=fixture_of(tournament), attempt=1, reason="")

    assert refusal(tournament, again) is Objection.DEPENDENTS_STARTED


def test_a_void_fixture_of_a_table_has_no_winner() -> None:
    tournament = running(SWISS)
    operation = Award(
        fixture=fixture_of(tournament),
        attempt=1,
        result=Voided("bot-01"),
        reason="power cut",
    )

    assert refusal(tournament, operation) is Objection.INVALID
    ask(tournament, replace(operation, result=Drawn()))


def test_a_disqualification_can_be_repeated_and_become_graver() -> None:
    tournament = running(one_stage({"format": "round_robin"}))
    keep = Disqualify(bot="bot-02", reason="two of one owner")
    ask(tournament, Withdraw(bot="bot-02"))

    assert len(ask(tournament, keep).events) == 1
    assert ask(tournament, keep).events == ()
    assert len(ask(tournament, replace(keep, results=Handling.VOID)).events) == 1
    assert ask(tournament, Withdraw(bot="bot-02")).events == ()


def test_an_appeal_is_about_a_result_of_ones_own_and_is_decided_once() -> None:
    tournament = running()
    fixture = fixture_of(tournament)
    assert refusal(tournament, appeal(fixture=fixture)) is Objection.WRONG_TIME
    tournament.step(better_seed)
    stranger = appeal(fixture=fixture, bot="bot-02")
    assert refusal(tournament, stranger) is Objection.UNKNOWN
    ask(tournament, appeal(fixture=fixture))
    other = appeal(fixture=fixture, text="another one")
    assert refusal(tournament, other) is Objection.DUPLICATE

    decided = DecideAppeal(appeal="a-1", upheld=True, reason="right")
    ask(tournament, decided)

    assert ask(tournament, decided).events == ()
    undone = replace(decided, upheld=False)
    assert refusal(tournament, undone) is Objection.CONFLICT


def test_a_round_is_paired_by_hand_when_it_is_its_turn() -> None:
    tournament = running(SWISS)
    pairs = (("bot-01", "bot-02"), ("bot-03", "bot-04"))
    operation = PairManually(stage="main", round=2, pairs=pairs, reason="")

    assert refusal(tournament, operation) is Objection.WRONG_TIME


def test_tie_breaks_of_a_closed_stage_do_not_change() -> None:
    tournament = running(SWISS)
    tournament.play_until_finishing(better_seed)
    change = ChangeTieBreaks(stage="main", order=TIES, reason="")

    assert refusal(tournament, change) is Objection.WRONG_TIME


def test_a_ladder_is_closed_once_and_not_before_anything_was_played() -> None:
    ladder = one_stage({"format": "ladder"}, schedule={"appeals": "1h"})
    tournament = Tournament(ladder)
    tournament.start(2)
    assert refusal(tournament, CloseStage(stage="main")) is Objection.WRONG_TIME
    tournament.step(better_seed)
    ask(tournament, CloseStage(stage="main"))

    assert ask(tournament, CloseStage(stage="main")).events == ()


def test_nobody_comes_back_after_the_start() -> None:
    document = one_stage({"format": "swiss", "rounds": 2}, entry={"late": "zero"})
    tournament = running(document)
    ask(tournament, Withdraw(bot="bot-04"))

    back = Enter(bot="bot-04", owner="owner-of-bot-04")
    assert refusal(tournament, back) is Objection.ENTRY_CLOSED


def test_no_late_entrant_gets_a_place_that_is_not_there() -> None:
    document = one_stage(
        {"format": "swiss", "rounds": 2}, entry={"late": "zero", "capacity": 4}
    )

    late = Enter(bot="late-one", owner="of-late")
    assert refusal(running(document), late) is Objection.ENTRY_CLOSED


def test_a_tournament_is_finished_by_hand_only_when_nothing_is_open() -> None:
    tournament = running()
    tournament.play_until_finishing(better_seed)
    fixture = fixture_of(tournament)
    ask(tournament, appeal(fixture=fixture))
    finish = Advance(to=Lifecycle.FINISHED)
    assert refusal(tournament, finish) is Objection.WRONG_TIME
    ask(tournament, DecideAppeal(appeal="a-1", upheld=False, reason="no"))

    ask(tournament, finish)


def test_a_tournament_starts_only_with_seeds() -> None:
    tournament = Tournament(CUP)
    tournament.add(Advanced(to=Lifecycle.REGISTRATION))
    for bot in ("ann", "bob"):
        tournament.add(Registered(bot=bot, owner=f"of-{bot}"))
    tournament.add(Advanced(to=Lifecycle.CHECK_IN))
    for bot in ("ann", "bob"):
        tournament.add(CheckedIn(bot=bot))
    tournament.add(Advanced(to=Lifecycle.SEEDING))

    assert refusal(tournament, Advance(to=Lifecycle.RUNNING)) is Objection.WRONG_TIME


@pytest.mark.parametrize(
    "event",
    [
        pytest.param(Configured(configuration="?"), id="a file after the start"),
        pytest.param(Advanced(to=Lifecycle.ARCHIVED), id="a step that skips others"),
        pytest.param(Seeded(order=("bot-01",), lots=""), id="seeds after the start"),
        pytest.param(Withdrawn(bot="nobody"), id="a stranger who leaves"),
        pytest.param(
            MatchCreated(fixture="f", attempt=1, game=2, match="m"),
            id="a second match without a first",
        ),
        pytest.param(
            MatchEnded(fixture="f", attempt=1, game=0, match="m", outcome=drawn()),
            id="the end of no match",
        ),
        pytest.param(
            Requeued(fixture="f", attempt=3, stage="main", round=1, reason=""),
            id="a third attempt before a second",
        ),
        pytest.param(
            Corrected(
                fixture="f",
                attempt=1,
                stage="elsewhere",
                round=1,
                result=Drawn(),
                mode=Cascade.STRICT,
                reason="",
            ),
            id="a correction in no stage",
        ),
        pytest.param(
            AppealDecided(appeal="a-1", upheld=True, reason=""), id="no such appeal"
        ),
    ],
)
def test_a_log_with_an_event_that_cannot_be_is_none(event: Event) -> None:
    tournament = running()
    tournament.add(event)

    with pytest.raises(LogError) as caught:
        tournament.plan()

    assert caught.value.sequence == len(tournament.entries)


@pytest.mark.parametrize(
    "event",
    [
        Withdrawn(bot="bot-04"),
        StageClosed(stage="main", rankings=()),
        AppealFiled(appeal="a-1", fixture="f", bot="bot-01", text=""),
    ],
    ids=lambda event: type(event).__name__,
)
def test_what_happens_once_happens_no_second_time(event: Event) -> None:
    tournament = running()
    tournament.add(event)
    tournament.plan()
    tournament.add(event)

    with pytest.raises(LogError):
        tournament.plan()
