"""What is not public yet: results of boards that others still have to play.

Where all tables of a round get the same cards, nothing of a board is told before the
last of them has closed it. Where two play each deck twice, nothing of the first leg is
told before the second one is over.
"""

from collections.abc import Iterator

from ginref.app.caller import HOSTS, Caller
from ginref.app.live_tournament import LiveTournament
from ginref.tournament.configuration import Boards
from ginref.tournament.event import MatchEnded
from ginref.tournament.fixture import FixtureState
from ginref.tournament.lifecycle import UNDER_WAY
from ginref.tournament.plan import Plan
from ginref.tournament.qualifying import is_qualifying
from ginref.tournament.score import legs_of

_Boards = tuple[str, int, int]
"""What tables share: a stage, its round, and the correction that began it anew."""


def sees_all(caller: Caller, live: LiveTournament) -> bool:
    """Say whether nothing of a tournament is ever kept from a caller."""
    return caller.role in HOSTS or live.configuration.boards is Boards.INDEPENDENT


def visible_length(caller: Caller, live: LiveTournament, planned: Plan) -> int:
    """Return how many entries of a log a caller may see: all before a closed board."""
    whole = len(live.entries)
    if sees_all(caller, live):
        return whole
    closed = closed_games(planned)
    for at, entry in enumerate(live.entries):
        event = entry.event
        if (
            isinstance(event, MatchEnded)
            and (event.fixture, event.attempt, event.game) in closed
        ):
            return at
    return whole


def closed_games(planned: Plan) -> frozenset[tuple[str, int, int]]:
    """Return matches whose cards others still play: fixture, attempt and number."""
    match planned.ledger.configuration.boards:
        case Boards.COMMON:
            games = planned.ledger.games
            return frozenset(
                (*key, game.number)
                for key in closed_fixtures(planned)
                for game in games.get(key, ())
            )
        case Boards.MIRRORED:
            return frozenset(_half_played(planned))
        case Boards.INDEPENDENT:
            return frozenset()


def _half_played(planned: Plan) -> Iterator[tuple[str, int, int]]:
    """Yield the matches of decks that are to be played once more, or just are."""
    ledger, legs = planned.ledger, legs_of(Boards.MIRRORED)
    aborted = frozenset(planned.aborts)
    going_on = {
        (fixture.fixture_id, fixture.attempt)
        for fixture in planned.fixtures()
        if fixture.state is FixtureState.PLAYING and ledger.lifecycle in UNDER_WAY
    }
    for key, games in ledger.games.items():
        if is_qualifying(key[0]):
            continue
        for start in range(0, len(games), legs):
            same = games[start : start + legs]
            is_to_come = len(same) < legs and key in going_on
            if is_to_come or any(
                not game.ended and game.match not in aborted for game in same
            ):
                yield from ((*key, game.number) for game in same)


def closed_fixtures(planned: Plan) -> frozenset[tuple[str, int]]:
    """Return fixtures with their attempt whose boards others still play.

    A fixture that is played again has boards of its own.
    """
    ledger = planned.ledger
    # What is about to be aborted counts for nothing, whoever sees its cards.
    aborted = frozenset(planned.aborts)
    playing = {
        key
        for key, games in ledger.games.items()
        if any(not game.ended and game.match not in aborted for game in games)
    }
    tables: dict[_Boards, set[tuple[str, int]]] = {}
    waiting: set[_Boards] = set()
    for view in planned.stages:
        for fixture in view.fixtures:
            key = fixture.fixture_id, 1
            place, games = (view.stage.name, fixture.round), ledger.games.get(key, ())
            boards = *place, ledger.undone_before(*place, games)
            tables.setdefault(boards, set()).add(key)
            can_begin = not fixture.is_over and ledger.lifecycle in UNDER_WAY
            if key in playing or (can_begin and fixture.attempt == 1):
                waiting.add(boards)
    closed = {key for boards in waiting for key in tables[boards]}
    # Those who are not to meet any more may have met over the same boards.
    known = {key for keys in tables.values() for key in keys}
    first = min((undone for _, _, undone in waiting), default=ledger.version)
    closed |= {
        (fixture_id, attempt)
        for (fixture_id, attempt), games in ledger.games.items()
        if attempt == 1
        and not is_qualifying(fixture_id)
        and (fixture_id, attempt) not in known
        and first < games[0].created
    }
    return frozenset(closed)
