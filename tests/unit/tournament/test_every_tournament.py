"""What holds for every tournament, whatever happens in it."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.tournament.driving import (
    Chooser,
    Tournament,
    drawn,
    forfeited,
    names,
    one_stage,
    won,
)

from ginref.record.lifecycle import EndingKind
from ginref.tournament.audit import audit
from ginref.tournament.event import (
    Advanced,
    Disqualified,
    Handling,
    Requeued,
    RoundPaired,
    StageClosed,
    Withdrawn,
)
from ginref.tournament.fixture import Fixture
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.log import decode_entry, encode_entry, head, verify_chain
from ginref.tournament.plan import MatchOrder, plan, rankings
from ginref.tournament.result import Outcome
from ginref.tournament.standing_tally import history, total
from ginref.tournament.table_rank import stage_tallies

STAGES: dict[str, list[dict[str, Any]]] = {
    "single": [{"format": "single_elimination", "third_place": True}],
    "double": [{"format": "double_elimination"}],
    "no grand final": [{"format": "double_elimination", "grand_final": "none"}],
    "one grand final": [{"format": "double_elimination", "grand_final": "single"}],
    "round robin": [{"format": "round_robin"}],
    "double round robin": [{"format": "round_robin", "cycles": 2}],
    "Swiss": [{"format": "swiss", "rounds": 3}],
    "ladder": [{"format": "ladder", "fixtures": 3}],
    "groups and final": [
        {"format": "round_robin", "groups": 2, "promote": 2},
        {"format": "double_elimination"},
    ],
    "Swiss and a cut": [
        {"format": "swiss", "rounds": 2, "promote": 3},
        {"format": "single_elimination"},
    ],
}
FORMATS = pytest.mark.parametrize("stages", STAGES.values(), ids=STAGES.keys())

AUTOMATIC = (Advanced, RoundPaired, StageClosed, Withdrawn, Requeued)

Luck = Callable[[int], int]


def tournament_of(stages: list[dict[str, Any]], **others: Any) -> Tournament:  # noqa: ANN401
    named = [{"name": f"stage-{at}", **stage} for at, stage in enumerate(stages)]
    return Tournament({"name": "cup", "stages": named, **others})


def anything(luck: Luck) -> Chooser:
    """Let matches end in every way there is."""

    def choose(fixture: Fixture, _: MatchOrder) -> Outcome:
        a, b = (bot or "" for bot in fixture.entrants)
        endings: list[Outcome] = [
            won(a, fixture, 1 + luck(90)),
            won(b, fixture, 1 + luck(90)),
            drawn(),
            forfeited(a, fixture=fixture),
            forfeited(b, fixture=fixture, ending=EndingKind.STRIKES),
            forfeited(a, b, fixture=fixture, ending=EndingKind.NO_SHOW),
            forfeited(b, fixture=fixture, ending=EndingKind.NO_SHOW),
            Outcome(ending=EndingKind.VOID),
        ]
        # Most matches are simply played.
        return endings[luck(2) if luck(3) else luck(len(endings))]

    return choose


@FORMATS
@settings(max_examples=5)
@given(data=st.data(), entrants=st.integers(4, 9))
def test_it_comes_to_an_end_that_places_everybody_once(
    stages: list[dict[str, Any]], entrants: int, data: st.DataObject
) -> None:
    random = data.draw(st.randoms(use_true_random=False))
    tournament = tournament_of(stages)
    bots = tournament.start(entrants)

    for _ in range(500):
        choose = anything(random.randrange)
        if random.randrange(2):
            tournament.step(choose)
        else:
            tournament.step_at_once(choose, random.randrange)
        planned = tournament.settle()
        if planned.ledger.lifecycle is Lifecycle.FINISHED:
            break
        assert planned.orders, "nothing to do, and it is not over"
        if random.randrange(8) == 0:
            present = [bot for bot in bots if bot not in planned.ledger.departures]
            handling = random.choice([None, *Handling])
            bot = random.choice(present) if present else ""
            if bot and handling is None:
                tournament.add(Withdrawn(bot=bot))
            elif bot and handling is not None:
                tournament.add(Disqualified(bot=bot, results=handling, reason="?"))

    planned = tournament.plan()
    assert planned.ledger.lifecycle is Lifecycle.FINISHED
    assert planned.aborts == ()
    meetings = [one.entrants for one in planned.fixtures()]
    assert all(a != b or a is None for a, b in meetings)
    for view in planned.stages:
        placed = [
            bot
            for ranking in rankings(planned.ledger, view)
            for placing in ranking.placings
            for bot in placing.bots
        ]
        assert sorted(placed) == sorted(str(seat.bot) for seat in view.seats)
    read = [decode_entry(encode_entry(entry)) for entry in tournament.entries]
    verify_chain(read, head(tournament.entries))
    assert plan(tournament.configuration, read, tournament.now_ms) == planned
    report = audit(tournament.configuration, read)
    people = {one.kind for one in report.interventions}
    assert people <= {"disqualified", "withdrawn"}
    assert {one.reason for one in report.attempts} <= {"void"}
    assert report.missing == ()


@FORMATS
def test_a_plan_over_part_of_a_log_asks_for_what_came_next(
    stages: list[dict[str, Any]],
) -> None:
    tournament = tournament_of(stages)
    tournament.start(6)
    started = len(tournament.entries)
    turns = iter(range(10_000))
    tournament.play(anything(lambda most: next(turns) * 7 % most))

    for at in range(started, len(tournament.entries)):
        entry = tournament.entries[at]
        before = tournament.entries[:at]
        planned = plan(tournament.configuration, before, entry.time_ms)
        if isinstance(entry.event, AUTOMATIC):
            assert entry.event in planned.events


@FORMATS
@settings(max_examples=4)
@given(data=st.data(), at=st.integers(0, 11), net=st.integers(1, 60))
def test_to_forfeit_is_never_better_than_to_lose(
    stages: list[dict[str, Any]], at: int, net: int, data: st.DataObject
) -> None:
    seed = data.draw(st.integers(0, 2**32))

    def figures(*, forfeits: bool) -> tuple[Tournament, str]:
        tournament = tournament_of(stages, conduct={"forfeits": None})
        tournament.start(6)
        count = iter(range(10_000))
        loser: list[str] = []

        def choose(fixture: Fixture, order: MatchOrder) -> Outcome:
            a, b = sorted(filter(None, fixture.entrants))
            # The stronger one of a pair is the same in both runs, whoever meets.
            pair = f"{a}{b}{order.game}{fixture.round}{seed}"
            better = (a, b)[sum(pair.encode()) % 2]
            if next(count) != at:
                return won(better, fixture, 1 + sum(pair.encode()) % 60)
            worse = b if better == a else a
            loser.append(worse)
            if forfeits:
                return forfeited(worse, fixture=fixture)
            return won(better, fixture, net)

        tournament.play(choose)
        return tournament, loser[0] if loser else names(6)[0]

    fair, bot = figures(forfeits=False)
    unfair, same = figures(forfeits=True)

    assert bot == same
    for mine, theirs in zip(_figures(unfair, bot), _figures(fair, bot), strict=True):
        assert mine <= theirs


def _figures(tournament: Tournament, bot: str) -> list[float]:
    """Return what an entrant has achieved in the first stage, more being better."""
    planned = tournament.plan()
    view = planned.stages[0]
    if view.bracket is not None:
        rank = next(rank for rank, bots in tournament.places() if bot in bots)
        return [-rank]
    seen = history(stage_tallies(planned.ledger, view), 60)[bot]
    nets = [board for one in seen for board in one.nets]
    return [total(seen), sum(nets) / len(nets) if nets else 0]


@FORMATS
def test_after_a_restart_it_goes_on_where_it_was(stages: list[dict[str, Any]]) -> None:
    tournament = tournament_of(stages)
    tournament.start(6)
    for _ in range(2):
        tournament.step(anything(lambda _: 0))
    before = tournament.settle()
    tournament.begin(before.orders[0])

    read = [decode_entry(encode_entry(entry)) for entry in tournament.entries]
    again = plan(tournament.configuration, read, tournament.now_ms)

    assert again.ledger.version == len(tournament.entries)
    assert again.orders == before.orders[1:]
    assert again.aborts == ()


def test_a_log_is_the_same_whoever_drives_it() -> None:
    def driven() -> str:
        tournament = Tournament(one_stage({"format": "swiss", "rounds": 3}))
        tournament.start(7)
        turns = iter(range(10_000))
        tournament.play(anything(lambda most: next(turns) * 5 % most))
        return head(tournament.entries)

    assert driven() == driven()
