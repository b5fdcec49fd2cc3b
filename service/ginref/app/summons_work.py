"""Calls of tournaments to an attached bot, and its answers.

A bot is called to check in, and later to reveal the share that it has committed to. It
is called again as long as it is awaited: what it answers counts once.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ginref.app.caller import Caller
from ginref.app.error import RefusedError
from ginref.app.message import Message, Problem, Summoned
from ginref.app.request import Commit, Reveal
from ginref.app.tools import Tools
from ginref.app.tournament_desk import TournamentDesk
from ginref.app.tournament_report import Asking, Head, SummonsKind
from ginref.tournament.operation import CheckIn, RevealShare

_AGAIN_SECONDS: Final = 4.0
"""How long a bot may take to answer before it is called again."""

_ID_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class SummonsAnswer:
    """What a bot answers a tournament: a commitment, or the share itself."""

    tournament: str
    step: Commit | Reveal


class SummonsWork:
    """What one attachment of a bot is asked by tournaments."""

    def __init__(
        self,
        desk: TournamentDesk | None,
        tools: Tools,
        caller: Caller,
        emit: Callable[[Message], None],
    ) -> None:
        """Call a bot through `emit`; without a desk there are no tournaments."""
        self._desk = desk
        self._tools = tools
        self._caller = caller
        self._emit = emit
        self._asked: dict[tuple[str, SummonsKind], float] = {}
        self._turn = asyncio.Lock()

    async def heads(self) -> tuple[Head, ...]:
        """Return the heads of the tournaments that the bot has entered, and reaches.

        Raises:
            StoreUnavailableError: Nothing can be told now.
        """
        if self._desk is None:
            return ()
        heads = await self._desk.heads(self._caller.bot or "")
        return tuple(one for one in heads if self._reaches(one.tournament))

    def _reaches(self, tournament: str) -> bool:
        return self._caller.reaches_tournament(tournament)

    async def call(self) -> None:
        """Tell the bot what it is asked for, if it was not told just now.

        Raises:
            StoreUnavailableError: Nothing can be told now.
        """
        if self._desk is None:
            return
        # One at a time: a head that is read later must not be told before.
        async with self._turn:
            for summons in await self._desk.summons(self._caller.bot or ""):
                if not self._reaches(summons.tournament):
                    continue
                now, key = self._tools.monotonic(), (summons.tournament, summons.kind)
                asked = self._asked.get(key)
                if asked is None or now - asked >= _AGAIN_SECONDS:
                    self._asked[key] = now
                    self._emit(Summoned(summons))

    async def answer(self, answer: SummonsAnswer, received: float) -> None:
        """Pass on what the bot answers; a refusal is a `Problem`.

        Args:
            answer: The answer.
            received: When it came, by the monotonic clock in seconds.

        Raises:
            StoreUnavailableError: Whether it counts is unknown.
        """
        if self._desk is None:
            return
        bot, tournament = self._caller.bot or "", answer.tournament
        operation: CheckIn | RevealShare
        if isinstance(answer.step, Commit):
            asked = self._asked.get((tournament, SummonsKind.COMMITMENT))
            latency_ms = None if asked is None else round((received - asked) * 1000)
            share = answer.step.commitment
            commitment = None if share is None else share.hex()
            operation = CheckIn(bot=bot, latency=latency_ms, commitment=commitment)
        else:
            operation = RevealShare(bot=bot, share=answer.step.share.hex())
        # Answered twice, it counts once by what it says, and not by its identity.
        asking = Asking(request_id=self._tools.chance.token(_ID_BYTES).hex())
        try:
            await self._desk.change(self._caller, tournament, operation, asking)
        except RefusedError as error:
            self._emit(Problem(error=error))
