import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import rfc8785
import typer
from typer.testing import CliRunner, Result

from ginref.cli.play import play
from ginref.cli.replay import replay
from ginref.engine.notation import parse_match, write_match
from ginref.engine.seat import Seat
from ginref.record.document import PAYLOAD_TYPE, build_record
from ginref.record.entry import Aborted, Resigned, StampedEntry
from ginref.record.envelope import seal_envelope
from ginref.record.lifecycle import Stage
from ginref.record.setup import Setup
from ginref.record.transcribe import transcribe

GOLDEN = Path(__file__).parents[2] / "golden" / "matches"
UNPROVED = "No signature was checked: `ginref verify` does that."

MakeReferee = Callable[..., Any]
PlayMatch = Callable[..., tuple[Setup, tuple[StampedEntry, ...]]]
Run = Callable[..., Result]
Seal = Callable[[bytes], Path]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("COLUMNS", "80")
    app = typer.Typer()
    app.command()(replay)
    app.command()(play)

    def invoke(command: str, *arguments: object) -> Result:
        return CliRunner().invoke(app, [command, *map(str, arguments)])

    return invoke


@pytest.fixture
def seal(tmp_path: Path, referee: MakeReferee) -> Seal:
    def write(payload: bytes) -> Path:
        path = tmp_path / "record.json"
        path.write_bytes(seal_envelope(payload, PAYLOAD_TYPE, referee()))
        return path

    return write


def test_a_saved_match_is_told_as_it_was_played(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "match.gin"
    played = run("play", "careful", "simple", "--seed", "s", "--save", file)

    told = run("replay", file)

    assert (played.exit_code, told.exit_code) == (0, 0)
    assert told.stdout == played.stdout
    assert parse_match(file.read_text(encoding="utf-8")).seed == "s"


def test_a_match_that_a_bot_spoils_is_saved_as_far_as_it_went(
    run: Run, tmp_path: Path
) -> None:
    bot, file = tmp_path / "wrong.py", tmp_path / "match.gin"
    bot.write_text(
        "from ginref_client import Bot\n"
        "class Wrong(Bot):\n"
        "    def choose(self, view):\n"
        "        return view.pass_turn or view.draw_stock or view.nothing\n"
    )

    assert run("play", bot, "simple", "--seed", "s", "--save", file).exit_code == 1

    told = run("replay", file)
    assert told.exit_code == 0
    assert told.stdout.endswith(
        "What was written down ends here; the match was not over.\n"
    )


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--matches", "2", "--save", "m.gin"], "--save is for one match"),
        (["--save", "/no/such/folder/m.gin"], "cannot be written: No such file"),
    ],
)
def test_a_match_that_cannot_be_saved_is_not_played(
    run: Run, options: list[str], text: str
) -> None:
    failed = run("play", "simple", "simple", *options)

    assert failed.exit_code == 1
    assert text in failed.stderr
    assert not failed.stdout


def test_a_record_is_told_and_nobody_is_led_to_believe_it(
    run: Run, seal: Seal, play_match: PlayMatch
) -> None:
    told = run("replay", seal(build_record(*play_match(3))))

    assert told.exit_code == 0
    first, *lines = told.stdout.splitlines()
    assert first == UNPROVED
    assert "careful" in told.stdout
    assert lines[-1].startswith(("careful wins, after", "greedy wins, after"))


def test_a_record_becomes_notation(
    run: Run, seal: Seal, play_match: PlayMatch, tmp_path: Path
) -> None:
    setup, log = play_match(3)

    written = run("replay", seal(build_record(setup, log)), "--notation")

    assert written.exit_code == 0
    assert written.stdout.startswith(f"# {UNPROVED}\nginref match 1\n")
    assert parse_match(written.stdout) == transcribe(setup, log)
    file = tmp_path / "match.gin"
    file.write_text(written.stdout, encoding="utf-8")
    again = run("replay", file, "--notation")
    assert written.stdout == f"# {UNPROVED}\n{again.stdout}"


def test_a_match_that_was_given_up_is_told_so(
    run: Run, seal: Seal, play_match: PlayMatch
) -> None:
    record = build_record(*play_match(3, ending=Resigned(Seat.SOUTH)))

    told = run("replay", seal(record))

    assert "careful wins, by forfeit of greedy, after " in told.stdout


def test_some_rounds_are_told(run: Run) -> None:
    file = GOLDEN / "oklahoma.gin"

    def rounds(*options: object) -> list[str]:
        told = run("replay", file, *options).stdout.splitlines()
        return [line.strip("─ ") for line in told if line.startswith("──")]

    whole = rounds()
    last = len(whole) - 1
    assert whole == [*(f"Round {n}" for n in range(1, last + 1)), "The match"]
    assert rounds("--round", 2) == ["Round 2"]
    assert rounds("--from", 2, "--to", 3) == ["Round 2", "Round 3"]
    assert rounds("--from", last) == [f"Round {last}", "The match"]
    assert rounds("--to", 1) == ["Round 1"]


def test_hands_are_shown_after_each_turn(run: Run) -> None:
    told = run("replay", GOLDEN / "oklahoma.gin", "--round", 1, "--hands").stdout

    lines = told.splitlines()
    deal = next(at for at, line in enumerate(lines) if "deals and turns up" in line)
    assert lines[deal + 1].split()[:2] == ["north", "55"]
    assert lines[deal + 2].startswith("      south")
    turns = [at for at, line in enumerate(lines) if ", throws " in line]
    assert len(turns) > 5
    for at in turns:
        mover = lines[at].split()[1]
        assert lines[at + 1].startswith(f"      {mover}")
        assert len(lines[at + 1].replace("-", " ").replace("|", " ").split()) == 12


MISTAKES: dict[str, tuple[bytes, str]] = {
    "a wrong word": (
        b"ginref match 1\nrules bridge\n",
        "line 2, column 7: 'bridge', but expected one of gin, hollywood",
    ),
    "nothing": (b"", "line 1, column 1: an empty text, but expected ginref match 1"),
    "no text": (b"\xff\xfe", "neither text nor a record"),
    "another JSON": (b'{"a": 1}', "not a signed record: signatures is missing"),
    "half a JSON": (b"{", "not a signed record: not JSON"),
}


@pytest.mark.parametrize(
    ("data", "text"), [pytest.param(*case, id=name) for name, case in MISTAKES.items()]
)
def test_a_file_that_holds_no_match_is_refused_in_a_line(
    run: Run, tmp_path: Path, data: bytes, text: str
) -> None:
    file = tmp_path / "match.gin"
    file.write_bytes(data)

    failed = run("replay", file)

    assert failed.exit_code == 1
    (line,) = failed.stderr.splitlines()
    assert line.startswith(f"ginref replay: {file}: {text}")
    assert not failed.stdout


def test_a_file_that_is_not_there_is_named(run: Run, tmp_path: Path) -> None:
    failed = run("replay", tmp_path / "none.gin")

    assert failed.exit_code == 1
    assert "none.gin: cannot be read: No such file or directory" in failed.stderr


@pytest.mark.parametrize(
    "options", [["--round", "99"], ["--from", "3", "--to", "2"], ["--to", "99"]]
)
def test_rounds_that_were_not_played_are_refused(run: Run, options: list[str]) -> None:
    failed = run("replay", GOLDEN / "oklahoma.gin", *options)

    assert failed.exit_code == 1
    assert "no such rounds: the match has " in failed.stderr


def test_a_record_whose_deal_is_not_open_has_a_status_of_its_own(
    run: Run, seal: Seal, play_match: PlayMatch
) -> None:
    document = json.loads(build_record(*play_match(3)))

    failed = run("replay", seal(rfc8785.dumps({**document, "openings": None})))

    assert failed.exit_code == 4
    assert "the deal is not open yet" in failed.stderr


def test_a_record_that_no_referee_wrote_is_refused(
    run: Run, seal: Seal, play_match: PlayMatch
) -> None:
    document = json.loads(build_record(*play_match(3)))
    document["entries"] = [
        {**entry, "move": "pass"} if entry.get("move") == "draw_stock" else entry
        for entry in document["entries"]
    ]

    failed = run("replay", seal(rfc8785.dumps(document)))

    assert failed.exit_code == 1
    assert "the accepted move is illegal" in failed.stderr


def test_a_record_without_cards_leaves_nothing_to_tell(
    run: Run, seal: Seal, play_match: PlayMatch
) -> None:
    log = play_match(1, ending=Aborted(), ends_in=Stage.COMMITTING)

    failed = run("replay", seal(build_record(*log)))

    assert failed.exit_code == 1
    assert "the match ended before a card was dealt" in failed.stderr


def test_an_envelope_of_something_else_is_refused(
    run: Run, tmp_path: Path, referee: MakeReferee
) -> None:
    file = tmp_path / "other.json"
    file.write_bytes(seal_envelope(b"{}", "text/plain", referee()))

    failed = run("replay", file)

    assert failed.exit_code == 1
    assert "not a match record: 'text/plain'" in failed.stderr


def test_a_name_cannot_command_the_terminal(run: Run, tmp_path: Path) -> None:
    golden = (GOLDEN / "oklahoma.gin").read_text(encoding="utf-8")
    file = tmp_path / "match.gin"
    file.write_text(golden.replace("seat north north", r'seat north "\u001b[2J"'))

    told, written = run("replay", file), run("replay", file, "--notation")

    assert "\x1b" not in told.stdout + written.stdout
    assert "?[2J" in told.stdout
    assert write_match(parse_match(written.stdout)) == file.read_text()
