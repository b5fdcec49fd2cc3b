"""The seats of a bot: which offers it takes, and which matches it asks about."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from tests.unit.client.fake_referee import FakeReferee
from tests.unit.conftest import build_setup
from tests.unit.record.gallery import PLACE

from ginref.app.error import Reason, RefusedError
from ginref.app.message import Offer, Ping, Problem, Welcome
from ginref.engine.seat import Seat
from ginref.record.evidence import OfferLine
from ginref.record.setup import DealSource
from ginref.transport.codec_message import message_to_wire
from ginref.v1.bot_service_pb2 import ConnectRequest, ConnectResponse
from ginref_client.bots.simple import Simple
from ginref_client.evidence import Evidence
from ginref_client.roster import Roster, accept_all, offer_from_wire
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


def welcome(*live: str) -> ConnectResponse:
    """A welcome that lists some of a thousand live matches."""
    facts = FakeReferee().facts()
    return message_to_wire(
        Welcome(
            attachment="a",
            bot="ours",
            live=tuple(replace(facts, match_id=match_id) for match_id in live),
            live_count=1000,
            ping_interval_ms=0,
            silence_ms=0,
        )
    )


def make_roster(
    pool: ThinkingPool, sent: list[ConnectRequest], capacity: int = 0
) -> Roster:
    """The seats of a bot that takes what it is offered; keeps what it sends."""
    return Roster(
        Simple,
        Surroundings(pool, Evidence(), sent.append),
        capacity=capacity,
        accept=accept_all,
        on_fault=lambda error: pytest.fail(str(error)),
    )


PING = message_to_wire(Ping(number=1, now_ms=0))


async def test_what_a_welcome_leaves_open_is_asked_little_by_little(
    pool: ThinkingPool,
) -> None:
    sent: list[ConnectRequest] = []
    roster = make_roster(pool, sent)
    matches = [f"m{number}" for number in range(500)]
    for match_id in matches:
        roster.handle(offer(match_id, Seat.NORTH))
    named = [cursor.match_id for cursor in roster.cursors()]
    open_ones = [match_id for match_id in matches if match_id not in named]
    told, gone = open_ones[0], open_ones[1]
    asked: list[list[str]] = []

    def hear(message: ConnectResponse) -> None:
        sent.clear()
        roster.handle(message)
        asked.append([one.sync.match_id for one in sent if one.HasField("sync")])

    hear(welcome(*named[1:]))
    hear(offer(told, Seat.NORTH))
    missing = RefusedError(Reason.MATCH_NOT_FOUND, "there is no such match")
    hear(message_to_wire(Problem(error=missing, match_id=gone)))
    for _ in range(6):
        hear(PING)
    await roster.close()

    assert asked[:3] == [[named[0]], [], []]
    assert max(map(len, asked)) <= 64
    assert [match_id for some in asked[3:] for match_id in some] == open_ones[2:]


async def test_a_new_welcome_begins_anew_to_ask(pool: ThinkingPool) -> None:
    sent: list[ConnectRequest] = []
    roster = make_roster(pool, sent)
    for number in range(300):
        roster.handle(offer(f"m{number}", Seat.NORTH))
    roster.cursors()
    roster.handle(welcome())
    roster.handle(welcome(*(f"m{number}" for number in range(300))))
    sent.clear()

    roster.handle(PING)
    await roster.close()

    assert [request.WhichOneof("message") for request in sent] == ["pong"]


async def test_a_match_counts_once_however_many_of_its_seats_are_the_bots(
    pool: ThinkingPool,
) -> None:
    sent: list[ConnectRequest] = []
    roster = make_roster(pool, sent, capacity=1)

    for match_id, seat in (("m1", Seat.NORTH), ("m1", Seat.SOUTH), ("m2", Seat.NORTH)):
        roster.handle(offer(match_id, seat))
    await roster.close()

    assert [request.WhichOneof("message") for request in sent] == [
        "accept",
        "accept",
        "decline",
    ]


def test_an_offer_is_kept_as_a_record_will_have_it() -> None:
    setup = replace(build_setup(place=PLACE), receipts=True)
    facts = replace(
        FakeReferee().facts(),
        bots=setup.bots,
        ruleset=setup.ruleset,
        commitment=setup.commitment,
        signature=setup.signature,
        key_id=setup.key_id,
        deal_source=DealSource.TOURNAMENT,
        receipts=True,
        place=PLACE,
    )
    message = message_to_wire(Offer(facts=facts, seat=Seat.NORTH, deadline_ms=0))

    kept = offer_from_wire(message.offer, setup.ruleset)

    assert kept == OfferLine.of(setup)
