"""Who leaves, does not come, or crashes: walk-overs, and nobody goes missing."""

from typing import Any

import pytest
from tests.unit.tournament.driving import (
    Chooser,
    Tournament,
    better_seed,
    forfeited,
    one_stage,
    won,
)

from ginref.record.lifecycle import EndingKind
from ginref.tournament.event import Advanced, Disqualified, Exit, Handling, Withdrawn
from ginref.tournament.fixture import Fixture, FixtureState
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.plan import MatchOrder
from ginref.tournament.result import (
    Cause,
    DoubleForfeited,
    Forfeited,
    Outcome,
    Voided,
    WalkedOver,
)
from ginref.tournament.table_rank import rank_table

SINGLE = one_stage({"format": "single_elimination"}, conduct={"forfeits": None})
THIRD = one_stage(
    {"format": "single_elimination", "third_place": True}, conduct={"forfeits": None}
)
DOUBLE = one_stage({"format": "double_elimination"})
ROBIN = one_stage({"format": "round_robin"})


def started(document: dict[str, Any], count: int) -> tuple[Tournament, list[str]]:
    tournament = Tournament(document)
    return tournament, tournament.start(count)


def absent_in(*nodes: str) -> Chooser:
    """Let the better seed win, but where nobody comes."""

    def choose(fixture: Fixture, order: MatchOrder) -> Outcome:
        if fixture.node in nodes:
            both = tuple(filter(None, fixture.entrants))
            return forfeited(*both, fixture=fixture, ending=EndingKind.NO_SHOW)
        return better_seed(fixture, order)

    return choose


def test_a_disqualified_bot_walks_over_in_both_brackets() -> None:
    tournament, bots = started(DOUBLE, 8)
    tournament.step(better_seed)
    tournament.settle()
    tournament.add(Disqualified(bot=bots[1], reason="two of one owner"))

    semifinal = tournament.node("W2.2")
    assert semifinal.result == Forfeited(bots[1], Cause.DISQUALIFIED)
    assert semifinal.winner == bots[2]
    tournament.step(better_seed)
    fallen = tournament.node("L2.1")
    assert bots[1] in fallen.entrants
    assert fallen.result == Forfeited(bots[1], Cause.DISQUALIFIED)
    tournament.play(better_seed)
    ranks = {bot: rank for rank, shared in tournament.places() for bot in shared}
    assert ranks[bots[1]] == 5


def test_nobody_comes_to_a_quarter_final_and_its_semi_final_is_a_walk_over() -> None:
    tournament, bots = started(SINGLE, 8)

    tournament.play(absent_in("R1.1"))

    semifinal = tournament.node("R2.1")
    assert semifinal.entrants == (None, bots[3])
    assert semifinal.result == WalkedOver(bots[3])
    ranked = {bot: rank for rank, shared in tournament.places() for bot in shared}
    assert ranked[bots[0]] == ranked[bots[7]] == 5


def test_nobody_comes_to_the_final_and_the_title_is_vacant() -> None:
    tournament, bots = started(SINGLE, 4)

    tournament.play(absent_in("R2.1"))

    assert tournament.places() == [(2, set(bots[:2])), (3, set(bots[2:]))]


def test_nobody_comes_to_a_grand_final_and_there_is_no_second_one() -> None:
    tournament, bots = started(DOUBLE, 4)

    tournament.play(absent_in("GF1.1"))

    assert tournament.node("GF2.1").state is FixtureState.NOT_NEEDED
    assert tournament.places()[0] == (2, set(bots[:2]))


def test_two_fixtures_without_a_winner_leave_the_next_one_without_anybody() -> None:
    tournament, bots = started(DOUBLE, 8)

    tournament.play(absent_in("W1.1", "W1.2"))

    assert tournament.node("L1.1").result == WalkedOver(None)
    assert tournament.node("W2.1").result == WalkedOver(None)
    ranked = {bot for _, shared in tournament.places() for bot in shared}
    assert ranked == set(bots)


def test_both_semi_finals_without_a_winner_leave_no_third_place_to_play_for() -> None:
    tournament, bots = started(THIRD, 4)

    tournament.play(absent_in("R1.1", "R1.2"))

    assert tournament.node("3P").result == WalkedOver(None)
    assert tournament.places() == [(4, set(bots))]


def test_who_withdraws_in_the_lower_bracket_is_placed_where_it_left() -> None:
    tournament, bots = started(DOUBLE, 4)
    tournament.step(better_seed)
    tournament.settle()
    tournament.add(Withdrawn(bot=bots[2]))

    tournament.play(better_seed)

    assert tournament.places() == [
        (at, {bot}) for at, bot in enumerate([bots[0], bots[1], bots[3], bots[2]], 1)
    ]


def test_a_match_that_ended_before_somebody_left_still_counts() -> None:
    tournament, bots = started(SINGLE, 4)
    planned = tournament.settle()
    for order in planned.orders:
        fixture = planned.fixture(order.fixture)
        assert fixture is not None
        tournament.begin(order)
        tournament.finish(order, better_seed(fixture, order))
    tournament.add(Withdrawn(bot=bots[3]))

    assert tournament.node("R1.1").winner == bots[0]
    assert not isinstance(tournament.node("R1.1").result, Forfeited)


def test_a_match_of_somebody_who_left_is_of_no_use_any_more() -> None:
    tournament, bots = started(SINGLE, 4)
    order = tournament.settle().orders[0]
    match = tournament.begin(order)
    left = next(bot for bot in order.bots if bot != bots[0])
    tournament.add(Withdrawn(bot=left))

    assert tournament.settle().aborts == (match,)
    ended = Outcome(ending=EndingKind.COMPLETED, winner=left, boards=(50,))
    tournament.finish(order, ended)
    assert tournament.node("R1.1").winner == bots[0]
    assert tournament.settle().aborts == ()


def test_of_two_who_leave_one_after_the_other_the_second_goes_on() -> None:
    tournament, bots = started(SINGLE, 4)
    tournament.settle()
    tournament.add(Withdrawn(bot=bots[0]))
    tournament.add(Withdrawn(bot=bots[3]))

    first = tournament.node("R1.1")
    assert first.result == Forfeited(bots[0], Cause.WITHDRAWN)
    # It is not there for the final, either.
    tournament.play(better_seed)
    assert tournament.node("R2.1").winner == bots[1]


def test_two_who_have_left_before_they_would_meet_both_forfeit() -> None:
    tournament, bots = started(DOUBLE, 4)
    order = next(order for order in tournament.settle().orders if bots[0] in order.bots)
    tournament.begin(order)
    tournament.finish(order, won(bots[0], tournament.node("W1.1")))
    tournament.add(Withdrawn(bot=bots[3]))
    tournament.add(Withdrawn(bot=bots[2]))

    lower = tournament.node("L1.1")

    assert set(lower.entrants) == {bots[2], bots[3]}
    assert lower.result == DoubleForfeited(Cause.WITHDRAWN)


@pytest.mark.parametrize(
    "stage",
    [
        {"format": "single_elimination"},
        {"format": "double_elimination"},
        {"format": "round_robin"},
        {"format": "swiss", "rounds": 3},
        {"format": "ladder", "fixtures": 3},
    ],
    ids=lambda stage: str(stage["format"]),
)
def test_when_everybody_has_left_it_is_over_without_a_contest(
    stage: dict[str, Any],
) -> None:
    tournament, bots = started(one_stage(stage), 4)
    tournament.settle()
    for bot in bots:
        tournament.add(Withdrawn(bot=bot))

    planned = tournament.settle()

    assert planned.ledger.lifecycle is Lifecycle.FINISHED
    finishing = Advanced(to=Lifecycle.FINISHING, reason="no_contest")
    assert finishing in [entry.event for entry in tournament.entries]


def test_a_bot_that_crashes_again_and_again_is_withdrawn() -> None:
    document = one_stage({"format": "round_robin"}, conduct={"forfeits": 2})
    tournament, bots = started(document, 6)

    def crash(fixture: Fixture, order: MatchOrder) -> Outcome:
        if bots[5] in fixture.entrants:
            return forfeited(bots[5], fixture=fixture)
        return better_seed(fixture, order)

    planned = tournament.play(crash)

    assert planned.ledger.departures[bots[5]].exit is Exit.FORFEITS
    played = [
        fixture
        for fixture in planned.fixtures()
        if bots[5] in fixture.entrants and fixture.games
    ]
    assert len(played) == 2


def test_time_losses_do_not_keep_a_tournament_from_its_end() -> None:
    tournament, bots = started(one_stage({"format": "round_robin"}), 5)
    losses = iter(range(1000))

    def slow(fixture: Fixture, order: MatchOrder) -> Outcome:
        if next(losses) < 2:
            return forfeited(max(filter(None, fixture.entrants)), fixture=fixture)
        return better_seed(fixture, order)

    tournament.play(slow)

    assert tournament.places() == [(at, {bot}) for at, bot in enumerate(bots, 1)]


def test_only_the_one_at_fault_is_blamed() -> None:
    tournament, bots = started(SINGLE, 2)
    planned = tournament.settle()
    order, fixture = planned.orders[0], tournament.node("R1.1")
    tournament.begin(order)
    tournament.finish(
        order, forfeited(bots[1], fixture=fixture, ending=EndingKind.NO_SHOW)
    )

    assert tournament.node("R1.1").result == Forfeited(bots[1], Cause.NO_SHOW)
    assert tournament.settle().ledger.departures == {}


@pytest.mark.parametrize(
    ("rounds", "voided"),
    [pytest.param(2, True, id="before half"), pytest.param(3, False, id="after half")],
)
def test_who_leaves_a_round_robin_early_has_played_for_nothing(
    rounds: int, *, voided: bool
) -> None:
    tournament, bots = started(ROBIN, 6)
    for _ in range(rounds):
        tournament.step(better_seed)
    tournament.settle()
    tournament.add(Withdrawn(bot=bots[0]))

    planned = tournament.play(better_seed)

    own = [one for one in planned.fixtures() if bots[0] in one.entrants]
    assert {isinstance(one.result, Voided) for one in own} == {voided}
    rank = next(rank for rank, shared in tournament.places() if bots[0] in shared)
    assert (rank == 6) is voided


def test_results_of_a_disqualified_bot_can_be_taken_back() -> None:
    tournament, bots = started(ROBIN, 4)
    for _ in range(2):
        tournament.step(better_seed)
    tournament.settle()
    tournament.add(
        Disqualified(bot=bots[0], results=Handling.VOID, reason="copied a bot")
    )

    planned = tournament.play(better_seed)

    own = [one for one in planned.fixtures() if bots[0] in one.entrants]
    assert all(one.result == Voided() for one in own)
    assert tournament.places() == [
        (1, {bots[1]}),
        (2, {bots[2]}),
        (3, {bots[3]}),
        (4, {bots[0]}),
    ]


def test_in_a_swiss_stage_results_that_are_taken_back_are_won_by_the_others() -> None:
    tournament, bots = started(one_stage({"format": "swiss", "rounds": 2}), 4)
    tournament.step(better_seed)
    tournament.settle()
    tournament.add(
        Disqualified(bot=bots[0], results=Handling.VOID, reason="copied a bot")
    )

    planned = tournament.settle()

    (ranked,) = rank_table(planned.ledger, planned.stages[0]).values()
    points = {one.entrant: one.tie_breaks[0].value for one in ranked}
    assert tournament.node("R1.1").result == Forfeited(bots[0], Cause.DISQUALIFIED)
    assert points == {bots[1]: 2.0, bots[2]: 1.0, bots[3]: 0.0}


def test_a_fixture_of_several_matches_goes_on_after_one_that_was_forfeited() -> None:
    document = one_stage({"format": "single_elimination"}, match={"best_of": 3})
    tournament, bots = started(document, 2)
    seats: list[tuple[str, str]] = []

    def first_is_lost(fixture: Fixture, order: MatchOrder) -> Outcome:
        seats.append(order.bots)
        if order.game == 1:
            return forfeited(bots[0], fixture=fixture)
        return won(bots[0], fixture)

    tournament.play(first_is_lost)

    assert tournament.node("R1.1").winner == bots[0]
    assert seats == [(bots[0], bots[1]), (bots[1], bots[0]), (bots[0], bots[1])]
