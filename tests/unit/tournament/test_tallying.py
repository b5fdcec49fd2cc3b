"""What fixtures count for: boards, forfeited ones with them, byes and absences."""

from typing import Any

import pytest
from tests.unit.tournament.driving import Tournament, better_seed, one_stage

from ginref.record.lifecycle import EndingKind
from ginref.tournament.event import Cascade, Corrected, Withdrawn
from ginref.tournament.fixture import Fixture
from ginref.tournament.plan import MatchOrder
from ginref.tournament.result import Drawn, Outcome
from ginref.tournament.standing_tally import Board, Kind, Tally
from ginref.tournament.table_rank import stage_tallies, stand_table

A, B = "bot-01", "bot-02"
EIGHT = {"name": "b", "boards": 4, "next_dealer": "board_parity"}
ROBIN = {"format": "round_robin"}


def tally_of(outcome: Outcome, **others: Any) -> Tally:  # noqa: ANN401
    tournament = Tournament(one_stage(ROBIN, **others))
    tournament.start(2)

    def choose(_: Fixture, __: MatchOrder) -> Outcome:
        return outcome

    tournament.play(choose)
    planned = tournament.plan()
    (tally,) = stage_tallies(planned.ledger, planned.stages[0])
    return tally


def late(*boards: int, ending: EndingKind = EndingKind.TIMED_OUT) -> Outcome:
    return Outcome(ending=ending, winner=A, at_fault=(B,), boards=boards)


@pytest.mark.parametrize(
    ("outcome", "kind", "winner", "boards"),
    [
        pytest.param(
            Outcome(ending=EndingKind.COMPLETED, winner=A, boards=(20, -5, 0, 9)),
            Kind.PLAYED,
            A,
            (Board(20), Board(-5), Board(0), Board(9)),
            id="played",
        ),
        pytest.param(
            late(20, -5),
            Kind.PLAYED,
            A,
            (Board(20), Board(-5), Board(0, (B,)), Board(0, (B,))),
            id="forfeited in the middle: what is left is forfeited",
        ),
        pytest.param(
            late(1, 2, 3, 4, ending=EndingKind.STRIKES),
            Kind.PLAYED,
            A,
            (Board(1), Board(2), Board(3), Board(4), Board(0, (B,))),
            id="forfeited at the end: one board at least",
        ),
        pytest.param(
            late(ending=EndingKind.NO_SHOW),
            Kind.FORFEIT,
            A,
            (Board(0, (B,)),) * 4,
            id="never begun: all boards are forfeited",
        ),
        pytest.param(
            Outcome(ending=EndingKind.NO_SHOW, at_fault=(A, B)),
            Kind.DOUBLE_FORFEIT,
            None,
            (Board(0, (A, B)),) * 4,
            id="both absent",
        ),
        pytest.param(
            Outcome(ending=EndingKind.COMPLETED, boards=(5, -5, 0, 0)),
            Kind.PLAYED,
            None,
            (Board(5), Board(-5), Board(0), Board(0)),
            id="drawn",
        ),
    ],
)
def test_a_fixture_counts_for_all_its_boards(
    outcome: Outcome, kind: Kind, winner: str | None, boards: tuple[Board, ...]
) -> None:
    tally = tally_of(outcome, match={"ruleset": EIGHT})

    assert (tally.kind, tally.winner, tally.boards) == (kind, winner, boards)


def test_a_race_that_is_forfeited_costs_one_board() -> None:
    assert tally_of(late(30, 12)).boards == (Board(30), Board(12), Board(0, (B,)))


def test_what_was_luck_is_known_board_by_board() -> None:
    outcome = Outcome(
        ending=EndingKind.COMPLETED, winner=A, boards=(20, -5), luck=(150, -25)
    )

    boards = tally_of(outcome).boards

    assert [board.luck for board in boards] == [1.5, -0.25]


def test_both_legs_of_a_deck_have_its_number() -> None:
    tournament = Tournament(
        one_stage(ROBIN, boards="mirrored", resettable=True, match={"ruleset": EIGHT})
    )
    tournament.start(2)

    def legs(_: Fixture, order: MatchOrder) -> Outcome:
        boards = (9, 0, 0, 0) if order.game == 1 else (-1, 0, 0, 0)
        return Outcome(ending=EndingKind.COMPLETED, boards=boards)

    tournament.play(legs)

    planned = tournament.plan()
    (tally,) = stage_tallies(planned.ledger, planned.stages[0])
    assert [board.deck for board in tally.boards] == [0, 1, 2, 3, 0, 1, 2, 3]
    assert tally.winner == A


def test_a_bye_is_worth_a_win_and_an_absence_nothing() -> None:
    tournament = Tournament(one_stage({"format": "swiss", "rounds": 2}))
    bots = tournament.start(5)
    tournament.step(better_seed)
    tournament.settle()
    tournament.add(Withdrawn(bot=bots[0]))
    tournament.play(better_seed)

    planned = tournament.plan()
    (table,) = stand_table(planned.ledger, planned.stages[0]).values()

    points = {line.entrant: (line.points, line.unplayed) for line in table}
    # Whoever had the bye met the one that left.
    assert points[bots[4]] == (2.0, (Kind.BYE, Kind.FORFEIT))
    assert points[bots[0]] == (1.0, (Kind.FORFEIT,))


def test_a_correction_for_the_record_counts_in_the_table() -> None:
    tournament = Tournament(one_stage({"format": "swiss", "rounds": 2}))
    tournament.start(4)
    tournament.step(better_seed)
    tournament.begin(tournament.settle().orders[0])
    fixture = tournament.node("R1.1")
    tournament.add(
        Corrected(
            fixture=fixture.fixture_id,
            attempt=1,
            stage="main",
            round=1,
            result=Drawn(),
            mode=Cascade.RECORD_ONLY,
            reason="the record says so",
        )
    )

    planned = tournament.plan()
    tallies = stage_tallies(planned.ledger, planned.stages[0])

    assert [one.winner for one in tallies if one.first == fixture.entrants[0]] == [None]
