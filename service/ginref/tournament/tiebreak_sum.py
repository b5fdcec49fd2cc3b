"""The values of each criterion, summed up round by round."""

from collections.abc import Callable, Mapping
from typing import Final

from ginref.tournament.standing_tally import (
    DRAW,
    LOSS,
    WIN,
    Appearance,
    History,
    Kind,
    total,
)
from ginref.tournament.tiebreak import Contribution, Criterion, Edition, TieBreak

Contributions = tuple[Contribution, ...]


class ScoreBook:
    """All that tie-breaks are made of.

    Attributes:
        edition: What unplayed rounds count for.
        round_count: Rounds of the whole event, those to come among them.
    """

    def __init__(
        self,
        history: History,
        edition: Edition,
        round_count: int,
        lots: Mapping[str, int] | None = None,
    ) -> None:
        """Keep the rounds of each entrant, and the lots if they were drawn."""
        self._history = history
        self.edition = edition
        self.round_count = round_count
        self._lots = lots or {}
        self._adjusted = {
            entrant: self._adjust(rounds) for entrant, rounds in history.items()
        }

    def rounds(self, entrant: str) -> tuple[Appearance, ...]:
        """Return the rounds of an entrant, none if it has not appeared."""
        return self._history.get(entrant, ())

    def points(self, entrant: str) -> float:
        """Return an entrant's match points."""
        return total(self.rounds(entrant))

    def adjusted(self, entrant: str) -> float:
        """Return the score that counts for the sums of an entrant's opponents."""
        return self._adjusted.get(entrant, LOSS)

    def tie_break(self, criterion: Criterion, entrant: str) -> TieBreak:
        """Return an entrant's value by any criterion but the head-to-head."""
        if criterion is Criterion.LOTS:
            return TieBreak(criterion, self._lots.get(entrant))
        if criterion is Criterion.HEAD_TO_HEAD:
            return TieBreak(criterion, None)
        contributions = _SUMS[criterion](self, entrant)
        kept = (part.value for part in contributions if not part.is_cut)
        boards = sum(part.boards for part in contributions)
        return TieBreak(criterion, sum(kept, LOSS) / (boards or 1), contributions)

    def match_points(self, entrant: str) -> Contributions:
        """Return the points of each round."""
        return tuple(_part(seen, seen.points) for seen in self.rounds(entrant))

    def progressive(self, entrant: str) -> Contributions:
        """Return the score after each round."""
        rounds = self.rounds(entrant)
        return tuple(
            _part(seen, total(rounds[:at])) for at, seen in enumerate(rounds, 1)
        )

    def wins(self, entrant: str) -> Contributions:
        """Return 1 for each round won."""
        return tuple(_part(seen, seen.points == WIN) for seen in self.rounds(entrant))

    def wins_played(self, entrant: str) -> Contributions:
        """Return 1 for each round that was won in play."""
        return tuple(
            _part(seen, seen.points == WIN and seen.is_met)
            for seen in self.rounds(entrant)
        )

    def nets(self, entrant: str) -> Contributions:
        """Return the net points of the boards of each round."""
        return self._over_boards(entrant, float)

    def boards_won(self, entrant: str) -> Contributions:
        """Return how many boards were won in each round; a level one is half."""
        return self._over_boards(entrant, lambda net: (net > 0) + (net == 0) / 2)

    def _over_boards(
        self, entrant: str, worth: Callable[[int], float]
    ) -> Contributions:
        return tuple(
            _part(seen, sum(map(worth, seen.nets)))._replace(boards=len(seen.nets))
            for seen in self.rounds(entrant)
            if seen.nets
        )

    def buchholz(self, entrant: str) -> Contributions:
        """Return the scores of an entrant's opponents, or what stands for them."""
        own = self.points(entrant)
        before = LOSS
        parts = []
        for seen in self.rounds(entrant):
            parts.append(_part(seen, self._opponent(seen, own, before)))
            before += seen.points
        return tuple(parts)

    def buchholz_cut_1(self, entrant: str) -> Contributions:
        """Return the same, the least of them cut.

        Rounds that the entrant has not played by its own choice are cut first, or it
        would get rid of a weak opponent besides. In the edition for gin the greatest
        of these is cut, or a forfeit would make an absence count.
        """
        parts = self.buchholz(entrant)

        def worth(at: int) -> float:
            return parts[at].value

        places = list(range(len(parts)))
        if self.edition is Edition.FIDE_2009:
            return _cut(parts, min(places, key=worth, default=None))
        rounds = self.rounds(entrant)
        chosen = [at for at in places if rounds[at].is_unplayed_by_choice]
        if chosen and self.edition is Edition.GIN_2026:
            return _cut(parts, max(chosen, key=worth))
        return _cut(parts, min(chosen or places, key=worth, default=None))

    def buchholz_median(self, entrant: str) -> Contributions:
        """Return the same, the highest of the rest cut as well."""
        parts = self.buchholz_cut_1(entrant)
        kept = [at for at, part in enumerate(parts) if not part.is_cut]
        highest = max(kept, key=lambda at: parts[at].value, default=None)
        return _cut(parts, highest)

    def sonneborn_berger(self, entrant: str) -> Contributions:
        """Return the opponents' scores, times what was scored against each."""
        return tuple(
            part._replace(value=part.value * seen.points)
            for part, seen in zip(
                self.buchholz(entrant), self.rounds(entrant), strict=True
            )
        )

    def _adjust(self, rounds: tuple[Appearance, ...]) -> float:
        """Count the rounds after an entrant has left as drawn; in 2009 all unplayed.

        It has given up the chance to win them, and its opponents shall not pay for it.
        """
        if self.edition is Edition.FIDE_2009:
            return sum(seen.points if seen.is_met else DRAW for seen in rounds)
        present = (
            at for at, seen in enumerate(rounds, 1) if seen.kind is not Kind.ABSENCE
        )
        left = max(present, default=0)
        return total(rounds[:left]) + DRAW * len(rounds[left:])

    def _opponent(self, seen: Appearance, own: float, before: float) -> float:
        if seen.is_met and seen.opponent is not None:
            return self.adjusted(seen.opponent)
        match self.edition:
            case Edition.FIDE_2009:
                to_come = self.round_count - seen.round
                return before + (WIN - seen.points) + DRAW * to_come
            case Edition.FIDE_2024:
                return own
            case Edition.GIN_2026:
                if seen.opponent is None:
                    return min(own, DRAW * self.round_count)
                theirs = self.adjusted(seen.opponent)
                return theirs if seen.points == WIN else min(own, theirs)


_SUMS: Final[Mapping[Criterion, Callable[[ScoreBook, str], Contributions]]] = {
    Criterion.MATCH_POINTS: ScoreBook.match_points,
    Criterion.NET_PER_BOARD: ScoreBook.nets,
    Criterion.BOARDS_WON: ScoreBook.boards_won,
    Criterion.BUCHHOLZ: ScoreBook.buchholz,
    Criterion.BUCHHOLZ_CUT_1: ScoreBook.buchholz_cut_1,
    Criterion.BUCHHOLZ_MEDIAN: ScoreBook.buchholz_median,
    Criterion.SONNEBORN_BERGER: ScoreBook.sonneborn_berger,
    Criterion.PROGRESSIVE: ScoreBook.progressive,
    Criterion.WINS: ScoreBook.wins,
    Criterion.WINS_PLAYED: ScoreBook.wins_played,
}


def _cut(parts: Contributions, cut: int | None) -> Contributions:
    return tuple(
        part._replace(is_cut=part.is_cut or at == cut) for at, part in enumerate(parts)
    )


def _part(seen: Appearance, value: float) -> Contribution:
    return Contribution(seen.round, seen.opponent, float(value), seen.is_met)
