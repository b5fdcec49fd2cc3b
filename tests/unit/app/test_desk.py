"""Creating matches, looking at them and ending them."""

import asyncio
from typing import Any

import pytest

from ginref.app.caller import Caller, Role
from ginref.app.error import Reason, RefusedError
from ginref.engine.move import PASS
from ginref.engine.ruleset import GIN, HOLLYWOOD
from ginref.engine.seat import Seat
from ginref.record.clock import STANDARD
from ginref.record.lifecycle import EndingKind, Fault, Stage
from ginref.record.setup import DealSource, statement
from ginref.record.submission import Submission
from ginref.record.verify import Finding, verify_record

World = Any
"""The referee of `conftest`, whose class cannot be imported."""


def _caller(role: Role, **facts: Any) -> Caller:  # noqa: ANN401
    return Caller(token_id=f"t-{role}", role=role, **facts)


BOT = _caller(Role.BOT, bot="careful")
SPECTATOR = _caller(Role.SPECTATOR)
OPERATOR = _caller(Role.OPERATOR)
NOT_HOSTS = pytest.mark.parametrize("caller", [BOT, SPECTATOR], ids=lambda c: c.role)


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({}, id="shares"),
        pytest.param({"deal_source": DealSource.SEEDED, "seed": "a seed"}, id="seeded"),
    ],
)
async def test_a_match_played_to_its_end_gets_a_record_that_proves_it(
    world: World, changes: dict[str, Any]
) -> None:
    facts = await world.start(**changes)

    last = await world.play_out(facts)
    signed = await world.one.signing.sign_finished()

    envelope = await world.desk.match_record(SPECTATOR, facts.match_id)
    verdict = verify_record(envelope, {world.signer.key_id: world.signer.public_key})
    assert signed == 1
    assert verdict.finding is Finding.VALID, verdict.problem
    assert verdict.replayed is not None
    assert verdict.replayed.state.ending == last.ending
    assert verdict.move_count == world.tally.seen["accepted"]
    assert verdict.round_count == world.tally.seen["round_over"]
    assert world.tally.seen["match_over", "completed"] == 1


async def test_a_new_match_offers_its_seats(world: World) -> None:
    facts = await world.create(clock=STANDARD, strikes_allowed=1)

    assert facts.stage is Stage.FORMING
    assert facts.version == 1
    assert facts.ending is None
    assert facts.created_ms == world.time.ms
    report = await world.desk.get_match(SPECTATOR, facts.match_id)
    assert report.public.facts == facts
    assert report.public.view is None
    assert report.public.clock.deadline_ms == world.time.ms + STANDARD.start_ms
    assert report.seats == ()
    assert world.tally.seen["match_created"] == 1


async def test_a_new_match_comes_with_a_signed_promise_of_the_referee(
    world: World,
) -> None:
    facts = await world.create()

    promise = statement(facts.match_id, facts.ruleset, facts.bots, facts.commitment)
    assert facts.signature == world.signer.sign(promise)
    assert facts.key_id == world.signer.key_id


async def test_the_same_request_gives_the_same_match(world: World) -> None:
    asked = world.new()
    first = await world.desk.create_match(world.host, asked)
    other = await world.replica()

    again = await world.desk.create_match(world.host, asked)
    elsewhere = await other.desk.create_match(world.host, asked)

    assert first == again == elsewhere
    assert world.tally.seen["match_created"] == 1
    listed = await world.desk.list_matches(world.host, None, 10, None)
    assert listed.matches == (first,)


async def test_of_many_equal_requests_at_once_one_makes_the_match(
    world: World,
) -> None:
    asked, other = world.new(), await world.replica()

    made = await asyncio.gather(
        *(desk.create_match(world.host, asked) for desk in [world.desk, other.desk] * 8)
    )

    assert len({facts.match_id for facts in made}) == 1
    assert len({facts.commitment for facts in made}) == 1
    assert world.tally.seen["match_created"] == 1


async def test_another_caller_with_the_same_request_id_gets_a_match_of_its_own(
    world: World,
) -> None:
    asked = world.new()

    mine = await world.desk.create_match(world.host, asked)
    theirs = await world.desk.create_match(OPERATOR, asked)

    assert mine.match_id != theirs.match_id


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"ruleset": HOLLYWOOD}, id="ruleset"),
        pytest.param({"bots": ("greedy", "careful")}, id="bots"),
        pytest.param({"clock": STANDARD}, id="clock"),
        pytest.param({"strikes_allowed": 0}, id="strikes"),
        pytest.param({"deal_source": DealSource.SEEDED, "seed": "x"}, id="seed"),
    ],
)
async def test_a_request_id_with_other_content_is_refused(
    world: World, change: dict[str, Any]
) -> None:
    asked = world.new()
    await world.desk.create_match(world.host, asked)
    other = world.new(request_id=asked.request_id, **change)

    with pytest.raises(RefusedError) as refused:
        await world.desk.create_match(world.host, other)

    assert refused.value.reason is Reason.REQUEST_ID_REUSED
    assert refused.value.facts == {"request_id": asked.request_id}


@pytest.mark.parametrize(
    ("change", "reason", "facts"),
    [
        pytest.param(
            {"bots": ("careful", "nobody")},
            Reason.BOT_NOT_FOUND,
            {"bot": "nobody"},
            id="unknown bot",
        ),
        pytest.param(
            {"bots": ("careful",)}, Reason.FIELD_INVALID, {"field": "bots"}, id="one"
        ),
        pytest.param(
            {"bots": ("careful", "greedy", "third")},
            Reason.FIELD_INVALID,
            {"field": "bots"},
            id="three",
        ),
        pytest.param(
            {"seed": "x"}, Reason.FIELD_INVALID, {"field": "seed"}, id="needless seed"
        ),
        pytest.param(
            {"deal_source": DealSource.SEEDED},
            Reason.FIELD_MISSING,
            {"field": "seed"},
            id="no seed",
        ),
    ],
)
async def test_a_match_that_cannot_be_is_refused(
    world: World, change: dict[str, Any], reason: Reason, facts: dict[str, str]
) -> None:
    with pytest.raises(RefusedError) as refused:
        await world.create(**change)

    assert refused.value.reason is reason
    assert refused.value.facts == facts
    listed = await world.desk.list_matches(world.host, None, 10, None)
    assert listed.matches == ()


async def test_seeds_are_refused_unless_the_referee_takes_them(world: World) -> None:
    strict = await world.replica(allow_seeded=False)
    asked = world.new(deal_source=DealSource.SEEDED, seed="x")

    with pytest.raises(RefusedError) as refused:
        await strict.desk.create_match(world.host, asked)

    assert refused.value.reason is Reason.SEEDED_NOT_ALLOWED


@NOT_HOSTS
async def test_only_hosts_create_matches(world: World, caller: Caller) -> None:
    with pytest.raises(RefusedError) as refused:
        await world.desk.create_match(caller, world.new())

    assert refused.value.reason is Reason.ROLE_NOT_ALLOWED
    assert refused.value.facts == {"role": caller.role, "call": "CreateMatch"}


async def test_a_host_whose_token_is_limited_creates_no_other_match(
    world: World,
) -> None:
    limited = _caller(Role.ORGANIZER, match_ids=frozenset({"m1"}))

    with pytest.raises(RefusedError) as refused:
        await world.desk.create_match(limited, world.new())

    assert refused.value.reason is Reason.SEAT_NOT_YOURS


async def test_an_unknown_match_is_not_found(world: World) -> None:
    calls = [
        world.desk.get_match(SPECTATOR, "m1"),
        world.desk.match_record(SPECTATOR, "m1"),
        world.desk.resign_match(BOT, "m1", Seat.NORTH),
        world.desk.abort_match(world.host, "m1"),
        world.desk.time_out("m1"),
    ]
    for call in calls:
        with pytest.raises(RefusedError) as refused:
            await call
        assert refused.value.reason is Reason.MATCH_NOT_FOUND


async def test_a_limited_token_reaches_its_own_matches_only(world: World) -> None:
    facts = await world.create()
    other = frozenset({"m1"})
    bot = _caller(Role.BOT, bot="careful", match_ids=other)
    host = _caller(Role.ORGANIZER, match_ids=other)
    unknown = Submission(
        match_id="m2", seat=Seat.NORTH, expected_version=1, request_id="x", move=PASS
    )
    calls = [
        world.desk.submit_move(bot, unknown, 0.0),
        world.desk.get_match(bot, facts.match_id),
        world.desk.match_record(bot, facts.match_id),
        world.desk.resign_match(bot, facts.match_id, Seat.NORTH),
        world.desk.abort_match(host, facts.match_id),
    ]
    for call in calls:
        with pytest.raises(RefusedError) as refused:
            await call
        assert refused.value.reason is Reason.SEAT_NOT_YOURS
    assert (await world.desk.list_matches(bot, None, 10, None)).matches == ()
    mine = _caller(Role.BOT, bot="careful", match_ids=frozenset({facts.match_id}))
    listed = await world.desk.list_matches(mine, None, 10, None)
    assert listed.matches == (facts,)


async def test_matches_are_listed_newest_first_and_page_by_page(world: World) -> None:
    made = []
    for number in range(5):
        world.time.ms += 1
        bots = ("careful", "third" if number % 2 else "greedy")
        made.append(await world.create(bots=bots))

    first = await world.desk.list_matches(SPECTATOR, None, 3, None)
    rest = await world.desk.list_matches(SPECTATOR, None, 3, first.cursor)
    third = await world.desk.list_matches(SPECTATOR, "third", 3, None)

    assert [*first.matches, *rest.matches] == made[::-1]
    assert rest.cursor is None
    assert third.matches == (made[3], made[1])


async def test_a_page_token_of_another_kind_is_refused(world: World) -> None:
    with pytest.raises(RefusedError) as refused:
        await world.desk.list_matches(SPECTATOR, None, 3, "nonsense")

    assert refused.value.reason is Reason.FIELD_INVALID
    assert refused.value.facts == {"field": "page_token"}


async def test_a_seat_that_resigns_loses_at_once(world: World, seat: Seat) -> None:
    facts = await world.start()

    after = await world.desk.resign_match(
        world.player(facts, seat), facts.match_id, seat
    )

    assert after.stage is Stage.OVER
    assert after.ending.kind is EndingKind.RESIGNED
    assert after.ending.winner is not seat
    assert after.ending.seats_at_fault == (seat,)
    assert world.tally.seen["match_over", "resigned"] == 1


async def test_resigning_again_is_fine_but_not_for_the_winner(world: World) -> None:
    facts = await world.start()
    north, south = (world.player(facts, seat) for seat in (Seat.NORTH, Seat.SOUTH))
    first = await world.desk.resign_match(north, facts.match_id, Seat.NORTH)

    again = await world.desk.resign_match(north, facts.match_id, Seat.NORTH)
    with pytest.raises(RefusedError) as refused:
        await world.desk.resign_match(south, facts.match_id, Seat.SOUTH)

    assert first == again
    assert refused.value.reason is Reason.MATCH_OVER
    assert refused.value.facts == {"ending": "resigned"}


async def test_of_two_resignations_at_once_the_first_one_counts(world: World) -> None:
    facts, other = await world.start(), await world.replica()

    ended = await asyncio.gather(
        world.desk.resign_match(
            world.player(facts, Seat.NORTH), facts.match_id, Seat.NORTH
        ),
        other.desk.resign_match(
            world.player(facts, Seat.SOUTH), facts.match_id, Seat.SOUTH
        ),
        return_exceptions=True,
    )

    assert sorted(isinstance(one, RefusedError) for one in ended) == [False, True]


async def test_nobody_resigns_for_another(world: World) -> None:
    facts = await world.start()
    for caller in (world.player(facts, Seat.SOUTH), world.bot("third")):
        with pytest.raises(RefusedError) as refused:
            await world.desk.resign_match(caller, facts.match_id, Seat.NORTH)
        assert refused.value.reason is Reason.SEAT_NOT_YOURS
    with pytest.raises(RefusedError) as refused:
        await world.desk.resign_match(world.host, facts.match_id, Seat.NORTH)
    assert refused.value.reason is Reason.ROLE_NOT_ALLOWED


async def test_a_host_ends_a_match_without_a_winner_even_late(world: World) -> None:
    facts = await world.start()
    world.time.ms += 10_000_000

    first = await world.desk.abort_match(world.host, facts.match_id)
    again = await world.desk.abort_match(OPERATOR, facts.match_id)

    assert first == again
    assert first.ending.kind is EndingKind.ABORTED
    assert first.ending.winner is None
    assert first.ending.fault is Fault.ORGANIZER


async def test_a_match_that_is_over_is_not_aborted(world: World) -> None:
    facts = await world.start()
    await world.desk.resign_match(BOT, facts.match_id, Seat.NORTH)

    with pytest.raises(RefusedError) as refused:
        await world.desk.abort_match(world.host, facts.match_id)

    assert refused.value.reason is Reason.MATCH_OVER


@NOT_HOSTS
async def test_only_hosts_abort_matches(world: World, caller: Caller) -> None:
    facts = await world.start()

    with pytest.raises(RefusedError) as refused:
        await world.desk.abort_match(caller, facts.match_id)

    assert refused.value.reason is Reason.ROLE_NOT_ALLOWED


async def test_there_is_no_record_before_the_match_is_over(world: World) -> None:
    facts = await world.start()

    with pytest.raises(RefusedError) as refused:
        await world.desk.match_record(SPECTATOR, facts.match_id)

    assert refused.value.reason is Reason.RECORD_NOT_READY
    assert refused.value.facts == {"stage": "playing"}


async def test_a_bot_may_play_both_seats(world: World) -> None:
    facts = await world.start(bots=("careful", "careful"))

    report = await world.desk.get_match(BOT, facts.match_id)
    last = await world.play_out(facts)

    assert [one.view.seat for one in report.seats] == [Seat.NORTH, Seat.SOUTH]
    assert last.ending.kind is EndingKind.COMPLETED


async def test_only_two_seats_can_be_dealt_to(world: World) -> None:
    assert GIN.seat_count == len((await world.create()).bots)
