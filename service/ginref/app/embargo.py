"""Keeps matches from the public whose cards others still have to play.

Where all tables of a round get the same cards, nothing of a board is told before the
last of them has closed it: neither moves nor score, and no record.
"""

import json

from ginref.app.caller import HOSTS, Caller
from ginref.app.error import Reason, RefusedError
from ginref.app.tournament_embargo import closed_fixtures
from ginref.app.tournament_keeper import TournamentKeeper
from ginref.record.envelope import parse_envelope
from ginref.record.setup import Setup

_SHARED = b'"is_shared":true'


class Embargo:
    """Knows which boards are closed."""

    def __init__(self, tournaments: TournamentKeeper) -> None:
        """Read how far tournaments have come."""
        self._tournaments = tournaments

    async def check(self, caller: Caller, setup: Setup) -> None:
        """Let a caller pass that may see a match.

        Raises:
            RefusedError: BOARD_CLOSED.
        """
        place = setup.place
        if place is not None and place.is_shared and caller.bot not in setup.bots:
            await self._check(caller, place.tournament, (place.fixture, place.attempt))

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
            fixture = place["fixture"], place["attempt"]
            await self._check(caller, place["tournament"], fixture)

    async def _check(
        self, caller: Caller, tournament: str, fixture: tuple[str, int]
    ) -> None:
        if caller.role in HOSTS:
            return
        planned = await self._tournaments.plan(await self._tournaments.load(tournament))
        if fixture in closed_fixtures(planned):
            raise RefusedError(
                Reason.BOARD_CLOSED,
                "other tables still play these cards",
                tournament=tournament,
            )
