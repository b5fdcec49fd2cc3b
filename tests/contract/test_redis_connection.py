"""Commands that share packets, against real servers: everybody gets their own."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from redis.exceptions import ResponseError

from ginref.adapters.redis_address import UnsupportedStoreError
from ginref.adapters.redis_connection import RedisConnection
from ginref.adapters.redis_node import PACKET_LIMIT
from ginref.adapters.redis_script import Script
from ginref.adapters.redis_store import open_store

pytestmark = pytest.mark.redis

COUNT = Script("count", "#!lua\nreturn redis.call('INCRBY', KEYS[1], ARGV[1])")
BROKEN = Script("broken", "#!lua\nreturn redis.call('INCRBY', KEYS[1], 'x')")


@pytest_asyncio.fixture(params=["valkey", "redis"])
async def connection(request: pytest.FixtureRequest) -> AsyncIterator[RedisConnection]:
    made = RedisConnection(request.getfixturevalue(f"{request.param}_url"))
    yield made
    await made.aclose()


async def test_every_caller_gets_the_answer_to_its_own_command(
    connection: RedisConnection,
) -> None:
    count = 3 * PACKET_LIMIT + 1

    answers = await asyncio.gather(
        *(connection.command("ECHO", number) for number in range(count))
    )

    assert answers == [b"%d" % number for number in range(count)]


async def test_what_is_asked_in_one_turn_leaves_in_one_packet(
    connection: RedisConnection,
) -> None:
    async def reads() -> int:
        stats: bytes = await connection.command("INFO", "stats")
        facts = dict(line.split(b":") for line in stats.split(b"\r\n") if b":" in line)
        return int(facts[b"total_reads_processed"])

    count = PACKET_LIMIT // 2
    before = await reads()

    await asyncio.gather(*(connection.command("ECHO", n) for n in range(count)))

    # Beside the packet, a server is now and then asked how it is.
    assert await reads() - before < count // 10


async def test_commands_that_belong_together_keep_their_order(
    connection: RedisConnection,
) -> None:
    answers = await connection.commands(
        [("SET", "key", b"\x00\r\n\xff"), ("GET", "key"), ("STRLEN", "key")]
    )

    assert answers == [b"OK", b"\x00\r\n\xff", 4]


async def test_a_failing_command_does_not_harm_its_neighbours(
    connection: RedisConnection,
) -> None:
    await connection.command("SET", "text", "x")

    answers = await asyncio.gather(
        connection.command("ECHO", "before"),
        connection.command("INCR", "text"),
        connection.run(BROKEN, ["number"], []),
        connection.run(COUNT, ["number"], [2]),
        connection.command("ECHO", "after"),
        return_exceptions=True,
    )

    assert [answers[0], *answers[3:]] == [b"before", 2, b"after"]
    assert isinstance(answers[1], ResponseError)
    assert isinstance(answers[2], ResponseError)


async def test_a_forgotten_script_runs_exactly_once_for_every_caller(
    connection: RedisConnection,
) -> None:
    for _ in range(3):
        await connection.command("SCRIPT", "FLUSH")
        await connection.command("DEL", "number")

        totals = await asyncio.gather(
            *(connection.run(COUNT, ["number"], [1]) for _ in range(50)),
            *(connection.command("ECHO", number) for number in range(50)),
        )

        assert sorted(totals[:50]) == list(range(1, 51))
        assert totals[50:] == [b"%d" % number for number in range(50)]


async def test_callers_that_leave_take_no_answers_with_them(
    connection: RedisConnection,
) -> None:
    for turns in range(6):
        calls = [
            asyncio.ensure_future(connection.command("ECHO", number))
            for number in range(40)
        ]
        for _ in range(turns):
            await asyncio.sleep(0)
        for call in calls[::2]:
            call.cancel()

        answers = await asyncio.gather(*calls, return_exceptions=True)

        assert answers[1::2] == [b"%d" % number for number in range(1, 40, 2)]


async def test_closing_waits_for_what_is_under_way(
    connection: RedisConnection,
) -> None:
    calls = [
        asyncio.ensure_future(connection.command("INCR", "number")) for _ in range(9)
    ]

    await connection.aclose()

    assert await asyncio.gather(*calls) == list(range(1, 10))


@pytest.mark.parametrize(
    "url",
    [
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
