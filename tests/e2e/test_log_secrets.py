"""A log of everything, and traces: no card, share, key or token can be read in them."""

import base64
import json
import signal
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import grpc.aio
import pytest
import redis
from tests.e2e.collector import Collector
from tests.e2e.host import OPERATOR, SEATED, Host, Room
from tests.e2e.log_scan import Secret, leaks
from tests.e2e.position import Position, to_draw
from tests.e2e.referee_process import RefereeProcess
from tests.e2e.table import Table, play
from tests.e2e.telling_referee import LOGGERS, canary
from tests.faults.rig import search_path

from ginref.adapters.redis_script import match_keys
from ginref.engine.deck import seed_secret
from ginref.engine.seat import Seat
from ginref.record.envelope import parse_envelope
from ginref.record.share import SHARE_SIZE, commit_seat
from ginref.v1 import move_pb2
from ginref.v1 import referee_service_pb2 as referee_pb
from ginref_client.bots.careful import Careful
from ginref_client.bots.simple import Simple
from ginref_client.session import Session

SHARE = bytes(range(100, 100 + SHARE_SIZE))

SUBMIT = "RefereeService/SubmitMove"


@pytest.fixture
def collector() -> Iterator[Collector]:
    """Return a collector of traces."""
    with Collector() as listening:
        yield listening


@pytest.fixture
def telling(folder: Path, collector: Collector) -> Iterator[Host]:
    """Return a referee that tells everything, with callers of every kind."""
    process = RefereeProcess(
        folder / "data",
        program="tests.e2e.telling_referee",
        environment={"PYTHONPATH": search_path(), "GRPC_VERBOSITY": "debug"},
        options=("--dev", "--otel-endpoint", collector.endpoint),
    )
    yield Host(process).start()
    process.stop()


async def _refused(call: Callable[[], Awaitable[object]]) -> str:
    """Make a call that fails, and return the code of its status."""
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await call()
    return refused.value.code().name


async def _whole_match(host: Host, folder: Path) -> dict[str, Secret]:
    """Play a match on streams, and return the secrets that its cards come from."""
    address = host.process.address
    table = Table(address, host.tokens[OPERATOR])
    match_id = await table.create_match("hollywood", bots=SEATED)
    await play(
        [
            Session(address, host.tokens[bot], kind, state=folder / bot)
            for bot, kind in zip(SEATED, (Careful, Simple), strict=True)
        ]
    )
    record = json.loads(parse_envelope(await table.record(match_id)).payload)
    secrets: dict[str, Secret] = {
        name: bytes.fromhex(record["openings"][name])
        for name in ("referee_share", "secret")
    }
    for bot in SEATED:
        (evidence,) = (folder / bot).glob("m*.jsonl")
        lines = map(json.loads, evidence.read_text().splitlines())
        (share,) = (line["share"] for line in lines if line["kind"] == "share")
        secrets[f"share of {bot}"] = bytes.fromhex(share)
    return secrets


async def _mistakes(room: Room, position: Position) -> str:
    """Play a match on known cards to a position, and make mistakes in it."""
    match_id = await room.deal(position)
    for text in ("discard Kx", f"discard {position.foreign}"):
        submit = partial(
            room.referee,
            SEATED[position.mover],
            "SubmitMove",
            match_id=match_id,
            seat=position.mover + 1,
            expected_version=position.version,
            request_id=text,
            move=move_pb2.Move(text=text),
        )
        await _refused(submit)
    return match_id


async def _revealed(room: Room) -> str:
    """Bring a match to where one seat has shown its share and the other has not."""
    match_id = await room.create()
    await room.prepare(match_id, accept=referee_pb.AcceptSeat())
    for seat, bot in zip(Seat, SEATED, strict=False):
        step = partial(room.referee, bot, "PrepareSeat", match_id=match_id)
        await step(seat=seat + 1, commitment=commit_seat(match_id, seat, SHARE))
    await room.referee(SEATED[0], "PrepareSeat", match_id=match_id, seat=1, nonce=SHARE)
    return match_id


async def _strange_calls(room: Room) -> None:
    """Call with tokens that are none, and with bytes that are no message."""
    for wrong in ("guesser", OPERATOR):
        room.host.tokens[f"like {wrong}"] = f"{room.host.tokens.get(wrong, wrong)}x"
        look = partial(room.referee, f"like {wrong}", "ListMatches")
        assert await _refused(look) == "UNAUTHENTICATED"
    for data in (b"\xff\xffAsKd", b"Kd" * 10_000, SHARE):
        await _refused(partial(room.send, SEATED[0], SUBMIT, data))


async def _damaged(host: Host, damages: Mapping[str, tuple[str, str]]) -> None:
    """Look at matches that a process new to them cannot read: a step is wrong."""
    path = host.process.data / "store" / "server.sock"
    with redis.Redis(unix_socket_path=str(path)) as store:
        for match_id, (old, new) in damages.items():
            keys = match_keys(match_id)
            store.hset(keys.match, "state", b"no seal opens this")
            log: Any = store.xrange(keys.log)
            store.delete(keys.log)
            for name, fields in log:
                damaged = {
                    key: value.replace(old.encode(), new.encode())
                    for key, value in fields.items()
                }
                store.xadd(keys.log, damaged, id=name)
    host.process.end(signal.SIGTERM)
    host.process.start()
    async with host.open() as room:
        for match_id in damages:
            look = partial(room.referee, SEATED[0], "GetMatch", match_id=match_id)
            assert await _refused(look) == "INTERNAL"


def _kept(host: Host) -> dict[str, Secret]:
    """Return the secrets on disk, and all tokens."""
    secrets: dict[str, Secret] = {
        f"token of {name}": host.tokens[name] for name in host.tokens
    }
    for file in (host.process.data / "keys").iterdir():
        if file.suffix == ".pem":
            _, *body, _ = file.read_text().splitlines()
            secrets["signing key"] = base64.b64decode("".join(body))[-32:]
        elif file.suffix == ".key":
            secrets["sealing key"] = file.read_bytes()
    return secrets


async def test_what_a_referee_tells_of_itself_tells_no_secret(
    telling: Host, folder: Path, collector: Collector
) -> None:
    position = to_draw()
    async with telling.open() as room:
        secrets = await _whole_match(telling, folder)
        mistaken, revealed = await _mistakes(room, position), await _revealed(room)
        await _strange_calls(room)
    await _damaged(
        telling,
        {
            mistaken: (position.moves[-1], f"discard {position.foreign}"),
            revealed: (SHARE.hex(), SHARE.hex()[:-2]),
        },
    )
    telling.process.stop()
    secrets |= _kept(telling)
    secrets |= {"a share": SHARE, "secret of a seed": seed_secret(position.seed)}
    canaries = {name: canary(name) for name in LOGGERS}
    log = telling.process.log()
    log += (telling.process.data / "store" / "server.log").read_text()
    # The random name of its folder may look like a card.
    log = log.replace(str(telling.process.data), "")

    # What the loggers were made to tell is found, and nothing else.
    assert leaks(log, {**secrets, **canaries}) == set(LOGGERS)
    assert log.count('"logger": "ginref.app.fault", "message": "fault ') == 2
    assert "(card_not_in_hand: card ??)" in log
    assert len(collector.spans) > 100
    assert leaks(collector.text(), secrets) == set()


@pytest.mark.parametrize(
    "written",
    [
        pytest.param(SHARE.hex(), id="hexadecimal"),
        pytest.param(repr(b"nonce " + SHARE), id="bytes"),
        pytest.param(str(list(SHARE)), id="numbers"),
        pytest.param(str(int.from_bytes(SHARE)), id="a number"),
        pytest.param(base64.b64encode(b"a" + SHARE + b"bc").decode(), id="base64"),
        pytest.param(base64.b32encode(b"ab" + SHARE + b"c").decode(), id="base32"),
    ],
)
def test_the_scan_finds_a_secret_however_it_is_written(written: str) -> None:
    log = f"2026-11-30 07:22:35,121 DEBUG grpc: received <{written}>\n"

    assert leaks(log, {"share": SHARE, "token": "sesame"}) == {"share"}


def test_the_scan_finds_cards_and_tokens() -> None:
    log = "INFO ginref: Bearer sesame throws (As) and holds 9hThJh"

    assert leaks(log, {"token": "sesame"}) == {"token", "As", "9h", "Th", "Jh"}
