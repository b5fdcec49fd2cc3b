"""Every method and every kind of token: who is refused, and that nothing changes."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import grpc.aio
import pytest
import redis
from google.protobuf.message import Message
from tests.e2e.answer import Answer, of_error
from tests.e2e.host import (
    OPERATOR,
    ORGANIZER,
    SEATED,
    SPECTATOR,
    STRANGER,
    Room,
    new_tournament,
)
from tests.e2e.permission import CALLERS, NORTH, PERMISSIONS, methods
from tests.e2e.table import PATIENCE

from ginref.v1 import tournament_pb2
from ginref.v1 import tournament_service_pb2 as tournament_pb

SOUTH: Final = SEATED[1]

UNAUTHENTICATED: Final = "UNAUTHENTICATED"
PERMISSION_DENIED: Final = "PERMISSION_DENIED"

# A script, since a client would read the keys one by one, and at different times.
_DIGEST: Final = """
local function content(key)
  local kind = redis.call('TYPE', key).ok
  if kind ~= 'hash' and kind ~= 'set' then
    return redis.call('DUMP', key)
  end
  -- These have no order, and change it while they grow.
  local parts = {}
  if kind == 'set' then
    parts = redis.call('SMEMBERS', key)
  else
    local flat = redis.call('HGETALL', key)
    for at = 1, #flat, 2 do
      parts[#parts + 1] = flat[at] .. '=' .. flat[at + 1]
    end
  end
  table.sort(parts)
  return table.concat(parts, ',')
end
local found = {}
for _, key in ipairs(redis.call('KEYS', '*')) do
  local word = string.match(key, ':(%a+)$')
  if not ({beat = 1, outage = 1, archived = 1, live = 1})[word] then
    found[#found + 1] = key .. ' ' .. redis.sha1hex(content(key))
  end
end
table.sort(found)
return found
"""
"""Tells all keys and what they hold.

Those are left out that a referee clears up when it finds the time, and its heartbeat:
nothing can happen to a match or a tournament that shows in them alone.
"""

Secret = Callable[[Room], Awaitable[str]]
"""Makes a token."""


@dataclass(frozen=True)
class Column:
    """A kind of token.

    Attributes:
        name: What is wrong with it.
        secret: Makes one.
        reason: Says why a method refuses it; nothing where it is good.
    """

    name: str
    secret: Secret
    reason: Callable[[str], str]


def _always(reason: str) -> Callable[[str], str]:
    return lambda _: reason


def _of(caller: str) -> Callable[[str], str]:
    return lambda method: PERMISSIONS[method].reason(caller)


def _fixed(text: str) -> Secret:
    async def make(_: Room) -> str:
        return text

    return make


def _token_of(caller: str) -> Secret:
    async def make(room: Room) -> str:
        return room.host.tokens[caller]

    return make


async def _expired(room: Room) -> str:
    return await room.expired_token(OPERATOR)


async def _revoked(room: Room) -> str:
    made = await room.make_token(OPERATOR)
    await room.registry(OPERATOR, "RevokeToken", token_id=made.token.token_id)
    secret: str = made.secret
    return secret


def _limited(role: str, bot: str | None = None, at: str = "match") -> Secret:
    async def make(room: Room) -> str:
        limit = {f"{at}_ids": ["elsewhere"]}
        return await room.token(role, bot=bot, **limit)

    return make


HARMLESS: Final = frozenset(
    {
        "RegistryService/SetBotKey",
        "RefereeService/ListMatches",
        "RefereeService/GetPublicKeys",
        "RegistryService/ListBots",
        "BotService/Connect",
    }
)
"""Methods that a token for another match may call: they tell it of no match.

The key that a bot has already may be given again.
"""

LISTED: Final = frozenset({*HARMLESS, "TournamentService/ListTournaments"})
"""Methods that a token for another tournament may call: they tell it of none."""


def _elsewhere(
    caller: str, harmless: frozenset[str] = HARMLESS
) -> Callable[[str], str]:
    def reason(method: str) -> str:
        role = PERMISSIONS[method].reason(caller)
        return role or ("" if method in harmless else "SEAT_NOT_YOURS")

    return reason


COLUMNS: Final = (
    Column("none", _fixed(""), _always("TOKEN_MISSING")),
    Column("garbage", _fixed("gr_garbage"), _always("TOKEN_UNKNOWN")),
    Column("expired", _expired, _always("TOKEN_EXPIRED")),
    Column("revoked", _revoked, _always("TOKEN_REVOKED")),
    Column("another seat", _token_of(SOUTH), _of(STRANGER)),
    Column("no seat", _token_of(STRANGER), _of(STRANGER)),
    Column("another match", _limited("bot", NORTH), _elsewhere(NORTH)),
    Column("a host of another match", _limited(ORGANIZER), _elsewhere(ORGANIZER)),
    Column(
        "another tournament",
        _limited("bot", NORTH, "tournament"),
        _elsewhere(NORTH, LISTED),
    ),
    Column(
        "a host of another tournament",
        _limited(ORGANIZER, at="tournament"),
        _elsewhere(ORGANIZER, LISTED),
    ),
    Column("spectator", _token_of(SPECTATOR), _of(SPECTATOR)),
)
"""Kinds of tokens."""

GUARDED: Final = [
    method
    for method, permission in PERMISSIONS.items()
    if permission.allowed is not CALLERS
]
"""Methods that are not for everyone."""


def test_every_method_is_in_the_matrix_but_the_one_that_brings_newcomers() -> None:
    assert {*methods()} == {*GUARDED, "RegistryService/RedeemInvitation"}
    assert {*LISTED} <= {*GUARDED}


def _keys(room: Room) -> list[bytes]:
    """Return all keys of the store, and what they hold."""
    path = room.host.process.data / "store" / "server.sock"
    with redis.Redis(unix_socket_path=str(path)) as store:
        found: Any = store.eval(_DIGEST, 0)
    return [*found]


async def _settled(room: Room) -> list[bytes]:
    """Return the same, once all records of earlier matches are signed and put away."""
    async with asyncio.timeout(PATIENCE):
        while True:
            before = _keys(room)
            await asyncio.sleep(0.02)
            if _keys(room) == before and not (await room.store.backlog()).records:
                return before


async def _call(room: Room, method: str, request: Message, secret: str) -> Answer:
    """Call a method; return the refusal, or an answer without a reason."""
    path, data = f"/ginref.v1.{method}", request.SerializeToString()
    metadata = (("authorization", f"Bearer {secret}"),) if secret else ()
    channel: Any = room.channel
    try:
        if method == "BotService/Connect":
            await channel.stream_stream(path)(metadata=metadata).read()
        elif "/Watch" in method:
            await channel.unary_stream(path)(data, metadata=metadata).read()
        else:
            await channel.unary_unary(path)(data, metadata=metadata)
    except grpc.aio.AioRpcError as error:
        return of_error(error)
    return Answer("", code="OK")


@pytest.mark.parametrize("method", GUARDED)
async def test_a_token_that_does_not_open_a_method_changes_nothing(
    room: Room, method: str
) -> None:
    # The key of match ids is made with the first one.
    await room.create()
    request = await PERMISSIONS[method].ask(room)
    wanted = {
        column.name: (reason, _code(reason))
        for column in COLUMNS
        if (reason := column.reason(method))
    }
    secrets = {column.name: await column.secret(room) for column in COLUMNS}
    before = await _settled(room)

    answers = {
        name: await _call(room, method, request, secrets[name]) for name in wanted
    }

    assert _keys(room) == before
    assert {
        name: (answer.reason, answer.code) for name, answer in answers.items()
    } == wanted
    assert not [answer.text for answer in answers.values() if answer.leaks]
    told = "\n".join(answer.text for answer in answers.values())
    assert not [secret for secret in secrets.values() if secret and secret in told]


def _code(reason: str) -> str:
    return UNAUTHENTICATED if reason.startswith("TOKEN_") else PERMISSION_DENIED


WHY: Final = {"reason": "because"}
FIXTURE: Final = {"fixture_id": "f", "attempt": 1}
RESULT: Final = {"result": {"won": NORTH}}
MODE: Final = tournament_pb.CORRECTION_MODE_STRICT

CHANGES: Final[Mapping[str, Mapping[str, object]]] = {
    "advance": {"to": tournament_pb2.TOURNAMENT_STATE_CHECK_IN, **WHY},
    "configure": {"configuration": new_tournament("cup").configuration},
    "issue_codes": {"count": 1},
    "enter": {"bot": NORTH},
    "check_in": {"bot": NORTH, "commitment": bytes(32)},
    "reveal_share": {"bot": NORTH, "share": bytes(32)},
    "order_seeds": {"bots": [NORTH, SOUTH]},
    "pair_round": {
        "stage": "main",
        "round": 1,
        "pairs": [{"first": NORTH, "second": SOUTH}],
        **WHY,
    },
    "award": {**FIXTURE, **RESULT, **WHY},
    "correct": {**FIXTURE, **RESULT, "mode": MODE, **WHY},
    "requeue": {**FIXTURE, **WHY},
    "withdraw": {"bot": NORTH, **WHY},
    "disqualify": {"bot": NORTH, **WHY},
    "close_stage": {"stage": "main"},
    "file_appeal": {"appeal_id": "a1", "fixture_id": "f", "bot": NORTH, "text": "no"},
    "decide_appeal": {"appeal_id": "a1", "upheld": True, **WHY},
    "change_tie_breaks": {"stage": "main", "criteria": ["wins"], **WHY},
}
"""A change of every kind, to a tournament or to the entry of one of its bots."""


def test_every_kind_of_change_is_tried() -> None:
    described = tournament_pb.ChangeTournamentRequest.DESCRIPTOR
    kinds = {field.name for field in described.oneofs_by_name["change"].fields}

    assert {*CHANGES} == kinds


@pytest.mark.parametrize(
    "secret",
    [
        pytest.param(_token_of(STRANGER), id="a bot of another tournament"),
        pytest.param(_token_of(SPECTATOR), id="a spectator"),
        pytest.param(_limited(ORGANIZER), id="a host of another match"),
        pytest.param(
            _limited(ORGANIZER, at="tournament"), id="a host of another tournament"
        ),
        pytest.param(
            _limited("bot", NORTH, "tournament"), id="a bot in another one alone"
        ),
    ],
)
async def test_nobody_changes_a_tournament_that_is_not_its_own(
    room: Room, secret: Secret
) -> None:
    await room.create()
    token, cup = await secret(room), await room.tournament()
    await _play_elsewhere(room)
    before = await _settled(room)

    answers = {}
    for kind, change in CHANGES.items():
        request = tournament_pb.ChangeTournamentRequest(
            tournament_id=cup,
            request_id=f"mine: {kind}",
            expected_version=1,
            **{kind: change},  # type: ignore[arg-type] # names of changes
        )
        method = "TournamentService/ChangeTournament"
        answers[kind] = await _call(room, method, request, token)

    assert _keys(room) == before
    assert {kind: answer.code for kind, answer in answers.items()} == dict.fromkeys(
        CHANGES, PERMISSION_DENIED
    )


async def _play_elsewhere(room: Room) -> None:
    """Let the stranger enter a tournament, but not the one that matters."""
    request = new_tournament("elsewhere")
    made = await room.tournaments(
        ORGANIZER,
        "CreateTournament",
        request_id=request.request_id,
        configuration=request.configuration,
    )
    elsewhere = made.tournament.tournament_id
    steps: tuple[tuple[str, dict[str, Any]], ...] = (
        (ORGANIZER, {"advance": {"to": tournament_pb2.TOURNAMENT_STATE_REGISTRATION}}),
        (STRANGER, {"enter": {"bot": STRANGER}}),
    )
    for caller, change in steps:
        await room.tournaments(
            caller,
            "ChangeTournament",
            tournament_id=elsewhere,
            request_id=f"elsewhere, {caller}",
            expected_version=await room.version(elsewhere),
            **change,
        )
