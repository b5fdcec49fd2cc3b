"""What must hold while a run goes on: bots that are attached know what they must."""

import asyncio
from collections.abc import Mapping
from typing import Final

from tests.simulation.network import Network
from tests.simulation.player import Player
from tests.simulation.server import StoreServer, Truth
from tests.simulation.stream import Stream
from tests.simulation.stream_player import StreamPlayer

from ginref.engine.seat import Seat

_ATTENTION: Final = 1.0
"""Seconds within which a bot hears of its turn when nothing goes wrong."""


class Vigil:
    """Looks at what attached bots were told, at moments when all should be well."""

    def __init__(
        self, server: StoreServer, network: Network, players: Mapping[str, Player]
    ) -> None:
        """Watch bots, once `begin` is called."""
        self._server = server
        self._network = network
        self._players = players
        self._problem = network.journal.problem

    def begin(self) -> None:
        """Be called at those moments."""
        self._server.watched = self._judge_change
        for player in self._players.values():
            if isinstance(player, StreamPlayer):
                player.refused = self._expect_turn

    def _judge_change(self, match_id: str, truth: Truth) -> None:
        """Before a match goes on: was it known whose turn it was?"""
        if truth.to_act is None:
            return
        player = self._players[truth.bots[truth.to_act]]
        stream = player.stream if isinstance(player, StreamPlayer) else None
        if stream is None or not self._is_well(stream):
            return
        if self._network.now() - self._well_since(stream, truth) < _ATTENTION:
            return
        self._network.journal.count("turn known in time")
        told = stream.turns.get((match_id, Seat(truth.to_act)))
        if told != truth.version:
            self._problem(
                f"{player.bot} was told of version {told} of {match_id}, not of the"
                f" current one, {truth.version}"
            )

    def _well_since(self, stream: Stream, truth: Truth) -> float:
        return max(
            truth.changed,
            stream.opened or 0.0,
            stream.referee.healthy_since,
            self._network.disturbed,
        )

    def _is_well(self, stream: Stream) -> bool:
        """Say whether an attachment works now."""
        return (
            stream.opened is not None
            and not stream.is_over
            and not stream.is_slow
            and stream.unread == 0
            and stream.referee.is_well
            and not self._network.store_away
        )

    def _expect_turn(self, stream: Stream, match_id: str, seat: Seat) -> None:
        """After a refused move: is the bot told where it stands?"""
        truth, asked = self._server.truths[match_id], self._network.now()
        version = truth.version

        def judge() -> None:
            if not self._is_well(stream) or truth.version != version:
                return
            if truth.to_act != seat or self._well_since(stream, truth) > asked:
                return
            self._network.journal.count("turn told again in time")
            if stream.told.get((match_id, seat), 0.0) < asked:
                self._problem(f"{seat} of {match_id} was refused, and told no turn")

        self._network.later(_ATTENTION, judge)

    async def judge_attachments(self) -> None:
        """At the end: is every attachment over that another one has followed?"""
        older = [
            (player, stream, since)
            for player in self._players.values()
            if isinstance(player, StreamPlayer)
            for stream, since in player.superseded
        ]
        if not all(stream.is_over for _, stream, _ in older):
            await asyncio.sleep(_ATTENTION)
        for player, stream, since in older:
            quiet_since = max(
                since, stream.referee.healthy_since, self._network.disturbed
            )
            if self._network.now() - quiet_since < _ATTENTION:
                continue
            self._network.journal.count("older attachment ended in time")
            if not stream.is_over:
                self._problem(f"an older attachment of {player.bot} goes on")
