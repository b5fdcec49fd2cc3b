"""What a process remembers of matches, and what it reads and writes."""

import asyncio
import gc
from dataclasses import replace
from typing import Any

import pytest

from ginref.adapters.sealing import AesSealer
from ginref.app import keeper as keeper_module
from ginref.app.error import Reason, RefusedError
from ginref.app.keeper import Draft, Keeper, Stored
from ginref.app.live_match import LiveMatch, place_of
from ginref.app.match_store import EntryId
from ginref.app.packing import DamageError
from ginref.app.port import StoreUnavailableError
from ginref.engine.move import PASS, Discard
from ginref.engine.seat import Seat
from ginref.record.entry import Aborted, Moved, Refused
from ginref.record.lifecycle import StepError

World = Any
"""The referee of `conftest`, whose class cannot be imported."""


async def _live(world: World) -> LiveMatch:
    facts = await world.start()
    live: LiveMatch = await world.one.keeper.load(facts.match_id)
    return live


async def test_a_process_without_memory_reads_the_same_match(world: World) -> None:
    facts = await world.start()
    for _ in range(12):
        await world.move(facts)
    turn = await world.turn(facts)
    with pytest.raises(RefusedError):
        await world.submit(world.wrong(turn), facts)
    known = await world.one.keeper.load(facts.match_id)

    read = await (await world.replica()).keeper.load(facts.match_id)

    assert replace(read, tail=known.tail) == known
    assert place_of(read) == EntryId(facts.version + 12, 1)


async def test_a_match_folded_from_its_log_is_the_match_that_is_stored(
    world: World,
) -> None:
    facts = await world.start()
    await world.play_out(facts)
    known = await world.one.keeper.load(facts.match_id)

    folded = await world.one.keeper.replay(facts.match_id)

    assert folded.state == known.state
    assert folded.clock == known.clock
    assert folded.created_ms == known.created_ms
    assert len(folded.tail) == len(await world.store.log(facts.match_id))


async def test_a_snapshot_of_another_format_is_made_up_for_by_the_log(
    world: World,
) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    with pytest.raises(RefusedError):
        await world.submit(world.wrong(turn), facts)
    known = await world.one.keeper.load(facts.match_id)
    context = f"{facts.match_id}/{facts.version}"
    held = world.store._matches[facts.match_id]  # noqa: SLF001 - an older format
    held.state = world.sealer.seal(b"\xff of another format", context)

    other = await world.replica()
    read = await other.keeper.load(facts.match_id)

    assert read.state == known.state
    assert read.clock == known.clock
    assert (await world.submit(world.submission(turn), facts, other.desk)).version


async def test_what_is_stored_of_a_live_match_shows_no_secret(world: World) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    with pytest.raises(RefusedError):
        await world.submit(world.wrong(turn), facts)
    live = await world.one.keeper.load(facts.match_id)
    stored = await world.store.read(facts.match_id)
    log = [entry.entry for entry in await world.store.log(facts.match_id)]

    hidden = live.state.setup.referee_share.hex().encode()
    whole = b"\n".join([stored.setup, stored.state, *log])

    assert hidden not in whole
    assert b"careful" not in whole
    assert b"discard" not in log[-1]
    assert log[-1].startswith(b"\x00")


async def test_a_sealed_entry_is_never_taken_for_text(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Sealed bytes begin with chance, which may look like the start of a list.
    monkeypatch.setattr("os.urandom", lambda size: b"[" * size)
    facts = await world.start()
    turn = await world.turn(facts)
    with pytest.raises(RefusedError):
        await world.submit(world.wrong(turn), facts)

    folded = await world.one.keeper.replay(facts.match_id)

    assert isinstance(folded.tail[-1].entry, Refused)


async def test_another_key_opens_nothing(world: World) -> None:
    facts = await world.create()
    stranger = Keeper(world.store, AesSealer(bytes(32)))

    with pytest.raises(DamageError):
        await stranger.load(facts.match_id)


async def test_memory_of_matches_is_bounded_and_what_is_over_goes_first(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeper_module, "_HINTS", 3)
    facts = [await world.create() for _ in range(3)]
    await world.desk.abort_match(world.host, facts[2].match_id)

    facts += [await world.create() for _ in range(2)]

    kept = [world.one.keeper.hint(one.match_id) is not None for one in facts]
    assert kept == [False, True, False, True, True]


async def test_a_process_remembers_a_short_tail_of_the_log(world: World) -> None:
    facts = await world.start()
    for _ in range(30):
        if (await world.move(facts)).ending:
            break

    live = world.one.keeper.hint(facts.match_id)

    assert len(live.tail) == 12
    assert live.tail[-1].version == live.state.version


async def test_what_is_known_never_goes_back(world: World) -> None:
    before = await _live(world)
    match_id = before.state.setup.match_id
    facts = (await world.desk.get_match(world.host, match_id)).public.facts
    await world.move(facts)
    after = world.one.keeper.hint(match_id)

    world.one.keeper.remember(before)

    assert world.one.keeper.hint(match_id) is after


async def test_entries_are_those_after_a_place_however_much_is_remembered(
    world: World,
) -> None:
    facts = await world.start()
    for _ in range(20):
        await world.move(facts)
    log = (await world.one.keeper.replay(facts.match_id)).tail
    for after in range(0, len(log) + 1, 3):
        fresh = (await world.replica()).keeper
        for keeper in (world.one.keeper, fresh, fresh):
            live = await keeper.load(facts.match_id)
            found = await keeper.reach(live, EntryId(after))
            assert tuple(found.log_after(EntryId(after))) == log[after:]


async def test_entries_of_an_older_state_end_with_it(world: World) -> None:
    facts = await world.start()
    keeper = (await world.replica()).keeper
    older = await keeper.load(facts.match_id)
    for _ in range(4):
        await world.move(facts)

    place = EntryId(facts.version - 2)
    found = await keeper.reach(older, place)

    versions = [logged.version for logged in found.log_after(place)]
    assert versions == [facts.version - 1, facts.version]


async def test_a_step_that_cannot_follow_is_not_tried(world: World) -> None:
    live = await _live(world)
    keeper = world.one.keeper
    await keeper.commit(Draft(live=live, entry=Aborted()), lambda _: None)
    ended = await keeper.load(live.state.setup.match_id)
    world.store.asked.clear()

    with pytest.raises(StepError):
        await keeper.commit(Draft(live=ended, entry=Aborted()), lambda _: None)

    assert world.store.asked == {}


async def test_what_was_stored_here_need_not_be_read(world: World) -> None:
    live = await _live(world)
    keeper, match_id = world.one.keeper, live.state.setup.match_id
    seat = live.state.to_act or Seat.NORTH
    draft = Draft(live=live, entry=Moved(seat, "request", PASS, 0))
    seen: list[Stored] = []

    stored = await keeper.commit(draft, seen.append)
    world.store.asked.clear()
    latest = await keeper.latest(match_id, EntryId(live.state.version + 1))

    assert isinstance(stored, Stored)
    assert seen == [stored]
    assert latest is stored.after
    assert world.store.asked["read"] == 0


async def test_a_place_not_yet_known_is_looked_up(world: World) -> None:
    live = await _live(world)
    match_id = live.state.setup.match_id
    fresh = (await world.replica()).keeper
    assert await fresh.load(match_id)
    facts = (await world.desk.get_match(world.host, match_id)).public.facts
    await world.move(facts)

    known = await fresh.latest(match_id, EntryId(facts.version))
    found = await fresh.latest(match_id, EntryId(facts.version + 1))

    assert place_of(known) == EntryId(facts.version)
    assert place_of(found) == EntryId(facts.version + 1)


async def test_an_unknown_match_is_not_found(world: World) -> None:
    keeper = world.one.keeper
    for call in (keeper.load("m1"), keeper.replay("m1"), keeper.latest("m1", None)):
        with pytest.raises(RefusedError) as refused:
            await call
        assert refused.value.reason is Reason.MATCH_NOT_FOUND


async def test_a_refusal_names_its_card_to_nobody_but_the_fold(world: World) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    wrong = world.wrong(turn)
    with pytest.raises(RefusedError):
        await world.submit(wrong, facts)

    folded = await world.one.keeper.replay(facts.match_id)

    entry = folded.tail[-1].entry
    assert isinstance(entry, Refused)
    assert isinstance(entry.move, Discard)
    assert entry.move == wrong.move


@pytest.mark.parametrize(
    ("error", "is_logged"),
    [(StoreUnavailableError("away"), False), (ZeroDivisionError("a fault"), True)],
    ids=["store away", "fault"],
)
async def test_a_step_that_fails_after_its_caller_has_gone_is_seen_to(
    world: World,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
    *,
    is_logged: bool,
) -> None:
    match_id = (await _live(world)).state.setup.match_id
    begun, released = asyncio.Event(), asyncio.Event()
    never_retrieved: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(
        lambda _, context: never_retrieved.append(context)
    )

    async def fail_late(_: object) -> None:
        begun.set()
        await released.wait()
        raise error

    monkeypatch.setattr(world.store, "apply", fail_late)
    caller = asyncio.create_task(world.desk.abort_match(world.host, match_id))
    await begun.wait()
    caller.cancel()
    await asyncio.wait({caller})
    released.set()
    for _ in range(3):
        await asyncio.sleep(0)
    was_cancelled = caller.cancelled()
    # What a cancelled caller remembers would keep the step from being collected.
    del caller
    gc.collect()

    assert was_cancelled
    assert never_retrieved == []
    assert ("fault" in caplog.text) is is_logged
