import asyncio
import os
from dataclasses import replace
from pathlib import Path

import grpc
import pytest
from tests.unit.client.fake_referee import (
    TOKEN,
    CutError,
    FakeReferee,
    Reaction,
    Replies,
    listening,
    play,
)

from ginref.app import message as app
from ginref.app.error import Reason, RefusedError
from ginref.engine.match import apply, legal_moves
from ginref.engine.move import Move
from ginref.engine.seat import Seat
from ginref.engine.view import SeatView
from ginref.record.lifecycle import EndingKind, Stage
from ginref.transport.codec_message import message_to_wire
from ginref.v1.bot_service_pb2 import ConnectRequest
from ginref.v1.session_pb2 import MoveSubmission, Preparation
from ginref_client import error as client_error
from ginref_client.bots.simple import Simple
from ginref_client.fact import MatchInfo
from ginref_client.session import Session


async def test_a_match_is_played_from_offer_to_end() -> None:
    referee = FakeReferee()

    async with listening(referee) as url:
        [result] = await play(url, capacity=2)

    assert result.match_id == "m1"
    assert result.ending.kind is EndingKind.COMPLETED
    assert result.ending.winner is referee.match.sheet.winner
    assert result.sheet == referee.match.sheet
    assert referee.tokens == [f"Bearer {TOKEN}"]
    [hello] = referee.of("hello")
    assert hello.protocol == 1
    assert hello.capacity == 2
    assert hello.client.startswith("ginref-python/")
    assert len({move.request_id for move in referee.moves}) == len(referee.moves)


def drop_before(*_: object) -> Replies:
    """Lose the move: it never reached the referee."""
    raise CutError


def drop_after(referee: FakeReferee, move: MoveSubmission) -> Replies:
    """Store the move, and lose the answer."""
    referee.usual(move)
    raise CutError


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(drop_before, id="the request is lost"),
        pytest.param(drop_after, id="the answer is lost"),
    ],
)
async def test_a_move_without_an_answer_is_sent_again_under_its_own_id(
    fault: Reaction,
) -> None:
    referee = FakeReferee({3: fault})

    async with listening(referee) as url:
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


async def test_a_turn_that_comes_again_is_not_thought_about_again() -> None:
    referee, bot = FakeReferee({2: drop_before, 4: drop_before}), Counting()

    async with listening(referee) as url:
        await play(url, bot)

    assert bot.turns == len({move.request_id for move in referee.moves})
    assert len(referee.moves) == bot.turns + 2


async def test_a_drained_bot_goes_on_at_the_next_address() -> None:
    def drain(*_: object) -> Replies:
        return [message_to_wire(app.Drain(grace_ms=1000))]

    class Replica(FakeReferee):
        def welcome(self) -> app.Message:
            self.is_visited = True
            return super().welcome()

    first, second = FakeReferee({4: drain}), Replica()
    second.__dict__ = first.__dict__

    async with listening(first, second) as url:
        [result] = await play(url)

    assert first.is_visited
    assert result.ending.kind is EndingKind.COMPLETED
    assert [c.match_id for c in first.of("hello")[1].cursors] == ["m1"]
    assert first.moves[3] == first.moves[4]


async def test_a_fenced_bot_stops() -> None:
    referee = FakeReferee()
    referee.greeting = [app.Fenced("b")]

    async with listening(referee) as url:
        with pytest.raises(client_error.FencedError):
            await play(url)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (grpc.StatusCode.UNAUTHENTICATED, client_error.AccessError),
        (grpc.StatusCode.PERMISSION_DENIED, client_error.AccessError),
        (grpc.StatusCode.UNIMPLEMENTED, client_error.RefusedError),
        (grpc.StatusCode.INVALID_ARGUMENT, client_error.RefusedError),
    ],
)
async def test_what_waiting_cannot_mend_ends_the_session(
    status: grpc.StatusCode, error: type[Exception]
) -> None:
    referee = FakeReferee()
    referee.status = status

    async with listening(referee) as url:
        with pytest.raises(error, match="as scripted"):
            await play(url, give_up_after=None)

    assert len(referee.tokens) == 1


async def test_a_session_gives_up_when_told_to() -> None:
    with pytest.raises(client_error.UnavailableError):
        await play("http://127.0.0.1:1", give_up_after=0.2)


async def test_a_dead_address_does_not_keep_a_bot_from_the_next() -> None:
    async with listening(FakeReferee()) as url:
        [result] = await play(f"http://127.0.0.1:1,{url}")

    assert result.ending.kind is EndingKind.COMPLETED


async def test_a_refused_move_is_followed_by_another_one() -> None:
    def refuse(referee: FakeReferee, move: MoveSubmission) -> Replies:
        return referee.refuse(move, Reason.KNOCK_ABOVE_LIMIT, strikes_left=2)

    referee = FakeReferee({2: refuse})

    async with listening(referee) as url:
        [result] = await play(url)

    refused, instead = referee.moves[1:3]
    assert instead.expected_version == refused.expected_version
    assert instead.request_id != refused.request_id
    assert instead.move != refused.move
    assert result.ending.kind is EndingKind.COMPLETED


async def test_a_bot_whose_strikes_are_used_up_waits_for_the_referee() -> None:
    def refuse(referee: FakeReferee, move: MoveSubmission) -> Replies:
        left = 2 - len(referee.moves)
        answer = referee.refuse(move, Reason.KNOCK_ABOVE_LIMIT, strikes_left=left)
        if not left:
            referee.end(EndingKind.STRIKES, Seat.SOUTH)
        return answer

    referee = FakeReferee({1: refuse, 2: refuse})

    async with listening(referee) as url:
        [result] = await play(url)

    assert len(referee.moves) == 2
    assert len(referee.of("sync")) == 1
    assert result.ending.kind is EndingKind.STRIKES


async def test_a_store_that_is_away_is_asked_again() -> None:
    def away(referee: FakeReferee, move: MoveSubmission) -> Replies:
        error = RefusedError(Reason.STORE_UNAVAILABLE, "away")
        return [message_to_wire(referee.result(move, error))]

    referee = FakeReferee({2: away})

    async with listening(referee) as url:
        await play(url)

    assert referee.moves[1] == referee.moves[2]


async def test_a_stale_move_is_dropped() -> None:
    def overtaken(referee: FakeReferee, move: MoveSubmission) -> Replies:
        # Another process of the same bot has drawn already.
        match = referee.match
        draw = legal_moves(match, Seat.NORTH)[-1]
        referee.match = apply(match, Seat.NORTH, draw, referee.deck_for)
        referee.version += 1
        stale = referee.refuse(move, Reason.VERSION_STALE)
        return [*stale, *map(message_to_wire, referee.go_on(0))]

    referee = FakeReferee({1: overtaken})

    async with listening(referee) as url:
        [result] = await play(url)

    assert referee.moves[1].expected_version > referee.moves[0].expected_version
    assert result.ending.kind is EndingKind.COMPLETED


async def test_an_unwanted_seat_is_declined() -> None:
    referee = FakeReferee()
    session: list[Session] = []

    def refuse(info: MatchInfo) -> bool:
        assert info.bots == ("ours", "theirs")
        asyncio.get_running_loop().call_later(0.1, session[0].stop)
        return False

    async with listening(referee) as url:
        session.append(Session(url, TOKEN, Simple, accept=refuse))
        assert await session[0].run() == []

    assert len(referee.of("decline")) == 1
    assert not referee.of("accept")


async def test_a_match_that_ended_meanwhile_is_asked_about() -> None:
    def end_and_cut(referee: FakeReferee, _: MoveSubmission) -> Replies:
        referee.end(EndingKind.TIMED_OUT, Seat.SOUTH)
        referee.is_silent_about_the_end = True
        raise CutError

    referee = FakeReferee({2: end_and_cut})

    async with listening(referee) as url:
        [result] = await play(url)

    assert result.ending.kind is EndingKind.TIMED_OUT
    assert referee.of("sync")


async def test_a_bot_that_is_started_again_reveals_what_it_committed_to(
    tmp_path: Path,
) -> None:
    class Stubborn(FakeReferee):
        def prepare(self, answer: Preparation) -> Replies:
            if answer.HasField("commitment"):
                super().prepare(answer)
                session.stop()
                return []
            return super().prepare(answer)

    referee = Stubborn()
    async with listening(referee) as url:
        session = Session(url, TOKEN, Simple, state=tmp_path)
        await session.run()

        [result] = await play(url, state=tmp_path)

    assert result.ending.kind is EndingKind.COMPLETED
    files = {file.name: file.stat().st_mode for file in os.scandir(tmp_path)}
    assert set(files) == {"m1.north.jsonl", "bot-key.pem"}
    assert {mode & 0o777 for mode in files.values()} == {0o600}


async def test_a_lost_share_is_not_replaced_by_another_one(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Forgetful(FakeReferee):
        def state(self) -> list[app.Message]:
            asyncio.get_running_loop().call_later(0.1, session.stop)
            return super().state()

    referee = Forgetful()
    referee.stage = Stage.REVEALING
    async with listening(referee) as url:
        session = Session(url, TOKEN, Simple)
        await session.run()

    assert not referee.of("preparation")
    assert "if it was lost with the process" in caplog.text


async def test_another_protocol_ends_the_session() -> None:
    class Newer(FakeReferee):
        def react(self, request: ConnectRequest) -> Replies:
            replies = super().react(request)
            replies[0].welcome.protocol = 2
            return replies

    async with listening(Newer()) as url:
        with pytest.raises(client_error.ProtocolError, match=r"welcome\.protocol"):
            await play(url)


async def test_a_bot_of_many_matches_says_hello_within_the_limits() -> None:
    class Generous(FakeReferee):
        def welcome(self) -> app.Message:
            if len(self.of("hello")) == 2:
                session.stop()
            return super().welcome()

        def state(self) -> list[app.Message]:
            if len(self.of("hello")) == 2:
                return []
            offers: list[app.Message] = []
            for number in range(300):
                facts = replace(self.facts(), match_id=f"m{number}")
                offers.append(app.Offer(facts=facts, seat=Seat.NORTH, deadline_ms=0))
            return [*offers, app.Drain(grace_ms=0)]

    referee = Generous()
    async with listening(referee) as url:
        session = Session(url, TOKEN, Simple)
        await session.run()

    first, second = referee.of("hello")
    assert not first.cursors
    assert len(second.cursors) == 256
