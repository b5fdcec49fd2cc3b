"""How every call is let in and counted, whichever way it came."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, TypeVar

import grpc.aio

from ginref.app.allowance import Allowance
from ginref.app.caller import Caller
from ginref.app.error import RefusedError
from ginref.app.gate import Gate
from ginref.app.port import StoreUnavailableError
from ginref.app.session_policy import UNREAD
from ginref.transport.call import CALL, Call, CallObserver, Unobserved
from ginref.transport.field import LARGE_MESSAGE_BYTES, MESSAGE_BYTES
from ginref.transport.limiter import Limiter
from ginref.transport.status import CODES, refusal_of

_LOG: Final = logging.getLogger(__name__)

_T = TypeVar("_T")

_SCHEME: Final = "bearer "

# Probes have no token, who comes by an invitation has none yet, and reflection is
# served in development only.
_OPEN: Final = (
    "/grpc.health.v1.Health/",
    "/grpc.reflection.",
    "/ginref.v1.RegistryService/RedeemInvitation",
)

# What a tournament is, and who plays it, may need more room than a move.
_LARGE: Final = "/ginref.v1.TournamentService/"

_BOTS: Final = "/ginref.v1.BotService/Connect"

_OK: Final = "OK"
_CANCELLED: Final = "CANCELLED"
_OTHER: Final = "OTHER"


class Admission:
    """Recognises callers, and counts what became of their calls."""

    def __init__(
        self,
        gate: Gate,
        observer: CallObserver | None = None,
        *,
        allowance: Allowance | None = None,
    ) -> None:
        """Admit by the gate; without an allowance as often as anybody likes."""
        self._gate: Final = gate
        self._observer: Final = observer or Unobserved()
        self._limiter: Final = Limiter(allowance or Allowance())

    async def answer(
        self,
        method: str,
        secret: str | None,
        work: Callable[[], Awaitable[_T]],
        guest: Caller | None = None,
    ) -> _T:
        """Do the work of a call for whoever bears a token.

        Args:
            method: Path of the method.
            secret: The token that the call carries.
            work: Answers it; `CALL` says who calls, if the method is not for everyone.
            guest: Who calls without a token; None if nobody may.

        Raises:
            RefusedError: What the caller hears, whatever has failed.
        """
        received = time.monotonic()
        code = _OK
        failure: RefusedError | None = None
        try:
            if is_open(method):
                return await work()
            if secret is None and guest is not None:
                caller, admit = guest, _always
            else:
                caller = await self._gate.authenticate(secret)
                admit = partial(self._admit_again, secret)
            CALL.set(Call(caller, received, admit))
            return await self._limiter.answer(method, caller, work)
        except asyncio.CancelledError:
            code = _CANCELLED
            raise
        except grpc.aio.AbortError:
            code = _OTHER
            raise
        except Exception as exception:  # noqa: BLE001 - nothing else may get out
            failure = refusal_of(exception)
            code = CODES[failure.reason].grpc.name
        finally:
            # Before the caller knows: what it has been answered has been counted.
            self.count(method, code, time.monotonic() - received, failure)
        raise failure

    def count(
        self,
        method: str,
        code: str,
        seconds: float,
        refusal: RefusedError | None = None,
    ) -> None:
        """Count an answered call; a fault in that is logged, and changes no answer."""
        if _LOG.isEnabledFor(logging.DEBUG):
            told = code if refusal is None else refusal.reason
            facts = {"code": str(told), "duration_ms": round(1000 * seconds)}
            _LOG.debug("call %s is answered", method, extra=facts)
        try:
            if refusal is not None:
                self._observer.refusal(refusal.reason)
                if refusal.facts.get("limit") == UNREAD:
                    self._observer.dropped("bot" if method == _BOTS else "watcher")
            self._observer.call(method, code, seconds)
        except Exception as exception:  # noqa: BLE001 - the core would tell all of it
            refusal_of(exception)

    async def _admit_again(self, secret: str | None) -> None:
        """Refuse a token that was good before; a store that is away revokes none."""
        with contextlib.suppress(StoreUnavailableError):
            await self._gate.authenticate(secret)


async def _always() -> None:
    """Let somebody stay who has no token that could be revoked."""


def is_open(method: str) -> bool:
    """Say whether a method is for everyone."""
    return method.startswith(_OPEN)


def bearer(value: str) -> str | None:
    """Return the token that an `authorization` names; None for any other scheme."""
    scheme, secret = value[: len(_SCHEME)], value[len(_SCHEME) :]
    return secret.strip() if scheme.lower() == _SCHEME else None


def bytes_limit(method: str) -> int:
    """Return how many bytes a message of a method may have."""
    return LARGE_MESSAGE_BYTES if method.startswith(_LARGE) else MESSAGE_BYTES
