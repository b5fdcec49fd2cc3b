"""Ladders: who meets whom, how often, and who is on top."""

from tests.unit.tournament.driving import (
    Tournament,
    better_seed,
    forfeited,
    one_stage,
    won,
)

from ginref.tournament.fixture import Fixture
from ginref.tournament.ladder import ladder_skills
from ginref.tournament.plan import MatchOrder
from ginref.tournament.rating_ladder import Skill
from ginref.tournament.result import Outcome


def test_a_ladder_gives_everybody_as_many_fixtures() -> None:
    tournament = Tournament(one_stage({"format": "ladder", "fixtures": 4}))
    bots = tournament.start(5)

    planned = tournament.play(better_seed)

    counts = planned.stages[0].played()
    assert set(counts) == set(bots)
    assert sorted(counts.values()) == [4, 4, 4, 4, 4]
    assert tournament.places()[0] == (1, {bots[0]})


def test_a_ladder_goes_on_while_somebody_is_slow() -> None:
    tournament = Tournament(one_stage({"format": "ladder", "fixtures": 6}))
    tournament.start(6)
    slow, *others = tournament.settle().orders
    tournament.begin(slow)

    for _ in range(3):
        planned = tournament.settle()
        for order in planned.orders:
            fixture = planned.fixture(order.fixture)
            assert fixture is not None
            tournament.begin(order)
            tournament.finish(order, better_seed(fixture, order))

    played = tournament.plan().stages[0].played()
    assert len(others) == 2
    assert max(played.values()) >= 3
    assert {played[bot] for bot in slow.bots} == {1}


def test_whoever_wins_is_on_top_and_a_ladder_pairs_like_with_like() -> None:
    tournament = Tournament(one_stage({"format": "ladder", "fixtures": 8}))
    bots = tournament.start(8)

    planned = tournament.play(better_seed)

    assert tournament.places()[0] == (1, {bots[0]})
    assert tournament.places()[-1] == (8, {bots[7]})
    late = planned.stages[0].rounds[-8:]
    apart = [abs(bots.index(a) - bots.index(b)) for each in late for a, b in each.pairs]
    assert sum(apart) / len(apart) < 3


def test_a_forfeit_costs_skill_and_gives_none() -> None:
    def skills(*, forfeits: bool) -> dict[str, Skill]:
        tournament = Tournament(one_stage({"format": "ladder", "fixtures": 1}))
        bots = tournament.start(2)

        def choose(fixture: Fixture, _: MatchOrder) -> Outcome:
            if forfeits:
                return forfeited(bots[1], fixture=fixture)
            return won(bots[0], fixture)

        planned = tournament.play(choose)
        return ladder_skills(planned.ledger, planned.stages[0])

    lost, given_up = skills(forfeits=False), skills(forfeits=True)

    assert given_up["bot-02"] == lost["bot-02"]
    assert given_up["bot-01"] == Skill()
    assert lost["bot-01"].shown > Skill().shown


def test_a_ladder_can_be_ranked_by_declared_tie_breaks() -> None:
    ladder = {"format": "ladder", "fixtures": 3, "tie_breaks": ["match_points"]}
    tournament = Tournament(one_stage(ladder))
    tournament.start(4)

    tournament.play(better_seed)

    assert [rank for rank, _ in tournament.places()] == [1, 2, 3, 4]
