from typing import Any

from tests.unit.tournament.driving import (
    Tournament,
    better_seed,
    forfeited,
    one_stage,
)

from ginref.record.lifecycle import EndingKind
from ginref.tournament.final_ranking import final_ranking
from ginref.tournament.fixture import Fixture
from ginref.tournament.plan import MatchOrder
from ginref.tournament.result import Outcome

GROUPS = {"name": "groups", "format": "round_robin", "groups": 2, "promote": 2}
FINALS = {"name": "finals", "format": "single_elimination"}


def ranked(tournament: Tournament) -> list[tuple[int, tuple[str, ...]]]:
    return [(one.rank, one.bots) for one in final_ranking(tournament.plan())]


def played(document: dict[str, Any], count: int) -> tuple[Tournament, list[str]]:
    tournament = Tournament(document)
    bots = tournament.start(count)
    tournament.play(better_seed)
    return tournament, bots


def test_who_did_not_get_out_of_its_group_is_ranked_after_those_who_did() -> None:
    tournament, bots = played({"name": "cup", "stages": [GROUPS, FINALS]}, 8)

    assert ranked(tournament) == [
        (1, (bots[0],)),
        (2, (bots[1],)),
        (3, (bots[2], bots[3])),
        (5, (bots[4], bots[5])),
        (7, (bots[6], bots[7])),
    ]


def test_a_single_stage_is_ranked_as_it_is() -> None:
    tournament, bots = played(one_stage({"format": "round_robin"}), 4)

    assert ranked(tournament) == [(at, (bot,)) for at, bot in enumerate(bots, 1)]


def test_a_title_that_nobody_has_won_stays_vacant() -> None:
    tournament = Tournament(one_stage(FINALS))
    bots = tournament.start(4)

    def nobody_in_the_final(fixture: Fixture, order: MatchOrder) -> Outcome:
        if fixture.node == "R2.1":
            both = tuple(filter(None, fixture.entrants))
            return forfeited(*both, fixture=fixture, ending=EndingKind.NO_SHOW)
        return better_seed(fixture, order)

    tournament.play(nobody_in_the_final)

    assert ranked(tournament) == [(2, tuple(bots[:2])), (3, tuple(bots[2:]))]


def test_a_tournament_of_groups_alone_ranks_them_side_by_side() -> None:
    groups = {key: value for key, value in GROUPS.items() if key != "promote"}
    tournament, bots = played({"name": "cup", "stages": [groups]}, 4)

    assert ranked(tournament) == [
        (1, (bots[0], bots[1])),
        (3, (bots[2], bots[3])),
    ]
