"""A configuration read from the mapping that its file holds.

    name: autumn-cup
    match: {ruleset: hollywood, clock: standard}
    stages:
      - name: groups
        format: round_robin
        groups: 4
        promote: 2
      - name: finals
        format: single_elimination
        except: {final: {best_of: 3}}

What a file leaves out is as `Configuration` says. What it does not know is refused.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

from ginref.tournament.configuration import (
    Boards,
    Conduct,
    Configuration,
    EntryBy,
    EntryRules,
    ForfeitScope,
    Late,
    Listed,
    LuckWorth,
    MatchFormat,
    Promotion,
    Qualifying,
    Schedule,
    Seeding,
    Stage,
    Trust,
)
from ginref.tournament.contradiction import refuse_contradictions
from ginref.tournament.format import (
    DoubleElimination,
    Drop,
    Format,
    GrandFinal,
    Ladder,
    RoundRobin,
    SingleElimination,
    Swiss,
)
from ginref.tournament.match_format_read import read_match_format
from ginref.tournament.option import Option
from ginref.tournament.tiebreak import Criterion, Edition

FIELD_MOST: Final = 4096
"""Most entrants of a tournament."""

_STAGES_MOST: Final = 8
_ROUNDS_MOST: Final = 1000
_QUALIFYING_MOST: Final = 100
_TITLE_LENGTH: Final = 100
_STAGE: Final = ("match", "except", "tie_breaks", "promote")
_FORMATS: Final[Mapping[str, type[Format]]] = {
    "single_elimination": SingleElimination,
    "double_elimination": DoubleElimination,
    "round_robin": RoundRobin,
    "swiss": Swiss,
    "ladder": Ladder,
}


def read_configuration(document: object) -> Configuration:
    """Read a tournament's configuration.

    Args:
        document: What the file holds: mappings, lists, text, whole numbers,
            booleans and None.

    Raises:
        FieldError: The first thing that is unknown, missing or impossible, named
            by its path.
    """
    whole = Option(document)
    found = whole.members(
        needed=("name", "stages"),
        allowed=[field.name for field in fields(Configuration)] + ["match"],
    )
    match = MatchFormat()
    if "match" in found:
        match = read_match_format(found["match"], match)
    values: dict[str, Any] = {
        "name": found["name"].name(),
        "stages": _read_stages(found["stages"], match),
    }
    for name, option in found.items():
        if name in _READERS:
            values[name] = _READERS[name](option)
    configuration = Configuration(**values)
    refuse_contradictions(configuration)
    return configuration


def _read_entry(option: Option) -> EntryRules:
    found = option.members(allowed=[field.name for field in fields(EntryRules)])
    readers: dict[str, Any] = {
        "by": lambda by: by.choice(EntryBy),
        "invited": lambda invited: tuple(bot.name() for bot in invited.items()),
        "capacity": lambda capacity: _or_none(capacity, 2, FIELD_MOST),
        "bots_per_owner": lambda bots: bots.number(1, FIELD_MOST),
        "check_in": Option.flag,
        "qualifying": _read_qualifying,
        "late": lambda late: late.choice(Late),
        "seeding": lambda seeding: seeding.choice(Seeding),
        "listed": lambda listed: tuple(_read_listed(one) for one in listed.items()),
    }
    return EntryRules(**{name: readers[name](value) for name, value in found.items()})


def _read_qualifying(option: Option) -> Qualifying | None:
    if option.value is None:
        return None
    found = option.members(needed=("house",), allowed=("rounds", "attempts"))
    numbers = {
        name: value.number(1, _QUALIFYING_MOST)
        for name, value in found.items()
        if name != "house"
    }
    return Qualifying(house=found["house"].name(), **numbers)


def _read_listed(option: Option) -> Listed:
    found = option.members(needed=("bot",), allowed=("owner", "seed"))
    bot = found["bot"].name()
    return Listed(
        bot=bot,
        owner=found["owner"].name() if "owner" in found else bot,
        seed=_or_none(found["seed"], 1, FIELD_MOST) if "seed" in found else None,
    )


def _read_luck(option: Option) -> LuckWorth | None:
    if option.value is None:
        return None
    found = option.members(needed=("deal", "draws"))
    return LuckWorth(
        deal=found["deal"].number(0, 1000), draws=found["draws"].number(0, 1000)
    )


def _read_schedule(option: Option) -> Schedule:
    names = ("registration", "check_in", "fixture", "appeals")
    found = option.members(allowed=names)
    times = {
        f"{name}_ms": value.duration_ms()
        for name, value in found.items()
        if value.value is not None
    }
    return Schedule(**times)


def _read_conduct(option: Option) -> Conduct:
    found = option.members(allowed=[field.name for field in fields(Conduct)])
    readers: dict[str, Any] = {
        "award": lambda award: award.number(0, 1000),
        "forfeit_scope": lambda scope: scope.choice(ForfeitScope),
        "forfeits": lambda forfeits: _or_none(forfeits, 1, 1000),
        "attempts": lambda attempts: attempts.number(1, 100),
    }
    return Conduct(**{name: readers[name](value) for name, value in found.items()})


def _or_none(option: Option, low: int, high: int) -> int | None:
    return None if option.value is None else option.number(low, high)


def _read_stages(option: Option, match: MatchFormat) -> tuple[Stage, ...]:
    stages = tuple(_read_stage(one, match) for one in option.items())
    if not 1 <= len(stages) <= _STAGES_MOST:
        raise option.fail(f"1 to {_STAGES_MOST} stages expected")
    return stages


def _read_stage(option: Option, usual: MatchFormat) -> Stage:
    word = option.value.get("format") if isinstance(option.value, dict) else None
    kind = _FORMATS.get(word) if isinstance(word, str) else None
    own = [] if kind is None else [field.name for field in fields(kind)]
    # A wrong format would make every option of it unknown.
    if kind is None and isinstance(option.value, dict) and "format" in option.value:
        raise option.at("format", word).fail(f"one of {', '.join(_FORMATS)} expected")
    found = option.members(needed=("name", "format"), allowed=[*_STAGE, *own])
    if kind is Swiss and "rounds" not in found:
        raise option.at("rounds", None).fail("missing")
    match = usual
    if "match" in found:
        match = read_match_format(found["match"], usual)
    tie_breaks = found.get("tie_breaks")
    return Stage(
        name=found["name"].name(),
        format=_read_format(kind or SingleElimination, found),
        match=match,
        exceptions=_read_exceptions(found["except"], match)
        if "except" in found
        else {},
        tie_breaks=() if tie_breaks is None else read_tie_breaks(tie_breaks),
        promotion=_read_promotion(found["promote"]) if "promote" in found else None,
    )


def read_tie_breaks(option: Option) -> tuple[Criterion, ...]:
    """Read what decides between equal scores, first to last.

    Raises:
        FieldError: It is no list of criteria, or one of them comes twice.
    """
    criteria: list[Criterion] = []
    for one in option.items():
        if one.choice(Criterion) in criteria:
            raise one.fail(f"{one.value} comes twice")
        criteria.append(one.choice(Criterion))
    return tuple(criteria)


def _read_format(kind: type[Format], found: Mapping[str, Option]) -> Format:
    readers: dict[str, Any] = {
        "third_place": Option.flag,
        "grand_final": lambda final: final.choice(GrandFinal),
        "drops": lambda drops: tuple(drop.choice(Drop) for drop in drops.items()),
        "byes": lambda byes: tuple(bye.number(1, FIELD_MOST) for bye in byes.items()),
        "cycles": lambda cycles: cycles.number(1, 2),
        "groups": lambda groups: groups.number(1, FIELD_MOST // 2),
        "rounds": lambda rounds: rounds.number(1, _ROUNDS_MOST),
        "fixtures": lambda fixtures: fixtures.number(1, _ROUNDS_MOST),
    }
    own = {field.name for field in fields(kind)}
    values = {
        name: readers[name](option)
        for name, option in found.items()
        if name in own and not (option.value is None and name in _NONE)
    }
    return kind(**values)


_NONE: Final = ("drops", "byes", "fixtures")
"""Options of a format that may be None: as if they were absent."""


def _read_exceptions(option: Option, usual: MatchFormat) -> dict[str, MatchFormat]:
    if not isinstance(option.value, dict):
        raise option.fail("a mapping expected")
    return {
        option.at(str(key), key).text(): read_match_format(
            option.at(str(key), value), usual
        )
        for key, value in option.value.items()
    }


def _read_promotion(option: Option) -> Promotion | None:
    if option.value is None:
        return None
    if not isinstance(option.value, dict):
        return Promotion(each=option.number(1, FIELD_MOST))
    found = option.members(needed=("each",), allowed=("best",))
    best = found["best"].number(0, FIELD_MOST) if "best" in found else 0
    return Promotion(each=found["each"].number(1, FIELD_MOST), best=best)


_READERS: Final[Mapping[str, Any]] = {
    "title": lambda title: title.text(_TITLE_LENGTH),
    "boards": lambda boards: boards.choice(Boards),
    "trust": lambda trust: trust.choice(Trust),
    "resettable": Option.flag,
    "edition": lambda edition: edition.choice(Edition),
    "luck": _read_luck,
    "entry": _read_entry,
    "schedule": _read_schedule,
    "conduct": _read_conduct,
}
