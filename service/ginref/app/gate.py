"""Who may come in: tokens, and the owners and bots they speak for."""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from ginref.app.caller import Caller, Role
from ginref.app.error import Reason, RefusedError, moment
from ginref.app.invitation import Invitations
from ginref.app.membership import Membership, require_host
from ginref.app.port import Chance, Registry
from ginref.app.registry_row import (
    Grant,
    TokenRow,
    digest_of,
    is_secret,
    plain_text,
    read_digest,
    read_token,
    secret_of,
    write_token,
)

_SECRET_SIZE: Final = 32
_ID_SIZE: Final = 8
_MEMORY_MS: Final = 2_000
_MEMORY_ROWS: Final = 10_000

# Which roles a caller may hand out: never more than its own.
_GRANTS: Final = {
    Role.OPERATOR: frozenset(Role),
    Role.ORGANIZER: frozenset({Role.BOT, Role.SPECTATOR}),
}


class Gate(Membership):
    """Recognises callers, and keeps the rows they are recognised by.

    Attributes:
        invitations: Codes that make bots, and tokens for them.
    """

    def __init__(
        self,
        registry: Registry,
        chance: Chance,
        now_ms: Callable[[], int],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Work on a registry.

        Args:
            registry: Where the rows are.
            chance: Where secrets come from.
            now_ms: The time that lifetimes are judged by.
            monotonic: Tells seconds.
        """
        super().__init__(registry, now_ms)
        self._chance = chance
        self.invitations: Final = Invitations(
            registry, chance, now_ms, self._issue, monotonic
        )
        self._known: OrderedDict[str, tuple[int, TokenRow, Caller]] = OrderedDict()

    async def authenticate(self, secret: str | None) -> Caller:
        """Return who bears a token.

        A row is remembered for two seconds, so that is how long a token may still
        work here after another process has revoked it.

        Raises:
            RefusedError: TOKEN_MISSING, TOKEN_UNKNOWN, TOKEN_EXPIRED or
                TOKEN_REVOKED.
        """
        if not secret:
            message = "a bearer token is needed"
            raise RefusedError(Reason.TOKEN_MISSING, message)
        token, caller = await self._token(digest_of(secret))
        if token.revoked_ms is not None:
            message = "the token has been revoked"
            raise RefusedError(Reason.TOKEN_REVOKED, message)
        if token.expires_ms is not None and self._now_ms() >= token.expires_ms:
            raise RefusedError(
                Reason.TOKEN_EXPIRED,
                "the token's lifetime is over",
                expire_time=moment(token.expires_ms),
            )
        return caller

    async def create_token(
        self,
        caller: Caller,
        grant: Grant,
        lifetime_ms: int | None = None,
    ) -> tuple[TokenRow, str]:
        """Make a token; return its row and its secret, which is kept nowhere.

        It works no longer than the caller's own.

        Raises:
            RefusedError: ROLE_NOT_ALLOWED, SEAT_NOT_YOURS, FIELD_MISSING,
                FIELD_INVALID or BOT_NOT_FOUND.
        """
        role, bot = grant.role, grant.bot
        require_host(caller, "CreateToken")
        if role not in _GRANTS[caller.role]:
            raise RefusedError(
                Reason.ROLE_NOT_ALLOWED,
                f"the role {caller.role} may not hand out the role {role}",
                role=caller.role,
                call="CreateToken",
            )
        if role is Role.BOT and bot is None:
            message = "a bot's token names its bot"
            raise RefusedError(Reason.FIELD_MISSING, message, field="bot")
        if role is not Role.BOT and bot is not None:
            message = f"a token for the role {role} names no bot"
            raise RefusedError(Reason.FIELD_INVALID, message, field="bot")
        if bot is not None and await self._registry.get("bot", bot) is None:
            message = f"there is no bot {bot}"
            raise RefusedError(Reason.BOT_NOT_FOUND, message, bot=bot)
        return await self._issue(grant, self._expiry(caller, lifetime_ms))

    async def issue_operator(self) -> tuple[TokenRow, str]:
        """Make the token of an operator, for whoever starts the referee."""
        return await self._issue(Grant(role=Role.OPERATOR), None)

    async def admit_operator(self, secret: str) -> bool:
        """Take a token for an operator's, for whoever starts the referee.

        Says whether it was taken: it has the form of those that are issued here, and
        was not known. What has been revoked is not taken up again.
        """
        known = await self._registry.get("token", digest_of(secret))
        if known is not None or not is_secret(secret):
            return False
        await self._issue(Grant(role=Role.OPERATOR), None, secret)
        return True

    async def list_tokens(self, caller: Caller) -> tuple[TokenRow, ...]:
        """Return the rows of all tokens by identity.

        Raises:
            RefusedError: ROLE_NOT_ALLOWED or SEAT_NOT_YOURS.
        """
        require_host(caller, "ListTokens")
        return tuple(row for _, row, _ in await self._tokens())

    async def rotate_token(
        self,
        caller: Caller,
        token_id: str,
        *,
        lifetime_ms: int | None,
        overlap_ms: int,
    ) -> tuple[TokenRow, str, TokenRow]:
        """Make a token in place of another one, which works for a while yet.

        Args:
            caller: A host.
            token_id: The token to replace. One that has expired is renewed.
            lifetime_ms: How long the new one works; None for as long as the other
                one did when it was made.
            overlap_ms: How long the other one goes on working.

        Returns:
            The new row, its secret, and the other row as it is now.

        Raises:
            RefusedError: ROLE_NOT_ALLOWED, SEAT_NOT_YOURS, or TOKEN_NOT_FOUND, also
                if it has been revoked.
        """
        _, row, _ = await self._held(caller, token_id, "RotateToken")
        if row.revoked_ms is not None:
            message = f"the token {token_id} has been revoked: make another one"
            raise RefusedError(Reason.TOKEN_NOT_FOUND, message, token_id=token_id)
        if lifetime_ms is None and row.expires_ms is not None:
            lifetime_ms = row.expires_ms - row.created_ms
        # First of all: whoever fails after this has a token that works.
        expires_ms = self._expiry(caller, lifetime_ms)
        made, secret = await self._issue(row, expires_ms)
        end_ms = self._now_ms() + overlap_ms
        while True:
            digest, row, text = await self._held(caller, token_id, "RotateToken")
            if row.revoked_ms is not None:
                return made, secret, row
            ending = replace(row, expires_ms=min(end_ms, row.expires_ms or end_ms))
            if await self._change(digest, text, ending):
                return made, secret, ending

    async def revoke_token(self, caller: Caller, token_id: str) -> TokenRow:
        """Revoke a token; a revoked one stays as it is.

        Raises:
            RefusedError: ROLE_NOT_ALLOWED, SEAT_NOT_YOURS or TOKEN_NOT_FOUND.
        """
        while True:
            digest, row, text = await self._held(caller, token_id, "RevokeToken")
            if row.revoked_ms is not None:
                return row
            revoked = replace(row, revoked_ms=self._now_ms())
            if await self._change(digest, text, revoked):
                return revoked

    async def _held(
        self, caller: Caller, token_id: str, call: str
    ) -> tuple[str, TokenRow, str]:
        """Return digest, row and stored text of a token that a caller may change.

        Raises:
            RefusedError: ROLE_NOT_ALLOWED, SEAT_NOT_YOURS or TOKEN_NOT_FOUND.
        """
        require_host(caller, call)
        for held in await self._tokens():
            if held[1].token_id == token_id:
                if held[1].role not in _GRANTS[caller.role]:
                    caller.require(call, Role.OPERATOR)
                return held
        message = f"there is no token row {token_id}"
        raise RefusedError(Reason.TOKEN_NOT_FOUND, message, token_id=token_id)

    async def _change(self, digest: str, text: str, row: TokenRow) -> bool:
        """Change a token's row, unless somebody else did; say whether it was done."""
        new = write_token(digest, row)
        done = await self._registry.replace("token", digest, text, new)
        if done:
            self._known.pop(digest, None)
        return done

    def _expiry(self, caller: Caller, lifetime_ms: int | None) -> int | None:
        """Return when a token ends that a caller makes: never after its own."""
        if lifetime_ms is None:
            return caller.expires_ms
        wanted_ms = self._now_ms() + lifetime_ms
        return min(wanted_ms, caller.expires_ms or wanted_ms)

    async def _issue(
        self,
        grant: Grant,
        expires_ms: int | None,
        secret: str = "",
    ) -> tuple[TokenRow, str]:
        secret = secret or secret_of(self._chance.token(_SECRET_SIZE))
        row = TokenRow(
            token_id="t" + plain_text(self._chance.token(_ID_SIZE)),
            role=grant.role,
            bot=grant.bot,
            match_ids=grant.match_ids,
            tournament_ids=grant.tournament_ids,
            created_ms=self._now_ms(),
            expires_ms=expires_ms,
            revoked_ms=None,
        )
        digest = digest_of(secret)
        stored = await self._registry.add("token", digest, write_token(digest, row))
        return read_token(stored), secret

    async def _token(self, digest: str) -> tuple[TokenRow, Caller]:
        """Return a token's row, not older than it may be, and who bears it.

        Raises:
            RefusedError: TOKEN_UNKNOWN.
        """
        now_ms = self._now_ms()
        known = self._known.get(digest)
        if known is not None and 0 <= now_ms - known[0] < _MEMORY_MS:
            return known[1:]
        row = await self._registry.get("token", digest)
        if row is None:
            self._known.pop(digest, None)
            message = "the token is not one of this referee's"
            raise RefusedError(Reason.TOKEN_UNKNOWN, message)
        token = read_token(row)
        caller = Caller(
            token_id=token.token_id,
            role=token.role,
            bot=token.bot,
            match_ids=frozenset(token.match_ids),
            tournament_ids=frozenset(token.tournament_ids),
            expires_ms=token.expires_ms,
        )
        self._known[digest] = now_ms, token, caller
        self._known.move_to_end(digest)
        while len(self._known) > _MEMORY_ROWS:
            self._known.popitem(last=False)
        return token, caller

    async def _tokens(self) -> list[tuple[str, TokenRow, str]]:
        """Return digest, row and stored text of every token, by identity."""
        rows = [
            (read_digest(text), read_token(text), text)
            for text in await self._registry.rows("token")
        ]
        return sorted(rows, key=lambda row: row[1].token_id)
