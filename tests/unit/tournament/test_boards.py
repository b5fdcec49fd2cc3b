"""Which matches have the same cards."""

import pytest
from tests.unit.tournament.asking import ask, correction
from tests.unit.tournament.driving import Tournament, better_seed, one_stage

from ginref.tournament.configuration import Boards
from ginref.tournament.event import Cascade
from ginref.tournament.fixture import Fixture
from ginref.tournament.operation import Requeue
from ginref.tournament.plan import MatchOrder, order_match
from ginref.tournament.result import Outcome


def test_common_boards_are_the_same_at_all_tables_of_a_round_and_new_in_the_next() -> (
    None
):
    boards = {"name": "b", "boards": 4, "next_dealer": "board_parity"}
    document = one_stage(
        {"format": "swiss", "rounds": 2},
        boards="common",
        trust="closed",
        match={"ruleset": boards, "best_of": 1},
    )
    tournament = Tournament(document)
    tournament.start(4)

    deals = []
    for _ in range(2):
        planned = tournament.step(better_seed)
        deals.append({order.deal for order in planned.orders})

    assert [len(names) for names in deals] == [1, 1]
    assert deals[0] != deals[1]


@pytest.mark.parametrize(
    "stage",
    [
        pytest.param({"format": "swiss", "rounds": 3}, id="swiss"),
        pytest.param({"format": "single_elimination"}, id="bracket"),
    ],
)
def test_whoever_comes_to_a_round_by_a_correction_plays_boards_that_nobody_has_seen(
    stage: dict[str, object],
) -> None:
    boards = {"name": "b", "boards": 4, "next_dealer": "board_parity"}
    document = one_stage(
        stage, boards="common", trust="closed", match={"ruleset": boards}
    )
    tournament = Tournament(document)
    tournament.start(8)
    tournament.step(better_seed)
    seen = tournament.settle().orders
    tournament.begin(seen[0])

    bot = seen[0].bots[0]
    won = next(
        one
        for one in tournament.plan().fixtures()
        if one.round == 1 and bot in one.entrants
    )
    loser = next(str(one) for one in won.entrants if one != won.winner)
    ask(tournament, correction(won, loser, Cascade.RESET_DEPENDENTS))

    again = tournament.settle().orders
    assert len(again) == len(seen)
    assert not {order.deal for order in again} & {order.deal for order in seen}
    # All tables that have not begun have the same boards again.
    first = [one for one in again if one.attempt == 1]
    assert len(first) > 1
    assert len({order.deal for order in first}) == 1
    # A match that is to be made is the same however late somebody makes it.
    tournament.begin(first[0])
    fixture = tournament.plan().fixture(first[0].fixture)
    assert fixture is not None
    assert order_match(Boards.COMMON, fixture, 1) == first[0]


def test_boards_are_new_where_a_round_that_was_to_be_played_again_has_other_pairs() -> (
    None
):
    boards = {"name": "b", "boards": 4, "next_dealer": "board_parity"}
    document = one_stage(
        {"format": "single_elimination"},
        boards="common",
        trust="closed",
        match={"ruleset": boards},
    )
    tournament = Tournament(document)
    tournament.start(4)
    tournament.step(better_seed)
    (seen,) = tournament.settle().orders
    tournament.begin(seen)

    # First the final, then what led to it: nothing that follows has begun any more.
    ask(tournament, Requeue(fixture=seen.fixture, attempt=1, reason="a power cut"))
    ask(tournament, correction(tournament.node("R1.1"), "bot-04"))

    (order,) = tournament.settle().orders
    assert order.attempt == 1
    assert order.deal != seen.deal


def test_independent_boards_differ_at_every_table() -> None:
    tournament = Tournament(one_stage({"format": "swiss", "rounds": 2}))
    tournament.start(8)

    orders = tournament.settle().orders

    assert len({order.deal for order in orders}) == len(orders) == 4


def test_mirrored_boards_are_played_twice_with_the_seats_changed() -> None:
    boards = {"name": "b", "boards": 4, "next_dealer": "board_parity"}
    document = one_stage(
        {"format": "single_elimination"},
        boards="mirrored",
        resettable=True,
        match={"ruleset": boards},
    )
    tournament = Tournament(document)
    tournament.start(2)
    seen: list[MatchOrder] = []

    def watch(fixture: Fixture, order: MatchOrder) -> Outcome:
        seen.append(order)
        return better_seed(fixture, order)

    tournament.play(watch)

    first, second = seen
    assert first.deal == second.deal
    assert first.bots == second.bots[::-1]
