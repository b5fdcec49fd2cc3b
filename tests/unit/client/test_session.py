import asyncio
import logging
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import grpc
import pytest

from ginref.app import message as app
from ginref.app.error import Reason, RefusedError
from ginref.engine.match import apply, legal_moves
from ginref.engine.move import Discard, Move
from ginref.engine.seat import Seat
from ginref.engine.view import SeatView
from ginref.record.lifecycle import EndingKind
from ginref.transport.codec_message import message_to_wire
from ginref_client.bot import Bot
from ginref_client.bots.simple import Simple
from ginref_client.error import (
    AccessError,
    FencedError,
    ProtocolError,
    UnavailableError,
)
from ginref_client.error import (
    RefusedError as CallRefusedError,
)
from ginref_client.fact import FinishedMatch, FinishedRound, MatchInfo
from ginref_client.session import Session

TOKEN = "t" * 43

Fake = Any
"""The referee of these tests, its class, how to serve it, and what it is asked."""


def one_match(finished: Sequence[FinishedMatch]) -> bool:
    return len(finished) == 1


async def play(url: str, bot: Fake = Simple, **options: Fake) -> list[FinishedMatch]:
    options.setdefault("give_up_after", 10)
    return await Session(url, TOKEN, bot, **options).run(until=one_match)


async def test_a_match_is_played_from_offer_to_end(
    fake_referee: Fake, serve: Fake
) -> None:
    referee = fake_referee()

    async with serve(referee) as url:
        [result] = await play(url, capacity=2)

    assert result.match_id == "m1"
    assert result.ending.kind is EndingKind.COMPLETED
    assert result.won is (referee.match.over.winner is Seat.NORTH)
    assert result.sheet == referee.match.sheet
    assert referee.tokens == [f"Bearer {TOKEN}"]
    [hello] = referee.of("hello")
    assert hello.protocol == 1
    assert hello.capacity == 2
    assert hello.client.startswith("ginref-python/")
    assert len({move.request_id for move in referee.moves}) == len(referee.moves)


class Listener(Simple):
    def __init__(self) -> None:
        self.heard: list[object] = []
        self.clocks: list[Any] = []

    def choose(self, view: SeatView) -> Move:
        self.clocks.append(self.clock)
        return super().choose(view)

    def match_started(self, info: MatchInfo) -> None:
        self.heard.append(info)

    def round_over(self, ended: FinishedRound) -> None:
        self.heard.append(ended)

    def match_over(self, result: FinishedMatch) -> None:
        self.heard.append(result)


async def test_a_bot_hears_start_rounds_and_end_in_order(
    fake_referee: Fake, serve: Fake
) -> None:
    referee, bot = fake_referee(), Listener()

    async with serve(referee) as url:
        [result] = await play(url, bot)

    info, *rounds, end = bot.heard
    assert isinstance(info, MatchInfo)
    assert info.bots == ("ours", "theirs")
    assert info.seat is Seat.NORTH
    assert [ended.summary for ended in rounds] == list(referee.match.history)  # type: ignore[attr-defined]
    assert end == result


async def test_a_bot_knows_its_clock(fake_referee: Fake, serve: Fake) -> None:
    bot = Listener()

    async with serve(fake_referee()) as url:
        await play(url, bot)

    assert bot.clocks[0].left_ms == 9_500
    assert bot.clocks[0].bank_ms == 7_000
    assert bot.clocks[0].strikes_left == 3


def drop_before(referee: Fake, _: Fake) -> Fake:
    """Lose the move: it never reached the referee."""
    raise referee.cut


def drop_after(referee: Fake, move: Fake) -> Fake:
    """Store the move, and lose the answer."""
    referee.usual(move)
    raise referee.cut


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(drop_before, id="the request is lost"),
        pytest.param(drop_after, id="the answer is lost"),
    ],
)
async def test_a_move_without_an_answer_is_sent_again_under_its_own_id(
    fake_referee: Fake, serve: Fake, cut: Fake, fault: Fake
) -> None:
    referee = fake_referee({3: fault})
    referee.cut = cut

    async with serve(referee) as url:
        [result] = await play(url)

    first, again = referee.moves[2:4]
    assert again == first
    assert len(referee.of("hello")) == 2
    assert result.ending.kind is EndingKind.COMPLETED
    others = [move.request_id for move in referee.moves if move != first]
    assert len(set(others)) == len(others)


class Counting(Simple):
    def __init__(self) -> None:
        self.turns = 0

    def choose(self, view: SeatView) -> Move:
        self.turns += 1
        return super().choose(view)


async def test_a_turn_that_comes_again_is_not_thought_about_again(
    fake_referee: Fake, serve: Fake, cut: Fake
) -> None:
    referee, bot = fake_referee({2: drop_before, 4: drop_before}), Counting()
    referee.cut = cut

    async with serve(referee) as url:
        await play(url, bot)

    assert bot.turns == len({move.request_id for move in referee.moves})
    assert len(referee.moves) == bot.turns + 2


async def test_a_drained_bot_goes_on_at_the_next_address(
    fake_referee: Fake, serve: Fake
) -> None:
    def drain(*_: Fake) -> Fake:
        return [message_to_wire(app.Drain(grace_ms=1000))]

    class Replica(fake_referee):  # type: ignore[misc]
        def welcome(self) -> Fake:
            self.is_visited = True
            return super().welcome()

    first, second = fake_referee({4: drain}), Replica()
    second.__dict__ = first.__dict__

    async with serve(first, second) as url:
        [result] = await play(url)

    assert first.is_visited
    assert result.ending.kind is EndingKind.COMPLETED
    assert [c.match_id for c in first.of("hello")[1].cursors] == ["m1"]
    assert first.moves[3] == first.moves[4]


async def test_a_fenced_bot_stops(fake_referee: Fake, serve: Fake) -> None:
    referee = fake_referee()
    referee.greeting = [app.Fenced("b")]

    async with serve(referee) as url:
        with pytest.raises(FencedError):
            await play(url)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (grpc.StatusCode.UNAUTHENTICATED, AccessError),
        (grpc.StatusCode.PERMISSION_DENIED, AccessError),
        (grpc.StatusCode.UNIMPLEMENTED, CallRefusedError),
        (grpc.StatusCode.INVALID_ARGUMENT, CallRefusedError),
    ],
)
async def test_what_waiting_cannot_mend_ends_the_session(
    fake_referee: Fake, serve: Fake, status: Fake, error: type[Exception]
) -> None:
    referee = fake_referee()
    referee.status = status

    async with serve(referee) as url:
        with pytest.raises(error, match="as scripted"):
            await play(url, give_up_after=None)

    assert len(referee.tokens) == 1


async def test_a_bot_gives_up_when_told_to() -> None:
    with pytest.raises(UnavailableError):
        await play("http://127.0.0.1:1", give_up_after=0.2)


async def test_a_dead_address_does_not_keep_a_bot_from_the_next(
    fake_referee: Fake, serve: Fake
) -> None:
    async with serve(fake_referee()) as url:
        [result] = await play(f"http://127.0.0.1:1,{url}")

    assert result.ending.kind is EndingKind.COMPLETED


async def test_a_refused_move_is_followed_by_another_one(
    fake_referee: Fake, serve: Fake
) -> None:
    def refuse(referee: Fake, move: Fake) -> Fake:
        return referee.refuse(move, Reason.KNOCK_ABOVE_LIMIT, strikes_left=2)

    referee = fake_referee({2: refuse})

    async with serve(referee) as url:
        [result] = await play(url)

    refused, instead = referee.moves[1:3]
    assert instead.expected_version == refused.expected_version
    assert instead.request_id != refused.request_id
    assert instead.move != refused.move
    assert result.ending.kind is EndingKind.COMPLETED


async def test_a_bot_whose_strikes_are_used_up_waits_for_the_referee(
    fake_referee: Fake, serve: Fake
) -> None:
    def refuse(referee: Fake, move: Fake) -> Fake:
        left = 2 - len(referee.moves)
        answer = referee.refuse(move, Reason.KNOCK_ABOVE_LIMIT, strikes_left=left)
        if not left:
            referee.end(EndingKind.STRIKES, Seat.SOUTH)
        return answer

    referee = fake_referee({1: refuse, 2: refuse})

    async with serve(referee) as url:
        [result] = await play(url)

    assert len(referee.moves) == 2
    assert len(referee.of("sync")) == 1
    assert result.ending.kind is EndingKind.STRIKES


async def test_a_store_that_is_away_is_asked_again(
    fake_referee: Fake, serve: Fake
) -> None:
    def away(referee: Fake, move: Fake) -> Fake:
        error = RefusedError(Reason.STORE_UNAVAILABLE, "away")
        return [message_to_wire(referee.result(move, error))]

    referee = fake_referee({2: away})

    async with serve(referee) as url:
        await play(url)

    assert referee.moves[1] == referee.moves[2]


async def test_a_stale_move_is_dropped(fake_referee: Fake, serve: Fake) -> None:
    def overtaken(referee: Fake, move: Fake) -> Fake:
        # Another process of the same bot has drawn already.
        match = referee.match
        draw = legal_moves(match, Seat.NORTH)[-1]
        referee.match = apply(match, Seat.NORTH, draw, referee.deck_for)
        referee.version += 1
        stale = referee.refuse(move, Reason.VERSION_STALE)
        return [*stale, *map(message_to_wire, referee.go_on(0))]

    referee = fake_referee({1: overtaken})

    async with serve(referee) as url:
        [result] = await play(url)

    assert referee.moves[1].expected_version > referee.moves[0].expected_version
    assert result.ending.kind is EndingKind.COMPLETED


async def test_a_slow_bot_still_answers_pings(fake_referee: Fake, serve: Fake) -> None:
    answered = threading.Event()

    class Slow(Simple):
        def choose(self, view: SeatView) -> Move:
            assert answered.wait(10)
            return super().choose(view)

    class Pinging(fake_referee):  # type: ignore[misc]
        def state(self) -> Fake:
            return [*super().state(), app.Ping(number=7, now_ms=0)]

        def react(self, request: Fake) -> Fake:
            if request.HasField("pong") and self.match is not None:
                answered.set()
            return super().react(request)

    referee = Pinging()

    async with serve(referee) as url:
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
    fake_referee: Fake, serve: Fake, caplog: pytest.LogCaptureFixture
) -> None:
    class Twice(Clumsy):
        failures = 2

    referee = fake_referee()

    async with serve(referee) as url:
        [result] = await play(url, Twice)

    assert result.ending.kind is EndingKind.COMPLETED
    assert "choose failed" in caplog.text
    assert "illegal move chosen" in caplog.text
    assert not referee.of("resign")


async def test_a_bot_that_fails_three_times_resigns(
    fake_referee: Fake, serve: Fake, caplog: pytest.LogCaptureFixture
) -> None:
    class Thrice(Clumsy):
        failures = 3

    referee = fake_referee()

    async with serve(referee) as url:
        [result] = await play(url, Thrice)

    assert result.ending.kind is EndingKind.RESIGNED
    assert len(referee.of("resign")) == 1
    assert "resigning" in caplog.text


async def test_no_card_is_logged_unless_details_are_asked_for(
    fake_referee: Fake, serve: Fake, caplog: pytest.LogCaptureFixture
) -> None:
    class Wrong(Simple):
        def choose(self, view: SeatView) -> Move:
            return Discard(next(iter(view.unseen)))

    caplog.set_level(logging.INFO, "ginref_client")

    async with serve(fake_referee()) as url:
        await play(url, Wrong)

    texts = [r.getMessage() for r in caplog.records if r.name.startswith("ginref_")]
    assert any("illegal move chosen: wrong_phase" in text for text in texts)
    assert not any(
        f"{rank}{suit}" in t for t in texts for rank in "TJQK" for suit in "shdc"
    )


async def test_a_hook_that_raises_costs_nothing(
    fake_referee: Fake, serve: Fake
) -> None:
    class Rude(Simple):
        def match_started(self, info: MatchInfo) -> None:
            raise KeyError(info.match_id)

    async with serve(fake_referee()) as url:
        [result] = await play(url, Rude)

    assert result.ending.kind is EndingKind.COMPLETED


async def test_an_unwanted_seat_is_declined(fake_referee: Fake, serve: Fake) -> None:
    referee = fake_referee()
    session: list[Session] = []

    def refuse(info: MatchInfo) -> bool:
        assert info.bots == ("ours", "theirs")
        asyncio.get_running_loop().call_later(0.1, session[0].stop)
        return False

    async with serve(referee) as url:
        session.append(Session(url, TOKEN, Simple, accept=refuse))
        assert await session[0].run() == []

    assert len(referee.of("decline")) == 1
    assert not referee.of("accept")


async def test_a_match_that_ended_meanwhile_is_asked_about(
    fake_referee: Fake, serve: Fake, cut: Fake
) -> None:
    def end_and_cut(referee: Fake, _: Fake) -> Fake:
        referee.end(EndingKind.TIMED_OUT, Seat.SOUTH)
        referee.is_silent_about_the_end = True
        raise cut

    referee = fake_referee({2: end_and_cut})

    async with serve(referee) as url:
        [result] = await play(url)

    assert result.ending.kind is EndingKind.TIMED_OUT
    assert referee.of("sync")


async def test_a_bot_that_is_started_again_reveals_what_it_committed_to(
    fake_referee: Fake, serve: Fake, tmp_path: Path
) -> None:
    class Stubborn(fake_referee):  # type: ignore[misc]
        def prepare(self, answer: Fake) -> Fake:
            if answer.HasField("commitment"):
                super().prepare(answer)
                session.stop()
                return []
            return super().prepare(answer)

    referee = Stubborn()
    async with serve(referee) as url:
        session = Session(url, TOKEN, Simple, state=tmp_path)
        await session.run()

        [result] = await play(url, state=tmp_path)

    assert result.ending.kind is EndingKind.COMPLETED
    [file] = os.scandir(tmp_path)
    assert file.stat().st_mode & 0o777 == 0o600


async def test_a_lost_share_is_not_replaced_by_another_one(
    fake_referee: Fake, serve: Fake, caplog: pytest.LogCaptureFixture
) -> None:
    class Forgetful(fake_referee):  # type: ignore[misc]
        def state(self) -> Fake:
            asyncio.get_running_loop().call_later(0.1, session.stop)
            return super().state()

    referee = Forgetful()
    referee.stage = type(referee.stage).REVEALING
    async with serve(referee) as url:
        session = Session(url, TOKEN, Simple)
        await session.run()

    assert not referee.of("preparation")
    assert "the share was lost" in caplog.text


async def test_another_protocol_ends_the_session(
    fake_referee: Fake, serve: Fake
) -> None:
    class Newer(fake_referee):  # type: ignore[misc]
        def react(self, request: Fake) -> Fake:
            replies = super().react(request)
            replies[0].welcome.protocol = 2
            return replies

    async with serve(Newer()) as url:
        with pytest.raises(ProtocolError, match=r"welcome\.protocol"):
            await play(url)


def test_a_bot_must_choose() -> None:
    with pytest.raises(TypeError):
        Bot()  # type: ignore[abstract]
