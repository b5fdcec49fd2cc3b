"""The stages of a tournament as far as they have come."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ginref.tournament.bracket import Bracket
from ginref.tournament.bracket_draw import draw_bracket
from ginref.tournament.bracket_play import Seat, play_bracket
from ginref.tournament.configuration import Stage
from ginref.tournament.field_check import group_count
from ginref.tournament.fixture import Fixture
from ginref.tournament.format import Elimination, Ladder, Swiss
from ginref.tournament.ledger import Closing, Ledger
from ginref.tournament.source import TO_BE_DECIDED, RankOf, Seed, Source
from ginref.tournament.table_play import TableRound, play_rounds, rounds_of

_PAIR: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class StageView:
    """A stage as far as it has come.

    Attributes:
        stage: The stage.
        seats: Who has which seed, from the first.
        bracket: Its bracket; None for a table, and before the field is known.
        rounds: The rounds of a table that are known.
        fixtures: All fixtures that are known, in order.
        closing: What was frozen when it was closed; None while it is open.
        present: Its entrants who have not left.
    """

    stage: Stage
    seats: tuple[Seat, ...]
    bracket: Bracket | None
    rounds: tuple[TableRound, ...]
    fixtures: tuple[Fixture, ...]
    closing: Closing | None
    present: tuple[str, ...]

    @property
    def is_settled(self) -> bool:
        """Every fixture that is known is over."""
        return all(fixture.is_over for fixture in self.fixtures)

    @property
    def is_over(self) -> bool:
        """Nothing is left to be played."""
        if any(seat.bot is None for seat in self.seats) or not self.is_settled:
            return False
        if len(self.seats) < _PAIR:
            return True
        match self.stage.format:
            case Swiss(rounds=rounds):
                return len(self.rounds) == rounds or len(self.present) <= 1
            case Ladder(fixtures=fixtures):
                return len(self.present) <= 1 or (
                    fixtures is not None and not self.hungry(fixtures)
                )
            case _:
                return bool(self.fixtures)

    def hungry(self, fixtures: int) -> tuple[str, ...]:
        """Return whoever of a ladder has had fewer fixtures than these."""
        counts = self.played()
        return tuple(bot for bot in self.present if counts[bot] < fixtures)

    def played(self) -> dict[str, int]:
        """Return how many fixtures each entrant has had, open ones with them."""
        counts = {seat.bot: 0 for seat in self.seats if seat.bot is not None}
        for fixture in self.fixtures:
            for bot in fixture.entrants:
                if bot is not None:
                    counts[bot] += 1
        return counts


def view_stages(ledger: Ledger) -> tuple[StageView, ...]:
    """Return all stages, those to come with slots that are to be decided."""
    views: list[StageView] = []
    seats = tuple(
        Seat(source=Seed(at), bot=bot, known=ledger.seeded)
        for at, bot in enumerate(ledger.order, 1)
    )
    for stage in ledger.configuration.stages:
        view = _view(ledger, stage, seats)
        views.append(view)
        seats = tuple(_promoted(view))
    return tuple(views)


def _view(ledger: Ledger, stage: Stage, seats: Sequence[Seat]) -> StageView:
    bracket: Bracket | None = None
    rounds: tuple[TableRound, ...] = ()
    fixtures: tuple[Fixture, ...] = ()
    if len(seats) >= _PAIR and isinstance(stage.format, Elimination):
        bracket = draw_bracket(stage.format, len(seats))
        fixtures = play_bracket(ledger, stage, bracket, seats)
    elif len(seats) >= _PAIR:
        rounds = rounds_of(ledger, stage, seats)
        fixtures = play_rounds(ledger, stage, rounds, seats)
    return StageView(
        stage=stage,
        seats=tuple(seats),
        bracket=bracket,
        rounds=rounds,
        fixtures=fixtures,
        closing=ledger.closings.get(stage.name),
        present=tuple(
            seat.bot
            for seat in seats
            if seat.bot is not None and seat.bot not in ledger.departures
        ),
    )


def _promoted(view: StageView) -> Iterator[Seat]:
    """Yield the seats of the next stage."""
    promotion = view.stage.promotion
    if promotion is None or not view.seats:
        return
    if view.closing is not None:
        ranks = {
            bot: RankOf(view.stage.name, ranking.group, at)
            for ranking in view.closing.event.rankings
            for at, bot in enumerate(
                (bot for placing in ranking.placings for bot in placing.bots), 1
            )
        }
        for bot in view.closing.event.promoted:
            yield Seat(source=ranks[bot], bot=bot, known=view.closing.sequence)
        return
    groups = group_count(view.stage)
    for at in range(groups * promotion.each + promotion.best):
        # Which group a seed comes from depends on how well its best have done.
        source: Source = TO_BE_DECIDED
        if groups == 1:
            source = RankOf(view.stage.name, "", at + 1)
        yield Seat(source=source, bot=None, known=0)
