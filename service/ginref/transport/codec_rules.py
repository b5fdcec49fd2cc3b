"""House rules and time rules on the wire."""

from dataclasses import asdict
from functools import lru_cache
from typing import Any, Final

from google.protobuf.unknown_fields import UnknownFieldSet

from ginref.app.error import Reason, RefusedError
from ginref.engine.error import RulesetError
from ginref.engine.ruleset import Ruleset, preset
from ginref.record.clock import (
    CUSTOM,
    LEAST_MS,
    MOST_MS,
    PRESETS,
    STANDARD,
    ClockPolicy,
)
from ginref.transport.field import invalid, missing, read_within
from ginref.v1 import clock_pb2 as clock_pb
from ginref.v1 import ruleset_pb2 as ruleset_pb

_RULES_KEPT: Final = 64


def ruleset_from_wire(message: ruleset_pb.RulesetChoice, at: str) -> Ruleset:
    """Read a choice of rules: a preset, with changes.

    Raises:
        RefusedError: FIELD_MISSING or RULESET_INVALID.
    """
    if not message.preset:
        raise missing(f"{at}.preset")
    changes = {option.name: value for option, value in message.changes.ListFields()}
    try:
        rules = preset(message.preset).but(**changes)
    except RulesetError as error:
        raise _refusal(error) from None
    # An option that is not known here would be a match by other rules than asked.
    unknown = UnknownFieldSet(message.changes)
    if len(unknown):
        raise _refusal(RulesetError(str(unknown[0].field_number), "unknown"))
    return rules


def _refusal(error: RulesetError) -> RefusedError:
    return RefusedError(Reason.RULESET_INVALID, str(error), key=error.key)


# Every view repeats the rules, and few rules are played at once. Whoever puts the
# message into another one makes a copy of it.
@lru_cache(_RULES_KEPT)
def ruleset_to_wire(rules: Ruleset) -> ruleset_pb.Ruleset:
    """Write rules with all their options; those that are off stay absent."""
    options: dict[str, Any] = rules.to_dict()
    return ruleset_pb.Ruleset(
        name=options.pop("name"),
        version=options.pop("version"),
        digest=rules.digest,
        options=ruleset_pb.RulesetOptions(**options),
    )


def clock_from_wire(name: str, custom: clock_pb.ClockPolicy | None) -> ClockPolicy:
    """Read a choice of time rules: a preset's name, or rules of one's own.

    Raises:
        RefusedError: FIELD_INVALID.
    """
    if custom is None:
        if name and name not in PRESETS:
            raise invalid("clock_preset", ", ".join(PRESETS))
        return PRESETS[name] if name else STANDARD
    if name:
        raise invalid("clock_preset", "a preset or a clock, not both,")
    if custom.name not in {"", CUSTOM}:
        raise invalid("clock.name", f"{CUSTOM} or nothing")
    values = {
        key: read_within(getattr(custom, key), least, MOST_MS, f"clock.{key}")
        for key, least in LEAST_MS.items()
    }
    return ClockPolicy(name=CUSTOM, **values)


@lru_cache(_RULES_KEPT)
def clock_to_wire(policy: ClockPolicy) -> clock_pb.ClockPolicy:
    """Write time rules."""
    return clock_pb.ClockPolicy(**asdict(policy))
