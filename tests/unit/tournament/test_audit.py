"""The check of a whole log: everything that follows must be what the rules say."""

import hashlib
from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.unit.tournament.asking import ask
from tests.unit.tournament.driving import (
    Tournament,
    better_seed,
    forfeited,
    one_stage,
    won,
    worse_seed,
)
from tests.unit.tournament.test_every_tournament import FORMATS, tournament_of

from ginref.record.lifecycle import EndingKind
from ginref.tournament.audit import audit
from ginref.tournament.configuration_write import configuration_digest
from ginref.tournament.error import LogError
from ginref.tournament.event import (
    Advanced,
    CheckedIn,
    Configured,
    Event,
    MatchCreated,
    MatchEnded,
    Registered,
    RoundPaired,
    StageClosed,
    Withdrawn,
)
from ginref.tournament.fixture import Fixture
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.log import append, head
from ginref.tournament.operation import (
    Advance,
    CloseStage,
    Disqualify,
    Requeue,
    SeedField,
)
from ginref.tournament.plan import MatchOrder
from ginref.tournament.result import Outcome

SECRET = hashlib.sha256(b"a secret").digest()
SWISS = one_stage({"format": "swiss", "rounds": 3})


def forged(tournament: Tournament, change: Callable[[Event], Event | None]) -> None:
    """Write the log anew with other events; its chain is sound again."""
    entries = tournament.entries
    tournament.entries = []
    for entry in entries:
        event = change(entry.event)
        if event is not None:
            tournament.entries.append(
                append(
                    tournament.entries,
                    event,
                    time_ms=entry.time_ms,
                    actor=entry.actor,
                    request_id=entry.request_id,
                )
            )


@FORMATS
def test_a_log_that_was_driven_by_the_rules_passes(
    stages: list[dict[str, object]],
) -> None:
    tournament = tournament_of(stages)
    tournament.start(6)
    tournament.play(worse_seed)

    report = audit(
        tournament.configuration, tournament.entries, head(tournament.entries)
    )

    assert (report.interventions, report.attempts, report.missing) == ((), (), ())


def test_crashes_and_void_matches_pass_without_anybody_stepping_in() -> None:
    tournament = Tournament(
        one_stage({"format": "round_robin"}, conduct={"forfeits": 2})
    )
    bots = tournament.start(5)

    def trouble(fixture: Fixture, order: MatchOrder) -> Outcome:
        if bots[4] in fixture.entrants:
            return forfeited(bots[4], fixture=fixture)
        if fixture.attempt == 1 and bots[0] in fixture.entrants:
            return Outcome(ending=EndingKind.VOID)
        return better_seed(fixture, order)

    tournament.play(trouble)

    report = audit(tournament.configuration, tournament.entries)

    assert report.interventions == ()
    assert {one.reason for one in report.attempts} == {"void"}


def test_whatever_people_have_decided_is_listed() -> None:
    tournament = Tournament(SWISS)
    bots = tournament.start(5)
    tournament.step(better_seed)
    ask(tournament, Advance(to=Lifecycle.PAUSED, reason="lunch"))
    ask(tournament, Advance(to=Lifecycle.RUNNING))
    fixture = tournament.node("R1.1").fixture_id
    ask(tournament, Requeue(fixture=fixture, attempt=1, reason="wrong rules"))
    ask(tournament, Disqualify(bot=bots[4], reason="two of one owner"))
    tournament.play(better_seed)

    report = audit(tournament.configuration, tournament.entries)

    assert [(one.kind, one.reason) for one in report.interventions] == [
        ("advanced", "lunch"),
        ("requeued", "wrong rules"),
        ("disqualified", "two of one owner"),
    ]
    assert [(one.fixture, one.attempt) for one in report.attempts] == [(fixture, 2)]


def test_other_seeds_than_by_the_rules_are_listed() -> None:
    tournament = Tournament(SWISS)
    tournament.add(Advanced(to=Lifecycle.REGISTRATION))
    for bot in ("ann", "bob", "cat"):
        tournament.add(Registered(bot=bot, owner=f"of-{bot}"))
    tournament.add(Advanced(to=Lifecycle.CHECK_IN))
    for bot in ("ann", "bob", "cat"):
        tournament.add(CheckedIn(bot=bot))
    tournament.add(Advanced(to=Lifecycle.SEEDING))
    ask(tournament, SeedField(lots="ab" * 32, order=("cat", "bob", "ann")))

    report = audit(tournament.configuration, tournament.entries)

    assert [one.kind for one in report.interventions] == ["seeded"]


def test_who_left_during_the_tournament_is_listed_and_before_it_is_not() -> None:
    tournament = Tournament(SWISS)
    tournament.add(Advanced(to=Lifecycle.REGISTRATION))
    tournament.add(Registered(bot="ann", owner="of-ann"))
    tournament.add(Withdrawn(bot="ann"))
    tournament.add(Advanced(to=Lifecycle.CANCELLED, reason="rain"))
    report = audit(tournament.configuration, tournament.entries)
    assert [one.kind for one in report.interventions] == ["advanced"]
    tournament = Tournament(SWISS)
    bots = tournament.start(4)
    tournament.step(better_seed)
    tournament.add(Withdrawn(bot=bots[0], reason="broken"), actor=f"bot/{bots[0]}")

    (left,) = audit(tournament.configuration, tournament.entries).interventions

    assert (left.kind, left.actor, left.reason) == ("withdrawn", "bot/bot-01", "broken")


def test_a_configuration_that_was_changed_after_entries_is_listed() -> None:
    tournament = Tournament(SWISS)
    again = Configured(configuration=configuration_digest(tournament.configuration))
    tournament.add(Advanced(to=Lifecycle.REGISTRATION))
    tournament.add(again)
    tournament.add(Registered(bot="ann", owner="of-ann"))
    assert audit(tournament.configuration, tournament.entries).interventions == ()
    tournament.add(again)

    (changed,) = audit(tournament.configuration, tournament.entries).interventions

    assert (changed.sequence, changed.kind) == (5, "configured")


def test_a_ladder_that_was_closed_by_hand_is_listed() -> None:
    tournament = Tournament(one_stage({"format": "ladder"}))
    tournament.start(4)
    for _ in range(4):
        tournament.step(better_seed)
    ask(tournament, CloseStage(stage="main"))
    tournament.settle()

    report = audit(tournament.configuration, tournament.entries)

    assert [one.kind for one in report.interventions] == ["stage_closed"]
    assert len(report.missing) == 0


def test_a_match_that_never_ended_is_named() -> None:
    tournament = Tournament(SWISS)
    tournament.start(4)
    match = tournament.begin(tournament.settle().orders[0])

    assert audit(tournament.configuration, tournament.entries).missing == (match,)


def other_pairs(event: Event) -> Event:
    if isinstance(event, RoundPaired) and event.round == 2:
        (a, b), (c, d) = event.pairs
        return replace(event, pairs=((a, c), (b, d)))
    return event


def other_ranking(event: Event) -> Event:
    if isinstance(event, StageClosed):
        (ranking,) = event.rankings
        first, second, *rest = ranking.placings
        swapped = (
            replace(first, bots=second.bots),
            replace(second, bots=first.bots),
            *rest,
        )
        return replace(event, rankings=(replace(ranking, placings=swapped),))
    return event


def other_attempt(event: Event) -> Event:
    if isinstance(event, MatchCreated):
        return replace(event, attempt=2)
    return event


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (other_pairs, "round_paired is not what the rules give"),
        (other_ranking, "stage_closed is not what the rules give"),
        (other_attempt, "no such match was to be created"),
    ],
)
def test_what_does_not_follow_is_found(
    change: Callable[[Event], Event], what: str
) -> None:
    tournament = Tournament(SWISS)
    tournament.start(4)
    tournament.play(better_seed)
    forged(tournament, change)

    with pytest.raises(LogError, match=what):
        audit(tournament.configuration, tournament.entries)


def test_a_result_that_was_forged_gives_another_ranking() -> None:
    tournament = Tournament(SWISS)
    tournament.start(4)
    tournament.play(better_seed)
    results, first = iter(range(100)), tournament.node("R1.1")

    def swap(event: Event) -> Event:
        if not isinstance(event, MatchEnded) or next(results):
            return event
        return replace(event, outcome=won("bot-03", first))

    forged(tournament, swap)

    with pytest.raises(LogError):
        audit(tournament.configuration, tournament.entries)
