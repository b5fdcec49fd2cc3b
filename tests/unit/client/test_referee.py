from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import grpc.aio
import pytest
from google.protobuf.any_pb2 import Any as Packed
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

from ginref.engine.error import RulesetError
from ginref.engine.ruleset import HOLLYWOOD
from ginref.engine.seat import Seat
from ginref.record.public_key import thumbprint, write_jwks
from ginref.v1 import (
    match_pb2,
    referee_service_pb2,
    referee_service_pb2_grpc,
    registry_pb2,
    registry_service_pb2,
    registry_service_pb2_grpc,
    seat_pb2,
)
from ginref_client.error import (
    AccessError,
    ProtocolError,
    RefusedError,
    UnavailableError,
)
from ginref_client.referee import Referee

Context = grpc.aio.ServicerContext[Any, Any]


class FakeService(
    referee_service_pb2_grpc.RefereeServiceServicer,
    registry_service_pb2_grpc.RegistryServiceServicer,
):
    """Answers calls; `failures` says how the next ones fail instead."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.failures: list[grpc.StatusCode | status_pb2.Status] = []
        self.jwks = b""

    async def fail(self, request: object, context: Context) -> None:
        self.asked.append(request)
        if not self.failures:
            return
        failure = self.failures.pop(0)
        if isinstance(failure, status_pb2.Status):
            await context.abort_with_status(rpc_status.to_status(failure))
        else:
            await context.abort(failure, "as scripted")

    async def CreateMatch(  # noqa: N802
        self, request: referee_service_pb2.CreateMatchRequest, context: Context
    ) -> referee_service_pb2.CreateMatchResponse:
        await self.fail(request, context)
        return referee_service_pb2.CreateMatchResponse(
            match=match_pb2.Match(match_id="m1")
        )

    async def ListMatches(  # noqa: N802
        self, request: referee_service_pb2.ListMatchesRequest, context: Context
    ) -> referee_service_pb2.ListMatchesResponse:
        await self.fail(request, context)
        page = int(request.page_token or "1")
        return referee_service_pb2.ListMatchesResponse(
            matches=[match_pb2.Match(match_id=f"m{page}")],
            next_page_token=str(page + 1) if page < 3 else "",
        )

    async def WatchMatch(  # noqa: N802
        self, request: referee_service_pb2.WatchMatchRequest, context: Context
    ) -> AsyncIterator[referee_service_pb2.WatchMatchResponse]:
        start = int(request.cursor or "0")
        self.asked.append(start)
        for at in range(start + 1, 5):
            yield referee_service_pb2.WatchMatchResponse(cursor=str(at))
            if self.failures and at % 2 == 0:
                await context.abort(grpc.StatusCode.UNAVAILABLE, "gone")

    async def ResignMatch(  # noqa: N802
        self, request: referee_service_pb2.ResignMatchRequest, context: Context
    ) -> referee_service_pb2.ResignMatchResponse:
        await self.fail(request, context)
        return referee_service_pb2.ResignMatchResponse()

    async def GetMatchRecord(  # noqa: N802
        self, request: referee_service_pb2.GetMatchRecordRequest, context: Context
    ) -> referee_service_pb2.GetMatchRecordResponse:
        await self.fail(request, context)
        return referee_service_pb2.GetMatchRecordResponse(envelope=b"{}")

    async def GetPublicKeys(  # noqa: N802
        self, request: referee_service_pb2.GetPublicKeysRequest, context: Context
    ) -> referee_service_pb2.GetPublicKeysResponse:
        await self.fail(request, context)
        return referee_service_pb2.GetPublicKeysResponse(jwks=self.jwks)

    async def CreateToken(  # noqa: N802
        self, request: registry_service_pb2.CreateTokenRequest, context: Context
    ) -> registry_service_pb2.CreateTokenResponse:
        await self.fail(request, context)
        return registry_service_pb2.CreateTokenResponse(secret="s" * 43)


def fake_service() -> FakeService:
    # The calls that no test makes stay as the generated code has them.
    return FakeService()  # type: ignore[abstract]


@asynccontextmanager
async def serving(service: FakeService) -> AsyncIterator[Referee]:
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    referee_service_pb2_grpc.add_RefereeServiceServicer_to_server(service, server)
    registry_service_pb2_grpc.add_RegistryServiceServicer_to_server(service, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with Referee(f"127.0.0.1:{port}", "token", attempts=3) as referee:
            yield referee
    finally:
        await server.stop(None)


def refusal(code: grpc.StatusCode, reason: str, **facts: str) -> status_pb2.Status:
    info = error_details_pb2.ErrorInfo(reason=reason, domain="ginref", metadata=facts)
    packed = Packed()
    packed.Pack(info)
    number: int = code.value[0]
    return status_pb2.Status(code=number, message="no", details=[packed])


@pytest.mark.parametrize(
    "code",
    [
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.CANCELLED,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
    ],
    ids=lambda code: code.name,
)
async def test_an_unknown_outcome_is_asked_for_again_under_the_same_id(
    code: grpc.StatusCode,
) -> None:
    service = fake_service()
    service.failures = [code, code]

    async with serving(service) as referee:
        match = await referee.create_match(["a", "b"], ruleset="hollywood")

    assert match.match_id == "m1"
    assert len(service.asked) == 3
    assert service.asked[0] == service.asked[2]
    assert service.asked[0].request_id


async def test_it_is_not_asked_for_ever() -> None:
    service = fake_service()
    service.failures = [grpc.StatusCode.UNAVAILABLE] * 9

    async with serving(service) as referee:
        with pytest.raises(UnavailableError):
            await referee.record("m1")

    assert len(service.asked) == 3


async def test_a_token_is_never_made_twice() -> None:
    service = fake_service()
    service.failures = [grpc.StatusCode.UNAVAILABLE]

    async with serving(service) as referee:
        with pytest.raises(UnavailableError):
            await referee.create_token("bot", bot="a")
        made = await referee.create_token("bot", bot="a", lifetime=60)

    assert made.secret
    assert [request.role for request in service.asked] == [registry_pb2.ROLE_BOT] * 2
    assert service.asked[1].lifetime.seconds == 60


async def test_a_refusal_carries_reason_and_facts() -> None:
    service = fake_service()
    service.failures = [
        refusal(grpc.StatusCode.NOT_FOUND, "MATCH_NOT_FOUND", match_id="m9")
    ]

    async with serving(service) as referee:
        with pytest.raises(RefusedError) as refused:
            await referee.resign("m9", Seat.SOUTH)

    assert refused.value.reason == "MATCH_NOT_FOUND"
    assert refused.value.message == "no"
    assert refused.value.facts == {"match_id": "m9"}
    assert service.asked[0].seat == seat_pb2.SEAT_SOUTH


async def test_a_message_that_is_too_large_is_not_sent_again() -> None:
    service = fake_service()
    service.failures = [
        refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, "MESSAGE_TOO_LARGE")
    ]

    async with serving(service) as referee:
        with pytest.raises(RefusedError, match="MESSAGE_TOO_LARGE"):
            await referee.create_match(["a", "b"])

    assert len(service.asked) == 1


async def test_a_bad_token_is_told_apart() -> None:
    service = fake_service()
    service.failures = [refusal(grpc.StatusCode.UNAUTHENTICATED, "TOKEN_EXPIRED")]

    async with serving(service) as referee:
        with pytest.raises(AccessError, match="TOKEN_EXPIRED"):
            await referee.create_match(["a", "b"])


async def test_matches_are_listed_page_by_page() -> None:
    service = fake_service()

    async with serving(service) as referee:
        listed = [match.match_id async for match in referee.list_matches("a")]

    assert listed == ["m1", "m2", "m3"]
    assert {request.bot for request in service.asked} == {"a"}


async def test_a_watch_goes_on_where_it_was_cut() -> None:
    service = fake_service()
    service.failures = [grpc.StatusCode.UNAVAILABLE]

    async with serving(service) as referee:
        steps = [step.cursor async for step in referee.watch("m1")]

    assert steps == ["1", "2", "3", "4"]
    assert service.asked == [0, 2, 4]


async def test_rules_are_sent_as_what_differs_from_their_preset() -> None:
    service = fake_service()

    async with serving(service) as referee:
        await referee.create_match(
            ["a", "b"], ruleset=HOLLYWOOD.but(game_target=150), seed="s"
        )
        with pytest.raises(RulesetError, match="version"):
            await referee.create_match(["a", "b"], ruleset=HOLLYWOOD.but(version=2))

    [request] = service.asked
    assert request.ruleset.preset == "hollywood"
    assert [field.name for field, _ in request.ruleset.changes.ListFields()] == [
        "game_target"
    ]
    assert request.deal_source == match_pb2.DEAL_SOURCE_SEEDED


async def test_the_keys_of_a_referee_come_by_name() -> None:
    service, key = fake_service(), b"k" * 32
    service.jwks = write_jwks([key])

    async with serving(service) as referee:
        assert await referee.public_keys() == {thumbprint(key): key}


async def test_an_answer_that_is_no_set_of_keys_is_a_breach_of_the_protocol() -> None:
    service = fake_service()
    service.jwks = b"[]"

    async with serving(service) as referee:
        with pytest.raises(ProtocolError, match=r"^jwks: "):
            await referee.public_keys()
