"""Whether a field of entrants fits the stages of a tournament."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ginref.tournament.bracket import bracket_size
from ginref.tournament.bracket_draw import draw_bracket
from ginref.tournament.configuration import Configuration, Stage
from ginref.tournament.double_elimination import drop_rounds
from ginref.tournament.error import FieldError
from ginref.tournament.format import (
    DoubleElimination,
    Drop,
    Elimination,
    Ladder,
    RoundRobin,
    SingleElimination,
    Swiss,
)
from ginref.tournament.swiss import explain_rounds

_PAIR: Final = 2


@dataclass(frozen=True, slots=True)
class Caution:
    """Something that is possible, and may not be what was meant.

    Attributes:
        path: The field of the configuration.
        what: What may come of it.
    """

    path: str
    what: str


def check_field(configuration: Configuration, entrants: int) -> tuple[Caution, ...]:
    """Check that a field can play all stages, and say what it may run into.

    Raises:
        FieldError: It cannot; the option at fault is named.
    """
    fields = stage_fields(configuration, entrants)
    return tuple(
        caution
        for at, (stage, field) in enumerate(
            zip(configuration.stages, fields, strict=True)
        )
        for caution in _cautions(f"stages[{at}]", stage, field)
    )


def stage_fields(
    configuration: Configuration, entrants: int, *, is_most: bool = False
) -> tuple[int, ...]:
    """Return how many entrants play each stage.

    Args:
        configuration: The stages.
        entrants: How many there are at the start.
        is_most: It is only the most that there can be.

    Raises:
        FieldError: A stage cannot be played by so many.
    """
    fields: list[int] = []
    field = entrants
    for at, stage in enumerate(configuration.stages):
        path = f"stages[{at}]"
        for name, what in _faults(stage, field, is_most=is_most and not at):
            raise FieldError(f"{path}.{name}" if name else path, what)
        fields.append(field)
        if stage.promotion is not None:
            groups = group_count(stage)
            field = groups * stage.promotion.each + stage.promotion.best
    return tuple(fields)


def group_count(stage: Stage) -> int:
    """Return how many groups a stage has."""
    return stage.format.groups if isinstance(stage.format, RoundRobin) else 1


def _faults(stage: Stage, field: int, *, is_most: bool) -> Iterator[tuple[str, str]]:
    if field < _PAIR:
        yield "", f"{field} entrants make no pair"
    match stage.format:
        case SingleElimination() | DoubleElimination():
            if not is_most:
                yield from _of_bracket(stage.format, field)
        case RoundRobin(groups=groups):
            if 2 * groups > field:
                yield "groups", f"{field} entrants make no {groups} groups of two"
        case Swiss(rounds=rounds):
            others = field + field % 2 - 1
            if rounds > others:
                yield "rounds", f"{field} entrants can meet in {others} rounds at most"
        case Ladder():
            pass
    yield from _of_promotion(stage, field)


def _of_bracket(bracket: Elimination, field: int) -> Iterator[tuple[str, str]]:
    yield from _of_byes(bracket.byes, field)
    if isinstance(bracket, DoubleElimination):
        yield from _of_drops(bracket.drops, field)


def _of_byes(byes: tuple[int, ...] | None, field: int) -> Iterator[tuple[str, str]]:
    if byes is None:
        return
    count = bracket_size(field) - field
    if len(byes) != count:
        yield "byes", f"{count} byes expected for {field} entrants"
    for at, seed in enumerate(byes):
        if seed > field:
            yield f"byes[{at}]", f"{seed} is no seed among {field} entrants"
        if seed in byes[:at]:
            yield f"byes[{at}]", f"seed {seed} has a bye already"


def _of_drops(drops: tuple[Drop, ...] | None, field: int) -> Iterator[tuple[str, str]]:
    rounds = drop_rounds(bracket_size(field))
    if drops is not None and len(drops) != rounds:
        yield "drops", f"{rounds} expected for {field} entrants"


def _of_promotion(stage: Stage, field: int) -> Iterator[tuple[str, str]]:
    if stage.promotion is None:
        return
    groups = group_count(stage)
    smallest = field // groups
    if stage.promotion.each > smallest:
        yield "promote", f"the smallest group has {smallest} entrants"
    if stage.promotion.best > groups:
        yield "promote.best", f"{groups} groups have {groups} entrants ranked next"
    if stage.promotion.best and stage.promotion.each >= smallest:
        yield "promote.best", "a group has nobody left to be ranked next"


def _cautions(path: str, stage: Stage, field: int) -> Iterator[Caution]:
    # Whoever names nothing need not wait for the bracket.
    known = _names(stage, field) if stage.exceptions else None
    for selector in stage.exceptions:
        if known is not None and selector not in known:
            what = f"no fixture of {field} entrants has this name"
            yield Caution(f"{path}.except.{selector}", what)
    if isinstance(stage.format, Swiss):
        warning = explain_rounds(field, stage.format.rounds)
        if warning is not None:
            yield Caution(f"{path}.rounds", warning)


def _names(stage: Stage, field: int) -> frozenset[str] | None:
    """Return what an exception may name; None where that is not known yet."""
    match stage.format:
        case SingleElimination() | DoubleElimination():
            bracket = draw_bracket(stage.format, field)
            keys = {key for node in bracket.nodes for key in (node.key, node.round)}
            named = {name for name, of in bracket.names.items() if of in keys}
            return frozenset(keys | named)
        case RoundRobin(cycles=cycles, groups=groups):
            largest = -(-field // groups)
            return _rounds(cycles * (largest + largest % 2 - 1))
        case Swiss(rounds=rounds):
            return _rounds(rounds)
        case Ladder():
            return None


def _rounds(count: int) -> frozenset[str]:
    return frozenset(f"R{number}" for number in range(1, count + 1))
