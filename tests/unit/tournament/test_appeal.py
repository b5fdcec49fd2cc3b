"""Pairings by hand, and appeals."""

import pytest
from tests.unit.tournament.asking import ask, refusal
from tests.unit.tournament.driving import (
    Tournament,
    better_seed,
    names,
    one_stage,
)

from ginref.tournament.error import Objection, OperationError
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.operation import (
    DecideAppeal,
    FileAppeal,
    PairManually,
    Requeue,
)

SWISS = one_stage({"format": "swiss", "rounds": 3})


def test_rounds_can_be_paired_by_hand_and_the_log_shows_both() -> None:
    tournament = Tournament(SWISS)
    tournament.start(4)
    proposed = tournament.settle().stages[0].rounds[0]
    chosen = (("bot-01", "bot-04"), ("bot-02", "bot-03"))
    operation = PairManually(
        stage="main", round=1, pairs=chosen, reason="the same author"
    )

    decision = ask(tournament, operation)

    assert [getattr(one, "proposed", None) for one in decision.events] == [
        proposed.pairs
    ]
    assert tournament.settle().stages[0].rounds[0].pairs == chosen
    assert ask(tournament, operation).events == ()
    tournament.step(better_seed)
    other = PairManually(stage="main", round=1, pairs=proposed.pairs, reason="back")
    assert refusal(tournament, other) is Objection.CONFLICT


@pytest.mark.parametrize(
    ("pairs", "path"),
    [
        ((("bot-01", "bot-01"),), "pairs[0]"),
        ((("bot-01", "bot-02"), ("bot-02", "bot-03")), "pairs[1]"),
        ((("bot-01", "somebody"),), "pairs[0]"),
    ],
)
def test_nobody_is_paired_twice_by_hand_nor_with_a_stranger(
    pairs: tuple[tuple[str, str], ...], path: str
) -> None:
    tournament = Tournament(SWISS)
    tournament.start(4)
    tournament.settle()
    operation = PairManually(stage="main", round=1, pairs=pairs, reason="?")

    with pytest.raises(OperationError) as caught:
        ask(tournament, operation)

    assert caught.value.path == path


def test_who_is_left_out_of_pairings_by_hand_wins_nothing() -> None:
    tournament = Tournament(SWISS)
    tournament.start(4)
    for number in (1, 2):
        tournament.settle()
        pairs = (("bot-01", "bot-02"),)
        operation = PairManually(
            stage="main", round=number, pairs=pairs, bye="bot-03", reason="test"
        )
        ask(tournament, operation)
        tournament.step(better_seed)

    last = tournament.settle().stages[0].rounds[2]
    assert last.bye is None
    assert {bot for pair in last.pairs for bot in pair} == set(names(4))


def test_an_appeal_keeps_a_tournament_open_until_it_is_decided() -> None:
    tournament = Tournament(
        one_stage({"format": "single_elimination"}, schedule={"appeals": "1h"})
    )
    tournament.start(2)
    tournament.step(better_seed)
    tournament.settle()
    fixture = tournament.node("R1.1").fixture_id
    appeal = FileAppeal(
        appeal="a-1", fixture=fixture, bot="bot-02", text="it was my turn"
    )
    ask(tournament, appeal)

    assert ask(tournament, appeal).events == ()
    tournament.now_ms += 7_200_000
    assert tournament.settle().ledger.lifecycle is Lifecycle.FINISHING
    ask(tournament, DecideAppeal(appeal="a-1", upheld=False, reason="it was not"))
    assert tournament.settle().ledger.lifecycle is Lifecycle.FINISHED


def test_a_result_is_appealed_against_once_by_each_bot() -> None:
    tournament = Tournament(
        one_stage({"format": "single_elimination"}, schedule={"appeals": "1h"})
    )
    tournament.start(4)
    tournament.step(better_seed)
    fixture = tournament.node("R1.1").fixture_id
    bots = [str(bot) for bot in tournament.node("R1.1").entrants]
    for bot in bots:
        ask(
            tournament, FileAppeal(appeal=f"a-{bot}", fixture=fixture, bot=bot, text="")
        )

    again = FileAppeal(appeal="a-3", fixture=fixture, bot=bots[0], text="and again")

    assert refusal(tournament, again) is Objection.DUPLICATE
    ask(tournament, DecideAppeal(appeal=f"a-{bots[0]}", upheld=False, reason="no"))
    assert refusal(tournament, again) is Objection.DUPLICATE
    # A new result is another matter.
    ask(tournament, Requeue(fixture=fixture, attempt=1, reason="as they wish"))
    tournament.step(better_seed)
    ask(tournament, again)


def test_whoever_does_not_play_a_fixture_does_not_learn_of_it() -> None:
    tournament = Tournament(one_stage({"format": "single_elimination"}))
    tournament.start(4)
    tournament.step(better_seed)
    fixture = tournament.node("R1.1").fixture_id
    refused = []
    for asked in (fixture, "0" * 16):
        appeal = FileAppeal(appeal="a-1", fixture=asked, bot="bot-02", text="but")
        with pytest.raises(OperationError) as caught:
            ask(tournament, appeal)
        refused.append(str(caught.value))

    assert refused[0] == refused[1]


def test_an_appeal_must_come_in_time() -> None:
    tournament = Tournament(
        one_stage({"format": "single_elimination"}, schedule={"appeals": "1h"})
    )
    tournament.start(4)
    tournament.step(better_seed)
    fixture = tournament.node("R1.1").fixture_id
    tournament.now_ms += 3_700_000
    appeal = FileAppeal(appeal="a-1", fixture=fixture, bot="bot-04", text="but")

    assert refusal(tournament, appeal) is Objection.WRONG_TIME
