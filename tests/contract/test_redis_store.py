"""What only a server can do to a store, done by a real one."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis.asyncio import Redis

from ginref.adapters.redis_connection import RedisConnection, UnsupportedStoreError
from ginref.adapters.redis_script import (
    SHARDS,
    bot_keys,
    match_keys,
    shard_keys,
    shard_of,
)
from ginref.adapters.redis_store import RedisStore, open_store
from ginref.app.match_store import (
    EVERYTHING,
    Applied,
    Change,
    Creation,
    Duplicate,
    EntryId,
    Refusal,
    Seen,
    SubmissionKey,
)
from ginref.app.port import StoreUnavailableError
from ginref.record.clock import STANDARD, ClockPolicy, StoredClock, advance, is_late

pytestmark = pytest.mark.redis

FAR_MS = 4_000_000_000_000
"""A time that no clock shows yet."""

KEY = SubmissionKey(digest=b"0123456789", request_hash=b"01234567")

Call = Callable[[RedisStore], Awaitable[object]]


@pytest.fixture(params=["valkey", "redis"])
def url(request: pytest.FixtureRequest) -> str:
    found = request.getfixturevalue(f"{request.param}_url")
    assert isinstance(found, str)
    return found


@pytest_asyncio.fixture
async def store(url: str) -> AsyncIterator[RedisStore]:
    made = open_store(url)
    yield made
    await made.aclose()


@pytest_asyncio.fixture
async def server(url: str) -> AsyncIterator[Redis]:
    """Direct access to the server behind the store."""
    client = Redis.from_url(url, decode_responses=True)
    yield client
    await client.aclose()


def creation(match_id: str = "m1", clock: ClockPolicy = STANDARD) -> Creation:
    return Creation(
        match_id=match_id,
        request_hash=b"creation",
        setup=b"setup",
        state=b"state",
        entry=b"entry",
        clock=clock,
        seat_count=2,
        bots=("north", "south"),
    )


def move(version: int = 1, **facts: Any) -> Change:  # noqa: ANN401
    known: dict[str, Any] = {
        "match_id": "m1",
        "expected_version": version,
        "expected_refusals": 0,
        "entry": b"entry",
        "state": b"state",
        "to_act": 0,
    }
    return Change(**{**known, **facts})


times = st.integers(0, 10_000_000)
seats = st.none() | st.sampled_from([0, 1])


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    elapsed_ms=times,
    thinking_ms=times,
    banks_ms=st.tuples(times, times),
    free_ms=times,
    cap_ms=times,
    mover=seats,
    to_act=seats,
    window_ms=st.none() | times,
    ending=st.booleans(),
)
async def test_the_script_and_the_record_agree_on_the_clock(  # noqa: PLR0913
    store: RedisStore,
    server: Redis,
    *,
    elapsed_ms: int,
    thinking_ms: int,
    banks_ms: tuple[int, int],
    free_ms: int,
    cap_ms: int,
    mover: int | None,
    to_act: int | None,
    window_ms: int | None,
    ending: bool,
) -> None:
    await server.flushall()
    policy = ClockPolicy(
        name="custom",
        start_ms=1,
        free_ms=free_ms,
        bank_ms=1,
        cap_ms=cap_ms,
        grace_ms=0,
    )
    await store.create(creation(clock=policy))
    before = StoredClock(
        to_act=0,
        started_ms=FAR_MS - elapsed_ms,
        deadline_ms=FAR_MS - elapsed_ms + thinking_ms,
        banks_ms=banks_ms,
    )
    facts: dict[Any, Any] = {"latest": FAR_MS, "started": before.started_ms}
    facts |= {"deadline": before.deadline_ms, "elapsed": 0}
    facts |= {f"bank{seat}": bank_ms for seat, bank_ms in enumerate(banks_ms)}
    await server.hset(match_keys("m1").match, mapping=facts)

    change = move(
        mover=mover,
        to_act=to_act,
        window_ms=window_ms,
        ending=ending,
        judge_time=False,
    )
    result = await store.apply(change)

    assert isinstance(result, Applied)
    assert result.now_ms == FAR_MS
    assert result.clock == advance(
        before,
        policy,
        now_ms=FAR_MS,
        mover=mover,
        to_act=to_act,
        window_ms=window_ms,
        ending=ending,
    )
    held = await store.read("m1")
    assert held is not None
    assert held.clock == result.clock


@pytest.mark.parametrize("after_ms", [0, 249, 250, 251, 10_000])
@pytest.mark.parametrize("refusal", [False, True], ids=["move", "refusal"])
async def test_the_script_and_the_record_agree_on_what_is_late(
    store: RedisStore, server: Redis, after_ms: int, *, refusal: bool
) -> None:
    await store.create(creation())
    await server.hset(
        match_keys("m1").match,
        mapping={"latest": FAR_MS, "deadline": FAR_MS - after_ms},
    )
    late = is_late(FAR_MS, FAR_MS - after_ms, STANDARD.grace_ms)

    if not refusal:
        timeout = await store.apply(move(9, due_only=True))
        assert (timeout is Refusal.NOT_DUE) == (not late)
    result = await store.apply(move(refusal=refusal))

    assert (result is Refusal.LATE) == late
    assert isinstance(result, Applied) == (not late)


async def test_time_stands_still_after_a_step_back_of_the_servers_clock(
    store: RedisStore, server: Redis
) -> None:
    await store.create(creation())
    await server.hset(match_keys("m1").match, "latest", FAR_MS)

    first = await store.apply(move(1, judge_time=False))
    second = await store.apply(move(2))

    assert isinstance(first, Applied)
    assert isinstance(second, Applied)
    assert first.now_ms == second.now_ms == FAR_MS
    assert [entry.time_ms for entry in await store.log("m1")][1:] == [FAR_MS, FAR_MS]
    held = await store.read("m1")
    assert held is not None
    assert held.now_ms == FAR_MS


async def test_the_latest_time_of_a_match_is_kept_with_every_step(
    store: RedisStore, server: Redis
) -> None:
    await store.create(creation())
    changes = [move(1, refusal=True), move(1, expected_refusals=1), move(2)]
    for change in changes:
        # Whatever was kept before, this step must replace it.
        await server.hset(match_keys("m1").match, "latest", 0)
        result = await store.apply(change)
        assert isinstance(result, Applied)
        kept = await server.hget(match_keys("m1").match, "latest")
        assert kept == str(result.now_ms)


async def test_no_key_ever_expires_and_all_are_known(
    store: RedisStore, server: Redis
) -> None:
    ids = [f"m{number}" for number in range(40)]
    for match_id in ids:
        await store.create(creation(match_id))
        await store.apply(move(match_id=match_id, key=KEY))
        await store.apply(move(2, match_id=match_id, ending=True))
    await store.attach("north", "a")
    await store.identity_key()
    await store.registry().add("bot", "north", "row")

    expected = {"ginref:identity", "ginref:registry:bot", bot_keys("north").attachment}
    for bot in ("north", "south"):
        expected |= {bot_keys(bot).match, bot_keys(bot).live}
    for match_id in ids:
        keys, shard = match_keys(match_id), shard_keys(shard_of(match_id))
        expected |= {keys.match, keys.log, keys.idem, shard.outbox, shard.created}
        assert {key.split(":")[1] for key in (keys.match, keys.log, keys.idem)} == {
            shard_of(match_id)
        }
    found = {str(key) for key in await server.keys()}
    assert found == expected
    assert {await server.ttl(key) for key in found} == {-1}
    assert {shard_of(match_id) for match_id in ids} == set(SHARDS)


async def test_scripts_are_sent_again_when_the_server_has_forgotten_them(
    store: RedisStore, server: Redis
) -> None:
    await store.create(creation())
    for version in range(1, 4):
        await server.script_flush()
        assert isinstance(await store.apply(move(version)), Applied)
        await server.script_flush()
        assert await store.read("m1") is not None


async def test_a_failing_script_leaves_nothing_half_written(
    store: RedisStore, server: Redis
) -> None:
    await store.create(creation())
    # The log is ahead of the match, which no script can bring about.
    await server.xadd(match_keys("m1").log, {"t": "0", "e": ""}, id="7-0")
    before = await server.hgetall(match_keys("m1").match)

    with pytest.raises(Exception, match="equal or smaller"):
        await store.apply(move(key=KEY))

    assert await server.hgetall(match_keys("m1").match) == before
    assert not await server.exists(match_keys("m1").idem)


async def test_a_list_entry_of_a_match_that_was_never_made_is_skipped(
    store: RedisStore, server: Redis
) -> None:
    await store.create(creation("m1"))
    await store.create(creation("m2"))
    for name in (bot_keys("north").match, bot_keys("north").live):
        ghosts = {f"ghost{number}": FAR_MS + number for number in range(9)}
        await server.zadd(name, ghosts)

    page = await store.list_matches(bot="north", limit=1, cursor=None)
    rest = await store.list_matches(bot="north", limit=5, cursor=page.cursor)

    assert [*page.match_ids, *rest.match_ids] == ["m2", "m1"]
    assert rest.cursor is None
    assert await store.live_matches("north") == ("m1", "m2")


async def test_a_creation_that_was_cut_short_keeps_its_place_in_the_lists(
    store: RedisStore, server: Redis
) -> None:
    for name in (bot_keys("north").match, bot_keys("north").live):
        await server.zadd(name, {"m2": 1})
    await store.create(creation("m1"))
    await store.create(creation("m2"))

    page = await store.list_matches(bot="north", limit=5, cursor=None)

    assert page.match_ids == ("m1", "m2")
    assert await store.live_matches("north") == ("m2", "m1")


ALL_CALLS: list[Call] = [
    lambda store: store.create(creation()),
    lambda store: store.apply(move()),
    lambda store: store.read("m1"),
    lambda store: store.log("m1"),
    lambda store: store.due(1),
    lambda store: store.finished(1),
    lambda store: store.acknowledge("m1"),
    lambda store: store.list_matches(bot="north", limit=1, cursor=None),
    lambda store: store.live_matches("north"),
    lambda store: store.drop_live("north", "m1"),
    lambda store: store.attach("north", "a"),
    lambda store: store.attachment("north"),
    lambda store: store.identity_key(),
    lambda store: store.durability(),
    lambda store: store.registry().add("bot", "north", "row"),
    lambda store: store.registry().get("bot", "north"),
    lambda store: store.registry().replace("bot", "north", "row", "new"),
    lambda store: store.registry().rows("bot"),
]


async def test_without_a_server_every_call_says_unavailable(tmp_path: Path) -> None:
    store = open_store(f"unix://{tmp_path}/nobody.sock")

    for call in ALL_CALLS:
        with pytest.raises(StoreUnavailableError):
            await call(store)

    await store.aclose()


@asynccontextmanager
async def scripted(path: Path, answer: bytes) -> AsyncIterator[list[bytes]]:
    """Listen as a server that gives every command but the first steps one answer."""
    heard: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            setup = data.count(b"SETINFO")
            if setup:
                writer.write(b"+OK\r\n" * setup)
                continue
            heard.append(data)
            if not answer:
                break
            writer.write(answer)
        writer.close()

    listener = await asyncio.start_unix_server(serve, path)
    try:
        yield heard
    finally:
        listener.close()


@pytest.mark.parametrize(
    "answer",
    [
        b"-LOADING Redis is loading the dataset in memory\r\n",
        b"-BUSY Redis is busy running a script.\r\n",
        b"-READONLY You can't write against a read only replica.\r\n",
        b"-OOM command not allowed when used memory > 'maxmemory'.\r\n",
        b"-MISCONF Errors writing to the AOF file: No space left on device\r\n",
        b"-MASTERDOWN Link with MASTER is down\r\n",
        b"-CLUSTERDOWN The cluster is down\r\n",
        b"-TRYAGAIN Multiple keys request during rehashing of slot\r\n",
        b"-NOREPLICAS Not enough good replicas to write.\r\n",
        b"",
    ],
    ids=lambda answer: answer[1:10].split(b" ")[0].decode() or "cut off",
)
async def test_a_server_that_cannot_serve_is_unavailable_and_asked_only_once(
    tmp_path: Path, answer: bytes
) -> None:
    async with scripted(tmp_path / "server.sock", answer) as heard:
        store = open_store(f"unix://{tmp_path}/server.sock")

        with pytest.raises(StoreUnavailableError):
            await store.apply(move())
        with pytest.raises(StoreUnavailableError):
            await store.due(5)

        assert len(heard) == 2
        await store.aclose()


async def test_a_silent_server_is_unavailable(tmp_path: Path) -> None:
    gone = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        await gone.wait()
        writer.close()

    listener = await asyncio.start_unix_server(serve, tmp_path / "server.sock")
    connection = RedisConnection(f"unix://{tmp_path}/server.sock", patience_s=0.05)

    with pytest.raises(StoreUnavailableError):
        await connection.command("PING")

    gone.set()
    listener.close()
    await connection.aclose()


async def test_a_full_server_refuses_a_move_as_a_whole(
    store: RedisStore, server: Redis
) -> None:
    await store.create(creation())
    await server.config_set("maxmemory", 1)
    try:
        with pytest.raises(StoreUnavailableError):
            await store.apply(move(key=KEY))
        held = await store.read("m1", KEY)
    finally:
        await server.config_set("maxmemory", 0)

    assert held is not None
    assert (held.version, held.seen) == (1, None)
    assert len(await store.log("m1")) == 1
    assert isinstance(await store.apply(move(key=KEY)), Applied)


async def test_a_demoted_server_takes_no_moves(
    store: RedisStore, server: Redis
) -> None:
    await store.create(creation())
    await server.replicaof("127.0.0.1", "1")
    try:
        with pytest.raises(StoreUnavailableError):
            await store.apply(move())
        promise = await store.durability()
    finally:
        await server.replicaof("NO", "ONE")

    assert promise.problems == ("the server is a replica: it takes no moves",)


async def test_a_cancelled_call_leaves_no_answer_for_the_next_one(
    store: RedisStore, server: Redis
) -> None:
    await asyncio.gather(*(store.create(creation(f"m{n}")) for n in range(6)))
    for number in range(6):
        await server.execute_command("CLIENT", "PAUSE", "20", "ALL")
        cancelled = asyncio.create_task(store.read(f"m{number}"))
        await asyncio.sleep(0.001)
        cancelled.cancel()

        entries = await store.log(f"m{number}")

        assert [entry.id for entry in entries] == [EntryId(1)]
        with pytest.raises(asyncio.CancelledError):
            await cancelled


async def test_a_lost_answer_is_found_by_a_retry(url: str, tmp_path: Path) -> None:
    """Cut the connection between the server's answer and the store."""
    cut = False

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = url.removeprefix("unix://")
        answers, commands = await asyncio.open_unix_connection(path)
        while data := await reader.read(65536):
            commands.write(data)
            answer = await answers.read(65536)
            if cut:
                break
            writer.write(answer)
        writer.close()
        commands.close()

    listener = await asyncio.start_unix_server(serve, tmp_path / "proxy.sock")
    store = open_store(f"unix://{tmp_path}/proxy.sock")
    await store.create(creation())
    await store.apply(move())

    cut = True
    with pytest.raises(StoreUnavailableError):
        await store.apply(move(2, key=KEY))
    cut = False
    again = await store.apply(move(2, key=KEY))

    assert again == Duplicate(Seen(entry_id=EntryId(3), same_request=True))
    assert len(await store.log("m1")) == 3
    await store.aclose()
    listener.close()


async def test_wakes_begin_anew_after_the_connection_was_cut(
    store: RedisStore, server: Redis
) -> None:
    async with aclosing(store.wakes()) as topics:
        assert await anext(topics) == EVERYTHING
        for version in (1, 2):
            await server.execute_command("CLIENT", "KILL", "TYPE", "pubsub")
            assert await anext(topics) == EVERYTHING
            await store.create(creation(f"m{version}"))
            created = {(await anext(topics)).topic for _ in range(3)}
            assert created == {f"m{version}", "bot/north", "bot/south"}


async def test_wakes_wait_for_a_server_that_comes_later(
    url: str, tmp_path: Path
) -> None:
    path = tmp_path / "later.sock"
    store = open_store(f"unix://{path}")
    async with aclosing(store.wakes()) as topics:
        first = asyncio.ensure_future(anext(topics))
        await asyncio.sleep(0.1)
        assert not first.done()

        path.symlink_to(url.removeprefix("unix://"))

        assert await first == EVERYTHING
    await store.aclose()


@pytest.mark.parametrize(
    ("configuration", "mode", "problems"),
    [
        pytest.param({}, "local/everysec", [], id="fine"),
        pytest.param({"appendfsync": "always"}, "local/always", [], id="fsync always"),
        pytest.param({"appendonly": "no"}, "none", ["appendonly"], id="no file"),
        pytest.param(
            {"maxmemory-policy": "allkeys-lru"},
            "local/everysec",
            ["maxmemory-policy"],
            id="evicting",
        ),
    ],
)
async def test_durability_is_what_the_server_reports(
    store: RedisStore,
    server: Redis,
    configuration: dict[str, str],
    mode: str,
    problems: list[str],
) -> None:
    usual = {"appendonly": "yes", "appendfsync": "everysec"}
    usual["maxmemory-policy"] = "noeviction"
    for name, value in configuration.items():
        await server.config_set(name, value)
    try:
        promise = await store.durability()
    finally:
        for name, value in usual.items():
            await server.config_set(name, value)

    assert promise.mode == mode
    assert [problem.split()[0] for problem in promise.problems] == problems


async def test_a_server_that_hides_its_settings_promises_nothing(
    url: str, server: Redis
) -> None:
    await server.execute_command(
        "ACL", "SETUSER", "guest", "on", ">secret", "~*", "&*", "+@all", "-config"
    )
    path = url.removeprefix("unix://")
    store = open_store(f"unix://guest:secret@{path}")

    promise = await store.durability()

    assert promise.mode == "unknown"
    assert len(promise.problems) == 1
    assert isinstance(await store.create(creation()), Applied)
    await store.aclose()
    await server.execute_command("ACL", "DELUSER", "guest")


async def test_a_server_that_hides_its_state_promises_nothing(
    url: str, server: Redis
) -> None:
    await server.execute_command(
        "ACL", "SETUSER", "guest", "on", ">secret", "~*", "&*", "+@all", "-info"
    )
    path = url.removeprefix("unix://")
    store = open_store(f"unix://guest:secret@{path}")

    promise = await store.durability()

    assert promise.problems == ("the server does not show its state (INFO)",)
    await store.aclose()
    await server.execute_command("ACL", "DELUSER", "guest")


@pytest.mark.parametrize(
    "url",
    [
        "redis+sentinel://localhost/main",
        "redis+cluster://localhost",
        "http://localhost",
        "localhost:6379",
        "/var/run/redis.sock",
        "",
        "redis://localhost:port",
    ],
)
def test_a_store_of_another_kind_is_refused(url: str) -> None:
    with pytest.raises(UnsupportedStoreError, match="store URL"):
        open_store(url)
