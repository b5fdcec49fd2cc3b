"""Keys are rotated and retired while bots play on two referees that share them."""

import asyncio
import json
import subprocess
import sys
import urllib.request
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.referee_process import RefereeProcess
from tests.e2e.replicas import Calm, two_replicas
from tests.e2e.table import PATIENCE, Table, play

from ginref.record.envelope import parse_envelope
from ginref.record.lifecycle import EndingKind
from ginref_client.bots.simple import Simple
from ginref_client.session import Session


class Slow(Calm):
    """A bot that takes its time until the keys have changed."""

    pause_s = 0.2


@pytest.fixture
async def replicas(folder: Path) -> AsyncIterator[list[RefereeProcess]]:
    async with two_replicas(folder) as both:
        yield both


async def ginref(*words: str | Path, status: int = 0) -> str:
    """Run a command, and return what it says."""
    command = [sys.executable, "-m", "ginref", *map(str, words)]
    done = await asyncio.to_thread(
        subprocess.run, command, capture_output=True, text=True, check=False
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


async def fetched(replica: RefereeProcess, path: str) -> bytes:
    """Return what a referee tells over HTTP."""

    def fetch() -> bytes:
        url = f"http://{replica.admin}/{path}"
        with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
            data: bytes = answer.read()
            return data

    return await asyncio.to_thread(fetch)


async def published(replica: RefereeProcess, form: str = "json") -> bytes:
    """Return the keys that a referee publishes."""
    return await fetched(replica, f".well-known/jwks.{form}")


async def until_published(
    replicas: Sequence[RefereeProcess],
    wanted: Callable[[Sequence[Mapping[str, Any]]], bool],
) -> None:
    """Wait until the keys that all referees publish are as wanted."""
    async with asyncio.timeout(PATIENCE):
        for replica in replicas:
            while not wanted(json.loads(await published(replica))["keys"]):  # noqa: ASYNC110 - they look elsewhere
                await asyncio.sleep(0.05)


async def refused_moves(replica: RefereeProcess) -> float:
    """Return how many moves a referee has refused."""
    text = (await fetched(replica, "metrics")).decode()
    return sum(
        float(line.rpartition(" ")[2])
        for line in text.splitlines()
        if line.startswith("ginref_moves_total{") and 'verdict="refused"' in line
    )


def signed_by(envelope: bytes) -> tuple[str, str]:
    """Return the keys that signed a record and its commitment."""
    parsed = parse_envelope(envelope)
    (mark,) = parsed.signatures
    return mark.key_id, json.loads(parsed.payload)["match"]["key_id"]


async def check_by_strangers(
    replicas: Sequence[RefereeProcess], folder: Path, count: int
) -> None:
    """Verify all records with nothing but what referees publish."""
    for replica, form in zip(replicas, ("json", "pem"), strict=True):
        trusted = folder / f"published.{form}"
        trusted.write_bytes(await published(replica, form))
        told = await ginref("verify", folder / "records", "--keys", trusted, "--json")
        verdicts = [json.loads(line) for line in told.splitlines()]
        assert [verdict["notes"] for verdict in verdicts] == [[]] * count


async def test_a_rotation_fails_no_move_and_every_record_verifies(
    replicas: list[RefereeProcess], folder: Path
) -> None:
    in_keys = ("--folder", folder / "keys")
    one, two = (Table(replica.address, replica.token()) for replica in replicas)
    ways = [replica.address for replica in replicas]
    tokens = await one.bot_tokens()
    first = (await ginref("keys", "list", *in_keys)).split()[0]
    Calm.over.clear()

    # One match is over before anything changes.
    early = await one.create_match("gin")
    await play([Session(ways, token, Simple) for token in tokens])
    early_record = await two.record(early)
    assert signed_by(early_record) == (first, first)

    # Which keys may have signed the commitments of the others.
    allowed = {await one.create_match("hollywood"): {first}}
    (long,) = allowed
    created_all = asyncio.Event()
    async with asyncio.timeout(PATIENCE * 3), asyncio.TaskGroup() as group:
        playing = [
            group.create_task(
                session.run(
                    lambda over: created_all.is_set() and len(over) == len(allowed)
                )
            )
            for session in (
                Session(ways, tokens[0], Slow),
                Session(ways[::-1], tokens[1], Slow),
            )
        ]
        await one.reach(long, 12)

        second = (await ginref("keys", "new", *in_keys)).strip()
        await until_published(
            replicas, lambda told: [key["kid"] for key in told] == [first, second]
        )
        await ginref("keys", "rotate", second, *in_keys)
        for table in (one, two):
            allowed[await table.create_match("gin")] = {first, second}
        await until_published(replicas, lambda told: told[0]["kid"] == second)
        allowed[await two.create_match("gin")] = {second}

        third = (await ginref("keys", "rotate", *in_keys)).split()[0]
        allowed[await one.create_match("gin")] = {second, third}
        for former in (first, second):
            await ginref("keys", "retire", former, *in_keys)
        await until_published(
            replicas,
            lambda told: (
                told[0]["kid"] == third
                and sum("retired_at" in key for key in told) == 2
            ),
        )
        allowed[await two.create_match("gin")] = {third}
        played = await two.version(long)
        created_all.set()
        Calm.over.set()

    for task in playing:
        endings = {match.match_id: match.ending.kind for match in task.result()}
        assert endings == dict.fromkeys(allowed, EndingKind.COMPLETED)
    assert await one.version(long) > played > 12
    assert [await refused_moves(replica) for replica in replicas] == [0, 0]
    for match_id, promisers in allowed.items():
        envelope = await one.record(match_id)
        signer, promiser = signed_by(envelope)
        assert signer == third
        assert promiser in promisers
        assert json.loads(parse_envelope(envelope).payload)["strikes"] == [0, 0]
    assert await one.record(early) == early_record
    await check_by_strangers(replicas, folder, len(allowed) + 1)
