"""A configuration in its one canonical form, and the digest that names it."""

import hashlib
from dataclasses import asdict
from typing import Any

from ginref.record.clock import CUSTOM, ClockPolicy
from ginref.record.setup import canonical
from ginref.tournament.configuration import (
    Configuration,
    EntryRules,
    Listed,
    MatchFormat,
    Schedule,
    Stage,
)
from ginref.tournament.format import (
    DoubleElimination,
    Format,
    Ladder,
    RoundRobin,
    SingleElimination,
    Swiss,
)
from ginref.tournament.option import duration_text


def configuration_digest(configuration: Configuration) -> str:
    """Return SHA-256 of the canonical form, 64 hexadecimal digits."""
    form = canonical(configuration_to_json(configuration))
    return hashlib.sha256(form).hexdigest()


def configuration_to_json(configuration: Configuration) -> dict[str, Any]:
    """Return a configuration as JSON values, with all that its file left out.

    `read_configuration` reads it like any file, and gives the same configuration.
    """
    conduct, luck = configuration.conduct, configuration.luck
    return {
        "name": configuration.name,
        "title": configuration.title,
        "boards": str(configuration.boards),
        "trust": str(configuration.trust),
        "resettable": configuration.resettable,
        "edition": str(configuration.edition),
        "luck": None if luck is None else {"deal": luck.deal, "draws": luck.draws},
        "entry": _entry(configuration.entry),
        "schedule": _schedule(configuration.schedule),
        "conduct": {
            "award": conduct.award,
            "forfeit_scope": str(conduct.forfeit_scope),
            "forfeits": conduct.forfeits,
            "attempts": conduct.attempts,
        },
        "stages": [_stage(stage) for stage in configuration.stages],
    }


def _entry(entry: EntryRules) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "by": str(entry.by),
        "invited": list(entry.invited),
        "capacity": entry.capacity,
        "bots_per_owner": entry.bots_per_owner,
        "check_in": entry.check_in,
        "late": str(entry.late),
        "seeding": str(entry.seeding),
        "listed": [_listed(listed) for listed in entry.listed],
    }
    # A file that does not know of it has the digest that it always had.
    if entry.qualifying is not None:
        facts["qualifying"] = asdict(entry.qualifying)
    return facts


def _listed(listed: Listed) -> dict[str, Any]:
    return {"bot": listed.bot, "owner": listed.owner, "seed": listed.seed}


def _schedule(schedule: Schedule) -> dict[str, Any]:
    return {
        "registration": _duration(schedule.registration_ms),
        "check_in": _duration(schedule.check_in_ms),
        "fixture": _duration(schedule.fixture_ms),
        "appeals": duration_text(schedule.appeals_ms),
    }


def _duration(milliseconds: int | None) -> str | None:
    return None if milliseconds is None else duration_text(milliseconds)


def _stage(stage: Stage) -> dict[str, Any]:
    promotion = stage.promotion
    return {
        "name": stage.name,
        **_format(stage.format),
        "match": match_format_to_json(stage.match),
        "except": {
            selector: match_format_to_json(match)
            for selector, match in stage.exceptions.items()
        },
        "tie_breaks": [str(criterion) for criterion in stage.tie_breaks],
        "promote": None
        if promotion is None
        else {"each": promotion.each, "best": promotion.best},
    }


def _format(stage_format: Format) -> dict[str, Any]:
    match stage_format:
        case SingleElimination(third_place=third_place, byes=byes):
            return {
                "format": "single_elimination",
                "third_place": third_place,
                "byes": None if byes is None else list(byes),
            }
        case DoubleElimination(grand_final=grand_final, drops=drops, byes=byes):
            return {
                "format": "double_elimination",
                "grand_final": str(grand_final),
                "drops": None if drops is None else [str(drop) for drop in drops],
                "byes": None if byes is None else list(byes),
            }
        case RoundRobin(cycles=cycles, groups=groups):
            return {"format": "round_robin", "cycles": cycles, "groups": groups}
        case Swiss(rounds=rounds):
            return {"format": "swiss", "rounds": rounds}
        case Ladder(fixtures=fixtures):
            return {"format": "ladder", "fixtures": fixtures}


def match_format_to_json(match: MatchFormat) -> dict[str, Any]:
    """Return how a fixture is played as JSON values."""
    facts = {
        "ruleset": match.ruleset.to_dict(),
        "clock": _clock(match.clock),
        "strikes": match.strikes,
        "best_of": match.best_of,
        "deciders": match.deciders,
    }
    if match.receipts:
        facts["receipts"] = True
    return facts


def _clock(clock: ClockPolicy) -> str | dict[str, str]:
    # A preset's name stands for its numbers in every record there is.
    if clock.name != CUSTOM:
        return clock.name
    return {
        "start": duration_text(clock.start_ms),
        "free": duration_text(clock.free_ms),
        "bank": duration_text(clock.bank_ms),
        "cap": duration_text(clock.cap_ms),
        "grace": duration_text(clock.grace_ms),
    }
