"""Tokens, and the owners and bots they speak for."""

from dataclasses import replace
from typing import Any

import pytest

from ginref.app import gate as gate_module
from ginref.app.caller import Caller, Role
from ginref.app.error import Reason, RefusedError
from ginref.app.gate import Gate
from ginref.app.registry_row import BotRow, Grant, OwnerRow

World = Any
"""The referee of `conftest`, whose class cannot be imported."""

OPERATOR = Caller(token_id="t-operator", role=Role.OPERATOR)
ORGANIZER = Caller(token_id="t-organizer", role=Role.ORGANIZER)
BOT = Caller(token_id="t-bot", role=Role.BOT, bot="careful")
SPECTATOR = Caller(token_id="t-spectator", role=Role.SPECTATOR)


async def _issue(
    world: World,
    role: Role = Role.SPECTATOR,
    *,
    by: Caller = OPERATOR,
    lifetime_ms: int | None = None,
    **facts: Any,  # noqa: ANN401 - those of a Grant
) -> Any:  # noqa: ANN401 - a row and a secret
    return await world.gate.create_token(by, Grant(role=role, **facts), lifetime_ms)


async def _refusal(call: Any) -> RefusedError:  # noqa: ANN401 - any coroutine
    with pytest.raises(RefusedError) as refused:
        await call
    error: RefusedError = refused.value
    return error


@pytest.mark.parametrize("role", list(Role), ids=str)
async def test_a_token_is_recognised_with_its_role(world: World, role: Role) -> None:
    bot = "careful" if role is Role.BOT else None
    row, secret = await _issue(world, role, bot=bot, match_ids=("m1", "m2"))

    caller = await world.gate.authenticate(secret)

    assert caller == Caller(
        token_id=row.token_id, role=role, bot=bot, match_ids=frozenset({"m1", "m2"})
    )
    assert row.created_ms == world.time.ms


async def test_the_first_token_is_an_operators(world: World) -> None:
    row, secret = await world.gate.issue_operator()

    caller = await world.gate.authenticate(secret)

    assert caller == Caller(token_id=row.token_id, role=Role.OPERATOR)


async def test_a_token_that_the_host_made_is_an_operators_until_revoked(
    world: World,
) -> None:
    secret = "gr_" + "k7" * 26

    assert await world.gate.admit_operator(secret)
    caller = await world.gate.authenticate(secret)
    assert caller.role is Role.OPERATOR
    await world.gate.revoke_token(caller, caller.token_id)

    assert not await world.gate.admit_operator(secret)
    refused = await _refusal(world.gate.authenticate(secret))
    assert refused.reason is Reason.TOKEN_REVOKED


@pytest.mark.parametrize("secret", ["", "secret", "gr_" + "k7" * 25, "gr_" + "k1" * 26])
async def test_a_token_of_another_form_is_nobodys(world: World, secret: str) -> None:
    assert not await world.gate.admit_operator(secret)
    with pytest.raises(RefusedError):
        await world.gate.authenticate(secret)


async def test_a_secret_is_kept_nowhere(world: World) -> None:
    _, secret = await _issue(world)

    rows = await world.registry.rows("token")

    assert secret.startswith("gr_")
    assert len(secret) > 50
    assert not any(secret.removeprefix("gr_") in row for row in rows)


@pytest.mark.parametrize(
    ("secret", "reason"),
    [
        pytest.param(None, Reason.TOKEN_MISSING, id="none"),
        pytest.param("", Reason.TOKEN_MISSING, id="empty"),
        pytest.param("gr_abc", Reason.TOKEN_UNKNOWN, id="made up"),
    ],
)
async def test_a_caller_without_a_token_of_this_referee_is_refused(
    world: World, secret: str | None, reason: Reason
) -> None:
    assert (await _refusal(world.gate.authenticate(secret))).reason is reason


async def test_a_token_works_for_its_lifetime(world: World) -> None:
    row, secret = await _issue(world, lifetime_ms=1_500)
    assert row.expires_ms == world.time.ms + 1_500
    world.time.ms += 1_499
    assert await world.gate.authenticate(secret)
    world.time.ms += 1

    error = await _refusal(world.gate.authenticate(secret))

    assert error.reason is Reason.TOKEN_EXPIRED
    assert error.facts.keys() == {"expire_time"}


async def test_a_revoked_token_works_no_more(world: World) -> None:
    row, secret = await _issue(world)
    await world.gate.authenticate(secret)

    revoked = await world.gate.revoke_token(ORGANIZER, row.token_id)

    assert revoked.revoked_ms == world.time.ms
    error = await _refusal(world.gate.authenticate(secret))
    assert error.reason is Reason.TOKEN_REVOKED
    world.time.ms += 1
    assert await world.gate.revoke_token(ORGANIZER, row.token_id) == revoked
    assert await world.gate.list_tokens(ORGANIZER) == (revoked,)


async def test_a_token_revoked_by_another_process_works_for_two_seconds_at_most(
    world: World,
) -> None:
    other = Gate(world.registry, world.chance, world.time)
    row, secret = await _issue(world)
    await other.authenticate(secret)
    await world.gate.revoke_token(OPERATOR, row.token_id)
    world.time.ms += 2_000

    error = await _refusal(other.authenticate(secret))

    assert error.reason is Reason.TOKEN_REVOKED


async def test_of_two_that_revoke_a_token_at_once_the_first_one_counts(
    world: World,
) -> None:
    other = Gate(world.registry, world.chance, world.time)
    row, _ = await _issue(world)
    replace = world.registry.replace

    async def slow(*row_facts: str) -> bool:
        world.registry.replace = replace
        await other.revoke_token(OPERATOR, row.token_id)
        world.time.ms += 1
        done: bool = await replace(*row_facts)
        return done

    world.registry.replace = slow
    first_ms = world.time.ms

    revoked = await world.gate.revoke_token(OPERATOR, row.token_id)

    assert revoked.revoked_ms == first_ms


async def test_an_organizer_revokes_what_it_may_hand_out(world: World) -> None:
    row, _ = await _issue(world, Role.BOT, by=ORGANIZER, bot="careful")

    revoked = await world.gate.revoke_token(ORGANIZER, row.token_id)

    assert revoked.revoked_ms == world.time.ms


async def test_memory_of_tokens_is_bounded(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate_module, "_MEMORY_ROWS", 2)
    secrets = [(await _issue(world))[1] for _ in range(3)]
    for secret in secrets:
        await world.gate.authenticate(secret)
    monkeypatch.setattr(world.registry, "get", lambda *_: 1 / 0)

    for secret in secrets[1:]:
        assert await world.gate.authenticate(secret)
    with pytest.raises(ZeroDivisionError):
        await world.gate.authenticate(secrets[0])


async def test_a_token_is_looked_up_once_in_a_while(world: World) -> None:
    asked = []

    async def get(kind: str, key: str) -> str | None:
        asked.append(kind)
        row: str | None = await type(world.registry).get(world.registry, kind, key)
        return row

    _, secret = await _issue(world)
    world.registry.get = get
    for _ in range(100):
        world.time.ms += 40
        await world.gate.authenticate(secret)

    assert asked == ["token"] * 2


@pytest.mark.parametrize(
    ("caller", "role", "allowed"),
    [
        (OPERATOR, Role.OPERATOR, True),
        (OPERATOR, Role.ORGANIZER, True),
        (OPERATOR, Role.SPECTATOR, True),
        (ORGANIZER, Role.SPECTATOR, True),
        (ORGANIZER, Role.ORGANIZER, False),
        (ORGANIZER, Role.OPERATOR, False),
        (BOT, Role.SPECTATOR, False),
        (SPECTATOR, Role.SPECTATOR, False),
    ],
    ids=lambda value: getattr(value, "role", value),
)
async def test_nobody_hands_out_more_than_it_may_do_itself(
    world: World,
    caller: Caller,
    role: Role,
    allowed: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    if allowed:
        row, _ = await _issue(world, role, by=caller)
        assert row.role is role
        return

    error = await _refusal(_issue(world, role, by=caller))

    assert error.reason is Reason.ROLE_NOT_ALLOWED
    assert error.facts == {"role": caller.role, "call": "CreateToken"}


async def test_a_token_outlives_its_maker_by_nothing(world: World) -> None:
    until_ms = world.time.ms + 5_000
    mortal = replace(OPERATOR, expires_ms=until_ms)
    for lifetime_ms, expires_ms in [
        (None, until_ms),
        (5_001, until_ms),
        (4_999, until_ms - 1),
    ]:
        row, _ = await _issue(world, by=mortal, lifetime_ms=lifetime_ms)

        assert row.expires_ms == expires_ms


async def test_a_recognised_caller_knows_its_end(world: World) -> None:
    row, secret = await _issue(world, Role.ORGANIZER, lifetime_ms=5_000)
    caller = await world.gate.authenticate(secret)

    child, _ = await _issue(world, by=caller)

    assert child.expires_ms == caller.expires_ms == row.expires_ms


@pytest.mark.parametrize("host", [OPERATOR, ORGANIZER], ids=lambda host: host.role)
@pytest.mark.parametrize("limit", ["match_ids", "tournament_ids"])
async def test_a_host_of_some_things_has_no_say_in_what_belongs_to_all(
    world: World, host: Caller, limit: str
) -> None:
    limits: dict[str, Any] = {limit: frozenset({"m1"})}
    limited = replace(host, **limits)
    row, secret = await _issue(world)
    for call in (
        _issue(world, by=limited),
        _issue(world, by=limited, match_ids=("m1",)),
        _issue(world, by=limited, tournament_ids=("m1",)),
        world.gate.create_owner(limited, "grace"),
        world.gate.create_bot(limited, "swift", "ada", house=False),
        world.gate.list_owners(limited),
        world.gate.list_tokens(limited),
        world.gate.revoke_token(limited, row.token_id),
    ):
        assert (await _refusal(call)).reason is Reason.SEAT_NOT_YOURS

    assert await world.gate.list_tokens(host) == (row,)
    assert await world.gate.authenticate(secret)


async def test_an_organizer_does_not_revoke_an_operator(world: World) -> None:
    row, secret = await world.gate.issue_operator()

    error = await _refusal(world.gate.revoke_token(ORGANIZER, row.token_id))

    assert error.reason is Reason.ROLE_NOT_ALLOWED
    assert await world.gate.authenticate(secret)


@pytest.mark.parametrize(
    ("role", "bot", "reason"),
    [
        pytest.param(Role.BOT, None, Reason.FIELD_MISSING, id="bot without a name"),
        pytest.param(Role.SPECTATOR, "careful", Reason.FIELD_INVALID, id="needless"),
        pytest.param(Role.BOT, "nobody", Reason.BOT_NOT_FOUND, id="unknown"),
    ],
)
async def test_a_bots_token_names_its_bot(
    world: World, role: Role, bot: str | None, reason: Reason
) -> None:
    assert (await _refusal(_issue(world, role, bot=bot))).reason is reason


async def test_an_unknown_token_is_not_revoked(world: World) -> None:
    error = await _refusal(world.gate.revoke_token(OPERATOR, "t1"))

    assert error.reason is Reason.TOKEN_NOT_FOUND
    assert error.facts == {"token_id": "t1"}


async def test_owners_and_bots_are_there_once(world: World) -> None:
    owner = await world.gate.create_owner(ORGANIZER, "grace")
    bot = await world.gate.create_bot(ORGANIZER, "swift", "grace", house=True)
    world.time.ms += 1

    assert await world.gate.create_owner(OPERATOR, "grace") == owner
    assert await world.gate.create_bot(OPERATOR, "swift", "grace", house=True) == bot

    assert owner == OwnerRow(name="grace", created_ms=world.time.ms - 1)
    assert bot == BotRow(
        name="swift", owner="grace", house=True, created_ms=owner.created_ms
    )
    owners = await world.gate.list_owners(ORGANIZER)
    assert [one.name for one in owners] == ["ada", "grace"]
    bots = await world.gate.list_bots(BOT)
    assert [one.name for one in bots] == ["careful", "greedy", "swift", "third"]


@pytest.mark.parametrize(
    ("owner", "house"), [("grace", False), ("ada", True)], ids=["owner", "kind"]
)
async def test_the_name_of_another_bot_is_taken(
    world: World,
    owner: str,
    house: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    await world.gate.create_owner(ORGANIZER, "grace")

    error = await _refusal(
        world.gate.create_bot(ORGANIZER, "careful", owner, house=house)
    )

    assert error.reason is Reason.NAME_TAKEN
    assert error.facts == {"name": "careful"}


async def test_a_bot_has_an_owner(world: World) -> None:
    error = await _refusal(
        world.gate.create_bot(ORGANIZER, "swift", "nobody", house=False)
    )

    assert error.reason is Reason.OWNER_NOT_FOUND
    assert error.facts == {"owner": "nobody"}


@pytest.mark.parametrize(
    "name", ["", "a", "Ada", "-ada", "a" * 33, "ad a", "ada\n", "ädä", "../a"]
)
async def test_a_name_that_cannot_be_one_is_refused(world: World, name: str) -> None:
    for call in (
        world.gate.create_owner(ORGANIZER, name),
        world.gate.create_bot(ORGANIZER, name, "ada", house=False),
    ):
        error = await _refusal(call)
        assert error.reason is Reason.NAME_INVALID
        assert error.facts == {"field": "name"}


@pytest.mark.parametrize("caller", [BOT, SPECTATOR], ids=lambda caller: caller.role)
async def test_rows_are_the_business_of_hosts(world: World, caller: Caller) -> None:
    for call in (
        world.gate.create_owner(caller, "grace"),
        world.gate.create_bot(caller, "swift", "ada", house=False),
        world.gate.list_owners(caller),
        world.gate.list_tokens(caller),
        world.gate.revoke_token(caller, "t1"),
    ):
        assert (await _refusal(call)).reason is Reason.ROLE_NOT_ALLOWED
