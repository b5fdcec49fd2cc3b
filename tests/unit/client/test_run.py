from pathlib import Path

import pytest

from ginref_client.bots.simple import Simple
from ginref_client.error import ClientError
from ginref_client.run import main, read_token


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GINREF_URL", "GINREF_TOKEN", "GINREF_TOKEN_FILE"):
        monkeypatch.delenv(name, raising=False)


def test_a_token_comes_from_a_file_or_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "token"
    file.write_text(" abc\n")

    assert read_token(file) == "abc"
    monkeypatch.setenv("GINREF_TOKEN", "def")
    assert read_token(None) == "def"
    monkeypatch.setenv("GINREF_TOKEN_FILE", str(file))
    assert read_token(None) == "abc"


def test_a_bot_without_a_token_does_not_start() -> None:
    with pytest.raises(ClientError, match="no token"):
        read_token(None)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([], "no referee: give --url or set GINREF_URL"),
        (["--url", "127.0.0.1:1"], "no token"),
        (["--url", "127.0.0.1:1", "--token-file", "/no/such/file"], "No such file"),
    ],
)
def test_what_is_missing_is_said_in_a_line(arguments: list[str], text: str) -> None:
    with pytest.raises(SystemExit, match=text):
        main(Simple, arguments)


def test_plaintext_over_a_network_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GINREF_TOKEN", "abc")

    with pytest.raises(SystemExit, match="unencrypted"):
        main(Simple, ["--url", "http://referee.example:1"])
