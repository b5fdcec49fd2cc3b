"""Qualifying: what a bot must show before it gets a place, and what it counts for."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.tournament.asking import ask, refusal
from tests.unit.tournament.driving import LOTS, Tournament, better_seed, one_stage
from tests.unit.tournament.test_audit import forged

from ginref.record.lifecycle import EndingKind
from ginref.tournament.audit import audit
from ginref.tournament.error import LogError, Objection
from ginref.tournament.event import (
    Advanced,
    Event,
    Exit,
    MatchCreated,
    MatchEnded,
    Seeded,
    Withdrawn,
)
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.operation import (
    Advance,
    CheckIn,
    Configure,
    Enter,
    RevealShare,
    SeedField,
    Withdraw,
)
from ginref.tournament.plan import MatchOrder
from ginref.tournament.problem import ProblemKind, problems
from ginref.tournament.qualifying import (
    QualifyingState,
    qualifying_state,
)
from ginref.tournament.result import Outcome
from ginref.tournament.roster import unrevealed, waiting, with_place
from ginref.tournament.secret import commit_share

STAGE = {"format": "single_elimination"}
RULES = {"house": "careful", "rounds": 2, "attempts": 2}
HOUSE = "house.careful"


def called(*bots: str, schedule: Any = None, **entry: Any) -> Tournament:  # noqa: ANN401
    rules = {"qualifying": RULES, **entry}
    return called_to(STAGE, *bots, entry=rules, schedule=schedule or {})


def called_to(stage: Any, *bots: str, **others: Any) -> Tournament:  # noqa: ANN401
    """Let bots enter a tournament where they have to qualify, and check in."""
    bots = bots or ("ann", "bob", "cat")
    tournament = Tournament(
        one_stage(stage, **{"entry": {"qualifying": RULES}, **others})
    )
    ask(tournament, Advance(to=Lifecycle.REGISTRATION))
    for bot in bots:
        ask(tournament, Enter(bot=bot, owner=f"of-{bot}"))
    ask(tournament, Advance(to=Lifecycle.CHECK_IN))
    for bot in bots:
        ask(tournament, CheckIn(bot=bot))
    return tournament


def order_of(tournament: Tournament, bot: str) -> MatchOrder:
    return next(one for one in tournament.settle().orders if one.bots[0] == bot)


def plays(
    tournament: Tournament,
    bot: str,
    ending: EndingKind = EndingKind.ROUND_CAP,
    *losers: str,
) -> None:
    order = order_of(tournament, bot)
    tournament.begin(order)
    tournament.finish(order, Outcome(ending=ending, at_fault=losers))


def fails(tournament: Tournament, bot: str) -> None:
    plays(tournament, bot, EndingKind.TIMED_OUT, bot)


def state(tournament: Tournament, bot: str) -> QualifyingState | None:
    return qualifying_state(tournament.plan().ledger, bot)


def seeded(tournament: Tournament) -> list[str]:
    """Freeze the roster, and return who plays."""
    ask(tournament, Advance(to=Lifecycle.SEEDING))
    tournament.settle()
    ask(tournament, SeedField(lots=LOTS.hex()))
    return [*tournament.plan().ledger.order]


def test_who_has_checked_in_plays_a_short_match_against_the_house() -> None:
    tournament = called("ann", "bob", "cat")
    ask(tournament, Withdraw(bot="cat"))
    orders = tournament.plan().orders

    assert [(one.fixture, one.attempt, one.game) for one in orders] == [
        ("qualifying:ann", 1, 1),
        ("qualifying:bob", 1, 1),
    ]
    assert {one.bots for one in orders} == {("ann", HOUSE), ("bob", HOUSE)}
    assert {one.match.ruleset.round_limit for one in orders} == {2}
    assert len({one.deal for one in orders}) == 2
    assert audit(tournament.configuration, tournament.entries).matches == ()


@pytest.mark.parametrize(
    ("ending", "losers", "after"),
    [
        (EndingKind.ROUND_CAP, (), QualifyingState.PASSED),
        (EndingKind.COMPLETED, (), QualifyingState.PASSED),
        (EndingKind.NO_SHOW, (HOUSE,), QualifyingState.PASSED),
        (EndingKind.TIMED_OUT, ("ann",), QualifyingState.OPEN),
        (EndingKind.STRIKES, ("ann",), QualifyingState.OPEN),
        (EndingKind.RESIGNED, ("ann",), QualifyingState.OPEN),
        (EndingKind.NO_SHOW, ("ann", HOUSE), QualifyingState.OPEN),
        (EndingKind.VOID, (), QualifyingState.OPEN),
        (EndingKind.ABORTED, (), QualifyingState.OPEN),
    ],
)
def test_a_match_that_it_does_not_forfeit_qualifies_a_bot(
    ending: EndingKind, losers: tuple[str, ...], after: QualifyingState
) -> None:
    tournament = called("ann", "bob")
    plays(tournament, "ann", ending, *losers)

    assert state(tournament, "ann") is after
    again = [one.attempt for one in tournament.plan().orders if one.bots[0] == "ann"]
    assert again == ([] if after is QualifyingState.PASSED else [2])


def test_who_has_forfeited_all_its_attempts_is_out_and_another_moves_up() -> None:
    tournament = called("ann", "bob", "cat", capacity=2)
    fails(tournament, "ann")
    (noted,) = problems(tournament.plan())
    fails(tournament, "ann")
    plays(tournament, "bob")
    plays(tournament, "cat")
    ledger = tournament.settle().ledger

    assert (noted.kind, noted.about, noted.is_blocking) == (
        ProblemKind.QUALIFYING,
        "ann",
        False,
    )
    assert noted.what == "not qualified: timed_out; it may try again"
    (after,) = problems(tournament.plan())
    assert after.what == "not qualified: timed_out, timed_out"
    assert ledger.departures["ann"].exit is Exit.QUALIFYING
    assert [one.bot for one in with_place(ledger)] == ["bob", "cat"]
    assert refusal(tournament, CheckIn(bot="ann")) is Objection.UNKNOWN
    assert seeded(tournament) == ["bob", "cat"]
    assert audit(tournament.configuration, tournament.entries).interventions == ()


def test_a_match_that_nobody_could_finish_is_no_attempt_but_not_for_ever() -> None:
    tournament = called("ann", "bob")
    for _ in range(tournament.configuration.conduct.attempts):
        assert state(tournament, "ann") is QualifyingState.OPEN
        plays(tournament, "ann", EndingKind.VOID)

    assert state(tournament, "ann") is QualifyingState.FAILED


def test_who_has_not_qualified_when_the_call_is_over_gets_no_place() -> None:
    tournament = called("ann", "bob", "cat", "dan", schedule={"check_in": "1m"})
    plays(tournament, "ann")
    plays(tournament, "bob")
    order = order_of(tournament, "cat")
    tournament.begin(order)
    tournament.now_ms += 60_000
    planned = tournament.settle()

    assert planned.ledger.lifecycle is Lifecycle.SEEDING
    assert [one.bot for one in with_place(planned.ledger)] == ["ann", "bob"]
    assert [one.bot for one in waiting(planned.ledger)] == ["cat"]
    assert planned.aborts == ("m-qualifying:cat/1/1",)
    # What was over in time may have no record yet: the draw waits for it.
    assert planned.to_seed == ()
    tournament.finish(order, Outcome(ending=EndingKind.ABORTED))
    planned = tournament.settle()
    assert planned.to_seed == ("ann", "bob")
    left = [e.event for e in tournament.entries if isinstance(e.event, Withdrawn)]
    assert {one.exit for one in left} == {Exit.QUALIFYING}
    assert {one.bot: one.reason for one in left} == {
        "cat": "not qualified: aborted",
        "dan": "not qualified: no match in time",
    }
    seen = audit(tournament.configuration, tournament.entries)
    assert [one.order.fixture for one in seen.matches] == [
        "qualifying:ann",
        "qualifying:bob",
        "qualifying:cat",
    ]
    assert not seen.missing


def test_a_match_that_was_over_in_time_qualifies_though_its_record_is_late() -> None:
    tournament = called("ann", "bob")
    plays(tournament, "ann")
    order = order_of(tournament, "bob")
    tournament.begin(order)
    ask(tournament, Advance(to=Lifecycle.SEEDING))
    assert tournament.plan().events == ()
    tournament.finish(order, Outcome(ending=EndingKind.COMPLETED))

    assert tournament.settle().to_seed == ("ann", "bob")


def test_who_moves_up_late_has_all_its_time_to_show_its_share() -> None:
    tournament = Tournament(one_stage(STAGE, entry={"capacity": 2}))
    shares = {bot: bytes([at]) * 32 for at, bot in enumerate(("ann", "bob", "cat"))}
    ask(tournament, Advance(to=Lifecycle.REGISTRATION))
    for bot in shares:
        ask(tournament, Enter(bot=bot, owner=f"of-{bot}"))
    ask(tournament, Advance(to=Lifecycle.CHECK_IN))
    for bot, share in shares.items():
        commitment = commit_share("t-1", bot, share).hex()
        ask(tournament, CheckIn(bot=bot, commitment=commitment))
    ask(tournament, Advance(to=Lifecycle.SEEDING))
    ask(tournament, RevealShare(bot="ann", share=shares["ann"].hex()))
    tournament.now_ms += 60_000
    ledger = tournament.settle().ledger

    assert set(ledger.departures) == {"bob"}
    assert unrevealed(ledger) == ("cat",)
    ask(tournament, RevealShare(bot="cat", share=shares["cat"].hex()))
    assert tournament.settle().to_seed == ("ann", "cat")


def test_qualifying_counts_for_nothing_else() -> None:
    tournament = called("ann", "bob", "cat")
    fails(tournament, "ann")
    for bot in ("ann", "bob", "cat"):
        plays(tournament, bot)
    seeded(tournament)
    ask(tournament, Advance(to=Lifecycle.RUNNING))
    planned = tournament.play(better_seed)

    assert tournament.places()[0] == (1, {"ann"})
    assert not planned.ledger.departures
    seen = audit(tournament.configuration, tournament.entries)
    assert len([one for one in seen.matches if one.stage]) == 2


def test_the_house_plays_few_at_a_time() -> None:
    tournament = called(*(f"bot-{at:02}" for at in range(20)))
    first = tournament.plan().orders
    for order in first:
        tournament.begin(order)

    assert len(first) == 16
    assert tournament.plan().orders == ()
    tournament.finish(first[3], Outcome(ending=EndingKind.ROUND_CAP))
    assert [one.bots[0] for one in tournament.plan().orders] == ["bot-16"]


def test_who_tries_again_waits_for_those_who_have_not_played() -> None:
    tournament = called(*(f"bot-{at:02}" for at in range(18)))
    for order in tournament.plan().orders:
        tournament.begin(order)
        stalls = Outcome(ending=EndingKind.TIMED_OUT, at_fault=(order.bots[0],))
        tournament.finish(order, stalls)

    orders = [(one.bots[0], one.attempt) for one in tournament.plan().orders]

    assert orders[:3] == [("bot-16", 1), ("bot-17", 1), ("bot-00", 2)]
    assert len(orders) == 16


def test_a_house_bot_that_has_entered_itself_has_nothing_to_show() -> None:
    tournament = called("ann", HOUSE)
    plays(tournament, "ann")

    assert seeded(tournament) == ["ann", HOUSE]


def test_what_bots_must_show_stays_once_one_of_them_plays() -> None:
    tournament = called("ann", "bob")
    other = "0" * 64
    tournament.begin(order_of(tournament, "ann"))

    assert refusal(tournament, Configure(configuration=other)) is Objection.WRONG_TIME


@settings(max_examples=30)
@given(st.lists(st.sampled_from(["pass", "fail", "void", "leave"]), max_size=9))
def test_no_bot_gets_a_place_without_a_match_that_it_did_not_forfeit(
    script: list[str],
) -> None:
    tournament = called("ann", "bob", "cat")
    for at, what in enumerate(script):
        bot = ("ann", "bob", "cat")[at % 3]
        orders = {one.bots[0]: one for one in tournament.settle().orders}
        if what == "leave":
            ask(tournament, Withdraw(bot=bot))
        elif bot in orders:
            tournament.begin(orders[bot])
            ending = {
                "pass": Outcome(ending=EndingKind.COMPLETED),
                "fail": Outcome(ending=EndingKind.STRIKES, at_fault=(bot,)),
                "void": Outcome(ending=EndingKind.VOID),
            }[what]
            tournament.finish(orders[bot], ending)
    tournament.settle()
    tournament.add(Advanced(to=Lifecycle.SEEDING))
    ledger = tournament.settle().ledger

    placed = {one.bot for one in with_place(ledger)}
    shown = {
        key[0].removeprefix("qualifying:")
        for key, games in ledger.games.items()
        if games[0].outcome == Outcome(ending=EndingKind.COMPLETED)
    }
    # With nobody to play against there is no contest, and no roster.
    assert placed == shown - set(ledger.departures)
    failed = [
        sum(
            game.outcome is not None and bot in game.outcome.at_fault
            for (name, _), games in ledger.games.items()
            if name == f"qualifying:{bot}"
            for game in games
        )
        for bot in ledger.entrants
    ]
    assert max(failed) <= 2
    audit(tournament.configuration, tournament.entries)


def instead(kind: type, **changes: Any) -> Callable[[Event], Event]:  # noqa: ANN401
    """Return what changes the first event of a kind."""
    seen: list[Event] = []

    def change(event: Event) -> Event:
        if isinstance(event, kind) and not seen:
            seen.append(event)
            return replace(event, **changes)
        return event

    return change


@pytest.mark.parametrize(
    ("kind", "changes", "what"),
    [
        (Withdrawn, {"bot": "bob"}, "withdrawn is not what the rules give here"),
        (Withdrawn, {"reason": "mercy"}, "withdrawn is not what the rules give here"),
        (Seeded, {"order": ("cat", "bob", "ann")}, "ann has not qualified"),
        (MatchCreated, {"attempt": 2}, "no such match was to be created"),
        (MatchCreated, {"fixture": "qualifying:eve"}, "no such match was to be"),
        (
            MatchEnded,
            {"outcome": Outcome(ending=EndingKind.COMPLETED)},
            "no such match",
        ),
    ],
)
def test_an_audit_finds_what_qualifying_did_not_give(
    kind: type, changes: dict[str, Any], what: str
) -> None:
    tournament = called("ann", "bob", "cat")
    fails(tournament, "ann")
    fails(tournament, "ann")
    plays(tournament, "bob")
    plays(tournament, "cat")
    seeded(tournament)
    audit(tournament.configuration, tournament.entries)

    forged(tournament, instead(kind, **changes))
    with pytest.raises(LogError, match=what):
        audit(tournament.configuration, tournament.entries)
