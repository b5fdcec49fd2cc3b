"""A bracket as it is played: who stands where, and which place everybody takes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ginref.tournament.bracket import Bracket, Node
from ginref.tournament.configuration import MatchFormat, Stage
from ginref.tournament.event import GroupRanking, Placing
from ginref.tournament.fixture import Fixture, FixtureState
from ginref.tournament.judgment import Place, Slot, judge
from ginref.tournament.ledger import Ledger
from ginref.tournament.source import LoserOf, Seed, Source, WinnerOf


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """Who has a seed of a stage.

    Attributes:
        source: Where it comes from.
        bot: Who it is; None while it is to be decided.
        known: The log entry that settled it; 0 before.
    """

    source: Source
    bot: str | None
    known: int


def match_of(stage: Stage, names: Mapping[str, str], *keys: str) -> MatchFormat:
    """Return how a fixture is played: by its node's exception, or its round's.

    Args:
        stage: The stage.
        names: Rounds and nodes with a name of their own.
        keys: The fixture's node and round, the narrower one first.
    """
    for key in keys:
        named = [name for name, of in names.items() if of == key]
        for selector in (key, *named):
            if selector in stage.exceptions:
                return stage.exceptions[selector]
    return stage.match


def play_bracket(
    ledger: Ledger, stage: Stage, bracket: Bracket, seats: Sequence[Seat]
) -> tuple[Fixture, ...]:
    """Return all fixtures of a bracket, as far as each has come.

    Args:
        ledger: What has happened.
        stage: The stage.
        bracket: Its bracket.
        seats: Who has which seed, from the first.
    """
    fixtures: dict[str, Fixture] = {}
    rounds: dict[str, int] = {}
    seeds = {seat.bot: at for at, seat in enumerate(seats, 1) if seat.bot is not None}
    for node in bracket.nodes:
        number = rounds.setdefault(node.round, len(rounds) + 1)
        place = Place(
            stage=stage.name,
            group="",
            round=number,
            round_name=node.round,
            node=node.key,
            match=match_of(stage, bracket.names, node.key, node.round),
            is_knockout=True,
        )
        a, b = (_slot(side, seats, fixtures, seeds) for side in (node.a, node.b))
        before = fixtures.get(node.unless_won_by_a or "")
        if before is not None and before.is_over and not _is_reset(before):
            blank = replace(a, bot=None, known=0)
            unplayed = judge(ledger, place, blank, replace(b, bot=None, known=0))
            fixtures[node.key] = replace(
                unplayed, state=FixtureState.NOT_NEEDED, decided=before.decided
            )
        else:
            fixtures[node.key] = judge(ledger, place, a, b)
    return tuple(fixtures.values())


def _slot(
    source: Source,
    seats: Sequence[Seat],
    fixtures: Mapping[str, Fixture],
    seeds: Mapping[str, int],
) -> Slot:
    match source:
        case Seed(number=number):
            seat = seats[number - 1]
            return Slot(source=seat.source, bot=seat.bot, known=seat.known, seed=number)
        case WinnerOf(node=node):
            before = fixtures[node]
            bot = before.winner
        case LoserOf(node=node):
            before = fixtures[node]
            bot = loser_of(before)
        case _:
            return Slot(source=source)
    if not before.is_over:
        return Slot(source=source)
    seed = 0 if bot is None else seeds.get(bot, len(seats) + 1)
    return Slot(source=source, bot=bot, known=before.decided, seed=seed)


def loser_of(fixture: Fixture) -> str | None:
    """Return who falls from a fixture; nobody if it had one entrant, or no winner."""
    a, b = fixture.entrants
    if a is None or b is None or fixture.winner is None:
        return None
    return b if fixture.winner == a else a


def _is_reset(final: Fixture) -> bool:
    """Say whether the first side has lost a final for the first time."""
    a, b = final.entrants
    return a is not None and b is not None and final.winner == b


def rank_bracket(
    bracket: Bracket, fixtures: Sequence[Fixture]
) -> tuple[GroupRanking, ...]:
    """Return the places that are decided already.

    Who shares a place is listed by name. A place that nobody takes stays empty: with
    no winner of the final, both of it are second.
    """
    by_node = {fixture.node: fixture for fixture in fixtures}
    places: dict[int, list[str]] = {}
    for node in bracket.nodes:
        for bot, place in _placed(bracket, node, by_node):
            places.setdefault(place, []).append(bot)
    placings = tuple(
        Placing(rank=place, bots=tuple(sorted(bots)))
        for place, bots in sorted(places.items())
    )
    return (GroupRanking(group="", placings=placings),)


def _placed(
    bracket: Bracket, node: Node, fixtures: Mapping[str, Fixture]
) -> Iterator[tuple[str, int]]:
    """Yield who takes a place with a fixture."""
    fixture = fixtures[node.key]
    again = next(
        (other for other in bracket.nodes if other.unless_won_by_a == node.key), None
    )
    undone = (
        again is not None and fixtures[again.key].state is not FixtureState.NOT_NEEDED
    )
    if fixture.state is not FixtureState.FINAL or undone:
        return
    winner = fixture.winner
    fallen = loser_of(fixture) if node.key in bracket.falling else None
    for bot in fixture.entrants:
        if bot is None or bot == fallen:
            continue
        place = node.winner_place if bot == winner else node.loser_place
        if place is not None:
            yield bot, place
