"""`ginref play`: one match on this machine, told move by move."""

import contextlib
import os
import secrets
import signal
import threading
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Final, Literal

import typer
from rich.console import Console
from rich.text import Text

from ginref.engine.deck import seed_secret
from ginref.engine.error import IllegalMoveError, RulesetError
from ginref.engine.notation import write_match
from ginref.engine.ruleset import PRESETS, Ruleset, preset
from ginref.engine.ruleset_text import read_ruleset
from ginref_client.arena import MatchResult, play_match, tell_match
from ginref_client.blame import BotFailedError, make_bots
from ginref_client.bot import Bot
from ginref_client.error import LoadError
from ginref_client.loading import load_bot
from ginref_client.scribe import Scribe
from ginref_client.story import Story, distinct_names

_SEED_BYTES: Final = 4
_INTERRUPTED: Final = 130
_INTERRUPT_PATIENCE: Final = 1.0


class _SaveError(Exception):
    """A match cannot be saved as asked."""


def _text(seed: str | None) -> str | None:
    """Refuse bytes that are no text: nothing could be derived from them."""
    if seed is not None:
        try:
            seed.encode()
        except UnicodeEncodeError:
            raise typer.BadParameter("it is no text in UTF-8") from None
    return seed


def play(  # noqa: PLR0913, PLR0917 - one parameter for each option
    north: Annotated[
        str,
        typer.Argument(
            metavar="BOT", help="careful, simple, FILE.py, FILE.py:CLASS, MODULE:CLASS."
        ),
    ],
    south: Annotated[str, typer.Argument(metavar="BOT", help="The other bot.")],
    east: Annotated[
        str | None,
        typer.Argument(metavar="[BOT]", help="A third one, for rules of three seats."),
    ] = None,
    ruleset: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help=f"One of {', '.join(PRESETS)}; or a file, NAME.toml or NAME.json.",
        ),
    ] = "gin",
    seed: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Play the same cards again.", callback=_text),
    ] = None,
    matches: Annotated[
        int,
        typer.Option(min=1, metavar="N", help="More than one is told in a line each."),
    ] = 1,
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the match as notation into a file."),
    ] = None,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show where in its code a bot has failed.")
    ] = False,
) -> None:
    """Play a match on this machine, without a referee, and tell it move by move.

    The same bots, rules and seed play the same match. Of several matches the bots
    take turns at the first seat. `ginref replay` tells a saved match again.
    """
    console = Console(highlight=False, soft_wrap=True)
    complaints = Console(stderr=True, highlight=False, soft_wrap=True)
    text = seed if seed is not None else secrets.token_hex(_SEED_BYTES)
    try:
        with _interruptible():
            bots = tuple(load_bot(name) for name in (north, south, east) if name)
            rules = _rules(ruleset, len(bots))
            if save:
                _check_save(save, matches)
            if matches == 1:
                _tell(console, bots, rules, text, save)
            else:
                _count(console, bots, rules, text, matches)
    except (LoadError, RulesetError, BotFailedError, _SaveError) as error:
        if debug and not isinstance(error.__cause__, IllegalMoveError | None):
            complaints.print(Text("".join(traceback.format_exception(error.__cause__))))
        complaints.print(Text(f"ginref play: {error}"))
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        raise typer.Exit(_INTERRUPTED) from None
    if seed is None:
        console.print(Text(f"Again: --seed {text}", "dim"))


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """Let Ctrl-C end a match whatever the bots do with it.

    A bot that catches everything catches the interrupt, too, and goes on. So the
    program ends a moment later unless the interrupt has come through.
    """
    end = threading.Timer(_INTERRUPT_PATIENCE, os._exit, [_INTERRUPTED])
    end.daemon = True

    def interrupt(_number: int, _frame: object) -> None:
        if not end.is_alive():
            end.start()
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        end.cancel()


def _rules(name: str, bots: int) -> Ruleset:
    """Find a preset or read a file, and see that the bots are as many as its seats."""
    rules = preset(name) if name in PRESETS else _read_rules(name)
    if bots != rules.seat_count:
        raise RulesetError("table", f"{rules.seat_count} bots expected, {bots} given")
    return rules


def _read_rules(name: str) -> Ruleset:
    file = Path(name)
    if file.suffix not in {".toml", ".json"}:
        return preset(name)
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise RulesetError(name, f"it cannot be read: {reason}") from error
    except UnicodeDecodeError:
        raise RulesetError(name, "it is no text in UTF-8") from None
    return read_ruleset(text)


def _check_save(file: Path, matches: int) -> None:
    """Refuse a file that cannot be written before the match is played."""
    if matches > 1:
        raise _SaveError("--save is for one match")
    is_there = file.exists() or file.is_symlink()
    _save(file, "", mode="a")
    if not is_there:
        # Nothing may come of the match.
        file.unlink()


def _save(file: Path, text: str, *, mode: Literal["a", "w"] = "w") -> None:
    try:
        with file.open(mode, encoding="utf-8") as out:
            out.write(text)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise _SaveError(f"{file} cannot be written: {reason}") from error


def _tell(
    console: Console,
    bots: Sequence[type[Bot]],
    rules: Ruleset,
    seed: str,
    save: Path | None,
) -> None:
    players = make_bots(bots)
    names = [player.name for player in players]
    story, scribe = Story(names), Scribe(names, rules, seed)
    try:
        for happening in tell_match(players, rules, seed_secret(seed)):
            scribe.note(happening)
            for part in story.tell(happening):
                console.print(part)
    finally:
        # A match that a bot has spoilt is worth keeping most of all.
        if save and scribe.transcript:
            _save(save, write_match(scribe.transcript))


def _count(
    console: Console,
    bots: Sequence[type[Bot]],
    rules: Ruleset,
    seed: str,
    matches: int,
) -> None:
    names = distinct_names([bot.name for bot in bots])
    won = [0] * len(bots)
    for number in range(matches):
        # Matches on the same cards, from every side, cancel much of the luck.
        turn, shift = divmod(number, len(bots))
        order = [*bots[shift:], *bots[:shift]]
        secret = seed_secret(f"{seed} {turn + 1}")
        result = play_match(make_bots(order), rules, secret)
        winner = None
        if result.winner is not None:
            winner = (result.winner + shift) % len(bots)
            won[winner] += 1
        console.print(_line(number + 1, names, winner, result, shift))
    totals = [f"{name} {count}" for name, count in zip(names, won, strict=True)]
    if drawn := matches - sum(won):
        totals.append(f"drawn {drawn}")
    console.print(Text(", ".join(totals), "bold"))


def _line(
    number: int,
    names: tuple[str, ...],
    winner: int | None,
    result: MatchResult,
    shift: int,
) -> Text:
    """Tell of one match; the bot at `shift` had the first seat."""
    points = result.sheet.points
    by_bot = [points[(bot - shift) % len(names)] for bot in range(len(names))]
    first, *others = by_bot
    score = " : ".join([f"{first:>4}", *(f"{other:<4}" for other in others)])
    outcome = "drawn" if winner is None else f"{names[winner]} wins"
    return Text(f"{number:>4}  {outcome:<18}  {score}  {len(result.rounds)} rounds")
