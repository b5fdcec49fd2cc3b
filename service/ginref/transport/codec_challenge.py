"""Challenges on the wire."""

from typing import Final

from ginref.app.challenge import Challenge
from ginref.transport.codec_rules import clock_from_wire, ruleset_from_wire
from ginref.transport.field import invalid, read_name, read_request_id
from ginref.v1 import referee_service_pb2 as referee_pb
from ginref.v1 import ruleset_pb2 as ruleset_pb

_SEATS: Final = 2
_RULESET: Final = "gin"


def challenge_from_wire(request: referee_pb.ChallengeBotRequest) -> Challenge:
    """Read a challenge.

    Raises:
        RefusedError: A field is absent or cannot be used.
    """
    request_id = read_request_id(request.request_id, "request_id")
    opponent = read_name(request.opponent, "opponent")
    choice = ruleset_pb.RulesetChoice(preset=request.ruleset_preset or _RULESET)
    rules = ruleset_from_wire(choice, "ruleset_preset")
    if rules.seat_count != _SEATS:
        raise invalid("ruleset_preset", "rules for two seats")
    return Challenge(
        request_id=request_id,
        opponent=opponent,
        ruleset=rules,
        clock=clock_from_wire(request.clock_preset, None),
    )
