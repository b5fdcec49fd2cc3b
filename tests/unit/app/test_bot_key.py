"""Keys of bots: who may give them, and which matches they count in."""

import json
from collections.abc import Awaitable

import pytest
from tests.unit.app.judgment import World

from ginref.app.caller import Caller, Role
from ginref.app.error import Reason, RefusedError
from ginref.app.registry_row import BotRow, read_bot
from ginref.engine.move import PASS
from ginref.record.entry import Moved

KEY, OTHER_KEY = b"k" * 32, b"o" * 32
SIGNATURE = b"s" * 64

HOST = Caller(token_id="t-host", role=Role.ORGANIZER)
CAREFUL = Caller(token_id="t-bot", role=Role.BOT, bot="careful")
GREEDY = Caller(token_id="t-greedy", role=Role.BOT, bot="greedy")
SPECTATOR = Caller(token_id="t-spectator", role=Role.SPECTATOR)
LIMITED = Caller(
    token_id="t-bot", role=Role.BOT, bot="careful", match_ids=frozenset({"m1"})
)
OF_A_CUP = Caller(
    token_id="t-bot", role=Role.BOT, bot="careful", tournament_ids=frozenset({"cup"})
)


async def reason(call: Awaitable[object]) -> Reason:
    with pytest.raises(RefusedError) as refused:
        await call
    return refused.value.reason


async def key_of(world: World, name: str) -> bytes | None:
    rows = await world.gate.list_bots(SPECTATOR)
    key: bytes | None = next(row.key for row in rows if row.name == name)
    return key


@pytest.mark.parametrize(
    ("caller", "name"), [(CAREFUL, None), (CAREFUL, "careful"), (HOST, "careful")]
)
async def test_a_bot_and_its_host_may_give_its_first_key(
    world: World, caller: Caller, name: str | None
) -> None:
    row = await world.gate.set_bot_key(caller, name, KEY)

    assert (row.name, row.owner, row.key) == ("careful", "ada", KEY)
    assert await key_of(world, "careful") == KEY
    assert await key_of(world, "greedy") is None


async def test_only_a_host_may_give_another_key(world: World) -> None:
    await world.gate.set_bot_key(CAREFUL, None, KEY)

    refused = await reason(world.gate.set_bot_key(CAREFUL, None, OTHER_KEY))

    assert refused is Reason.ROLE_NOT_ALLOWED
    assert await key_of(world, "careful") == KEY
    await world.gate.set_bot_key(HOST, "careful", OTHER_KEY)
    assert await key_of(world, "careful") == OTHER_KEY


async def test_the_same_key_again_is_fine(world: World) -> None:
    first = await world.gate.set_bot_key(CAREFUL, None, KEY)

    assert await world.gate.set_bot_key(CAREFUL, None, KEY) == first
    assert await world.gate.set_bot_key(LIMITED, None, KEY) == first


@pytest.mark.parametrize(
    ("caller", "name", "why"),
    [
        pytest.param(SPECTATOR, "careful", Reason.ROLE_NOT_ALLOWED, id="a spectator"),
        pytest.param(GREEDY, "careful", Reason.SEAT_NOT_YOURS, id="another bot"),
        pytest.param(LIMITED, None, Reason.SEAT_NOT_YOURS, id="for one match"),
        pytest.param(OF_A_CUP, None, Reason.SEAT_NOT_YOURS, id="for one tournament"),
        pytest.param(HOST, None, Reason.FIELD_MISSING, id="no name"),
        pytest.param(HOST, "nobody", Reason.BOT_NOT_FOUND, id="no bot"),
    ],
)
async def test_nobody_else_gives_a_key(
    world: World, caller: Caller, name: str | None, why: Reason
) -> None:
    assert await reason(world.gate.set_bot_key(caller, name, KEY)) is why
    assert await key_of(world, "careful") is None


async def test_two_who_give_a_key_at_once_are_judged_one_after_the_other(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = world.registry.replace

    async def overtaken(*row: str) -> bool:
        monkeypatch.setattr(world.registry, "replace", replace)
        await world.gate.set_bot_key(HOST, "careful", OTHER_KEY)
        done: bool = await replace(*row)
        return done

    monkeypatch.setattr(world.registry, "replace", overtaken)

    refused = await reason(world.gate.set_bot_key(CAREFUL, None, KEY))

    assert refused is Reason.ROLE_NOT_ALLOWED
    assert await key_of(world, "careful") == OTHER_KEY


async def test_a_bot_may_be_added_with_its_key(world: World) -> None:
    bot = await world.gate.create_bot(HOST, "swift", "ada", house=False, key=KEY)

    assert bot.key == KEY
    # Whoever asks for no key asks for the bot that is there.
    assert await world.gate.create_bot(HOST, "swift", "ada", house=False) == bot
    refused = await reason(
        world.gate.create_bot(HOST, "swift", "ada", house=False, key=OTHER_KEY)
    )
    assert refused is Reason.NAME_TAKEN


def test_rows_from_before_there_were_keys_are_read() -> None:
    row = {"created_ms": 5, "house": False, "name": "old", "owner": "ada"}

    assert read_bot(json.dumps(row)) == BotRow(
        name="old", owner="ada", house=False, created_ms=5, key=None
    )


async def test_a_match_keeps_the_keys_that_its_bots_had_when_it_was_created(
    world: World,
) -> None:
    await world.gate.set_bot_key(CAREFUL, None, KEY)
    facts = await world.start()
    await world.gate.set_bot_key(HOST, "careful", OTHER_KEY)
    await world.gate.set_bot_key(HOST, "greedy", OTHER_KEY)

    setup, _ = await (await world.replica()).keeper.history(facts.match_id)

    keys = {setup.bots[seat]: setup.key_of(seat) for seat in setup.seats}
    assert keys == {"careful": KEY, "greedy": None}


async def test_a_signature_is_kept_where_a_key_can_judge_it(world: World) -> None:
    await world.gate.set_bot_key(CAREFUL, None, KEY)
    facts = await world.start()
    kept = {}
    for _ in range(2):
        submission = world.submission(
            await world.turn(facts), PASS, signature=SIGNATURE
        )
        await world.submit(submission, facts)
        kept[facts.bots[submission.seat]] = submission.seat

    _, log = await (await world.replica()).keeper.history(facts.match_id)

    signatures = {
        one.entry.seat: one.entry.signature
        for one in log
        if isinstance(one.entry, Moved)
    }
    assert signatures == {kept["careful"]: SIGNATURE, kept["greedy"]: None}
