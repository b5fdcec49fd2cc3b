"""Whose fault it is when a bot fails on this machine, told in a line."""

import contextlib
import sys
import traceback
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

from ginref.engine.seat import Seat
from ginref_client.bot import Bot
from ginref_client.error import ClientError


class BotFailedError(ClientError):
    """A bot that raised, or chose what the rules do not allow.

    The cause is what it raised, or the engine's judgement of its move.

    Attributes:
        seat: The bot's seat.
    """

    def __init__(self, seat: Seat, message: str) -> None:
        """Keep the seat."""
        super().__init__(message)
        self.seat = seat


def make_bots(makers: Sequence[Callable[[], Bot]]) -> list[Bot]:
    """Make the bots of a match, by seat.

    Raises:
        BotFailedError: One of them cannot be made.
    """
    bots = []
    for seat, make in zip(Seat, makers, strict=False):
        with blamed(seat, make, "__init__"):
            bots.append(make())
    return bots


@contextlib.contextmanager
def blamed(seat: Seat, bot: Bot | Callable[[], Bot], hook: str) -> Iterator[None]:
    """Run a method of a bot, and name both in what it may raise.

    Raises:
        BotFailedError: It raised, or tried to end the program.
    """
    try:
        yield
    except (Exception, SystemExit) as error:
        kind = bot if isinstance(bot, type) else type(bot)
        name = getattr(bot, "name", kind.__name__)
        modules = [sys.modules.get(parent.__module__) for parent in kind.__mro__]
        told = describe(error, {getattr(one, "__file__", None) for one in modules})
        raise BotFailedError(seat, f"{name} ({seat}): {hook} raised {told}") from error


def describe(error: BaseException, files: Collection[str | None]) -> str:
    """Return what was raised, and the line of the author's own that led to it.

    Args:
        error: What was raised.
        files: Where the author's code is.
    """
    kind, text = type(error).__name__, " ".join(str(error).split())
    told = f"{kind}: {text}" if text else kind
    own = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename in files
    ]
    if not own:
        return told
    return f"{told} ({Path(own[-1].filename).name}, line {own[-1].lineno})"
