import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from ginref.adapters.key_file import RetiredKey
from ginref.adapters.key_folder import KeyFolder
from ginref.cli.verify import verify
from ginref.engine.seat import Seat
from ginref.record.document import PAYLOAD_TYPE, build_record
from ginref.record.entry import Resigned, StampedEntry
from ginref.record.envelope import parse_envelope, seal_envelope
from ginref.record.public_key import write_jwks
from ginref.record.setup import Setup

MakeReferee = Callable[..., Any]
MakeSetup = Callable[..., Setup]
Play = Callable[..., tuple[Setup, tuple[StampedEntry, ...]]]
Run = Callable[..., Result]
Seal = Callable[[str, bytes], Path]


@pytest.fixture
def run() -> Run:
    app = typer.Typer()
    app.command()(verify)

    def invoke(*arguments: object) -> Result:
        return CliRunner().invoke(app, [str(argument) for argument in arguments])

    return invoke


@pytest.fixture
def keys(tmp_path: Path, referee: MakeReferee) -> Path:
    path = tmp_path / "keys.jwks"
    path.write_bytes(write_jwks([referee().public_key]))
    return path


@pytest.fixture
def seal(tmp_path: Path, referee: MakeReferee) -> Seal:
    """Sign a payload and write it into a file."""

    def write(name: str, payload: bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(seal_envelope(payload, PAYLOAD_TYPE, referee()))
        return path

    return write


@pytest.fixture
def good(seal: Seal, play_match: Play) -> Path:
    return seal("good.json", build_record(*play_match(3, refusals=0.05)))


@pytest.fixture
def broken(seal: Seal, good: Path) -> Path:
    payload = parse_envelope(good.read_bytes()).payload
    changed = payload.replace(b'"creator":"operator"', b'"creator":"impostor"')
    changed = changed.replace(b'"bots":["careful"', b'"bots":["careless"')
    return seal("broken.json", changed)


def test_a_good_record_is_told_in_a_few_lines(
    run: Run, good: Path, keys: Path, referee: MakeReferee
) -> None:
    result = run(good, "--keys", keys)

    assert result.exit_code == 0
    first, *lines = result.stdout.splitlines()
    assert first == f"{good}: VALID"
    told = dict(line.strip().split(maxsplit=1) for line in lines)
    assert told["match"].startswith("match-3, short (digest ")
    assert (told["north"], told["south"]) == ("careful", "greedy")
    assert "rounds, " in told["played"]
    assert told["ending"] == "completed (fault: nobody)"
    assert told["winner"].split(", ")[0] in {"north", "south"}
    assert told["game"].startswith("1")
    assert told["deals"] == (
        "shares of the referee and the seats: nobody chose the cards"
    )
    assert told["key"] == referee().key_id


def test_a_seeded_record_says_who_chose_the_cards(
    run: Run,
    keys: Path,
    seal: Seal,
    play_match: Play,
    make_setup: MakeSetup,
) -> None:
    log = play_match(2, setup=make_setup(2, seeded=True))
    path = seal("seeded.json", build_record(*log))

    result = run(path, "--keys", keys)

    assert result.exit_code == 0
    assert "the host chose the cards, these are not fair deals" in result.stdout


def test_without_keys_no_record_is_trusted(run: Run, good: Path) -> None:
    result = run(good)

    assert result.exit_code == 3
    assert f"{good}: TRUE, BUT SIGNED BY AN UNKNOWN KEY" in result.stdout
    assert "name the referee's keys with --keys" in result.stdout


def test_a_broken_record_says_what_is_wrong_first(
    run: Run, broken: Path, keys: Path
) -> None:
    result = run(broken, "--keys", keys)

    assert result.exit_code == 1
    first, second, *_ = result.stdout.splitlines()
    assert first == f"{broken}: BROKEN"
    assert second.split(maxsplit=1)[0] == "wrong"
    assert "match.signature: not made with the key" in second


def test_a_deal_that_is_not_open_yet_has_a_status_of_its_own(
    run: Run, good: Path, keys: Path, seal: Seal
) -> None:
    document = json.loads(parse_envelope(good.read_bytes()).payload)
    document["openings"] = None
    payload = json.dumps(document, sort_keys=True, separators=(",", ":")).encode()

    result = run(seal("closed.json", payload), "--keys", keys)

    assert result.exit_code == 4
    assert "THE DEAL IS NOT OPEN YET" in result.stdout
    assert "unknown" not in result.stdout


def test_a_closed_deal_of_an_unknown_key_shows_no_result_and_says_both(
    run: Run, good: Path, seal: Seal
) -> None:
    document = json.loads(parse_envelope(good.read_bytes()).payload)
    document["openings"] = None
    payload = json.dumps(document, sort_keys=True, separators=(",", ":")).encode()
    path = seal("closed.json", payload)

    told, facts = run(path), json.loads(run(path, "--json").stdout)

    assert told.exit_code == 4
    assert "NOT PROVED: THE DEAL IS NOT OPEN YET" in told.stdout
    assert "name the referee's keys with --keys" in told.stdout
    assert "winner" not in told.stdout
    assert (facts["exit_code"], facts["key_known"]) == (4, False)
    assert "ending" not in facts


def test_of_several_records_the_worst_one_counts(
    run: Run, good: Path, broken: Path, keys: Path
) -> None:
    assert run(good, broken, good, "--keys", keys).exit_code == 1
    assert run(good, good, "--keys", keys).exit_code == 0


def test_programs_get_one_object_a_line(
    run: Run, good: Path, broken: Path, keys: Path
) -> None:
    result = run(good, broken, "--json", "--keys", keys)

    first, second = map(json.loads, result.stdout.splitlines())
    assert (first["finding"], first["exit_code"]) == ("valid", 0)
    assert (second["finding"], second["exit_code"]) == ("broken", 1)
    assert (first["problem"], first["wrong"]) == (None, None)
    assert second["wrong"] == "signature"
    assert first["file"] == str(good)
    assert first["ending"]["kind"] == "completed"
    assert first["rounds"] > 0
    assert first["strikes"] > 0
    assert "match.signature" in second["problem"]
    assert "rounds" not in second


def test_a_record_that_cannot_be_read_is_named_and_the_others_are_judged(
    run: Run, good: Path, keys: Path, tmp_path: Path
) -> None:
    result = run(tmp_path / "nowhere.json", good, "--keys", keys)

    assert result.exit_code == 1
    assert f"{good}: VALID" in result.stdout
    (complaint,) = result.stderr.splitlines()
    assert complaint == (
        f"ginref verify: {tmp_path}/nowhere.json cannot be read: "
        "No such file or directory"
    )


def test_programs_hear_of_a_record_that_cannot_be_read(
    run: Run, good: Path, keys: Path, tmp_path: Path
) -> None:
    result = run(tmp_path / "nowhere.json", good, "--json", "--keys", keys)

    unread, read = map(json.loads, result.stdout.splitlines())
    assert (result.exit_code, result.stderr) == (1, "")
    assert unread["file"] == str(tmp_path / "nowhere.json")
    assert unread["problem"] == "cannot be read: No such file or directory"
    assert (unread["finding"], unread["exit_code"]) == ("broken", 1)
    assert read["finding"] == "valid"


@pytest.mark.parametrize("place", ["keys.json", "keys.pem", "published", "folder"])
def test_a_key_that_is_retired_is_trusted_wherever_it_is_published(
    run: Run, good: Path, tmp_path: Path, referee: MakeReferee, place: str
) -> None:
    signer = referee()
    retired = RetiredKey(signer.key_id, signer.public_key, "2026-11-30T12:00:00Z")
    folder = KeyFolder.open_or_create(tmp_path / "folder").path
    (folder / f"{signer.key_id}.pem").write_bytes(retired.to_file())
    (folder / f"{signer.key_id}.pem").chmod(0o600)
    keys = KeyFolder(folder)
    (tmp_path / "keys.json").write_bytes(keys.jwks())
    (tmp_path / "keys.pem").write_bytes(keys.pem())
    (tmp_path / "published").mkdir()
    (tmp_path / "published" / "host.jwks").write_bytes(keys.jwks())

    result = run(good, "--keys", tmp_path / place)

    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[0] == f"{good}: VALID"
    assert "note" not in result.stdout


def test_keys_that_cannot_be_read_are_named(
    run: Run, good: Path, tmp_path: Path
) -> None:
    result = run(good, "--keys", tmp_path / "nowhere")

    assert result.exit_code == 1
    assert result.stdout == ""
    (complaint,) = result.stderr.splitlines()
    assert "nowhere cannot be read" in complaint


def test_a_file_that_is_no_record_is_broken(
    run: Run, tmp_path: Path, keys: Path
) -> None:
    path = tmp_path / "words.txt"
    path.write_text("no record")

    result = run(path, "--keys", keys)

    assert result.exit_code == 1
    assert "not a signed record: not JSON" in result.stdout


def test_no_record_at_all_is_a_wrong_call(run: Run) -> None:
    assert run().exit_code == 2


def test_a_record_cannot_send_codes_to_the_terminal(
    run: Run, seal: Seal, play_match: Play
) -> None:
    log = play_match(1, ending=Resigned(Seat.NORTH), moves=1)
    payload = build_record(*log).replace(b'"match-1"', b'"\\u001b[2Jx\\nVALID"')

    result = run(seal("sly.json", payload))

    assert "\x1b" not in result.stdout
    assert "VALID" not in result.stdout.splitlines()


@pytest.fixture
def many(tmp_path: Path, seal: Seal, play_match: Play) -> Path:
    """A folder of forty records, one of them broken."""
    folder = tmp_path / "season"
    folder.mkdir()
    log = play_match(4, ending=Resigned(Seat.NORTH), moves=3)
    good = seal("good.json", build_record(*log)).read_bytes()
    for number in range(40):
        record = good if number != 30 else good.replace(b'"sig":"', b'"sig":"A')
        (folder / f"{number:02}.json").write_bytes(record)
    (folder / "notes.txt").write_text("no record")
    return folder


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_folder_stands_for_its_records_in_order(
    run: Run, many: Path, keys: Path, jobs: int
) -> None:
    result = run(many, "--keys", keys, "--json", "--jobs", jobs)

    told = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.exit_code == 1
    assert [facts["file"] for facts in told] == [
        str(many / f"{number:02}.json") for number in range(40)
    ]
    broken = [facts["file"] for facts in told if facts["finding"] != "valid"]
    assert broken == [str(many / "30.json")]
    assert result.stderr == ""


def test_the_order_of_the_call_is_kept_over_processes(
    run: Run, many: Path, keys: Path
) -> None:
    files = [
        path
        for path in sorted(many.glob("*.json"), reverse=True)
        if "30" not in path.name
    ]

    result = run(*files, "--keys", keys, "--json", "--jobs", 2)

    assert result.exit_code == 0
    told = [json.loads(line)["file"] for line in result.stdout.splitlines()]
    assert told == [str(path) for path in files]


def test_a_folder_without_records_is_named(
    run: Run, tmp_path: Path, keys: Path, good: Path
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()

    result = run(empty, good, "--keys", keys)

    assert result.exit_code == 1
    assert result.stderr == f"ginref verify: {empty} holds no records\n"
    assert f"{good}: VALID" in result.stdout


def test_two_signed_stories_of_one_match_are_not_both_accepted(
    run: Run, seal: Seal, play_match: Play, keys: Path
) -> None:
    one = seal("one.json", build_record(*play_match(4, refusals=0)))
    other = seal("other.json", build_record(*play_match(4, refusals=0.1)))

    result = run(one, other, one, "--keys", keys)
    facts = run(one, other, "--keys", keys, "--json").stdout.splitlines()
    apart = [run(path, "--keys", keys).exit_code for path in (one, other)]
    untrusted = run(one, other)

    assert result.exit_code == 1
    assert f"{other}: BROKEN" in result.stdout
    assert f"{one} tells this match in another way" in result.stdout
    assert result.stdout.count(f"{one}: VALID") == 2
    assert [json.loads(line)["wrong"] for line in facts] == [None, "chain"]
    assert apart == [0, 0]
    # Anybody can sign two stories; only a trusted key must not.
    assert untrusted.exit_code == 3


def test_progress_is_shown_on_a_terminal_and_harms_no_result(
    many: Path, keys: Path
) -> None:
    leader, follower = os.openpty()
    environment = {**os.environ, "TERM": "xterm"}
    command = [sys.executable, "-m", "ginref", "verify", str(many), "--json"]

    with (many / "told").open("wb") as told:
        process = subprocess.Popen(
            [*command, "--keys", str(keys)],
            stdout=told,
            stderr=follower,
            env=environment,
        )
    os.close(follower)
    shown = b"".join(iter(lambda: _read(leader), b""))
    os.close(leader)

    assert process.wait() == 1
    assert b"Verifying" in shown
    assert len(list(map(json.loads, (many / "told").read_bytes().splitlines()))) == 40


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # nobody writes to it any more
        return b""
