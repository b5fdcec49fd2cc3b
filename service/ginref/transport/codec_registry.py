"""Owners, bots, tokens and invitations on the wire."""

from collections.abc import Callable, Sequence
from typing import Final

from google.protobuf.duration_pb2 import Duration

from ginref.app.error import Reason, RefusedError
from ginref.app.registry_row import (
    BotRow,
    Grant,
    InvitationRow,
    OwnerRow,
    TokenRow,
)
from ginref.record.public_key import KEY_SIZE
from ginref.transport.codec_enum import ROLES, ROLES_READ
from ginref.transport.codec_match import time_to_wire
from ginref.transport.field import (
    invalid,
    read_bytes,
    read_enum,
    read_id,
    read_name,
    read_request_id,
    read_within,
)
from ginref.v1 import registry_pb2 as registry_pb
from ginref.v1 import registry_service_pb2 as service_pb

LIFETIME_LIMIT_MS: Final = 10 * 366 * 24 * 60 * 60 * 1000
"""Most milliseconds that a token with an end may work: ten years."""

NAMED_LIMIT: Final = 100
"""Most matches that a token can be limited to, and most tournaments."""

USES_LIMIT: Final = 100
"""Most bots that can come by one invitation."""

INVITATION_MS: Final = 24 * 60 * 60 * 1000
"""Milliseconds that an invitation works if nothing else is said."""

SECRET_REQUEST_ID_BYTES: Final = 16
"""Fewest bytes of a request id that has to be unguessable."""

_NANOS: Final = 1_000_000_000
_NANOS_PER_MS: Final = 1_000_000


def token_request_from_wire(
    request: service_pb.CreateTokenRequest,
) -> tuple[Grant, int | None]:
    """Read a request for a token: what it is good for, and its lifetime.

    Raises:
        RefusedError: A field is absent or cannot be used.
    """
    grant = Grant(
        role=read_enum(request.role, ROLES_READ, "role"),
        bot=read_name(request.bot, "bot") if request.HasField("bot") else None,
        match_ids=_read_all(request.match_ids, read_id, "match_ids"),
        tournament_ids=_read_all(request.tournament_ids, read_name, "tournament_ids"),
    )
    has_end = request.HasField("lifetime")
    return grant, read_lifetime(request.lifetime) if has_end else None


def _read_all(
    texts: Sequence[str], read: Callable[[str, str], str], at: str
) -> tuple[str, ...]:
    """Read what a token is limited to.

    Raises:
        RefusedError: There are too many, or one cannot be used.
    """
    if len(texts) > NAMED_LIMIT:
        raise invalid(at, f"at most {NAMED_LIMIT}")
    return tuple(read(text, f"{at}[{place}]") for place, text in enumerate(texts))


def owner_to_wire(row: OwnerRow) -> registry_pb.Owner:
    """Write an owner."""
    return registry_pb.Owner(name=row.name, create_time=time_to_wire(row.created_ms))


def bot_to_wire(row: BotRow) -> registry_pb.Bot:
    """Write a bot."""
    return registry_pb.Bot(
        name=row.name,
        owner=row.owner,
        house=row.house,
        create_time=time_to_wire(row.created_ms),
        public_key=row.key,
        accepts_challenges=row.accepts_challenges,
    )


def key_from_wire(
    request: service_pb.CreateBotRequest | service_pb.SetBotKeyRequest,
) -> bytes | None:
    """Read the public key of a bot; None where there is none.

    Raises:
        RefusedError: FIELD_INVALID.
    """
    if not request.HasField("public_key"):
        return None
    return read_bytes(request.public_key, KEY_SIZE, "public_key")


def token_to_wire(row: TokenRow) -> registry_pb.Token:
    """Write a token's row, which has no secret."""
    return registry_pb.Token(
        token_id=row.token_id,
        role=ROLES[row.role],
        bot=row.bot,
        match_ids=row.match_ids,
        tournament_ids=row.tournament_ids,
        create_time=time_to_wire(row.created_ms),
        expire_time=None if row.expires_ms is None else time_to_wire(row.expires_ms),
        revoke_time=None if row.revoked_ms is None else time_to_wire(row.revoked_ms),
    )


def rotation_from_wire(
    request: service_pb.RotateTokenRequest,
) -> tuple[str, int | None, int]:
    """Read a request to rotate a token: which one, its lifetime, and the overlap.

    Raises:
        RefusedError: A field is absent or cannot be used.
    """
    lifetime_ms = overlap_ms = None
    if request.HasField("lifetime"):
        lifetime_ms = read_lifetime(request.lifetime)
    if request.HasField("overlap"):
        overlap_ms = read_lifetime(request.overlap, "overlap", least_ms=0)
    return read_id(request.token_id, "token_id"), lifetime_ms, overlap_ms or 0


def invitation_request_from_wire(
    request: service_pb.CreateInvitationRequest,
) -> tuple[str | None, int, int]:
    """Read a request for an invitation: owner, uses, and milliseconds that it works.

    Raises:
        RefusedError: A field cannot be used.
    """
    uses, lifetime_ms = 1, INVITATION_MS
    if request.HasField("uses"):
        uses = read_within(request.uses, 1, USES_LIMIT, "uses")
    if request.HasField("lifetime"):
        lifetime_ms = read_lifetime(request.lifetime)
    owner = read_name(request.owner, "owner") if request.HasField("owner") else None
    return owner, uses, lifetime_ms


def invitation_to_wire(row: InvitationRow) -> registry_pb.Invitation:
    """Write an invitation's row, which has no code."""
    return registry_pb.Invitation(
        invitation_id=row.invitation_id,
        owner=row.owner,
        uses=row.uses,
        bots=[joining.bot for joining in row.joined],
        create_time=time_to_wire(row.created_ms),
        expire_time=time_to_wire(row.expires_ms),
    )


def read_secret_request_id(text: str) -> str:
    """Read an identity of a request that nobody is to guess.

    Raises:
        RefusedError: REQUEST_ID_INVALID.
    """
    read_request_id(text, "request_id")
    if len(text.encode()) < SECRET_REQUEST_ID_BYTES:
        raise RefusedError(
            Reason.REQUEST_ID_INVALID,
            f"request_id: at least {SECRET_REQUEST_ID_BYTES} bytes expected",
            field="request_id",
        )
    return text


def read_lifetime(lifetime: Duration, at: str = "lifetime", least_ms: int = 1) -> int:
    """Read how many milliseconds something lasts.

    Raises:
        RefusedError: FIELD_INVALID.
    """
    if not 0 <= lifetime.nanos < _NANOS:
        raise invalid(at, "a duration")
    whole_ms = lifetime.seconds * 1000 + lifetime.nanos // _NANOS_PER_MS
    return read_within(whole_ms, least_ms, LIFETIME_LIMIT_MS, at)
