"""What a tournament takes from a match that was really played."""

from collections.abc import Callable

import pytest

from ginref.engine.ruleset import GIN
from ginref.engine.seat import Seat
from ginref.record.entry import Aborted, Entry, Resigned, StampedEntry, Voided
from ginref.record.lifecycle import EndingKind, Stage
from ginref.record.replay import replay
from ginref.record.setup import Setup
from ginref.tournament.configuration import LuckWorth
from ginref.tournament.outcome import outcome_of

PlayedMatch = tuple[Setup, tuple[StampedEntry, ...]]
NORTH, SOUTH = "careful", "greedy"


def test_points_of_all_rounds_are_seen_from_the_first_entrant(
    play_match: Callable[..., PlayedMatch],
) -> None:
    setup, entries = play_match(3)
    totals = replay(setup, entries).state

    north, south = (outcome_of(setup, entries, bot) for bot in (NORTH, SOUTH))

    assert north.ending is EndingKind.COMPLETED
    assert totals.match is not None
    points = totals.match.sheet.points
    assert sum(north.boards) == points[0] - points[1]
    assert south.boards == tuple(-net for net in north.boards)
    assert north.winner == south.winner == (NORTH if points[0] > points[1] else SOUTH)


def test_a_match_of_boards_has_a_figure_for_each_of_them(
    play_match: Callable[..., PlayedMatch], make_setup: Callable[..., Setup]
) -> None:
    rules = GIN.but(name="boards", boards=3, next_dealer="board_parity")

    outcome = outcome_of(*play_match(5, setup=make_setup(5, rules=rules)), NORTH)

    assert len(outcome.boards) == 3


def test_luck_is_worked_out_for_each_board_and_changes_sides(
    play_match: Callable[..., PlayedMatch],
) -> None:
    setup, entries = play_match(7)

    north, south = (
        outcome_of(setup, entries, bot, LuckWorth()) for bot in (NORTH, SOUTH)
    )

    assert len(north.luck) == len(north.boards)
    assert any(north.luck)
    assert south.luck == tuple(-points for points in north.luck)
    doubled = outcome_of(setup, entries, NORTH, LuckWorth(deal=66, draws=100))
    assert all(
        abs(twice - 2 * once) <= 1
        for twice, once in zip(doubled.luck, north.luck, strict=True)
    )


@pytest.mark.parametrize(
    ("ending", "kind", "winner", "at_fault"),
    [
        (Resigned(Seat.SOUTH), EndingKind.RESIGNED, NORTH, (SOUTH,)),
        (Aborted(), EndingKind.ABORTED, None, ()),
        (Voided(), EndingKind.VOID, None, ()),
    ],
)
def test_who_is_at_fault_is_named(
    play_match: Callable[..., PlayedMatch],
    ending: Entry,
    kind: EndingKind,
    winner: str | None,
    at_fault: tuple[str, ...],
) -> None:
    setup, entries = play_match(2, ending=ending)

    outcome = outcome_of(setup, entries, SOUTH, LuckWorth())

    assert (outcome.ending, outcome.winner, outcome.at_fault) == (
        kind,
        winner,
        at_fault,
    )
    assert len(outcome.luck) == len(outcome.boards)


def test_a_match_that_was_never_dealt_has_no_boards(
    play_match: Callable[..., PlayedMatch],
) -> None:
    setup, entries = play_match(2, ending=Aborted(), ends_in=Stage.COMMITTING)

    outcome = outcome_of(setup, entries, NORTH, LuckWorth())

    assert (outcome.boards, outcome.luck) == ((), ())


def test_a_match_that_goes_on_or_is_another_one_s_has_no_outcome(
    play_match: Callable[..., PlayedMatch],
) -> None:
    setup, entries = play_match(2)

    with pytest.raises(ValueError, match="that is over"):
        outcome_of(setup, entries[:-1], NORTH)
    with pytest.raises(ValueError, match="of the fixture"):
        outcome_of(setup, entries, "somebody")
