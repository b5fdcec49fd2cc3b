"""Keeps matches from the public whose cards others still have to play.

Where all tables of a round get the same cards, or two play the same deck twice, nothing
of a board is told before the last table has closed it: neither moves nor score, and no
record.
"""

import json

from ginref.app.caller import HOSTS, Caller
from ginref.app.error import Reason, RefusedError
from ginref.app.tournament_embargo import closed_games
from ginref.app.tournament_keeper import TournamentKeeper
from ginref.record.envelope import parse_envelope
from ginref.record.setup import Setup
from ginref.tournament.plan import Plan

_SHARED = b'"is_shared":true'


class Embargo:
    """Knows which boards are closed."""

    def __init__(self, tournaments: TournamentKeeper) -> None:
        """Read how far tournaments have come."""
        self._tournaments = tournaments
        # Whoever lists matches asks for many of one tournament.
        self._latest: tuple[Plan, frozenset[tuple[str, int, int]]] | None = None

    async def check(self, caller: Caller, setup: Setup) -> None:
        """Let a caller pass that may see a match.

        Raises:
            RefusedError: BOARD_CLOSED.
        """
        place = setup.place
        if place is not None and place.is_shared and caller.bot not in setup.bots:
            game = place.fixture, place.attempt, place.game
            await self._check(caller, place.tournament, game)

    async def check_record(self, caller: Caller, envelope: bytes) -> None:
        """Let a caller pass that may see a record.

        It opens all cards of the board, so those who have played it must wait, too.

        Raises:
            RefusedError: BOARD_CLOSED.
        """
        payload = parse_envelope(envelope).payload
        if _SHARED not in payload:
            return
        place = json.loads(payload)["match"]["place"]
        if place["is_shared"]:
            game = place["fixture"], place["attempt"], place["game"]
            await self._check(caller, place["tournament"], game)

    async def _check(
        self, caller: Caller, tournament: str, game: tuple[str, int, int]
    ) -> None:
        if caller.role in HOSTS:
            return
        planned = await self._tournaments.plan(await self._tournaments.load(tournament))
        if self._latest is None or self._latest[0] is not planned:
            self._latest = planned, closed_games(planned)
        if game in self._latest[1]:
            raise RefusedError(
                Reason.BOARD_CLOSED,
                "others still play these cards",
                tournament=tournament,
            )
