"""What every bot does on its stream, for tests of sessions."""

import asyncio
from typing import Any

from ginref.app.message import (
    Events,
    MatchOver,
    Message,
    MoveResult,
    Offer,
    Prepare,
    Turn,
    Welcome,
)
from ginref.app.request import Accept, Commit, Reveal, SeatStep
from ginref.app.session import Session
from ginref.engine.seat import Seat
from ginref.record.share import commit_seat

World = Any
Ear = Any
"""The referee and the reader of `conftest`, whose classes cannot be imported."""

FAR = 10**9


def answer(world: World, ear: Ear, message: Message) -> None:
    """Do what every bot does: take the seat, prepare, and move in its turns."""
    session: Session = ear.session
    match message:
        case Offer(facts=facts, seat=seat):
            step = SeatStep(match_id=facts.match_id, seat=seat, step=Accept())
            session.prepare(step)
        case Prepare(facts=facts, seat=seat, reveal=True):
            reveal = Reveal(world.share(seat))
            session.prepare(SeatStep(match_id=facts.match_id, seat=seat, step=reveal))
        case Prepare(facts=facts, seat=seat):
            commitment = commit_seat(facts.match_id, seat, world.share(seat))
            commit = Commit(commitment)
            session.prepare(SeatStep(match_id=facts.match_id, seat=seat, step=commit))
        case Turn(report):
            session.submit(world.submission(report), 0.0)
        case _:
            session.heard()


async def play(world: World, *ears: Ear, until: type[Message] = MatchOver) -> None:
    """Let bots play until each of them has heard a message of a kind."""

    async def play(ear: Ear) -> None:
        while True:
            message = await ear.next()
            if isinstance(message, until):
                return
            answer(world, ear, message)

    await asyncio.gather(*map(play, ears))


def version(message: Message) -> int:
    """Version of the match that a message of a playing match tells of."""
    match message:
        case Turn(report):
            return report.facts.version
        case MoveResult() | Events():
            return message.version
        case _:
            return 0


async def two(world: World) -> tuple[Ear, Ear]:
    ears = await world.attach("careful"), await world.attach("greedy")
    for ear in ears:
        assert isinstance(await ear.next(), Welcome)
    return ears


def kinds_told(ear: Ear) -> list[type[Message]]:
    return [type(message) for message in ear.heard]


async def attached(world: World, facts: Any, seat: Seat, **how: Any) -> Ear:  # noqa: ANN401
    ear = await world.attach(facts.bots[seat], **how)
    await ear.until(Welcome)
    return ear
