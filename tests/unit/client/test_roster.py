"""The seats of a bot: which offers it takes."""

from collections.abc import AsyncIterator

import pytest
from tests.unit.client.fake_referee import FakeReferee

from ginref.app.message import Offer
from ginref.engine.seat import Seat
from ginref.transport.codec_message import message_to_wire
from ginref.v1.bot_service_pb2 import ConnectRequest, ConnectResponse
from ginref_client.bots.simple import Simple
from ginref_client.evidence import Evidence
from ginref_client.roster import Roster, accept_all
from ginref_client.seat_play import Surroundings
from ginref_client.thinking import ThinkingPool


def offer(match_id: str, seat: Seat) -> ConnectResponse:
    """An offer as it arrives."""
    facts = FakeReferee().facts()
    message = message_to_wire(Offer(facts=facts, seat=seat, deadline_ms=0))
    message.offer.match.match_id = match_id
    return message


@pytest.fixture
async def pool() -> AsyncIterator[ThinkingPool]:
    """Threads that a bot thinks in."""
    made = ThinkingPool()
    yield made
    made.close()


async def test_a_match_counts_once_however_many_of_its_seats_are_the_bots(
    pool: ThinkingPool,
) -> None:
    sent: list[ConnectRequest] = []
    roster = Roster(
        Simple,
        Surroundings(pool, Evidence(), sent.append),
        capacity=1,
        accept=accept_all,
        on_fault=lambda error: pytest.fail(str(error)),
    )

    for match_id, seat in (("m1", Seat.NORTH), ("m1", Seat.SOUTH), ("m2", Seat.NORTH)):
        roster.handle(offer(match_id, seat))
    await roster.close()

    assert [request.WhichOneof("message") for request in sent] == [
        "accept",
        "accept",
        "decline",
    ]
