import logging
import threading
import time
from dataclasses import replace

import pytest
from tests.unit.client.fake_referee import (
    RULES,
    FakeReferee,
    Replies,
    listening,
    play,
)

from ginref.app import message as app
from ginref.app.report import CreditFacts
from ginref.engine.move import Discard, Move
from ginref.engine.seat import Seat
from ginref.engine.view import SeatView
from ginref.record.lifecycle import EndingKind, Stage
from ginref.v1.bot_service_pb2 import ConnectRequest
from ginref_client.bot import Bot
from ginref_client.bots.simple import Simple
from ginref_client.fact import FinishedMatch, FinishedRound, MatchInfo, TurnClock


class Listener(Simple):
    def __init__(self) -> None:
        self.heard: list[object] = []
        self.clocks: list[TurnClock | None] = []

    def choose(self, view: SeatView) -> Move:
        self.clocks.append(self.clock)
        return super().choose(view)

    def match_started(self, info: MatchInfo) -> None:
        self.heard.append(info)

    def round_over(self, ended: FinishedRound) -> None:
        self.heard.append(ended)

    def match_over(self, result: FinishedMatch) -> None:
        self.heard.append(result)


async def test_a_bot_hears_start_rounds_and_end_in_order() -> None:
    referee, bot = FakeReferee(), Listener()

    async with listening(referee) as url:
        [result] = await play(url, bot)

    info, *rounds, end = bot.heard
    assert info == MatchInfo(
        match_id="m1", seat=Seat.NORTH, bots=("ours", "theirs"), rules=RULES
    )
    summaries = [heard.summary for heard in rounds if isinstance(heard, FinishedRound)]
    assert summaries == [*referee.match.history]
    assert end == result


async def test_a_bot_knows_its_clock() -> None:
    bot = Listener()

    async with listening(FakeReferee()) as url:
        await play(url, bot)

    assert bot.clocks[0] == TurnClock(left_ms=9_500, bank_ms=7_000, strikes_left=3)


class Generous(FakeReferee):
    """Gives time back in the middle of each turn: by a credit, or by a new view."""

    def __init__(self, *, tell_again: bool) -> None:
        super().__init__()
        self.tell_again = tell_again

    def state(self) -> list[app.Message]:
        told = super().state()
        if self.stage is not Stage.PLAYING:
            return told
        (turn,) = told
        assert isinstance(turn, app.Turn)
        clock = replace(turn.report.clock, deadline_ms=14_000)
        again = app.Turn(replace(turn.report, clock=clock))
        return [
            turn,
            self.credit(self.version - 1, Seat.NORTH, 98_000),
            self.credit(self.version, Seat.SOUTH, 99_000),
            again if self.tell_again else self.credit(self.version, Seat.NORTH, 14_000),
        ]

    def credit(self, version: int, seat: Seat, deadline_ms: int) -> app.Message:
        credit = CreditFacts(version, seat, 3_000)
        return app.CreditGiven(match_id="m1", credit=credit, deadline_ms=deadline_ms)


@pytest.mark.parametrize("how", ["by a credit", "by a turn"])
async def test_a_bot_that_thinks_learns_of_time_that_is_given_back(how: str) -> None:
    class Waiting(Listener):
        def choose(self, view: SeatView) -> Move:
            for _ in range(1_000):
                if self.clock and self.clock.left_ms != 9_500:
                    break
                time.sleep(0.01)
            return super().choose(view)

    bot = Waiting()

    async with listening(Generous(tell_again=how == "by a turn")) as url:
        await play(url, bot)

    assert {clock and clock.left_ms for clock in bot.clocks} == {12_500}


async def test_a_slow_bot_still_answers_pings() -> None:
    answered = threading.Event()

    class Slow(Simple):
        def choose(self, view: SeatView) -> Move:
            assert answered.wait(10)
            return super().choose(view)

    class Pinging(FakeReferee):
        def state(self) -> list[app.Message]:
            return [*super().state(), app.Ping(number=7, now_ms=0)]

        def react(self, request: ConnectRequest) -> Replies:
            if request.HasField("pong") and self.stage is Stage.PLAYING:
                answered.set()
            return super().react(request)

    referee = Pinging()

    async with listening(referee) as url:
        [result] = await play(url, Slow)

    assert {pong.number for pong in referee.of("pong")} == {7}
    assert result.ending.kind is EndingKind.COMPLETED


class Clumsy(Simple):
    """Fails at its first so many turns, each time in another way."""

    failures = 0

    def __init__(self) -> None:
        self.left = self.failures

    def choose(self, view: SeatView) -> Move:
        if self.left:
            self.left -= 1
            if self.left % 3 == 0:
                return Discard(next(iter(view.unseen)))
            if self.left % 3 == 1:
                return None  # type: ignore[return-value]
            return next(iter(()))
        return super().choose(view)


async def test_a_bot_that_fails_twice_plays_on_with_harmless_moves(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Twice(Clumsy):
        failures = 2

    referee = FakeReferee()

    async with listening(referee) as url:
        [result] = await play(url, Twice)

    assert result.ending.kind is EndingKind.COMPLETED
    assert "choose failed" in caplog.text
    assert "illegal move chosen" in caplog.text
    assert not referee.of("resign")


async def test_a_bot_that_fails_three_times_resigns(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Thrice(Clumsy):
        failures = 3

    referee = FakeReferee()

    async with listening(referee) as url:
        [result] = await play(url, Thrice)

    assert result.ending.kind is EndingKind.RESIGNED
    assert len(referee.of("resign")) == 1
    assert "resigning" in caplog.text


async def test_no_card_is_logged_unless_details_are_asked_for(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Wrong(Simple):
        def choose(self, view: SeatView) -> Move:
            return Discard(next(iter(view.unseen)))

    caplog.set_level(logging.INFO, "ginref_client")

    async with listening(FakeReferee()) as url:
        await play(url, Wrong)

    texts = [r.getMessage() for r in caplog.records if r.name.startswith("ginref_")]
    assert any("illegal move chosen: wrong_phase" in text for text in texts)
    assert not any(
        f"{rank}{suit}" in t for t in texts for rank in "TJQK" for suit in "shdc"
    )


async def test_a_hook_that_raises_costs_nothing() -> None:
    class Rude(Simple):
        def match_started(self, info: MatchInfo) -> None:
            raise KeyError(info.match_id)

    async with listening(FakeReferee()) as url:
        [result] = await play(url, Rude)

    assert result.ending.kind is EndingKind.COMPLETED


def test_a_bot_must_choose() -> None:
    with pytest.raises(TypeError):
        Bot()  # type: ignore[abstract]
