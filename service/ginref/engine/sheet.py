"""The score sheet: one column for a game of gin, three for Hollywood.

In Hollywood Gin a seat's first win is entered in the first column, its second in the
first two, every later one in all three. A column closes when a seat reaches the target
in it, and takes no more entries. A seat that was shut out of a closed column enters its
next win in the next open one.

A match of boards has one column without a target; its last board closes it.

Source: rummy-games.com/rules/hollywood-gin.html.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from ginref.engine.ruleset import ClosedPolicy, Ruleset, Stop
from ginref.engine.seat import Seat
from ginref.engine.settlement import Settlement, settle


class Entry(NamedTuple):
    """One won round in one column.

    Attributes:
        round_number: The round, counted from 1.
        points: What it scored, possibly 0: a win of nothing is still a win.
    """

    round_number: int
    points: int


@dataclass(frozen=True, slots=True)
class Game:
    """One column of the sheet.

    Attributes:
        entries: Entries of each seat, by seat.
        winner: The seat that won the game; None while it is open, and after boards
            with equal points.
        closed_in_round: The round that closed it; None while it is open.
        settlement: What it is worth with bonuses; None while it is open, when the
            rules know no settlement, and when it was given away by a forfeit.
    """

    entries: tuple[tuple[Entry, ...], ...]
    winner: Seat | None = None
    closed_in_round: int | None = None
    settlement: Settlement | None = None

    @property
    def is_open(self) -> bool:
        """The game takes entries."""
        return self.closed_in_round is None

    def total(self, seat: Seat) -> int:
        """Sum a seat's entries, in points."""
        return sum(entry.points for entry in self.entries[seat])

    @property
    def totals(self) -> tuple[int, ...]:
        """Sums of the entries, by seat, in points."""
        return tuple(sum(entry.points for entry in column) for column in self.entries)


@dataclass(frozen=True, slots=True)
class ScoreSheet:
    """The games of a match.

    Attributes:
        games: The columns.
        wins: Rounds won, by seat.
    """

    games: tuple[Game, ...]
    wins: tuple[int, ...]

    @property
    def games_won(self) -> tuple[int, ...]:
        """Games won, by seat."""
        return tuple(
            sum(game.winner == seat for game in self.games)
            for seat in range(len(self.wins))
        )

    @property
    def points(self) -> tuple[int, ...]:
        """Sums of all entries in all columns, by seat."""
        return tuple(
            sum(game.total(Seat(seat)) for game in self.games)
            for seat in range(len(self.wins))
        )

    @property
    def winner(self) -> Seat | None:
        """The seat that has won most of the games, as soon as nobody can catch up.

        The match may go on for its remaining games.
        """
        needed = len(self.games) // 2 + 1
        for seat, won in enumerate(self.games_won):
            if won >= needed:
                return Seat(seat)
        return None


_NO_ENTRIES: Final[tuple[Entry, ...]] = ()


def open_sheet(rules: Ruleset) -> ScoreSheet:
    """Return the empty sheet of a match."""
    seats = rules.seat_count
    game = Game((_NO_ENTRIES,) * seats)
    return ScoreSheet((game,) * rules.games, (0,) * seats)


def next_columns(sheet: ScoreSheet, rules: Ruleset, seat: Seat) -> tuple[int, ...]:
    """Return the positions in `sheet.games` that a seat's next win enters."""
    if rules.closed_policy is ClosedPolicy.ORDINAL:
        reached = sheet.games[: sheet.wins[seat] + 1]
        return tuple(at for at, game in enumerate(reached) if game.is_open)
    columns = []
    for at, game in enumerate(sheet.games):
        if not game.is_open:
            continue
        columns.append(at)
        if not game.entries[seat]:
            break
    return tuple(columns)


def enter(
    sheet: ScoreSheet,
    rules: Ruleset,
    winner: Seat,
    points: int,
    round_number: int,
    *partners: Seat,
) -> ScoreSheet:
    """Return the sheet after a won round: enter it everywhere, then close games.

    Args:
        sheet: The sheet before the round.
        rules: The house rules.
        winner: The seat that won the round.
        points: What it scored.
        round_number: The round, counted from 1.
        partners: Seats that are credited with the same.
    """
    scorers = (winner, *partners)
    games, wins = list(sheet.games), list(sheet.wins)
    entry = Entry(round_number, points)
    for at in next_columns(sheet, rules, winner):
        games[at] = _enter(games[at], rules, scorers, entry)
    for seat in scorers:
        wins[seat] += 1
    return ScoreSheet(tuple(games), tuple(wins))


def _enter(game: Game, rules: Ruleset, scorers: Sequence[Seat], entry: Entry) -> Game:
    entries = list(game.entries)
    for seat in scorers:
        entries[seat] = (*entries[seat], entry)
    entered = Game(tuple(entries))
    if rules.boards is not None:
        return entered
    # Of partners with equal totals the winner of the round comes first.
    best = max(scorers, key=entered.total)
    if entered.total(best) < rules.game_target:
        return entered
    return settled(rules, entered, best, entry.round_number)


def settled(rules: Ruleset, game: Game, winner: Seat, round_number: int) -> Game:
    """Return a game as it closes with a winner, settled where the rules say so."""
    settlement = None
    if rules.is_settled:
        boxes = [len(entries) for entries in game.entries]
        settlement = settle(rules, winner, game.totals, boxes)
    return Game(game.entries, winner, round_number, settlement)


def close_boards(sheet: ScoreSheet, round_number: int) -> ScoreSheet:
    """Return the sheet of a match of boards after its last one.

    The seat with more points wins; equal points leave no winner.
    """
    winner = decide_by_count(sheet)
    (game,) = sheet.games
    return ScoreSheet((Game(game.entries, winner, round_number),), sheet.wins)


def is_over(sheet: ScoreSheet, rules: Ruleset) -> bool:
    """Say whether the match takes no more rounds: all games closed, or most won."""
    if rules.stop is Stop.MAJORITY:
        return sheet.winner is not None
    return not any(game.is_open for game in sheet.games)


def decide_by_count(sheet: ScoreSheet) -> Seat | None:
    """Decide a match that ran out of rounds: by games won, then by all points.

    None when both are equal: the match is drawn.
    """
    ranks = list(zip(sheet.games_won, sheet.points, strict=True))
    best = max(ranks)
    return Seat(ranks.index(best)) if ranks.count(best) == 1 else None


def close_open_games(sheet: ScoreSheet, winner: Seat, round_number: int) -> ScoreSheet:
    """Return the sheet with every open game given to a seat, entries as they are."""
    games = tuple(
        replace(game, winner=winner, closed_in_round=round_number)
        if game.is_open
        else game
        for game in sheet.games
    )
    return ScoreSheet(games, sheet.wins)
