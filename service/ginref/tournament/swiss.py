"""Swiss rounds: equal scores meet, nobody meets twice while that can be avoided.

Small fields look at every pairing and ahead to the end; large ones improve what their
score groups suggest. Both weigh a pairing alike, see `swiss_field`.

Source: FIDE handbook C.04.1, without its rules about colours: seats are neutral or
alternate by board. Dirac's theorem for how many rounds never need a rematch.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ginref.tournament.swiss_exchange import pair_by_exchange
from ginref.tournament.swiss_field import Candidate, Table, bye_order
from ginref.tournament.swiss_search import (
    LARGEST_FIELD,
    Lookahead,
    Pairs,
    fewest_rematches,
)

_NOBODY: Final = ""
"""Whom the one with a bye meets."""


@dataclass(frozen=True, slots=True)
class SwissRound:
    """Who meets whom in a round.

    Attributes:
        pairs: The higher score first, then the better seed; the top of the table first.
        bye: Who sits out; None in an even field.
        rematches: The pairs that have met before, because nothing else was possible.
    """

    pairs: tuple[tuple[str, str], ...]
    bye: str | None
    rematches: tuple[tuple[str, str], ...]

    @property
    def is_irregular(self) -> bool:
        """Whether somebody meets the same opponent again."""
        return bool(self.rematches)


def pair_swiss(field: Sequence[Candidate], rounds_left: int = 0) -> SwissRound:
    """Pair a round; an odd field leaves one with a bye.

    Args:
        field: Everyone to be paired, in the order of seeds.
        rounds_left: How many rounds follow this one. A small field keeps them free of
            rematches, if that can be done.
    """
    if not field:
        return SwissRound((), None, ())
    if len(field) + len(field) % 2 > LARGEST_FIELD:
        return _pair_large(field)
    for ahead in range(_most_ahead(field, rounds_left), 0, -1):
        found = _pair_small(field, ahead)
        if found is not None:
            return found
    return _pair_small(field, 0) or SwissRound((), None, ())


def guaranteed_rounds(entrant_count: int) -> int:
    """Return how many rounds need no rematch, whatever happens: half of the field."""
    return (entrant_count + 1) // 2


def explain_rounds(entrant_count: int, round_count: int) -> str | None:
    """Warn of more rounds than can be promised; None if all is well."""
    promised = guaranteed_rounds(entrant_count)
    if round_count <= promised:
        return None
    possible = entrant_count - 1 + entrant_count % 2
    if round_count > possible:
        return (
            f"{round_count} rounds of {entrant_count} entrants need rematches: there "
            f"are {possible} without; a round robin has everyone meet everyone"
        )
    return (
        f"{round_count} rounds of {entrant_count} entrants may need rematches: "
        f"{promised} are sure to need none; a round robin takes {possible}"
    )


def _byes(field: Sequence[Candidate]) -> Sequence[Candidate | None]:
    return bye_order(field) if len(field) % 2 else (None,)


def _tabulate(field: Sequence[Candidate], bye: Candidate | None) -> Table:
    return Table([entrant for entrant in field if entrant is not bye])


def _pair_small(field: Sequence[Candidate], ahead: int) -> SwissRound | None:
    """Return the best pairing that leaves so many more rounds without a rematch.

    None says that there is none, or none that was found soon enough. With nothing to
    look ahead to there always is one, though it may need rematches.
    """
    best = None
    lookahead = Lookahead()
    for bye in _byes(field):
        table = _tabulate(field, bye)
        for pairs in fewest_rematches(table):
            option = _round(table, pairs, bye)
            if best is None or len(option.rematches) < len(best.rematches):
                best = option
            if option.rematches:
                break
            if not ahead or lookahead.fits(_unmet_after(field, option), ahead):
                return option
    return None if ahead else best


def _pair_large(field: Sequence[Candidate]) -> SwissRound:
    options = []
    for bye in _byes(field):
        table = _tabulate(field, bye)
        option = _round(table, pair_by_exchange(table), bye)
        if not option.rematches:
            return option
        options.append(option)
    return min(options, key=lambda option: len(option.rematches))


def _round(table: Table, pairs: Pairs, bye: Candidate | None) -> SwissRound:
    ordered = sorted((min(pair), max(pair)) for pair in pairs)
    named = [(table.ranked[a].key, table.ranked[b].key) for a, b in ordered]
    rematches = [
        pair for pair, met in zip(named, ordered, strict=True) if table.has_met(*met)
    ]
    return SwissRound(tuple(named), bye.key if bye else None, tuple(rematches))


def _most_ahead(field: Sequence[Candidate], rounds_left: int) -> int:
    """Return how many of the rounds to come anyone could hope to be without rematch."""
    unmet = _unmet(field)
    return max(0, min(rounds_left, min(len(others) for others in unmet.values()) - 1))


def _unmet(field: Sequence[Candidate]) -> dict[str, set[str]]:
    """Return whom each entrant may still meet; in an odd field one of them is a bye."""
    unmet = {
        entrant.key: {other.key for other in field} - entrant.met - {entrant.key}
        for entrant in field
    }
    if len(field) % 2:
        unmet[_NOBODY] = {entrant.key for entrant in field if not entrant.has_free_win}
        for key in unmet[_NOBODY]:
            unmet[key].add(_NOBODY)
    return unmet


def _unmet_after(field: Sequence[Candidate], paired: SwissRound) -> dict[str, set[str]]:
    unmet = _unmet(field)
    sitting = [(paired.bye, _NOBODY)] if paired.bye is not None else []
    for a, b in (*paired.pairs, *sitting):
        unmet[a].discard(b)
        unmet[b].discard(a)
    return unmet
