"""What tournaments ask of attached bots, and what these answer."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ginref.app.error import Reason, RefusedError
from ginref.app.live_match import LiveMatch
from ginref.app.message import Offer, Summoned
from ginref.app.reporting import match_facts
from ginref.app.request import Commit, Reveal
from ginref.app.summons_work import SummonsAnswer
from ginref.app.tournament_report import Head, Summons, SummonsKind
from ginref.engine.seat import Seat
from ginref.record.tournament_place import TournamentPlace
from ginref.transport.codec_bot_message import bot_message_from_wire
from ginref.transport.codec_message import message_to_wire
from ginref.v1 import session_pb2
from ginref.v1.bot_service_pb2 import ConnectRequest

SHARE = bytes(range(32))


@pytest.mark.parametrize(
    ("answer", "step"),
    [
        pytest.param({"commitment": SHARE}, Commit(SHARE), id="a commitment"),
        pytest.param({"no_share": True}, Commit(None), id="no share"),
        pytest.param({"share": SHARE}, Reveal(SHARE), id="a share"),
    ],
)
def test_an_answer_to_a_summons_is_read(
    answer: dict[str, Any], step: Commit | Reveal
) -> None:
    said = session_pb2.CheckIn(tournament_id="cup", **answer)

    read = bot_message_from_wire(ConnectRequest(check_in=said))

    assert read == SummonsAnswer("cup", step)


@pytest.mark.parametrize(
    ("fields", "reason", "at"),
    [
        pytest.param(
            {"no_share": True},
            Reason.NAME_INVALID,
            "check_in.tournament_id",
            id="no tournament",
        ),
        pytest.param(
            {"tournament_id": "cup"},
            Reason.FIELD_MISSING,
            "check_in.answer",
            id="no answer",
        ),
        pytest.param(
            {"tournament_id": "cup", "no_share": False},
            Reason.FIELD_INVALID,
            "check_in.no_share",
            id="a share after all",
        ),
        pytest.param(
            {"tournament_id": "cup", "share": b"short"},
            Reason.FIELD_INVALID,
            "check_in.share",
            id="a short share",
        ),
    ],
)
def test_an_answer_that_cannot_be_used_is_named(
    fields: dict[str, Any], reason: Reason, at: str
) -> None:
    said = session_pb2.CheckIn(**fields)

    with pytest.raises(RefusedError) as refused:
        bot_message_from_wire(ConnectRequest(check_in=said))

    assert (refused.value.reason, refused.value.facts["field"]) == (reason, at)


def test_a_summons_is_told_with_the_head_of_the_log() -> None:
    summons = Summons(
        tournament="cup",
        kind=SummonsKind.SHARE,
        deadline_ms=1500,
        referee_commitment=SHARE.hex(),
        head=Head(tournament="cup", length=9, digest="ab" * 32),
    )

    told = message_to_wire(Summoned(summons)).summons

    assert (told.tournament_id, told.kind) == ("cup", session_pb2.PREPARE_KIND_NONCE)
    assert told.deadline.ToMilliseconds() == 1500
    assert told.referee_commitment == SHARE
    assert (told.head.length, told.head.digest) == (9, b"\xab" * 32)


def test_an_offer_tells_where_its_match_stands(
    live_at: Callable[..., LiveMatch],
) -> None:
    place = TournamentPlace(
        tournament="cup",
        fixture="f1",
        attempt=2,
        game=3,
        deal="main/1/3",
        is_shared=True,
        length=17,
        head="cd" * 32,
    )
    alone = match_facts(live_at(1, 1))

    told, other = (
        message_to_wire(Offer(facts=facts, seat=Seat.NORTH, deadline_ms=1)).offer
        for facts in (replace(alone, place=place), alone)
    )

    stands = told.match.place
    assert (stands.tournament_id, stands.fixture_id) == ("cup", "f1")
    assert (stands.attempt, stands.game, stands.deal) == (2, 3, "main/1/3")
    assert told.head.tournament_id == "cup"
    assert (told.head.length, told.head.digest) == (17, b"\xcd" * 32)
    assert not other.HasField("head")
    assert not other.match.HasField("place")
