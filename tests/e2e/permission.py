"""Every method of the API, and who may call it."""

import pkgutil
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from itertools import count
from typing import Any, Final

from google.protobuf.message import Message
from tests.e2e.host import (
    OPERATOR,
    ORGANIZER,
    SEATED,
    SPECTATOR,
    STRANGER,
    Room,
    new_tournament,
)
from tests.e2e.position import offered_to_north

from ginref import v1
from ginref.v1 import (
    bot_service_pb2,
    move_pb2,
    registry_pb2,
    registry_service_pb2,
    ruleset_pb2,
    seat_pb2,
    session_pb2,
)
from ginref.v1 import referee_service_pb2 as referee_pb
from ginref.v1 import tournament_service_pb2 as tournament_pb

NOBODY: Final = "no token"
GARBAGE: Final = "garbage"
NORTH: Final = SEATED[0]

CALLERS: Final = (NOBODY, GARBAGE, SPECTATOR, NORTH, STRANGER, ORGANIZER, OPERATOR)

HOSTS: Final = (ORGANIZER, OPERATOR)
BOTS: Final = (NORTH, STRANGER)
KNOWN: Final = (SPECTATOR, *BOTS, *HOSTS)

CODES: Final = {
    "TOKEN_MISSING": "UNAUTHENTICATED",
    "TOKEN_UNKNOWN": "UNAUTHENTICATED",
    "ROLE_NOT_ALLOWED": "PERMISSION_DENIED",
    "SEAT_NOT_YOURS": "PERMISSION_DENIED",
}

Ask = Callable[[Room], Awaitable[Message]]

_numbers: Final = count()


def methods() -> Iterator[str]:
    """Yield every method that the API describes, as `Service/Method`."""
    for module in pkgutil.iter_modules(v1.__path__):
        if not module.name.endswith("_pb2"):
            continue
        described = import_module(f"{v1.__name__}.{module.name}").DESCRIPTOR
        for service in described.services_by_name.values():
            yield from (f"{service.name}/{method.name}" for method in service.methods)


@dataclass(frozen=True)
class Permission:
    """Who may call a method.

    Attributes:
        ask: Makes a request that is answered to whoever may call.
        allowed: Who may.
        refused: Why another caller may not, where it is not for its role.
    """

    ask: Ask
    allowed: tuple[str, ...]
    refused: Mapping[str, str] = field(default_factory=dict)

    def reason(self, caller: str) -> str:
        """Return why a caller is refused; nothing when it may call."""
        if caller in self.allowed:
            return ""
        strange = {NOBODY: "TOKEN_MISSING", GARBAGE: "TOKEN_UNKNOWN"}
        return {**strange, **self.refused}.get(caller, "ROLE_NOT_ALLOWED")


def _fixed(message: Message) -> Ask:
    async def ask(_: Room) -> Message:
        return message

    return ask


def _fresh() -> str:
    return f"fresh-{next(_numbers)}"


async def _new_match(_: Room) -> Message:
    rules = ruleset_pb2.RulesetChoice(preset="gin")
    return referee_pb.CreateMatchRequest(
        request_id=_fresh(), ruleset=rules, bots=SEATED
    )


async def _challenge(room: Room) -> Message:
    house = "house.fay"
    await room.registry(OPERATOR, "CreateBot", name=house, owner="lab", house=True)
    return referee_pb.ChallengeBotRequest(request_id=_fresh(), opponent=house)


async def _new_owner(_: Room) -> Message:
    return registry_service_pb2.CreateOwnerRequest(name=_fresh())


async def _new_bot(_: Room) -> Message:
    return registry_service_pb2.CreateBotRequest(name=_fresh(), owner="lab")


async def _seat(room: Room) -> Message:
    return referee_pb.PrepareSeatRequest(
        match_id=await room.create(),
        seat=seat_pb2.SEAT_NORTH,
        accept=referee_pb.AcceptSeat(),
    )


async def _move(room: Room) -> Message:
    position = offered_to_north()
    return referee_pb.SubmitMoveRequest(
        match_id=await room.deal(position),
        seat=seat_pb2.SEAT_NORTH,
        expected_version=position.version,
        request_id=_fresh(),
        move=move_pb2.Move(text="pass"),
    )


async def _resignation(room: Room) -> Message:
    match_id = await room.deal(offered_to_north())
    return referee_pb.ResignMatchRequest(match_id=match_id, seat=seat_pb2.SEAT_NORTH)


async def _look(room: Room) -> Message:
    return referee_pb.GetMatchRequest(match_id=await room.create())


async def _watch(room: Room) -> Message:
    return referee_pb.WatchMatchRequest(match_id=await room.create())


async def _end(room: Room) -> Message:
    return referee_pb.AbortMatchRequest(match_id=await room.create())


async def _record(room: Room) -> Message:
    return referee_pb.GetMatchRecordRequest(match_id=await room.finished())


async def _new_tournament(_: Room) -> Message:
    return new_tournament(_fresh())


async def _preview(_: Room) -> Message:
    declared = new_tournament(_fresh()).configuration
    return tournament_pb.PreviewTournamentRequest(configuration=declared, entrants=8)


async def _entry(room: Room) -> Message:
    tournament_id = await room.tournament()
    return tournament_pb.ChangeTournamentRequest(
        tournament_id=tournament_id,
        request_id=_fresh(),
        expected_version=await room.version(tournament_id),
        enter=tournament_pb.EnterBot(bot=NORTH),
        validate_only=True,
    )


async def _tournament(room: Room) -> Message:
    return tournament_pb.GetTournamentRequest(tournament_id=await room.tournament())


async def _followed(room: Room) -> Message:
    return tournament_pb.WatchTournamentRequest(tournament_id=await room.tournament())


async def _export(room: Room) -> Message:
    return tournament_pb.ExportTournamentRequest(tournament_id=await room.tournament())


async def _revocation(room: Room) -> Message:
    made = await room.make_token(SPECTATOR)
    return registry_service_pb2.RevokeTokenRequest(token_id=made.token.token_id)


async def _rotation(room: Room) -> Message:
    made = await room.make_token(SPECTATOR)
    return registry_service_pb2.RotateTokenRequest(token_id=made.token.token_id)


async def _ended_invitation(room: Room) -> Message:
    made = await room.registry(OPERATOR, "CreateInvitation")
    return registry_service_pb2.EndInvitationRequest(
        invitation_id=made.invitation.invitation_id
    )


async def _known_key(room: Room) -> Message:
    """Ask for the key that the bot has: what a bot's first key asks is another test."""
    key: dict[str, Any] = {"name": NORTH, "public_key": bytes(32)}
    await room.registry(OPERATOR, "SetBotKey", **key)
    return registry_service_pb2.SetBotKeyRequest(**key)


async def _redeemed_invitation(room: Room) -> Message:
    made = await room.registry(OPERATOR, "CreateInvitation")
    return registry_service_pb2.RedeemInvitationRequest(
        code=made.code, bot=_fresh(), request_id="nobody guesses this"
    )


_HELLO: Final = bot_service_pb2.ConnectRequest(hello=session_pb2.Hello(protocol=1))
_SPECTATOR_TOKEN: Final = registry_service_pb2.CreateTokenRequest(
    role=registry_pb2.ROLE_SPECTATOR
)
_CONSENT: Final = registry_service_pb2.SetBotConsentRequest(
    name=NORTH, accepts_challenges=False
)
_NO_SEAT: Final = {STRANGER: "SEAT_NOT_YOURS"}

PERMISSIONS: Final[Mapping[str, Permission]] = {
    "RefereeService/CreateMatch": Permission(_new_match, HOSTS),
    "RefereeService/ChallengeBot": Permission(_challenge, BOTS),
    "RefereeService/PrepareSeat": Permission(_seat, (NORTH,), _NO_SEAT),
    "RefereeService/GetMatch": Permission(_look, KNOWN),
    "RefereeService/ListMatches": Permission(
        _fixed(referee_pb.ListMatchesRequest(page_size=1)), KNOWN
    ),
    "RefereeService/SubmitMove": Permission(_move, (NORTH,), _NO_SEAT),
    "RefereeService/WatchMatch": Permission(_watch, KNOWN),
    "RefereeService/ResignMatch": Permission(_resignation, (NORTH,), _NO_SEAT),
    "RefereeService/AbortMatch": Permission(_end, HOSTS),
    "RefereeService/GetMatchRecord": Permission(_record, KNOWN),
    "RefereeService/GetPublicKeys": Permission(
        _fixed(referee_pb.GetPublicKeysRequest()), KNOWN
    ),
    "RegistryService/CreateOwner": Permission(_new_owner, HOSTS),
    "RegistryService/ListOwners": Permission(
        _fixed(registry_service_pb2.ListOwnersRequest()), HOSTS
    ),
    "RegistryService/CreateBot": Permission(_new_bot, HOSTS),
    "RegistryService/ListBots": Permission(
        _fixed(registry_service_pb2.ListBotsRequest()), KNOWN
    ),
    "RegistryService/SetBotKey": Permission(_known_key, (NORTH, *HOSTS), _NO_SEAT),
    "RegistryService/SetBotConsent": Permission(
        _fixed(_CONSENT), (NORTH, *HOSTS), _NO_SEAT
    ),
    "RegistryService/CreateToken": Permission(_fixed(_SPECTATOR_TOKEN), HOSTS),
    "RegistryService/ListTokens": Permission(
        _fixed(registry_service_pb2.ListTokensRequest()), HOSTS
    ),
    "RegistryService/RevokeToken": Permission(_revocation, HOSTS),
    "RegistryService/RotateToken": Permission(_rotation, HOSTS),
    "RegistryService/CreateInvitation": Permission(
        _fixed(registry_service_pb2.CreateInvitationRequest()), HOSTS
    ),
    "RegistryService/ListInvitations": Permission(
        _fixed(registry_service_pb2.ListInvitationsRequest()), HOSTS
    ),
    "RegistryService/EndInvitation": Permission(_ended_invitation, HOSTS),
    "RegistryService/RedeemInvitation": Permission(_redeemed_invitation, CALLERS),
    "TournamentService/CreateTournament": Permission(_new_tournament, HOSTS),
    "TournamentService/PreviewTournament": Permission(_preview, HOSTS),
    "TournamentService/ChangeTournament": Permission(_entry, (NORTH, *HOSTS), _NO_SEAT),
    "TournamentService/GetTournament": Permission(_tournament, KNOWN),
    "TournamentService/ListTournaments": Permission(
        _fixed(tournament_pb.ListTournamentsRequest(page_size=1)), KNOWN
    ),
    "TournamentService/WatchTournament": Permission(_followed, KNOWN),
    "TournamentService/ExportTournament": Permission(_export, KNOWN),
    "BotService/Connect": Permission(_fixed(_HELLO), BOTS),
}
"""Who may call each method of the API."""
