"""Invitations: who comes by a code, how often, and until when."""

import asyncio
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from ginref.app.caller import Caller, Role
from ginref.app.error import Reason, RefusedError
from ginref.app.gate import Gate
from ginref.app.invitation import WRONG_MOST, WRONG_PER_SECOND

World = Any
"""The referee of `conftest`, whose class cannot be imported."""

ORGANIZER = Caller(token_id="t-organizer", role=Role.ORGANIZER)
SPECTATOR = Caller(token_id="t-spectator", role=Role.SPECTATOR)

HOUR_MS = 3_600_000
REQUEST = "5f0c" * 8
OTHER = "77aa" * 8


async def invited(
    world: World, uses: int = 1, owner: str | None = None, by: Caller = ORGANIZER
) -> Any:  # noqa: ANN401 - a row and a code
    return await world.gate.invitations.create(
        by, owner=owner, uses=uses, lifetime_ms=HOUR_MS
    )


async def refused(call: Any) -> Reason:  # noqa: ANN401 - any coroutine
    with pytest.raises(RefusedError) as error:
        await call
    return error.value.reason


async def test_a_code_brings_a_bot_of_an_owner_of_its_name(world: World) -> None:
    row, code = await invited(world)

    bot, token, secret = await world.gate.invitations.redeem(code, "swift", REQUEST)

    caller = await world.gate.authenticate(secret)
    assert (caller.role, caller.bot) == (Role.BOT, "swift")
    assert (bot.name, bot.owner, bot.house) == ("swift", "swift", False)
    assert token.token_id == caller.token_id
    assert "swift" in {owner.name for owner in await world.gate.list_owners(ORGANIZER)}
    (kept,) = await world.gate.invitations.list(ORGANIZER)
    assert kept.invitation_id == row.invitation_id
    assert [joining.bot for joining in kept.joined] == ["swift"]


async def test_bots_may_belong_to_an_owner_that_the_host_names(world: World) -> None:
    _, code = await invited(world, owner="ada")

    bot, _, _ = await world.gate.invitations.redeem(code, "swift", REQUEST)

    assert bot.owner == "ada"
    assert await refused(invited(world, owner="zoe")) is Reason.OWNER_NOT_FOUND


@pytest.mark.parametrize("write", [str.upper, lambda code: code.replace("-", "")])
async def test_a_code_is_read_as_people_write_it(world: World, write: Any) -> None:  # noqa: ANN401
    _, code = await invited(world)

    assert await world.gate.invitations.redeem(write(code), "swift", REQUEST)


async def test_the_same_request_gets_the_same_token_and_takes_one_use(
    world: World,
) -> None:
    _, code = await invited(world)
    first = await world.gate.invitations.redeem(code, "swift", REQUEST)
    world.time.ms += 2 * HOUR_MS
    other = Gate(world.registry, world.chance, world.time)

    assert await other.invitations.redeem(code, "swift", REQUEST) == first
    assert (
        await refused(other.invitations.redeem(code, "swift", OTHER))
        is Reason.INVITATION_EXPIRED
    )


async def test_a_code_brings_as_many_bots_as_it_may(world: World) -> None:
    _, code = await invited(world, uses=2)
    redeem = world.gate.invitations.redeem
    secrets = {(await redeem(code, name, REQUEST))[2] for name in ("swift", "slow")}

    assert len(secrets) == 2
    assert await refused(redeem(code, "third", REQUEST)) is Reason.INVITATION_USED_UP


@pytest.mark.parametrize("name", ["careful", "ada"], ids=["a bot's", "an owner's"])
async def test_nobody_gets_a_name_that_is_taken_nor_loses_a_use_by_it(
    world: World, name: str
) -> None:
    _, code = await invited(world)
    redeem = world.gate.invitations.redeem

    assert await refused(redeem(code, name, REQUEST)) is Reason.NAME_TAKEN
    assert await redeem(code, "swift", REQUEST)


async def test_of_two_that_want_one_name_at_once_one_gets_it(world: World) -> None:
    codes = [(await invited(world))[1] for _ in range(2)]
    gate, replace_row = world.gate, world.registry.replace

    async def late(*row: str) -> bool:
        world.registry.replace = replace_row
        world.time.ms += 1
        await gate.invitations.redeem(codes[1], "swift", OTHER)
        done: bool = await replace_row(*row)
        return done

    world.registry.replace = late

    asked = gate.invitations.redeem(codes[0], "swift", REQUEST)

    assert await refused(asked) is Reason.NAME_TAKEN


async def test_an_invitation_ends_by_time_or_by_its_host(world: World) -> None:
    (row, first), (_, second) = await invited(world), await invited(world)
    redeem = world.gate.invitations.redeem

    ended = await world.gate.invitations.end(ORGANIZER, row.invitation_id)
    assert ended.expires_ms == world.time.ms
    assert await world.gate.invitations.end(ORGANIZER, row.invitation_id) == ended
    assert await refused(redeem(first, "swift", REQUEST)) is Reason.INVITATION_EXPIRED
    world.time.ms += HOUR_MS
    assert await refused(redeem(second, "swift", REQUEST)) is Reason.INVITATION_EXPIRED


async def test_neither_code_nor_secret_is_kept_anywhere(world: World) -> None:
    _, code = await invited(world)
    _, _, secret = await world.gate.invitations.redeem(code, "swift", REQUEST)
    kept = "".join(
        [
            text
            for kind in ("invitation", "token", "bot", "owner")
            for text in await world.registry.rows(kind)
        ]
    )

    for hidden in (code, code.replace("-", ""), secret, REQUEST):
        assert hidden not in kept


async def test_wrong_codes_that_are_looked_up_are_bounded_also_at_once(
    world: World,
) -> None:
    _, code = await invited(world)
    looked_up, get = 0, world.registry.get

    async def slow(kind: str, key: str) -> str | None:
        nonlocal looked_up
        looked_up += kind == "invitation"
        await asyncio.sleep(0)
        row: str | None = await get(kind, key)
        return row

    world.registry.get = slow
    now = 0.0
    gate = Gate(world.registry, world.chance, world.time, lambda: now)
    redeem = gate.invitations.redeem
    calls = (redeem("a" * 20, "swift", REQUEST) for _ in range(20 * WRONG_MOST))

    errors = await asyncio.gather(*calls, return_exceptions=True)

    assert looked_up == WRONG_MOST
    reasons = Counter(e.reason for e in errors if isinstance(e, RefusedError))
    assert reasons == {
        Reason.INVITATION_NOT_FOUND: WRONG_MOST,
        Reason.LIMIT_EXCEEDED: 19 * WRONG_MOST,
    }
    world.time.ms += HOUR_MS // 2
    assert await refused(redeem(code, "swift", REQUEST)) is Reason.LIMIT_EXCEEDED
    now += 1 / WRONG_PER_SECOND
    # One is enough for all codes that are right.
    for _ in range(2):
        assert await redeem(code, "swift", REQUEST)


async def test_what_cannot_be_a_code_keeps_nobody_out(world: World) -> None:
    _, code = await invited(world)
    gate = Gate(world.registry, world.chance, world.time, lambda: 7.0)
    redeem = gate.invitations.redeem
    for malformed in ("x", "", "a" * 21, "1" * 20) * WRONG_MOST:
        asked = redeem(malformed, "swift", REQUEST)
        assert await refused(asked) is Reason.INVITATION_NOT_FOUND

    assert await redeem(code, "swift", REQUEST)


@pytest.mark.parametrize(
    ("name", "owner"),
    [("house", None), ("house.careful", None), ("house.x", "ada"), ("swift", "house")],
    ids=["the house", "a bot of the house", "with an owner", "for the house"],
)
async def test_nobody_comes_in_as_the_house(
    world: World, name: str, owner: str | None
) -> None:
    await world.gate.create_owner(ORGANIZER, "house")
    _, code = await invited(world, owner=owner)

    refusal = refused(world.gate.invitations.redeem(code, name, REQUEST))

    assert await refusal is Reason.NAME_TAKEN
    (row,) = await world.gate.invitations.list(ORGANIZER)
    assert not row.joined
    assert name not in {bot.name for bot in await world.gate.list_bots(ORGANIZER)}


async def test_an_invitation_and_its_tokens_do_not_outlive_the_hosts_token(
    world: World,
) -> None:
    end_ms = world.time.ms + 5_000

    row, code = await invited(world, by=replace(ORGANIZER, expires_ms=end_ms))
    _, token, _ = await world.gate.invitations.redeem(code, "swift", REQUEST)

    assert row.expires_ms == token.expires_ms == end_ms


@pytest.mark.parametrize(
    ("caller", "reason"),
    [
        (SPECTATOR, Reason.ROLE_NOT_ALLOWED),
        (replace(ORGANIZER, match_ids=frozenset({"m1"})), Reason.SEAT_NOT_YOURS),
        (replace(ORGANIZER, tournament_ids=frozenset({"cup"})), Reason.SEAT_NOT_YOURS),
    ],
    ids=["spectator", "host of one match", "host of one tournament"],
)
async def test_only_hosts_invite(world: World, caller: Caller, reason: Reason) -> None:
    row, _ = await invited(world)
    invitations = world.gate.invitations

    assert await refused(invited(world, by=caller)) is reason
    assert await refused(invitations.list(caller)) is reason
    assert await refused(invitations.end(caller, row.invitation_id)) is reason
    unknown = invitations.end(ORGANIZER, "inowhere")
    assert await refused(unknown) is Reason.INVITATION_NOT_FOUND
