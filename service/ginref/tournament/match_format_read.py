"""How a fixture is played, read from a file: rules, clock, strikes, receipts."""

from dataclasses import replace
from typing import Any, Final

from ginref.engine.error import RulesetError, shown
from ginref.engine.ruleset import GIN, PRESETS, Ruleset
from ginref.record.clock import CUSTOM, LEAST_MS, MOST_MS, ClockPolicy
from ginref.record.clock import PRESETS as CLOCKS
from ginref.tournament.configuration import MatchFormat
from ginref.tournament.option import Option, duration_text

_BEST_OF_MOST: Final = 101
_STRIKES_MOST: Final = 1000
_DECIDERS_MOST: Final = 100
_TIMES: Final = ("start", "free", "bank", "cap", "grace")


def read_match_format(option: Option, usual: MatchFormat) -> MatchFormat:
    """Read how a fixture is played.

    Args:
        option: A mapping; what it leaves out is as usual.
        usual: What is usual.

    Raises:
        FieldError: Something in it is unknown or impossible.
    """
    names = ("ruleset", "clock", "strikes", "best_of", "deciders", "receipts")
    found = option.members(allowed=names)
    changes: dict[str, Any] = {}
    if "ruleset" in found:
        changes["ruleset"] = _read_ruleset(found["ruleset"])
    if "clock" in found:
        changes["clock"] = _read_clock(found["clock"])
    if "strikes" in found:
        changes["strikes"] = found["strikes"].number(0, _STRIKES_MOST)
    if "best_of" in found:
        changes["best_of"] = found["best_of"].number(1, _BEST_OF_MOST)
        if changes["best_of"] % 2 == 0:
            raise found["best_of"].fail("an odd number has a majority")
    if "deciders" in found:
        changes["deciders"] = found["deciders"].number(0, _DECIDERS_MOST)
    if "receipts" in found:
        changes["receipts"] = found["receipts"].flag()
    return replace(usual, **changes)


def _read_ruleset(option: Option) -> Ruleset:
    """Read rules: a preset's name, or options that may start from one."""
    value = option.value
    if isinstance(value, str):
        if value not in PRESETS:
            expected = ", ".join(PRESETS)
            raise option.fail(f"{shown(value)}: one of {expected} expected")
        rules = PRESETS[value]
    elif isinstance(value, dict):
        rules = _read_options(option, value)
    else:
        raise option.fail("a preset's name or a mapping of options expected")
    if rules.has_idle_seat:
        raise option.fail(f"{rules.name} is no game for two")
    return rules


def _read_options(option: Option, value: dict[str, Any]) -> Ruleset:
    options = {str(key): one for key, one in value.items()}
    base = options.pop("preset", GIN.name)
    if not isinstance(base, str) or base not in PRESETS:
        expected = ", ".join(PRESETS)
        what = f"{shown(base)}: one of {expected} expected"
        raise option.at("preset", base).fail(what)
    if "name" not in options:
        raise option.at("name", None).fail("missing")
    try:
        return PRESETS[base].but(**options)
    except RulesetError as error:
        what = str(error).partition(": ")[2]
        raise option.at(error.key, None).fail(what) from None


def _read_clock(option: Option) -> ClockPolicy:
    """Read time rules: a preset's name, or all five times."""
    if isinstance(option.value, dict):
        times = option.members(needed=_TIMES)
        read = {f"{name}_ms": _time(time, name) for name, time in times.items()}
        return ClockPolicy(name=CUSTOM, **read)
    if not isinstance(option.value, str) or option.value not in CLOCKS:
        expected = ", ".join(CLOCKS)
        what = f"one of {expected}, or a mapping of {', '.join(_TIMES)} expected"
        raise option.fail(f"{shown(option.value)}: {what}")
    return CLOCKS[option.value]


def _time(option: Option, name: str) -> int:
    """Read one time of a clock, with the bounds of every match's."""
    milliseconds, least_ms = option.duration_ms(), LEAST_MS[f"{name}_ms"]
    if not least_ms <= milliseconds <= MOST_MS:
        span = f"{duration_text(least_ms)} to {duration_text(MOST_MS)} expected"
        raise option.fail(f"{shown(option.value)}: {span}")
    return milliseconds
