"""`ginref verify`: prove signed match records."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.console import Console
from rich.text import Text

from ginref.adapters.trusted_keys import TrustedKeysError, read_trusted_keys
from ginref.engine.seat import Seat
from ginref.engine.sheet import Game
from ginref.record.replay import Replay
from ginref.record.setup import Setup
from ginref.record.verify import Finding, Verdict, verify_record

_HEADLINES: Final = {
    Finding.VALID: Text("VALID", "bold green"),
    Finding.UNKNOWN_KEY: Text("TRUE, BUT SIGNED BY AN UNKNOWN KEY", "bold yellow"),
    Finding.NOT_OPEN: Text("NOT PROVED: THE DEAL IS NOT OPEN YET", "bold yellow"),
    Finding.BROKEN: Text("BROKEN", "bold red"),
}
_NAME_WIDTH: Final = 10


def verify(
    records: Annotated[
        list[Path],
        typer.Argument(metavar="RECORD...", help="Files of signed match records."),
    ],
    keys: Annotated[
        list[Path] | None,
        typer.Option(
            "--keys",
            metavar="PATH",
            help="Keys to trust: a JWKS or PEM file, or a folder. May be repeated.",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object a line for programs.")
    ] = False,
) -> None:
    """Prove match records: signature, deal, every move, the clocks and the score.

    Exit status: 0 when every record is valid and its key trusted, 3 when a record is
    valid but its key unknown, 4 when a deal is not open yet, so that no move could be
    checked, whether its key is known or not, 1 when a record is broken or unreadable.
    Of several records the worst one counts.
    """
    console, complaints = _console(stderr=False), _console(stderr=True)
    trusted: dict[str, bytes] = {}
    try:
        for path in keys or ():
            trusted |= read_trusted_keys(path)
    except TrustedKeysError as error:
        complaints.print(_plain(f"ginref verify: {error}"))
        raise typer.Exit(Finding.BROKEN.exit_code) from error
    worst = Finding.VALID
    for path in records:
        try:
            verdict = verify_record(path.read_bytes(), trusted)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            complaints.print(_plain(f"ginref verify: {path} cannot be read: {reason}"))
            worst = Finding.BROKEN
            continue
        if as_json:
            console.print(json.dumps(_facts(path, verdict)))
        else:
            _tell(console, path, verdict)
        worst = max(worst, verdict.finding, key=lambda finding: finding.rank)
    raise typer.Exit(worst.exit_code)


def _console(*, stderr: bool) -> Console:
    return Console(stderr=stderr, markup=False, highlight=False, soft_wrap=True)


def _plain(text: str) -> str:
    """Make text from a file harmless to a terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def _tell(console: Console, path: Path, verdict: Verdict) -> None:
    console.print(Text(f"{_plain(str(path))}: "), _HEADLINES[verdict.finding], sep="")
    for name, text in _lines(verdict):
        console.print(f"  {name:{_NAME_WIDTH}}{_plain(text)}")


def _lines(verdict: Verdict) -> Iterator[tuple[str, str]]:
    if verdict.problem:
        yield "wrong", verdict.problem
    if verdict.record:
        setup = verdict.record.setup
        rules = f"{setup.ruleset.name} (digest {setup.ruleset.digest[:12]})"
        yield "match", f"{setup.match_id}, {rules}"
        for seat in setup.seats:
            yield str(seat), setup.bots[seat]
    if verdict.record and verdict.replayed:
        yield from _results(verdict.record.setup, verdict.replayed)
    if verdict.deals:
        yield "deals", verdict.deals
    if verdict.key_id:
        unknown = " (unknown: name the referee's keys with --keys)"
        yield "key", verdict.key_id + ("" if verdict.is_trusted else unknown)
    for note in verdict.notes:
        yield "note", note


def _results(setup: Setup, replayed: Replay) -> Iterator[tuple[str, str]]:
    state = replayed.state
    rounds = _count(len(replayed.rounds), "round")
    moves = _count(replayed.move_count, "move")
    yield "played", f"{rounds}, {moves}, {_count(sum(state.strikes), 'strike')}"
    if state.ending:
        winner = _winner(setup, state.ending.winner)
        at_fault = ", ".join(map(str, state.ending.seats_at_fault))
        fault = at_fault or str(state.ending.fault)
        yield "ending", f"{state.ending.kind} (fault: {fault})"
        yield "winner", winner
    for number, game in enumerate(state.match.sheet.games if state.match else (), 1):
        yield f"game {number}", _game(setup, game)


def _winner(setup: Setup, winner: Seat | None) -> str:
    return "nobody" if winner is None else f"{winner}, {setup.bots[winner]}"


def _game(setup: Setup, game: Game) -> str:
    scores = ", ".join(f"{seat} {game.total(seat)}" for seat in setup.seats)
    if game.is_open:
        return f"{scores}; open"
    won = "drawn" if game.winner is None else f"won by {game.winner}"
    return f"{scores}; {won}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _facts(path: Path, verdict: Verdict) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "file": str(path),
        "finding": str(verdict.finding),
        "exit_code": verdict.finding.exit_code,
        "problem": verdict.problem,
        "wrong": None if verdict.wrong is None else str(verdict.wrong),
        "version": verdict.version,
        "key_id": verdict.key_id,
        "key_known": verdict.is_trusted,
        "notes": list(verdict.notes),
    }
    if verdict.record:
        setup = verdict.record.setup
        facts |= {
            "match_id": setup.match_id,
            "ruleset": setup.ruleset.name,
            "ruleset_digest": setup.ruleset.digest,
            "bots": list(setup.bots),
            "deal_source": str(setup.deal_source),
        }
    if verdict.record and verdict.replayed:
        facts |= {
            "rounds": verdict.round_count,
            "moves": verdict.move_count,
            "strikes": verdict.strike_count,
            "ending": verdict.record.document["ending"],
            "sheet": verdict.record.document["sheet"],
        }
    return facts
