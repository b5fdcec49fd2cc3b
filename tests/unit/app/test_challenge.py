"""Casual play: whom a bot may challenge, and how often."""

import asyncio
import json
from collections.abc import Awaitable
from dataclasses import replace

import pytest
from tests.unit.app.judgment import World
from tests.unit.app.world import SHORT

from ginref.app.caller import Caller, Role
from ginref.app.challenge import LIVE_MOST, Challenge, Challenges
from ginref.app.error import Reason, RefusedError
from ginref.app.message import Offer
from ginref.app.registry_row import BotRow, read_bot, write_bot
from ginref.app.report import MatchFacts
from ginref.engine.seat import Seat
from ginref.record.clock import FAST
from ginref.record.lifecycle import Stage

HOUSE = "house.simple"
CAREFUL = Caller(token_id="t-bot", role=Role.BOT, bot="careful")
GREEDY = Caller(token_id="t-greedy", role=Role.BOT, bot="greedy")
LIMITED = replace(CAREFUL, match_ids=frozenset({"m1"}))
OF_A_CUP = replace(CAREFUL, tournament_ids=frozenset({"cup"}))
SPECTATOR = Caller(token_id="t-spectator", role=Role.SPECTATOR)
HOST = Caller(token_id="t-host", role=Role.ORGANIZER)

ASKED = Challenge(request_id="a", opponent=HOUSE, ruleset=SHORT, clock=FAST)


@pytest.fixture
async def challenges(world: World) -> Challenges:
    await world.gate.create_owner(world.host, "house")
    await world.gate.create_bot(world.host, HOUSE, "house", house=True)
    return Challenges(world.one.tools, world.desk.opening)


async def refused(call: Awaitable[object]) -> RefusedError:
    with pytest.raises(RefusedError) as refusal:
        await call
    return refusal.value


def ask(
    challenges: Challenges, number: object, opponent: str = HOUSE
) -> Awaitable[MatchFacts]:
    asked = replace(ASKED, request_id=str(number), opponent=opponent)
    return challenges.challenge(CAREFUL, asked)


async def test_a_bot_of_the_house_is_offered_the_match_and_so_is_the_challenger(
    world: World, challenges: Challenges
) -> None:
    ears = [await world.attach(bot) for bot in ("careful", HOUSE)]

    facts = await challenges.challenge(CAREFUL, ASKED)

    assert (facts.bots, facts.stage) == (("careful", HOUSE), Stage.FORMING)
    assert (facts.ruleset, facts.clock, facts.strikes_allowed) == (SHORT, FAST, 3)
    offers = [(await ear.until(Offer)) for ear in ears]
    assert [offer.seat for offer in offers] == [Seat.NORTH, Seat.SOUTH]
    assert {offer.facts.match_id for offer in offers} == {facts.match_id}


async def test_a_bot_is_challenged_while_it_consents(
    world: World, challenges: Challenges
) -> None:
    first = await refused(ask(challenges, 1, opponent="greedy"))
    await world.gate.set_bot_consent(GREEDY, None, accepts_challenges=True)
    facts = await ask(challenges, 1, opponent="greedy")
    await world.gate.set_bot_consent(HOST, "greedy", accepts_challenges=False)
    again = await ask(challenges, 1, opponent="greedy")
    last = await refused(ask(challenges, 2, opponent="greedy"))

    assert first.reason is last.reason is Reason.CHALLENGE_NOT_ALLOWED
    assert last.facts == {"opponent": "greedy"}
    assert facts.bots == ("careful", "greedy")
    # What was asked for before it changed its mind is the same match.
    assert again.match_id == facts.match_id


@pytest.mark.parametrize(
    ("caller", "opponent", "why"),
    [
        pytest.param(HOST, HOUSE, Reason.ROLE_NOT_ALLOWED, id="by a host"),
        pytest.param(SPECTATOR, HOUSE, Reason.ROLE_NOT_ALLOWED, id="by a spectator"),
        pytest.param(LIMITED, HOUSE, Reason.SEAT_NOT_YOURS, id="for another match"),
        pytest.param(OF_A_CUP, HOUSE, Reason.SEAT_NOT_YOURS, id="for a tournament"),
        pytest.param(CAREFUL, "careful", Reason.FIELD_INVALID, id="of itself"),
        pytest.param(CAREFUL, "nobody", Reason.BOT_NOT_FOUND, id="of nobody"),
    ],
)
async def test_other_challenges_are_refused(
    world: World, challenges: Challenges, caller: Caller, opponent: str, why: Reason
) -> None:
    asked = replace(ASKED, opponent=opponent)

    assert (await refused(challenges.challenge(caller, asked))).reason is why
    assert (await world.desk.list_matches(HOST, None, 5, None)).matches == ()
    assert not await world.registry.rows("challenge"), "it has taken a place"


async def test_the_same_request_is_the_same_match(
    world: World, challenges: Challenges
) -> None:
    other = await world.replica()
    facts = await ask(challenges, 1)

    again = await ask(Challenges(other.tools, other.desk.opening), 1)
    reused = await refused(ask(challenges, 1, opponent="careful"))
    theirs = await challenges.challenge(GREEDY, replace(ASKED, request_id="1"))

    assert again.match_id == facts.match_id
    assert reused.reason is Reason.REQUEST_ID_REUSED
    assert theirs.match_id != facts.match_id


async def test_no_bot_floods_another_however_it_asks(
    world: World, challenges: Challenges
) -> None:
    other = await world.replica()
    both = challenges, Challenges(other.tools, other.desk.opening)

    answers = await asyncio.gather(
        *(ask(both[number % 2], number) for number in range(40)),
        return_exceptions=True,
    )

    made = [facts for facts in answers if isinstance(facts, MatchFacts)]
    errors = [error for error in answers if isinstance(error, RefusedError)]
    assert (len(made), len(errors)) == (LIVE_MOST, 40 - LIVE_MOST)
    assert {error.reason for error in errors} == {Reason.LIMIT_EXCEEDED}
    assert errors[0].facts == {"limit": "challenges"}
    assert len(await world.store.live_matches(HOUSE)) == LIVE_MOST
    # Others are not concerned.
    await challenges.challenge(GREEDY, ASKED)


async def test_a_match_that_is_over_makes_room_but_not_at_once(
    world: World, challenges: Challenges
) -> None:
    first, *_ = [await ask(challenges, number) for number in range(LIVE_MOST)]
    assert (await refused(ask(challenges, "more"))).reason is Reason.LIMIT_EXCEEDED

    await world.desk.abort_match(world.host, first.match_id)

    assert (await refused(ask(challenges, "more"))).reason is Reason.LIMIT_EXCEEDED
    now_ms = world.one.tools.now_ms()
    tools = replace(world.one.tools, now_ms=lambda: now_ms + 1_000)
    later = Challenges(tools, world.desk.opening)
    assert (await ask(later, "more")).match_id != first.match_id
    assert (await refused(ask(later, "most"))).reason is Reason.LIMIT_EXCEEDED


async def test_a_match_that_was_never_made_makes_room_after_a_minute(
    world: World, challenges: Challenges
) -> None:
    now_ms = world.one.tools.now_ms()
    half_made = {f"m{number}": now_ms for number in range(LIVE_MOST)}
    await world.registry.add("challenge", "careful", json.dumps(half_made))
    assert (await refused(ask(challenges, 1))).reason is Reason.LIMIT_EXCEEDED

    tools = replace(world.one.tools, now_ms=lambda: now_ms + 61_000)

    assert (await ask(Challenges(tools, world.desk.opening), 1)).match_id


async def test_who_may_say_that_a_bot_accepts_challenges(world: World) -> None:
    gate = world.gate
    rows = [
        await gate.set_bot_consent(GREEDY, None, accepts_challenges=True),
        await gate.set_bot_consent(HOST, "careful", accepts_challenges=True),
        await gate.set_bot_consent(HOST, "careful", accepts_challenges=True),
    ]
    strangers = [
        await refused(gate.set_bot_consent(caller, name, accepts_challenges=False))
        for caller, name in (
            (SPECTATOR, "greedy"),
            (CAREFUL, "greedy"),
            (LIMITED, None),
            (OF_A_CUP, None),
            (HOST, None),
            (HOST, "nobody"),
        )
    ]

    assert [row.accepts_challenges for row in rows] == [True] * 3
    told = {row.name: row.accepts_challenges for row in await gate.list_bots(SPECTATOR)}
    assert told == {"careful": True, "greedy": True, "third": False}
    assert [error.reason for error in strangers] == [
        Reason.ROLE_NOT_ALLOWED,
        Reason.SEAT_NOT_YOURS,
        Reason.SEAT_NOT_YOURS,
        Reason.SEAT_NOT_YOURS,
        Reason.FIELD_MISSING,
        Reason.BOT_NOT_FOUND,
    ]


def test_a_row_without_consent_is_as_it_was_before_there_was_any() -> None:
    silent = BotRow(name="old", owner="ada", house=False, created_ms=5)
    open_to_all = replace(silent, accepts_challenges=True)

    assert "accepts_challenges" not in json.loads(write_bot(silent))
    for row in (silent, open_to_all):
        assert read_bot(write_bot(row)) == row
