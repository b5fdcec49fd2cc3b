"""A tournament on the wire says what its plan says."""

import json
from typing import Any

import pytest
from tests.unit.tournament.driving import (
    Tournament,
    better_seed,
    one_stage,
)

from ginref.app.tournament_report import Head, Overview
from ginref.record.lifecycle import EndingKind
from ginref.tournament.configuration_read import read_configuration
from ginref.tournament.event import Advanced, CheckedIn, Disqualified, Registered
from ginref.tournament.fixture import FixtureState
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.log import decode_entry, head
from ginref.tournament.plan import rankings
from ginref.tournament.result import Outcome, winner_of
from ginref.transport.codec_tournament import (
    entry_to_wire,
    tournament_to_wire,
)
from ginref.v1 import tournament_pb2 as tournament_pb


def written(tournament: Tournament) -> tournament_pb.Tournament:
    entries = tuple(tournament.entries)
    overview = Overview(
        tournament="t-1",
        configuration=tournament.configuration,
        entries=entries,
        plan=tournament.plan(),
        head=Head(tournament="t-1", length=len(entries), digest=head(entries)),
    )
    return tournament_to_wire(overview)


def played(stage: dict[str, Any]) -> Tournament:
    """Play a tournament of five; one of them is sent out, and the better seed wins."""
    tournament = Tournament(one_stage(stage, title="The cup"))
    bots = tournament.start(5)
    tournament.step(better_seed)
    tournament.add(Disqualified(bot=bots[-1], reason="two heads"))
    tournament.play(better_seed)
    return tournament


STAGES = pytest.mark.parametrize(
    "stage",
    [
        pytest.param({"format": "round_robin"}, id="a table"),
        pytest.param({"format": "double_elimination"}, id="a bracket"),
    ],
)


@STAGES
def test_a_tournament_is_told_whole(stage: dict[str, Any]) -> None:
    tournament = played(stage)
    plan = tournament.plan()

    told = written(tournament)

    assert (told.tournament_id, told.title) == ("t-1", "The cup")
    assert told.state == tournament_pb.TOURNAMENT_STATE_FINISHED
    assert told.version == told.head.length == len(tournament.entries)
    assert told.head.digest.hex() == head(tournament.entries)
    assert read_configuration(json.loads(told.configuration)) == (
        tournament.configuration
    )
    assert [one.bot for one in told.entrants] == list(plan.ledger.entrants)
    assert told.entrants[-1].state == tournament_pb.ENTRANT_STATE_DISQUALIFIED
    (shown,), (view,) = told.stages, plan.stages
    assert (shown.format, shown.closed) == (stage["format"], True)
    for wire, fixture in zip(shown.fixtures, view.fixtures, strict=True):
        assert wire.fixture_id == fixture.fixture_id
        assert [side.bot or None for side in wire.sides] == list(fixture.entrants)
        assert len(wire.matches) == len(fixture.games)
        assert (wire.state == tournament_pb.FIXTURE_STATE_FINAL) == (
            fixture.state is FixtureState.FINAL
        )
        if fixture.result is not None:
            winner = winner_of(fixture.result, fixture.entrants)
            assert wire.result.winner == (winner or "")


@STAGES
def test_a_ranking_is_told_with_its_figures(stage: dict[str, Any]) -> None:
    tournament = played(stage)
    plan = tournament.plan()
    (view,) = plan.stages

    (told,) = written(tournament).stages[0].rankings

    (ranking,) = rankings(plan.ledger, view)
    assert [(line.rank, line.bot) for line in told.lines] == [
        (placing.rank, bot) for placing in ranking.placings for bot in placing.bots
    ]
    assert told.lines[0].bot == "bot-01"
    assert told.lines[0].won == told.lines[0].boards > 0
    assert told.lines[0].mean == 30
    assert told.lines[0].HasField("points") == (view.bracket is None)


def test_an_entry_is_told_as_its_digest_is_made() -> None:
    tournament = played({"format": "round_robin"})

    told = [entry_to_wire(entry) for entry in tournament.entries]

    assert [decode_entry(one.json.encode()) for one in told] == tournament.entries
    assert [one.sequence for one in told] == list(range(1, len(told) + 1))


def test_how_bots_qualify_is_told_and_why_one_is_out() -> None:
    rules = {"house": "simple", "rounds": 1, "attempts": 1}
    document = one_stage({"format": "round_robin"}, entry={"qualifying": rules})
    tournament = Tournament(document)
    tournament.add(Advanced(to=Lifecycle.REGISTRATION))
    for bot in ("ann", "bob", "cat"):
        tournament.add(Registered(bot=bot, owner=bot))
    tournament.add(Advanced(to=Lifecycle.CHECK_IN))
    for bot in ("ann", "bob"):
        tournament.add(CheckedIn(bot=bot))
    late, well = tournament.plan().orders
    for order in (late, well):
        tournament.begin(order)
    lost = Outcome(
        ending=EndingKind.TIMED_OUT, winner="house.simple", at_fault=("ann",)
    )
    tournament.finish(late, lost)
    tournament.settle()

    ann, bob, cat = written(tournament).entrants

    assert (ann.state, ann.exit) == (
        tournament_pb.ENTRANT_STATE_WITHDRAWN,
        tournament_pb.ENTRANT_EXIT_QUALIFYING,
    )
    assert [one.qualifying.state for one in (ann, bob, cat)] == [
        tournament_pb.QUALIFYING_STATE_FAILED,
        tournament_pb.QUALIFYING_STATE_PLAYING,
        tournament_pb.QUALIFYING_STATE_OPEN,
    ]
    ((one,), (other,)) = (each.qualifying.matches for each in (ann, bob))
    assert (one.match_id, one.ending) == ("m-qualifying:ann/1/1", "timed_out")
    assert not other.over
    assert (bob.exit, cat.exit) == (tournament_pb.ENTRANT_EXIT_UNSPECIFIED,) * 2
    (problem,) = written(tournament).problems
    assert (problem.kind, problem.about, problem.blocking) == (
        "qualifying",
        "ann",
        False,
    )


def test_a_draft_is_told_before_anybody_has_entered() -> None:
    tournament = Tournament(one_stage({"format": "swiss", "rounds": 3}))

    told = written(tournament)

    assert told.state == tournament_pb.TOURNAMENT_STATE_DRAFT
    assert not told.entrants
    assert not told.stages[0].fixtures
