"""Servers that fail under load: no move that was acknowledged may be lost."""

import asyncio
from collections.abc import Iterator
from contextlib import aclosing
from functools import partial

import pytest
from redis.crc import key_slot
from tests.contract.failover import (
    Fault,
    answered,
    hand_over,
    kill_primary,
    part_primary,
    restart_primary,
    stop_primary,
    under_load,
)
from tests.contract.redis_fleet import (
    Fleet,
    Server,
    cluster,
    guarded,
    pair,
    primary_of,
    until,
)
from tests.contract.store_table import applied, creation, key, move
from tests.contract.test_store_counts import Counts

from ginref.adapters import redis_node
from ginref.adapters.redis_script import match_keys
from ginref.adapters.redis_store import open_store
from ginref.app.match_store import (
    EVERYTHING,
    Applied,
    Duplicate,
    MatchStore,
    StoredMatch,
)
from ginref.app.port import StoreUnavailableError

pytestmark = pytest.mark.redis

KEY = key("0123456789", "01234567")


@pytest.fixture(scope="module")
def quick_guarded() -> Iterator[Fleet]:
    with guarded("redis", is_linked=True) as fleet:
        yield fleet


@pytest.fixture(scope="module")
def quick_cluster() -> Iterator[Fleet]:
    with cluster("valkey") as fleet:
        yield fleet


@pytest.fixture
def fleet(request: pytest.FixtureRequest) -> Fleet:
    """Return an empty group of servers, of the kind that the test names."""
    found = request.getfixturevalue(f"quick_{request.param}")
    assert isinstance(found, Fleet)
    found.heal()
    found.empty()
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fleet", "fault"),
    [
        pytest.param("guarded", kill_primary, id="a primary with Sentinels dies"),
        pytest.param("guarded", part_primary, id="a primary is cut off, and lives on"),
        pytest.param("cluster", kill_primary, id="a primary of a cluster dies"),
        pytest.param("cluster", restart_primary, id="a primary restarts"),
        pytest.param("cluster", stop_primary, id="a primary stands still for a while"),
        pytest.param("cluster", hand_over, id="a primary hands over"),
    ],
    indirect=["fleet"],
)
async def test_no_acknowledged_move_is_lost_when(
    fleet: Fleet, fault: Fault, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = await under_load(fleet, fleet.url, fault)

    with capsys.disabled():
        print(f"\n{outcome}")  # noqa: T201 - the gap is what operators ask about
    assert outcome.lost == 0
    assert outcome.acknowledged > 200


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fleet", "fault"),
    [
        pytest.param("guarded", kill_primary, id="Sentinels"),
        pytest.param("cluster", hand_over, id="cluster"),
    ],
    indirect=["fleet"],
)
async def test_wakes_begin_anew_after_a_failover(fleet: Fleet, fault: Fault) -> None:
    store = open_store(fleet.url)
    async with aclosing(store.wakes()) as topics:
        assert await anext(topics) == EVERYTHING
        await answered(partial(store.create, creation("m0")))
        seen = {(await anext(topics)).topic for _ in range(3)}
        assert seen == {"m0", "bot/north", "bot/south"}

        await asyncio.to_thread(fault, fleet)
        # Whoever calls finds out first; a silent store does after some seconds.
        await answered(store.durability)
        after = await anext(topics)
        await answered(partial(store.apply, move(match_id="m0")))

        assert after == EVERYTHING
        while (wake := await anext(topics)) == EVERYTHING:
            pass
        assert wake.topic == "m0"
    await store.aclose()


@pytest.mark.parametrize("fleet", ["cluster"], indirect=True)
async def test_a_slot_that_moves_is_waited_for_and_found(fleet: Fleet) -> None:
    store, counts = open_store(fleet.url), Counts()
    store.observed_by(counts)
    await store.durability()
    slot = str(key_slot(match_keys("m0").match.encode()))
    source = primary_of(fleet.group_of(match_keys("m0").match))
    target, third = (primary_of(one) for one in fleet.groups if source not in one)
    try:
        _order(target, "SETSLOT", slot, "IMPORTING", _name(source))
        _order(source, "SETSLOT", slot, "MIGRATING", _name(target))
        made = asyncio.create_task(store.create(creation("m0")))
        await asyncio.sleep(0.3)
        assert not made.done()
        for server in (target, source):
            _order(server, "SETSLOT", slot, "NODE", _name(target))

        await applied(made)
        await applied(store.apply(move(match_id="m0")))

        assert counts.retries
        assert target.ask("EXISTS", match_keys("m0").match) == b":1"
    finally:
        await store.aclose()
        fleet.empty()
        for server in (source, target, third):
            _order(server, "SETSLOT", slot, "NODE", _name(source))


def _name(server: Server) -> str:
    return server.ask("CLUSTER", "MYID").splitlines()[-1].decode()


def _order(server: Server, *words: str) -> None:
    assert server.ask("CLUSTER", *words) == b"+OK"


@pytest.mark.parametrize("fleet", ["cluster"], indirect=True)
async def test_only_the_replica_of_a_matchs_own_node_counts(fleet: Fleet) -> None:
    """Another node would say at once that its own replica has everything."""
    store = open_store(fleet.url)
    groups = {fleet.group_of(match_keys(f"m{n}").match): f"m{n}" for n in range(9)}
    (group, stopped), (other, served) = list(groups.items())[:2]
    for match_id in (stopped, served):
        await answered(partial(store.create, creation(match_id)))
    replica = next(one for one in group if one is not primary_of(group))
    replica.stop()
    try:
        with pytest.raises(StoreUnavailableError, match="0 of 1 replicas"):
            await store.apply(move(match_id=stopped, key=KEY))
        assert primary_of(other).ask("WAIT", "1", "100") == b":1"
        await applied(store.apply(move(match_id=served)))
    finally:
        replica.resume()
    until(lambda: replica.says("master_link_status:up"))

    again = await answered(partial(store.apply, move(match_id=stopped, key=KEY)))
    assert isinstance(again, Duplicate)
    await store.aclose()


@pytest.mark.parametrize("kind", ["redis", "valkey"])
async def test_a_primary_that_was_replaced_acknowledges_nothing(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pair(kind) as fleet:
        (zombie, heir) = fleet.groups[0]
        store = open_store(fleet.url)
        await store.create(creation())
        await applied(store.apply(move()))
        monkeypatch.setattr(redis_node, "REPLICA_PATIENCE_MS", 200)
        zombie.stop()
        late = asyncio.create_task(store.apply(move(2, key=KEY)))
        await asyncio.sleep(0.1)
        assert heir.ask("REPLICAOF", "NO", "ONE") == b"+OK"
        zombie.resume()

        with pytest.raises(StoreUnavailableError):
            await late
        with pytest.raises(StoreUnavailableError):
            await store.apply(move(2, key=KEY))
        other = open_store(heir.url)
        assert (await _held(other)).version == 2
        assert isinstance(await other.apply(move(2, key=KEY)), Applied)

        await store.aclose()
        await other.aclose()


async def _held(store: MatchStore) -> StoredMatch:
    held = await store.read("m1")
    assert held is not None
    return held
