"""Single calls that a referee refuses, each with what it says of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from tests.e2e.host import OPERATOR, ORGANIZER, SEATED

from ginref.v1 import (
    clock_pb2,
    match_pb2,
    registry_pb2,
    ruleset_pb2,
    seat_pb2,
)
from ginref.v1 import referee_service_pb2 as referee_pb
from ginref.v1 import registry_service_pb2 as registry_service_pb

LIVE: Final = "<live>"
"""Stands for the id of a match that is played."""

USED: Final = "<used>"
"""Stands for the request id under which the operator created that match."""

_INVALID: Final = "INVALID_ARGUMENT"
_MISSING: Final = "NOT_FOUND"

_GIN: Final = ruleset_pb2.RulesetChoice(preset="gin")
_BOT: Final = registry_pb2.ROLE_BOT


@dataclass(frozen=True, kw_only=True)
class BadCall:
    """A call that is refused.

    Attributes:
        name: What is wrong with it.
        request: What is sent; its type names the method.
        reason: Its reason.
        code: Code of the status.
        by: Who calls.
        facts: What is told beside the reason.
    """

    name: str
    request: Message
    reason: str
    code: str = _INVALID
    by: str = ORGANIZER
    facts: Mapping[str, str] = field(default_factory=dict)

    @property
    def method(self) -> str:
        """The method, as `Service/Method`."""
        described = self.request.DESCRIPTOR
        (service,) = described.file.services_by_name
        return f"{service}/{described.name.removesuffix('Request')}"

    def filled(self, match_id: str, request_id: str) -> "BadCall":
        """Return the call with what the placeholders stand for."""
        request = type(self.request)()
        request.CopyFrom(self.request)
        stands = {LIVE: match_id, USED: request_id}
        for described, value in self.request.ListFields():
            if isinstance(value, str):
                setattr(request, described.name, stands.get(value, value))
        facts = {key: stands.get(value, value) for key, value in self.facts.items()}
        return replace(self, request=request, facts=facts)


def _new(**changes: object) -> referee_pb.CreateMatchRequest:
    fields: dict[str, object] = {
        "request_id": "bad call",
        "ruleset": _GIN,
        "bots": SEATED,
        **changes,
    }
    return referee_pb.CreateMatchRequest(**fields)  # type: ignore[arg-type] # names of fields


def malformed(name: str, reason: str, at: str, request: Message) -> BadCall:
    """Return a call with a field that cannot be used."""
    return BadCall(name=name, request=request, reason=reason, facts={"field": at})


def _ruleless(name: str, key: str, choice: ruleset_pb2.RulesetChoice) -> BadCall:
    return BadCall(
        name=name,
        request=_new(ruleset=choice),
        reason="RULESET_INVALID",
        facts={"key": key},
    )


def _unknown_option() -> ruleset_pb2.RulesetChoice:
    """A choice with an option that only a later version knows."""
    choice = ruleset_pb2.RulesetChoice(preset="gin")
    choice.changes.MergeFromString(b"\xa0\x06\x01")
    return choice


MATCHES: Final = [
    malformed("no request id", "REQUEST_ID_INVALID", "request_id", _new(request_id="")),
    malformed("no rules", "FIELD_MISSING", "ruleset", _new(ruleset=None)),
    _ruleless("unknown rules", "name", ruleset_pb2.RulesetChoice(preset="bridge")),
    _ruleless("an unknown option", "100", _unknown_option()),
    _ruleless(
        "an option out of range",
        "knock_limit",
        ruleset_pb2.RulesetChoice(
            preset="gin", changes=ruleset_pb2.RulesetOptions(knock_limit=11)
        ),
    ),
    malformed(
        "a match of a bad name", "NAME_INVALID", "bots[1]", _new(bots=["ada", "Bob!"])
    ),
    malformed(
        "a bot with a name for a shell",
        "NAME_INVALID",
        "bots[0]",
        _new(bots=["$(reboot)", "bob"]),
    ),
    BadCall(
        name="a bot that is none",
        request=_new(bots=["ada", "zed"]),
        reason="BOT_NOT_FOUND",
        code=_MISSING,
        facts={"bot": "zed"},
    ),
    malformed("a bot alone", "FIELD_INVALID", "bots", _new(bots=["ada"])),
    malformed(
        "an unknown clock",
        "FIELD_INVALID",
        "clock_preset",
        _new(clock_preset="sundial"),
    ),
    malformed(
        "a clock without time",
        "FIELD_INVALID",
        "clock.start_ms",
        _new(clock=clock_pb2.ClockPolicy()),
    ),
    BadCall(
        name="an unknown source of cards",
        request=_new(deal_source=17),
        reason="ENUM_UNKNOWN",
        facts={"field": "deal_source", "value": "17"},
    ),
    malformed(
        "a seed of nothing",
        "FIELD_MISSING",
        "seed",
        _new(deal_source=match_pb2.DEAL_SOURCE_SEEDED),
    ),
    malformed("a seed beside shares", "FIELD_INVALID", "seed", _new(seed="7")),
    BadCall(
        name="a request id of another match",
        request=_new(request_id=USED),
        reason="REQUEST_ID_REUSED",
        code="ALREADY_EXISTS",
        by=OPERATOR,
        facts={"request_id": USED},
    ),
    malformed(
        "a challenge without a request id",
        "REQUEST_ID_INVALID",
        "request_id",
        referee_pb.ChallengeBotRequest(opponent="bob"),
    ),
    malformed(
        "a challenge of nobody",
        "NAME_INVALID",
        "opponent",
        referee_pb.ChallengeBotRequest(request_id="bad"),
    ),
    malformed(
        "a challenge of three",
        "FIELD_INVALID",
        "ruleset_preset",
        referee_pb.ChallengeBotRequest(
            request_id="bad", opponent="bob", ruleset_preset="three_handed"
        ),
    ),
    BadCall(
        name="a challenge of a bot that is none",
        request=referee_pb.ChallengeBotRequest(request_id="bad", opponent="zed"),
        reason="BOT_NOT_FOUND",
        code=_MISSING,
        by=SEATED[0],
        facts={"bot": "zed"},
    ),
    BadCall(
        name="a challenge of a bot that accepts none",
        request=referee_pb.ChallengeBotRequest(request_id="bad", opponent="bob"),
        reason="CHALLENGE_NOT_ALLOWED",
        code="FAILED_PRECONDITION",
        by=SEATED[0],
        facts={"opponent": "bob"},
    ),
    BadCall(
        name="a challenge of oneself",
        request=referee_pb.ChallengeBotRequest(request_id="bad", opponent="ada"),
        reason="FIELD_INVALID",
        by=SEATED[0],
        facts={"field": "opponent"},
    ),
    BadCall(
        name="a match that is nowhere",
        request=referee_pb.GetMatchRequest(match_id="mnowhere"),
        reason="MATCH_NOT_FOUND",
        code=_MISSING,
        facts={"match_id": "mnowhere"},
    ),
    BadCall(
        name="an end to a match that is nowhere",
        request=referee_pb.AbortMatchRequest(match_id="mnowhere"),
        reason="MATCH_NOT_FOUND",
        code=_MISSING,
        facts={"match_id": "mnowhere"},
    ),
    BadCall(
        name="a record before the end",
        request=referee_pb.GetMatchRecordRequest(match_id=LIVE),
        reason="RECORD_NOT_READY",
        code="FAILED_PRECONDITION",
        facts={"stage": "playing"},
    ),
    BadCall(
        name="a record of a path",
        request=referee_pb.GetMatchRecordRequest(match_id="../keys/signing"),
        reason="FIELD_INVALID",
        facts={"field": "match_id"},
    ),
    malformed(
        "a page of less than nothing",
        "FIELD_INVALID",
        "page_size",
        referee_pb.ListMatchesRequest(page_size=-1),
    ),
    malformed(
        "a page token of one's own",
        "FIELD_INVALID",
        "page_token",
        referee_pb.ListMatchesRequest(page_token="next, please"),
    ),
    malformed(
        "a list of a bad name",
        "NAME_INVALID",
        "bot",
        referee_pb.ListMatchesRequest(bot="*"),
    ),
    BadCall(
        name="the seat of another bot resigned",
        request=referee_pb.ResignMatchRequest(match_id=LIVE, seat=seat_pb2.SEAT_NORTH),
        reason="SEAT_NOT_YOURS",
        code="PERMISSION_DENIED",
        by=SEATED[1],
        facts={"seat": "north"},
    ),
]
"""Calls about matches."""

REGISTRY: Final = [
    malformed(
        "an owner with a bad name",
        "NAME_INVALID",
        "name",
        registry_service_pb.CreateOwnerRequest(name="x"),
    ),
    malformed(
        "a bot with a bad name",
        "NAME_INVALID",
        "name",
        registry_service_pb.CreateBotRequest(name="B O T", owner="lab"),
    ),
    malformed(
        "a bot of a bad name",
        "NAME_INVALID",
        "owner",
        registry_service_pb.CreateBotRequest(name="bot", owner="-"),
    ),
    BadCall(
        name="a bot of nobody",
        request=registry_service_pb.CreateBotRequest(name="fay", owner="nobody"),
        reason="OWNER_NOT_FOUND",
        code=_MISSING,
        facts={"owner": "nobody"},
    ),
    BadCall(
        name="a name that is taken",
        request=registry_service_pb.CreateBotRequest(
            name="ada", owner="lab", house=True
        ),
        reason="NAME_TAKEN",
        code="ALREADY_EXISTS",
        facts={"name": "ada"},
    ),
    malformed(
        "a key of half its length",
        "FIELD_INVALID",
        "public_key",
        registry_service_pb.SetBotKeyRequest(name="ada", public_key=bytes(16)),
    ),
    malformed(
        "no key",
        "FIELD_MISSING",
        "public_key",
        registry_service_pb.SetBotKeyRequest(name="ada"),
    ),
    malformed(
        "a key for no bot",
        "FIELD_MISSING",
        "name",
        registry_service_pb.SetBotKeyRequest(public_key=bytes(32)),
    ),
    BadCall(
        name="a key for a bot that is none",
        request=registry_service_pb.SetBotKeyRequest(name="zed", public_key=bytes(32)),
        reason="BOT_NOT_FOUND",
        code=_MISSING,
        facts={"bot": "zed"},
    ),
    malformed(
        "neither consent nor none",
        "FIELD_MISSING",
        "accepts_challenges",
        registry_service_pb.SetBotConsentRequest(name="ada"),
    ),
    malformed(
        "a token for no role",
        "FIELD_MISSING",
        "role",
        registry_service_pb.CreateTokenRequest(),
    ),
    BadCall(
        name="a token for an unknown role",
        request=registry_service_pb.CreateTokenRequest(
            role=9  # type: ignore[arg-type] # no role
        ),
        reason="ENUM_UNKNOWN",
        facts={"field": "role", "value": "9"},
    ),
    malformed(
        "a bot's token without a bot",
        "FIELD_MISSING",
        "bot",
        registry_service_pb.CreateTokenRequest(role=_BOT),
    ),
    malformed(
        "a token for a tournament of no name",
        "NAME_INVALID",
        "tournament_ids[0]",
        registry_service_pb.CreateTokenRequest(
            role=registry_pb2.ROLE_SPECTATOR, tournament_ids=["Cup"]
        ),
    ),
    BadCall(
        name="a token for a bot that is none",
        request=registry_service_pb.CreateTokenRequest(role=_BOT, bot="zed"),
        reason="BOT_NOT_FOUND",
        code=_MISSING,
        facts={"bot": "zed"},
    ),
    malformed(
        "a token for less than no time",
        "FIELD_INVALID",
        "lifetime",
        registry_service_pb.CreateTokenRequest(
            role=_BOT, bot="ada", lifetime=Duration(seconds=-1)
        ),
    ),
    BadCall(
        name="a token above the caller",
        request=registry_service_pb.CreateTokenRequest(role=registry_pb2.ROLE_OPERATOR),
        reason="ROLE_NOT_ALLOWED",
        code="PERMISSION_DENIED",
        facts={"role": "organizer", "call": "CreateToken"},
    ),
    BadCall(
        name="a token that is nowhere",
        request=registry_service_pb.RevokeTokenRequest(token_id="tnowhere"),
        reason="TOKEN_NOT_FOUND",
        code=_MISSING,
        facts={"token_id": "tnowhere"},
    ),
]
"""Calls about owners, bots and tokens."""


CALLS: Final = (*MATCHES, *REGISTRY)
