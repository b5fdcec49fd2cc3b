"""Who wins a fixture by the matches that were played of it.

A fixture is a number of games, of one match each or, on mirrored boards, of two with
the same decks. The majority wins. If nobody has it, net points decide, then boards
won, and where somebody has to go on, deciders, and at last the higher seed.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ginref.record.lifecycle import EndingKind
from ginref.tournament.configuration import Boards, ForfeitScope, MatchFormat
from ginref.tournament.result import (
    Cause,
    Decision,
    DoubleForfeited,
    Drawn,
    Forfeited,
    Outcome,
    Result,
    Voided,
    Won,
)

_BOTH: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """Two entrants and what they play for.

    Attributes:
        a: The first side.
        b: The second side.
        match: How they play.
        legs: Matches of a game: 2 on mirrored boards, else 1.
        stronger: Who goes on when nothing else decides; None where nobody has to.
        forfeit_scope: What somebody loses that runs out of time or strikes.
    """

    a: str
    b: str
    match: MatchFormat
    legs: int
    stronger: str | None
    forfeit_scope: ForfeitScope

    def other(self, side: str) -> str:
        """Return who meets a side."""
        return self.b if side == self.a else self.a


def legs_of(boards: Boards) -> int:
    """Return how many matches a game has."""
    return 2 if boards is Boards.MIRRORED else 1


def judge_games(meeting: Meeting, outcomes: Sequence[Outcome]) -> Result | None:
    """Return what the matches so far decide; None if another one is needed.

    Args:
        meeting: Who plays for what.
        outcomes: How the matches ended, in order; each has decided something.
    """
    wins = {meeting.a: 0, meeting.b: 0}
    best_of = meeting.match.best_of
    for number, game in enumerate(_games(meeting, outcomes), 1):
        shut = _shut(meeting, game)
        if shut is not None:
            return shut
        if not _is_whole(meeting, game):
            return None
        winner, by = _winner(meeting, game)
        if number > best_of and winner is not None:
            return Won(winner, Decision.DECIDER)
        if winner is not None:
            wins[winner] += 1
            if wins[winner] > best_of // 2:
                return _by_majority(meeting, game, winner, by)
        if number >= best_of:
            level = _settle(meeting, wins, outcomes[: number * meeting.legs])
            last = best_of + meeting.match.deciders
            if level is not None or number == last or meeting.stronger is None:
                return level or _give_up(meeting)
    return None


def judge_unfinished(meeting: Meeting, outcomes: Sequence[Outcome]) -> Result:
    """Return what the matches so far decide when no other one can be played."""
    wins = {meeting.a: 0, meeting.b: 0}
    for game in _games(meeting, outcomes):
        winner = _winner(meeting, game)[0] if _is_whole(meeting, game) else None
        if winner is not None:
            wins[winner] += 1
    if not outcomes:
        return Voided(meeting.stronger)
    return _settle(meeting, wins, outcomes) or _give_up(meeting)


def _games(
    meeting: Meeting, outcomes: Sequence[Outcome]
) -> Iterator[tuple[Outcome, ...]]:
    """Yield the matches of each game; no leg follows one that was forfeited."""
    for at in range(0, len(outcomes), meeting.legs):
        legs = outcomes[at : at + meeting.legs]
        ends = (number for number, leg in enumerate(legs, 1) if leg.forfeiters)
        yield tuple(legs[: next(ends, meeting.legs)])


def _is_whole(meeting: Meeting, game: Sequence[Outcome]) -> bool:
    return len(game) == meeting.legs or bool(game[-1].forfeiters)


def _shut(meeting: Meeting, game: Sequence[Outcome]) -> Result | None:
    """Return the result of a game that ends the fixture, whatever else was played."""
    last = game[-1]
    if not last.forfeiters:
        return None
    cause = Cause(last.ending.value)
    if len(last.forfeiters) == _BOTH:
        return DoubleForfeited(cause)
    whole = meeting.forfeit_scope is ForfeitScope.FIXTURE
    if whole or last.ending is EndingKind.NO_SHOW:
        return Forfeited(last.forfeiters[0], cause)
    return None


def _winner(meeting: Meeting, game: Sequence[Outcome]) -> tuple[str | None, Decision]:
    """Return who wins a game, and by what."""
    if game[-1].forfeiters:
        return meeting.other(game[-1].forfeiters[0]), Decision.MATCHES
    if meeting.legs == 1:
        return game[0].winner, Decision.MATCHES
    return _by_boards(meeting, [net for leg in game for net in leg.boards])


def _by_boards(meeting: Meeting, nets: Sequence[int]) -> tuple[str | None, Decision]:
    """Return who has more net points, or else has won more boards."""
    points = sum(nets)
    boards = sum((net > 0) - (net < 0) for net in nets)
    by = Decision.POINTS if points else Decision.BOARDS
    lead = points or boards
    if not lead:
        return None, by
    return (meeting.a if lead > 0 else meeting.b), by


def _by_majority(
    meeting: Meeting, game: Sequence[Outcome], winner: str, by: Decision
) -> Result:
    if meeting.match.best_of == 1 and game[-1].forfeiters:
        cause = Cause(game[-1].ending.value)
        return Forfeited(meeting.other(winner), cause)
    return Won(winner, by)


def _settle(
    meeting: Meeting, wins: dict[str, int], outcomes: Sequence[Outcome]
) -> Result | None:
    """Return who is ahead, by games, points or boards; None if nobody is.

    Points do not count of matches that were forfeited, so that the one with more
    forfeits must not get to compare them.
    """
    lead = wins[meeting.a] - wins[meeting.b]
    if lead:
        return Won(meeting.a if lead > 0 else meeting.b)
    forfeits = Counter(bot for leg in outcomes for bot in leg.forfeiters)
    more = forfeits[meeting.a] - forfeits[meeting.b]
    if more:
        return Won(meeting.b if more > 0 else meeting.a, Decision.FORFEITS)
    nets = [net for leg in outcomes if not leg.forfeiters for net in leg.boards]
    winner, by = _by_boards(meeting, nets)
    return None if winner is None else Won(winner, by)


def _give_up(meeting: Meeting) -> Result:
    if meeting.stronger is None:
        return Drawn()
    return Won(meeting.stronger, Decision.SEED)
