"""Tournaments of a referee, for those who run them, play in them or follow them.

Every change names the version of the tournament that its author has looked at, and can
be tried first: then the answer says what it would change. Answers are the messages of
the API.
"""

import secrets
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

from ginref.v1 import tournament_pb2
from ginref.v1 import tournament_service_pb2 as service_pb
from ginref.v1.tournament_service_pb2_grpc import TournamentServiceStub
from ginref_client.caller import Caller
from ginref_client.tournament_change import Change, struct_of

_PAGE: Final = 500

_EXPORT_SECONDS: Final = 60.0
"""A referee checks all of a tournament before it signs its export."""

_FIELDS: Final[Mapping[str, str]] = {
    field.message_type.full_name: field.name
    for field in service_pb.ChangeTournamentRequest.DESCRIPTOR.oneofs_by_name[
        "change"
    ].fields
    if field.message_type is not None
}
"""Where each change stands in a request."""


Tournament = tournament_pb2.Tournament
Entrant = tournament_pb2.Entrant
Fixture = tournament_pb2.Fixture
StandingLine = tournament_pb2.StandingLine
Entry = service_pb.TournamentEntry
Changed = service_pb.ChangeTournamentResponse
Preview = service_pb.PreviewTournamentResponse


class Tournaments(Caller):
    """A referee's tournaments."""

    async def create_tournament(
        self,
        configuration: Mapping[str, Any],
        *,
        dry_run: bool = False,
        request_id: str | None = None,
    ) -> Tournament:
        """Declare a tournament, or return the one that is there and was declared so.

        Args:
            configuration: What its file says.
            dry_run: Only return what would be.
            request_id: Identity of this request; None makes one.

        Raises:
            RefusedError: `CONFIGURATION_INVALID` names the field at fault by its path;
                `NAME_TAKEN` by another tournament; or the caller may not.
            UnavailableError: No referee answered.
        """
        request = service_pb.CreateTournamentRequest(
            request_id=request_id or secrets.token_hex(16),
            configuration=struct_of(configuration),
            validate_only=dry_run,
        )
        answer = await self._ask(
            lambda channel: TournamentServiceStub(channel).CreateTournament, request
        )
        return answer.tournament

    async def preview_tournament(
        self,
        configuration: Mapping[str, Any],
        entrants: int,
        *,
        think_ms: int | None = None,
    ) -> Preview:
        """Return what a tournament would come to, of which nothing is kept.

        Args:
            configuration: What its file says.
            entrants: How many start.
            think_ms: How long a bot thinks about a move, in milliseconds; None for
                what the referee takes.

        Raises:
            RefusedError: `CONFIGURATION_INVALID` names the field at fault by its path,
                also where so many cannot play it; or the caller may not.
            UnavailableError: No referee answered.
        """
        request = service_pb.PreviewTournamentRequest(
            configuration=struct_of(configuration),
            entrants=entrants,
            think_ms=think_ms,
        )
        return await self._ask(
            lambda channel: TournamentServiceStub(channel).PreviewTournament, request
        )

    async def change_tournament(
        self,
        tournament_id: str,
        change: Change,
        *,
        expected_version: int | None = None,
        dry_run: bool = False,
        request_id: str | None = None,
    ) -> Changed:
        """Change a tournament, once however often it is tried.

        Args:
            tournament_id: The tournament.
            change: What is to change.
            expected_version: Version that was looked at. Hosts need it; a bot need
                not say.
            dry_run: Only say what would change.
            request_id: Identity of this request; None makes one.

        Raises:
            RefusedError: `TOURNAMENT_STALE` if it has changed since; or why else not.
            UnavailableError: No referee answered.
        """
        request = service_pb.ChangeTournamentRequest(
            tournament_id=tournament_id,
            request_id=request_id or secrets.token_hex(16),
            expected_version=expected_version,
            validate_only=dry_run,
        )
        asked = getattr(request, _FIELDS[change.DESCRIPTOR.full_name])
        # An empty message is a change, too: a bot that enters by itself names nothing.
        asked.SetInParent()
        asked.CopyFrom(change)
        return await self._ask(
            lambda channel: TournamentServiceStub(channel).ChangeTournament, request
        )

    async def get_tournament(self, tournament_id: str) -> Tournament:
        """Return a tournament as the caller may see it.

        Raises:
            RefusedError: There is no such tournament.
            UnavailableError: No referee answered.
        """
        request = service_pb.GetTournamentRequest(tournament_id=tournament_id)
        answer = await self._ask(
            lambda channel: TournamentServiceStub(channel).GetTournament, request
        )
        return answer.tournament

    async def list_tournaments(self) -> AsyncIterator[Tournament]:
        """Yield tournaments, newest first, without their stages.

        Raises:
            RefusedError: The caller may not.
            UnavailableError: No referee answered.
        """
        request = service_pb.ListTournamentsRequest(page_size=_PAGE)
        while True:
            page = await self._ask(
                lambda channel: TournamentServiceStub(channel).ListTournaments, request
            )
            for tournament in page.tournaments:
                yield tournament
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    async def export_tournament(self, tournament_id: str) -> bytes:
        """Return the signed export of a tournament, as a file holds it.

        Raises:
            RefusedError: There is no such tournament.
            UnavailableError: No referee answered.
        """
        request = service_pb.ExportTournamentRequest(tournament_id=tournament_id)
        answer = await self._ask(
            lambda channel: TournamentServiceStub(channel).ExportTournament,
            request,
            deadline=_EXPORT_SECONDS,
        )
        return answer.envelope

    async def watch_tournament(
        self, tournament_id: str, cursor: int = 0
    ) -> AsyncIterator[Entry]:
        """Follow a tournament to its end; a lost stream goes on where it was.

        Args:
            tournament_id: The tournament.
            cursor: Entries of its log that are known.

        Raises:
            RefusedError: There is no such tournament.
            UnavailableError: No referee answered, so often as calls are tried.
        """
        request = service_pb.WatchTournamentRequest(
            tournament_id=tournament_id, cursor=cursor
        )

        def seen(step: service_pb.WatchTournamentResponse) -> None:
            request.cursor = step.entry.sequence

        async for step in self._follow(
            lambda channel: TournamentServiceStub(channel).WatchTournament,
            request,
            seen,
        ):
            yield step.entry
