"""A match in public on the wire: facts, endings, clocks, events."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import repeat
from typing import Final

from google.protobuf.timestamp_pb2 import Timestamp

from ginref.app.report import ClockFacts, CreditFacts, MatchFacts, PublicEvent
from ginref.engine.kept import Kept
from ginref.engine.seat import Seat
from ginref.record.clock import ClockPolicy
from ginref.record.lifecycle import Ending
from ginref.transport.codec_enum import (
    DEAL_SOURCES,
    ENDINGS,
    FAULTS,
    SEATS,
    STAGES,
    STEPS,
)
from ginref.transport.codec_rules import clock_to_wire, ruleset_to_wire
from ginref.transport.part import part
from ginref.v1 import clock_pb2 as clock_pb
from ginref.v1 import event_pb2 as event_pb
from ginref.v1 import match_pb2 as match_pb
from ginref.v1 import seat_pb2 as seat_pb

_CLOCKS: Final = 1024
"""Seats whose clocks are kept as they were written: one of them runs at a time."""


def time_to_wire(time_ms: int) -> Timestamp:
    """Write a moment given in milliseconds since the Unix epoch."""
    seconds, rest_ms = divmod(time_ms, 1000)
    return Timestamp(seconds=seconds, nanos=rest_ms * 1_000_000)


def seats_to_wire(bots: Sequence[str]) -> list[seat_pb.SeatHolder]:
    """Write who plays, by seat."""
    return [
        seat_pb.SeatHolder(seat=SEATS[Seat(seat)], bot=bot)
        for seat, bot in enumerate(bots)
    ]


def seat_to_wire(seat: Seat | None) -> "seat_pb.Seat.ValueType | None":
    """Write a seat, or nothing for nobody."""
    return None if seat is None else SEATS[seat]


def ending_to_wire(ending: Ending) -> match_pb.Ending:
    """Write how a match ended."""
    return match_pb.Ending(
        kind=ENDINGS[ending.kind],
        winner=seat_to_wire(ending.winner),
        fault=FAULTS[ending.fault],
        seats_at_fault=[SEATS[seat] for seat in ending.seats_at_fault],
    )


def maybe_ending_to_wire(ending: Ending | None) -> match_pb.Ending | None:
    """Write how a match ended, or nothing while it goes on."""
    return None if ending is None else ending_to_wire(ending)


def match_to_wire(facts: MatchFacts) -> match_pb.Match:
    """Write the public facts of a match."""
    return match_pb.Match(
        match_id=facts.match_id,
        seats=seats_to_wire(facts.bots),
        ruleset=ruleset_to_wire(facts.ruleset),
        clock=clock_to_wire(facts.clock),
        strikes_allowed=facts.strikes_allowed,
        deal_source=DEAL_SOURCES[facts.deal_source],
        stage=STAGES[facts.stage],
        version=facts.version,
        ending=maybe_ending_to_wire(facts.ending),
        create_time=time_to_wire(facts.created_ms),
        referee_commitment=facts.commitment,
        commitment_signature=facts.signature,
        key_id=facts.key_id,
    )


def clocks_to_wire(clock: ClockFacts) -> clock_pb.MatchClock:
    """Write the clocks of a match."""
    return clock_pb.MatchClock.FromString(clocks_to_bytes(clock))


def clocks_to_bytes(clock: ClockFacts) -> bytes:
    """Write the clocks of a match, as bytes of a `MatchClock`."""
    running = clock_pb.MatchClock(
        deadline=(
            None if clock.deadline_ms is None else time_to_wire(clock.deadline_ms)
        ),
        server_time=time_to_wire(clock.now_ms),
        last_elapsed_ms=clock.elapsed_ms,
        last_referee_ms=clock.referee_ms,
        credits=map(credit_to_wire, clock.credits),
    )
    return b"".join(
        (
            _policy(clock.policy),
            *map(
                _seat_clock,
                Seat,
                clock.banks_ms,
                clock.strikes,
                repeat(clock.strikes_allowed),
            ),
            running.SerializeToString(),
        )
    )


def _policy_to_bytes(policy: ClockPolicy) -> bytes:
    return clock_pb.MatchClock(policy=clock_to_wire(policy)).SerializeToString()


_policy: Final = Kept(_policy_to_bytes)


@lru_cache(_CLOCKS)
def _seat_clock(seat: Seat, bank_ms: int, strikes: int, allowed: int) -> bytes:
    written = clock_pb.SeatClock(
        seat=SEATS[seat],
        bank_ms=bank_ms,
        strikes_used=strikes,
        strikes_left=max(0, allowed - strikes),
    )
    return part(clock_pb.MatchClock.SEATS_FIELD_NUMBER, written.SerializeToString())


def credit_to_wire(credit: CreditFacts) -> clock_pb.Credit:
    """Write what a seat is given back."""
    return clock_pb.Credit(
        version=credit.version, seat=SEATS[credit.seat], credit_ms=credit.credit_ms
    )


def events_to_wire(events: Iterable[PublicEvent]) -> list[event_pb.MatchEvent]:
    """Write events, oldest first."""
    return [_event_to_wire(event) for event in events]


def _event_to_wire(event: PublicEvent) -> event_pb.MatchEvent:
    written, version = event_pb.MatchEvent, event.version
    time = time_to_wire(event.time_ms)
    seat = seat_pb.SEAT_UNSPECIFIED if event.seat is None else SEATS[event.seat]
    match event.kind:
        case "created":
            return written(version=version, time=time, created=event_pb.Created())
        case "played":
            played = event_pb.Played(
                seat=seat, move=event.move or "", elapsed_ms=event.elapsed_ms
            )
            return written(version=version, time=time, played=played)
        case "struck":
            struck = event_pb.Struck(seat=seat, strikes_used=event.strikes)
            return written(version=version, time=time, struck=struck)
        case "ended":
            ended = event_pb.Ended(ending=maybe_ending_to_wire(event.ending))
            return written(version=version, time=time, ended=ended)
        case step:
            prepared = event_pb.Prepared(seat=seat, step=STEPS[step])
            return written(version=version, time=time, prepared=prepared)
