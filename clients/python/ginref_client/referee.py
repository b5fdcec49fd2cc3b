"""The referee's calls for programs that run matches: create, watch, abort, register.

Calls that may be repeated are, under the same request id, when it is unknown whether
they arrived. Answers are the messages of the API.
"""

import secrets
from collections.abc import AsyncIterator, Sequence
from typing import Final

from ginref.engine.error import RulesetError
from ginref.engine.ruleset import PRESETS, Ruleset
from ginref.engine.seat import Seat
from ginref.record.public_key import PublicKeyError, read_jwks
from ginref.v1 import match_pb2, referee_service_pb2, ruleset_pb2
from ginref.v1.referee_service_pb2_grpc import RefereeServiceStub
from ginref_client.error import ProtocolError
from ginref_client.registry import Registry
from ginref_client.tournament import Tournaments
from ginref_client.wire import seat_to_wire

_PAGE: Final = 200


class Referee(Registry, Tournaments):
    """A referee, as organizers and spectators see it."""

    async def create_match(  # noqa: PLR0913
        self,
        bots: Sequence[str],
        *,
        ruleset: str | Ruleset = "gin",
        clock: str = "",
        strikes_allowed: int | None = None,
        seed: str | None = None,
        receipts: bool = False,
        request_id: str | None = None,
    ) -> match_pb2.Match:
        """Create a match between bots, by seat, and offer its seats.

        Args:
            bots: Names of the bots.
            ruleset: A preset, or a preset with options changed.
            clock: A preset of the time rules; empty for the standard one.
            strikes_allowed: Illegal moves allowed to each seat; None for three.
            seed: Seed of the deals, on referees that allow it; None for fair deals.
            receipts: Acknowledge every submission by a signed receipt.
            request_id: Identity of this request; None makes one.

        Raises:
            RefusedError: The referee refuses the match.
            UnavailableError: No referee answered.
        """
        request = referee_service_pb2.CreateMatchRequest(
            request_id=request_id or secrets.token_hex(16),
            ruleset=_ruleset_choice(ruleset),
            bots=bots,
            clock_preset=clock,
            strikes_allowed=strikes_allowed,
            seed=seed,
            receipts=receipts,
        )
        if seed is not None:
            request.deal_source = match_pb2.DEAL_SOURCE_SEEDED
        answer = await self._ask(
            lambda channel: RefereeServiceStub(channel).CreateMatch, request
        )
        return answer.match

    async def challenge(
        self,
        opponent: str,
        *,
        ruleset: str = "",
        clock: str = "",
        request_id: str | None = None,
    ) -> match_pb2.Match:
        """Ask for a match of the bot that the token names against another one.

        Args:
            opponent: A bot of the house, or one that accepts challenges.
            ruleset: A preset of the rules, for two seats; empty for plain gin.
            clock: A preset of the time rules; empty for the standard one.
            request_id: Identity of this request; None makes one.

        Raises:
            RefusedError: There is no such bot, or it may not be challenged.
            UnavailableError: No referee answered, or too many matches that the bot
                has asked for go on.
        """
        request = referee_service_pb2.ChallengeBotRequest(
            request_id=request_id or secrets.token_hex(16),
            opponent=opponent,
            ruleset_preset=ruleset,
            clock_preset=clock,
        )
        answer = await self._ask(
            lambda channel: RefereeServiceStub(channel).ChallengeBot, request
        )
        return answer.match

    async def get_match(self, match_id: str) -> referee_service_pb2.GetMatchResponse:
        """Return a match as the caller may see it.

        Raises:
            RefusedError: There is no such match.
            UnavailableError: No referee answered.
        """
        request = referee_service_pb2.GetMatchRequest(match_id=match_id)
        return await self._ask(
            lambda channel: RefereeServiceStub(channel).GetMatch, request
        )

    async def list_matches(self, bot: str = "") -> AsyncIterator[match_pb2.Match]:
        """Yield matches, newest first; of one bot, or all.

        Raises:
            RefusedError: There is no such bot.
            UnavailableError: No referee answered.
        """
        request = referee_service_pb2.ListMatchesRequest(bot=bot, page_size=_PAGE)
        while True:
            page = await self._ask(
                lambda channel: RefereeServiceStub(channel).ListMatches, request
            )
            for match in page.matches:
                yield match
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    async def resign(self, match_id: str, seat: Seat) -> match_pb2.Match:
        """Resign a match for a seat of the caller's.

        Raises:
            RefusedError: The match is over, or the seat another's.
            UnavailableError: No referee answered.
        """
        request = referee_service_pb2.ResignMatchRequest(
            match_id=match_id, seat=seat_to_wire(seat)
        )
        answer = await self._ask(
            lambda channel: RefereeServiceStub(channel).ResignMatch, request
        )
        return answer.match

    async def abort(self, match_id: str) -> match_pb2.Match:
        """End a match without a winner.

        Raises:
            RefusedError: The match is over, or the caller no organizer.
            UnavailableError: No referee answered.
        """
        request = referee_service_pb2.AbortMatchRequest(match_id=match_id)
        answer = await self._ask(
            lambda channel: RefereeServiceStub(channel).AbortMatch, request
        )
        return answer.match

    async def record(self, match_id: str) -> bytes:
        """Return the signed record of a match that is over, as it was signed.

        Raises:
            RefusedError: `RECORD_NOT_READY` while it is not there.
            UnavailableError: No referee answered.
        """
        request = referee_service_pb2.GetMatchRecordRequest(match_id=match_id)
        answer = await self._ask(
            lambda channel: RefereeServiceStub(channel).GetMatchRecord, request
        )
        return answer.envelope

    async def public_keys(self) -> dict[str, bytes]:
        """Return the keys that the referee signs with, and has signed with, by name.

        Raises:
            ProtocolError: The answer is no set of keys.
            RefusedError: The caller may not.
            UnavailableError: No referee answered.
        """
        request = referee_service_pb2.GetPublicKeysRequest()
        answer = await self._ask(
            lambda channel: RefereeServiceStub(channel).GetPublicKeys, request
        )
        try:
            return read_jwks(answer.jwks)
        except PublicKeyError as error:
            raise ProtocolError("jwks", str(error)) from error

    async def watch(
        self, match_id: str, cursor: str = ""
    ) -> AsyncIterator[referee_service_pb2.WatchMatchResponse]:
        """Follow a match until it is over; a lost stream goes on where it was.

        Args:
            match_id: The match.
            cursor: Where to go on; empty to start with the state now.

        Raises:
            RefusedError: There is no such match.
            UnavailableError: No referee answered, so often as calls are tried.
        """
        request = referee_service_pb2.WatchMatchRequest(
            match_id=match_id, cursor=cursor
        )

        def seen(step: referee_service_pb2.WatchMatchResponse) -> None:
            request.cursor = step.cursor

        async for step in self._follow(
            lambda channel: RefereeServiceStub(channel).WatchMatch, request, seen
        ):
            yield step


def _ruleset_choice(ruleset: str | Ruleset) -> ruleset_pb2.RulesetChoice:
    """Write rules as a preset and what differs from it.

    Raises:
        RulesetError: They differ in what cannot be sent: a switch that is off.
    """
    if isinstance(ruleset, str):
        return ruleset_pb2.RulesetChoice(preset=ruleset)
    choice = ruleset_pb2.RulesetChoice(preset=ruleset.name)
    asked = ruleset.to_dict()
    base = PRESETS.get(ruleset.name, Ruleset(name=ruleset.name)).to_dict()
    changes = {key: value for key, value in asked.items() if value != base[key]}
    for key, value in changes.items():
        if value is None or key in {"name", "version"}:
            raise RulesetError(key, "cannot be changed from the preset")
        setattr(choice.changes, key, value)
    return choice
