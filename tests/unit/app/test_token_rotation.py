"""Tokens that take the place of others, and how long both work."""

from dataclasses import replace
from typing import Any

import pytest

from ginref.app.caller import Caller, Role
from ginref.app.error import Reason, RefusedError
from ginref.app.gate import Gate
from ginref.app.registry_row import Grant

World = Any
"""The referee of `conftest`, whose class cannot be imported."""

OPERATOR = Caller(token_id="t-operator", role=Role.OPERATOR)
ORGANIZER = Caller(token_id="t-organizer", role=Role.ORGANIZER)
SPECTATOR = Caller(token_id="t-spectator", role=Role.SPECTATOR)

DAY_MS = 86_400_000

GRANT = Grant(
    role=Role.BOT, bot="careful", match_ids=("m1",), tournament_ids=("cup", "league")
)


async def issued(world: World, lifetime_ms: int | None = None) -> Any:  # noqa: ANN401 - a row and a secret
    return await world.gate.create_token(OPERATOR, GRANT, lifetime_ms)


async def rotated(  # noqa: PLR0913, PLR0917 - what a rotation is made of
    world: World,
    token_id: str,
    overlap_ms: int = 0,
    lifetime_ms: int | None = None,
    by: Caller = OPERATOR,
    gate: Gate | None = None,
) -> Any:  # noqa: ANN401 - the new row, its secret, and the row before
    return await (gate or world.gate).rotate_token(
        by, token_id, lifetime_ms=lifetime_ms, overlap_ms=overlap_ms
    )


async def reason(call: Any) -> Reason | None:  # noqa: ANN401 - any coroutine
    try:
        await call
    except RefusedError as refused:
        return refused.reason
    return None


async def test_both_tokens_work_while_they_overlap(world: World) -> None:
    row, old = await issued(world)
    await world.gate.authenticate(old)

    made, new, before = await rotated(world, row.token_id, overlap_ms=5_000)

    assert made == replace(
        row, token_id=made.token_id, created_ms=world.time.ms, expires_ms=None
    )
    assert made.tournament_ids == ("cup", "league")
    assert made.token_id != row.token_id
    assert made.expires_ms is None
    assert before == replace(row, expires_ms=world.time.ms + 5_000)
    assert await reason(world.gate.authenticate(old)) is None
    world.time.ms += 5_000
    assert await reason(world.gate.authenticate(old)) is Reason.TOKEN_EXPIRED
    assert (await world.gate.authenticate(new)).token_id == made.token_id


async def test_without_an_overlap_the_other_token_ends_at_once(world: World) -> None:
    row, old = await issued(world)
    await world.gate.authenticate(old)

    await rotated(world, row.token_id)

    assert await reason(world.gate.authenticate(old)) is Reason.TOKEN_EXPIRED


@pytest.mark.parametrize(
    ("lifetime_ms", "expected_ms"), [(None, DAY_MS), (5, 5)], ids=["as before", "said"]
)
async def test_a_lifetime_begins_anew(
    world: World, lifetime_ms: int | None, expected_ms: int
) -> None:
    row, _ = await issued(world, DAY_MS)
    world.time.ms += 3 * DAY_MS

    made, _, before = await rotated(world, row.token_id, 60_000, lifetime_ms)

    assert made.expires_ms == world.time.ms + expected_ms
    assert before == row, "what has expired is not woken up"


async def test_a_token_outlives_its_rotator_by_nothing(world: World) -> None:
    row, _ = await issued(world)
    mortal = replace(OPERATOR, expires_ms=world.time.ms + 7)

    made, _, _ = await rotated(world, row.token_id, by=mortal)

    assert made.expires_ms == world.time.ms + 7


async def test_what_was_revoked_is_not_rotated(world: World) -> None:
    row, _ = await issued(world)
    await world.gate.revoke_token(OPERATOR, row.token_id)

    assert await reason(rotated(world, row.token_id)) is Reason.TOKEN_NOT_FOUND
    assert len(await world.gate.list_tokens(OPERATOR)) == 1


async def test_what_is_revoked_meanwhile_stays_revoked(world: World) -> None:
    row, old = await issued(world)
    other = Gate(world.registry, world.chance, world.time)
    replace_row = world.registry.replace

    async def late(*texts: str) -> bool:
        world.registry.replace = replace_row
        await other.revoke_token(OPERATOR, row.token_id)
        done: bool = await replace_row(*texts)
        return done

    world.registry.replace = late

    _, new, before = await rotated(world, row.token_id, overlap_ms=DAY_MS)

    assert before.revoked_ms == world.time.ms
    assert await reason(other.authenticate(old)) is Reason.TOKEN_REVOKED
    assert await reason(other.authenticate(new)) is None


async def test_nobody_rotates_what_it_may_not_hand_out(world: World) -> None:
    row, secret = await world.gate.issue_operator()

    for caller, why in [
        (ORGANIZER, Reason.ROLE_NOT_ALLOWED),
        (SPECTATOR, Reason.ROLE_NOT_ALLOWED),
        (replace(OPERATOR, match_ids=frozenset({"m1"})), Reason.SEAT_NOT_YOURS),
        (replace(OPERATOR, tournament_ids=frozenset({"cup"})), Reason.SEAT_NOT_YOURS),
    ]:
        assert await reason(rotated(world, row.token_id, by=caller)) is why

    assert await reason(world.gate.authenticate(secret)) is None
