"""A match told to people: rounds, turns, showdowns and the score sheet.

Everything reads without colour, too; colours only tell the suits apart.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rich import box
from rich.console import RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from ginref.engine.card import Card, Suit
from ginref.engine.deadwood import Arrangement, best_arrangement
from ginref.engine.match import Ending, Match, RoundSummary
from ginref.engine.meld import Meld
from ginref.engine.move import Discard, DrawStock, DrawUpcard, Knock, Pass
from ginref.engine.phase import Showdown
from ginref.engine.seat import Seat
from ginref.engine.sheet import Entry, Game, ScoreSheet
from ginref.engine.showdown import Outcome
from ginref_client.arena import Dealt, Happening, MatchResult, Moved, RoundEnded

_SUIT_STYLES: Final = {
    Suit.SPADES: "bold",
    Suit.HEARTS: "bold red",
    Suit.DIAMONDS: "bold cyan",
    Suit.CLUBS: "bold green",
}
_UNDECIDED: Final = {
    Outcome.TURN_CAP: "The limit of turns is reached: the round is drawn.",
    Outcome.TIE: "Equal deadwood: nobody scores.",
}
_FEW: Final = {0: "No card is", 1: "One card is", 2: "Two cards are"}
_WON_BY: Final = {
    Outcome.KNOCK: "by the difference",
    Outcome.GIN: "with gin",
    Outcome.BIG_GIN: "with big gin",
    Outcome.UNDERCUT: "with an undercut",
}
_NAME_WIDTH: Final = 12
_PLAIN_LIMIT: Final = 10


def card_text(card: Card) -> Text:
    """Write a card in the colour of its suit."""
    return Text(str(card), _SUIT_STYLES[card.suit])


def cards_text(cards: Iterable[Card]) -> Text:
    """Write cards with blanks in between."""
    return Text(" ").join(card_text(card) for card in cards)


def melds_text(melds: Iterable[Meld]) -> Text:
    """Write melds, cards of a meld together."""
    return Text("  ").join(
        Text("-").join(card_text(card) for card in meld.cards) for meld in melds
    )


def distinct_names(names: Sequence[str]) -> tuple[str, ...]:
    """Tell bots of one name apart by number, and cut names that are too long."""
    short = [name[:_NAME_WIDTH] for name in names]
    if len(set(short)) == len(short):
        return tuple(short)
    return tuple(
        f"{name[: _NAME_WIDTH - 2]}-{number}"
        for number, name in enumerate(short, start=1)
    )


class Story:
    """The teller of one match; it remembers what a turn began with."""

    def __init__(self, names: Sequence[str], *, hands: bool = False) -> None:
        """Tell of bots by these names, by seat, and show their hands if wanted."""
        self._names = distinct_names(names)
        self._shows_hands = hands
        self._width = max(map(len, self._names))
        self._turn = 0
        self._wall = 0
        self._begun: Text | None = None

    def tell(self, happening: Happening) -> Iterator[RenderableType]:
        """Yield what to print."""
        match happening:
            case Dealt():
                yield from self._deal(happening)
            case Moved():
                yield from self._move(happening)
            case RoundEnded():
                yield from self._end_round(happening)
            case MatchResult():
                yield from self._end(happening)

    def _deal(self, dealt: Dealt) -> Iterator[RenderableType]:
        self._turn, self._begun = 0, None
        self._wall = dealt.match.rules.wall
        yield Text()
        yield Rule(f"Round {dealt.number}", style="dim")
        line = Text(f"{self._names[dealt.dealer]} deals and turns up ")
        line += card_text(dealt.upcard)
        limit, times = dealt.match.round.knock_limit, dealt.match.round.multiplier
        if limit != _PLAIN_LIMIT:
            line += f"; knock with {limit} or less" if limit else "; only gin ends it"
        if times > 1:
            line += f"; it counts {times} times"
        if dealt.match.idle is not None:
            line += f"; {self._names[dealt.match.idle]} sits out"
        yield line
        for seat in sorted((dealt.match.round.non_dealer, dealt.dealer)):
            yield from self._hand(seat, dealt.match)

    def _hand(self, seat: Seat, match: Match) -> Iterator[Text]:
        if self._shows_hands:
            yield self._spread(seat, best_arrangement(match.round.hand(seat)))

    def _spread(self, seat: Seat, laid: Arrangement) -> Text:
        line = Text(f"{'':6}{self._names[seat]:<{self._width}}  {laid.points:>3}  ")
        return line + _laid(melds_text(laid.melds), cards_text(laid.deadwood))

    def _move(self, moved: Moved) -> Iterator[RenderableType]:
        match moved.move:
            case Pass():
                yield self._line(moved.seat, Text("passes", "dim"), number=False)
            case DrawUpcard() | DrawStock():
                taken = isinstance(moved.move, DrawUpcard)
                self._begun = Text("takes " if taken else "draws ")
                if moved.drawn is not None:
                    self._begun += card_text(moved.drawn)
            case Discard():
                yield self._throw(moved.seat, "throws", moved.move.card)
                # A discard may have ended the round, and the next one is dealt then.
                if moved.match.round.turns == self._turn:
                    yield from self._hand(moved.seat, moved.match)
            case Knock():
                yield self._throw(moved.seat, "knocks", moved.move.card)

    def _throw(self, seat: Seat, how: str, card: Card | None) -> Text:
        self._turn += 1
        line = self._begun or Text()
        line += f", {how}"
        if how == "knocks" and card is not None:
            line += " with"
        if card is not None:
            line += Text(" ") + card_text(card)
        self._begun = None
        return self._line(seat, line)

    def _line(self, seat: Seat, what: Text, *, number: bool = True) -> Text:
        turn = f"{self._turn:>4}" if number else " " * 4
        return Text(f"{turn}  {self._names[seat]:<{self._width}}  ") + what

    def _end_round(self, ended: RoundEnded) -> Iterator[RenderableType]:
        if ended.showdown is not None:
            yield self._hands(ended.showdown)
        yield self._verdict(ended.summary)
        yield Text(self._standing(ended.sheet), "dim")

    def _hands(self, showdown: Showdown) -> RenderableType:
        table = Table.grid(padding=(0, 2))
        laid, spread = showdown.arrangement, showdown.spread
        table.add_row(
            Text(f"      {self._names[showdown.knocker]}"),
            Text(f"{laid.points:>3}"),
            _laid(melds_text(laid.melds), cards_text(laid.deadwood)),
        )
        defence = _laid(melds_text(spread.melds), cards_text(spread.deadwood))
        if spread.layoffs:
            defence += Text("; lays off ")
            defence += cards_text(layoff.card for layoff in spread.layoffs)
        table.add_row(
            Text(f"      {self._names[showdown.defender]}"),
            Text(f"{spread.points:>3}"),
            defence,
        )
        return table

    def _verdict(self, summary: RoundSummary) -> Text:
        if summary.outcome is Outcome.WALL:
            left = _FEW.get(self._wall, f"{self._wall} cards are")
            return Text(f"{left} left in the stock: the round is drawn.")
        if summary.winner is None:
            return Text(_UNDECIDED[summary.outcome])
        games = " and ".join(str(at + 1) for at in summary.columns)
        line = Text(f"{self._names[summary.winner]} scores ")
        line += Text(str(summary.points), "bold")
        line += f" {_WON_BY[summary.outcome]}"
        if len(summary.columns) > 1 or summary.columns != (0,):
            line += f", in game {games}" if games else ", in no game"
        return line + "."

    def _standing(self, sheet: ScoreSheet) -> str:
        games = []
        for number, game in enumerate(sheet.games, start=1):
            score = " : ".join(map(str, game.totals))
            games.append(f"game {number} {score}" if len(sheet.games) > 1 else score)
        return f"{' : '.join(self._names)}  {', '.join(games)}"

    def _end(self, result: MatchResult) -> Iterator[RenderableType]:
        yield Text()
        yield Rule("The match", style="dim")
        yield render_sheet(result.sheet, self._names)
        yield from settlement_lines(result.sheet, self._names)
        yield Text(self._outcome(result), "bold")

    def _outcome(self, result: MatchResult) -> str:
        length = f"{len(result.rounds)} rounds and {result.moves} moves"
        if result.winner is None:
            return f"Nobody wins, after {length}."
        why = ""
        if result.over.how is Ending.ROUND_CAP:
            why = ", by the score at the limit of rounds"
        elif result.over.how is Ending.FORFEIT:
            losers = " and ".join(self._names[seat] for seat in result.over.at_fault)
            why = f", by forfeit of {losers}"
        return f"{self._names[result.winner]} wins{why}, after {length}."


def render_sheet(sheet: ScoreSheet, names: Sequence[str]) -> RenderableType:
    """Draw a score sheet: one column per game, with the boxes of each seat.

    Args:
        sheet: The sheet.
        names: Names of the bots, by seat.
    """
    shown = distinct_names(names)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_footer=True)
    for number, game in enumerate(sheet.games, start=1):
        footers = [_footer(game, Seat(seat)) for seat in range(len(shown))]
        title = f"game {number}" if len(sheet.games) > 1 else "points"
        for seat, name in enumerate(shown):
            table.add_column(
                Text(f"{title if not seat else ''}\n{name}"),
                footer=footers[seat],
                justify="right",
            )
        if number < len(sheet.games):
            table.add_column(Text(), footer=Text())
    columns = [_boxes(sheet, at) for at in _places(sheet, len(shown))]
    for row in range(max(map(len, columns), default=0)):
        table.add_row(*(col[row] if row < len(col) else Text() for col in columns))
    return table


def settlement_lines(sheet: ScoreSheet, names: Sequence[str]) -> Iterator[Text]:
    """Yield what each settled game is worth, bonuses included.

    Args:
        sheet: The sheet.
        names: Names of the bots, by seat.
    """
    shown = distinct_names(names)
    for number, game in enumerate(sheet.games, start=1):
        if game.settlement is None:
            continue
        values = zip(
            shown, game.settlement.totals, game.settlement.balances, strict=True
        )
        seats = ", ".join(f"{name} {total} ({own:+})" for name, total, own in values)
        which = f"Game {number}" if len(sheet.games) > 1 else "The game"
        yield Text(f"{which}, settled: {seats}.")


def _places(sheet: ScoreSheet, seats: int) -> list[tuple[int, int] | None]:
    """Columns of the table: game and seat, or None for a gap between games."""
    places: list[tuple[int, int] | None] = []
    for game in range(len(sheet.games)):
        if game:
            places.append(None)
        places += [(game, seat) for seat in range(seats)]
    return places


def _boxes(sheet: ScoreSheet, place: tuple[int, int] | None) -> list[Text]:
    if place is None:
        return []
    game, seat = place
    return list(_running(sheet.games[game].entries[seat]))


def _running(entries: Iterable[Entry]) -> Iterator[Text]:
    """Write each box as its points and the sum so far, as on a score pad."""
    total = 0
    for entry in entries:
        total += entry.points
        yield Text(f"+{entry.points} ", "dim") + Text(f"{total:>4}")


def _footer(game: Game, seat: Seat) -> Text:
    total = game.total(seat)
    if game.winner is seat:
        return Text(f"won {total:>4}", "bold green")
    return Text(f"{total:>4}")


def _laid(melds: Text, deadwood: Text) -> Text:
    parts = [part for part in (melds, deadwood) if part]
    return Text(" | ").join(parts)
