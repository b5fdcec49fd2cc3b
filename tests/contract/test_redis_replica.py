"""A primary and its replica: what is acknowledged is on both."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from functools import partial

import pytest
from tests.contract.failover import answered
from tests.contract.redis_fleet import Fleet, Server, pair, until
from tests.contract.store_table import applied, creation, key, move
from tests.contract.tcp_link import Link

from ginref.adapters import redis_node
from ginref.adapters.redis_script import shard_keys, shard_of
from ginref.adapters.redis_store import RedisStore, open_store
from ginref.app.match_store import Duplicate, EntryId, Seen
from ginref.app.port import StoreUnavailableError

pytestmark = pytest.mark.redis

KEY = key("0123456789", "01234567")

Call = Callable[[RedisStore], Awaitable[object]]


@pytest.fixture(scope="module", params=["redis", "valkey"])
def linked(request: pytest.FixtureRequest) -> Iterator[tuple[Fleet, Link]]:
    """Run a primary with a replica behind a link that can swallow everything."""
    links: list[Link] = []

    def way(primary: Server) -> int:
        links.append(Link(primary.port))
        return links[0].port

    with pair(request.param, way=way) as fleet:
        yield fleet, links[0]
        links[0].close()


@pytest.fixture
def fleet(linked: tuple[Fleet, Link]) -> Iterator[Fleet]:
    fleet, link = linked
    fleet.empty()
    yield fleet
    link.restore()
    for replica in fleet.servers[1:]:
        until(lambda one=replica: one.says("master_link_status:up"))  # type: ignore[misc]


@pytest.fixture
def link(linked: tuple[Fleet, Link]) -> Link:
    return linked[1]


@pytest.fixture
def cut(link: Link, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Return what cuts the replica off; from then on nobody waits for it for long."""

    def cut() -> None:
        monkeypatch.setattr(redis_node, "REPLICA_PATIENCE_MS", 40)
        link.swallow()

    return cut


MUST_BE_ON_BOTH: list[Call] = [
    lambda store: store.create(creation("m2")),
    lambda store: store.create(creation("m1")),
    lambda store: store.apply(move(2)),
    lambda store: store.apply(move(key=KEY)),
    lambda store: store.read("m1", KEY),
    lambda store: store.log("m1"),
    lambda store: store.identity_key(),
    lambda store: store.registry().add("bot", "north", "row"),
    lambda store: store.registry().add("bot", "south", "row"),
    lambda store: store.registry().replace("bot", "north", "row", "new"),
]


async def test_nothing_is_acknowledged_that_a_replica_has_not_confirmed(
    fleet: Fleet, cut: Callable[[], None]
) -> None:
    store, fresh = open_store(fleet.url), open_store(fleet.url + "?replicas=1")
    await store.create(creation())
    await store.registry().add("bot", "north", "row")
    cut()

    with pytest.raises(StoreUnavailableError, match="0 of 1 replicas"):
        await store.apply(move(key=KEY))

    # The server has the move: now every answer that rests on it must wait, too,
    # on the connection that brought it and on any other one.
    for view in (store, fresh):
        for call in MUST_BE_ON_BOTH:
            with pytest.raises(StoreUnavailableError):
                await call(view)
    for view in (store, fresh):
        await view.aclose()


async def test_a_move_that_was_not_acknowledged_is_found_by_a_retry(
    fleet: Fleet, link: Link, cut: Callable[[], None]
) -> None:
    store = open_store(fleet.url)
    await store.create(creation())
    cut()
    for _ in range(2):
        with pytest.raises(StoreUnavailableError):
            await store.apply(move(key=KEY))

    link.restore()
    until(lambda: fleet.servers[1].says("master_link_status:up"))
    again = await answered(partial(store.apply, move(key=KEY)))

    assert again == Duplicate(Seen(entry_id=EntryId(2), same_request=True))
    assert len(await store.log("m1")) == 2
    await store.aclose()


async def test_a_script_that_is_new_to_the_server_waits_for_replicas_too(
    fleet: Fleet, cut: Callable[[], None]
) -> None:
    store = open_store(fleet.url)
    await store.create(creation())
    fleet.servers[0].ask("SCRIPT", "FLUSH")
    cut()

    with pytest.raises(StoreUnavailableError, match="0 of 1 replicas"):
        await store.apply(move(key=KEY))

    await store.aclose()


async def test_what_nobody_loses_by_waits_for_no_replica(
    fleet: Fleet, cut: Callable[[], None]
) -> None:
    store = open_store(fleet.url)
    await store.create(creation())
    await store.registry().add("bot", "north", "row")
    cut()

    await store.attach("north", "a")

    assert await store.attachment("north") == "a"
    assert await store.registry().get("bot", "north") == "row"
    assert await store.due(5) == ()
    assert await store.live_matches("north") == ("m1",)
    await store.aclose()


async def test_time_without_replicas_is_an_outage(
    fleet: Fleet, cut: Callable[[], None]
) -> None:
    store = open_store(fleet.url)
    await store.create(creation())
    place = shard_keys(shard_of("m1")).beat
    await store.beat()
    heard = fleet.servers[0].ask("HGET", place, "at")
    assert heard
    cut()

    await asyncio.sleep(0.15)
    with pytest.raises(StoreUnavailableError):
        await store.beat()

    assert fleet.servers[0].ask("HGET", place, "at") == heard
    await store.aclose()


async def test_reading_goes_on_where_memory_is_used_up(fleet: Fleet) -> None:
    store = open_store(fleet.url)
    await store.create(creation())
    primary = fleet.servers[0]
    primary.ask("CONFIG", "SET", "maxmemory", "1")
    try:
        held = await store.read("m1")
        with pytest.raises(StoreUnavailableError):
            await store.apply(move())
    finally:
        primary.ask("CONFIG", "SET", "maxmemory", "0")

    assert held is not None
    await applied(store.apply(move()))
    await store.aclose()


async def test_more_replicas_than_there_are_may_be_demanded(fleet: Fleet) -> None:
    store = open_store(fleet.url + "?replicas=2")

    with pytest.raises(StoreUnavailableError, match="of 2 replicas"):
        await store.create(creation())
    promise = await store.durability()

    assert promise.mode == "replicated/everysec"
    assert promise.problems == (
        "replicas: 1 connected, 2 wanted: no move can be acknowledged",
    )
    await store.aclose()


async def test_a_replica_that_never_takes_over_need_not_be_asked(
    fleet: Fleet, cut: Callable[[], None]
) -> None:
    store = open_store(fleet.url + "?replicas=0")
    cut()

    await applied(store.create(creation()))
    promise = await store.durability()

    assert (promise.mode, promise.problems) == ("local/everysec", ())
    await store.aclose()


@pytest.mark.parametrize("flush", ["everysec", "always"])
async def test_replicated_is_what_the_servers_report(fleet: Fleet, flush: str) -> None:
    primary = fleet.servers[0]
    store = open_store(fleet.url)
    primary.ask("CONFIG", "SET", "appendfsync", flush)
    try:
        promise = await store.durability()
    finally:
        primary.ask("CONFIG", "SET", "appendfsync", "everysec")

    assert (promise.mode, promise.problems) == (f"replicated/{flush}", ())
    await store.aclose()


async def test_a_replica_that_is_gone_is_a_problem(fleet: Fleet, link: Link) -> None:
    primary, replica = fleet.servers
    store = open_store(fleet.url)
    await store.durability()
    primary.ask("CONFIG", "SET", "min-replicas-to-write", "1")
    replica.kill()
    try:
        until(lambda: primary.says("connected_slaves:0"))
        promise = await store.durability()
        with pytest.raises(StoreUnavailableError):
            await store.create(creation())
    finally:
        primary.ask("CONFIG", "SET", "min-replicas-to-write", "0")
        replica.follow(link.port)

    assert promise.mode == "replicated/everysec"
    assert [problem.split()[0] for problem in promise.problems] == [
        "replicas:",
        "min-replicas-to-write",
    ]
    await store.aclose()
