"""What a configuration cannot mean, whoever enters."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from ginref.engine.error import shown
from ginref.engine.ruleset import NextDealer
from ginref.tournament.configuration import (
    Boards,
    Configuration,
    EntryBy,
    EntryRules,
    Late,
    MatchFormat,
    Seeding,
    Stage,
    Trust,
)
from ginref.tournament.error import FieldError
from ginref.tournament.field_check import stage_fields
from ginref.tournament.format import (
    DoubleElimination,
    Elimination,
    Format,
    SingleElimination,
    Swiss,
)

_NUMBER: Final = "[1-9][0-9]{0,3}"
_SINGLE: Final = re.compile(rf"final|semifinals|third_place|R{_NUMBER}(\.{_NUMBER})?")
_DOUBLE: Final = re.compile(rf"grand_final|(W|L|GF){_NUMBER}(\.{_NUMBER})?")
_ROUND: Final = re.compile(rf"R{_NUMBER}")


def refuse_contradictions(configuration: Configuration) -> None:
    """Refuse options that do not go together.

    Raises:
        FieldError: Naming the first of them.
    """
    for path, what in _contradictions(configuration):
        raise FieldError(path, what)
    # With a limit on entries, the largest field is known beforehand.
    if configuration.entry.capacity is not None:
        stage_fields(configuration, configuration.entry.capacity, is_most=True)


def _contradictions(configuration: Configuration) -> Iterator[tuple[str, str]]:
    stages = configuration.stages
    at = _twice([stage.name for stage in stages])
    if at is not None:
        yield f"stages[{at}].name", f"{stages[at].name} is another stage's name"
    for at, stage in enumerate(stages):
        yield from _of_promotion(f"stages[{at}]", stage, is_last=stage is stages[-1])
        yield from _of_exceptions(f"stages[{at}].except", stage)
        for name, match in _matches(stage):
            yield from _of_boards(f"stages[{at}].{name}", configuration, match)
    if configuration.boards is not Boards.INDEPENDENT:
        yield from _of_trust(configuration)
    yield from _of_entry(configuration.entry)
    late = configuration.entry.late is not Late.REFUSED
    if late and not isinstance(stages[0].format, Swiss):
        yield "entry.late", "only a Swiss stage takes late entrants"


def _of_promotion(
    path: str, stage: Stage, *, is_last: bool
) -> Iterator[tuple[str, str]]:
    if is_last and stage.promotion is not None:
        yield f"{path}.promote", "no stage comes after it"
    if not is_last and stage.promotion is None:
        yield f"{path}.promote", "missing, and another stage comes after it"
    if not is_last and isinstance(stage.format, Elimination):
        yield f"{path}.format", "a bracket can only be the last stage"


def _of_exceptions(path: str, stage: Stage) -> Iterator[tuple[str, str]]:
    pattern = _selectors(stage.format)
    for selector in stage.exceptions:
        if not pattern.fullmatch(selector):
            yield f"{path}.{selector}", "no fixture of this format has such a name"


def _selectors(stage_format: Format) -> re.Pattern[str]:
    match stage_format:
        case SingleElimination():
            return _SINGLE
        case DoubleElimination():
            return _DOUBLE
        case _:
            return _ROUND


def _matches(stage: Stage) -> Iterator[tuple[str, MatchFormat]]:
    yield "match", stage.match
    for selector, match in stage.exceptions.items():
        yield f"except.{selector}", match


def _of_boards(
    path: str, configuration: Configuration, match: MatchFormat
) -> Iterator[tuple[str, str]]:
    """Name rules under which tables would not play the same boards."""
    if configuration.boards is Boards.INDEPENDENT:
        return
    policy = f"boards {configuration.boards}"
    if match.ruleset.boards is None:
        yield f"{path}.ruleset", f"{policy} needs rules with a number of boards"
    elif match.ruleset.next_dealer is not NextDealer.BOARD_PARITY:
        dealer = NextDealer.BOARD_PARITY
        yield f"{path}.ruleset.next_dealer", f"{policy} needs {dealer}"
    if configuration.boards is Boards.MIRRORED and match.best_of > 1:
        yield f"{path}.best_of", f"{policy} plays each match twice, and once only"


def _of_trust(configuration: Configuration) -> Iterator[tuple[str, str]]:
    if configuration.boards is Boards.MIRRORED and not configuration.resettable:
        yield "boards", "mirrored needs bots that forget: resettable: true"
    if configuration.boards is Boards.COMMON:
        if configuration.trust is not Trust.CLOSED:
            yield "boards", "common needs trust: closed"
        if configuration.entry.bots_per_owner > 1:
            what = "common boards allow one seat per owner"
            yield "entry.bots_per_owner", what


def _of_entry(entry: EntryRules) -> Iterator[tuple[str, str]]:
    by_invitation = entry.by is EntryBy.INVITATION
    if entry.invited and not by_invitation:
        yield "entry.invited", f"needs by: {EntryBy.INVITATION}"
    if by_invitation and not (entry.invited or entry.listed):
        yield "entry.invited", "missing"
    at = _twice(entry.invited)
    if at is not None:
        yield f"entry.invited[{at}]", f"{entry.invited[at]} is invited twice"
    if entry.capacity is not None and len(entry.listed) > entry.capacity:
        yield "entry.listed", f"more than the capacity of {entry.capacity}"
    if entry.qualifying is not None:
        yield from _of_qualifying(entry)
    yield from _of_listed(entry)
    yield from _of_seeds(entry)


def _of_qualifying(entry: EntryRules) -> Iterator[tuple[str, str]]:
    if not entry.check_in:
        yield "entry.qualifying", "needs check_in: true"
    if entry.late is not Late.REFUSED:
        yield "entry.qualifying", f"needs late: {Late.REFUSED}: there is no time for it"


def _of_listed(entry: EntryRules) -> Iterator[tuple[str, str]]:
    at = _twice([listed.bot for listed in entry.listed])
    if at is not None:
        yield f"entry.listed[{at}].bot", f"{entry.listed[at].bot} is listed twice"
    bots: dict[str, int] = {}
    for at, listed in enumerate(entry.listed):
        bots[listed.owner] = bots.get(listed.owner, 0) + 1
        if bots[listed.owner] > entry.bots_per_owner:
            most = entry.bots_per_owner
            what = (
                f"{listed.owner} has more than {most} {'bot' if most == 1 else 'bots'}"
            )
            yield f"entry.listed[{at}].owner", what


def _of_seeds(entry: EntryRules) -> Iterator[tuple[str, str]]:
    given = entry.seeding is Seeding.GIVEN
    if given and not entry.listed:
        yield "entry.listed", "missing: seeds are given to listed entrants"
    taken: set[int] = set()
    for at, listed in enumerate(entry.listed):
        path, seed = f"entry.listed[{at}].seed", listed.seed
        if not given:
            if seed is not None:
                yield path, f"needs seeding: {Seeding.GIVEN}"
        elif seed is None:
            yield path, "missing"
        elif seed > len(entry.listed):
            yield path, f"{seed} is no seed among {len(entry.listed)} entrants"
        elif seed in taken:
            yield path, f"{shown(seed)} is another entrant's seed"
        else:
            taken.add(seed)


def _twice(names: Iterable[str]) -> int | None:
    """Return the position of the first name that has come before."""
    seen: set[str] = set()
    for at, name in enumerate(names):
        if name in seen:
            return at
        seen.add(name)
    return None
