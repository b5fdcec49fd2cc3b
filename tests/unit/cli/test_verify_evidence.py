"""`ginref verify --evidence`: a record beside what its bots have kept."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import typer
from tests.unit.conftest import Referee, build_setup, play
from tests.unit.record.witness import keep, sign, write
from typer.testing import CliRunner, Result

from ginref.cli.verify import verify
from ginref.engine.seat import Seat
from ginref.record.document import PAYLOAD_TYPE, build_record
from ginref.record.envelope import parse_envelope, seal_envelope
from ginref.record.evidence import ReceiptLine
from ginref.record.public_key import thumbprint, write_jwks
from ginref.record.receipt import read_receipt
from ginref_client.joined import Joined, keep_joined

LOG = play(7, setup=replace(build_setup(7), receipts=True), refusals=0.1)

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run the command on the record of a match."""
    keys, record = tmp_path / "keys.json", tmp_path / "record.json"
    keys.write_bytes(write_jwks([Referee().public_key]))
    record.write_bytes(seal_envelope(build_record(*LOG), PAYLOAD_TYPE, Referee()))
    app = typer.Typer()
    app.command()(verify)

    def invoke(
        *arguments: object, keys: Sequence[str] = ("--keys", "keys.json")
    ) -> Result:
        listed = ["record.json", *keys, *map(str, arguments)]
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(tmp_path)
            patch.setenv("XDG_CONFIG_HOME", str(tmp_path))
            return CliRunner().invoke(app, listed)

    return invoke


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """The state folder of a bot that has played both seats."""
    folder = tmp_path / "state"
    folder.mkdir()
    for seat in (Seat.NORTH, Seat.SOUTH):
        lines = keep(*LOG, seat)
        (folder / f"match-7.{seat}.jsonl").write_bytes(write(LOG[0], seat, lines))
    (folder / "tournaments.jsonl").write_text("{}\n")
    return folder


def test_evidence_that_agrees_is_told_in_a_line(run: Run, state: Path) -> None:
    result = run("--evidence", state)

    assert result.exit_code == 0
    told = [line for line in result.stdout.splitlines() if "evidence" in line]
    assert [line.split(maxsplit=1)[1].split(":")[0] for line in told] == [
        "north",
        "south",
    ]
    assert all("1 share, 1 offer: all as in the record" in line for line in told)


def test_evidence_that_contradicts_breaks_the_record_in_one_line(
    run: Run, state: Path
) -> None:
    lines = keep(*LOG, Seat.NORTH)
    line = next(one for one in lines if isinstance(one, ReceiptLine))
    receipt = read_receipt(parse_envelope(line.receipt.encode()).payload)
    lines[3] = sign(replace(receipt, version=99), line.submission)
    path = state / "match-7.north.jsonl"
    path.write_bytes(write(LOG[0], Seat.NORTH, lines))

    result = run("--evidence", path)
    facts = json.loads(run("--evidence", path, "--json").stdout)

    assert result.exit_code == 1
    first, second, *_ = result.stdout.splitlines()
    assert first == "record.json: BROKEN"
    assert second.split(maxsplit=1)[0] == "wrong"
    assert f"{path}: line 5: the referee has signed that entry 99 is" in second
    assert (facts["finding"], facts["wrong"], facts["version"]) == (
        "broken",
        "evidence",
        99,
    )


def test_a_referee_that_was_joined_signs_nothing_about_another_ones_match(
    run: Run, state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for number in (0, 1):
        key = Referee(number).public_key
        url = f"referee{number}.example:1"
        keep_joined(Joined(url=url, token="t", keys={thumbprint(key): key}))
    lines = keep(*LOG, Seat.NORTH)
    line = next(one for one in lines if isinstance(one, ReceiptLine))
    receipt = read_receipt(parse_envelope(line.receipt.encode()).payload)
    forged = sign(replace(receipt, version=99), line.submission, Referee(1))
    path = state / "match-7.north.jsonl"
    path.write_bytes(write(LOG[0], Seat.NORTH, [*lines, forged]))

    result = run("--evidence", path, keys=())

    assert result.exit_code == 3
    assert f"keys that are not known prove nothing: {Referee(1).key_id}" in (
        result.stdout
    )


def test_a_match_without_a_record_is_missed(run: Run, state: Path) -> None:
    other = replace(LOG[0], match_id="match-8")
    path = state / "match-8.north.jsonl"
    path.write_bytes(write(other, Seat.NORTH, []))

    named = run("--evidence", path)
    found = run("--evidence", state)

    assert named.exit_code == 1
    assert "it is of match match-8, and no record of that is here" in named.stdout
    assert found.exit_code == 0
    assert "evidence of 1 more matches, no record" in found.stderr


@pytest.mark.parametrize("torn", [b"", b'{"format":1,"kind":"evid'], ids=len)
def test_a_file_that_a_bot_died_over_hides_nothing_else(
    run: Run, state: Path, torn: bytes
) -> None:
    (state / "match-9.north.jsonl").write_bytes(torn)

    found = run("--evidence", state)
    named = run("--evidence", state / "match-9.north.jsonl")

    assert found.exit_code == 0
    assert found.stdout.count("all as in the record") == 2
    assert named.exit_code == 1
    assert "is no evidence of a match" in named.stderr


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("nothing.jsonl", "cannot be read: No such file"),
        ("record.json", "is no evidence of a match: line 1"),
        ("empty", "holds no evidence"),
        ("pipe", "pipe is no file"),
    ],
)
def test_what_is_no_evidence_is_said_in_a_line(
    run: Run, tmp_path: Path, name: str, says: str
) -> None:
    (tmp_path / "empty").mkdir()
    os.mkfifo(tmp_path / "pipe")

    result = run("--evidence", tmp_path / name)

    assert result.exit_code == 1
    assert result.stdout == ""
    assert says in result.stderr
