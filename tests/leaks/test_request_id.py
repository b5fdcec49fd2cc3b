"""A request id of one seat tells nothing to another one."""

import pytest
from tests.leaks.dealing import dealing
from tests.leaks.performance import Performance, Table, wire_seat
from tests.leaks.script import Script, write_script
from tests.leaks.wire import Sent
from tests.leaks.world import SEATED, STRANGER, World, in_world

from ginref.engine.match import legal_moves
from ginref.engine.ruleset import THREE_HANDED
from ginref.engine.seat import Seat
from ginref.v1 import bot_service_pb2, move_pb2
from ginref.v1 import referee_service_pb2 as referee_pb


def _script() -> Script:
    """Return the first script in which a move gives the turn to the other seat."""
    for script in map(write_script, range(1, 200)):
        if not script.silent or script.rules is THREE_HANDED:
            continue
        place = len(script.silent)
        states = (*script.before, script.at_end)
        if states[place].to_act is not states[place + 1].to_act:
            return script
    raise AssertionError


def _request(
    performance: Performance, seat: Seat, request_id: str, text: str
) -> referee_pb.SubmitMoveRequest:
    return referee_pb.SubmitMoveRequest(
        match_id=performance.match_id,
        seat=wire_seat(seat),
        expected_version=performance.version,
        request_id=request_id,
        move=move_pb2.Move(text=text),
    )


async def _guess(
    world: World, performance: Performance, table: Table, mover: Seat, text: str
) -> None:
    """Use an id in every way that its seat does not: as others, in other matches."""
    other = Seat(1 - mover)
    for request in (
        _request(performance, other, "mine", text),
        _request(performance, mover, "mine", text),
        _request(performance, other, "mine", "pass"),
    ):
        for caller in (SEATED[other], STRANGER):
            await performance.call(caller, "SubmitMove", request)
        message = bot_service_pb2.ConnectRequest()
        message.move.MergeFromString(request.SerializeToString())
        table.bots[other].say(message)
        await world.settle()


def _told(request_id: str) -> tuple[list[Sent], str]:
    """Return what a seat and strangers hear when another seat has used some id."""
    script = _script()
    match = script.before[len(script.silent)]
    mover = match.to_act or Seat.NORTH
    text = str(script.moves[len(script.silent)])

    async def work(world: World) -> tuple[list[Sent], str]:
        table = Table(world, wants_events=False)
        for seat in script.seats:
            await table.attach(seat)
        performance = Performance(table, script)
        with dealing(script.decks, script.first_dealer):
            await performance.begin()
            move = _request(performance, mover, request_id, text)
            answer = await performance.call(SEATED[mover], "SubmitMove", move)
            assert answer.kind == "message"
            place = len(world.sent)
            await _guess(world, performance, table, mover, text)
            performance.version += 1
            # Whoever has the turn may use any id of its own, that one as well.
            at_turn = (*script.before, script.at_end)[len(script.silent) + 1]
            other = Seat(1 - mover)
            legal = str(legal_moves(at_turn, other)[0])
            mine = _request(performance, other, "mine", legal)
            accepted = await performance.call(SEATED[other], "SubmitMove", mine)
            assert accepted.kind == "message"
            again = await performance.call(SEATED[other], "SubmitMove", mine)
            assert again.data == accepted.data
        await table.leave()
        return world.sent[place:], SEATED[mover]

    return in_world(work)


def test_another_seat_cannot_tell_whether_an_id_was_used() -> None:
    used, mover = _told("mine")
    unused, _ = _told("another")

    assert used == unused
    assert {sent.to for sent in used} >= {STRANGER, SEATED[1 - SEATED.index(mover)]}
    assert len(used) > 9


def test_an_id_that_was_shared_by_seats_would_be_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "ginref.record.submission.Submission.digest",
        property(lambda self: self.request_id.encode().ljust(10)),
    )

    try:
        told = _told("mine")
    except AssertionError:
        return
    assert told != _told("another")
