"""The referee's service: translate, delegate, translate back."""

import contextlib
from collections.abc import AsyncGenerator
from functools import lru_cache
from typing import Final

from ginref.app.challenge import Challenges
from ginref.app.desk import Desk
from ginref.app.error import RefusedError
from ginref.app.watch import Watcher, WatchStep
from ginref.transport.call import CALL
from ginref.transport.codec_challenge import challenge_from_wire
from ginref.transport.codec_match import events_to_wire, match_to_wire
from ginref.transport.codec_request import (
    cursor_from_wire,
    new_match_from_wire,
    page_from_wire,
    seat_from_wire,
    seat_step_from_wire,
    submission_from_wire,
    unread_move_from_wire,
)
from ginref.transport.codec_turn import answer_to_bytes
from ginref.transport.codec_view import public_view_to_wire, seat_view_to_wire
from ginref.transport.field import read_id
from ginref.v1 import referee_service_pb2 as referee_pb
from ginref.v1.referee_service_pb2_grpc import RefereeServiceServicer

_STEPS: Final = 256
"""Steps of matches that are kept as they were written: many watch the same one."""


class RefereeService(RefereeServiceServicer):
    """Serves matches to whoever `CALL` names; the context is not looked at."""

    def __init__(self, desk: Desk, watcher: Watcher, challenges: Challenges) -> None:
        """Delegate to the desk, the watcher, and who takes challenges."""
        self._desk: Final = desk
        self._challenges: Final = challenges
        self._watcher: Final = watcher
        self._write: Final = lru_cache(_STEPS)(_step_to_wire)

    async def CreateMatch(
        self, request: referee_pb.CreateMatchRequest, context: object
    ) -> referee_pb.CreateMatchResponse:
        """Create a match."""
        del context
        new = new_match_from_wire(request)
        facts = await self._desk.create_match(CALL.get().caller, new)
        return referee_pb.CreateMatchResponse(match=match_to_wire(facts))

    async def ChallengeBot(
        self, request: referee_pb.ChallengeBotRequest, context: object
    ) -> referee_pb.ChallengeBotResponse:
        """Make the match that a bot asks for."""
        del context
        asked = challenge_from_wire(request)
        facts = await self._challenges.challenge(CALL.get().caller, asked)
        return referee_pb.ChallengeBotResponse(match=match_to_wire(facts))

    async def PrepareSeat(
        self, request: referee_pb.PrepareSeatRequest, context: object
    ) -> referee_pb.PrepareSeatResponse:
        """Take a step of a seat before play."""
        del context
        step = seat_step_from_wire(request)
        facts, turn = await self._desk.prepare_seat(CALL.get().caller, step)
        return referee_pb.PrepareSeatResponse(
            match=match_to_wire(facts),
            turn=None if turn is None else seat_view_to_wire(turn),
        )

    async def GetMatch(
        self, request: referee_pb.GetMatchRequest, context: object
    ) -> referee_pb.GetMatchResponse:
        """Return a match as the caller may see it."""
        del context
        match_id = read_id(request.match_id, "match_id")
        report = await self._desk.get_match(CALL.get().caller, match_id)
        return referee_pb.GetMatchResponse(
            match=match_to_wire(report.public.facts),
            public_view=public_view_to_wire(report.public),
            seat_views=map(seat_view_to_wire, report.seats),
        )

    async def ListMatches(
        self, request: referee_pb.ListMatchesRequest, context: object
    ) -> referee_pb.ListMatchesResponse:
        """Return a page of matches."""
        del context
        asked = page_from_wire(request)
        page = await self._desk.list_matches(
            CALL.get().caller, asked.bot, asked.limit, asked.cursor
        )
        return referee_pb.ListMatchesResponse(
            matches=map(match_to_wire, page.matches), next_page_token=page.cursor or ""
        )

    async def SubmitMove(  # type: ignore[override] # bytes of a SubmitMoveResponse
        self, request: referee_pb.SubmitMoveRequest, context: object
    ) -> bytes:
        """Judge a move."""
        del context
        call = CALL.get()
        try:
            submission = submission_from_wire(request)
        except RefusedError as error:
            if unread := unread_move_from_wire(request):
                receipts = self._desk.receipts
                await receipts.acknowledge_unread(call.caller, unread, error)
            raise
        report = await self._desk.submit_move(call.caller, submission, call.received)
        return answer_to_bytes(report)

    async def WatchMatch(
        self, request: referee_pb.WatchMatchRequest, context: object
    ) -> AsyncGenerator[referee_pb.WatchMatchResponse, None]:
        """Follow a match until it is over."""
        del context
        match_id = read_id(request.match_id, "match_id")
        cursor = cursor_from_wire(request.cursor, "cursor")
        steps = self._watcher.watch(CALL.get().caller, match_id, cursor)
        async with contextlib.aclosing(steps):
            async for step in steps:
                yield self._write(step)

    async def ResignMatch(
        self, request: referee_pb.ResignMatchRequest, context: object
    ) -> referee_pb.ResignMatchResponse:
        """End a match by resignation of a seat."""
        del context
        facts = await self._desk.resign_match(
            CALL.get().caller,
            read_id(request.match_id, "match_id"),
            seat_from_wire(request.seat, "seat"),
        )
        return referee_pb.ResignMatchResponse(match=match_to_wire(facts))

    async def AbortMatch(
        self, request: referee_pb.AbortMatchRequest, context: object
    ) -> referee_pb.AbortMatchResponse:
        """End a match without a winner."""
        del context
        match_id = read_id(request.match_id, "match_id")
        facts = await self._desk.abort_match(CALL.get().caller, match_id)
        return referee_pb.AbortMatchResponse(match=match_to_wire(facts))

    async def GetPublicKeys(
        self, request: referee_pb.GetPublicKeysRequest, context: object
    ) -> referee_pb.GetPublicKeysResponse:
        """Return the public keys of all signatures."""
        del request, context
        return referee_pb.GetPublicKeysResponse(jwks=self._desk.public_keys())

    async def GetMatchRecord(
        self, request: referee_pb.GetMatchRecordRequest, context: object
    ) -> referee_pb.GetMatchRecordResponse:
        """Return the signed record of a match that is over."""
        del context
        match_id = read_id(request.match_id, "match_id")
        envelope = await self._desk.match_record(CALL.get().caller, match_id)
        return referee_pb.GetMatchRecordResponse(envelope=envelope)


def _step_to_wire(step: WatchStep) -> referee_pb.WatchMatchResponse:
    return referee_pb.WatchMatchResponse(
        cursor=step.cursor,
        match=match_to_wire(step.facts),
        events=events_to_wire(step.events),
        public_view=public_view_to_wire(step.public),
        turns=map(seat_view_to_wire, step.turns),
    )
