import asyncio
import datetime as dt
import ipaddress
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from google.rpc import error_details_pb2, status_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from ginref.app.port import StoreUnavailableError
from ginref.transport.address import BindError
from ginref.v1 import match_pb2, move_pb2, ruleset_pb2, seat_pb2
from ginref.v1 import referee_service_pb2 as referee_pb

Served = Any
"""The running referee of `conftest`, whose class cannot be imported."""

Serve = Callable[..., AbstractAsyncContextManager[Served]]

GET = "/ginref.v1.RefereeService/GetMatch"
CREATE = "/ginref.v1.RefereeService/CreateMatch"


def _reason(error: grpc.aio.AioRpcError) -> tuple[str, dict[str, str]]:
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            assert isinstance(value, bytes)
            status = status_pb2.Status.FromString(value)
            info = error_details_pb2.ErrorInfo()
            assert status.details[0].Unpack(info)
            assert info.domain == "ginref"
            return info.reason, dict(info.metadata)
    return "", {}


async def _refusal(
    call: Awaitable[object],
) -> tuple[grpc.StatusCode, str, dict[str, str]]:
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call
    reason, facts = _reason(failed.value)
    return failed.value.code(), reason, facts


def _new_match(**changes: object) -> referee_pb.CreateMatchRequest:
    fields: dict[str, object] = {
        "request_id": "r1",
        "ruleset": ruleset_pb2.RulesetChoice(preset="gin"),
        "bots": ["one", "two"],
        "deal_source": match_pb2.DEAL_SOURCE_SEEDED,
        "seed": "7",
        **changes,
    }
    return referee_pb.CreateMatchRequest(**fields)  # type: ignore[arg-type]


@pytest.fixture
async def tokens(served: Served) -> tuple[str, str]:
    return await served.token("bot", "one"), await served.token("bot", "two")


async def test_a_call_without_a_token_is_refused(served: Served) -> None:
    async with served.channel() as channel:
        code, reason, _ = await _refusal(channel.send(GET, b""))

    assert (code.name, reason) == ("UNAUTHENTICATED", "TOKEN_MISSING")


@pytest.mark.parametrize(
    "value", ["Bearer wrong", "bearer wrong", "Bearer gr_" + "a" * 43]
)
async def test_a_foreign_token_is_refused(served: Served, value: str) -> None:
    async with served.channel() as channel:
        call = channel.raw.unary_unary(GET)(b"", metadata=(("authorization", value),))
        code, reason, _ = await _refusal(call)

    assert (code.name, reason) == ("UNAUTHENTICATED", "TOKEN_UNKNOWN")


async def test_another_scheme_than_bearer_is_no_token(served: Served) -> None:
    async with served.channel() as channel:
        metadata = (("authorization", f"Basic {served.operator}"),)
        call = channel.raw.unary_unary(GET)(b"", metadata=metadata)
        code, reason, _ = await _refusal(call)

    assert (code.name, reason) == ("UNAUTHENTICATED", "TOKEN_MISSING")


async def test_bytes_that_are_no_message_are_unreadable(served: Served) -> None:
    async with served.channel(served.operator) as channel:
        code, reason, facts = await _refusal(channel.send(CREATE, b"\xff\xff\xff"))

    assert (code.name, reason) == ("INVALID_ARGUMENT", "MESSAGE_UNREADABLE")
    assert facts == {}


async def test_a_stranger_learns_nothing_of_messages(served: Served) -> None:
    async with served.channel() as channel:
        _, reason, _ = await _refusal(channel.send(CREATE, b"\xff\xff\xff"))

    assert reason == "TOKEN_MISSING"


async def test_a_message_above_the_limit_is_too_large(served: Served) -> None:
    large = _new_match(seed="7" * 17_000).SerializeToString()
    async with served.channel(served.operator) as channel:
        code, reason, facts = await _refusal(channel.send(CREATE, large))

    assert (code.name, reason) == ("RESOURCE_EXHAUSTED", "MESSAGE_TOO_LARGE")
    assert facts == {"limit_bytes": "16384"}


async def test_a_huge_message_does_not_reach_the_referee(served: Served) -> None:
    async with served.channel(served.operator) as channel:
        code, reason, _ = await _refusal(channel.send(CREATE, b"x" * 70_000))

    assert (code.name, reason) == ("RESOURCE_EXHAUSTED", "")


async def test_a_malformed_field_is_named(served: Served) -> None:
    request = _new_match(bots=["one", "TWO"]).SerializeToString()
    async with served.channel(served.operator) as channel:
        code, reason, facts = await _refusal(channel.send(CREATE, request))

    assert (code.name, reason) == ("INVALID_ARGUMENT", "NAME_INVALID")
    assert facts == {"field": "bots[1]"}


async def test_a_fault_does_not_show_what_it_was(served: Served) -> None:
    served.store.failure = KeyError("Kh and Qd on top of the stock")
    request = referee_pb.GetMatchRequest(match_id="m1").SerializeToString()
    async with served.channel(served.operator) as channel:
        with pytest.raises(grpc.aio.AioRpcError) as failed:
            await channel.send(GET, request)

    assert failed.value.code() is grpc.StatusCode.INTERNAL
    reason, facts = _reason(failed.value)
    assert reason == "INTERNAL_FAULT"
    assert set(facts) == {"fault_id"}
    assert "Kh" not in repr(failed.value) + str(failed.value.trailing_metadata())
    assert served.calls[-1] == ("GetMatch", "INTERNAL_FAULT")


async def test_a_store_that_is_away_is_unavailable(served: Served) -> None:
    served.store.failure = StoreUnavailableError("redis.internal:6379")
    request = referee_pb.GetMatchRequest(match_id="m1").SerializeToString()
    async with served.channel(served.operator) as channel:
        code, reason, facts = await _refusal(channel.send(GET, request))

    assert (code.name, reason, facts) == ("UNAVAILABLE", "STORE_UNAVAILABLE", {})


async def test_an_unknown_method_is_not_implemented(served: Served) -> None:
    async with served.channel(served.operator) as channel:
        code, _, _ = await _refusal(
            channel.send("/ginref.v1.RefereeService/DealMeAces", b"")
        )

    assert code is grpc.StatusCode.UNIMPLEMENTED


async def test_the_registry_is_served(served: Served) -> None:
    token = await served.token("bot", "one")

    async with served.channel(token) as channel:
        code, reason, _ = await _refusal(
            channel.send("/ginref.v1.RegistryService/ListOwners", b"")
        )

    assert (code.name, reason) == ("PERMISSION_DENIED", "ROLE_NOT_ALLOWED")
    assert served.calls[-2:] == [
        ("CreateToken", "OK"),
        ("ListOwners", "ROLE_NOT_ALLOWED"),
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
            _new_match(), metadata=organizer.metadata
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
        code, reason, facts = await _refusal(late)
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
            _new_match(), metadata=organizer.metadata
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


async def test_probes_need_no_token(served: Served) -> None:
    async with served.channel() as channel:
        health: Any = health_pb2_grpc.HealthStub(channel.raw)
        whole = await health.Check(health_pb2.HealthCheckRequest())
        part = await health.Check(
            health_pb2.HealthCheckRequest(service="ginref.v1.BotService")
        )
        code, _, _ = await _refusal(
            health.Check(health_pb2.HealthCheckRequest(service="unknown"))
        )

    assert whole.status == part.status == health_pb2.HealthCheckResponse.SERVING
    assert code is grpc.StatusCode.NOT_FOUND


async def test_a_stopping_server_says_so_and_ends_watches(serve: Serve) -> None:
    async with serve() as served:
        await served.token("bot", "one")
        await served.token("bot", "two")
        async with (
            served.channel() as prober,
            served.channel(served.operator) as organizer,
        ):
            made = await organizer.referee().CreateMatch(
                _new_match(), metadata=organizer.metadata
            )
            health: Any = health_pb2_grpc.HealthStub(prober.raw)
            states = health.Watch(health_pb2.HealthCheckRequest())
            watch = organizer.referee().WatchMatch(
                referee_pb.WatchMatchRequest(match_id=made.match.match_id),
                metadata=organizer.metadata,
            )
            await watch.read()
            before = await states.read()
            served.hub.drain()
            end = await watch.read()

            assert before.status == health_pb2.HealthCheckResponse.SERVING
            assert end is grpc.aio.EOF
            assert await watch.code() is grpc.StatusCode.OK


async def _ask_services(address: str) -> list[str]:
    async with grpc.aio.insecure_channel(address) as channel:
        make: Any = reflection_pb2_grpc.ServerReflectionStub
        stub = make(channel)

        async def ask() -> AsyncIterator[reflection_pb2.ServerReflectionRequest]:
            yield reflection_pb2.ServerReflectionRequest(list_services="")

        async for answer in stub.ServerReflectionInfo(ask()):
            return [service.name for service in answer.list_services_response.service]
    return []


async def test_reflection_is_served_in_development(serve: Serve) -> None:
    async with serve(dev=True) as served:
        assert "ginref.v1.BotService" in await _ask_services(served.address)


async def test_reflection_is_not_served_otherwise(served: Served) -> None:
    code, _, _ = await _refusal(_ask_services(served.address))

    assert code is grpc.StatusCode.UNIMPLEMENTED


@pytest.mark.parametrize("listen", ["0.0.0.0:0", "[::]:0", "example.com:0"])
async def test_plaintext_stays_on_this_machine(serve: Serve, listen: str) -> None:
    with pytest.raises(BindError, match="certificate"):
        async with serve(listen=listen):
            pass


async def test_plaintext_may_be_allowed(serve: Serve) -> None:
    async with serve(listen="0.0.0.0:0", allow_plaintext=True) as served:
        host, _, port = served.address.rpartition(":")

    assert host == "0.0.0.0"
    assert int(port) > 0


async def test_a_taken_port_is_not_shared(serve: Serve, served: Served) -> None:
    with pytest.raises(BindError, match=served.address):
        async with serve(listen=served.address):
            pass


def _certificate(folder: Path) -> tuple[Path, Path]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "referee")])
    now = dt.datetime.now(dt.UTC)
    loopback = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + dt.timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([loopback]), critical=False)
        .sign(key, hashes.SHA256())
    )
    chain, secret = folder / "tls.crt", folder / "tls.key"
    chain.write_bytes(certificate.public_bytes(Encoding.PEM))
    secret.write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    )
    return chain, secret


async def test_a_certificate_protects_the_way(serve: Serve, tmp_path: Path) -> None:
    chain, secret = _certificate(tmp_path)

    async with serve(listen="0.0.0.0:0", tls_cert=chain, tls_key=secret) as served:
        port = served.address.rpartition(":")[2]
        credentials = grpc.ssl_channel_credentials(chain.read_bytes())
        async with grpc.aio.secure_channel(f"127.0.0.1:{port}", credentials) as channel:
            health: Any = health_pb2_grpc.HealthStub(channel)
            answer = await health.Check(health_pb2.HealthCheckRequest())

    assert answer.status == health_pb2.HealthCheckResponse.SERVING


async def test_a_missing_certificate_is_told(serve: Serve, tmp_path: Path) -> None:
    gone = tmp_path / "gone.pem"
    with pytest.raises(BindError, match=r"gone\.pem"):
        async with serve(tls_cert=gone, tls_key=gone):
            pass


async def test_a_burst_of_calls_is_answered_in_full(served: Served) -> None:
    request = referee_pb.GetMatchRequest(match_id="m1").SerializeToString()
    async with served.channel(served.operator) as channel:
        answers = await asyncio.gather(
            *(_refusal(channel.send(GET, request)) for _ in range(500))
        )

    assert {reason for _, reason, _ in answers} == {"MATCH_NOT_FOUND"}
