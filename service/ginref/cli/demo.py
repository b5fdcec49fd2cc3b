"""`ginref demo`: a refereed match between two bots, from nothing to a proven record."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from ginref.cli.child_referee import ChildReferee, ChildRefereeError
from ginref.cli.verify import verify
from ginref.engine.error import RulesetError
from ginref.engine.move import Move
from ginref.engine.ruleset import preset
from ginref.engine.sheet import ScoreSheet
from ginref.engine.view import SeatView
from ginref_client.bot import Bot
from ginref_client.error import ClientError, RefusedError
from ginref_client.fact import FinishedMatch, FinishedRound, MatchInfo
from ginref_client.loading import load_bot
from ginref_client.referee import Referee
from ginref_client.session import Session
from ginref_client.story import render_sheet

_BOTS: Final = ("careful", "simple")
_OWNER: Final = "demo"
_LINES: Final = 8
_MATCH_PATIENCE: Final = 600.0
_RECORD_PATIENCE: Final = 30.0
_POLL: Final = 0.1


class Board:
    """What the demo shows while the match goes on: the sheet and the latest rounds."""

    def __init__(self, names: Sequence[str], console: Console) -> None:
        """Show a match between bots of these names, by seat."""
        self.sheet: ScoreSheet | None = None
        self._names = names
        self._console = console
        self._rounds: list[str] = []
        self._now = "waiting for the first deal"

    def __rich__(self) -> RenderableType:
        """Return the picture of this moment."""
        parts: list[RenderableType] = []
        if self.sheet is not None:
            parts.append(render_sheet(self.sheet, self._names))
        parts += [Text(line) for line in self._rounds[-_LINES:]]
        parts.append(Text(self._now, style="dim"))
        return Group(*parts)

    def turn(self, view: SeatView) -> None:
        """Note whose turn it is."""
        self.sheet = view.sheet
        self._now = (
            f"round {view.round_number}, turn {view.turn + 1}:"
            f" {self._names[view.seat]} to move, {view.stock_count} cards in the stock"
        )

    def round_over(self, ended: FinishedRound) -> None:
        """Note how a round ended."""
        self.sheet = ended.sheet
        line = self._line(ended)
        self._rounds.append(line)
        if not self._console.is_terminal:
            # Nothing moves in a file or a pipe: one line for each round instead.
            self._console.print(line)

    def match_over(self, result: FinishedMatch) -> None:
        """Note that the match is over."""
        self.sheet = result.sheet
        self._now = "the match is over"

    def _line(self, ended: FinishedRound) -> str:
        summary = ended.summary
        start = f"round {summary.number:>2}  "
        if summary.winner is None:
            return f"{start}drawn ({summary.outcome.replace('_', ' ')})"
        games = ", ".join(str(column + 1) for column in summary.columns)
        outcome = f"{self._names[summary.winner]} wins by {summary.outcome}"
        where = f"in game {games}" if len(summary.columns) == 1 else f"in games {games}"
        return f"{start}{outcome:<28} {summary.points:>3} points {where}"


class Shown(Bot):
    """A bot that somebody watches: it moves at a pace, and the board hears of it."""

    def __init__(self, player: Bot, board: Board, *, pace: float, tells: bool) -> None:
        """Play as another bot.

        Args:
            player: The bot that decides.
            board: Where its turns are shown.
            pace: Seconds before each move.
            tells: Tell the board of rounds, which both seats hear of.
        """
        self._player = player
        self._board = board
        self._pace = pace
        self._tells = tells

    def choose(self, view: SeatView) -> Move:
        """Choose as the player does."""
        self._board.turn(view)
        time.sleep(self._pace)
        self._player.clock = self.clock
        return self._player.choose(view)

    def match_started(self, info: MatchInfo) -> None:
        """Pass it on."""
        self._player.match_started(info)

    def round_over(self, ended: FinishedRound) -> None:
        """Pass it on, and tell the board."""
        if self._tells:
            self._board.round_over(ended)
        self._player.round_over(ended)

    def match_over(self, result: FinishedMatch) -> None:
        """Pass it on, and tell the board."""
        if self._tells:
            self._board.match_over(result)
        self._player.match_over(result)


def demo(
    ruleset: Annotated[
        str, typer.Option(help="gin, hollywood or oklahoma.")
    ] = "hollywood",
    seed: Annotated[
        str | None,
        typer.Option(help="Deal the same cards again. Not a fair deal."),
    ] = None,
    folder: Annotated[Path, typer.Option(help="Where everything is kept.")] = Path(
        "ginref-demo"
    ),
    pace_ms: Annotated[
        int, typer.Option(min=0, help="Milliseconds before each move, to watch it.")
    ] = 15,
) -> None:
    """Play a match between two bots on a referee of its own, and prove its record."""
    console = Console(markup=False, highlight=False, soft_wrap=True)
    try:
        _check_rules(ruleset)
        path = asyncio.run(_play(console, ruleset, seed, folder, pace_ms / 1000))
    except (RulesetError, ChildRefereeError, ClientError, OSError) as error:
        _complain(str(error))
        raise typer.Exit(1) from error
    console.print()
    console.print("Verifying the record; the referee is gone:", style="bold")
    verify([path], keys=[folder / "keys"])


def _check_rules(name: str) -> None:
    """Refuse rules that are unknown, or need another bot than the demo's two."""
    seats = preset(name).seat_count
    if seats != len(_BOTS):
        raise RulesetError("table", f"{name} is for {seats} bots, the demo has two")


async def _play(
    console: Console, ruleset: str, seed: str | None, folder: Path, pace: float
) -> Path:
    """Play the match and return the path of its record."""
    async with ChildReferee(folder, dev=seed is not None) as child:
        console.print(f"A referee answers at {child.address} (gRPC).", style="bold")
        console.print(
            "Its state is in a Valkey server of its own; nothing is in memory."
        )
        if seed is not None:
            console.print(
                f"Seeded deals ({seed!r}): the host chose the cards,"
                " so these are not fair deals.",
                style="yellow",
            )
        board = Board(_BOTS, console)
        async with Referee(child.address, child.operator_token()) as referee:
            match_id = await _create(referee, ruleset, seed)
            console.print(
                f"{_BOTS[0]} (north) meets {_BOTS[1]} (south) at {ruleset},"
                f" match {match_id}."
            )
            sessions = await _seat(referee, child.address, match_id, board, pace)
            console.print()
            result = await _watch(console, board, sessions)
            _tell_result(console, board, result)
            path = folder / f"{match_id}.json"
            path.write_bytes(await _record(referee, match_id))
            console.print(f"record  {path}")
            console.print(f"keys    {folder / 'keys'}")
    return path


async def _create(referee: Referee, ruleset: str, seed: str | None) -> str:
    """Register the bots and return the id of a match between them."""
    await referee.create_owner(_OWNER)
    for name in _BOTS:
        await referee.create_bot(name, _OWNER)
    match = await referee.create_match(_BOTS, ruleset=ruleset, seed=seed)
    return match.match_id


async def _seat(
    referee: Referee, address: str, match_id: str, board: Board, pace: float
) -> list[Session]:
    """Return a session for each bot."""
    sessions = []
    for seat, name in enumerate(_BOTS):
        # An earlier demo may have been cut short: its match is left alone.
        token = await referee.create_token("bot", bot=name, match_ids=[match_id])
        player = load_bot(name)

        def shown(player: type[Bot] = player, *, tells: bool = seat == 0) -> Bot:
            return Shown(player(), board, pace=pace, tells=tells)

        sessions.append(Session(address, token.secret, shown))
    return sessions


async def _watch(
    console: Console, board: Board, sessions: Sequence[Session]
) -> FinishedMatch:
    """Let the bots play, with the board on the screen."""
    playing = asyncio.gather(
        *(session.run(lambda over: len(over) > 0) for session in sessions)
    )
    try:
        async with asyncio.timeout(_MATCH_PATIENCE):
            if console.is_terminal:
                with Live(
                    board, console=console, refresh_per_second=12, transient=True
                ):
                    heard, _ = await playing
            else:
                heard, _ = await playing
    except TimeoutError:
        raise TimeoutError("the match hangs") from None
    return heard[0]


def _tell_result(console: Console, board: Board, result: FinishedMatch) -> None:
    if board.sheet is not None:
        console.print(render_sheet(board.sheet, _BOTS))
    winner = result.ending.winner
    verdict = "Nobody wins" if winner is None else f"{_BOTS[winner]} wins"
    kind = result.ending.kind.replace("_", " ")
    console.print(f"{verdict} the match ({kind}).", style="bold green")
    console.print()


async def _record(referee: Referee, match_id: str) -> bytes:
    """Wait until the record is signed."""
    try:
        async with asyncio.timeout(_RECORD_PATIENCE):
            while True:
                try:
                    return await referee.record(match_id)
                except RefusedError as error:
                    if error.reason != "RECORD_NOT_READY":
                        raise
                await asyncio.sleep(_POLL)
    except TimeoutError:
        raise TimeoutError("the record is not signed") from None


def _complain(line: str) -> None:
    console = Console(stderr=True, markup=False, highlight=False, soft_wrap=True)
    console.print(f"ginref demo: {line}")
