"""Who may come in: tokens, and the owners and bots they speak for."""

import base64
import hashlib
import json
import re
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Final

from ginref.app.caller import Caller, Role
from ginref.app.error import Reason, RefusedError, moment
from ginref.app.port import Chance, Registry
from ginref.app.registry_row import (
    BotRow,
    OwnerRow,
    TokenRow,
    read_bot,
    read_token,
    write_bot,
    write_token,
)

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{1,31}")
_SECRET_SIZE: Final = 32
_SECRET: Final = re.compile(r"gr_[a-z2-7]{52}")
_ID_SIZE: Final = 8
_MEMORY_MS: Final = 2_000
_MEMORY_ROWS: Final = 10_000
_HOSTS: Final = (Role.OPERATOR, Role.ORGANIZER)

# Which roles a caller may hand out: never more than its own.
_GRANTS: Final = {
    Role.OPERATOR: frozenset(Role),
    Role.ORGANIZER: frozenset({Role.BOT, Role.SPECTATOR}),
}


class Gate:
    """Recognises callers, and keeps the rows they are recognised by."""

    def __init__(
        self, registry: Registry, chance: Chance, now_ms: Callable[[], int]
    ) -> None:
        """Work on a registry; `now_ms` is the time that lifetimes are judged by."""
        self._registry = registry
        self._chance = chance
        self._now_ms = now_ms
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
        token, caller = await self._token(_digest(secret))
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

    async def create_owner(self, caller: Caller, name: str) -> OwnerRow:
        """Add an owner; the same name again returns the one that is there.

        Raises:
            RefusedError: ROLE_NOT_ALLOWED, SEAT_NOT_YOURS or NAME_INVALID.
        """
        _require_host(caller, "CreateOwner")
        check_name(name, "name")
        row = OwnerRow(name=name, created_ms=self._now_ms())
        text = json.dumps(asdict(row), sort_keys=True)
        stored = await self._registry.add("owner", name, text)
        return OwnerRow(**json.loads(stored))

    async def list_owners(self, caller: Caller) -> tuple[OwnerRow, ...]:
        """Return all owners by name.

        Raises:
            RefusedError: ROLE_NOT_ALLOWED or SEAT_NOT_YOURS.
        """
        _require_host(caller, "ListOwners")
        rows = await self._registry.rows("owner")
        return tuple(OwnerRow(**json.loads(row)) for row in rows)

    async def create_bot(
        self,
        caller: Caller,
        name: str,
        owner: str,
        *,
        house: bool,
        key: bytes | None = None,
    ) -> BotRow:
        """Add a bot; the same bot again returns the one that is there.

        Raises:
            RefusedError: ROLE_NOT_ALLOWED, SEAT_NOT_YOURS, NAME_INVALID,
                OWNER_NOT_FOUND, or NAME_TAKEN by a bot of another owner or kind,
                or with another key than the one that is given.
        """
        _require_host(caller, "CreateBot")
        check_name(name, "name")
        if await self._registry.get("owner", owner) is None:
            message = f"there is no owner {owner}"
            raise RefusedError(Reason.OWNER_NOT_FOUND, message, owner=owner)
        now_ms = self._now_ms()
        row = BotRow(name=name, owner=owner, house=house, created_ms=now_ms, key=key)
        stored = read_bot(await self._registry.add("bot", name, write_bot(row)))
        is_same_key = key is None or stored.key == key
        if (stored.owner, stored.house) != (owner, house) or not is_same_key:
            message = f"the name {name} belongs to another bot"
            raise RefusedError(Reason.NAME_TAKEN, message, name=name)
        return stored

    async def list_bots(self, caller: Caller) -> tuple[BotRow, ...]:
        """Return all bots by name; every caller may know them."""
        del caller
        return tuple(map(read_bot, await self._registry.rows("bot")))

    async def set_bot_key(self, caller: Caller, name: str | None, key: bytes) -> BotRow:
        """Give a bot its key; the same key again is fine.

        Whoever holds a bot's token can give the first key, and no other: a stolen
        token must not be enough to sign in the bot's name.

        Args:
            caller: A host, or the bot itself.
            name: The bot; None for the caller's own.
            key: The public key, 32 bytes.

        Raises:
            RefusedError: ROLE_NOT_ALLOWED, SEAT_NOT_YOURS, FIELD_MISSING or
                BOT_NOT_FOUND.
        """
        caller.require("SetBotKey", *_HOSTS, Role.BOT)

        def keyed(row: BotRow) -> BotRow:
            if row.key == key:
                return row
            first = (Role.BOT,) if row.key is None else ()
            _require(caller, "SetBotKey", *_HOSTS, *first)
            return replace(row, key=key)

        return await self._change_bot(_own_bot(caller, name), keyed)

    async def set_bot_consent(
        self, caller: Caller, name: str | None, *, accepts_challenges: bool
    ) -> BotRow:
        """Say whether a bot accepts challenges.

        Args:
            caller: A host, or the bot itself.
            name: The bot; None for the caller's own.
            accepts_challenges: Whether it does.

        Raises:
            RefusedError: ROLE_NOT_ALLOWED, SEAT_NOT_YOURS, FIELD_MISSING or
                BOT_NOT_FOUND.
        """
        _require(caller, "SetBotConsent", *_HOSTS, Role.BOT)
        return await self._change_bot(
            _own_bot(caller, name),
            lambda row: replace(row, accepts_challenges=accepts_challenges),
        )

    async def _change_bot(
        self, name: str, change: Callable[[BotRow], BotRow]
    ) -> BotRow:
        while True:
            text = await self._registry.get("bot", name)
            if text is None:
                message = f"there is no bot {name}"
                raise RefusedError(Reason.BOT_NOT_FOUND, message, bot=name)
            row = read_bot(text)
            changed = change(row)
            if changed == row or await self._registry.replace(
                "bot", name, text, write_bot(changed)
            ):
                return changed

    async def create_token(
        self,
        caller: Caller,
        role: Role,
        *,
        bot: str | None,
        match_ids: tuple[str, ...],
        lifetime_ms: int | None,
    ) -> tuple[TokenRow, str]:
        """Make a token; return its row and its secret, which is kept nowhere.

        It works no longer than the caller's own.

        Raises:
            RefusedError: ROLE_NOT_ALLOWED, SEAT_NOT_YOURS, FIELD_MISSING,
                FIELD_INVALID or BOT_NOT_FOUND.
        """
        _require_host(caller, "CreateToken")
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
        expires_ms = caller.expires_ms
        if lifetime_ms is not None:
            wanted_ms = self._now_ms() + lifetime_ms
            expires_ms = min(wanted_ms, expires_ms or wanted_ms)
        return await self._issue(role, bot, match_ids, expires_ms)

    async def issue_operator(self) -> tuple[TokenRow, str]:
        """Make the token of an operator, for whoever starts the referee."""
        return await self._issue(Role.OPERATOR, None, (), None)

    async def admit_operator(self, secret: str) -> bool:
        """Take a token for an operator's, for whoever starts the referee.

        Says whether it was taken: it has the form of those that are issued here, and
        was not known. What has been revoked is not taken up again.
        """
        known = await self._registry.get("token", _digest(secret))
        if known is not None or not _SECRET.fullmatch(secret):
            return False
        await self._issue(Role.OPERATOR, None, (), None, secret)
        return True

    async def list_tokens(self, caller: Caller) -> tuple[TokenRow, ...]:
        """Return the rows of all tokens by identity.

        Raises:
            RefusedError: ROLE_NOT_ALLOWED or SEAT_NOT_YOURS.
        """
        _require_host(caller, "ListTokens")
        return tuple(row for _, row, _ in await self._tokens())

    async def revoke_token(self, caller: Caller, token_id: str) -> TokenRow:
        """Revoke a token; a revoked one stays as it is.

        Raises:
            RefusedError: ROLE_NOT_ALLOWED, SEAT_NOT_YOURS or TOKEN_NOT_FOUND.
        """
        _require_host(caller, "RevokeToken")
        for digest, row, text in await self._tokens():
            if row.token_id != token_id:
                continue
            if row.role not in _GRANTS[caller.role]:
                caller.require("RevokeToken", Role.OPERATOR)
            if row.revoked_ms is not None:
                return row
            revoked = replace(row, revoked_ms=self._now_ms())
            new = write_token(digest, revoked)
            if await self._registry.replace("token", digest, text, new):
                self._known.pop(digest, None)
                return revoked
            # Revoking is the only change a row knows: somebody else did it.
            return await self.revoke_token(caller, token_id)
        message = f"there is no token row {token_id}"
        raise RefusedError(Reason.TOKEN_NOT_FOUND, message, token_id=token_id)

    async def _issue(
        self,
        role: Role,
        bot: str | None,
        match_ids: tuple[str, ...],
        expires_ms: int | None,
        secret: str = "",
    ) -> tuple[TokenRow, str]:
        secret = secret or "gr_" + _text(self._chance.token(_SECRET_SIZE))
        row = TokenRow(
            token_id="t" + _text(self._chance.token(_ID_SIZE)),
            role=role,
            bot=bot,
            match_ids=match_ids,
            created_ms=self._now_ms(),
            expires_ms=expires_ms,
            revoked_ms=None,
        )
        digest = _digest(secret)
        await self._registry.add("token", digest, write_token(digest, row))
        return row, secret

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
            (json.loads(text)["digest"], read_token(text), text)
            for text in await self._registry.rows("token")
        ]
        return sorted(rows, key=lambda row: row[1].token_id)


def check_name(name: str, field: str) -> None:
    """Let a name pass that can be one.

    Raises:
        RefusedError: NAME_INVALID.
    """
    if not _NAME.fullmatch(name):
        raise RefusedError(
            Reason.NAME_INVALID,
            f"{field}: 2 to 32 characters of [a-z0-9._-] expected, "
            "a letter or digit first",
            field=field,
        )


def _require_host(caller: Caller, call: str) -> None:
    _require(caller, call, *_HOSTS)


def _require(caller: Caller, call: str, *roles: Role) -> None:
    """Let some roles pass, if the token is not limited to some matches.

    Owners, bots and tokens belong to every match.

    Raises:
        RefusedError: ROLE_NOT_ALLOWED or SEAT_NOT_YOURS.
    """
    caller.require(call, *roles)
    if caller.match_ids:
        message = f"the token is limited to some matches, and {call} is about all"
        raise RefusedError(Reason.SEAT_NOT_YOURS, message, call=call)


def _own_bot(caller: Caller, name: str | None) -> str:
    """Return the bot that a caller speaks of, if it may change it.

    Raises:
        RefusedError: FIELD_MISSING or SEAT_NOT_YOURS.
    """
    name = name or caller.bot
    if name is None:
        message = "a host names the bot"
        raise RefusedError(Reason.FIELD_MISSING, message, field="name")
    if caller.role is Role.BOT and name != caller.bot:
        message = f"{name} is not a bot of yours"
        raise RefusedError(Reason.SEAT_NOT_YOURS, message)
    return name


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _text(data: bytes) -> str:
    return base64.b32encode(data).decode().rstrip("=").lower()
