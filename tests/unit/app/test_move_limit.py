"""The limit of moves: it hits what is repeated or made up, and never a first move."""

from collections.abc import Awaitable
from contextlib import suppress

import pytest
from tests.unit.app.judgment import World

from ginref.app.allowance import Allowance
from ginref.app.desk import Desk
from ginref.app.error import Reason, RefusedError
from ginref.app.limit import Cap, Kind, Limits, Rate
from ginref.app.port import StoreUnavailableError
from ginref.app.report import MatchFacts
from ginref.engine.seat import Seat
from ginref.record.submission import Submission

BURST = 5

TIGHT = Limits({Kind.MOVES: Rate(1, BURST)}, {Cap.MATCHES: 2})


async def _limited(world: World) -> Desk:
    """Start a replica that limits moves; return its desk."""
    allowance = Allowance(TIGHT, world.time.seconds)
    desk: Desk = (await world.replica(allowance=allowance)).desk
    return desk


async def _refusal(call: Awaitable[object]) -> RefusedError:
    with pytest.raises(RefusedError) as refused:
        await call
    return refused.value


async def _exhaust(
    world: World, desk: Desk, facts: MatchFacts, said: Submission
) -> None:
    """Repeat a submission until the limit is reached, and once more."""
    for _ in range(BURST + 1):
        with suppress(RefusedError):
            await world.submit(said, facts, desk)
    error = await _refusal(world.submit(said, facts, desk))
    assert error.reason is Reason.RATE_LIMITED
    assert error.facts["limit"] == "moves"
    assert int(error.facts["resets_ms"]) > 0


async def test_repeating_is_limited_and_every_first_move_passes(world: World) -> None:
    desk = await _limited(world)
    facts = await world.start()
    for _ in range(12):
        said = world.submission(await world.turn(facts))
        first = await world.submit(said, facts, desk)
        await _exhaust(world, desk, facts, said)

        world.time.ms += 1_000
        assert await world.submit(said, facts, desk) == first


async def test_a_first_move_passes_where_the_match_is_not_known_yet(
    world: World,
) -> None:
    desk = await _limited(world)
    facts = await world.start()
    for _ in range(6):
        first = world.submission(await world.turn(facts))
        await world.submit(first, facts, desk)
        await _exhaust(world, desk, facts, first)
        # The opponent plays elsewhere, of which this replica has not heard.
        while (turn := await world.turn(facts)).view.seat is not first.seat:
            await world.submit(world.submission(turn), facts, world.desk)

    said = world.submission(await world.turn(facts))
    assert (await world.submit(said, facts, desk)).version > said.expected_version


async def test_a_move_that_the_store_could_not_take_passes_until_it_can(
    world: World,
) -> None:
    desk = await _limited(world)
    facts = await world.start()
    said = world.submission(await world.turn(facts))
    world.store.away = True
    for _ in range(3 * BURST):
        with pytest.raises(StoreUnavailableError):
            await world.submit(said, facts, desk)
    world.store.away = False

    assert (await world.submit(said, facts, desk)).version > said.expected_version


async def test_an_illegal_move_is_judged_and_its_repetition_limited(
    world: World,
) -> None:
    desk = await _limited(world)
    facts = await world.start()
    said = world.submission(await world.turn(facts))
    await world.submit(said, facts, desk)
    await _exhaust(world, desk, facts, said)
    while (turn := await world.turn(facts)).view.seat is not said.seat:
        await world.submit(world.submission(turn), facts, desk)
    illegal = world.wrong(turn)

    error = await _refusal(world.submit(illegal, facts, desk))

    assert "strikes_left" in error.facts
    repeated = await _refusal(world.submit(illegal, facts, desk))
    assert repeated.reason is Reason.RATE_LIMITED


@pytest.mark.parametrize(
    ("match_id", "seat", "reason"),
    [
        pytest.param("mnowhere", Seat.NORTH, Reason.MATCH_NOT_FOUND, id="nowhere"),
        pytest.param("", Seat.SOUTH, Reason.SEAT_NOT_YOURS, id="the opponent's"),
    ],
)
async def test_moves_of_others_are_limited(
    world: World, match_id: str, seat: Seat, reason: Reason
) -> None:
    desk = await _limited(world)
    facts = await world.start()
    turn = await world.turn(facts)
    said = world.submission(turn)
    caller = world.player(facts, Seat.NORTH)
    reasons = [
        (
            await _refusal(
                desk.submit_move(
                    caller,
                    Submission(
                        match_id=match_id or facts.match_id,
                        seat=seat,
                        expected_version=number,
                        request_id=f"r{number}",
                        move=said.move,
                    ),
                    0.0,
                )
            )
        ).reason
        for number in range(BURST + 2)
    ]

    assert reasons == [reason] * BURST + [Reason.RATE_LIMITED] * 2


async def test_matches_that_are_over_make_room_for_others(world: World) -> None:
    desk = await _limited(world)
    world.host = world.bot("host")
    made = [await desk.opening.open(world.host, world.new()) for _ in range(2)]

    error = await _refusal(desk.opening.open(world.host, world.new()))
    assert (error.reason, error.facts["limit"]) == (Reason.LIMIT_EXCEEDED, "matches")
    # One ends here, and then one elsewhere.
    for facts, where in zip(made, (desk, world.desk), strict=True):
        await where.resign_match(
            world.player(facts, Seat.NORTH), facts.match_id, Seat.NORTH
        )
        await desk.opening.open(world.host, world.new())
        assert (
            await _refusal(desk.opening.open(world.host, world.new()))
        ).reason is Reason.LIMIT_EXCEEDED
