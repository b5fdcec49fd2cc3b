"""Who calls, and what the role allows."""

import enum
from dataclasses import dataclass
from typing import Final

from ginref.app.error import Reason, RefusedError


class Role(enum.StrEnum):
    """What a caller may do."""

    OPERATOR = "operator"
    ORGANIZER = "organizer"
    BOT = "bot"
    SPECTATOR = "spectator"


HOSTS: Final = (Role.OPERATOR, Role.ORGANIZER)
"""Whoever runs matches and tournaments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Somebody whose token was recognised.

    Attributes:
        token_id: Identity of the token's row.
        role: What it allows.
        bot: The bot it plays as; set exactly for a bot's role.
        match_ids: Matches it is limited to; empty for all.
        expires_ms: When the token stops working; None for never.
    """

    token_id: str
    role: Role
    bot: str | None = None
    match_ids: frozenset[str] = frozenset()
    expires_ms: int | None = None

    @property
    def identity(self) -> str:
        """Who this is across token changes, where that can be told."""
        return f"bot/{self.bot}" if self.bot else f"token/{self.token_id}"

    def require(self, call: str, *roles: Role) -> None:
        """Let only some roles pass.

        Raises:
            RefusedError: ROLE_NOT_ALLOWED.
        """
        if self.role not in roles:
            raise RefusedError(
                Reason.ROLE_NOT_ALLOWED,
                f"{call} is not for the role {self.role}",
                role=self.role,
                call=call,
            )

    def may_see(self, match_id: str) -> bool:
        """Say whether the token reaches a match."""
        return not self.match_ids or match_id in self.match_ids
