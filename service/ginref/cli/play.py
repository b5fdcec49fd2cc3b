"""`ginref play`: one match on this machine, told move by move."""

import secrets
import traceback
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.text import Text

from ginref.engine.deck import seed_secret
from ginref.engine.error import IllegalMoveError, RulesetError
from ginref.engine.ruleset import PRESETS, Ruleset, preset
from ginref.engine.seat import Seat
from ginref_client.arena import BotFailedError, MatchResult, play_match, tell_match
from ginref_client.bot import Bot
from ginref_client.error import LoadError
from ginref_client.loading import load_bot
from ginref_client.story import Story, distinct_names

_SEED_BYTES: Final = 4
_INTERRUPTED: Final = 130


def play(
    north: Annotated[
        str,
        typer.Argument(
            metavar="BOT", help="careful, simple, FILE.py, FILE.py:CLASS, MODULE:CLASS."
        ),
    ],
    south: Annotated[str, typer.Argument(metavar="BOT", help="The other bot.")],
    ruleset: Annotated[
        str, typer.Option(metavar="NAME", help=f"One of {', '.join(PRESETS)}.")
    ] = "gin",
    seed: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Play the same cards again."),
    ] = None,
    matches: Annotated[
        int,
        typer.Option(min=1, metavar="N", help="More than one is told in a line each."),
    ] = 1,
) -> None:
    """Play a match on this machine, without a referee, and tell it move by move.

    The same bots, rules and seed play the same match. Of several matches the bots
    take turns at the first seat.
    """
    console = Console(highlight=False, soft_wrap=True)
    complaints = Console(stderr=True, highlight=False, soft_wrap=True)
    text = seed if seed is not None else secrets.token_hex(_SEED_BYTES)
    try:
        bots = load_bot(north), load_bot(south)
        rules = preset(ruleset)
        if matches == 1:
            _tell(console, bots, rules, text)
        else:
            _count(console, bots, rules, text, matches)
    except (LoadError, RulesetError) as error:
        complaints.print(Text(f"ginref play: {error}"))
        raise typer.Exit(1) from None
    except BotFailedError as error:
        if not isinstance(error.__cause__, IllegalMoveError | None):
            complaints.print(Text("".join(traceback.format_exception(error.__cause__))))
        complaints.print(Text(f"ginref play: {error}"))
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        raise typer.Exit(_INTERRUPTED) from None
    if seed is None:
        console.print(Text(f"Again: --seed {text}", "dim"))


def _tell(
    console: Console, bots: tuple[type[Bot], type[Bot]], rules: Ruleset, seed: str
) -> None:
    players = [bot() for bot in bots]
    story = Story([player.name for player in players])
    for happening in tell_match(players, rules, seed_secret(seed)):
        for part in story.tell(happening):
            console.print(part)


def _count(
    console: Console,
    bots: tuple[type[Bot], type[Bot]],
    rules: Ruleset,
    seed: str,
    matches: int,
) -> None:
    names = distinct_names([bot.name for bot in bots])
    won = [0, 0]
    for number in range(matches):
        # Two matches on the same cards, from both sides, cancel much of the luck.
        swapped = number % 2
        order = tuple(reversed(bots)) if swapped else bots
        secret = seed_secret(f"{seed} {number // 2 + 1}")
        result = play_match([bot() for bot in order], rules, secret)
        winner = None if result.winner is None else result.winner ^ swapped
        if winner is not None:
            won[winner] += 1
        console.print(_line(number + 1, names, winner, result, swapped))
    drawn = matches - sum(won)
    console.print(
        Text(
            f"{names[0]} {won[0]}, {names[1]} {won[1]}"
            + (f", drawn {drawn}" if drawn else ""),
            "bold",
        )
    )


def _line(
    number: int,
    names: tuple[str, ...],
    winner: int | None,
    result: MatchResult,
    swapped: int,
) -> Text:
    points = [result.sheet.points[Seat(seat ^ swapped)] for seat in range(len(names))]
    outcome = "drawn" if winner is None else f"{names[winner]} wins"
    return Text(
        f"{number:>4}  {outcome:<18}  {points[0]:>4} : {points[1]:<4}  "
        f"{len(result.rounds)} rounds"
    )
