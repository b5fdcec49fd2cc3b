"""`ginref join`: what it keeps is what the other commands use."""

import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.e2e.host import SEATED, SPECTATOR, Host
from tests.e2e.referee_process import RefereeProcess

from ginref.record.public_key import read_jwks

Ginref = Callable[..., "subprocess.CompletedProcess[str]"]

LINE = re.compile(
    r"^ginref (join '\S+#[0-9a-f]{64}' --code [a-z2-7-]{24})$", re.MULTILINE
)


@pytest.fixture
def ginref(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ginref:
    """Run a command of somebody who has joined nothing yet."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))

    def run(*words: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        return subprocess.run(
            [sys.executable, "-m", "ginref", *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            text=True,
            timeout=300,
        )

    return run


async def test_a_referee_that_was_joined_is_trusted_and_needs_no_address(
    host: Host, tmp_path: Path, ginref: Ginref
) -> None:
    record = tmp_path / "record.json"
    async with host.open() as room:
        match_id = await room.finished()
        envelope = await room.referee(SPECTATOR, "GetMatchRecord", match_id=match_id)
        shown = await room.referee(SEATED[0], "GetPublicKeys")
    record.write_bytes(envelope.envelope)
    (key_id,) = read_jwks(shown.jwks)
    address = host.process.address
    unknown = ginref("verify", str(record))

    joined = ginref("join", address, GINREF_TOKEN=host.tokens[SPECTATOR])

    assert unknown.returncode == 3
    assert joined.returncode == 0, joined.stderr
    assert f"{key_id}  (new)" in joined.stdout
    assert host.tokens[SPECTATOR] not in joined.stdout
    assert ginref("verify", str(record)).returncode == 0
    # A spectator's token gets no bot in: so both token and address were used.
    refused = ginref("connect", "--bot", "simple", GINREF_TOKEN="")
    assert refused.stderr.splitlines()[-1].startswith(
        "ginref connect: ROLE_NOT_ALLOWED"
    )
    again = ginref("join", address, "--key-id", key_id)
    assert f"{key_id}  (known)" in again.stdout


async def test_a_referee_without_the_key_that_was_told_is_not_joined(
    host: Host, ginref: Ginref
) -> None:
    token = host.tokens[SPECTATOR]
    key_id = "A" * 43

    ended = ginref("join", host.process.address, "--key-id", key_id, GINREF_TOKEN=token)

    assert (ended.returncode, ended.stdout) == (1, "")
    assert f"the key {key_id} is not one of" in ended.stderr
    assert ginref("connect", "--bot", "simple").returncode == 1


def test_nobody_joins_without_a_token(ginref: Ginref) -> None:
    ended = ginref("join", "127.0.0.1:1", GINREF_TOKEN="", GINREF_TOKEN_FILE="")

    assert ended.returncode == 1
    assert "no token" in ended.stderr


def told_line(process: RefereeProcess) -> str:
    """Return the line by which others join, once it is told."""
    until = time.monotonic() + 120
    while not (found := LINE.findall(process.log())):
        assert time.monotonic() < until, process.log()
        time.sleep(0.05)
    (line,) = found
    return str(line)


@pytest.fixture
def shared(folder: Path) -> Iterator[RefereeProcess]:
    """Return a referee that is shared."""
    process = RefereeProcess(folder / "data", options=("--share", "--house", "simple"))
    yield process.start()
    process.stop()


def test_who_runs_the_line_of_a_shared_referee_plays_on_it_and_nothing_more_is_needed(
    shared: RefereeProcess, ginref: Ginref
) -> None:
    join = shlex.split(told_line(shared))
    address, _, mark = join[1].partition("#")
    wrong = [join[0], f"{address}#{mark[::-1]}", *join[2:], "--name", "newcomer"]

    refused = ginref(*wrong)
    joined = ginref(*join, "--name", "newcomer")
    played = ginref(
        *("connect", "--bot", "careful", "--challenge", "house/simple"),
        *("--clock", "fast"),
    )

    assert (refused.returncode, refused.stdout) == (1, "")
    assert "shows another certificate" in refused.stderr
    assert joined.returncode == 0, joined.stderr
    assert "the bot newcomer is yours" in joined.stdout
    assert "gr_" not in joined.stdout
    assert played.returncode == 0, played.stderr
    assert re.search(r"match \w+, \w+: (won|lost) \(completed\)", played.stdout)
