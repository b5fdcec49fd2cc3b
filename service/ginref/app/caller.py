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
        match_ids: Matches it is limited to.
        tournament_ids: Tournaments it is limited to; it reaches what either names, and
            everything if neither names any.
        expires_ms: When the token stops working; None for never.
    """

    token_id: str
    role: Role
    bot: str | None = None
    match_ids: frozenset[str] = frozenset()
    tournament_ids: frozenset[str] = frozenset()
    expires_ms: int | None = None

    @property
    def identity(self) -> str:
        """Who this is across token changes, where that can be told."""
        return f"bot/{self.bot}" if self.bot else f"token/{self.token_id}"

    @property
    def limits(self) -> str:
        """What the token is limited to, as it is logged; nothing if it is not."""
        named = [f"match {one}" for one in sorted(self.match_ids)]
        named += [f"tournament {one}" for one in sorted(self.tournament_ids)]
        return f", limited to {', '.join(named)}" if named else ""

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

    def reaches_match(self, match_id: str, tournament: str | None) -> bool:
        """Say whether the token reaches a match, which may be of a tournament."""
        return match_id in self.match_ids or self.reaches_tournament(tournament)

    def reaches_tournament(self, tournament: str | None) -> bool:
        """Say whether the token reaches a tournament, or what belongs to none."""
        if self.tournament_ids:
            return tournament in self.tournament_ids
        return not self.match_ids
