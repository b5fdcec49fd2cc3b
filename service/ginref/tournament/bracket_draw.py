"""The bracket of a stage, drawn as its format says."""

from ginref.tournament.bracket import Bracket, bracket_size
from ginref.tournament.double_elimination import double_elimination, drop_rounds
from ginref.tournament.format import Elimination, SingleElimination
from ginref.tournament.single_elimination import single_elimination


def draw_bracket(stage_format: Elimination, entrants: int) -> Bracket:
    """Return the bracket of a format for a number of entrants.

    If fewer have come from the stage before than it was to send, byes and drops are
    the usual ones.
    """
    size = bracket_size(entrants)
    byes = fitting_byes(stage_format, entrants)
    if isinstance(stage_format, SingleElimination):
        return single_elimination(
            entrants, third_place=stage_format.third_place, byes=byes
        )
    drops = stage_format.drops
    fits = drops is not None and len(drops) == drop_rounds(size)
    return double_elimination(
        entrants,
        grand_final=stage_format.grand_final,
        drops=drops if fits else None,
        byes=byes,
    )


def fitting_byes(stage_format: Elimination, entrants: int) -> tuple[int, ...] | None:
    """Return the byes that were chosen, if they fit a number of entrants."""
    byes = stage_format.byes
    count = bracket_size(entrants) - entrants
    fits = byes is not None and len(byes) == count and max(byes, default=0) <= entrants
    return byes if fits else None
