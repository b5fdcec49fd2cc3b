"""The score sheet: one column for a game of gin, three for Hollywood.

Source: in Hollywood Gin a seat's first win is entered in the first column, its
second in the first two, every later one in all three. A column closes when a seat
reaches the target in it, and takes no more entries. A seat that was shut out of a
closed column enters its next win in the next open one.
"""

from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from ginref.engine.ruleset import ClosedPolicy, Ruleset, Stop
from ginref.engine.seat import Seat


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
        winner: The seat that won the game; None while it is open.
        closed_in_round: The round that closed it; None while it is open.
    """

    entries: tuple[tuple[Entry, ...], ...]
    winner: Seat | None = None
    closed_in_round: int | None = None

    @property
    def is_open(self) -> bool:
        """The game takes entries."""
        return self.winner is None

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
    sheet: ScoreSheet, rules: Ruleset, winner: Seat, points: int, round_number: int
) -> ScoreSheet:
    """Return the sheet after a won round: enter it everywhere, then close games."""
    columns = next_columns(sheet, rules, winner)
    entry = Entry(round_number, points)
    games = list(sheet.games)
    for at in columns:
        games[at] = _enter(games[at], rules.game_target, winner, entry)
    wins = list(sheet.wins)
    wins[winner] += 1
    return ScoreSheet(tuple(games), tuple(wins))


def _enter(game: Game, target: int, winner: Seat, entry: Entry) -> Game:
    entries = list(game.entries)
    entries[winner] = (*entries[winner], entry)
    entered = Game(tuple(entries))
    if entered.total(winner) < target:
        return entered
    return replace(entered, winner=winner, closed_in_round=entry.round_number)


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
