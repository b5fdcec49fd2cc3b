from typing import Any

import grpc
import grpc.aio
import pytest
from tests.unit.transport.call import new_match, refusal

from ginref.v1 import match_pb2, move_pb2, seat_pb2
from ginref.v1 import referee_service_pb2 as referee_pb

Served = Any
"""The running referee of `conftest`, whose class cannot be imported."""


@pytest.fixture
async def tokens(served: Served) -> tuple[str, str]:
    return await served.token("bot", "one"), await served.token("bot", "two")


async def test_the_registry_is_served(served: Served) -> None:
    token = await served.token("bot", "one")

    async with served.channel(token) as channel:
        code, reason, _ = await refusal(
            channel.send("/ginref.v1.RegistryService/ListOwners", b"")
        )

    assert (code.name, reason) == ("PERMISSION_DENIED", "ROLE_NOT_ALLOWED")
    assert served.calls[-2:] == [
        ("CreateToken", "OK"),
        ("ListOwners", "PERMISSION_DENIED"),
    ]


async def test_a_match_is_played_by_single_calls(
    served: Served, tokens: tuple[str, str]
) -> None:
    async with (
        served.channel(served.operator) as organizer,
        served.channel(tokens[0]) as north,
        served.channel(tokens[1]) as south,
    ):
        made = await organizer.referee().CreateMatch(
            new_match(), metadata=organizer.metadata
        )
        match_id = made.match.match_id
        taken = None
        for channel, seat in (
            (north, seat_pb2.SEAT_NORTH),
            (south, seat_pb2.SEAT_SOUTH),
        ):
            taken = await channel.referee().PrepareSeat(
                referee_pb.PrepareSeatRequest(
                    match_id=match_id, seat=seat, accept=referee_pb.AcceptSeat()
                ),
                metadata=channel.metadata,
            )
        seen = await south.referee().GetMatch(
            referee_pb.GetMatchRequest(match_id=match_id), metadata=south.metadata
        )
        to_act = seen.public_view.table.to_act
        mover = north if to_act == seat_pb2.SEAT_NORTH else south
        turn = (
            await mover.referee().GetMatch(
                referee_pb.GetMatchRequest(match_id=match_id), metadata=mover.metadata
            )
        ).seat_views[0]
        moved = await mover.referee().SubmitMove(
            referee_pb.SubmitMoveRequest(
                match_id=match_id,
                seat=turn.seat,
                expected_version=turn.version,
                request_id="first",
                move=move_pb2.Move(text="draw_upcard"),
            ),
            metadata=mover.metadata,
        )
        late = mover.referee().SubmitMove(
            referee_pb.SubmitMoveRequest(
                match_id=match_id,
                seat=turn.seat,
                expected_version=turn.version,
                request_id="second",
                move=move_pb2.Move(text="draw_upcard"),
            ),
            metadata=mover.metadata,
        )
        code, reason, facts = await refusal(late)
        page = await organizer.referee().ListMatches(
            referee_pb.ListMatchesRequest(), metadata=organizer.metadata
        )
        gone = await mover.referee().ResignMatch(
            referee_pb.ResignMatchRequest(match_id=match_id, seat=turn.seat),
            metadata=mover.metadata,
        )

    assert taken is not None
    assert taken.match.stage == match_pb2.MATCH_STAGE_PLAYING
    assert moved.version == turn.version + 1
    assert moved.turn.own.drawn == turn.table.upcard
    assert (code.name, reason) == ("ABORTED", "VERSION_STALE")
    assert facts["version"] == str(moved.version)
    assert [match.match_id for match in page.matches] == [match_id]
    assert gone.match.ending.kind == match_pb2.ENDING_KIND_RESIGNED


async def test_a_watch_shows_the_match_and_goes_on_after_a_cursor(
    served: Served, tokens: tuple[str, str]
) -> None:
    watcher = await served.token("spectator")
    async with (
        served.channel(served.operator) as organizer,
        served.channel(watcher) as spectator,
        served.channel(tokens[0]) as north,
    ):
        made = await organizer.referee().CreateMatch(
            new_match(), metadata=organizer.metadata
        )
        match_id = made.match.match_id
        watch = spectator.referee().WatchMatch(
            referee_pb.WatchMatchRequest(match_id=match_id),
            metadata=spectator.metadata,
        )
        first = await watch.read()
        await north.referee().PrepareSeat(
            referee_pb.PrepareSeatRequest(
                match_id=match_id,
                seat=seat_pb2.SEAT_NORTH,
                decline=referee_pb.DeclineSeat(),
            ),
            metadata=north.metadata,
        )
        second = await watch.read()
        end = await watch.read()
        again = spectator.referee().WatchMatch(
            referee_pb.WatchMatchRequest(match_id=match_id, cursor=first.cursor),
            metadata=spectator.metadata,
        )
        resumed = await again.read()

    assert first.match.stage == match_pb2.MATCH_STAGE_FORMING
    assert not first.HasField("public_view")
    assert second.match.ending.kind == match_pb2.ENDING_KIND_NO_SHOW
    assert second.events[0].prepared.seat == seat_pb2.SEAT_NORTH
    assert end is grpc.aio.EOF
    assert resumed.events == second.events
