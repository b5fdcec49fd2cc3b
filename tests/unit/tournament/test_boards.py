"""Which matches have the same cards."""

from tests.unit.tournament.driving import Tournament, better_seed, one_stage

from ginref.tournament.fixture import Fixture
from ginref.tournament.plan import MatchOrder
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
