"""Who takes part beside the players by calls: bots on streams, and watchers.

The bots are those of the client package, with every submission and every result in
the journal; the watchers note which moves they were told of.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, cast

import grpc.aio
from tests.faults.journal import Asked, Saw, Told, digest, now_ns
from tests.faults.note import note_ending
from tests.faults.player import SEATS
from tests.faults.rig import Rig
from tests.faults.wire import refusal_of

from ginref.transport.codec_move import move_from_wire
from ginref.v1 import match_pb2, session_pb2
from ginref.v1.bot_service_pb2 import ConnectRequest, ConnectResponse
from ginref_client.bots.simple import Simple
from ginref_client.endpoint import Endpoint
from ginref_client.roster import Roster
from ginref_client.session import Finished, Session


class JournalledSession(Session):
    """A bot of the client package that keeps a journal."""

    def __init__(self, rig: Rig, token: str, doors: Sequence[str]) -> None:
        """Attach through these doors, the first one first."""
        super().__init__(list(doors), token, Simple)
        self._rig = rig
        self._numbers: dict[tuple[str, str], int] = {}

    def _send(self, message: ConnectRequest) -> None:
        if self._outbox is not None and message.HasField("move"):
            self._note_move(message.move)
        super()._send(message)

    def _note_move(self, move: session_pb2.MoveSubmission) -> None:
        journal = self._rig.journal
        number = journal.next_number()
        self._numbers[move.match_id, move.request_id] = number
        journal.put(
            Asked(
                number=number,
                at_ns=now_ns(),
                match_id=move.match_id,
                seat=str(SEATS[move.seat - 1]),
                request_id=move.request_id,
                expected_version=move.expected_version,
                move=str(move_from_wire(move.move, "move")),
                way="stream",
            )
        )

    async def _attach(
        self, where: Endpoint, roster: Roster, until: Finished | None
    ) -> bool:
        heard = cast("Roster", _Heard(roster, self))
        return await super()._attach(where, heard, until)

    def heard(self, response: ConnectResponse) -> None:
        """Note what a response says of moves and endings."""
        if response.HasField("move_result"):
            self._note_result(response.move_result)
        elif response.HasField("match_over"):
            over = response.match_over
            note_ending(self._rig, over.match_id, over.ending, "stream")

    def _note_result(self, result: session_pb2.MoveResult) -> None:
        number = self._numbers[result.match_id, result.request_id]
        if result.HasField("accepted"):
            told = Told(
                number=number,
                at_ns=now_ns(),
                outcome="accepted",
                version=result.accepted.version,
                time_ms=result.accepted.accept_time.ToMilliseconds(),
                answer=digest(result.SerializeToString(deterministic=True)),
            )
        else:
            reason = str(result.refused.reason)
            told = Told(number=number, at_ns=now_ns(), outcome="refused", reason=reason)
        self._rig.journal.put(told)


class _Heard:
    """A roster, in front of which a session notes what comes in."""

    def __init__(self, roster: Roster, session: JournalledSession) -> None:
        self._roster = roster
        self._session = session

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a roster has
        return getattr(self._roster, name)

    def handle(self, response: ConnectResponse) -> None:
        self._session.heard(response)
        self._roster.handle(response)


class Watcher:
    """Follows a match to its end, through one door after another."""

    def __init__(self, rig: Rig, match_id: str, name: str, at: int) -> None:
        """Begin at a door."""
        self.rig = rig
        self.match_id = match_id
        self.name = name
        self.is_following = asyncio.Event()
        self.has_resumed = asyncio.Event()
        self._at = at
        self._has_lost = False

    async def follow(self) -> None:
        """Follow until the match is over."""
        cursor = ""
        while True:
            wire = self.rig.wires[self._at % len(self.rig.wires)]
            call = wire.watch(self.match_id, cursor)
            try:
                async for step in call:
                    cursor = step.cursor
                    self.is_following.set()
                    if self._has_lost:
                        self.has_resumed.set()
                    self._note(step)
                    if step.match.stage == match_pb2.MATCH_STAGE_OVER:
                        self.has_resumed.set()
                        return
            except grpc.aio.AioRpcError as error:
                if refusal_of(error).is_final:
                    raise
            finally:
                call.cancel()
            self._at += 1
            self._has_lost = True
            await asyncio.sleep(0.1)

    def _note(self, step: Any) -> None:  # noqa: ANN401 - a response
        played = [event.version for event in step.events if event.HasField("played")]
        if played:
            self.rig.journal.put(
                Saw(
                    at_ns=now_ns(),
                    match_id=self.match_id,
                    watcher=self.name,
                    versions=tuple(played),
                )
            )
        if step.match.HasField("ending"):
            note_ending(self.rig, self.match_id, step.match.ending, self.name)
