"""Owners and bots: who there is to play, and who may say so."""

from collections.abc import Callable
from dataclasses import replace

from ginref.app.caller import HOSTS, Caller, Role
from ginref.app.error import Reason, RefusedError
from ginref.app.port import Registry
from ginref.app.reach import require_reach
from ginref.app.registry_row import (
    BotRow,
    OwnerRow,
    read_bot,
    read_owner,
    write_bot,
    write_owner,
)
from ginref.tournament.name import is_name


class Membership:
    """Keeps the rows of owners and bots."""

    def __init__(self, registry: Registry, now_ms: Callable[[], int]) -> None:
        """Work on a registry; `now_ms` says when something was added."""
        self._registry = registry
        self._now_ms = now_ms

    async def create_owner(self, caller: Caller, name: str) -> OwnerRow:
        """Add an owner; the same name again returns the one that is there.

        Raises:
            RefusedError: ROLE_NOT_ALLOWED, SEAT_NOT_YOURS or NAME_INVALID.
        """
        require_host(caller, "CreateOwner")
        check_name(name, "name")
        row = OwnerRow(name=name, created_ms=self._now_ms())
        return read_owner(await self._registry.add("owner", name, write_owner(row)))

    async def list_owners(self, caller: Caller) -> tuple[OwnerRow, ...]:
        """Return all owners by name.

        Raises:
            RefusedError: ROLE_NOT_ALLOWED or SEAT_NOT_YOURS.
        """
        require_host(caller, "ListOwners")
        rows = await self._registry.rows("owner")
        return tuple(map(read_owner, rows))

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
        require_host(caller, "CreateBot")
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
        caller.require("SetBotKey", *HOSTS, Role.BOT)

        def keyed(row: BotRow) -> BotRow:
            if row.key == key:
                return row
            first = (Role.BOT,) if row.key is None else ()
            require_reach(caller, "SetBotKey", *HOSTS, *first)
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
        require_reach(caller, "SetBotConsent", *HOSTS, Role.BOT)
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


def check_name(name: str, field: str) -> None:
    """Let a name pass that can be one.

    Raises:
        RefusedError: NAME_INVALID.
    """
    if not is_name(name):
        raise RefusedError(
            Reason.NAME_INVALID,
            f"{field}: 2 to 32 characters of [a-z0-9._-] expected, "
            "a letter or digit first",
            field=field,
        )


def require_host(caller: Caller, call: str) -> None:
    """Let hosts pass, if their token is not limited: owners and bots belong to all.

    Raises:
        RefusedError: ROLE_NOT_ALLOWED or SEAT_NOT_YOURS.
    """
    require_reach(caller, call, *HOSTS)


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
