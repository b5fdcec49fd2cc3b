"""A match between two bots on real referees, set up through the API."""

import asyncio
import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import grpc.aio
from tests.unit.record.layout import violations

from ginref.adapters.trusted_keys import read_trusted_keys
from ginref.record.envelope import parse_envelope
from ginref.record.verify import Verdict, verify_record
from ginref.v1 import (
    clock_pb2,
    referee_service_pb2,
    referee_service_pb2_grpc,
    registry_pb2,
    registry_service_pb2,
    registry_service_pb2_grpc,
    ruleset_pb2,
)
from ginref_client.fact import FinishedMatch
from ginref_client.session import Session

BOTS = ("ada", "bob")
PATIENCE = 120

PATIENT = clock_pb2.ClockPolicy(
    name="custom",
    start_ms=60_000,
    free_ms=1_000,
    bank_ms=600_000,
    cap_ms=120_000,
    grace_ms=250,
)
"""Time rules that outlast every interruption these tests make."""

_numbers = itertools.count()


@dataclass
class Table:
    """An operator's calls to one referee."""

    address: str
    token: str

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """Metadata of the operator's calls."""
        return (("authorization", f"Bearer {self.token}"),)

    async def bot_tokens(self, names: Sequence[str] = BOTS) -> list[str]:
        """Register bots and return a token for each."""
        async with grpc.aio.insecure_channel(self.address) as channel:
            registry = registry_service_pb2_grpc.RegistryServiceStub(channel)
            owner = registry_service_pb2.CreateOwnerRequest(name="lab")
            await registry.CreateOwner(owner, metadata=self.metadata)
            tokens = []
            for name in names:
                bot = registry_service_pb2.CreateBotRequest(name=name, owner="lab")
                await registry.CreateBot(bot, metadata=self.metadata)
                wanted = registry_service_pb2.CreateTokenRequest(
                    role=registry_pb2.ROLE_BOT, bot=name
                )
                made = await registry.CreateToken(wanted, metadata=self.metadata)
                tokens.append(made.secret)
            return tokens

    async def create_match(
        self,
        preset: str = "hollywood",
        *,
        bots: Sequence[str] = BOTS,
        clock: clock_pb2.ClockPolicy = PATIENT,
    ) -> str:
        """Create a match and return its id."""
        request = referee_service_pb2.CreateMatchRequest(
            request_id=f"match-{next(_numbers)}",
            ruleset=ruleset_pb2.RulesetChoice(preset=preset),
            bots=bots,
            clock=clock,
        )
        async with grpc.aio.insecure_channel(self.address) as channel:
            referee = referee_service_pb2_grpc.RefereeServiceStub(channel)
            made = await referee.CreateMatch(request, metadata=self.metadata)
            return made.match.match_id

    async def version(self, match_id: str) -> int:
        """Return the version that a match is at."""
        request = referee_service_pb2.GetMatchRequest(match_id=match_id)
        async with grpc.aio.insecure_channel(self.address) as channel:
            referee = referee_service_pb2_grpc.RefereeServiceStub(channel)
            found = await referee.GetMatch(request, metadata=self.metadata)
            return found.match.version

    async def record(self, match_id: str) -> bytes:
        """Wait for the record of a match and return its envelope."""
        request = referee_service_pb2.GetMatchRecordRequest(match_id=match_id)
        async with grpc.aio.insecure_channel(self.address) as channel:
            referee = referee_service_pb2_grpc.RefereeServiceStub(channel)
            async with asyncio.timeout(PATIENCE):
                while True:
                    try:
                        answer = await referee.GetMatchRecord(
                            request, metadata=self.metadata
                        )
                    except grpc.aio.AioRpcError as error:
                        if error.code() is not grpc.StatusCode.FAILED_PRECONDITION:
                            raise
                    else:
                        return answer.envelope
                    await asyncio.sleep(0.05)

    async def reach(self, match_id: str, version: int) -> None:
        """Wait until a match has come to a version."""
        async with asyncio.timeout(PATIENCE):
            while await self.version(match_id) < version:  # noqa: ASYNC110 - the match is elsewhere
                await asyncio.sleep(0.01)


def verify(envelope: bytes, keys: Path) -> Verdict:
    """Verify a record as its reader would, its layout by the published schema, too."""
    document = json.loads(parse_envelope(envelope).payload)
    assert violations(document) == []
    return verify_record(envelope, read_trusted_keys(keys))


async def play(sessions: Sequence[Session]) -> list[list[FinishedMatch]]:
    """Run sessions until each has finished one match."""
    async with asyncio.timeout(PATIENCE):
        return await asyncio.gather(
            *(session.run(lambda over: len(over) >= 1) for session in sessions)
        )
