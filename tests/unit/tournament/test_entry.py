"""Entry, check-in, seeding and the lifecycle: who may do what, and when."""

from typing import Any

import pytest
from tests.unit.tournament.asking import ask, refusal
from tests.unit.tournament.driving import LOTS, Tournament, better_seed, one_stage

from ginref.tournament.configuration_read import read_configuration
from ginref.tournament.configuration_write import configuration_digest
from ginref.tournament.error import Objection, OperationError
from ginref.tournament.event import Advanced, CheckedIn, Registered
from ginref.tournament.lifecycle import FOLLOWING, Lifecycle
from ginref.tournament.operation import (
    Advance,
    ChangeTieBreaks,
    CheckIn,
    CloseStage,
    Configure,
    Enter,
    IssueCodes,
    OpenSecret,
    SeedField,
    Withdraw,
)
from ginref.tournament.roster import by_lot, waiting, with_place
from ginref.tournament.tiebreak import Criterion

STAGE = {"format": "single_elimination"}
CODE = "c" * 64


def opened(**entry: Any) -> Tournament:  # noqa: ANN401
    tournament = Tournament(one_stage(STAGE, entry=entry))
    ask(tournament, Advance(to=Lifecycle.REGISTRATION))
    return tournament


def entered(tournament: Tournament, *bots: str) -> Tournament:
    for bot in bots:
        ask(tournament, Enter(bot=bot, owner=f"of-{bot}"))
    return tournament


def seeding(*bots: str, **entry: Any) -> Tournament:  # noqa: ANN401
    tournament = entered(opened(**entry), *bots)
    ask(tournament, Advance(to=Lifecycle.CHECK_IN))
    for bot in bots:
        ask(tournament, CheckIn(bot=bot, latency=12))
    ask(tournament, Advance(to=Lifecycle.SEEDING))
    return tournament


def names_of(tournament: Tournament) -> tuple[list[str], list[str]]:
    ledger = tournament.plan().ledger
    return (
        [one.bot for one in with_place(ledger)],
        [one.bot for one in waiting(ledger)],
    )


def test_a_tournament_goes_from_draft_to_archive() -> None:
    tournament = seeding("ann", "bob")
    assert tournament.plan().to_seed == ("ann", "bob")
    ask(tournament, SeedField(lots=LOTS.hex()))
    ask(tournament, Advance(to=Lifecycle.RUNNING))
    ask(tournament, Advance(to=Lifecycle.PAUSED, reason="lunch"))
    assert tournament.plan().orders == ()
    ask(tournament, Advance(to=Lifecycle.RUNNING))
    tournament.play(better_seed)
    ask(tournament, Advance(to=Lifecycle.ARCHIVED))

    assert tournament.plan().ledger.lifecycle is Lifecycle.ARCHIVED


def test_to_start_again_what_runs_changes_nothing() -> None:
    tournament = seeding("ann", "bob")
    ask(tournament, SeedField(lots=LOTS.hex()))
    ask(tournament, Advance(to=Lifecycle.RUNNING))

    assert ask(tournament, Advance(to=Lifecycle.RUNNING)).events == ()


def test_a_refused_step_says_where_it_could_go_instead() -> None:
    tournament = opened()

    with pytest.raises(OperationError, match=r"cancelled, check_in") as caught:
        ask(tournament, Advance(to=Lifecycle.RUNNING))

    assert caught.value.objection is Objection.WRONG_TIME


@pytest.mark.parametrize("state", Lifecycle)
def test_it_can_be_cancelled_until_it_is_finished(state: Lifecycle) -> None:
    over = {Lifecycle.FINISHED, Lifecycle.ARCHIVED, Lifecycle.CANCELLED}

    assert (Lifecycle.CANCELLED in FOLLOWING[state]) is (state not in over)


def test_a_match_that_goes_on_when_all_is_cancelled_is_of_no_use() -> None:
    tournament = Tournament(one_stage(STAGE))
    tournament.start(2)
    match = tournament.begin(tournament.settle().orders[0])

    ask(tournament, Advance(to=Lifecycle.CANCELLED, reason="fire"))

    assert tournament.plan().aborts == (match,)
    assert tournament.plan().orders == ()


def test_nothing_is_finished_by_hand_before_all_is_played() -> None:
    tournament = Tournament(one_stage(STAGE))
    tournament.start(2)

    assert refusal(tournament, Advance(to=Lifecycle.FINISHING)) is Objection.WRONG_TIME


def test_a_bot_that_enters_twice_has_entered_once() -> None:
    tournament = entered(opened(), "ann")

    assert ask(tournament, Enter(bot="ann", owner="of-ann")).events == ()
    assert refusal(tournament, Enter(bot="ann", owner="of-bob")) is Objection.DUPLICATE


def test_a_bot_that_comes_and_goes_is_let_in_so_often_and_no_more() -> None:
    tournament = opened()
    for _ in range(8):
        entered(tournament, "fickle")
        ask(tournament, Withdraw(bot="fickle"))

    again = Enter(bot="fickle", owner="of-fickle")
    assert refusal(tournament, again) is Objection.ENTRY_CLOSED
    entered(tournament, "steady")


def test_an_owner_enters_as_many_bots_as_the_rules_allow() -> None:
    tournament = opened(bots_per_owner=2)
    for bot in ("ann", "bob"):
        ask(tournament, Enter(bot=bot, owner="club"))
    third = Enter(bot="cat", owner="club")

    assert refusal(tournament, third) is Objection.ENTRY_CLOSED
    ask(tournament, Withdraw(bot="ann"))
    ask(tournament, third)


def test_who_is_over_the_capacity_waits_and_moves_up() -> None:
    tournament = entered(opened(capacity=2), "ann", "bob", "cat", "dan")
    assert names_of(tournament) == (["ann", "bob"], ["cat", "dan"])

    ask(tournament, Withdraw(bot="ann"))

    assert names_of(tournament) == (["bob", "cat"], ["dan"])
    # Whoever comes back takes its turn anew.
    ask(tournament, Enter(bot="ann", owner="of-ann"))
    assert names_of(tournament) == (["bob", "cat"], ["dan", "ann"])


def test_who_does_not_check_in_loses_the_place_to_who_waits() -> None:
    tournament = entered(opened(capacity=2), "ann", "bob", "cat")
    ask(tournament, Advance(to=Lifecycle.CHECK_IN))
    for bot in ("bob", "cat"):
        ask(tournament, CheckIn(bot=bot, latency=7))

    ask(tournament, Advance(to=Lifecycle.SEEDING))

    assert names_of(tournament)[0] == ["bob", "cat"]


def test_a_check_in_counts_once_and_in_its_time() -> None:
    tournament = entered(opened(), "ann")
    assert refusal(tournament, CheckIn(bot="ann")) is Objection.WRONG_TIME
    ask(tournament, Advance(to=Lifecycle.CHECK_IN))
    assert refusal(tournament, CheckIn(bot="bob")) is Objection.UNKNOWN

    ask(tournament, CheckIn(bot="ann", latency=30))

    assert ask(tournament, CheckIn(bot="ann", latency=31)).events == ()
    assert tournament.plan().ledger.entrants["ann"].latency == 30


def test_a_code_lets_one_bot_in() -> None:
    tournament = opened(by="codes")
    ask(tournament, IssueCodes(codes=(CODE,)))
    without = Enter(bot="ann", owner="of-ann")
    assert refusal(tournament, without) is Objection.ENTRY_CLOSED

    ask(tournament, Enter(bot="ann", owner="of-ann", code=CODE))

    again = Enter(bot="bob", owner="of-bob", code=CODE)
    assert refusal(tournament, again) is Objection.ENTRY_CLOSED


def test_only_those_who_are_invited_enter() -> None:
    tournament = opened(by="invitation", invited=["ann"])

    ask(tournament, Enter(bot="ann", owner="of-ann"))

    stranger = Enter(bot="bob", owner="of-bob")
    assert refusal(tournament, stranger) is Objection.ENTRY_CLOSED


def test_those_who_are_listed_enter_by_themselves() -> None:
    listed = [{"bot": "ann", "seed": 2}, {"bot": "bob", "seed": 1}]
    tournament = opened(seeding="given", listed=listed, check_in=False)
    tournament.settle()
    ask(tournament, Enter(bot="cat", owner="of-cat"))
    ask(tournament, Advance(to=Lifecycle.SEEDING))

    ask(tournament, SeedField(lots=LOTS.hex()))

    assert tournament.plan().ledger.order == ("bob", "ann", "cat")


def test_nobody_enters_when_registration_is_over() -> None:
    tournament = seeding("ann", "bob")

    late = Enter(bot="cat", owner="of-cat")
    assert refusal(tournament, late) is Objection.WRONG_TIME


def test_who_may_enter_late_is_in_the_next_round() -> None:
    document = one_stage({"format": "swiss", "rounds": 3}, entry={"late": "zero"})
    tournament = Tournament(document)
    tournament.start(4)
    tournament.step(better_seed)

    ask(tournament, Enter(bot="late-one", owner="of-late"))

    planned = tournament.settle()
    assert planned.ledger.entrants["late-one"].round == 2
    pairs = planned.stages[0].rounds[1]
    there = {bot for pair in pairs.pairs for bot in pair} | {pairs.bye}
    assert "late-one" in there


def test_a_knock_out_takes_nobody_late() -> None:
    tournament = Tournament(one_stage(STAGE))
    tournament.start(4)

    late = Enter(bot="late-one", owner="of-late")
    assert refusal(tournament, late) is Objection.ENTRY_CLOSED


@pytest.mark.parametrize(
    ("order", "path"),
    [
        (("ann", "bob"), "order"),
        (("ann", "bob", "bob"), "order[2]"),
        (("ann", "bob", "dan"), "order[2]"),
    ],
)
def test_seeds_that_are_no_permutation_are_refused(
    order: tuple[str, ...], path: str
) -> None:
    tournament = seeding("ann", "bob", "cat")

    with pytest.raises(OperationError) as caught:
        ask(tournament, SeedField(lots=LOTS.hex(), order=order))

    assert caught.value.path == path


def test_lots_are_drawn_once() -> None:
    tournament = seeding("ann", "bob", "cat", seeding="draw")
    ask(tournament, SeedField(lots=LOTS.hex()))
    order = tournament.plan().ledger.order

    assert order == by_lot(LOTS, ["cat", "ann", "bob"])
    assert ask(tournament, SeedField(lots=LOTS.hex())).events == ()
    again = SeedField(lots="ab" * 32)
    assert refusal(tournament, again) is Objection.CONFLICT
    chosen = ("cat", "ann", "bob")
    ask(tournament, SeedField(lots=LOTS.hex(), order=chosen))
    assert tournament.plan().ledger.order == chosen


def test_a_field_that_has_changed_is_seeded_again() -> None:
    tournament = seeding("ann", "bob", "cat", "dan", capacity=3)
    ask(tournament, SeedField(lots=LOTS.hex()))
    assert tournament.plan().to_seed == ()
    ask(tournament, Withdraw(bot="bob"))

    assert tournament.plan().to_seed == ("ann", "cat", "dan")
    start = Advance(to=Lifecycle.RUNNING)
    assert refusal(tournament, start) is Objection.WRONG_TIME
    ask(tournament, SeedField(lots=LOTS.hex()))
    ask(tournament, start)

    assert tournament.plan().ledger.order == ("ann", "cat", "dan")


def test_a_field_that_the_format_cannot_take_does_not_start() -> None:
    document = one_stage({"format": "swiss", "rounds": 5})
    tournament = Tournament(document)
    tournament.enter(["ann", "bob", "cat", "dan"])

    with pytest.raises(OperationError) as caught:
        ask(tournament, Advance(to=Lifecycle.RUNNING))

    assert (caught.value.objection, caught.value.path) == (
        Objection.INVALID,
        "stages[0].rounds",
    )


def test_one_entrant_alone_makes_no_contest() -> None:
    tournament = seeding("ann")

    assert tournament.settle().ledger.lifecycle is Lifecycle.CANCELLED


def test_the_configuration_is_frozen_with_the_field() -> None:
    tournament = seeding("ann", "bob")
    other = read_configuration(one_stage({**STAGE, "third_place": True}))
    change = Configure(configuration=configuration_digest(other))
    ask(tournament, SeedField(lots=LOTS.hex()))

    assert refusal(tournament, change) is Objection.WRONG_TIME


def test_a_changed_configuration_is_the_one_that_counts() -> None:
    tournament = opened()
    other = read_configuration(one_stage({**STAGE, "third_place": True}))

    ask(tournament, Configure(configuration=configuration_digest(other)))

    with pytest.raises(ValueError, match="another configuration"):
        tournament.plan()
    tournament.configuration = other
    assert tournament.plan().ledger.lifecycle is Lifecycle.REGISTRATION


def test_a_schedule_takes_a_tournament_to_its_start_by_itself() -> None:
    document = one_stage(STAGE, schedule={"registration": "1h", "check_in": "10m"})
    tournament = Tournament(document)
    tournament.add(Advanced(to=Lifecycle.REGISTRATION))
    for bot in ("ann", "bob"):
        tournament.add(Registered(bot=bot, owner=f"of-{bot}"))
    assert tournament.settle().ledger.lifecycle is Lifecycle.REGISTRATION
    tournament.now_ms += 3_600_000
    assert tournament.settle().ledger.lifecycle is Lifecycle.CHECK_IN
    for bot in ("ann", "bob"):
        tournament.add(CheckedIn(bot=bot))
    tournament.now_ms += 600_000
    planned = tournament.settle()
    assert (planned.ledger.lifecycle, planned.to_seed) == (
        Lifecycle.SEEDING,
        ("ann", "bob"),
    )

    ask(tournament, SeedField(lots=LOTS.hex()))

    planned = tournament.settle()
    assert planned.ledger.lifecycle is Lifecycle.RUNNING
    assert len(planned.orders) == 1


def test_an_endless_ladder_ends_when_it_is_closed() -> None:
    tournament = Tournament(one_stage({"format": "ladder"}))
    tournament.start(4)
    for _ in range(9):
        tournament.step(better_seed)
    assert refusal(tournament, CloseStage(stage="other")) is Objection.UNKNOWN

    ask(tournament, CloseStage(stage="main"))

    assert tournament.settle().ledger.lifecycle is Lifecycle.FINISHED
    assert sum(tournament.plan().stages[0].played().values()) >= 36


def test_tie_breaks_are_changed_only_where_they_are_used() -> None:
    tournament = Tournament(one_stage({"format": "round_robin"}))
    tournament.start(4)
    order = (Criterion.MATCH_POINTS, Criterion.WINS)
    change = ChangeTieBreaks(stage="main", order=order, reason="as announced")

    ask(tournament, change)

    assert tournament.plan().ledger.tie_breaks == {"main": order}
    assert ask(tournament, change).events == ()
    twice = ChangeTieBreaks(stage="main", order=(Criterion.WINS,) * 2, reason="?")
    assert refusal(tournament, twice) is Objection.INVALID
    bracket = Tournament(one_stage(STAGE))
    bracket.start(2)
    assert refusal(bracket, change) is Objection.INVALID


def test_the_secret_opens_after_the_end() -> None:
    tournament = Tournament(one_stage(STAGE))
    tournament.start(2)
    secret = OpenSecret(secret="ab" * 32)
    assert refusal(tournament, secret) is Objection.WRONG_TIME
    tournament.play(better_seed)

    ask(tournament, secret)
