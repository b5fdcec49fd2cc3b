"""Matches that a bot asks for: against bots of the house, or others that consent."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from ginref_client.error import ClientError, RefusedError
from ginref_client.fact import FinishedMatch
from ginref_client.referee import Referee
from ginref_client.run import serve
from ginref_client.session import Session

_WRONG_OPPONENT: Final = {"BOT_NOT_FOUND", "CHALLENGE_NOT_ALLOWED"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Challenge:
    """What a bot wants to play.

    Attributes:
        opponent: Name of the other bot; `house/simple` is `house.simple`.
        matches: How many matches, one after the other.
        ruleset: A preset of the rules, for two seats; empty for plain gin.
        clock: A preset of the time rules; empty for the standard one.
    """

    opponent: str
    matches: int = 1
    ruleset: str = ""
    clock: str = ""


async def play_challenge(
    session: Session,
    referee: Referee,
    challenge: Challenge,
    tell: Callable[[Sequence[FinishedMatch]], object],
) -> None:
    """Attach a bot, let it challenge another one, and end when all is played.

    Matches that it is offered by others meanwhile are played as well.

    Args:
        session: The session of the bot, which is not running yet.
        referee: Calls with the bot's token.
        challenge: What is asked for.
        tell: Called after each match with those that are over.

    Raises:
        ClientError: As `Session.run`, or the challenge is refused.
        OSError: As `Session.run`.
    """
    over = asyncio.Event()

    def told(finished: Sequence[FinishedMatch]) -> bool:
        tell(finished)
        over.set()
        return False

    playing = asyncio.create_task(serve(session, told))
    asking = asyncio.create_task(_ask(session, referee, challenge, over))
    try:
        await asyncio.wait({playing, asking}, return_when=asyncio.FIRST_COMPLETED)
        if asking.done():
            asking.result()
            session.stop()
        await playing
    finally:
        for task in (playing, asking):
            task.cancel()
        await asyncio.wait({playing, asking})


async def _ask(
    session: Session, referee: Referee, challenge: Challenge, over: asyncio.Event
) -> None:
    # Nobody is to wait at the table for a bot that cannot attach.
    await session.attached()
    for _ in range(challenge.matches):
        try:
            match = await referee.challenge(
                challenge.opponent.replace("/", "."),
                ruleset=challenge.ruleset,
                clock=challenge.clock,
            )
        except RefusedError as error:
            if error.reason not in _WRONG_OPPONENT:
                raise
            bots = await referee.list_bots()
            names = [one.name for one in bots if one.house or one.accepts_challenges]
            listed = ", ".join(names) or "none"
            raise ClientError(f"{error}; to be challenged: {listed}") from None
        while all(one.match_id != match.match_id for one in session.finished):
            over.clear()
            await over.wait()
