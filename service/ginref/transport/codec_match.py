"""A match in public on the wire: facts, endings, clocks, events."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import repeat
from typing import Final

from google.protobuf.timestamp_pb2 import Timestamp

from ginref.app.report import ClockFacts, CreditFacts, MatchFacts, PublicEvent
from ginref.engine.kept import kept
from ginref.engine.seat import Seat
from ginref.record.clock import ClockPolicy
from ginref.record.lifecycle import Ending
from ginref.record.tournament_place import TournamentPlace
from ginref.transport.codec_enum import (
    DEAL_SOURCES,
    ENDINGS,
    FAULTS,
    SEATS,
    STAGES,
    STEPS,
)
from ginref.transport.codec_rules import clock_to_wire, ruleset_to_wire
from ginref.transport.part import number, numbers, part, parts, texts
from ginref.v1 import clock_pb2 as clock_pb
from ginref.v1 import event_pb2 as event_pb
from ginref.v1 import match_pb2 as match_pb
from ginref.v1 import seat_pb2 as seat_pb

_Clock: Final = clock_pb.MatchClock
_Event: Final = event_pb.MatchEvent

_SEATS: Final = tuple(Seat)
_CLOCKS: Final = 1024
"""Seats whose clocks are kept as they were written: one of them runs at a time."""


def time_to_wire(time_ms: int) -> Timestamp:
    """Write a moment given in milliseconds since the Unix epoch."""
    return Timestamp.FromString(time_to_bytes(time_ms))


def time_to_bytes(time_ms: int) -> bytes:
    """Write a moment in milliseconds since the Unix epoch, as bytes of a `Timestamp`.

    The second is the same for many of them.
    """
    seconds, rest_ms = divmod(time_ms, 1000)
    return _seconds(seconds) + _nanos(rest_ms * 1_000_000)


_seconds: Final = numbers(Timestamp.SECONDS_FIELD_NUMBER)
_nanos: Final = numbers(Timestamp.NANOS_FIELD_NUMBER)


def seats_to_wire(bots: Sequence[str]) -> list[seat_pb.SeatHolder]:
    """Write who plays, by seat."""
    return [
        seat_pb.SeatHolder(seat=SEATS[Seat(seat)], bot=bot)
        for seat, bot in enumerate(bots)
    ]


def seat_to_wire(seat: Seat | None) -> "seat_pb.Seat.ValueType | None":
    """Write a seat, or nothing for nobody."""
    return None if seat is None else SEATS[seat]


def seat_fields(field: int) -> Mapping[Seat | None, bytes]:
    """Return the field of a message for each seat that can be in it, or nobody."""
    return {None: b"", **{seat: number(field, SEATS[seat]) for seat in Seat}}


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
        receipts=facts.receipts,
        place=None if facts.place is None else _place(facts.place),
        seat_commitments=facts.commitments,
    )


def _place(place: TournamentPlace) -> match_pb.TournamentPlace:
    return match_pb.TournamentPlace(
        tournament_id=place.tournament,
        fixture_id=place.fixture,
        attempt=place.attempt,
        game=place.game,
        deal=place.deal,
    )


def clocks_to_wire(clock: ClockFacts) -> clock_pb.MatchClock:
    """Write the clocks of a match."""
    return clock_pb.MatchClock.FromString(clocks_to_bytes(clock))


def clocks_to_bytes(clock: ClockFacts) -> bytes:
    """Write the clocks of a match, as bytes of a `MatchClock`."""
    deadline_ms = clock.deadline_ms
    return b"".join(
        (
            _policy(clock.policy),
            *map(
                _seat_clock,
                _SEATS,
                clock.banks_ms,
                clock.strikes,
                repeat(clock.strikes_allowed),
            ),
            b"" if deadline_ms is None else _deadline(time_to_bytes(deadline_ms)),
            _server_time(time_to_bytes(clock.now_ms)),
            _last_elapsed(clock.elapsed_ms),
            _last_referee(clock.referee_ms),
            *map(_credit, clock.credits),
        )
    )


_deadline: Final = parts(_Clock.DEADLINE_FIELD_NUMBER)
_server_time: Final = parts(_Clock.SERVER_TIME_FIELD_NUMBER)
_last_elapsed: Final = numbers(_Clock.LAST_ELAPSED_MS_FIELD_NUMBER)
_last_referee: Final = numbers(_Clock.LAST_REFEREE_MS_FIELD_NUMBER)


def _policy_to_bytes(policy: ClockPolicy) -> bytes:
    return _Clock(policy=clock_to_wire(policy)).SerializeToString()


_policy: Final = kept(_policy_to_bytes)


@lru_cache(_CLOCKS)
def _seat_clock(seat: Seat, bank_ms: int, strikes: int, allowed: int) -> bytes:
    written = clock_pb.SeatClock(
        seat=SEATS[seat],
        bank_ms=bank_ms,
        strikes_used=strikes,
        strikes_left=max(0, allowed - strikes),
    )
    return _Clock(seats=[written]).SerializeToString()


def _credit(credit: CreditFacts) -> bytes:
    return _Clock(credits=[credit_to_wire(credit)]).SerializeToString()


def credit_to_wire(credit: CreditFacts) -> clock_pb.Credit:
    """Write what a seat is given back."""
    return clock_pb.Credit(
        version=credit.version, seat=SEATS[credit.seat], credit_ms=credit.credit_ms
    )


def events_to_wire(events: Iterable[PublicEvent]) -> list[event_pb.MatchEvent]:
    """Write events, oldest first."""
    return [_Event.FromString(event_to_bytes(event)) for event in events]


def event_to_bytes(event: PublicEvent) -> bytes:
    """Write an event, as bytes of a `MatchEvent`."""
    version, time = _version(event.version), time_to_bytes(event.time_ms)
    return version + _time(time) + _what_happened(event)


def _what_happened(event: PublicEvent) -> bytes:
    match event.kind:
        case "played":
            mover, move = _PLAYED_BY[event.seat], _move(event.move or "")
            return _played(mover + move + _elapsed(event.elapsed_ms))
        case "created":
            return part(_Event.CREATED_FIELD_NUMBER, b"")
        case "struck":
            used = number(event_pb.Struck.STRIKES_USED_FIELD_NUMBER, event.strikes)
            return part(_Event.STRUCK_FIELD_NUMBER, _STRUCK[event.seat] + used)
        case "ended":
            ended = event_pb.Ended(ending=maybe_ending_to_wire(event.ending))
            return part(_Event.ENDED_FIELD_NUMBER, ended.SerializeToString())
        case step:
            taken = number(event_pb.Prepared.STEP_FIELD_NUMBER, STEPS[step])
            return part(_Event.PREPARED_FIELD_NUMBER, _PREPARED[event.seat] + taken)


_time: Final = parts(_Event.TIME_FIELD_NUMBER)
_played: Final = parts(_Event.PLAYED_FIELD_NUMBER)
_move: Final = texts(event_pb.Played.MOVE_FIELD_NUMBER)
_PLAYED_BY: Final = seat_fields(event_pb.Played.SEAT_FIELD_NUMBER)
_STRUCK: Final = seat_fields(event_pb.Struck.SEAT_FIELD_NUMBER)
_PREPARED: Final = seat_fields(event_pb.Prepared.SEAT_FIELD_NUMBER)
_version: Final = numbers(_Event.VERSION_FIELD_NUMBER)
_elapsed: Final = numbers(event_pb.Played.ELAPSED_MS_FIELD_NUMBER)
