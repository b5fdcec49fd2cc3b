import asyncio
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import typer
from tests.unit.client.fake_referee import TOKEN, FakeReferee, listening
from typer.testing import CliRunner, Result

from ginref.cli.connect import connect

Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home"))
    for name in ("GINREF_URL", "GINREF_TOKEN", "GINREF_TOKEN_FILE"):
        monkeypatch.delenv(name, raising=False)
    app = typer.Typer()
    app.command()(connect)

    def invoke(*arguments: object) -> Result:
        return CliRunner().invoke(app, [str(argument) for argument in arguments])

    return invoke


@pytest.fixture
def address() -> Iterator[str]:
    """A referee with one match, in a thread of its own."""
    ready, done = threading.Event(), threading.Event()
    urls = []

    async def serve() -> None:
        async with listening(FakeReferee()) as url:
            urls.append(url)
            ready.set()
            await asyncio.to_thread(done.wait)

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    assert ready.wait(10)
    yield urls[0]
    done.set()
    thread.join()


def test_a_bot_plays_and_its_matches_are_told(
    run: Run, address: str, tmp_path: Path
) -> None:
    token = tmp_path / "token"
    token.write_text(f"{TOKEN}\n")

    played = run(address, "--bot", "simple", "--token-file", token, "--matches", 1)

    assert played.exit_code == 0, played.stderr
    assert "match m1, north: " in played.stdout
    assert "(completed)" in played.stdout
    kept = list((tmp_path / "home" / "ginref" / "simple").iterdir())
    assert {path.name for path in kept} == {"m1.north.jsonl", "bot-key.pem"}
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept} == {0o600}


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["127.0.0.1:1", "--bot", "clever"], "no such bot"),
        (["127.0.0.1:1", "--bot", "simple"], "no token"),
        (["nowhere", "--bot", "simple"], "https://HOST:PORT expected"),
        (
            ["127.0.0.1:1", "--bot", "simple", "--token-file", "/no/such"],
            "No such file",
        ),
    ],
)
def test_mistakes_are_told_in_a_line(run: Run, arguments: list[str], text: str) -> None:
    failed = run(*arguments)

    assert failed.exit_code == 1
    assert text in failed.stderr
    assert "Traceback" not in failed.stderr


def test_an_address_that_cannot_be_used_is_told(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GINREF_TOKEN", TOKEN)

    failed = run("http://referee.example:1", "--bot", "simple")

    assert failed.exit_code == 1
    assert "unencrypted" in failed.stderr
