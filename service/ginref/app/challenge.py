"""Casual play: bots that ask for a match against another one."""

import json
from dataclasses import dataclass
from typing import Final

from ginref.app.caller import Caller, Role
from ginref.app.error import Reason, RefusedError
from ginref.app.opening import Opening
from ginref.app.reach import check_reach
from ginref.app.registry_row import read_bot
from ginref.app.report import MatchFacts
from ginref.app.request import NewMatch
from ginref.app.tools import Tools
from ginref.engine.ruleset import Ruleset
from ginref.record.clock import ClockPolicy
from ginref.record.setup import DealSource

LIVE_MOST: Final = 4
"""Matches of its own making that a bot may have at once."""

STRIKES_ALLOWED: Final = 3

_ROWS: Final = "challenge"
_MAKING_MS: Final = 60_000
"""How long a match may take to be made; one that is not there then never will be."""

_LEAST_MS: Final = 1_000
"""How long a match counts at least, so that no bot fills the archive with matches that
it leaves at once. A client that waits between attempts does not notice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Challenge:
    """A match that a bot asks for.

    Attributes:
        request_id: The bot's identity of the request, 1 to 64 bytes.
        opponent: Name of the other bot.
        ruleset: The rules, for two seats.
        clock: The time rules.
    """

    request_id: str
    opponent: str
    ruleset: Ruleset
    clock: ClockPolicy


class Challenges:
    """Takes challenges by bots."""

    def __init__(self, tools: Tools, opening: Opening) -> None:
        """Make matches through `opening`."""
        self._tools = tools
        self._opening = opening

    async def challenge(self, caller: Caller, asked: Challenge) -> MatchFacts:
        """Make the match of a challenge; the same request gives the same match.

        Raises:
            RefusedError: ROLE_NOT_ALLOWED, BOT_NOT_FOUND, FIELD_INVALID for the bot
                itself, CHALLENGE_NOT_ALLOWED, LIMIT_EXCEEDED, REQUEST_ID_REUSED,
                MATCH_EXPIRED, or SEAT_NOT_YOURS for a token that is limited to other
                matches.
        """
        caller.require("ChallengeBot", Role.BOT)
        challenger = caller.bot or ""
        match_id = await self._opening.match_id(caller, asked.request_id)
        check_reach(caller, match_id)
        store = self._tools.store
        if await store.read(match_id) is None and not await store.has_expired(match_id):
            await self._check_opponent(challenger, asked.opponent)
            await self._take_place(challenger, match_id)
        new = NewMatch(
            request_id=asked.request_id,
            ruleset=asked.ruleset,
            bots=(challenger, asked.opponent),
            clock=asked.clock,
            strikes_allowed=STRIKES_ALLOWED,
            deal_source=DealSource.SHARES,
            seed=None,
        )
        return await self._opening.open(caller, new)

    async def _check_opponent(self, challenger: str, opponent: str) -> None:
        if opponent == challenger:
            message = "a bot does not challenge itself"
            raise RefusedError(Reason.FIELD_INVALID, message, field="opponent")
        text = await self._tools.registry.get("bot", opponent)
        if text is None:
            message = f"there is no bot {opponent}"
            raise RefusedError(Reason.BOT_NOT_FOUND, message, bot=opponent)
        if not read_bot(text).may_be_challenged:
            message = f"{opponent} is not of the house and accepts no challenges"
            raise RefusedError(Reason.CHALLENGE_NOT_ALLOWED, message, opponent=opponent)

    async def _take_place(self, bot: str, match_id: str) -> None:
        """Note a match among those that a bot has made and that go on.

        It is noted before it is made, by compare-and-set, so that no more than
        allowed are made, however many are asked for at once and of how many
        processes.
        """
        registry = self._tools.registry
        while True:
            text = await registry.add(_ROWS, bot, "{}")
            noted: dict[str, int] = json.loads(text)
            live = {
                other: noted_ms
                for other, noted_ms in noted.items()
                if other != match_id and await self._goes_on(other, noted_ms)
            }
            if len(live) >= LIVE_MOST:
                raise RefusedError(
                    Reason.LIMIT_EXCEEDED,
                    f"{LIVE_MOST} matches that {bot} has asked for go on",
                    limit="challenges",
                )
            live[match_id] = self._tools.now_ms()
            row = json.dumps(live, sort_keys=True)
            if await registry.replace(_ROWS, bot, text, row):
                return

    async def _goes_on(self, match_id: str, noted_ms: int) -> bool:
        stored = await self._tools.store.read(match_id)
        age_ms = self._tools.now_ms() - noted_ms
        if stored is None:
            return age_ms < _MAKING_MS
        return not stored.over or age_ms < _LEAST_MS
