"""What organizers, bots and spectators ask of tournaments, and what they are told."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
import pytest_asyncio
from tests.unit.app.cup import Cup
from tests.unit.app.world import World

from ginref.app.caller import Caller, Role
from ginref.app.error import Reason, RefusedError
from ginref.app.tournament_report import SummonsKind
from ginref.tournament.event import (
    Advanced,
    CheckedIn,
    CodesIssued,
    Created,
    ShareCommitted,
)
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.operation import (
    Advance,
    CheckIn,
    CommitShare,
    OpenSecret,
    Operation,
    SeedField,
    Withdraw,
)

SINGLE = {"format": "single_elimination"}
SPECTATOR = Caller(token_id="t-eyes", role=Role.SPECTATOR)


@pytest_asyncio.fixture
async def cup(world: World) -> Cup:
    made = Cup(world=world)
    await made.process()
    return made


async def refused(cup: Cup, operation: Operation, **asking: object) -> RefusedError:
    """Return why the organizer is refused."""
    with pytest.raises(RefusedError) as caught:
        await cup.do(operation, **asking)
    return caught.value


def document(**changes: object) -> dict[str, Any]:
    return {"name": "cup", "stages": [{"name": "main", **SINGLE}], **changes}


async def test_a_tournament_is_created_under_its_name(cup: Cup) -> None:
    host, desk = cup.world.host, cup.one.desk

    changed, overview = await desk.create(host, document(title="Cup"), cup.asking())

    assert (changed.tournament, changed.version, changed.is_new) == ("cup", 1, True)
    assert overview.configuration.title == "Cup"
    assert overview.head.digest == changed.head
    assert isinstance((await cup.now()).entries[0].event, Created)


async def test_the_same_creation_again_changes_nothing(cup: Cup) -> None:
    host, desk = cup.world.host, cup.one.desk
    first, _ = await desk.create(host, document(), cup.asking())

    again, overview = await desk.create(host, document(), cup.asking())

    assert again == replace(first, is_new=False)
    assert len(overview.entries) == 1


async def test_a_name_is_taken_for_good(cup: Cup) -> None:
    host, desk = cup.world.host, cup.one.desk
    await desk.create(host, document(), cup.asking())
    await cup.to(Lifecycle.CANCELLED)

    for dry_run in (True, False):
        with pytest.raises(RefusedError) as caught:
            await desk.create(
                host, document(title="Again"), cup.asking(dry_run=dry_run)
            )
        assert caught.value.reason is Reason.NAME_TAKEN


async def test_a_creation_can_be_tried_first(cup: Cup) -> None:
    host, desk = cup.world.host, cup.one.desk

    _, overview = await desk.create(host, document(), cup.asking(dry_run=True))

    assert overview.plan.ledger.lifecycle is Lifecycle.DRAFT
    with pytest.raises(RefusedError) as caught:
        await desk.overview(host, "cup")
    assert caught.value.reason is Reason.TOURNAMENT_NOT_FOUND


async def test_a_wrong_configuration_is_refused_by_its_path(cup: Cup) -> None:
    wrong = document(stages=[{"name": "main", "format": "swiss"}])

    with pytest.raises(RefusedError) as caught:
        await cup.one.desk.create(cup.world.host, wrong, cup.asking())

    assert caught.value.reason is Reason.CONFIGURATION_INVALID
    assert caught.value.facts["field"] == "stages[0].rounds"


@pytest.mark.parametrize(
    ("entry", "field"),
    [
        (
            {"listed": [{"bot": "careful", "owner": "ada"}, {"bot": "eve"}]},
            "listed[1].bot",
        ),
        ({"listed": [{"bot": "careful", "owner": "eve"}]}, "listed[0].owner"),
        ({"by": "invitation", "invited": ["careful", "eve"]}, "invited[1]"),
    ],
    ids=["not there yet", "somebody else's", "invited"],
)
async def test_only_bots_that_are_there_can_be_listed_or_invited(
    cup: Cup, entry: dict[str, Any], field: str
) -> None:
    host, desk = cup.world.host, cup.one.desk
    own = {"listed": [{"bot": "careful", "owner": "ada"}]}
    await desk.create(host, document(entry=own), cup.asking())
    wrong = document(entry=entry)

    for asked in (
        desk.create(host, {**wrong, "name": "other"}, cup.asking()),
        desk.configure(host, "cup", wrong, cup.asking()),
    ):
        with pytest.raises(RefusedError) as caught:
            await asked
        assert caught.value.reason is Reason.CONFIGURATION_INVALID
        assert caught.value.facts["field"] == f"entry.{field}"


@pytest.mark.parametrize("name", ["no", "No", "a\nb", "{s00}", "x" * 40, ""])
async def test_no_name_leads_astray(cup: Cup, name: str) -> None:
    with pytest.raises(RefusedError) as caught:
        await cup.one.desk.overview(SPECTATOR, name)

    assert caught.value.reason is Reason.TOURNAMENT_NOT_FOUND


async def test_the_referee_is_bound_when_entry_opens(cup: Cup) -> None:
    await cup.declare(SINGLE)

    changed = await cup.to(Lifecycle.REGISTRATION)

    live = await cup.now()
    assert [type(entry.event) for entry in live.entries[1:]] == [
        Advanced,
        ShareCommitted,
    ]
    assert live.entries[-1].actor == "referee"
    assert changed.version == live.head.length == 3
    assert changed.head == live.head.digest


async def test_the_same_request_gets_the_same_answer_everywhere(cup: Cup) -> None:
    await cup.declare(SINGLE)
    asking = cup.asking(expected_version=1)
    operation = Advance(to=Lifecycle.REGISTRATION)
    host = cup.world.host
    first = await cup.one.desk.change(host, "cup", operation, asking)
    await cup.enter(3)
    other = await cup.process()

    again = await other.desk.change(host, "cup", operation, asking)

    assert again == replace(first, is_new=False)
    with pytest.raises(RefusedError) as caught:
        await other.desk.change(host, "cup", Advance(to=Lifecycle.CHECK_IN), asking)
    assert caught.value.reason is Reason.REQUEST_ID_REUSED


async def test_whoever_has_seen_another_version_looks_again(cup: Cup) -> None:
    await cup.declare(SINGLE)

    error = await refused(cup, Advance(to=Lifecycle.REGISTRATION), expected_version=7)

    assert error.reason is Reason.TOURNAMENT_STALE
    assert error.facts["version"] == "1"


async def test_a_dry_run_says_what_would_change_and_changes_nothing(cup: Cup) -> None:
    await cup.declare(SINGLE)

    changed = await cup.do(Advance(to=Lifecycle.REGISTRATION), dry_run=True)

    (change,) = changed.changes
    assert (change.path, change.after) == ("lifecycle", "registration")
    assert (await cup.now()).head.length == 1
    assert await cup.store.secret("cup") is None


async def test_a_configuration_is_changed_before_the_start(cup: Cup) -> None:
    await cup.declare(SINGLE)
    host, desk = cup.world.host, cup.one.desk

    changed = await desk.configure(
        host, "cup", document(title="Changed"), cup.asking(expected_version=1)
    )

    assert changed.version == 2
    other = await cup.process()
    overview = await other.desk.overview(host, "cup")
    assert overview.configuration.title == "Changed"
    assert (await desk.overview(host, "cup")).configuration.title == "Changed"
    with pytest.raises(RefusedError) as caught:
        await desk.configure(host, "cup", document(name="league"), cup.asking())
    assert caught.value.facts["field"] == "name"


async def test_a_request_is_answered_again_after_the_configuration_has_changed(
    cup: Cup,
) -> None:
    await cup.declare(SINGLE)
    host, desk = cup.world.host, cup.one.desk
    opening, changing = cup.asking(), cup.asking()
    opens, changed = Advance(to=Lifecycle.REGISTRATION), document(title="Changed")
    first = await desk.change(host, "cup", opens, opening)
    second = await desk.configure(host, "cup", changed, changing)

    for one in (cup.one, await cup.process()):
        again = await one.desk.change(host, "cup", opens, opening)
        assert again == replace(first, is_new=False)
        again = await one.desk.configure(host, "cup", changed, changing)
        assert again == replace(second, is_new=False)


@pytest.mark.parametrize(
    "operation",
    [
        CommitShare(commitment="00" * 32),
        OpenSecret(secret="00" * 32),
        SeedField(lots="00" * 32),
    ],
    ids=lambda operation: type(operation).__name__,
)
async def test_what_the_referee_does_is_nobody_elses(
    cup: Cup, operation: Operation
) -> None:
    await cup.declare(SINGLE)

    assert (await refused(cup, operation)).reason is Reason.ROLE_NOT_ALLOWED


async def test_a_bot_speaks_for_itself_alone(cup: Cup) -> None:
    await cup.declare(SINGLE)
    await cup.to(Lifecycle.REGISTRATION)
    await cup.enter(2)
    caller, desk = cup.world.bot("bot-000"), cup.one.desk

    with pytest.raises(RefusedError) as caught:
        await desk.change(caller, "cup", Withdraw(bot="bot-001"), cup.asking())
    assert caught.value.reason is Reason.SEAT_NOT_YOURS
    with pytest.raises(RefusedError) as caught:
        await desk.change(caller, "cup", Advance(to=Lifecycle.CHECK_IN), cup.asking())
    assert caught.value.reason is Reason.ROLE_NOT_ALLOWED
    with pytest.raises(RefusedError) as caught:
        await desk.change(SPECTATOR, "cup", Withdraw(bot="bot-001"), cup.asking())
    assert caught.value.reason is Reason.ROLE_NOT_ALLOWED
    limited = replace(caller, match_ids=frozenset({"m1"}))
    with pytest.raises(RefusedError) as caught:
        await desk.change(limited, "cup", Withdraw(bot="bot-000"), cup.asking())
    assert caught.value.reason is Reason.SEAT_NOT_YOURS

    await desk.change(caller, "cup", Withdraw(bot="bot-000"), cup.asking())
    assert "bot-000" in (await cup.now()).ledger.departures


async def test_codes_are_the_same_again_and_only_their_digests_are_kept(
    cup: Cup,
) -> None:
    await cup.declare(SINGLE, entry={"by": "codes"})
    await cup.to(Lifecycle.REGISTRATION)
    host, asking = cup.world.host, cup.asking()

    changed, codes = await cup.one.desk.issue_codes(host, "cup", 3, asking)
    other = await cup.process()
    again, same = await other.desk.issue_codes(host, "cup", 3, asking)

    assert len(set(codes)) == 3
    assert (same, again) == (codes, replace(changed, is_new=False))
    event = (await cup.now()).entries[-1].event
    assert isinstance(event, CodesIssued)
    assert not set(codes) & set(event.codes)
    bot = cup.world.bot("careful")
    with pytest.raises(RefusedError) as caught:
        await cup.one.desk.enter(bot, "cup", "careful", None, cup.asking())
    assert caught.value.reason is Reason.ENTRY_REFUSED
    await cup.one.desk.enter(bot, "cup", "careful", codes[1], cup.asking())
    assert (await cup.now()).ledger.entrants["careful"].owner == "ada"


async def test_an_unknown_bot_does_not_enter(cup: Cup) -> None:
    await cup.declare(SINGLE)
    await cup.to(Lifecycle.REGISTRATION)

    with pytest.raises(RefusedError) as caught:
        await cup.one.desk.enter(cup.world.host, "cup", "ghost", None, cup.asking())

    assert caught.value.reason is Reason.BOT_NOT_FOUND


async def test_bots_that_answer_at_once_are_all_heard(cup: Cup) -> None:
    await cup.declare(SINGLE)
    await cup.to(Lifecycle.REGISTRATION)
    bots = await cup.enter(12)
    await cup.to(Lifecycle.CHECK_IN)
    other = await cup.process()

    await asyncio.gather(
        *(
            desk.change(cup.world.bot(bot), "cup", CheckIn(bot=bot), cup.asking())
            for bot in bots
            for desk in (cup.one.desk, other.desk)
        )
    )

    ledger = (await cup.now()).ledger
    assert all(ledger.entrants[bot].is_checked_in for bot in bots)
    answers = [e for e in (await cup.now()).entries if isinstance(e.event, CheckedIn)]
    assert len(answers) == 12


async def test_a_bot_is_summoned_until_it_has_answered(cup: Cup) -> None:
    schedule = {"check_in": "15m"}
    await cup.declare(SINGLE, schedule=schedule)
    await cup.to(Lifecycle.REGISTRATION)
    bots = await cup.enter(2)
    assert await cup.one.desk.summons("bot-000") == ()
    await cup.to(Lifecycle.CHECK_IN)
    live = await cup.now()

    (summons,) = await cup.one.desk.summons("bot-000")

    assert summons.kind is SummonsKind.COMMITMENT
    assert summons.deadline_ms == live.ledger.since_ms + 900_000
    assert summons.referee_commitment == live.ledger.referee
    assert summons.head == live.head
    await cup.answer_summons(bots)
    assert await cup.one.desk.summons("bot-000") == ()
    await cup.to(Lifecycle.SEEDING)
    (summons,) = await cup.one.desk.summons("bot-000")
    assert summons.kind is SummonsKind.SHARE
    await cup.answer_summons(bots)
    assert await cup.one.desk.summons("bot-000") == ()
    assert [head.tournament for head in await cup.one.desk.heads("bot-000")] == ["cup"]
    assert await cup.one.desk.heads("stranger") == ()


async def test_the_organizer_changes_seeds_that_were_drawn(cup: Cup) -> None:
    await cup.declare(SINGLE)
    await cup.to(Lifecycle.REGISTRATION)
    bots = await cup.enter(4)
    await cup.to(Lifecycle.CHECK_IN)
    await cup.answer_summons(bots)
    await cup.to(Lifecycle.SEEDING)
    host, desk, order = cup.world.host, cup.one.desk, tuple(reversed(bots))
    with pytest.raises(RefusedError) as caught:
        await desk.order_seeds(host, "cup", order, cup.asking())
    assert caught.value.reason is Reason.TOURNAMENT_STATE_WRONG
    await cup.answer_summons(bots)
    await cup.carry_on()
    lots = (await cup.now()).ledger.lots

    await desk.order_seeds(host, "cup", order, cup.asking())
    await cup.carry_on()

    ledger = (await cup.now()).ledger
    assert (ledger.order, ledger.lots) == (order, lots)


async def test_tournaments_are_listed_without_those_that_never_came_to_be(
    cup: Cup,
) -> None:
    for name in ("cup", "league"):
        await cup.one.desk.create(
            cup.world.host, document(name=name, title=name), cup.asking()
        )
        cup.world.time.ms += 1_000
    cup.store.announce("ghost")

    page = await cup.one.desk.page(SPECTATOR, 2, None)
    rest = await cup.one.desk.page(SPECTATOR, 2, page.cursor)

    assert [one.title for one in (*page.listings, *rest.listings)] == ["league", "cup"]
    assert page.listings[0].lifecycle is Lifecycle.DRAFT
    with pytest.raises(RefusedError) as caught:
        await cup.one.desk.page(SPECTATOR, 2, "yesterday")
    assert caught.value.reason is Reason.FIELD_INVALID
