"""Calls one after another, by everybody, on a referee that has to stay right.

Half of them are moves of the seat to act, so that matches come far; the others are any
calls at all, by anybody. Whatever comes, nothing is answered with a fault, nobody is
told of a card that is not known to it, and every log leads to the state that is kept.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from tests.fuzz.call import SEATS, call_words, open_match
from tests.fuzz.draw import Draw
from tests.fuzz.serving import CALLERS, Served, ask
from tests.fuzz.shaped import DESCRIBED, Words, shaped
from tests.fuzz.target import Target
from tests.leaks.spotter import Spotter
from tests.leaks.wire import CONNECT, Stream
from tests.leaks.world import SEATED, SPECTATOR, SameSigner, World

from ginref.engine.card import CardSet
from ginref.engine.match import Match, legal_moves
from ginref.engine.move import Knock
from ginref.engine.seat import Seat
from ginref.record.entry import Moved
from ginref.record.snapshot import encode_state
from ginref.record.verify import Finding, verify_record
from ginref.v1 import referee_service_pb2 as referee_pb
from ginref.v1.bot_service_pb2 import ConnectRequest

_STEPS: Final = 48
_SECONDS: Final = (1, 5, 40)
_METHODS: Final = tuple(DESCRIBED)
_ABOUT_MATCHES: Final = ("RefereeService/", "BotService/")
_PUBLIC: Final = Ed25519PrivateKey.from_private_bytes(bytes(range(32))).public_key()
_KEYS: Final = {SameSigner.key_id: _PUBLIC.public_bytes_raw()}


class WrongError(AssertionError):
    """A card was told to somebody who may not know it, or a log is another story."""


class _Sequence:
    """One referee, and what is done with it."""

    def __init__(self, world: World, draw: Draw, words: Words) -> None:
        self._world = world
        self._draw = draw
        self._words = words
        self._match_id = ""
        self._streams: dict[Seat, Stream] = {}
        self._spotter = Spotter({SEATED[0]: Seat.NORTH, SEATED[1]: Seat.SOUTH})
        self._looked = 0
        self._requests = 0

    async def run(self) -> None:
        """Do all that the bytes say, and look at what has become of it."""
        self._match_id = await open_match(self._world, "in play")
        for seat in (Seat.NORTH, Seat.SOUTH):
            await self._attach(seat)
        watching = await self._world.watch(SPECTATOR, self._match_id)
        for _ in range(_STEPS):
            if self._draw.is_spent:
                break
            before = await self._match()
            if before is None:
                break
            await self._step(before)
            await self._spot(before)
        for stream in (watching, *self._streams.values()):
            stream.task.cancel()
        await self._world.settle()
        await self._audit()

    async def _step(self, match: Match) -> None:
        match self._draw.below(16):
            case 0:
                await self._attach(self._draw.pick((Seat.NORTH, Seat.SOUTH)))
            case 1:
                await self._world.wait(self._draw.pick(_SECONDS))
            case 2 | 3 | 4 | 5 | 6 | 7:
                await self._call()
            case _:
                await self._move(match)

    async def _match(self) -> Match | None:
        """Return the match while it goes on."""
        live = await self._world.tools.keeper.load(self._match_id)
        return None if live.state.ending else live.state.match

    async def _attach(self, seat: Seat) -> None:
        hello: Any = ConnectRequest()
        hello.hello.protocol = 1
        hello.hello.features.extend(["events"] * self._draw.below(2))
        self._streams[seat] = await self._world.wire.connect(SEATED[seat])
        self._streams[seat].say(hello)
        await self._world.settle()

    async def _call(self) -> None:
        """Make any call, also on the streams that are open."""
        draw = self._draw
        method, caller = draw.pick(_METHODS), draw.pick(CALLERS)
        words = {**self._words, "match_id": (self._match_id, "no-such")}
        request: Any = shaped(DESCRIBED[method].input_type, draw, words)
        self._spotter.named.setdefault(caller, []).append(str(request))
        if method == CONNECT and caller in SEATED[:2]:
            self._streams[Seat(SEATED.index(caller))].say(request)
            await self._world.settle()
        else:
            await ask(self._world, method, caller, request)

    async def _move(self, match: Match) -> None:
        """Make a legal move of the seat to act, mostly at the right version."""
        draw, seat = self._draw, match.to_act
        assert seat is not None
        legal = legal_moves(match, seat)
        knocks = [move for move in legal if isinstance(move, Knock)]
        move = draw.pick(knocks or legal) if draw.often(12) else draw.pick(legal)
        live = await self._world.tools.keeper.load(self._match_id)
        self._requests += not draw.often(1)
        request: Any = referee_pb.SubmitMoveRequest(
            match_id=self._match_id,
            seat=SEATS[seat],
            expected_version=live.state.version - draw.often(1),
            request_id=f"move {self._requests}",
        )
        request.move.text = str(move)
        self._spotter.named.setdefault(SEATED[seat], []).append(str(move))
        if draw.often(8):
            await self._world.call(SEATED[seat], "RefereeService/SubmitMove", request)
            return
        message: Any = ConnectRequest()
        message.move.MergeFromString(request.SerializeToString())
        self._streams[seat].say(message)
        await self._world.settle()

    async def _spot(self, before: Match) -> None:
        """Look at what was told, if it is about this match."""
        told = self._world.sent[self._looked :]
        self._looked = len(self._world.sent)
        _, log = await self._world.tools.keeper.history(self._match_id)
        for stamped in log:
            if isinstance(stamped.entry, Moved):
                if stamped.version not in self._spotter.moves and isinstance(
                    stamped.entry.move, Knock
                ):
                    one, other = before.round.hands
                    cards = CardSet(one.mask | other.mask)
                    self._spotter.shown[before.round_number] = cards
                self._spotter.moves[stamped.version] = str(stamped.entry.move)
        match = await self._match()
        if match is None:
            return
        others = {one.encode() for one in _match_ids(self._world)} - {
            self._match_id.encode()
        }
        about = [
            one
            for one in told
            if one.method.startswith(_ABOUT_MATCHES)
            and not any(other in one.data for other in others)
        ]
        self._spotter.look(about, match)
        if self._spotter.found:
            raise WrongError(str(self._spotter.found))

    async def _audit(self) -> None:
        """Compare every log with what is kept, and verify what is signed."""
        tools = self._world.tools
        for match_id in _match_ids(self._world):
            tools.keeper.forget(match_id)
            kept, played = (
                await tools.keeper.load(match_id),
                await tools.keeper.replay(match_id),
            )
            if encode_state(kept.state) != encode_state(played.state):
                raise WrongError(f"the log of {match_id} leads to another state")
        await self._world.signing.sign_finished()
        if left := await self._world.store.finished(100):
            raise WrongError(f"no record of {left}")
        archive: Any = tools.archive
        for match_id, record in archive.records.items():
            verdict = verify_record(record, _KEYS)
            if verdict.finding is not Finding.VALID:
                raise WrongError(f"{match_id}: {verdict.problem or verdict.finding}")


def _match_ids(world: World) -> tuple[str, ...]:
    matches: Any = world.store._matches  # noqa: SLF001 - the store of this test
    return tuple(matches)


def _make() -> Callable[[bytes], object]:
    words = call_words()

    def check(data: bytes) -> None:
        served = Served()
        try:
            served.do(lambda world: _Sequence(world, Draw(data), words).run())
        finally:
            served.close()

    return check


def _seeds() -> list[bytes]:
    """Return a few long sequences."""
    return [
        bytes((number * 7 + place * place * 13) % 256 for place in range(900))
        for number in range(1, 7)
    ]


SEQUENCES: Final[Mapping[str, Target]] = {
    "sequence": Target(make=_make, seeds=_seeds, share=1)
}
"""Sequences of calls."""
