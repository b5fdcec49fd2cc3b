"""Connections as they are read by us: whatever arrives, and however it is cut."""

import asyncio
import datetime as dt
import ipaddress
import ssl
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from pathlib import Path

import pytest
import pytest_asyncio
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from redis.exceptions import InvalidResponse, RedisError
from tests.contract.scripted_server import (
    CLOSE,
    SHUT,
    Command,
    ScriptedServer,
    scripted_server,
    tls_proxy,
)
from tests.contract.store_table import creation, key, move

from ginref.adapters.redis_connection import RedisConnection
from ginref.adapters.redis_script import Script
from ginref.adapters.redis_store import open_store
from ginref.app.match_store import EVERYTHING, Applied, EntryId, Wake
from ginref.app.port import StoreUnavailableError

pytestmark = pytest.mark.redis

COUNT = Script("count", "#!lua\nreturn redis.call('INCRBY', KEYS[1], ARGV[1])")


def echo(command: Command) -> bytes:
    return b"$%d\r\n%b\r\n" % (len(command[-1]), command[-1])


@pytest_asyncio.fixture
async def server(tmp_path: Path) -> AsyncIterator[ScriptedServer]:
    """Run a server that says what it is told, unless a test wants something else."""
    async with scripted_server(tmp_path / "server.sock", echo) as made:
        yield made


@pytest_asyncio.fixture
async def connection(
    server: ScriptedServer, tmp_path: Path
) -> AsyncIterator[RedisConnection]:
    del server
    made = RedisConnection(f"unix://{tmp_path}/server.sock", patience_s=30)
    yield made
    await made.aclose()


async def together(connection: RedisConnection, words: Sequence[str]) -> list[object]:
    calls = [connection.command("ECHO", word) for word in words]
    answers: list[object] = await asyncio.gather(*calls, return_exceptions=True)
    return answers


@pytest.mark.parametrize("size", [1, 2, 7])
async def test_answers_that_come_in_pieces_reach_their_callers(
    connection: RedisConnection, server: ScriptedServer, size: int
) -> None:
    whole = b"".join(map(echo, [[b"one"], [b"two"], [b"three"]]))
    sending: list[asyncio.Task[None]] = []

    async def piecewise() -> None:
        for start in range(0, len(whole), size):
            server.writers[-1].write(whole[start : start + size])
            await asyncio.sleep(0.001)

    def answering(command: Command) -> None:
        if command[-1] == b"three":
            sending.append(asyncio.create_task(piecewise()))

    server.answering = answering

    answers = await together(connection, ["one", "two", "three"])
    await asyncio.gather(*sending)

    assert answers == [b"one", b"two", b"three"]


async def test_one_connection_serves_one_caller_after_the_other(
    connection: RedisConnection, server: ScriptedServer
) -> None:
    for word in ("one", "two", "three"):
        assert await together(connection, [word]) == [word.encode()]

    assert len(server.heard) == 1


@pytest.mark.parametrize("answer", [b"+more\r\n", b"$5\r\nha"], ids=["whole", "part"])
async def test_an_answer_too_many_is_not_taken_for_the_next_one(
    connection: RedisConnection, server: ScriptedServer, answer: bytes
) -> None:
    server.answering = lambda command: echo(command) + answer

    first = await together(connection, ["one", "two"])
    server.answering = echo
    second = await together(connection, ["three"])

    # The answer to the second command is the server's word for it, right or wrong.
    assert first[0] == b"one"
    assert second == [b"three"]
    assert len(server.heard) == 2


async def test_what_nobody_has_asked_for_is_not_taken_for_an_answer(
    connection: RedisConnection, server: ScriptedServer
) -> None:
    await together(connection, ["one"])
    idle = server.writers[-1]
    idle.write(b"+unasked\r\n")
    await idle.drain()
    await idle.wait_closed()

    assert await together(connection, ["two"]) == [b"two"]
    assert len(server.heard) == 2


@pytest.mark.parametrize("ending", [CLOSE, SHUT], ids=["closed", "half closed"])
async def test_a_server_that_leaves_amid_a_packet_is_asked_only_once(
    connection: RedisConnection, server: ScriptedServer, ending: bytes
) -> None:
    await together(connection, ["zero"])
    server.answering = lambda command: (
        echo(command) if command[-1] == b"one" else ending
    )

    one, two, three = await together(connection, ["one", "two", "three"])
    server.answering = echo
    after = await together(connection, ["four"])

    assert one == b"one"
    assert isinstance(two, StoreUnavailableError)
    assert isinstance(three, StoreUnavailableError)
    assert after == [b"four"]
    assert [command[-1] for command in server.commands].count(b"two") == 1


@pytest.mark.parametrize("ending", [CLOSE, SHUT], ids=["closed", "half closed"])
async def test_a_connection_that_has_ended_while_idle_is_not_used(
    connection: RedisConnection, server: ScriptedServer, ending: bytes
) -> None:
    await together(connection, ["one"])
    idle = server.writers[-1]
    if ending == SHUT:
        idle.write_eof()
    else:
        idle.close()
    await idle.wait_closed()

    assert await together(connection, ["two"]) == [b"two"]
    assert len(server.heard) == 2


async def test_what_is_not_the_protocol_ends_the_connection(
    connection: RedisConnection, server: ScriptedServer
) -> None:
    server.answering = lambda command: b"?!\r\n" if command[-1] == b"two" else b"+\r\n"

    one, two, three = await together(connection, ["one", "two", "three"])
    server.answering = echo
    after = await together(connection, ["four"])

    assert one == b""
    assert isinstance(two, InvalidResponse)
    assert isinstance(three, InvalidResponse)
    assert after == [b"four"]


async def test_an_answer_that_comes_too_late_meets_nobody(
    server: ScriptedServer, tmp_path: Path
) -> None:
    connection = RedisConnection(f"unix://{tmp_path}/server.sock", patience_s=0.5)
    await together(connection, ["zero"])
    server.answering = lambda _: None

    late = await together(connection, ["one", "two"])
    silent = server.writers[-1]
    silent.write(b"$3\r\none\r\n$3\r\ntwo\r\n")
    server.answering = echo
    after = await together(connection, ["three"])
    await connection.aclose()

    assert [type(answer) for answer in late] == 2 * [StoreUnavailableError]
    assert after == [b"three"]
    assert [command[-1] for command in server.commands].count(b"one") == 1


async def test_a_packet_does_not_wait_longer_because_others_are_answered(
    server: ScriptedServer, tmp_path: Path
) -> None:
    connection = RedisConnection(f"unix://{tmp_path}/server.sock", patience_s=0.5)
    arrived = asyncio.Event()

    def answering(command: Command) -> bytes | None:
        if command[-1] != b"silence":
            return echo(command)
        arrived.set()
        return None

    server.answering = answering
    ignored = asyncio.ensure_future(connection.command("ECHO", "silence"))
    await arrived.wait()
    answered = 0
    while not ignored.done():
        assert await together(connection, ["heard"]) == [b"heard"]
        answered += 1
        await asyncio.sleep(0.01)

    with pytest.raises(StoreUnavailableError):
        await ignored
    await connection.aclose()
    assert answered > 1


async def test_a_script_that_stays_forgotten_fails_after_it_was_sent_in_full(
    connection: RedisConnection, server: ScriptedServer
) -> None:
    server.answering = lambda _: b"-NOSCRIPT No matching script.\r\n"

    with pytest.raises(Exception, match="No matching script"):
        await connection.run(COUNT, ["number"], [1])

    assert [command[0] for command in server.commands] == [b"EVALSHA", b"EVAL"]


async def test_closing_ends_a_connection_that_is_still_being_made(
    tmp_path: Path,
) -> None:
    asked, gone = asyncio.Event(), asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.set()
        while await reader.read(65536):
            pass
        gone.set()
        writer.close()

    listener = await asyncio.start_unix_server(serve, tmp_path / "server.sock")
    connection = RedisConnection(f"unix://{tmp_path}/server.sock", patience_s=0.1)
    call = connection.command("PING")
    await asked.wait()

    await connection.aclose()
    await gone.wait()
    listener.close()

    with pytest.raises(StoreUnavailableError):
        await call


async def test_a_node_that_is_left_opens_no_wire_any_more(
    server: ScriptedServer, tmp_path: Path
) -> None:
    connection = RedisConnection(f"unix://{tmp_path}/server.sock")
    ((node, _),) = await connection.subscribers(["channel"])
    server.admitting.clear()
    opening = asyncio.create_task(node.open())
    await server.holding.wait()

    await connection.aclose()
    server.admitting.set()

    with pytest.raises(RedisError, match="not the one"):
        await opening
    await server.writers[-1].wait_closed()


async def test_moves_and_news_go_through_tls(redis_url: str, tmp_path: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    chain = certificate(tmp_path)
    context.load_cert_chain(chain)

    async with tls_proxy(context, redis_url.removeprefix("unix://")) as port:
        store = open_store(f"rediss://127.0.0.1:{port}?ssl_ca_certs={chain}")
        async with aclosing(store.wakes()) as topics:
            assert await anext(topics) == EVERYTHING
            await store.create(creation(setup=b"s" * 300_000))
            await store.beat()
            applied = await store.apply(
                move(key=key("0123456789"), state=b"s" * 300_000)
            )
            held = await store.read("m1")
            found = [await anext(topics) for _ in range(4)]
        await store.aclose()

    assert isinstance(applied, Applied)
    assert held is not None
    assert (len(held.setup), len(held.state)) == (300_000, 300_000)
    assert found[-1] == Wake("m1", EntryId(2))


def certificate(folder: Path) -> Path:
    """Write a certificate for this machine, with its key."""
    secret = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "store")])
    now = dt.datetime.now(dt.UTC)
    loopback = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(secret.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + dt.timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([loopback]), critical=False)
        .sign(secret, hashes.SHA256())
    )
    path = folder / "store.pem"
    path.write_bytes(
        made.public_bytes(Encoding.PEM)
        + secret.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    )
    return path
