"""Boards that several tables play: what is told of them, to whom, and when."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from tests.unit.app.cup import Cup
from tests.unit.app.world import World
from tests.unit.tournament.driving import Tournament, better_seed, one_stage

from ginref.app.caller import Caller, Role
from ginref.app.error import Reason, RefusedError
from ginref.app.tournament_embargo import closed_games
from ginref.record.envelope import parse_envelope
from ginref.tournament.event import Cascade, MatchEnded
from ginref.tournament.export import parse_export
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.operation import Correct, Withdraw
from ginref.tournament.plan import plan_ledger
from ginref.tournament.result import Won

SPECTATOR = Caller(token_id="t-eyes", role=Role.SPECTATOR)
MATCH = {
    "ruleset": {"name": "boards", "boards": 2, "next_dealer": "board_parity"},
    "clock": "fast",
}


@pytest.fixture
async def cup(world: World) -> Cup:
    made = Cup(world=world)
    await made.process()
    return made


async def test_results_of_shared_boards_are_told_when_all_tables_are_done(
    cup: Cup,
) -> None:
    swiss: Mapping[str, Any] = {"format": "swiss", "rounds": 2}
    await cup.start(4, swiss, boards="common", trust="closed", match=MATCH)
    await cup.carry_on()
    first, second = await cup.going_on()
    host, desk, matches = cup.world.host, cup.one.desk, cup.one.match_desk
    await cup.finish(first)
    await cup.sign()
    await cup.carry_on()
    whole = await cup.now()
    setup = (await matches.get_match(host, first)).public.facts
    player = cup.world.bot(setup.bots[0])
    other = cup.world.bot((await matches.get_match(host, second)).public.facts.bots[0])

    # Two of the four still play these cards.
    assert isinstance(whole.entries[-1].event, MatchEnded)
    for caller in (SPECTATOR, other):
        overview = await desk.overview(caller, "cup")
        assert overview.entries == whole.entries[:-1]
        assert overview.head == whole.head
        assert await desk.entries(caller, "cup", whole.head.length - 1) == ()
        export = parse_envelope(await desk.export(caller, "cup"))
        assert parse_export(export.payload).entries == whole.entries[:-1]
        for ask in (matches.get_match, matches.match_record):
            with pytest.raises(RefusedError) as caught:
                await ask(caller, first)
            assert caught.value.reason is Reason.BOARD_CLOSED
        listed = (await matches.list_matches(caller, None, 10, None)).matches
        assert first not in {facts.match_id for facts in listed}
    assert (await matches.get_match(player, first)).seats
    with pytest.raises(RefusedError) as caught:
        await matches.match_record(player, first)
    assert caught.value.reason is Reason.BOARD_CLOSED
    assert (await desk.overview(host, "cup")).entries == whole.entries
    leaving = Withdraw(bot=other.bot or "")
    tried = await desk.change(other, "cup", leaving, cup.asking(dry_run=True))
    assert tried.changes == ()
    assert (await cup.do(leaving, dry_run=True)).changes

    await cup.finish(second)
    await cup.sign()
    await cup.carry_on()

    assert (await desk.overview(SPECTATOR, "cup")).entries[len(whole.entries) - 1 :]
    assert json.loads(await matches.match_record(SPECTATOR, first))


async def test_trying_to_leave_opens_no_board(cup: Cup) -> None:
    robin = {"format": "round_robin"}
    await cup.start(4, robin, boards="common", trust="closed", match=MATCH)
    await cup.carry_on()
    first, second = await cup.going_on()
    await cup.to(Lifecycle.PAUSED)
    await cup.finish(first)
    facts = (await cup.one.match_desk.get_match(cup.world.host, second)).public.facts
    await cup.one.match_desk.abort_match(cup.world.host, second)
    await cup.sign()
    await cup.carry_on()
    # The second match was to be played again; whoever leaves forfeits it instead.
    leaver = cup.world.bot(facts.bots[0])

    tried = await cup.one.desk.change(
        leaver, "cup", Withdraw(bot=facts.bots[0]), cup.asking(dry_run=True)
    )

    assert tried.changes == ()


async def test_a_correction_opens_no_board_that_others_still_play(cup: Cup) -> None:
    single = {"format": "single_elimination"}
    await cup.start(8, single, boards="common", trust="closed", match=MATCH)
    await cup.carry_on()
    await cup.play()
    await cup.sign()
    await cup.carry_on()
    done, going = await cup.going_on()
    await cup.finish(done)
    await cup.sign()
    await cup.carry_on()
    live, matches = await cup.now(), cup.one.match_desk
    seen = await cup.one.desk.overview(SPECTATOR, "cup")
    bots = (await matches.get_match(cup.world.host, done)).public.facts.bots
    wrong = next(
        fixture
        for fixture in plan_ledger(live.ledger, live.now_ms).fixtures()
        if fixture.round == 1 and fixture.winner == bots[0]
    )
    loser = next(bot for bot in wrong.entrants if bot != wrong.winner) or ""

    await cup.do(
        Correct(
            fixture=wrong.fixture_id,
            attempt=1,
            result=Won(winner=loser),
            mode=Cascade.RESET_DEPENDENTS,
            reason="seen on tape",
        )
    )
    await cup.carry_on()

    # The other semifinal has the cards of the one that does not count any more.
    for match in (done, going):
        with pytest.raises(RefusedError) as caught:
            await matches.get_match(SPECTATOR, match)
        assert caught.value.reason is Reason.BOARD_CLOSED
    assert (await cup.one.desk.overview(SPECTATOR, "cup")).entries == seen.entries
    await cup.finish(going)
    await cup.sign()
    await cup.carry_on()
    for match in (done, going):
        report = await matches.get_match(SPECTATOR, match)
        assert report.public.facts.match_id == match


async def test_of_a_mirrored_deck_nothing_is_told_between_its_two_legs(
    world: World,
) -> None:
    cup = Cup(world=world, plays=True)
    await cup.process()
    robin = {"format": "round_robin"}
    await cup.start(2, robin, boards="mirrored", resettable=True, match=MATCH)
    await cup.carry_on()
    (first,) = await cup.going_on()
    host, desk, matches = world.host, cup.one.desk, cup.one.match_desk
    player = world.bot((await matches.get_match(host, first)).public.facts.bots[0])
    await cup.finish(first)
    await cup.sign()
    await cup.carry_on()
    (second,) = await cup.going_on()

    # Whoever knows the record knows all cards of the second leg.
    for caller, match, ask in (
        (SPECTATOR, first, matches.match_record),
        (player, first, matches.match_record),
        (SPECTATOR, first, matches.get_match),
        (SPECTATOR, second, matches.get_match),
    ):
        with pytest.raises(RefusedError) as caught:
            await ask(caller, match)
        assert caught.value.reason is Reason.BOARD_CLOSED
    for caller in (SPECTATOR, player):
        events = [one.event for one in await desk.entries(caller, "cup", 0)]
        assert not any(isinstance(event, MatchEnded) for event in events)
    assert await matches.match_record(host, first)

    await cup.finish(second)
    await cup.sign()
    await cup.carry_on()

    for match in (first, second):
        assert json.loads(await matches.match_record(SPECTATOR, match))
    await cup.run()
    await cup.check()


def test_of_two_legs_the_first_is_closed_until_the_second_one_has_ended() -> None:
    document = one_stage(
        {"format": "round_robin"}, boards="mirrored", resettable=True, match=MATCH
    )
    tournament = Tournament(document)
    tournament.start(2)
    closed = []
    for _ in range(2):
        (order,) = tournament.settle().orders
        tournament.begin(order)
        closed.append(closed_games(tournament.plan()))
        fixture = tournament.plan().fixture(order.fixture)
        assert fixture is not None
        tournament.finish(order, better_seed(fixture, order))
        closed.append(closed_games(tournament.plan()))

    games = [{number for _, _, number in found} for found in closed]
    assert games == [{1}, {1}, {1, 2}, set()]
