"""`ginref token`, `ginref bot` and `ginref invite`, against a real referee."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.host import OPERATOR, SPECTATOR, Host
from typer.testing import CliRunner, Result

from ginref.cli import app

SECRET = re.compile(r"gr_[a-z2-7]{52}")
CODE = re.compile(r"[a-z2-7]{4}(-[a-z2-7]{4}){4}")

Ginref = Callable[..., Result]


@pytest.fixture
def ginref(host: Host, tmp_path: Path) -> Ginref:
    """Run a command as the operator, or as somebody else."""

    def run(*words: object, token: str = host.tokens[OPERATOR]) -> Result:
        environment = {
            "GINREF_URL": host.process.address,
            "GINREF_TOKEN": token,
            "XDG_CONFIG_HOME": str(tmp_path / "settings"),
            "COLUMNS": "200",
        }
        return CliRunner(env=environment).invoke(app, [str(word) for word in words])

    return run


def told(result: Result) -> Any:  # noqa: ANN401 - JSON
    assert result.exit_code == 0, result.stderr
    (line,) = result.stdout.splitlines()
    return json.loads(line)


def listed(ginref: Ginref, *words: str) -> Iterator[Any]:
    result = ginref(*words, "--json")
    assert result.exit_code == 0, result.stderr
    yield from map(json.loads, result.stdout.splitlines())


def test_a_token_is_made_rotated_and_revoked(ginref: Ginref, tmp_path: Path) -> None:
    cups = ("--tournament", "cup", "--tournament", "league")
    limits = ("--match", "m1", *cups, "--lifetime", "2h")
    made = ginref("token", "new", "spectator", *limits)
    first = made.stdout.strip()
    assert SECRET.fullmatch(first), made.stderr
    *_, row = listed(ginref, "token", "list")
    assert (row["role"], row["match_ids"]) == ("ROLE_SPECTATOR", ["m1"])
    assert row["tournament_ids"] == ["cup", "league"]
    table = ginref("token", "list").stdout
    assert "match m1, tournament cup, tournament league" in table
    file = tmp_path / "spectator.token"

    rotated = told(ginref("token", "rotate", row["token_id"], "--to", file, "--json"))

    second = file.read_text().strip()
    assert SECRET.fullmatch(second)
    assert file.stat().st_mode & 0o777 == 0o600
    assert rotated["file"] == str(file)
    assert "secret" not in rotated
    assert rotated["token"]["match_ids"] == ["m1"]
    assert rotated["token"]["tournament_ids"] == ["cup", "league"]
    assert rotated["replaced"]["expire_time"] < row["expire_time"]
    for secret in (first, second):
        assert ginref("bot", "list", token=secret).exit_code == 0

    gone = ginref("token", "revoke", rotated["token"]["token_id"])

    assert gone.stdout.startswith(f"{rotated['token']['token_id']}: spectator, revoked")
    refused = ginref("bot", "list", token=second)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert refused.stderr.startswith("ginref bot list: TOKEN_REVOKED")
    ids = {one["token_id"]: one["state"] for one in listed(ginref, "token", "list")}
    assert rotated["token"]["token_id"] not in ids
    every = listed(ginref, "token", "list", "--all")
    states = {one["token_id"]: one["state"] for one in every}
    assert states[rotated["token"]["token_id"]] == "revoked"
    table = ginref("token", "list", "--all").stdout
    assert rotated["token"]["token_id"] in table
    assert first not in table


def test_a_bot_is_added_with_its_owner_and_a_token(
    ginref: Ginref, tmp_path: Path
) -> None:
    file = tmp_path / "swift.token"

    added = ginref("bot", "new", "swift", "--owner", "grace", "--to", file)

    assert (added.exit_code, added.stdout) == (0, f"kept in {file}\n"), added.stderr
    bots = {row["name"]: row["owner"] for row in listed(ginref, "bot", "list")}
    assert bots["swift"] == "grace"
    assert "swift" in ginref("bot", "list", token=file.read_text().strip()).stdout
    taken = ginref("bot", "new", "swift", "--owner", "linus", "--to", file)
    assert taken.exit_code == 1
    assert "NAME_TAKEN" in taken.stderr


def test_an_invitation_is_made_used_listed_and_ended(
    ginref: Ginref, tmp_path: Path, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    code = ginref("invite", "new", "--uses", "2").stdout.strip()
    assert CODE.fullmatch(code)

    joined = ginref(
        *("join", host.process.address, "--code", code, "--name", "newcomer"), token=""
    )

    assert joined.exit_code == 0, joined.stderr
    assert "the bot newcomer is yours" in joined.stdout
    assert ginref("bot", "list", token="").exit_code == 0, "as it was joined"
    *_, row = listed(ginref, "invite", "list")
    assert (row["uses"], row["bots"], row["state"]) == (2, ["newcomer"], "works")
    again = ginref(
        *("join", host.process.address, "--code", code, "--name", "newcomer"), token=""
    )
    assert again.exit_code == 1
    assert again.stderr.startswith("ginref join: NAME_TAKEN")
    assert ginref("invite", "end", row["invitation_id"]).exit_code == 0
    late = ginref(
        *("join", host.process.address, "--code", code, "--name", "latecomer"), token=""
    )
    assert late.stderr.startswith("ginref join: INVITATION_EXPIRED")
    assert row["invitation_id"] in ginref("invite", "list", "--all").stdout
    assert code not in ginref("invite", "list", "--all").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param(
            ("token", "new", "spectator", "--lifetime", "soon"),
            "ginref token new: --lifetime: 'soon': a time like",
            id="no time",
        ),
        *(
            pytest.param(
                (*words, "forever"),
                f"ginref {words[0]} {words[1]}: {words[-1]}: 'forever':"
                f" a time like 30d, 12h or 5m, {least} to 3650d, expected",
                id=f"no end, {' '.join(words)}",
            )
            for least, *words in (
                ("1s", "token", "new", "spectator", "--lifetime"),
                ("1s", "token", "rotate", "tnowhere", "--lifetime"),
                ("0d", "token", "rotate", "tnowhere", "--overlap"),
                ("1s", "invite", "new", "--lifetime"),
            )
        ),
        pytest.param(
            ("token", "new", "bot"), "ginref token new: FIELD_MISSING", id="no bot"
        ),
        pytest.param(
            ("token", "new", "spectator", "--to", "/nowhere/token"),
            "ginref token new: /nowhere/token cannot be written",
            id="no place",
        ),
        pytest.param(
            ("token", "rotate", "tnowhere"),
            "ginref token rotate: TOKEN_NOT_FOUND",
            id="no token",
        ),
        pytest.param(
            ("invite", "new", "--owner", "nobody"),
            "ginref invite new: OWNER_NOT_FOUND",
            id="no owner",
        ),
        pytest.param(
            ("invite", "end", "inowhere"),
            "ginref invite end: INVITATION_NOT_FOUND",
            id="no invitation",
        ),
    ],
)
def test_what_cannot_be_done_is_one_line_of_complaint(
    ginref: Ginref, words: tuple[str, ...], said: str
) -> None:
    before = [*listed(ginref, "token", "list")]

    result = ginref(*words)

    assert (result.exit_code, result.stdout) == (1, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith(said)
    assert [*listed(ginref, "token", "list")] == before


def test_a_spectator_hands_nothing_out(ginref: Ginref, host: Host) -> None:
    for words in (("token", "new", "spectator"), ("invite", "new"), ("token", "list")):
        result = ginref(*words, token=host.tokens[SPECTATOR])

        assert result.exit_code == 1
        assert "ROLE_NOT_ALLOWED" in result.stderr
