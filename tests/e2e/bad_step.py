"""Steps before play that a referee refuses, each with what it says of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from tests.e2e.host import SEATED, STRANGER, Room

from ginref.engine.seat import Seat
from ginref.record.share import commit_seat
from ginref.v1 import referee_service_pb2 as referee_pb

STAGES: Final = ("forming", "committing", "revealing", "playing", "over")

SHARE: Final = b"share" + bytes(27)
"""What each seat commits to, in matches that come so far."""

ACCEPT: Final = {"accept": referee_pb.AcceptSeat()}
NO_SHARE: Final = {"no_share": referee_pb.NoShare()}

_FAILED: Final = "FAILED_PRECONDITION"
_INVALID: Final = "INVALID_ARGUMENT"


@dataclass(frozen=True, kw_only=True)
class BadStep:
    """A step that is refused.

    Attributes:
        name: What is wrong with it.
        reason: Its reason.
        code: Code of the status of a single call.
        stage: How far the match has come.
        step: The step of north's.
        seat: Number of the seat on the wire.
        by: Who takes it.
        facts: What is told beside the reason.
    """

    name: str
    reason: str
    code: str = _FAILED
    stage: str = "forming"
    step: Mapping[str, object] = field(default_factory=dict)
    seat: int = Seat.NORTH + 1
    by: str = SEATED[Seat.NORTH]
    facts: Mapping[str, str] = field(default_factory=dict)

    def request(self, match_id: str) -> referee_pb.PrepareSeatRequest:
        """Return the request."""
        return referee_pb.PrepareSeatRequest(
            match_id=match_id,
            seat=self.seat,  # type: ignore[arg-type] # numbers that are no seats, too
            **self.step,  # type: ignore[arg-type] # names of steps
        )


def _untimely(name: str, stage: str, word: str, **step: object) -> BadStep:
    facts = {"stage": stage, "step": word}
    return BadStep(
        name=name, reason="STEP_OUT_OF_ORDER", stage=stage, step=step, facts=facts
    )


def _malformed(name: str, reason: str, at: str, **step: object) -> BadStep:
    return BadStep(
        name=name, reason=reason, code=_INVALID, step=step, facts={"field": at}
    )


STEPS: Final = [
    _untimely(
        "a commitment before the seats are taken",
        "forming",
        "commit",
        commitment=SHARE,
    ),
    _untimely(
        "a share before it was committed to", "committing", "reveal", nonce=SHARE
    ),
    _untimely("another commitment", "revealing", "commit", commitment=SHARE),
    _untimely("no share after a commitment", "revealing", "commit", **NO_SHARE),
    _untimely(
        "a seat that is left during play",
        "playing",
        "decline",
        decline=referee_pb.DeclineSeat(),
    ),
    _untimely("a share during play", "playing", "reveal", nonce=SHARE),
    BadStep(
        name="another share than the one committed to",
        reason="COMMITMENT_BROKEN",
        stage="revealing",
        step={"nonce": bytes(32)},
        facts={"seat": "north"},
    ),
    BadStep(
        name="a step after the end",
        reason="MATCH_OVER",
        stage="over",
        step={"nonce": SHARE},
        facts={"ending": "resigned"},
    ),
    BadStep(
        name="a seat of another bot",
        reason="SEAT_NOT_YOURS",
        code="PERMISSION_DENIED",
        step=ACCEPT,
        by=STRANGER,
        facts={"seat": "north"},
    ),
    BadStep(
        name="the opponent's seat",
        reason="SEAT_NOT_YOURS",
        code="PERMISSION_DENIED",
        step=ACCEPT,
        seat=Seat.SOUTH + 1,
        facts={"seat": "south"},
    ),
    BadStep(
        name="a seat of another world",
        reason="ENUM_UNKNOWN",
        code=_INVALID,
        step=ACCEPT,
        seat=17,
        facts={"field": "seat", "value": "17"},
    ),
    _malformed(
        "a short commitment", "FIELD_INVALID", "commitment", commitment=b"short"
    ),
    _malformed("a long share", "FIELD_INVALID", "nonce", nonce=bytes(33)),
    _malformed("no step", "FIELD_MISSING", "step"),
]
"""Steps of north's, and what they are refused for."""


async def stand_at(room: Room, stage: str) -> str:
    """Create a match that has come to a stage, and return its id."""
    match_id = await room.create(seed="steps" if stage in {"playing", "over"} else None)
    if stage == "forming":
        return match_id
    await room.prepare(match_id, **ACCEPT)
    if stage == "over":
        seat = Seat.SOUTH
        bot = SEATED[seat]
        await room.referee(bot, "ResignMatch", match_id=match_id, seat=seat + 1)
    if stage == "revealing":
        for seat, bot in zip(Seat, SEATED, strict=False):
            commitment = commit_seat(match_id, seat, SHARE)
            await room.referee(
                bot,
                "PrepareSeat",
                match_id=match_id,
                seat=seat + 1,
                commitment=commitment,
            )
    return match_id
