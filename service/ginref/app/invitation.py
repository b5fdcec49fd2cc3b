"""Invitations: codes by which strangers bring a bot, each for a token of its own.

A code is 100 random bits, kept as its digest only. It brings a bounded number of bots,
for a bounded time, and never hands out a token for a bot that is there already. The
same request gets the same token again, so that an answer may be lost on its way.
"""

import hashlib
import hmac
import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final

from ginref.app.caller import Caller, Role
from ginref.app.error import Reason, RefusedError, moment
from ginref.app.membership import check_name, require_host
from ginref.app.port import Chance, Registry
from ginref.app.registry_row import (
    BotRow,
    Grant,
    InvitationRow,
    Joining,
    OwnerRow,
    TokenRow,
    digest_of,
    plain_text,
    read_bot,
    read_digest,
    read_invitation,
    read_owner,
    secret_of,
    write_bot,
    write_invitation,
    write_owner,
)
from ginref.tournament.configuration import HOUSE

_KIND: Final = "invitation"
_CODE_SIZE: Final = 20
_GROUP: Final = 4
_CODE: Final = re.compile(rf"[a-z2-7]{{{_CODE_SIZE}}}")
_ENTROPY_SIZE: Final = 13
_ID_SIZE: Final = 8
_SALT_SIZE: Final = 32

WRONG_MOST: Final = 100
"""Wrong codes that one process looks up at once."""

WRONG_PER_SECOND: Final = 50
"""Wrong codes that one process looks up in a second after that."""

Issue = Callable[[Grant, int | None, str], Awaitable[tuple[TokenRow, str]]]
"""Makes a token for something, with an end and a secret."""


class Invitations:
    """Makes codes, and lets bots in by them."""

    def __init__(
        self,
        registry: Registry,
        chance: Chance,
        now_ms: Callable[[], int],
        issue: Issue,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Work on a registry.

        Args:
            registry: Where the rows are.
            chance: Where codes come from.
            now_ms: The time that lifetimes are judged by.
            issue: Makes tokens.
            monotonic: Tells seconds.
        """
        self._registry = registry
        self._chance = chance
        self._now_ms = now_ms
        self._issue = issue
        self._guesses = _Guesses(monotonic)

    async def create(
        self, caller: Caller, *, owner: str | None, uses: int, lifetime_ms: int
    ) -> tuple[InvitationRow, str]:
        """Make an invitation; return its row and its code, which is kept nowhere.

        Args:
            caller: A host. Neither the invitation nor the tokens it brings outlive
                the caller's own token.
            owner: Owner of the bots; None makes one for each, of its name.
            uses: Most bots.
            lifetime_ms: How long it works.

        Raises:
            RefusedError: ROLE_NOT_ALLOWED, SEAT_NOT_YOURS or OWNER_NOT_FOUND.
        """
        require_host(caller, "CreateInvitation")
        if owner is not None and await self._registry.get("owner", owner) is None:
            message = f"there is no owner {owner}"
            raise RefusedError(Reason.OWNER_NOT_FOUND, message, owner=owner)
        now_ms = self._now_ms()
        end_ms = now_ms + lifetime_ms
        row = InvitationRow(
            invitation_id="i" + plain_text(self._chance.token(_ID_SIZE)),
            owner=owner,
            uses=uses,
            salt=self._chance.token(_SALT_SIZE),
            created_ms=now_ms,
            expires_ms=min(end_ms, caller.expires_ms or end_ms),
            tokens_expire_ms=caller.expires_ms,
        )
        code = plain_text(self._chance.token(_ENTROPY_SIZE))[:_CODE_SIZE]
        digest = digest_of(code)
        await self._registry.add(_KIND, digest, write_invitation(digest, row))
        return row, "-".join(
            code[at : at + _GROUP] for at in range(0, _CODE_SIZE, _GROUP)
        )

    async def list(self, caller: Caller) -> tuple[InvitationRow, ...]:
        """Return the rows of all invitations by time.

        Raises:
            RefusedError: ROLE_NOT_ALLOWED or SEAT_NOT_YOURS.
        """
        require_host(caller, "ListInvitations")
        rows = map(read_invitation, await self._registry.rows(_KIND))
        return tuple(sorted(rows, key=lambda row: (row.created_ms, row.invitation_id)))

    async def end(self, caller: Caller, invitation_id: str) -> InvitationRow:
        """End an invitation now; whoever came by it stays.

        Raises:
            RefusedError: ROLE_NOT_ALLOWED, SEAT_NOT_YOURS or INVITATION_NOT_FOUND.
        """
        require_host(caller, "EndInvitation")
        while True:
            for text in await self._registry.rows(_KIND):
                row = read_invitation(text)
                if row.invitation_id == invitation_id:
                    break
            else:
                message = f"there is no invitation {invitation_id}"
                raise RefusedError(Reason.INVITATION_NOT_FOUND, message)
            now_ms = self._now_ms()
            if row.expires_ms <= now_ms:
                return row
            ended = replace(row, expires_ms=now_ms)
            if await self._replace(read_digest(text), text, ended):
                return ended

    async def redeem(
        self, code: str, bot: str, request_id: str
    ) -> tuple[BotRow, TokenRow, str]:
        """Let a new bot in by a code; the same request again gets the same token.

        Anybody may ask. While many codes are wrong, some are not looked at. Nobody
        gets a name of the house.

        Args:
            code: The code, with or without dashes.
            bot: The name that it is to have.
            request_id: Identity of the request, which nobody else can guess.

        Returns:
            The bot, the row of its token, and the token's secret.

        Raises:
            RefusedError: NAME_INVALID, NAME_TAKEN, INVITATION_NOT_FOUND,
                INVITATION_EXPIRED, INVITATION_USED_UP or LIMIT_EXCEEDED.
        """
        check_name(bot, "bot")
        code = code.strip().lower().replace("-", "")
        row, joining = await self._join(code, bot, digest_of(request_id))
        owner = row.owner or bot
        if row.owner is None:
            owner_row = OwnerRow(name=owner, created_ms=joining.joined_ms)
            stored = await self._registry.add("owner", owner, write_owner(owner_row))
            _check_own(read_owner(stored) == owner_row, bot)
        bot_row = BotRow(
            name=bot, owner=owner, house=False, created_ms=joining.joined_ms
        )
        kept = read_bot(await self._registry.add("bot", bot, write_bot(bot_row)))
        # Its key and its consent may have changed since.
        is_own = (kept.owner, kept.created_ms) == (owner, joining.joined_ms)
        _check_own(is_own, bot)
        # From the store alone nobody can derive it, and from the code alone neither.
        said = f"ginref/invitation/v1\n{code}\n{bot}\n{request_id}"
        derived = hmac.digest(row.salt, said.encode(), hashlib.sha256)
        grant = Grant(role=Role.BOT, bot=bot)
        token, secret = await self._issue(
            grant, row.tokens_expire_ms, secret_of(derived)
        )
        return kept, token, secret

    async def _join(
        self, code: str, bot: str, request: str
    ) -> tuple[InvitationRow, Joining]:
        """Take one use of an invitation, or find the one that was taken before.

        Raises:
            RefusedError: As `redeem`.
        """
        digest = digest_of(code)
        text = await self._look_up(code, digest)
        while text is not None:
            row = read_invitation(text)
            for joining in row.joined:
                if (joining.bot, joining.request) == (bot, request):
                    return row, joining
            now_ms = self._now_ms()
            _check_open(row, now_ms)
            await self._check_free(bot, row.owner)
            joining = Joining(bot=bot, request=request, joined_ms=now_ms)
            taken = replace(row, joined=(*row.joined, joining))
            if await self._replace(digest, text, taken):
                return taken, joining
            text = await self._registry.get(_KIND, digest)
        message = "there is no invitation with this code"
        raise RefusedError(Reason.INVITATION_NOT_FOUND, message)

    async def _look_up(self, code: str, digest: str) -> str | None:
        """Return the stored row of a code; what cannot be a code costs no look-up.

        Raises:
            RefusedError: LIMIT_EXCEEDED.
        """
        if not _CODE.fullmatch(code):
            return None
        # Before the look-up: many may be under way at once.
        self._guesses.take()
        text = await self._registry.get(_KIND, digest)
        if text is not None:
            self._guesses.give_back()
        return text

    async def _check_free(self, bot: str, owner: str | None) -> None:
        """Let a name pass that nobody has, and that is not the house's.

        Raises:
            RefusedError: NAME_TAKEN.
        """
        for name in (bot, owner or bot):
            _check_own(name != HOUSE and not name.startswith(f"{HOUSE}."), name)
        _check_own(await self._registry.get("bot", bot) is None, bot)
        if owner is None:
            _check_own(await self._registry.get("owner", bot) is None, bot)

    async def _replace(self, digest: str, text: str, row: InvitationRow) -> bool:
        new = write_invitation(digest, row)
        return await self._registry.replace(_KIND, digest, text, new)


class _Guesses:
    """Bounds the wrong codes that are looked up, for the store's peace.

    A code has far too many bits to be found by trying.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        """Begin with all of them left; `monotonic` tells seconds."""
        self._monotonic = monotonic
        self._left = float(WRONG_MOST)
        self._at = monotonic()

    def take(self) -> None:
        """Take one for a code that is about to be looked up.

        Raises:
            RefusedError: LIMIT_EXCEEDED.
        """
        now = self._monotonic()
        gained = (now - self._at) * WRONG_PER_SECOND
        self._left = min(self._left + gained, WRONG_MOST)
        self._at = now
        if self._left < 1:
            message = "too many codes were wrong: try again in a second"
            raise RefusedError(Reason.LIMIT_EXCEEDED, message, limit="wrong_codes")
        self._left -= 1

    def give_back(self) -> None:
        """Give one back: the code was right."""
        self._left = min(self._left + 1, WRONG_MOST)


def _check_open(row: InvitationRow, now_ms: int) -> None:
    if now_ms >= row.expires_ms:
        raise RefusedError(
            Reason.INVITATION_EXPIRED,
            "the invitation's lifetime is over: ask the host for another code",
            expire_time=moment(row.expires_ms),
        )
    if len(row.joined) >= row.uses:
        raise RefusedError(
            Reason.INVITATION_USED_UP,
            "as many bots have come by this invitation as may: ask the host for"
            " another code",
            uses=row.uses,
        )


def _check_own(is_own: bool, bot: str) -> None:  # noqa: FBT001 - what was found out
    if not is_own:
        message = f"the name {bot} belongs to somebody else"
        raise RefusedError(Reason.NAME_TAKEN, message, name=bot)
