"""House bots of a real referee, and bots that challenge them."""

import asyncio
import datetime as dt
import ipaddress
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from tests.e2e.referee_process import RefereeProcess
from tests.e2e.table import verify

from ginref.record.verify import Finding
from ginref_client.bots.careful import Careful
from ginref_client.challenge import Challenge, play_challenge
from ginref_client.error import ClientError, RefusedError
from ginref_client.fact import FinishedMatch
from ginref_client.referee import Referee
from ginref_client.session import Session

PATIENCE = 120.0

HOUSE = "house.simple"

PLAYED = re.compile(r"match (m\w+), north: (?:won|lost) \(completed\)  \d+ : \d+")


def wait_until(is_so: Callable[[], bool], process: RefereeProcess) -> None:
    """Wait for what must come to be."""
    until = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < until, process.log()
        time.sleep(0.05)


@pytest.fixture
def roots(folder: Path) -> Path:
    """Return the certificate of a referee."""
    return _certificate(folder)[0]


@pytest.fixture
def process(folder: Path, roots: Path) -> Iterator[RefereeProcess]:
    """Return a referee of several workers with a house bot, over TLS."""
    tls = "--tls-cert", str(roots), "--tls-key", str(roots.with_name("key.pem"))
    options = ("--house", "simple", "--workers", "2", *tls)
    made = RefereeProcess(folder / "data", options=options).start()
    wait_until(lambda: "house bots" in made.log(), made)
    yield made
    made.stop()


def house_bot(process: RefereeProcess) -> int | None:
    """Return the process of the house bot while it runs."""
    for pid in process.children():
        with suppress(FileNotFoundError, ProcessLookupError):
            if b"house_bot" in Path(f"/proc/{pid}/cmdline").read_bytes():
                return pid
    return None


def connect(urls: str, roots: Path, token: Path, opponent: str) -> str:
    """Run `ginref connect` with a challenge to its end; return what it says."""
    command = [
        *(sys.executable, "-m", "ginref", "connect", urls, "--bot", "careful"),
        *("--token-file", str(token), "--roots", str(roots)),
        *("--state", str(token.with_name("state")), "--challenge", opponent),
        "--accept-challenges",
    ]
    ended = subprocess.run(
        command, capture_output=True, check=False, text=True, timeout=PATIENCE
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


async def test_a_bot_plays_against_the_house(
    process: RefereeProcess, roots: Path, folder: Path
) -> None:
    urls = ",".join(f"https://{one}" for one in process.address.split(","))
    trusted = certificate(roots)
    token, results = folder / "token", list[FinishedMatch]()
    async with Referee(urls, process.token(), roots=trusted) as operator:
        await operator.create_owner("lab")
        await operator.create_bot("ada", "lab")
        token.write_text((await operator.create_token("bot", bot="ada")).secret)
        first = house_bot(process)
        assert first is not None

        said = await asyncio.to_thread(connect, urls, roots, token, "house/simple")
        # Nothing piles up in the folder of a bot that plays for ever.
        tidied(process)
        os.kill(first, signal.SIGKILL)
        async with Referee(urls, token.read_text(), roots=trusted) as referee:
            missing, there = Challenge(opponent="clever"), Challenge(opponent=HOUSE)
            session = Session(urls, token.read_text(), Careful, roots=trusted)
            with pytest.raises(ClientError) as refused:
                await play_challenge(session, referee, missing, results.extend)
            session = Session(urls, token.read_text(), Careful, roots=trusted)
            async with asyncio.timeout(PATIENCE):
                await play_challenge(session, referee, there, results.extend)

        (one,) = PLAYED.findall(said)
        ids = one, results[0].match_id
        assert len({*ids}) == 2
        bots = {bot.name: bot for bot in await operator.list_bots()}
        records = [await signed(operator, match_id) for match_id in ids]
    second, children = house_bot(process), process.children()
    tidied(process)
    status = process.stop()

    assert (bots[HOUSE].owner, bots[HOUSE].house) == ("house", True)
    assert (bots["ada"].house, bots["ada"].accepts_challenges) == (False, True)
    assert str(refused.value).startswith("BOT_NOT_FOUND: ")
    assert str(refused.value).endswith("; to be challenged: ada, house.simple")
    assert second not in {first, None}
    for record in records:
        verdict = verify(record, process.data / "keys")
        assert verdict.finding is Finding.VALID, verdict.problem
    assert status == 0
    assert not [pid for pid in children if is_running(pid)]


def tidied(process: RefereeProcess) -> None:
    """Wait until the house bot has thrown away what it had of matches."""
    kept = process.data / "house" / "simple"
    wait_until(lambda: not [*kept.glob("*.json*")], process)


def certificate(path: Path) -> bytes:
    """Read a certificate."""
    return path.read_bytes()


def is_running(pid: int) -> bool:
    """Say whether there is such a process."""
    return Path(f"/proc/{pid}").exists()


async def signed(operator: Referee, match_id: str) -> bytes:
    """Wait for the record of a match."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                return await operator.record(match_id)
            except RefusedError as error:
                assert error.reason == "RECORD_NOT_READY"  # noqa: PT017 - any other is a failure
            await asyncio.sleep(0.05)


def _certificate(folder: Path) -> tuple[Path, Path]:
    """Write a certificate, whose first name this machine does not have, and its key."""
    secret = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "a referee")])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(x509.Name([*name, *name]))
        .public_key(secret.public_key())
        .serial_number(7)
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + dt.timedelta(hours=1))
        .add_extension(_names("*.referee.example", "127.0.0.1"), critical=False)
        .sign(secret, hashes.SHA256())
    )
    chain, key = folder / "chain.pem", folder / "key.pem"
    chain.write_bytes(certificate.public_bytes(Encoding.PEM))
    plain = PrivateFormat.PKCS8, NoEncryption()
    key.write_bytes(secret.private_bytes(Encoding.PEM, *plain))
    return chain, key


def _names(name: str, address: str) -> x509.SubjectAlternativeName:
    return x509.SubjectAlternativeName(
        [x509.DNSName(name), x509.IPAddress(ipaddress.ip_address(address))]
    )
