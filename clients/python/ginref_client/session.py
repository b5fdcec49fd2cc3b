"""The connection of a bot: one stream for all its matches, for as long as it takes.

A move that got no answer is sent again under the same request id, over the same
stream or the next one, so that it counts once however often the network fails.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import grpc.aio

from ginref import __version__
from ginref.record.submission import Submission
from ginref.v1 import session_pb2
from ginref.v1.bot_service_pb2 import ConnectRequest
from ginref.v1.bot_service_pb2_grpc import BotServiceStub
from ginref.v1.registry_service_pb2 import SetBotKeyRequest
from ginref.v1.registry_service_pb2_grpc import RegistryServiceStub
from ginref_client.backoff import backoff
from ginref_client.bot import Bot
from ginref_client.bot_key import BotKey
from ginref_client.certificate import ClientCertificate
from ginref_client.endpoint import Endpoint, bearer, parse_endpoints
from ginref_client.error import ProtocolError, UnavailableError
from ginref_client.evidence import Evidence
from ginref_client.fact import FinishedMatch, MatchInfo
from ginref_client.roster import DrainedError, Roster, accept_all
from ginref_client.seat_play import Surroundings
from ginref_client.status import final_error, is_outcome_unknown
from ginref_client.thinking import THREADS_MOST, ThinkingPool
from ginref_client.witness import Witness

_log = logging.getLogger(__name__)

PROTOCOL: Final = 1

_WELCOME_SECONDS: Final = 10.0
_MILLI: Final = 1000

Finished = Callable[[Sequence[FinishedMatch]], bool]
"""Says by the matches that are over whether the session is done."""


class Session:
    """A bot attached to a referee."""

    def __init__(  # noqa: PLR0913
        self,
        urls: str | Sequence[str],
        token: str,
        bot: Bot | Callable[[], Bot],
        *,
        capacity: int = 0,
        accept: Callable[[MatchInfo], bool] = accept_all,
        state: Path | None = None,
        keys: Mapping[str, bytes] | None = None,
        roots: bytes | None = None,
        server_name: str | None = None,
        certificate: ClientCertificate | None = None,
        allow_plaintext: bool = False,
        give_up_after: float | None = None,
    ) -> None:
        """Prepare to attach.

        Args:
            urls: Addresses of the referee's replicas, as a sequence or with commas in
                between; when one fails, the next is tried.
            token: The bot's token.
            bot: Makes the bot of each match: a class, for example. One bot object is
                shared by all matches.
            capacity: Matches to play at once; 0 for any number.
            accept: Says whether an offered seat is wanted; refusing counts as not
                shown up.
            state: A folder for shares and evidence, so that the bot can be started
                again in the middle of a match, and for the key that it signs its
                submissions with.
            keys: The referee's public keys by name; what it signs is checked with
                them as it comes. None if they are not known.
            roots: Certificates to trust, in PEM; None for the system's.
            server_name: What the certificate must name; None for the address's host.
            certificate: A certificate of one's own, where the referee asks for one.
            allow_plaintext: Whether the token may travel unencrypted off this machine.
            give_up_after: Seconds without a referee after which to stop trying; None
                tries for ever.

        Raises:
            EndpointError: An address cannot be used.
            BotKeyError: The file of the bot's key cannot be used.
            OSError: The folder cannot be made.
        """
        self._endpoints = parse_endpoints(urls, allow_plaintext=allow_plaintext)
        self._metadata = bearer(token)
        self._roots = roots
        self._server_name = server_name
        self._certificate = certificate
        self._capacity = capacity
        self._give_up_after = give_up_after
        self._pool = ThinkingPool(capacity or THREADS_MOST)
        self._accept = accept
        self._new_bot = partial(_same, bot) if isinstance(bot, Bot) else bot
        self._name = getattr(bot, "name", "")
        evidence = Evidence(state, keys or {})
        self._witness = Witness(state, str(self._endpoints[0]))
        self._key = None if state is None else BotKey.keep(state)
        self._key_is_settled = self._key is None
        self._around = Surroundings(self._pool, evidence, self._send, self._sign)
        self._roster: Roster | None = None
        self._outbox: asyncio.Queue[ConnectRequest | None] | None = None
        self._stop = asyncio.Event()
        self._fault: BaseException | None = None
        self._attached = False
        self._welcome = asyncio.Event()

    async def run(self, until: Finished | None = None) -> list[FinishedMatch]:
        """Play until stopped, and return the matches that are over.

        The connection is made again whenever it is lost.

        Args:
            until: Asked after each match whether to stop; None plays on.

        Raises:
            AccessError: The token is refused.
            FencedError: The same bot attached elsewhere.
            RefusedError: The referee refuses this client for good.
            ProtocolError: The referee speaks another version of the protocol.
            UnavailableError: No referee answered within `give_up_after` seconds.
            SplitLogError: The referee has shown two logs of one tournament.
            OSError: Evidence cannot be kept.
        """
        roster = self._roster = Roster(
            self._new_bot,
            self._around,
            capacity=self._capacity,
            accept=self._accept,
            on_fault=self._on_fault,
            witness=self._witness,
        )
        playing = asyncio.create_task(self._keep_attached(roster, until))
        stopping = asyncio.create_task(self._stop.wait())
        try:
            await asyncio.wait({playing, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if playing.done():
                playing.result()
        finally:
            for task in (playing, stopping):
                task.cancel()
            await asyncio.wait({playing, stopping})
            await roster.close()
            self._pool.close()
        if self._fault is not None:
            raise self._fault
        return roster.finished

    async def attached(self) -> None:
        """Wait until the referee has welcomed the bot for the first time."""
        await self._welcome.wait()

    def stop(self) -> None:
        """End `run` soon; matches go on without the bot."""
        self._stop.set()

    @property
    def finished(self) -> list[FinishedMatch]:
        """Matches that are over, oldest first."""
        return list(self._roster.finished) if self._roster else []

    async def _keep_attached(self, roster: Roster, until: Finished | None) -> None:
        loop = asyncio.get_running_loop()
        endpoint, attempts = 0, 0
        lost_at = loop.time()
        while True:
            where = self._endpoints[endpoint % len(self._endpoints)]
            try:
                done = await self._attach(where, roster, until)
            except DrainedError:
                _log.info("%s is about to stop; attaching again", where)
                done = False
            except TimeoutError:
                _log.warning("%s is silent; attaching again", where)
                done = False
            except grpc.aio.AioRpcError as error:
                if not is_outcome_unknown(error):
                    self._attached = False
                    raise final_error(error) from None
                _log.warning("%s: %s", where, final_error(error))
                done = False
            if done:
                return
            if self._attached:
                self._attached = False
                attempts, lost_at = 0, loop.time()
            gone = loop.time() - lost_at
            if self._give_up_after is not None and gone > self._give_up_after:
                raise UnavailableError(f"no referee for {gone:.0f} seconds")
            endpoint += 1
            # Another replica is tried at once, the same one again after a while.
            if endpoint % len(self._endpoints) == 0:
                await asyncio.sleep(backoff(attempts))
                attempts += 1

    async def _attach(
        self, where: Endpoint, roster: Roster, until: Finished | None
    ) -> bool:
        """Serve one stream to its end; True when the session is done."""
        outbox = self._outbox = asyncio.Queue()
        outbox.put_nowait(ConnectRequest(hello=self._hello(roster)))
        loop = asyncio.get_running_loop()
        told = len(roster.finished)
        try:
            async with (
                where.open(
                    self._roots, self._server_name, self._certificate
                ) as channel,
                asyncio.timeout(_WELCOME_SECONDS) as silence,
            ):
                if not self._key_is_settled:
                    await self._settle_key(channel)
                call = BotServiceStub(channel).Connect(
                    _until_none(outbox), metadata=self._metadata
                )
                patience: float | None = _WELCOME_SECONDS
                async for response in call:
                    if response.HasField("welcome"):
                        patience = self._welcomed(where, response.welcome)
                    silence.reschedule(
                        None if patience is None else loop.time() + patience
                    )
                    roster.handle(response)
                    if len(roster.finished) > told:
                        told = len(roster.finished)
                        if until is not None and until(roster.finished):
                            return True
        finally:
            self._outbox = None
            outbox.put_nowait(None)
        return False

    async def _settle_key(self, channel: grpc.aio.Channel) -> None:
        """Make the key known to the referee, or sign nothing if it takes none.

        A signature by a key that the referee does not know would prove nothing.
        """
        assert self._key is not None  # noqa: S101 - the caller has checked
        request = SetBotKeyRequest(public_key=self._key.public_key)
        call = RegistryServiceStub(channel).SetBotKey
        try:
            await call(request, metadata=self._metadata)
        except grpc.aio.AioRpcError as error:
            if error.code() is grpc.StatusCode.INVALID_ARGUMENT:
                # The token is no bot's, as the stream is about to say.
                return
            refusals = grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.UNIMPLEMENTED
            if error.code() not in refusals:
                raise
            _log.warning("moves are not signed: the referee takes no such key")
            self._key = None
        self._key_is_settled = True

    def _sign(self, submission: Submission) -> bytes | None:
        return None if self._key is None else self._key.sign(submission.encode())

    def _welcomed(self, where: Endpoint, welcome: session_pb2.Welcome) -> float | None:
        """Check a welcome; return how many seconds of silence to bear."""
        if welcome.protocol != PROTOCOL:
            raise ProtocolError("welcome.protocol", f"{welcome.protocol}, not 1")
        self._attached = True
        self._welcome.set()
        _log.info("attached to %s as %s", where, welcome.bot)
        silence_ms = welcome.limits.silence_ms
        return silence_ms / _MILLI if silence_ms > 0 else None

    def _hello(self, roster: Roster) -> session_pb2.Hello:
        return session_pb2.Hello(
            protocol=PROTOCOL,
            capacity=self._capacity,
            client=f"ginref-python/{__version__} {self._name}".strip(),
            cursors=roster.cursors(),
        )

    def _send(self, message: ConnectRequest) -> None:
        # What is not sent now is asked for again by the next stream.
        if self._outbox is not None:
            self._outbox.put_nowait(message)

    def _on_fault(self, error: BaseException) -> None:
        self._fault = error
        self._stop.set()


def _same(bot: Bot) -> Bot:
    return bot


async def _until_none(
    outbox: "asyncio.Queue[ConnectRequest | None]",
) -> AsyncIterator[ConnectRequest]:
    while (message := await outbox.get()) is not None:
        yield message
