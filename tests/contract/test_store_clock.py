"""What every store promises of clocks and deadlines."""

from dataclasses import replace

from tests.contract.store_table import CLOCK, LATE_MS, Table, applied, creation, move


async def test_a_move_is_paid_from_the_movers_bank(table: Table) -> None:
    await table.store.create(creation())
    await table.store.apply(move(1))
    await table.age("m1", 7_000)
    before = await table.held()

    moved = await applied(table.store.apply(move(2, mover=0)))

    elapsed_ms = moved.now_ms - before.clock.started_ms
    assert elapsed_ms >= 7_000
    left_ms = CLOCK.bank_ms - (elapsed_ms - CLOCK.free_ms)
    assert moved.clock.elapsed_ms == elapsed_ms
    assert moved.clock.banks_ms == (left_ms, CLOCK.bank_ms)
    assert moved.clock.started_ms == moved.now_ms
    assert moved.clock.to_act == 1
    assert moved.clock.deadline_ms == moved.now_ms + CLOCK.cap_ms
    assert (await table.held()).clock == moved.clock


async def test_a_step_without_a_mover_costs_nobody(table: Table) -> None:
    await table.store.create(creation())
    await table.store.apply(move(1))
    await table.age("m1", 7_000)

    moved = await applied(table.store.apply(move(2)))

    assert moved.clock.banks_ms == (CLOCK.bank_ms, CLOCK.bank_ms)
    assert moved.clock.elapsed_ms == 0


async def test_a_deadline_is_free_time_and_what_is_left_of_the_bank(
    table: Table,
) -> None:
    await table.store.create(creation(clock=replace(CLOCK, bank_ms=9_000)))

    moved = await applied(table.store.apply(move(1)))

    assert moved.clock.deadline_ms == moved.now_ms + 10_000


async def test_a_window_is_a_deadline_of_its_own(table: Table) -> None:
    await table.store.create(creation())

    moved = await applied(table.store.apply(move(1, to_act=None, window_ms=1234)))

    assert moved.clock.to_act is None
    assert moved.clock.started_ms == moved.now_ms
    assert moved.clock.deadline_ms == moved.now_ms + 1234


async def test_a_step_with_neither_seat_nor_window_keeps_the_deadline(
    table: Table,
) -> None:
    made = await applied(table.store.create(creation()))

    moved = await applied(table.store.apply(move(1, to_act=None)))

    assert moved.clock.deadline_ms == made.clock.deadline_ms
    assert await table.store.due(5) == ()
    await table.age("m1", LATE_MS)
    assert await table.store.due(5) == ("m1",)


async def test_matches_are_due_in_order_of_their_deadlines(table: Table) -> None:
    ids = [f"m{number}" for number in range(9)]
    for number, match_id in enumerate(ids):
        start_ms = 1_000 * (9 - number)
        clock = replace(CLOCK, start_ms=start_ms, grace_ms=60_000)
        await table.store.create(creation(match_id, clock=clock))
    assert await table.store.due(20) == ()

    for match_id in ids:
        await table.age(match_id, LATE_MS)
    await table.store.create(creation("new"))

    assert await table.store.due(20) == tuple(reversed(ids))
    assert await table.store.due(3) == ("m8", "m7", "m6")


async def test_a_step_moves_the_match_out_of_what_is_due(table: Table) -> None:
    await table.store.create(creation())
    await table.age("m1", LATE_MS)
    assert await table.store.due(5) == ("m1",)

    await table.store.apply(move(1, judge_time=False))

    assert await table.store.due(5) == ()


async def test_time_of_a_match_never_runs_backwards(table: Table) -> None:
    made = await applied(table.store.create(creation()))
    times = [made.now_ms]
    for version in range(1, 20):
        moved = await applied(table.store.apply(move(version)))
        times += [moved.now_ms, (await table.held()).now_ms]

    assert times == sorted(times)
