"""What a part of the referee says as it fails is nowhere to be read."""

import logging
from typing import Any

import pytest
from tests.leaks.comparison import kind_of
from tests.leaks.dealing import dealing
from tests.leaks.faulty_part import (
    CANARY,
    CanaryError,
    break_part,
    parts,
    told_of,
)
from tests.leaks.performance import Performance, Table, wire_seat
from tests.leaks.script import Script, write_script
from tests.leaks.wire import Sent
from tests.leaks.world import (
    OPERATOR,
    ORGANIZER,
    SEATED,
    SPECTATOR,
    World,
    in_world,
)

from ginref.engine.match import legal_moves
from ginref.engine.ruleset import THREE_HANDED
from ginref.engine.seat import Seat
from ginref.v1 import move_pb2, registry_pb2
from ginref.v1 import referee_service_pb2 as referee_pb
from ginref.v1 import registry_service_pb2 as registry_pb


def _script() -> Script:
    """Return the first script of two seats that skips some moves."""
    found = (write_script(number) for number in range(1, 100))
    return next(one for one in found if one.silent and one.rules is not THREE_HANDED)


async def _use_everything(world: World, performance: Performance) -> None:
    """Make every kind of call, whatever becomes of it."""
    table, script = performance.table, performance.script
    match = script.before[len(script.silent)]
    mover = match.to_act or Seat.NORTH
    move = referee_pb.SubmitMoveRequest(
        match_id=performance.match_id,
        seat=wire_seat(mover),
        expected_version=performance.version,
        request_id="legal",
        move=move_pb2.Move(text=str(legal_moves(match, mover)[0])),
    )
    await performance.call(SEATED[mover], "SubmitMove", move)
    for seat in (*script.seats, mover):
        await performance.submit(seat, "knock")
        message: Any = {"match_id": performance.match_id}
        await performance.call(
            SEATED[seat], "SubmitMove", referee_pb.SubmitMoveRequest(**message)
        )
    for caller in (*SEATED[:2], SPECTATOR, OPERATOR):
        await performance.look(caller)
        await performance.watch(caller)
    await performance.call(OPERATOR, "ListMatches", referee_pb.ListMatchesRequest())
    await performance.call(
        OPERATOR,
        "GetMatchRecord",
        referee_pb.GetMatchRecordRequest(match_id=performance.match_id),
    )
    for method, request in (
        ("CreateOwner", registry_pb.CreateOwnerRequest(name="another")),
        ("ListBots", registry_pb.ListBotsRequest()),
        (
            "CreateToken",
            registry_pb.CreateTokenRequest(role=registry_pb2.ROLE_SPECTATOR),
        ),
    ):
        await world.call(OPERATOR, f"RegistryService/{method}", request)
    for seat in script.seats:
        await table.attach(seat)
        await performance.ask("sync", seat)
    await performance.create_another()
    await performance.call(
        SEATED[0],
        "ResignMatch",
        referee_pb.ResignMatchRequest(match_id=performance.match_id, seat=1),  # type: ignore[arg-type] # the number of north
    )
    await performance.call(
        ORGANIZER,
        "AbortMatch",
        referee_pb.AbortMatchRequest(match_id=performance.match_id),
    )
    for background in (world.sweeper.sweep, world.signing.sign_finished):
        try:
            await background()
        except CanaryError:
            # As the loops do that run these in a process.
            logging.getLogger("ginref").exception("a part has failed")
    await table.leave()


@pytest.mark.parametrize("part", [*parts()])
def test_what_a_part_says_as_it_fails_is_not_told(
    part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures: list[str] = []

    async def work(world: World) -> None:
        table = Table(world, wants_events=True)
        for seat in Seat:
            await table.attach(seat)
        script = _script()
        performance = Performance(table, script)
        with dealing(script.decks, script.first_dealer):
            await performance.begin()
            place = len(world.sent)
            with monkeypatch.context() as patch:
                break_part(part, patch, failures.append)
                await _use_everything(world, performance)
        told = world.sent[place:]
        refusals = "\n".join(map(_text, filter(_is_refusal, told)))
        # Cards in other messages may be those of the one who reads them.
        secrets = {
            form for form in told_of("\n".join(map(_text, told))) if len(form) > 2
        }
        log = "\n".join(world.log.written)
        assert told_of(refusals) == set()
        assert secrets == set()
        assert "Canary" not in refusals
        assert told_of(log) == set()
        assert told_of("\n".join(world.metrics())) == set()
        assert "CanaryError" in log

    in_world(work, is_strict=False)
    assert failures


def _is_refusal(sent: Sent) -> bool:
    is_in_stream = kind_of(sent).endswith(("problem", "move_result"))
    return is_in_stream or sent.kind == "status"


def _text(sent: Sent) -> str:
    return sent.data.decode("latin-1")


def test_the_canary_would_be_seen() -> None:
    assert {"Kh", "Qd", "7s"} < told_of(CANARY)
    assert len(told_of(CANARY)) > 12
