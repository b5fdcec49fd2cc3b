"""The service of tournaments: translate, delegate, translate back."""

import contextlib
from collections.abc import AsyncGenerator
from functools import partial
from typing import Final

from ginref.app.caller import Caller, Role
from ginref.app.tournament_desk import TournamentDesk
from ginref.app.tournament_report import Asking, Overview
from ginref.app.tournament_watch import TournamentWatcher
from ginref.tournament.configuration_read import FIELD_MOST
from ginref.tournament.preview import THINK_MS
from ginref.transport.call import CALL
from ginref.transport.codec_request import VERSION_LIMIT, cursor_from_wire
from ginref.transport.codec_tournament import (
    changed_to_wire,
    entry_to_wire,
    listing_to_wire,
    tournament_to_wire,
)
from ginref.transport.codec_tournament_change import (
    NewCodes,
    NewConfiguration,
    NewEntry,
    NewOrder,
    change_from_wire,
    configuration_from_wire,
)
from ginref.transport.codec_tournament_preview import preview_to_wire
from ginref.transport.field import (
    missing,
    read_name,
    read_request_id,
    read_within,
)
from ginref.transport.kept_answer import KeptAnswers
from ginref.v1 import tournament_service_pb2 as service_pb
from ginref.v1.tournament_service_pb2_grpc import TournamentServiceServicer

PAGE_SIZE: Final = 50
"""Tournaments on a page when the request does not say."""

PAGE_LIMIT: Final = 500
"""Most tournaments on a page."""

_PAIR: Final = 2
_THINK_MS_MOST: Final = 2**31 - 1


class TournamentService(TournamentServiceServicer):
    """Serves tournaments to whoever `CALL` names; the context is not looked at."""

    def __init__(self, desk: TournamentDesk, watcher: TournamentWatcher) -> None:
        """Delegate to the desk and the watcher."""
        self._desk: Final = desk
        self._watcher: Final = watcher
        self._answers: Final = KeptAnswers()

    async def CreateTournament(
        self, request: service_pb.CreateTournamentRequest, context: object
    ) -> service_pb.CreateTournamentResponse:
        """Declare a tournament."""
        del context
        caller = CALL.get().caller
        asking = Asking(
            request_id=read_request_id(request.request_id, "request_id"),
            dry_run=request.validate_only,
        )
        configuration = configuration_from_wire(request)
        _, overview = await self._desk.create(caller, configuration, asking)
        return service_pb.CreateTournamentResponse(
            tournament=tournament_to_wire(overview)
        )

    async def PreviewTournament(
        self, request: service_pb.PreviewTournamentRequest, context: object
    ) -> service_pb.PreviewTournamentResponse:
        """Say what a tournament would come to."""
        del context
        configuration = configuration_from_wire(request)
        entrants = read_within(request.entrants, _PAIR, FIELD_MOST, "entrants")
        think_ms = THINK_MS
        if request.HasField("think_ms"):
            think_ms = read_within(request.think_ms, 0, _THINK_MS_MOST, "think_ms")
        preview = await self._desk.preview(
            CALL.get().caller, configuration, entrants, think_ms
        )
        return preview_to_wire(preview, think_ms)

    async def ChangeTournament(
        self, request: service_pb.ChangeTournamentRequest, context: object
    ) -> service_pb.ChangeTournamentResponse:
        """Change a tournament."""
        del context
        caller = CALL.get().caller
        tournament = read_name(request.tournament_id, "tournament_id")
        asking = _asking(request, caller)
        match change_from_wire(request, caller.bot):
            case NewConfiguration(configuration):
                changed = await self._desk.configure(
                    caller, tournament, configuration, asking
                )
            case NewCodes(count):
                changed, codes = await self._desk.issue_codes(
                    caller, tournament, count, asking
                )
                return changed_to_wire(changed, codes)
            case NewEntry(bot, code):
                changed = await self._desk.enter(caller, tournament, bot, code, asking)
            case NewOrder(bots):
                changed = await self._desk.order_seeds(caller, tournament, bots, asking)
            case operation:
                changed = await self._desk.change(caller, tournament, operation, asking)
        return changed_to_wire(changed)

    async def GetTournament(  # type: ignore[override] # bytes of a GetTournamentResponse
        self, request: service_pb.GetTournamentRequest, context: object
    ) -> bytes:
        """Return a tournament as it stands."""
        del context
        tournament = read_name(request.tournament_id, "tournament_id")
        overview = await self._desk.overview(CALL.get().caller, tournament)
        # All who see as much of it get the same.
        key = tournament, len(overview.entries), overview.head
        return await self._answers.get(key, overview.plan, partial(_written, overview))

    async def ListTournaments(
        self, request: service_pb.ListTournamentsRequest, context: object
    ) -> service_pb.ListTournamentsResponse:
        """Return a page of tournaments."""
        del context
        size = read_within(request.page_size, 0, PAGE_LIMIT, "page_size")
        cursor = cursor_from_wire(request.page_token, "page_token")
        page = await self._desk.page(
            CALL.get().caller, size or PAGE_SIZE, cursor or None
        )
        return service_pb.ListTournamentsResponse(
            tournaments=map(listing_to_wire, page.listings),
            next_page_token=page.cursor or "",
        )

    async def WatchTournament(
        self, request: service_pb.WatchTournamentRequest, context: object
    ) -> AsyncGenerator[service_pb.WatchTournamentResponse, None]:
        """Follow the log of a tournament."""
        del context
        tournament = read_name(request.tournament_id, "tournament_id")
        cursor = read_within(request.cursor, 0, VERSION_LIMIT, "cursor")
        entries = self._watcher.watch(CALL.get().caller, tournament, cursor)
        async with contextlib.aclosing(entries):
            async for entry in entries:
                yield service_pb.WatchTournamentResponse(
                    entry=entry_to_wire(entry), cursor=entry.sequence
                )

    async def ExportTournament(
        self, request: service_pb.ExportTournamentRequest, context: object
    ) -> service_pb.ExportTournamentResponse:
        """Return the signed export of a tournament."""
        del context
        tournament = read_name(request.tournament_id, "tournament_id")
        envelope = await self._desk.export(CALL.get().caller, tournament)
        return service_pb.ExportTournamentResponse(envelope=envelope)


def _written(overview: Overview) -> bytes:
    answer = service_pb.GetTournamentResponse(tournament=tournament_to_wire(overview))
    return answer.SerializeToString()


def _asking(request: service_pb.ChangeTournamentRequest, caller: Caller) -> Asking:
    version = None
    if request.HasField("expected_version"):
        version = read_within(
            request.expected_version, 0, VERSION_LIMIT, "expected_version"
        )
    elif caller.role in (Role.OPERATOR, Role.ORGANIZER):
        raise missing("expected_version")
    return Asking(
        request_id=read_request_id(request.request_id, "request_id"),
        expected_version=version,
        dry_run=request.validate_only,
    )
