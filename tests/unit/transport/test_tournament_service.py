"""Tournaments over real gRPC: declared, changed, shown and followed."""

from typing import Any

import grpc
import pytest
from google.protobuf import struct_pb2
from tests.unit.transport.call import refusal

from ginref.app.caller import Caller, Role
from ginref.tournament.event import Advanced, CodesIssued, Created
from ginref.tournament.log import decode_entry, verify_chain
from ginref.v1 import tournament_pb2 as tournament_pb
from ginref.v1 import tournament_service_pb2 as service_pb
from ginref.v1.tournament_service_pb2_grpc import TournamentServiceStub

Served = Any
"""The running referee of `conftest`, whose class cannot be imported."""

OPEN = service_pb.AdvanceTournament(to=tournament_pb.TOURNAMENT_STATE_REGISTRATION)
CANCEL = service_pb.AdvanceTournament(
    to=tournament_pb.TOURNAMENT_STATE_CANCELLED, reason="rain"
)


def configuration(**changes: Any) -> struct_pb2.Struct:  # noqa: ANN401
    struct = struct_pb2.Struct()
    stage: Any = {"name": "main", "format": "swiss", "rounds": 3}
    struct.update({"name": "cup", "stages": [stage], **changes})
    return struct


class Office:
    """Calls of one caller."""

    def __init__(self, channel: Any) -> None:  # noqa: ANN401
        self.stub: Any = TournamentServiceStub(channel.raw)
        self.metadata = channel.metadata

    async def create(self, **fields: Any) -> tournament_pb.Tournament:  # noqa: ANN401
        fields = {"configuration": configuration(), "request_id": "new", **fields}
        request = service_pb.CreateTournamentRequest(**fields)
        made = await self.stub.CreateTournament(request, metadata=self.metadata)
        told: tournament_pb.Tournament = made.tournament
        return told

    async def get(self) -> tournament_pb.Tournament:
        request = service_pb.GetTournamentRequest(tournament_id="cup")
        found = await self.stub.GetTournament(request, metadata=self.metadata)
        told: tournament_pb.Tournament = found.tournament
        return told

    async def list(self) -> tournament_pb.Tournament:
        """Return the only one of the list."""
        request = service_pb.ListTournamentsRequest()
        found = await self.stub.ListTournaments(request, metadata=self.metadata)
        (told,) = found.tournaments
        assert isinstance(told, tournament_pb.Tournament)
        return told

    def change(self, **fields: Any) -> Any:  # noqa: ANN401 - an answer, or a refusal
        fields = {"tournament_id": "cup", "request_id": "change", **fields}
        return self.stub.ChangeTournament(
            service_pb.ChangeTournamentRequest(**fields), metadata=self.metadata
        )

    def watch(self, cursor: int = 0) -> Any:  # noqa: ANN401 - a stream
        request = service_pb.WatchTournamentRequest(tournament_id="cup", cursor=cursor)
        return self.stub.WatchTournament(request, metadata=self.metadata)


async def test_a_tournament_is_declared_once(served: Served) -> None:
    async with served.channel(served.operator) as channel:
        office = Office(channel)

        tried = await office.create(validate_only=True)
        absent = await refusal(office.change(expected_version=1, advance=OPEN))
        made = await office.create()
        again = await office.create(request_id="another")
        other = await refusal(
            office.stub.CreateTournament(
                service_pb.CreateTournamentRequest(
                    request_id="new", configuration=configuration(title="Cup")
                ),
                metadata=office.metadata,
            )
        )

    assert absent[1] == "TOURNAMENT_NOT_FOUND"
    assert (tried.tournament_id, tried.version) == ("cup", 1)
    assert made == again
    assert made.state == tournament_pb.TOURNAMENT_STATE_DRAFT
    assert (other[0], other[1]) == (grpc.StatusCode.ALREADY_EXISTS, "NAME_TAKEN")


async def test_a_configuration_that_cannot_be_used_is_named_by_its_path(
    served: Served,
) -> None:
    async with served.channel(served.operator) as channel:
        office = Office(channel)
        stage = {"name": "main", "format": "swiss", "rounds": 3.5}

        code, reason, facts = await refusal(
            office.stub.CreateTournament(
                service_pb.CreateTournamentRequest(
                    request_id="new", configuration=configuration(stages=[stage])
                ),
                metadata=office.metadata,
            )
        )

    assert (code.name, reason) == ("INVALID_ARGUMENT", "CONFIGURATION_INVALID")
    assert facts["field"] == "stages[0].rounds"


async def test_a_host_says_which_version_it_has_seen(served: Served) -> None:
    async with served.channel(served.operator) as channel:
        office = Office(channel)
        await office.create()

        unseen = await refusal(office.change(advance=OPEN))
        tried = await office.change(
            expected_version=1, advance=OPEN, validate_only=True
        )
        opened = await office.change(expected_version=1, advance=OPEN)
        again = await office.change(expected_version=1, advance=OPEN)
        stale = await refusal(
            office.change(request_id="late", expected_version=1, advance=CANCEL)
        )
        found = await office.get()

    assert unseen[1:] == ("FIELD_MISSING", {"field": "expected_version"})
    assert [one.path for one in tried.differences] == ["lifecycle"]
    assert (tried.differences[0].before, tried.differences[0].after) == (
        "draft",
        "registration",
    )
    # With the registration the referee commits to its share.
    assert opened.version == again.version == found.version == 3
    assert again.head == opened.head == found.head
    assert (opened.unchanged, again.unchanged) == (False, True)
    assert (stale[0], stale[1]) == (grpc.StatusCode.ABORTED, "TOURNAMENT_STALE")
    assert stale[2]["version"] == "3"


async def test_codes_let_bots_in_once(served: Served) -> None:
    secret = await served.token("bot", "ada")
    async with (
        served.channel(served.operator) as channel,
        served.channel(secret) as own,
    ):
        office, bot = Office(channel), Office(own)
        await office.create(configuration=configuration(entry={"by": "codes"}))
        opened = await office.change(expected_version=1, advance=OPEN)
        fields = {"request_id": "codes", "expected_version": opened.version}
        issued = await office.change(**fields, issue_codes={"count": 2})
        again = await office.change(**fields, issue_codes={"count": 2})

        uninvited = await refusal(bot.change(enter={}))
        await bot.change(enter={"code": issued.codes[0]})
        found = await office.get()
        listed = await office.list()

    assert len(set(issued.codes)) == 2
    assert again.codes == issued.codes
    assert uninvited[1] == "ENTRY_REFUSED"
    assert [one.bot for one in found.entrants] == ["ada"]
    assert (listed.tournament_id, listed.version) == ("cup", found.version)
    assert not listed.entrants


async def test_a_list_says_what_waits_for_somebody(served: Served) -> None:
    async with served.channel(served.operator) as channel:
        office = Office(channel)
        await office.create(configuration=configuration(entry={"check_in": False}))
        drafted = await office.list()
        opened = await office.change(expected_version=1, advance=OPEN)
        seeding = tournament_pb.TOURNAMENT_STATE_SEEDING
        await office.change(
            request_id="close",
            expected_version=opened.version,
            advance=service_pb.AdvanceTournament(to=seeding),
        )
        listed, found = await office.list(), await office.get()

    assert drafted.state_time == drafted.create_time
    assert not drafted.problems
    # Nobody can play it: there is no field.
    (problem,) = listed.problems
    assert (problem.kind, problem.blocking) == ("field", True)
    assert [one for one in found.problems if one.blocking] == [problem]


async def test_a_log_is_followed_to_its_end(served: Served) -> None:
    async with served.channel(served.operator) as channel:
        office = Office(channel)
        await office.create()
        watch = aiter(office.watch())
        first = await anext(watch)
        await office.change(expected_version=1, issue_codes={"count": 1})
        second = await anext(watch)
        await office.change(request_id="end", expected_version=2, advance=CANCEL)
        told = [first, second, *[step async for step in watch]]
        late = [step async for step in office.watch(2)]
        done = [step async for step in office.watch(3)]
        with pytest.raises(grpc.aio.AioRpcError) as beyond:
            await office.watch(4).read()

    entries = [decode_entry(step.entry.json.encode()) for step in told]
    verify_chain(entries)
    assert [type(entry.event) for entry in entries] == [Created, CodesIssued, Advanced]
    assert late == told[2:]
    assert done == []
    assert beyond.value.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_a_large_configuration_is_read(served: Served) -> None:
    bots = [f"bot-{at:04}" for at in range(3000)]
    host = Caller(token_id="t-host", role=Role.ORGANIZER)
    await served.gate.create_owner(host, "ada")
    for bot in bots:
        await served.gate.create_bot(host, bot, "ada", house=False)
    async with served.channel(served.operator) as channel:
        office = Office(channel)

        made = await office.create(
            configuration=configuration(entry={"by": "invitation", "invited": bots})
        )

    assert bots[-1] in made.configuration
