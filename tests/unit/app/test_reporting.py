"""What callers are told of a match."""

from dataclasses import replace
from typing import Any

import pytest

from ginref.app.caller import Caller, Role
from ginref.app.error import RefusedError
from ginref.app.live_match import LiveMatch
from ginref.app.report import PublicEvent, SeatReport
from ginref.app.reporting import match_report, public_report, seat_report
from ginref.engine.card import PACK, CardSet
from ginref.engine.move import DRAW_STOCK, PASS
from ginref.engine.seat import Seat
from ginref.record.setup import DealSource
from ginref.record.share import commit_seat

World = Any
"""The referee of `conftest`, whose class cannot be imported."""

SPECTATOR = Caller(token_id="t", role=Role.SPECTATOR)
SEATS = (Seat.NORTH, Seat.SOUTH)


def _dealt_otherwise(live: LiveMatch, report: SeatReport) -> LiveMatch:
    """The match with all cards turned round that the seat to act cannot know."""
    match = live.state.match
    assert match is not None
    view = report.view
    known = {*view.hand, *(entry.card for entry in view.pile)}
    known |= set(view.opponents[0].known)
    hidden = [card for card in PACK if card not in known]
    swap = dict(zip(hidden, reversed(hidden), strict=True))
    dealt = match.round
    non_dealer, dealer = (
        CardSet.of(swap.get(card, card) for card in hand) for hand in dealt.hands
    )
    deck = (
        *dealt.deck[: dealt.drawn],
        *(swap.get(card, card) for card in dealt.deck[dealt.drawn :]),
    )
    changed = match._replace(
        round=dealt._replace(hands=(non_dealer, dealer), deck=deck)
    )
    assert changed.round.hands != dealt.hands
    return replace(live, state=replace(live.state, match=changed))


async def test_nobody_is_told_anything_that_follows_from_hidden_cards(
    world: World,
) -> None:
    facts = await world.start()
    made = await world.move(facts)
    while not made.ending and made.version < 40:
        turn = await world.turn(facts)
        live = await world.one.keeper.load(facts.match_id)
        other = _dealt_otherwise(live, turn)
        # A log that is at hand is not read again, so both tell of the same steps.
        assert seat_report(other, turn.view.seat) == turn
        assert public_report(other) == public_report(live)
        told = await match_report(world.one.keeper, live, SPECTATOR)
        assert told.seats == ()
        made = await world.move(facts)
    assert made.version > 20


async def test_a_bot_is_told_of_its_own_seat_only(world: World, seat: Seat) -> None:
    facts = await world.start()

    report = await world.desk.get_match(world.player(facts, seat), facts.match_id)

    assert [one.view.seat for one in report.seats] == [seat]
    assert report.public.view is not None


@pytest.mark.parametrize(
    "role", [Role.SPECTATOR, Role.ORGANIZER, Role.OPERATOR], ids=str
)
async def test_no_other_role_is_told_of_a_hand(world: World, role: Role) -> None:
    facts = await world.start()

    report = await world.desk.get_match(
        Caller(token_id="t", role=role, bot=facts.bots[0]), facts.match_id
    )

    assert report.seats == ()


async def test_a_turn_tells_what_happened_since_the_seats_latest_move(
    world: World,
) -> None:
    facts = await world.start(deal_source=DealSource.SEEDED, seed="events")
    first = await world.turn(facts)
    assert first.events == ()
    version, mine = facts.version, first.view.seat
    theirs = Seat(1 - mine)

    async def act(wait_ms: int, *, wrong: bool = False) -> int:
        turn = await world.turn(facts)
        world.time.ms += wait_ms
        if wrong:
            with pytest.raises(RefusedError):
                await world.submit(world.wrong(turn), facts)
        else:
            move = PASS if PASS in turn.view.legal else None
            await world.submit(world.submission(turn, move), facts)
        return int(world.time.ms)

    await act(10)
    struck = await act(20, wrong=True)
    passed = await act(30)
    turn = await world.turn(facts)

    assert turn.view.seat is mine
    assert turn.view.legal == (DRAW_STOCK,)
    assert turn.events == (
        PublicEvent(
            version=version + 1,
            refusal=1,
            time_ms=struck,
            kind="struck",
            seat=theirs,
            strikes=1,
        ),
        PublicEvent(
            version=version + 2,
            refusal=0,
            time_ms=passed,
            kind="played",
            seat=theirs,
            move="pass",
            # A refused move stops no clock.
            elapsed_ms=50,
        ),
    )


async def test_strikes_are_counted_up_in_the_order_they_came(world: World) -> None:
    facts = await world.start(strikes_allowed=2)
    turn = await world.turn(facts)
    for _ in range(3):
        with pytest.raises(RefusedError):
            await world.submit(world.wrong(turn), facts)
    version, mover = facts.version, turn.view.seat

    events = (await world.report(facts, Seat(1 - mover))).events

    assert [(one.kind, one.version, one.refusal, one.strikes) for one in events] == [
        ("struck", version, 1, 1),
        ("struck", version, 2, 2),
        ("struck", version + 1, 0, 3),
        ("ended", version + 1, 0, 0),
    ]
    assert events[-1].ending.seats_at_fault == (mover,)


async def test_a_replica_that_knows_nothing_reports_the_same(world: World) -> None:
    facts = await world.start()
    for _ in range(30):
        turn = await world.turn(facts)
        with pytest.raises(RefusedError):
            await world.submit(world.wrong(turn), facts)
        fresh = await world.replica()
        caller = world.player(facts, turn.view.seat)

        there = await fresh.desk.get_match(caller, facts.match_id)
        here = await world.desk.get_match(caller, facts.match_id)

        assert there == here
        if (await world.move(facts)).ending:
            break
        if turn.clock.strikes[turn.view.seat] == 2:
            facts = await world.start()


async def test_a_log_that_was_read_for_a_report_is_not_read_again(
    world: World,
) -> None:
    facts = await world.start()
    for _ in range(10):
        await world.move(facts)
    fresh = await world.replica()
    turn = await world.turn(facts)
    world.store.asked.clear()

    caller = world.player(facts, turn.view.seat)
    for _ in range(5):
        report = await fresh.desk.get_match(caller, facts.match_id)
        assert report.seats == (turn,)

    assert world.store.asked["log"] == 1


async def test_clocks_tell_banks_and_deadline_of_whoever_is_to_act(
    world: World,
) -> None:
    facts = await world.start()
    turn = await world.turn(facts)

    clock = turn.clock

    assert clock.banks_ms == (facts.clock.bank_ms,) * 2
    assert clock.now_ms == world.time.ms
    assert clock.deadline_ms == world.time.ms + facts.clock.cap_ms
    assert clock.policy == facts.clock
    assert clock.strikes_allowed == 3


async def test_no_deadline_runs_when_the_match_is_over(world: World) -> None:
    facts = await world.start()
    await world.desk.abort_match(world.host, facts.match_id)

    report = await world.desk.get_match(SPECTATOR, facts.match_id)

    assert report.public.clock.deadline_ms is None


async def test_commitments_are_told_when_the_last_seat_has_made_its_own(
    world: World,
) -> None:
    facts = await world.create()
    told = []
    for seat, step in world.steps(facts):
        facts = await world.step(facts, seat, step)
        told.append(facts.commitments)

    before, after = told[:3], told[3:]
    assert before == [()] * 3
    assert after == [
        tuple(commit_seat(facts.match_id, seat, world.share(seat)) for seat in SEATS)
    ] * len(after)
