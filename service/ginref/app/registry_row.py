"""Rows of the registry: owners, bots and tokens, as values and as the text kept."""

import base64
import functools
import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Final, TypeVar

from ginref.app.caller import Role
from ginref.app.packing import DamageError

_Row = TypeVar("_Row")

_MARK: Final = "gr_"
_SECRET: Final = re.compile(rf"{_MARK}[a-z2-7]{{52}}")


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerRow:
    """A person or a group that has bots."""

    name: str
    created_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BotRow:
    """A program that plays.

    Attributes:
        name: Its name.
        owner: Whose it is.
        house: It belongs to the host.
        created_ms: When it was added.
        key: Public key that proves its submissions, 32 bytes; None without one.
        accepts_challenges: Any bot may challenge it.
    """

    name: str
    owner: str
    house: bool
    created_ms: int
    key: bytes | None = None
    accepts_challenges: bool = False

    @property
    def may_be_challenged(self) -> bool:
        """Any bot may ask for a match against it."""
        return self.house or self.accepts_challenges


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """What a token is good for.

    Attributes:
        role: What the bearer may do.
        bot: The bot it plays as, for a bot's role.
        match_ids: Matches it is limited to.
        tournament_ids: Tournaments it is limited to; it reaches what either names, and
            everything if neither names any.
    """

    role: Role
    bot: str | None = None
    match_ids: tuple[str, ...] = ()
    tournament_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRow(Grant):
    """A token without its secret.

    Attributes:
        token_id: Identity of the row.
        created_ms: When it was made.
        expires_ms: When it stops working; None for never.
        revoked_ms: When it was revoked; None while it works.
    """

    token_id: str
    created_ms: int
    expires_ms: int | None
    revoked_ms: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Joining:
    """A bot that came in by an invitation.

    Attributes:
        bot: Its name.
        request: Digest of the request id that it came with.
        joined_ms: When.
    """

    bot: str
    request: str
    joined_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class InvitationRow:
    """An invitation without its code.

    Attributes:
        invitation_id: Identity of the row.
        owner: Owner of the bots that come by it; None makes one for each, of its name.
        uses: Most bots that may come by it.
        salt: What secrets of the tokens are derived with, beside the code.
        created_ms: When it was made.
        expires_ms: When it stops working.
        tokens_expire_ms: When tokens of the bots stop working; None for never.
        joined: Who has come.
    """

    invitation_id: str
    owner: str | None
    uses: int
    salt: bytes
    created_ms: int
    expires_ms: int
    tokens_expire_ms: int | None
    joined: tuple[Joining, ...] = ()


def _sound(read: Callable[[str], _Row]) -> Callable[[str], _Row]:
    """Let a reader say of whatever is no row that it is damaged."""

    @functools.wraps(read)
    def checked(text: str) -> _Row:
        try:
            return read(text)
        except (
            AttributeError,
            LookupError,
            TypeError,
            ValueError,
            RecursionError,
        ) as error:
            message = "a row of the registry cannot be read"
            raise DamageError(message) from error

    return checked


def digest_of(text: str) -> str:
    """Return the digest of a secret or a code, by which its row is kept."""
    return hashlib.sha256(text.encode()).hexdigest()


@_sound
def read_digest(text: str) -> str:
    """Read the digest that stands beside a row."""
    digest: str = json.loads(text)["digest"]
    return digest


def secret_of(data: bytes) -> str:
    """Return the secret of a token, made of 32 bytes that nobody can guess."""
    return _MARK + plain_text(data)


def is_secret(text: str) -> bool:
    """Say whether a text has the form of a token's secret."""
    return _SECRET.fullmatch(text) is not None


def write_invitation(digest: str, row: InvitationRow) -> str:
    """Write the row of an invitation beside the digest of its code."""
    facts = {**asdict(row), "digest": digest, "salt": row.salt.hex()}
    return json.dumps(facts, sort_keys=True)


@_sound
def read_invitation(text: str) -> InvitationRow:
    """Read the row of an invitation as the registry keeps it."""
    facts: dict[str, Any] = json.loads(text)
    del facts["digest"]
    facts["salt"] = bytes.fromhex(facts["salt"])
    facts["joined"] = tuple(Joining(**one) for one in facts["joined"])
    return InvitationRow(**facts)


@_sound
def read_owner(text: str) -> OwnerRow:
    """Read the row of an owner as the registry keeps it."""
    return OwnerRow(**json.loads(text))


def write_owner(row: OwnerRow) -> str:
    """Write the row of an owner."""
    return json.dumps(asdict(row), sort_keys=True)


def plain_text(data: bytes) -> str:
    """Return bytes as letters and digits that nobody misreads."""
    return base64.b32encode(data).decode().rstrip("=").lower()


@_sound
def read_bot(text: str) -> BotRow:
    """Read the row of a bot as the registry keeps it."""
    facts: dict[str, Any] = json.loads(text)
    # Rows from before bots could have keys have no word of it.
    key = facts.pop("key", None)
    return BotRow(**facts, key=None if key is None else bytes.fromhex(key))


def write_bot(row: BotRow) -> str:
    """Write the row of a bot."""
    facts = asdict(row)
    if row.key is None:
        del facts["key"]
    else:
        facts["key"] = row.key.hex()
    if not row.accepts_challenges:
        # A process of an earlier version does not know the word.
        del facts["accepts_challenges"]
    return json.dumps(facts, sort_keys=True)


def write_token(digest: str, row: TokenRow) -> str:
    """Write the row of a token beside the digest of its secret."""
    facts = {**asdict(row), "digest": digest}
    if not row.tournament_ids:
        # A process of an earlier version does not know the word.
        del facts["tournament_ids"]
    return json.dumps(facts, sort_keys=True)


@_sound
def read_token(text: str) -> TokenRow:
    """Read the row of a token as the registry keeps it."""
    facts: dict[str, Any] = json.loads(text)
    del facts["digest"]
    facts["role"] = Role(facts["role"])
    facts["match_ids"] = tuple(facts["match_ids"])
    # Rows from before tokens could be limited to tournaments have no word of it.
    facts["tournament_ids"] = tuple(facts.get("tournament_ids", ()))
    return TokenRow(**facts)
