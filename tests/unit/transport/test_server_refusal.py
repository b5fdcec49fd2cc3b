import asyncio
from typing import Any

import grpc
import grpc.aio
import pytest
from tests.unit.transport.call import CREATE, GET, new_match, reason_of, refusal

from ginref.app.port import StoreUnavailableError
from ginref.v1 import referee_service_pb2 as referee_pb

Served = Any
"""The running referee of `conftest`, whose class cannot be imported."""


async def test_a_call_without_a_token_is_refused(served: Served) -> None:
    async with served.channel() as channel:
        code, reason, _ = await refusal(channel.send(GET, b""))

    assert (code.name, reason) == ("UNAUTHENTICATED", "TOKEN_MISSING")


@pytest.mark.parametrize(
    "value", ["Bearer wrong", "bearer wrong", "Bearer gr_" + "a" * 43]
)
async def test_a_foreign_token_is_refused(served: Served, value: str) -> None:
    async with served.channel() as channel:
        call = channel.raw.unary_unary(GET)(b"", metadata=(("authorization", value),))
        code, reason, _ = await refusal(call)

    assert (code.name, reason) == ("UNAUTHENTICATED", "TOKEN_UNKNOWN")


async def test_another_scheme_than_bearer_is_no_token(served: Served) -> None:
    async with served.channel() as channel:
        metadata = (("authorization", f"Basic {served.operator}"),)
        call = channel.raw.unary_unary(GET)(b"", metadata=metadata)
        code, reason, _ = await refusal(call)

    assert (code.name, reason) == ("UNAUTHENTICATED", "TOKEN_MISSING")


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"\xff\xff\xff", id="no field"),
        pytest.param(b"\x0a\x7fabc", id="cut short"),
        pytest.param(b"\x0a\x02\xff\xfe", id="text that is not UTF-8"),
        pytest.param(b"\x7b" * 3_000, id="nested without an end"),
        pytest.param(b"\x00", id="field number 0"),
    ],
)
async def test_bytes_that_are_no_message_are_unreadable(
    served: Served, data: bytes
) -> None:
    async with served.channel(served.operator) as channel:
        with pytest.raises(grpc.aio.AioRpcError) as failed:
            await channel.send(CREATE, data)

    assert failed.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert reason_of(failed.value) == ("MESSAGE_UNREADABLE", {})
    assert failed.value.details() == "the bytes are not a message of this call"


async def test_a_stranger_learns_nothing_of_messages(served: Served) -> None:
    async with served.channel() as channel:
        _, reason, _ = await refusal(channel.send(CREATE, b"\xff\xff\xff"))

    assert reason == "TOKEN_MISSING"


async def test_a_message_above_the_limit_is_too_large(served: Served) -> None:
    large = new_match(seed="7" * 17_000).SerializeToString()
    async with served.channel(served.operator) as channel:
        code, reason, facts = await refusal(channel.send(CREATE, large))

    assert (code.name, reason) == ("RESOURCE_EXHAUSTED", "MESSAGE_TOO_LARGE")
    assert facts == {"limit_bytes": "16384"}


async def test_a_huge_message_does_not_reach_the_referee(served: Served) -> None:
    async with served.channel(served.operator) as channel:
        code, reason, _ = await refusal(channel.send(CREATE, b"x" * 70_000))

    assert (code.name, reason) == ("RESOURCE_EXHAUSTED", "")


async def test_a_malformed_field_is_named(served: Served) -> None:
    request = new_match(bots=["one", "TWO"]).SerializeToString()
    async with served.channel(served.operator) as channel:
        code, reason, facts = await refusal(channel.send(CREATE, request))

    assert (code.name, reason) == ("INVALID_ARGUMENT", "NAME_INVALID")
    assert facts == {"field": "bots[1]"}


async def test_a_fault_does_not_show_what_it_was(served: Served) -> None:
    served.store.failure = KeyError("Kh and Qd on top of the stock")
    request = referee_pb.GetMatchRequest(match_id="m1").SerializeToString()
    async with served.channel(served.operator) as channel:
        with pytest.raises(grpc.aio.AioRpcError) as failed:
            await channel.send(GET, request)

    assert failed.value.code() is grpc.StatusCode.INTERNAL
    reason, facts = reason_of(failed.value)
    assert reason == "INTERNAL_FAULT"
    assert set(facts) == {"fault_id"}
    assert "Kh" not in repr(failed.value) + str(failed.value.trailing_metadata())
    assert served.calls[-1] == ("GetMatch", "INTERNAL")


async def test_a_store_that_is_away_is_unavailable(served: Served) -> None:
    served.store.failure = StoreUnavailableError("redis.internal:6379")
    request = referee_pb.GetMatchRequest(match_id="m1").SerializeToString()
    async with served.channel(served.operator) as channel:
        code, reason, facts = await refusal(channel.send(GET, request))

    assert (code.name, reason, facts) == ("UNAVAILABLE", "STORE_UNAVAILABLE", {})


async def test_an_unknown_method_is_not_implemented(served: Served) -> None:
    async with served.channel(served.operator) as channel:
        code, _, _ = await refusal(
            channel.send("/ginref.v1.RefereeService/DealMeAces", b"")
        )

    assert code is grpc.StatusCode.UNIMPLEMENTED


async def test_a_burst_of_calls_is_answered_in_full(served: Served) -> None:
    request = referee_pb.GetMatchRequest(match_id="m1").SerializeToString()
    async with served.channel(served.operator) as channel:
        answers = await asyncio.gather(
            *(refusal(channel.send(GET, request)) for _ in range(500))
        )

    assert {reason for _, reason, _ in answers} == {"MATCH_NOT_FOUND"}
