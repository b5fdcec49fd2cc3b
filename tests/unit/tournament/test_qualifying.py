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

from ginref.engine.ruleset import HOLLYWOOD
from ginref.record.lifecycle import EndingKind
from ginref.tournament.audit import audit
from ginref.tournament.configuration_read import read_configuration
from ginref.tournament.configuration_write import configuration_to_json
from ginref.tournament.error import FieldError, LogError, Objection
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
    SeedField,
    Withdraw,
)
from ginref.tournament.plan import MatchOrder
from ginref.tournament.problem import ProblemKind, problems
from ginref.tournament.qualifying import (
    QualifyingState,
    qualifying_match,
    qualifying_state,
    refuse_stranger,
)
from ginref.tournament.result import Outcome
from ginref.tournament.roster import waiting, with_place

STAGE = {"format": "single_elimination"}
RULES = {"house": "careful", "rounds": 2, "attempts": 2}
HOUSE = "house.careful"


def called(*bots: str, schedule: Any = None, **entry: Any) -> Tournament:  # noqa: ANN401
    document = one_stage(
        STAGE, entry={"qualifying": RULES, **entry}, schedule=schedule or {}
    )
    tournament = Tournament(document)
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
    assert waiting(planned.ledger) == ()
    assert planned.aborts == ("m-qualifying:cat/1/1",)
    left = [e.event for e in tournament.entries if isinstance(e.event, Withdrawn)]
    assert {one.bot: one.exit for one in left} == dict.fromkeys(
        ("cat", "dan"), Exit.QUALIFYING
    )
    assert {one.reason for one in left} == {"not qualified: no match in time"}
    # Its record is still to come, and changes nothing.
    tournament.finish(order, Outcome(ending=EndingKind.ABORTED))
    seen = audit(tournament.configuration, tournament.entries)
    assert [one.order.fixture for one in seen.matches] == [
        "qualifying:ann",
        "qualifying:bob",
        "qualifying:cat",
    ]
    assert not seen.missing


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


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"qualifying": {}}, "entry.qualifying.house: missing"),
        ({"qualifying": {"house": "A"}}, "entry.qualifying.house: "),
        (
            {"qualifying": {"house": "careful", "rounds": 0}},
            "entry.qualifying.rounds: ",
        ),
        ({"qualifying": {**RULES, "win": True}}, "entry.qualifying.win: "),
        (
            {"qualifying": RULES, "check_in": False},
            "entry.qualifying: needs check_in: true",
        ),
        (
            {"qualifying": RULES, "late": "half"},
            "entry.qualifying: needs late: refused",
        ),
    ],
)
def test_rules_that_cannot_be_are_refused_by_their_path(
    entry: dict[str, Any], said: str
) -> None:
    stage = {"format": "swiss", "rounds": 3}
    with pytest.raises(FieldError) as refused:
        read_configuration(one_stage(stage, entry=entry))

    assert str(refused.value).startswith(said)


def test_a_house_bot_that_is_not_there_is_refused_with_those_that_are() -> None:
    rules = read_configuration(one_stage(STAGE, entry={"qualifying": RULES})).entry
    assert rules.qualifying is not None
    refuse_stranger(rules.qualifying, {HOUSE})
    with pytest.raises(FieldError, match="one of simple expected"):
        refuse_stranger(rules.qualifying, {"house.simple"})
    with pytest.raises(FieldError, match=r"entry\.qualifying\.house: .*none here"):
        refuse_stranger(rules.qualifying, set())


@pytest.mark.parametrize(
    ("ruleset", "boards"),
    [
        ("gin", None),
        ("hollywood", None),
        ({"name": "b", "boards": 12, "next_dealer": "board_parity"}, 3),
        ({"name": "b", "boards": 1, "next_dealer": "board_parity"}, 1),
    ],
)
def test_a_qualifying_match_is_like_those_of_the_first_stage_but_short(
    ruleset: Any,  # noqa: ANN401
    boards: int | None,
) -> None:
    match = {"ruleset": ruleset, "clock": "fast", "strikes": 1, "best_of": 3}
    document = one_stage(
        STAGE, match=match, entry={"qualifying": {"house": "careful", "rounds": 3}}
    )
    configuration = read_configuration(document)
    short = qualifying_match(configuration)

    assert (short.ruleset.round_limit, short.ruleset.boards) == (3, boards)
    assert (short.clock.name, short.strikes, short.best_of) == ("fast", 1, 1)
    assert short.ruleset.games == (HOLLYWOOD.games if ruleset == "hollywood" else 1)
    written = configuration_to_json(configuration)
    assert read_configuration(written) == configuration
    assert (
        "qualifying"
        not in configuration_to_json(read_configuration(one_stage(STAGE)))["entry"]
    )
