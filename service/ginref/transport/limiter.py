"""Limits calls by what their caller has left: which limit each one counts towards."""

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Final, TypeVar

import grpc

from ginref.app.allowance import Allowance
from ginref.app.caller import Caller
from ginref.app.error import Reason, RefusedError
from ginref.app.limit import Kind
from ginref.transport.status import CODES

_T = TypeVar("_T")

_BY_SERVICE: Final = {
    "RefereeService": {
        "CreateMatch": Kind.CREATES,
        "ChallengeBot": Kind.CREATES,
        "PrepareSeat": Kind.STEPS,
        "ResignMatch": Kind.STEPS,
        "AbortMatch": Kind.WRITES,
        "GetMatch": Kind.READS,
        "ListMatches": Kind.READS,
        "GetMatchRecord": Kind.READS,
        "GetPublicKeys": Kind.READS,
        "WatchMatch": Kind.OPENS,
    },
    "RegistryService": {
        "CreateOwner": Kind.WRITES,
        "CreateBot": Kind.WRITES,
        "CreateToken": Kind.WRITES,
        "RotateToken": Kind.WRITES,
        "RevokeToken": Kind.WRITES,
        "CreateInvitation": Kind.WRITES,
        "EndInvitation": Kind.WRITES,
        "SetBotKey": Kind.WRITES,
        "SetBotConsent": Kind.WRITES,
        "ListOwners": Kind.READS,
        "ListBots": Kind.READS,
        "ListTokens": Kind.READS,
        "ListInvitations": Kind.READS,
    },
    "TournamentService": {
        "CreateTournament": Kind.CREATES,
        "PreviewTournament": Kind.CREATES,
        "ChangeTournament": Kind.WRITES,
        "GetTournament": Kind.READS,
        "ListTournaments": Kind.READS,
        "ExportTournament": Kind.READS,
        "WatchTournament": Kind.OPENS,
    },
    "BotService": {"Connect": Kind.OPENS},
}

KINDS: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        f"/ginref.v1.{service}/{method}": kind
        for service, methods in _BY_SERVICE.items()
        for method, kind in methods.items()
    }
)
"""What a call counts as, by the path of its method.

`SubmitMove` is not among them: only whoever judges a move knows whether it is the
first one of a turn.
"""

_SUBMIT: Final = "/ginref.v1.RefereeService/SubmitMove"

_WATCHES: Final = frozenset(path for path in KINDS if "/Watch" in path)

# Why a move is refused that has not been judged at all.
_UNREADABLE: Final = frozenset(
    reason
    for reason, code in CODES.items()
    if code.grpc is grpc.StatusCode.INVALID_ARGUMENT
) | {Reason.MESSAGE_TOO_LARGE}


class Limiter:
    """Answers calls, unless their callers ask for too much."""

    def __init__(self, allowance: Allowance) -> None:
        """Take calls from what each token has left."""
        self._allowance: Final = allowance

    async def answer(
        self, method: str, caller: Caller, work: Callable[[], Awaitable[_T]]
    ) -> _T:
        """Do the work of a call; a stream is one for as long as it lasts.

        Args:
            method: Path of the method.
            caller: Who calls.
            work: Answers.

        Raises:
            RefusedError: RATE_LIMITED or LIMIT_EXCEEDED, or what the work raises.
        """
        if method == _SUBMIT:
            return await self._submit(caller, work)
        kind = KINDS.get(method, Kind.WRITES)
        self._allowance.spend(caller, kind)
        if kind is not Kind.OPENS:
            return await work()
        with self._allowance.stream(caller, is_watch=method in _WATCHES):
            return await work()

    async def _submit(self, caller: Caller, work: Callable[[], Awaitable[_T]]) -> _T:
        """Have a move judged; one that cannot be read is counted here.

        Raises:
            RefusedError: RATE_LIMITED, or what the work raises.
        """
        try:
            return await work()
        except RefusedError as error:
            if error.reason in _UNREADABLE:
                self._allowance.spend(caller, Kind.MOVES)
            raise
