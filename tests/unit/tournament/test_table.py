"""Round robins, Swiss stages, ladders, and groups before a knock-out."""

from typing import Any

import pytest
from tests.unit.tournament.driving import (
    Tournament,
    better_seed,
    drawn,
    one_stage,
    won,
    worse_seed,
)

from ginref.tournament.event import (
    Disqualified,
    LateEntered,
    RoundPaired,
    StageClosed,
    TieBreaksChanged,
    Withdrawn,
)
from ginref.tournament.fixture import Fixture, FixtureState
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.plan import MatchOrder, rankings
from ginref.tournament.result import FreeRound, Outcome
from ginref.tournament.source import TO_BE_DECIDED, RankOf
from ginref.tournament.table_play import group_name
from ginref.tournament.table_rank import rank_table, stage_tallies
from ginref.tournament.tiebreak import Criterion

GROUPS = {"name": "groups", "format": "round_robin", "groups": 2, "promote": 2}
FINALS = {"name": "finals", "format": "single_elimination"}


def swiss(rounds: int, **others: Any) -> dict[str, Any]:  # noqa: ANN401
    return one_stage({"format": "swiss", "rounds": rounds}, **others)


def seats_of(planned: Any, stage: int = 1) -> list[str | None]:  # noqa: ANN401
    return [seat.bot for seat in planned.stages[stage].seats]


@pytest.mark.parametrize("cycles", [1, 2])
@pytest.mark.parametrize("entrants", [2, 3, 4, 5, 7, 8])
def test_in_a_round_robin_everybody_meets_everybody(entrants: int, cycles: int) -> None:
    document = one_stage({"format": "round_robin", "cycles": cycles})
    tournament = Tournament(document)
    bots = tournament.start(entrants)

    planned = tournament.play(better_seed)

    met = [one.entrants for one in planned.fixtures() if None not in one.entrants]
    pairs = [frozenset(pair) for pair in met]
    assert len(pairs) == cycles * entrants * (entrants - 1) // 2
    assert all(pairs.count(pair) == cycles for pair in pairs)
    assert tournament.places() == [(at, {bot}) for at, bot in enumerate(bots, 1)]


def test_a_bye_is_a_result_and_not_a_missing_fixture() -> None:
    tournament = Tournament(one_stage({"format": "round_robin"}))
    bots = tournament.start(3)

    planned = tournament.play(better_seed)

    free = [one for one in planned.fixtures() if isinstance(one.result, FreeRound)]
    assert {bot for one in free for bot in one.entrants if bot} == set(bots)
    assert all(one.state is FixtureState.FINAL for one in free)


def test_no_bot_plays_two_matches_at_once() -> None:
    tournament = Tournament(one_stage({"format": "round_robin"}))
    tournament.start(6)
    first = tournament.settle().orders
    assert len(first) == 3

    tournament.begin(first[0])

    # The two of the first match are busy; the others have their own to begin.
    later = tournament.settle().orders
    assert {order.fixture for order in later} == {one.fixture for one in first[1:]}


def test_groups_have_fixtures_of_their_own_only() -> None:
    tournament = Tournament({"name": "cup", "stages": [GROUPS, FINALS]})
    tournament.start(7)

    planned = tournament.settle()

    groups = {one.group for one in planned.stages[0].fixtures}
    assert groups == {"A", "B"}
    assert all(set(one.entrants) != {None} for one in planned.stages[0].fixtures)


def test_the_best_of_two_groups_cross_over_after_the_last_result() -> None:
    tournament = Tournament({"name": "cup", "stages": [GROUPS, FINALS]})
    bots = tournament.start(8)
    planned = tournament.settle()
    # Snake: A has seeds 1, 4, 5, 8 and B has 2, 3, 6, 7.
    assert [seat.source for seat in planned.stages[1].seats] == [TO_BE_DECIDED] * 4
    while not tournament.plan().ledger.closings:
        assert seats_of(tournament.plan()) == [None] * 4
        tournament.step(better_seed)

    planned = tournament.settle()

    meetings = {one.entrants for one in planned.stages[1].fixtures[:2]}
    assert meetings == {(bots[0], bots[2]), (bots[1], bots[3])}
    sources = {str(seat.bot): seat.source for seat in planned.stages[1].seats}
    assert sources[bots[0]] == RankOf("groups", "A", 1)
    assert sources[bots[3]] == RankOf("groups", "A", 2)


def test_group_winners_are_ordered_by_what_they_have_scored() -> None:
    tournament = Tournament({"name": "cup", "stages": [GROUPS, FINALS]})
    bots = tournament.start(8)

    def one_draw(fixture: Fixture, order: MatchOrder) -> Outcome:
        if set(fixture.entrants) == {bots[0], bots[7]}:
            return drawn()
        return better_seed(fixture, order)

    while not tournament.plan().ledger.closings:
        tournament.step(one_draw)

    assert seats_of(tournament.settle())[:2] == [bots[1], bots[0]]


def test_the_best_of_those_ranked_next_go_on_too() -> None:
    groups = {**GROUPS, "promote": {"each": 1, "best": 1}}
    tournament = Tournament({"name": "cup", "stages": [groups, FINALS]})
    bots = tournament.start(7)

    while not tournament.plan().ledger.closings:
        tournament.step(better_seed)

    # Seed 1 has the bye; the second of a group would meet its first otherwise.
    assert seats_of(tournament.settle()) == [bots[1], bots[0], bots[2]]


def test_who_went_on_does_not_change_when_somebody_is_sent_out_later() -> None:
    tournament = Tournament({"name": "cup", "stages": [GROUPS, FINALS]})
    bots = tournament.start(8)
    while not tournament.plan().ledger.closings:
        tournament.step(better_seed)
    before = seats_of(tournament.settle())

    tournament.add(Disqualified(bot=bots[0], reason="found out"))

    assert seats_of(tournament.settle()) == before
    tournament.play(better_seed)
    assert tournament.places()[0] == (1, {bots[1]})


def test_the_next_in_rank_goes_on_for_somebody_who_has_left() -> None:
    tournament = Tournament({"name": "cup", "stages": [GROUPS, FINALS]})
    bots = tournament.start(8)
    for _ in range(3):
        tournament.step(better_seed)
    tournament.add(Withdrawn(bot=bots[0]))

    assert set(seats_of(tournament.settle())) == {*bots[1:5]}


def test_a_swiss_stage_pairs_a_round_when_the_one_before_is_over() -> None:
    tournament = Tournament(swiss(3))
    tournament.start(8)
    planned = tournament.settle()
    assert [view.rounds[-1].number for view in planned.stages] == [1]
    *most, last = planned.orders
    for order in most:
        fixture = planned.fixture(order.fixture)
        assert fixture is not None
        tournament.begin(order)
        tournament.finish(order, better_seed(fixture, order))
    assert len(tournament.settle().stages[0].rounds) == 1

    tournament.begin(last)
    fixture = planned.fixture(last.fixture)
    assert fixture is not None
    tournament.finish(last, better_seed(fixture, last))

    planned = tournament.settle()
    assert len(planned.stages[0].rounds) == 2
    assert len(planned.orders) == 4


def test_a_swiss_round_pairs_equal_scores_and_shows_them() -> None:
    tournament = Tournament(swiss(3))
    bots = tournament.start(4)
    tournament.step(better_seed)
    tournament.step(better_seed)
    planned = tournament.settle()

    (ranked,) = rank_table(planned.ledger, planned.stages[0]).values()

    points = {one.entrant: one.tie_breaks[0].value for one in ranked}
    assert points == {bots[0]: 2.0, bots[1]: 1.0, bots[2]: 1.0, bots[3]: 0.0}


def test_two_referees_who_pair_a_round_get_one_set_of_fixtures() -> None:
    tournament = Tournament(swiss(3))
    tournament.start(6)
    (first,), (second,) = tournament.plan().events, tournament.plan().events

    assert first == second
    tournament.add(first)
    ids = {one.fixture_id for one in tournament.plan().fixtures()}
    assert len(ids) == 3
    tournament.add(second)
    with pytest.raises(ValueError, match="paired already"):
        tournament.plan()


def test_seven_bots_get_three_different_byes() -> None:
    tournament = Tournament(swiss(3))
    tournament.start(7)

    planned = tournament.play(better_seed)

    byes = [each.bye for each in planned.stages[0].rounds]
    assert len(set(byes)) == 3


def test_a_small_field_plays_all_its_rounds_by_looking_ahead() -> None:
    tournament = Tournament(swiss(5))
    tournament.start(6)

    planned = tournament.play(worse_seed)

    assert len(planned.stages[0].rounds) == 5
    rounds = [
        entry.event
        for entry in tournament.entries
        if isinstance(entry.event, RoundPaired)
    ]
    assert all(not event.rematches for event in rounds)


def test_who_enters_late_gets_what_missed_rounds_are_declared_to_be_worth() -> None:
    tournament = Tournament(swiss(3, entry={"late": "half"}))
    bots = tournament.start(4)
    tournament.step(better_seed)
    tournament.add(LateEntered(bot="late-one", owner="owner-z", round=2))

    planned = tournament.play(better_seed)

    tallies = stage_tallies(planned.ledger, planned.stages[0])
    missed = [one for one in tallies if one.first == "late-one" and one.round == 1]
    assert [one.points for one in missed] == [0.5]
    assert sum(len(shared) for _, shared in tournament.places()) == len(bots) + 1


def test_who_leaves_a_swiss_stage_keeps_what_it_has_played() -> None:
    tournament = Tournament(swiss(3))
    bots = tournament.start(6)
    tournament.step(better_seed)
    tournament.settle()
    tournament.add(Withdrawn(bot=bots[0]))

    planned = tournament.play(better_seed)

    rounds = planned.stages[0].rounds
    assert all(bots[0] not in pair for pair in rounds[2].pairs)
    (ranked,) = rank_table(planned.ledger, planned.stages[0]).values()
    points = {one.entrant: one.tie_breaks[0].value for one in ranked}
    assert points[bots[0]] == 1.0


def test_one_who_is_left_alone_ends_a_swiss_stage() -> None:
    tournament = Tournament(swiss(3))
    bots = tournament.start(3)
    for bot in bots[1:]:
        tournament.add(Withdrawn(bot=bot))

    planned = tournament.settle()

    assert planned.ledger.lifecycle is Lifecycle.FINISHED
    assert tournament.places()[0][0] == 1


def test_tie_breaks_can_change_and_the_log_keeps_what_they_were() -> None:
    stage = {"format": "round_robin", "tie_breaks": ["match_points", "net_per_board"]}
    tournament = Tournament(one_stage(stage))
    bots = tournament.start(3)

    def in_a_circle(fixture: Fixture, _: MatchOrder) -> Outcome:
        pair = set(fixture.entrants)
        for at, points in ((0, 90), (1, 10), (2, 20)):
            winner, loser = bots[at], bots[(at + 1) % 3]
            if pair == {winner, loser}:
                return won(winner, fixture, points)
        raise AssertionError(pair)

    while not tournament.plan().stages[0].is_over:
        tournament.step(in_a_circle)
    by_points = tournament.places()
    tournament.add(
        TieBreaksChanged(
            stage="main",
            order=(Criterion.MATCH_POINTS,),
            previous=(Criterion.MATCH_POINTS, Criterion.NET_PER_BOARD),
            reason="a mistake",
        )
    )

    assert by_points[0] == (1, {bots[0]})
    assert tournament.places() == [(1, set(bots))]


def test_the_ranking_of_a_closed_stage_is_what_the_log_says() -> None:
    tournament = Tournament(swiss(2))
    tournament.start(4)
    planned = tournament.play(better_seed)

    closed = [
        entry.event
        for entry in tournament.entries
        if isinstance(entry.event, StageClosed)
    ]
    assert len(closed) == 1
    assert rankings(planned.ledger, planned.stages[0]) == closed[0].rankings


@pytest.mark.parametrize(
    ("at", "name"), [(0, "A"), (25, "Z"), (26, "AA"), (51, "AZ"), (52, "BA")]
)
def test_groups_are_named_by_letters(at: int, name: str) -> None:
    assert group_name(at) == name


def test_one_who_alone_goes_on_has_won() -> None:
    tournament = Tournament({"name": "cup", "stages": [GROUPS, FINALS]})
    bots = tournament.start(4)
    tournament.settle()
    for bot in bots[1:]:
        tournament.add(Withdrawn(bot=bot))

    planned = tournament.settle()

    assert planned.ledger.lifecycle is Lifecycle.FINISHED
    assert tournament.places() == [(1, {bots[0]})]


def test_a_bye_stays_with_whoever_leaves_later() -> None:
    tournament = Tournament(swiss(2))
    tournament.start(5)
    free = tournament.settle().stages[0].rounds[0].bye
    assert free is not None
    tournament.step(better_seed)
    tournament.settle()
    planned = tournament.plan()
    alone = next(one for one in planned.fixtures() if one.node == "R1.3")

    assert alone.result == FreeRound(free)
    tournament.add(Withdrawn(bot=free))
    # The bye was settled before.
    assert tournament.node("R1.3").result == FreeRound(free)
