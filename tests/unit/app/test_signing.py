"""Records of matches that are over."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from ginref.app import signing as signing_module
from ginref.app.caller import Caller, Role
from ginref.app.error import Reason, RefusedError
from ginref.app.keeper import Keeper
from ginref.app.port import StoreUnavailableError
from ginref.app.signing import Signing
from ginref.record.envelope import parse_envelope
from ginref.record.lifecycle import MatchState
from ginref.record.verify import Finding, verify_record

World = Any
"""The referee of `conftest`, whose class cannot be imported."""


async def _over(world: World) -> str:
    facts = await world.start()
    for _ in range(5):
        await world.move(facts)
    await world.desk.abort_match(world.host, facts.match_id)
    match_id: str = facts.match_id
    return match_id


def _finding(world: World, match_id: str) -> Finding:
    keys = {world.signer.key_id: world.signer.public_key}
    return verify_record(world.archive.records[match_id], keys).finding


async def test_a_record_is_signed_once_the_match_is_over(world: World) -> None:
    await world.start()
    match_id = await _over(world)

    assert await world.one.signing.sign_finished() == 1
    assert await world.one.signing.sign_finished() == 0

    assert world.archive.records.keys() == {match_id}
    assert _finding(world, match_id) is Finding.VALID
    assert world.tally.seen["record_signed"] == 1
    assert await world.store.finished(10) == ()
    assert world.one.keeper.hint(match_id) is None


async def test_every_way_to_end_gives_a_record_that_holds(world: World) -> None:
    late, struck, resigned, declined = [await world.start() for _ in range(4)]
    offered = await world.create()
    turn = await world.turn(struck)
    for _ in range(4):
        await asyncio.gather(
            world.submit(world.wrong(turn), struck), return_exceptions=True
        )
    await world.desk.resign_match(world.player(resigned, 0), resigned.match_id, 0)
    await world.desk.abort_match(world.host, declined.match_id)
    world.time.ms += 1_000_000
    await world.one.sweeper.sweep()

    assert await world.one.signing.sign_finished() == 5

    for facts in (late, struck, resigned, declined, offered):
        assert _finding(world, facts.match_id) is Finding.VALID


async def test_two_signers_at_once_write_the_same_record(world: World) -> None:
    match_ids = {await _over(world) for _ in range(4)}
    other = await world.replica()

    await asyncio.gather(
        world.one.signing.sign_finished(), other.signing.sign_finished()
    )

    assert world.archive.records.keys() == match_ids
    assert world.archive.writes > len(match_ids)
    assert await world.store.finished(10) == ()


async def test_a_match_whose_log_does_not_lead_to_its_state_gets_no_record(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    wrong, right = await _over(world), await _over(world)
    held = world.store._matches[wrong]  # noqa: SLF001 - damage that no call does
    live = await world.one.keeper.load(wrong)
    state = replace(live.state, strikes=(1, 0))
    held.state = world.one.keeper.packer.pack_state(state)

    assert await world.one.signing.sign_finished() == 1

    assert world.archive.records.keys() == {right}
    assert await world.store.finished(10) == (wrong,)
    assert f"the record of match {wrong} is not archived" in caplog.text


async def test_a_record_that_failed_is_tried_again_ever_more_seldom(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await _over(world)
    tried = []

    async def history(keeper: Keeper, asked: str, _: Any = None) -> Any:  # noqa: ANN401
        assert keeper is world.one.keeper
        tried.append(world.time.ms)
        raise ValueError(asked)

    start = world.time.ms
    with monkeypatch.context() as patch:
        patch.setattr(Keeper, "history", history)
        for _ in range(80):
            await world.one.signing.sign_finished()
            world.time.ms += 100

    assert [at - start for at in tried] == [0, 1_000, 3_000, 7_000]
    world.time.ms += 300_000
    assert await world.one.signing.sign_finished() == 1
    assert _finding(world, match_id) is Finding.VALID


async def test_a_store_that_is_away_is_not_the_fault_of_a_record(
    world: World,
) -> None:
    await _over(world)
    world.store.away = True

    with pytest.raises(StoreUnavailableError):
        await world.one.signing.sign_finished()

    world.store.away = False
    assert await world.one.signing.sign_finished() == 1


async def test_a_match_expires_when_its_record_is_kept_and_no_sooner(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept_ms = 3_600_000
    facts = await world.start()
    await world.desk.abort_match(world.host, facts.match_id)
    signing = Signing(world.one.tools, world.time.seconds, keep_ms=kept_ms)

    async def refuse(*_: object) -> None:
        raise OSError("the archive is full")

    with monkeypatch.context() as broken:
        broken.setattr(world.archive, "put", refuse)
        assert await signing.sign_finished() == 0
    world.time.ms += 2 * kept_ms
    report = await world.desk.get_match(world.host, facts.match_id)
    assert report.public.facts.ending
    assert await signing.sign_finished() == 1
    world.time.ms += kept_ms - 1
    await world.desk.get_match(world.host, facts.match_id)
    world.time.ms += 1000

    spectator = Caller(token_id="t-spectator", role=Role.SPECTATOR)
    for call in (
        world.desk.get_match(spectator, facts.match_id),
        world.desk.abort_match(world.host, facts.match_id),
        anext(world.one.watcher.watch(spectator, facts.match_id, "")),
    ):
        with pytest.raises(RefusedError) as refused:
            await call
        assert refused.value.reason is Reason.MATCH_EXPIRED
    envelope = await world.desk.match_record(spectator, facts.match_id)
    assert envelope == world.archive.records[facts.match_id]
    listed = await world.desk.list_matches(spectator, None, 5, None)
    assert listed.matches == ()


async def test_a_request_whose_match_has_expired_deals_no_other_one(
    world: World,
) -> None:
    facts = await world.create(request_id="once")
    await world.desk.abort_match(world.host, facts.match_id)
    signing = Signing(world.one.tools, world.time.seconds, keep_ms=60_000)
    await signing.sign_finished()
    world.time.ms += 61_000

    with pytest.raises(RefusedError) as refused:
        await world.create(request_id="once")

    assert refused.value.reason is Reason.MATCH_EXPIRED
    assert refused.value.facts == {"match_id": facts.match_id}
    assert world.tally.seen["match_created"] == 1


async def test_a_signer_that_stopped_half_way_is_made_up_for(world: World) -> None:
    match_id = await _over(world)
    acknowledge = world.store.acknowledge

    async def vanish(*_: object) -> None:
        raise StoreUnavailableError

    world.store.acknowledge = vanish
    with pytest.raises(StoreUnavailableError):
        await world.one.signing.sign_finished()
    world.store.acknowledge = acknowledge
    assert match_id in world.archive.records

    other = await world.replica()
    assert await other.signing.sign_finished() == 1
    assert await world.store.finished(10) == ()


async def test_a_record_is_signed_by_the_key_that_signs_at_its_end(
    world: World, referee: Callable[..., Any]
) -> None:
    before, after = world.signer, referee(1)
    facts = await world.start()

    world.signer = after
    await world.desk.abort_match(world.host, facts.match_id)
    await world.one.signing.sign_finished()

    envelope = world.archive.records[facts.match_id]
    both = {key.key_id: key.public_key for key in (before, after)}
    assert [mark.key_id for mark in parse_envelope(envelope).signatures] == [
        after.key_id
    ]
    verdict = verify_record(envelope, both)
    assert (verdict.finding, verdict.notes) == (Finding.VALID, ())
    assert facts.key_id == before.key_id
    lonely = verify_record(envelope, {after.key_id: after.public_key})
    assert lonely.finding is Finding.VALID
    assert before.key_id in lonely.notes[0]


async def test_a_rotation_between_two_signers_leaves_the_first_record(
    world: World, referee: Callable[..., Any]
) -> None:
    match_id = await _over(world)
    acknowledge = world.store.acknowledge

    async def vanish(*_: object) -> None:
        raise StoreUnavailableError

    world.store.acknowledge = vanish
    with pytest.raises(StoreUnavailableError):
        await world.one.signing.sign_finished()
    world.store.acknowledge = acknowledge
    kept = world.archive.records[match_id]

    world.signer = referee(1)
    other = await world.replica()
    assert await other.signing.sign_finished() == 1

    assert world.archive.records[match_id] == kept
    assert await world.store.finished(10) == ()


async def test_what_ends_in_this_process_is_signed_at_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signing_module, "_INTERVAL", 3_600.0)
    signing = asyncio.create_task(world.one.signing.run())
    await asyncio.sleep(0)

    match_id = await _over(world)

    async with asyncio.timeout(10):
        await world.archive.written.wait()
    signing.cancel()
    assert _finding(world, match_id) is Finding.VALID


async def test_a_signer_outlives_a_store_that_fails(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    match_id = await _over(world)
    monkeypatch.setattr(signing_module, "_INTERVAL", 0.001)
    finished, failures = world.store.finished, [StoreUnavailableError(), ValueError()]

    async def fail(limit: int) -> Sequence[str]:
        if failures:
            raise failures.pop()
        found: Sequence[str] = await finished(limit)
        return found

    world.store.finished = fail
    signing = asyncio.create_task(world.one.signing.run())

    async with asyncio.timeout(10):
        await world.archive.written.wait()
    signing.cancel()
    assert _finding(world, match_id) is Finding.VALID
    assert caplog.text.count("signing failed") == 1


async def test_what_waits_for_its_record_is_told_from_time_to_time(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await _over(world)
    world.time.ms += 7_000
    told = asyncio.Queue[tuple[int, int]]()
    monkeypatch.setattr(
        world.tally, "backlog", lambda *waiting: told.put_nowait(waiting)
    )
    monkeypatch.setattr(signing_module, "_INTERVAL", 0.001)

    async def refuse(*_: object) -> None:
        raise OSError("the archive is full")

    with monkeypatch.context() as broken:
        broken.setattr(world.archive, "put", refuse)
        signing = asyncio.create_task(world.one.signing.run())
        async with asyncio.timeout(10):
            first = await told.get()
    # Until more time has passed it is not counted again.
    await asyncio.sleep(0.01)
    assert told.empty()
    world.time.ms += 400_000
    async with asyncio.timeout(10):
        later = await told.get()
    signing.cancel()

    assert first == (1, 7_000)
    assert later == (0, 0)
    assert _finding(world, match_id) is Finding.VALID


async def test_many_records_are_signed_without_a_pause(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_ids = {await _over(world) for _ in range(5)}
    monkeypatch.setattr(signing_module, "_BATCH", 2)
    monkeypatch.setattr(signing_module, "_INTERVAL", 0.001)
    signing = asyncio.create_task(world.one.signing.run())

    async with asyncio.timeout(10):
        while world.archive.records.keys() != match_ids:
            world.archive.written.clear()
            await world.archive.written.wait()
    signing.cancel()


async def test_the_record_holds_what_the_store_held(world: World) -> None:
    match_id = await _over(world)
    live = await world.one.keeper.load(match_id)

    await world.one.signing.sign_finished()

    keys = {world.signer.key_id: world.signer.public_key}
    verdict = verify_record(world.archive.records[match_id], keys)
    assert verdict.replayed is not None
    state: MatchState = verdict.replayed.state
    assert state == live.state
    assert verdict.replayed.clock == live.clock


async def test_the_first_record_of_a_match_stays_and_no_other_waits_for_ever(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    match_id = await _over(world)
    world.archive.records[match_id] = first = b"an earlier record"

    assert await world.one.signing.sign_finished() == 1

    assert world.archive.records[match_id] is first
    assert f"match {match_id} has ended another time" in caplog.text
    assert await world.store.finished(10) == ()
    assert world.tally.seen["record_signed"] == 0
