"""A tournament calls the bots that are attached, and takes what they answer."""

import time
from dataclasses import replace

import pytest
import pytest_asyncio
from tests.unit.app.cup import Cup
from tests.unit.app.world import Ear, World

from ginref.app.caller import Caller, Role
from ginref.app.error import Reason
from ginref.app.message import Message, Problem, Summoned, Welcome
from ginref.app.request import Commit, Reveal
from ginref.app.session import Session
from ginref.app.summons_work import SummonsAnswer, SummonsWork
from ginref.app.tournament_report import SummonsKind
from ginref.app.tournament_store import bot_topic
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.secret import commit_share

BOT = "bot-000"


@pytest_asyncio.fixture
async def cup(world: World) -> Cup:
    """A tournament whose bots are called to check in."""
    cup = Cup(world=world)
    await cup.process()
    await cup.declare({"format": "single_elimination"})
    await cup.to(Lifecycle.REGISTRATION)
    await cup.enter(2)
    await cup.to(Lifecycle.CHECK_IN)
    return cup


async def attach(cup: Cup, caller: Caller | None = None) -> Ear:
    world = cup.world
    session = Session(
        world.desk,
        world.one.tools,
        caller or world.bot(BOT),
        tournaments=cup.one.desk,
    )
    world.sessions.append(session)
    await session.hello({})
    return Ear(session)


def commitment(cup: Cup) -> bytes:
    return commit_share(cup.name, BOT, cup.share(BOT))


@pytest.mark.parametrize("tournaments", [(), ("cup",)], ids=["any", "in it alone"])
async def test_a_bot_that_attaches_is_called_and_checks_in(
    cup: Cup, tournaments: tuple[str, ...]
) -> None:
    limited = replace(cup.world.bot(BOT), tournament_ids=frozenset(tournaments))
    ear = await attach(cup, limited)
    welcome, called = await ear.until(Welcome), await ear.until(Summoned)

    answer = SummonsAnswer(cup.name, Commit(commitment(cup)))
    ear.session.check_in(answer, time.monotonic() + 0.5)
    await ear.session.finish()

    (head,) = welcome.heads
    assert called.summons.head == head
    assert called.summons.kind is SummonsKind.COMMITMENT
    overview = await cup.one.desk.overview(cup.world.host, cup.name)
    entrant = overview.plan.ledger.entrants[BOT]
    assert overview.head.length == head.length + 1
    assert called.summons.referee_commitment == overview.plan.ledger.referee
    assert entrant.is_checked_in
    assert entrant.commitment == commitment(cup).hex()
    assert entrant.latency is not None
    assert entrant.latency >= 500


async def test_a_bot_is_called_again_when_more_is_asked_of_it(cup: Cup) -> None:
    ear = await attach(cup)
    await ear.until(Summoned)
    ear.session.check_in(SummonsAnswer(cup.name, Commit(commitment(cup))), 0.0)
    while await cup.one.desk.summons(BOT):
        await cup.store.read(cup.name)
    await cup.to(Lifecycle.SEEDING)

    await cup.store.wake(bot_topic(BOT))
    called = await ear.until(Summoned)
    ear.session.check_in(SummonsAnswer(cup.name, Reveal(bytes(32))), 0.0)
    problem = await ear.until(Problem)
    ear.session.check_in(SummonsAnswer(cup.name, Reveal(cup.share(BOT))), 0.0)
    await ear.session.finish()

    assert called.summons.kind is SummonsKind.SHARE
    assert problem.error.reason is Reason.FIELD_INVALID
    overview = await cup.one.desk.overview(cup.world.host, cup.name)
    assert overview.plan.ledger.shares == {BOT: cup.share(BOT).hex()}


@pytest.mark.parametrize(
    "caller",
    [
        pytest.param(Caller(token_id="t", role=Role.BOT, bot="eve"), id="a stranger"),
        pytest.param(
            Caller(
                token_id="t", role=Role.BOT, bot=BOT, match_ids=frozenset({"mother"})
            ),
            id="a bot in one match alone",
        ),
        pytest.param(
            Caller(
                token_id="t", role=Role.BOT, bot=BOT, tournament_ids=frozenset({"eve"})
            ),
            id="a bot in another tournament alone",
        ),
    ],
)
async def test_nobody_else_is_called(cup: Cup, caller: Caller) -> None:
    ear = await attach(cup, caller)
    ear.session.check_in(SummonsAnswer(cup.name, Commit(None)), 0.0)
    await ear.session.finish()

    told = await ear.rest()

    assert isinstance(told[0], Welcome)
    assert told[0].heads == ()
    assert not any(isinstance(message, Summoned) for message in told)
    assert isinstance(told[-1], Problem)
    calls: list[Message] = []
    await SummonsWork(cup.one.desk, cup.world.one.tools, caller, calls.append).call()
    assert not calls
    assert len(await cup.one.desk.summons(BOT)) == 1
