"""Rounds of a table as they are played: round robin, Swiss, ladder."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from ginref.tournament.berger import double_round_robin, round_robin, snake_groups
from ginref.tournament.bracket_play import Seat, match_of
from ginref.tournament.configuration import Late, Stage
from ginref.tournament.event import Handling
from ginref.tournament.fixture import Fixture, FixtureState
from ginref.tournament.format import RoundRobin
from ginref.tournament.judgment import Place, Slot, judge
from ginref.tournament.ledger import Ledger
from ginref.tournament.result import (
    Cause,
    DoubleForfeited,
    Forfeited,
    FreeRound,
    Result,
    Voided,
    WalkedOver,
)
from ginref.tournament.source import BYE, Seed


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRound:
    """Who meets whom in a round of a group.

    Attributes:
        group: The group, empty where there is one.
        number: The round, counted from 1.
        pairs: Who meets whom, by table.
        bye: Who sits out.
        known: The log entry that settled it.
    """

    group: str
    number: int
    pairs: tuple[tuple[str, str], ...]
    bye: str | None
    known: int

    @property
    def name(self) -> str:
        """The round's name in the stage, `R3` or `A/R3`."""
        return f"{self.group}/R{self.number}" if self.group else f"R{self.number}"


def groups_of(stage: Stage, seats: Sequence[Seat]) -> dict[str, tuple[str, ...]]:
    """Return the entrants of each group by seed; one group has no name."""
    bots = [seat.bot for seat in seats if seat.bot is not None]
    count = stage.format.groups if isinstance(stage.format, RoundRobin) else 1
    # Fewer may have come from the stage before than it was to send.
    count = min(count, len(bots) // 2)
    if count <= 1:
        return {"": tuple(bots)}
    groups = snake_groups(bots, count)
    return {group_name(at): group for at, group in enumerate(groups)}


def group_name(at: int) -> str:
    """Return a group's name: A to Z, then AA, AB and so on."""
    letters = ""
    at += 1
    while at:
        at, letter = divmod(at - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters


def rounds_of(
    ledger: Ledger, stage: Stage, seats: Sequence[Seat]
) -> tuple[TableRound, ...]:
    """Return the rounds that are known, in order."""
    if isinstance(stage.format, RoundRobin):
        return tuple(_all_rounds(stage.format, stage, seats))
    return tuple(
        TableRound(
            group="",
            number=number,
            pairs=pairing.pairs,
            bye=pairing.bye,
            known=pairing.sequence,
        )
        for (name, number), pairing in sorted(
            ledger.pairings.items(), key=lambda item: item[0][1]
        )
        if name == stage.name
    )


def _all_rounds(
    robin: RoundRobin, stage: Stage, seats: Sequence[Seat]
) -> Iterator[TableRound]:
    known = max((seat.known for seat in seats), default=0)
    if not known or any(seat.bot is None for seat in seats):
        return
    listed = []
    for group, bots in groups_of(stage, seats).items():
        rounds = round_robin(bots) if robin.cycles == 1 else double_round_robin(bots)
        listed += [
            TableRound(
                group=group,
                number=each.number,
                pairs=each.pairs,
                bye=each.bye,
                known=known,
            )
            for each in rounds
        ]
    yield from sorted(listed, key=lambda each: (each.number, each.group))


def play_rounds(
    ledger: Ledger, stage: Stage, rounds: Sequence[TableRound], seats: Sequence[Seat]
) -> tuple[Fixture, ...]:
    """Return the fixtures of rounds, as far as each has come; byes among them."""
    seeds = {seat.bot: at for at, seat in enumerate(seats, 1) if seat.bot is not None}
    fixtures = tuple(
        fixture
        for each in rounds
        for fixture in _play_round(ledger, stage, each, seeds)
    )
    return _after_departures(ledger, stage, fixtures)


def _play_round(
    ledger: Ledger, stage: Stage, each: TableRound, seeds: Mapping[str, int]
) -> Iterator[Fixture]:
    match = match_of(stage, {}, f"R{each.number}")
    place = Place(
        stage=stage.name,
        group=each.group,
        round=each.number,
        round_name=each.name,
        node="",
        match=match,
        is_knockout=False,
    )
    for table, (a, b) in enumerate(each.pairs, 1):
        yield judge(
            ledger,
            replace(place, node=f"{each.name}.{table}"),
            _slot(a, seeds, each.known),
            _slot(b, seeds, each.known),
        )
    if each.bye is not None:
        node = f"{each.name}.{len(each.pairs) + 1}"
        nobody = Slot(source=BYE, known=each.known)
        alone = judge(
            ledger,
            replace(place, node=node),
            _slot(each.bye, seeds, each.known),
            nobody,
        )
        if isinstance(alone.result, WalkedOver):
            free = FreeRound(each.bye)
            alone = replace(alone, result=free, onward=free)
        yield alone


def _slot(bot: str, seeds: Mapping[str, int], known: int) -> Slot:
    seed = seeds.get(bot, len(seeds) + 1)
    return Slot(source=Seed(seed), bot=bot, known=known, seed=seed)


def _after_departures(
    ledger: Ledger, stage: Stage, fixtures: tuple[Fixture, ...]
) -> tuple[Fixture, ...]:
    """Take back results of those who have left, where they are to be.

    In a round robin they are void: of somebody who left before half of it, or whose
    results are taken back. Elsewhere, whoever met somebody whose results are taken
    back has won.
    """
    taken_back = {
        bot
        for bot, departure in ledger.departures.items()
        if departure.results is Handling.VOID
    }
    is_robin = isinstance(stage.format, RoundRobin)
    if is_robin:
        taken_back |= {
            bot
            for bot, departure in ledger.departures.items()
            if departure.cause is Cause.WITHDRAWN and _left_early(ledger, bot, fixtures)
        }
    return tuple(_take_back(one, taken_back, is_void=is_robin) for one in fixtures)


def _take_back(fixture: Fixture, bots: AbstractSet[str], *, is_void: bool) -> Fixture:
    """Return a fixture without the result that some of its entrants had."""
    found = [bot for bot in fixture.entrants if bot in bots]
    if not found or fixture.state is not FixtureState.FINAL:
        return fixture
    if None in fixture.entrants:
        return fixture
    result: Result = Forfeited(str(found[0]), Cause.DISQUALIFIED)
    if len(found) > 1:
        result = DoubleForfeited(Cause.DISQUALIFIED)
    if is_void:
        result = Voided()
    return replace(fixture, result=result, onward=result)


def _left_early(ledger: Ledger, bot: str, fixtures: Sequence[Fixture]) -> bool:
    """Say whether somebody has played less than half of its fixtures."""
    own = [
        fixture
        for fixture in fixtures
        if bot in fixture.entrants and None not in fixture.entrants
    ]
    left = ledger.departures[bot].sequence
    played = sum(0 < fixture.decided < left for fixture in own)
    return 2 * played < len(own)


def missed_rounds(
    ledger: Ledger, rounds: Sequence[TableRound]
) -> Iterator[tuple[int, str, float]]:
    """Yield rounds that somebody has missed, and what each is worth.

    Who enters late has missed all rounds before; who has left, all after.
    """
    worth = 0.5 if ledger.configuration.entry.late is Late.HALF else 0.0
    for each in rounds:
        there = {bot for pair in each.pairs for bot in pair} | {each.bye}
        for bot in ledger.order:
            if bot in there:
                continue
            early = each.number < ledger.entrants[bot].round
            yield each.number, bot, worth if early else 0.0
