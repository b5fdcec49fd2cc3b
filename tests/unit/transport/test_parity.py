"""The same calls over gRPC and over HTTP: the same answers, the same refusals."""

from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc.aio
import httpx
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.rpc import status_pb2
from tests.e2e.bad_call import CALLS
from tests.e2e.bad_tournament_call import TOURNAMENTS
from tests.e2e.host import (
    OPERATOR,
    ORGANIZER,
    SEATED,
    SPECTATOR,
    STRANGER,
    new_tournament,
)
from tests.unit.transport import over_http
from tests.unit.transport.call import new_match

from ginref.v1 import move_pb2, registry_pb2, seat_pb2, tournament_pb2
from ginref.v1 import referee_service_pb2 as referee_pb
from ginref.v1 import registry_service_pb2 as registry_pb
from ginref.v1 import tournament_service_pb2 as tournament_pb

Served = Any
"""The running referee of `conftest`, whose class cannot be imported."""

VOLATILE = frozenset(
    {"code", "create_time", "credits", "deadline", "secret", "server_time", "token_id"}
    | {"referee_ms", "expire_time", "invitation_id", "unchanged"}
)
"""Fields that differ from one call to the next."""

UNSAYABLE = {
    "an unknown option": "JSON has no field without a name",
    "a challenge of nobody": "a path without a name is no path",
}
"""Bad calls that are refused earlier over HTTP, and why."""

NORTH, SOUTH = seat_pb2.SEAT_NORTH, seat_pb2.SEAT_SOUTH


@dataclass
class Both:
    """A referee, as callers of every kind reach it in both ways."""

    channel: grpc.aio.Channel
    clients: dict[str, httpx.AsyncClient]
    tokens: dict[str, str]
    told: set[str] = field(default_factory=set)

    async def ask(self, by: str, request: Message) -> Any:  # noqa: ANN401 - its answer
        """What is answered over gRPC, and then the same over HTTP."""
        self.told.add(over_http.path_of(request))
        first = await self._call(by, request)
        second = over_http.read(
            request, await over_http.send(self.clients[by], request)
        )
        assert lasting(second) == lasting(first)
        return first

    async def follow(self, by: str, request: Message) -> None:
        """Follow something that is over, both ways."""
        self.told.add(over_http.path_of(request))
        call: Any = self.channel.unary_stream(
            over_http.path_of(request),
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=self._reader(request),
        )
        first = [lasting(one) async for one in call(request, metadata=self._known(by))]
        answer = await over_http.send(self.clients[by], request)
        second = [lasting(one) for one in over_http.read_all(request, answer)]
        assert second == first
        assert first

    async def _call(self, by: str, request: Message) -> Message:
        call: Any = self.channel.unary_unary(
            over_http.path_of(request), response_deserializer=self._reader(request)
        )
        answer: Message
        try:
            answer = await call(request.SerializeToString(), metadata=self._known(by))
        except grpc.aio.AioRpcError as error:
            details = dict(error.trailing_metadata() or ())
            written = details["grpc-status-details-bin"]
            assert isinstance(written, bytes)
            answer = status_pb2.Status.FromString(written)
        return answer

    def _known(self, by: str) -> tuple[tuple[str, str], ...]:
        return (("authorization", f"Bearer {self.tokens[by]}"),)

    def _reader(self, request: Message) -> Any:  # noqa: ANN401 - reads its answer
        return GetMessageClass(over_http.method_of(request).output_type).FromString


def lasting(message: Message) -> dict[str, Any]:
    """A message as JSON, without what differs from one call to the next."""
    kept = type(message)()
    kept.CopyFrom(message)
    if not isinstance(kept, status_pb2.Status):
        _forget(kept)
    return MessageToDict(kept)


def _forget(message: Message) -> None:
    for described, value in message.ListFields():
        if described.name in VOLATILE:
            message.ClearField(described.name)
        elif described.message_type:
            inner: Iterable[Any] = value if described.is_repeated else (value,)
            if described.message_type.full_name != "google.protobuf.Struct":
                for one in inner:
                    _forget(one)


@asynccontextmanager
async def both_ways(served: Served) -> AsyncIterator[Both]:
    """Callers of every kind, and their two ways to a referee."""
    tokens = {OPERATOR: served.operator}
    for bot in (*SEATED, STRANGER):
        tokens[bot] = await served.token("bot", bot)
    for role in (ORGANIZER, SPECTATOR):
        tokens[role] = await served.token(role)
    async with AsyncExitStack() as stack:
        channel = await stack.enter_async_context(
            grpc.aio.insecure_channel(served.address)
        )
        clients = {}
        for caller, token in tokens.items():
            client = httpx.AsyncClient(
                base_url=f"http://{served.rest}",
                headers={"authorization": f"Bearer {token}"},
                timeout=60,
                verify=False,
            )
            clients[caller] = await stack.enter_async_context(client)
        yield Both(channel, clients, tokens)


def submission(match_id: str, **changes: object) -> referee_pb.SubmitMoveRequest:
    fields: dict[str, object] = {
        "match_id": match_id,
        "seat": SOUTH,
        "expected_version": 3,
        "request_id": "m1",
        "move": move_pb2.Move(text="pass"),
        **changes,
    }
    return referee_pb.SubmitMoveRequest(**fields)  # type: ignore[arg-type] # names of fields


async def play(both: Both) -> None:
    """Play a match of resignation, and look at it in every way."""
    one, two = SEATED
    new = new_match(bots=SEATED)
    match_id = (await both.ask(OPERATOR, new)).match.match_id
    for seat, bot in ((NORTH, one), (SOUTH, two)):
        accept = referee_pb.PrepareSeatRequest(
            match_id=match_id, seat=seat, accept=referee_pb.AcceptSeat()
        )
        await both.ask(bot, accept)
    looked = await both.ask(one, referee_pb.GetMatchRequest(match_id=match_id))
    seat = looked.public_view.table.to_act
    mover = one if seat == NORTH else two
    await both.ask(mover, submission(match_id, seat=seat))
    await both.ask(mover, submission(match_id, seat=seat, request_id="m2"))
    await both.ask(STRANGER, submission(match_id, seat=seat))
    await both.ask(OPERATOR, referee_pb.GetMatchRecordRequest(match_id=match_id))
    resign = referee_pb.ResignMatchRequest(match_id=match_id, seat=SOUTH)
    await both.ask(two, resign)
    await both.ask(OPERATOR, referee_pb.AbortMatchRequest(match_id=match_id))
    await both.follow(SPECTATOR, referee_pb.WatchMatchRequest(match_id=match_id))
    await both.ask(SPECTATOR, referee_pb.ListMatchesRequest(bot=one, page_size=1))
    await both.ask(SPECTATOR, referee_pb.GetPublicKeysRequest())


async def register(both: Both) -> None:
    """Make owners, bots, tokens and invitations."""
    await both.ask(OPERATOR, registry_pb.CreateOwnerRequest(name="ada-lab"))
    await both.ask(OPERATOR, registry_pb.ListOwnersRequest())
    await both.ask(
        OPERATOR, registry_pb.CreateBotRequest(name="fay", owner="ada-lab", house=True)
    )
    await both.ask(SPECTATOR, registry_pb.ListBotsRequest())
    key = bytes(range(32))
    await both.ask(OPERATOR, registry_pb.SetBotKeyRequest(name="fay", public_key=key))
    await both.ask(STRANGER, registry_pb.SetBotKeyRequest(public_key=key))
    await both.ask(STRANGER, registry_pb.SetBotConsentRequest(accepts_challenges=True))
    await both.ask(
        SEATED[0],
        referee_pb.ChallengeBotRequest(request_id="c1", opponent=STRANGER),
    )
    spectator = registry_pb.CreateTokenRequest(role=registry_pb2.ROLE_SPECTATOR)
    made = await both.ask(OPERATOR, spectator)
    token_id = made.token.token_id
    await both.ask(OPERATOR, registry_pb.ListTokensRequest())
    await both.ask(OPERATOR, registry_pb.RotateTokenRequest(token_id=token_id))
    await both.ask(OPERATOR, registry_pb.RevokeTokenRequest(token_id=token_id))
    made = await both.ask(OPERATOR, registry_pb.CreateInvitationRequest(uses=9))
    await both.ask(OPERATOR, registry_pb.ListInvitationsRequest())
    gus = registry_pb.RedeemInvitationRequest(
        code=made.code, bot="gus", request_id="one of many guests"
    )
    await both.ask(STRANGER, gus)
    ended = registry_pb.EndInvitationRequest(
        invitation_id=made.invitation.invitation_id
    )
    await both.ask(OPERATOR, ended)


async def organize(both: Both) -> None:
    """Declare a tournament, and look at it in every way."""
    new = new_tournament("cup")
    asked = tournament_pb.PreviewTournamentRequest(
        configuration=new.configuration, entrants=8
    )
    await both.ask(ORGANIZER, asked)
    made = await both.ask(ORGANIZER, new)
    cup, version = made.tournament.tournament_id, made.tournament.version
    for number, state in enumerate(
        (
            tournament_pb2.TOURNAMENT_STATE_REGISTRATION,
            tournament_pb2.TOURNAMENT_STATE_CANCELLED,
        )
    ):
        change = tournament_pb.ChangeTournamentRequest(
            tournament_id=cup,
            request_id=f"on {number}",
            expected_version=version,
            advance=tournament_pb.AdvanceTournament(to=state, reason="a test"),
        )
        version = (await both.ask(ORGANIZER, change)).version
    await both.ask(SPECTATOR, tournament_pb.GetTournamentRequest(tournament_id=cup))
    await both.ask(SPECTATOR, tournament_pb.ListTournamentsRequest(page_size=5))
    await both.follow(
        SPECTATOR, tournament_pb.WatchTournamentRequest(tournament_id=cup, cursor=1)
    )
    await both.ask(SPECTATOR, tournament_pb.ExportTournamentRequest(tournament_id=cup))


async def test_every_call_is_answered_alike(served: Served) -> None:
    async with both_ways(served) as both:
        await play(both)
        await register(both)
        await organize(both)

    paths = {
        f"/{method.containing_service.full_name}/{method.name}"
        for method in over_http.METHODS.values()
    }
    assert both.told == paths


async def test_every_refusal_is_the_same(served: Served) -> None:
    async with both_ways(served) as both:
        new = new_match(bots=SEATED, request_id="used")
        live = (await both.ask(OPERATOR, new)).match.match_id
        for seat, bot in ((NORTH, SEATED[0]), (SOUTH, SEATED[1])):
            accept = referee_pb.AcceptSeat()
            await both.ask(
                bot,
                referee_pb.PrepareSeatRequest(match_id=live, seat=seat, accept=accept),
            )
        refused = [
            bad.filled(live, "used")
            for bad in (*CALLS, *TOURNAMENTS)
            if bad.name not in UNSAYABLE
        ]
        for bad in refused:
            status = await both.ask(bad.by, bad.request)
            assert isinstance(status, status_pb2.Status), bad.name

    assert len(refused) > 40
