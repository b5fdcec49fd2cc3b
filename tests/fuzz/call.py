"""Every method of the API, told any bytes at all, on a referee with a match in play."""

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any, Final

from tests.fuzz.draw import Draw
from tests.fuzz.serving import CALLERS, Renewed, Served, ask
from tests.fuzz.shaped import DESCRIBED, WORDS, Words, shaped
from tests.fuzz.target import Target
from tests.leaks.world import OPERATOR, ORGANIZER, SEATED, World

from ginref.v1 import match_pb2, seat_pb2, tournament_service_pb2
from ginref.v1 import referee_service_pb2 as referee_pb

_SEEDS: Final = 24


async def prepare(world: World) -> str:
    """Have a match in play and a tournament that is declared; return the match's id."""
    match_id = await open_match(world, "in play")
    request = tournament_service_pb2.CreateTournamentRequest(request_id="declare")
    stage: Any = {"name": "main", "format": "round_robin"}
    request.configuration.update({"name": "cup", "stages": [stage]})
    await world.call(OPERATOR, "TournamentService/CreateTournament", request)
    return match_id


async def open_match(world: World, request_id: str) -> str:
    """Create a match on a seed between two bots, who accept; return its id."""
    request = referee_pb.CreateMatchRequest(
        request_id=request_id,
        bots=SEATED[:2],
        clock_preset="research",
        deal_source=match_pb2.DEAL_SOURCE_SEEDED,
        seed=request_id,
        strikes_allowed=5,
    )
    request.ruleset.preset = "gin"
    made = await world.call(ORGANIZER, "RefereeService/CreateMatch", request)
    assert made.kind == "message", made
    match_id = referee_pb.CreateMatchResponse.FromString(made.data).match.match_id
    for seat in SEATS:
        accept = referee_pb.PrepareSeatRequest(match_id=match_id, seat=seat)
        accept.accept.SetInParent()
        bot = SEATED[SEATS.index(seat)]
        await world.call(bot, "RefereeService/PrepareSeat", accept)
    return match_id


SEATS: Final = (seat_pb2.SEAT_NORTH, seat_pb2.SEAT_SOUTH)


@lru_cache(1)
def _match_id() -> str:
    """Return the id that the match in play has in every such world."""
    served = Served()
    match_id = served.do(prepare)
    served.close()
    return match_id


@lru_cache(1)
def call_words() -> Words:
    """Return what may stand in a request to a referee that is prepared."""
    return {
        **WORDS,
        "match_id": (_match_id(), "no-such", "", "../x", "A" * 65),
        "match_ids": (_match_id(), "no-such"),
        "tournament_ids": ("cup", "no-such"),
        "expected_version": (3, 4, 2, 0),
        "seat": (1, 2, 3, 0),
    }


def _make(method: str) -> Callable[[bytes], object]:
    renewed = Renewed(prepare)

    def check(data: bytes) -> None:
        draw = Draw(data)
        caller, request = draw.pick(CALLERS), draw.rest()
        renewed.get().do(lambda world: ask(world, method, caller, request))

    return check


def _make_shaped() -> Callable[[bytes], object]:
    renewed = Renewed(prepare)
    methods = tuple(DESCRIBED)

    def check(data: bytes) -> None:
        draw = Draw(data)
        method, caller = draw.pick(methods), draw.pick(CALLERS)
        request = shaped(DESCRIBED[method].input_type, draw, call_words())
        renewed.get().do(lambda world: ask(world, method, caller, request))

    return check


def requests(method: str) -> list[bytes]:
    """Return requests of a method that could be meant, each after its caller."""
    found = []
    for number in range(_SEEDS):
        draw = Draw(bytes((number * 37 + place * 11) % 256 for place in range(400)))
        message = shaped(DESCRIBED[method].input_type, draw, call_words())
        found.append(bytes([number]) + message.SerializeToString())
    return found


CALLS: Final[Mapping[str, Target]] = {
    **{
        method: Target(
            make=partial(_make, method), seeds=partial(requests, method), share=4
        )
        for method in DESCRIBED
    },
    "any call": Target(
        make=_make_shaped,
        seeds=lambda: [bytes(range(n, n + 200)) for n in range(0, 50, 7)],
        share=10,
    ),
}
"""Methods of the API, by name."""
