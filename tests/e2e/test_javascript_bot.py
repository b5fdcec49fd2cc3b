"""A bot in JavaScript: over HTTP with nothing but Node.js, and over gRPC."""

import asyncio
import contextlib
import dataclasses
import json
import os
import re
import shutil
import tempfile
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.referee_process import RefereeProcess
from tests.e2e.table import BOTS, PATIENCE, Table, verify
from tests.faults.proxy import FaultProxy, Mode

from ginref.engine.ruleset import GIN
from ginref.record.public_key import write_jwks
from ginref.record.verify import Finding
from ginref_client.referee import Referee

ROOT = Path(__file__).parents[2]
BOT = ROOT / "clients" / "javascript" / "bot"
VERIFIER = ROOT / "clients" / "javascript" / "verify.mjs"
PACKAGES = ROOT / "build" / "javascript" / "node_modules"

SHORT = dataclasses.replace(GIN, game_target=1)

EVENTS = (
    b": hello\n\nid: 1-1\r\ndata: \xe2\x99",
    b"\xa0\ndata:and more\n\n",
    b"event: end\ndata: {}\n\ndata: never told",
)
"""What a stream may look like: a card's suit is cut in two."""

READ = """\
import { readEvents } from "./events.mjs";
const parts = JSON.parse(process.argv[1]).map((part) => Buffer.from(part, "hex"));
const events = [];
for await (const event of readEvents(parts)) events.push(event);
console.log(JSON.stringify(events));
"""

WATCH = """\
import { RestReferee } from "./rest.mjs";
const [url] = process.argv.slice(1);
for await (const told of new RestReferee(url, "secret").watch("m1")) {
  console.log(told.cursor);
}
"""

SUBMIT = """\
import { RestReferee } from "./rest.mjs";
const [url] = process.argv.slice(1);
const referee = new RestReferee(url, "secret");
const move = { requestId: "a" };
const told = await referee.call("POST", "/v1/matches/m1:submitMove", move);
console.log(told.version);
"""

REVEAL = """\
import { Shares } from "./shares.mjs";
const shares = new Shares();
const own = shares.commit("m1", "SEAT_SOUTH");
const other = Buffer.alloc(32).toString("base64");
const shows = (commitments) => {
  try {
    return shares.reveal("m1", "SEAT_SOUTH", commitments, 2).length === 44;
  } catch {
    return false;
  }
};
console.log(JSON.stringify({
  own: shows([other, own]),
  same: own === shares.commit("m1", "SEAT_SOUTH"),
  alone: shows([undefined, own, other]) || shows([own]),
  other: shows([own, other]),
}));
"""


async def node(*words: str, token: str = "") -> Process:
    """Start Node.js beside the bot."""
    program = shutil.which("node")
    if program is None:
        pytest.skip("no Node.js is installed")
    return await asyncio.create_subprocess_exec(
        *(program, *words),
        cwd=BOT,
        stdout=PIPE,
        stderr=PIPE,
        env={**os.environ, "GINREF_TOKEN": token, "NODE_PATH": str(PACKAGES)},
    )


async def said(process: Process) -> tuple[str, str]:
    """Wait for a program that does well, and return what it has written."""
    try:
        async with asyncio.timeout(2 * PATIENCE):
            out, log = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == 0, log.decode()
    return out.decode(), log.decode()


async def run(*words: str) -> str:
    """Run a program that says nothing but its answer."""
    out, log = await said(await node(*words))
    assert log == ""
    return out


@pytest.fixture(scope="module")
def house() -> Iterator[RefereeProcess]:
    """A referee that serves HTTP, too."""
    # Sockets have short paths.
    folder = Path(tempfile.mkdtemp(prefix="gr"))
    process = RefereeProcess(folder / "data", options=("--http", "127.0.0.1:0"))
    try:
        yield process.start()
    finally:
        process.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def tokens(house: RefereeProcess) -> list[str]:
    """Those of both bots."""
    return asyncio.run(Table(house.address, house.token()).bot_tokens())


def http_of(house: RefereeProcess) -> str:
    """Where it serves HTTP."""
    facts = json.loads((house.data / "referee.json").read_text())
    address: str = facts["http"]
    return address


def port_of(address: str) -> int:
    """The port of an address."""
    return int(address.rpartition(":")[2])


@pytest.fixture(scope="module")
def packages() -> None:
    """What gRPC wants."""
    if not (PACKAGES / "@grpc").is_dir():
        pytest.skip("npm has not brought the packages of the bot")


async def create(house: RefereeProcess) -> str:
    """A match of one round that is won, whose clocks outlast everything."""
    async with Referee(house.address, house.token()) as host:
        made = await host.create_match(BOTS, ruleset=SHORT, clock="research")
    return made.match_id


async def check_record(house: RefereeProcess, table: Table, match_id: str) -> int:
    """Let both verifiers judge a match; returns how many moves it had."""
    envelope = await table.record(match_id)
    verdict = verify(envelope, house.data / "keys")
    assert verdict.finding is Finding.VALID, verdict.problem
    path, keys = house.data / "played.json", house.data / "keys.json"
    path.write_bytes(envelope)
    async with Referee(house.address, house.token()) as host:
        keys.write_bytes(write_jwks((await host.public_keys()).values()))
    judged = json.loads(
        await run(str(VERIFIER), str(path), "--keys", str(keys), "--json")
    )
    assert judged["finding"] == "valid"
    assert judged["ending"]["kind"] == "completed"
    assert judged["shares"] == len(BOTS)
    assert judged["moves"] == verdict.move_count
    return verdict.move_count


@contextlib.asynccontextmanager
async def playing(
    url: str, bot: str, token: str, *options: str
) -> AsyncIterator[asyncio.Task[tuple[str, str]]]:
    """Let the bot in JavaScript play one match."""
    process = await node("play.mjs", url, bot, "--matches", "1", *options, token=token)
    task = asyncio.create_task(said(process))
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@pytest.mark.usefixtures("packages")
async def test_a_match_is_played_over_http_against_one_over_grpc(
    house: RefereeProcess, tokens: list[str]
) -> None:
    table = Table(house.address, house.token())
    match_id = await create(house)

    async with (
        playing(f"http://{http_of(house)}", BOTS[0], tokens[0]) as over_http,
        playing(f"http://{house.address}", BOTS[1], tokens[1], "--grpc") as over_grpc,
    ):
        told = await asyncio.gather(over_http, over_grpc)

    (mine, _), (others, _) = told
    assert mine == others
    assert [log for _, log in told] == ["", ""]
    facts = json.loads(mine)
    assert facts["match_id"] == match_id
    assert facts["ending"] == "ENDING_KIND_COMPLETED"
    assert await check_record(house, table, match_id) >= 3


@pytest.mark.usefixtures("packages")
async def test_a_match_outlasts_streams_that_are_cut_and_answers_that_are_lost(
    house: RefereeProcess, tokens: list[str]
) -> None:
    table = Table(house.address, house.token())
    match_id = await create(house)

    async with (
        FaultProxy(port_of(http_of(house)), seed=3) as web,
        FaultProxy(port_of(house.address), seed=3) as other,
        playing(f"http://{web.address}", BOTS[0], tokens[0]) as over_http,
    ):
        # It has taken its seat, so its stream is open.
        await table.reach(match_id, 2)
        web.cut()
        # With this seed the first one to be lost is among the first replies.
        web.set(Mode.DROP_REPLY, chance=0.05)
        other.set(Mode.DROP_REPLY, chance=0.05)
        url = f"http://{other.address}"
        async with playing(url, BOTS[1], tokens[1], "--grpc") as over_grpc:
            both = await asyncio.gather(over_http, over_grpc)

    (mine, log), (others, other_log) = both

    assert mine == others
    assert json.loads(mine)["match_id"] == match_id
    assert min(one.hits[Mode.DROP_REPLY] for one in (web, other)) > 0
    assert "going on after" in log
    assert "attaching again" in other_log
    await check_record(house, table, match_id)


@contextlib.asynccontextmanager
async def scripted(*answers: str) -> AsyncIterator[tuple[str, list[str]]]:
    """A server that gives its answers one after the other, and what it was asked."""
    asked: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # A client may open connections on which it asks nothing.
        with contextlib.closing(writer), contextlib.suppress(EOFError, OSError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            length = re.search(r"content-length: (\d+)", head)
            body = await reader.readexactly(int(length[1]) if length else 0)
            asked.append(head + body.decode())
            writer.write(answers[len(asked) - 1].encode())
            await writer.drain()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}", asked


async def test_a_stream_goes_on_after_its_last_event() -> None:
    head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"
    first = 'id: 7-1\ndata: {"cursor":"1"}\n\n'
    second = 'id: 7-2\ndata: {"cursor":"2"}\n\nevent: end\ndata: {}\n\n'

    async with scripted(head + first, head + second) as (url, asked):
        told, _ = await said(await node("--input-type=module", "-e", WATCH, url))

    assert told.split() == ["1", "2"]
    assert ["last-event-id: 7-1" in head for head in asked] == [False, True]
    assert all("authorization: bearer secret" in head for head in asked)


async def test_a_move_without_an_answer_is_sent_again_as_it_was() -> None:
    fault = {
        "message": "the store is away",
        "details": [{"reason": "STORE_UNAVAILABLE", "metadata": {}}],
    }
    close = "\r\nconnection: close\r\n\r\n"
    refusal = f"HTTP/1.1 503 Service Unavailable{close}{json.dumps(fault)}"

    async with scripted("", refusal, f'HTTP/1.1 200 OK{close}{{"version":8}}') as (
        url,
        asked,
    ):
        told, log = await said(await node("--input-type=module", "-e", SUBMIT, url))

    assert told.split() == ["8"]
    # Whoever waits for nothing is told so, and where.
    (line,) = log.splitlines()
    assert line.startswith(f"{url}: ")
    assert line.endswith("; trying again")
    bodies = [request.partition("\r\n\r\n")[2] for request in asked]
    assert bodies == ['{"requestId":"a"}'] * 3


async def test_a_share_is_shown_to_nobody_who_hides_what_others_committed_to() -> None:
    told = json.loads(await run("--input-type=module", "-e", REVEAL))

    assert told == {"own": True, "same": True, "alone": False, "other": False}


@pytest.mark.parametrize(
    ("words", "token", "code", "says"),
    [
        pytest.param([], "secret", 2, "usage: play.mjs URL BOT", id="nothing"),
        pytest.param(["http://127.0.0.1", "ada"], "", 1, "GINREF_TOKEN", id="no token"),
        pytest.param(
            ["http://127.0.0.1", "ada"], "a token", 1, "more than", id="more than it"
        ),
        pytest.param(
            ["http://192.0.2.1", "ada"], "secret", 1, "use https", id="plaintext"
        ),
    ],
)
async def test_a_wrong_call_is_named(
    words: list[str], token: str, code: int, says: str
) -> None:
    process = await node("play.mjs", *words, token=token)
    _, log = await process.communicate()

    assert process.returncode == code
    assert says in log.decode()


async def test_events_are_read_from_any_parts() -> None:
    parts = json.dumps([part.hex() for part in EVENTS])

    told: list[dict[str, Any]] = json.loads(
        await run("--input-type=module", "-e", READ, parts)
    )

    assert told == [
        {"kind": "", "id": "1-1", "data": "\u2660\nand more"},
        {"kind": "end", "id": "", "data": "{}"},
    ]
