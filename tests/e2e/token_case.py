"""Callers that a referee does not know, or knows no more."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from tests.e2e.host import OPERATOR, SEATED, Room

Header = Callable[[Room], Awaitable[str | None]]
"""Returns the metadata that presents a token; None for no such metadata."""

_BOT: Final = SEATED[0]


@dataclass(frozen=True, kw_only=True)
class BadToken:
    """A token that opens nothing.

    Attributes:
        name: What is wrong with it.
        reason: The reason.
        header: Makes the metadata that presents it.
        fact: Name of the one fact that is told, if any.
    """

    name: str
    reason: str
    header: Header
    fact: str | None = None


def _fixed(header: str | None) -> Header:
    async def present(_: Room) -> str | None:
        return header

    return present


async def _basic(room: Room) -> str:
    return f"Basic {room.host.tokens[_BOT]}"


async def _cut(room: Room) -> str:
    return f"Bearer {room.host.tokens[_BOT][:-1]}"


async def _revoked(room: Room) -> str:
    made = await room.make_token(bot=_BOT)
    token_id = made.token.token_id
    await room.registry(OPERATOR, "RevokeToken", token_id=token_id)
    return f"Bearer {made.secret}"


async def _expired(room: Room) -> str:
    return f"Bearer {await room.expired_token(bot=_BOT)}"


TOKENS: Final = [
    BadToken(name="no token", reason="TOKEN_MISSING", header=_fixed(None)),
    BadToken(name="an empty token", reason="TOKEN_MISSING", header=_fixed("Bearer ")),
    BadToken(name="another scheme", reason="TOKEN_MISSING", header=_basic),
    BadToken(name="garbage", reason="TOKEN_UNKNOWN", header=_fixed("Bearer {}'; --")),
    BadToken(name="most of a token", reason="TOKEN_UNKNOWN", header=_cut),
    BadToken(name="a revoked token", reason="TOKEN_REVOKED", header=_revoked),
    BadToken(
        name="an expired token",
        reason="TOKEN_EXPIRED",
        header=_expired,
        fact="expire_time",
    ),
]
"""Tokens that open nothing, with any call."""
