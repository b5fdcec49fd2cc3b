"""Plain calls by the generated stubs: what players and faults talk with."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import grpc
import grpc.aio

from ginref.v1 import (
    referee_service_pb2,
    referee_service_pb2_grpc,
    registry_pb2,
    registry_service_pb2,
    registry_service_pb2_grpc,
)
from ginref_client.status import error_from_rpc, is_outcome_unknown

Wired = Any
"""A message of the API or a call, whose type the generated stubs know."""

PATIENCE_S = 3.0
"""How long a call waits for its answer before it is made again."""

_OPTIONS = [
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.initial_reconnect_backoff_ms", 50),
    ("grpc.min_reconnect_backoff_ms", 2000),
    ("grpc.max_reconnect_backoff_ms", 300),
    ("grpc.enable_retries", 0),
]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a call failed.

    Attributes:
        reason: The referee's reason, or the name of a status.
        facts: What it says beside it.
        is_final: It was refused; otherwise the outcome is unknown.
        receipt: What the referee has signed about it.
    """

    reason: str
    facts: tuple[tuple[str, str], ...]
    is_final: bool
    receipt: bytes = b""


def refusal_of(error: grpc.aio.AioRpcError) -> Refusal:
    """Read why a call failed."""
    refused = error_from_rpc(error)
    return Refusal(
        refused.reason,
        tuple(sorted(refused.facts.items())),
        not is_outcome_unknown(error),
        refused.receipt,
    )


class Wire:
    """A channel to one address, in the name of one token after another."""

    def __init__(
        self, address: str, token: str, options: Sequence[tuple[str, int]] = ()
    ) -> None:
        self.address = address
        self.token = token
        self.channel = grpc.aio.insecure_channel(address, options=[*_OPTIONS, *options])
        self._referee: Any = referee_service_pb2_grpc.RefereeServiceStub(self.channel)
        self._registry: Any = registry_service_pb2_grpc.RegistryServiceStub(
            self.channel
        )

    async def close(self) -> None:
        await self.channel.close()

    async def referee(
        self,
        method: str,
        *,
        token: str = "",
        within: float = PATIENCE_S,
        **fields: Wired,
    ) -> Wired:
        """Call a method of the referee's service."""
        request = getattr(referee_service_pb2, f"{method}Request")(**fields)
        return await self.send(method, request, token=token, within=within)

    async def send(
        self,
        method: str,
        request: Wired,
        *,
        token: str = "",
        within: float = PATIENCE_S,
    ) -> Wired:
        """Call a method of the referee's service with a request that is made."""
        call = getattr(self._referee, method)
        return await call(request, metadata=self.metadata(token), timeout=within)

    def watch(self, match_id: str, cursor: str) -> Wired:
        """Follow a match."""
        request = referee_service_pb2.WatchMatchRequest(
            match_id=match_id, cursor=cursor
        )
        return self._referee.WatchMatch(request, metadata=self.metadata(""))

    async def register(self, bots: list[str]) -> dict[str, str]:
        """Register bots, and return a token for each."""
        await self._enrol("CreateOwner", name="lab")
        tokens = {}
        for bot in bots:
            await self._enrol("CreateBot", name=bot, owner="lab")
            made = await self._enrol("CreateToken", role=registry_pb2.ROLE_BOT, bot=bot)
            tokens[bot] = made.secret
        return tokens

    async def _enrol(self, method: str, **fields: Wired) -> Wired:
        request = getattr(registry_service_pb2, f"{method}Request")(**fields)
        call = getattr(self._registry, method)
        return await call(request, metadata=self.metadata(""), timeout=30)

    def metadata(self, token: str) -> tuple[tuple[str, str], ...]:
        return (("authorization", f"Bearer {token or self.token}"),)
