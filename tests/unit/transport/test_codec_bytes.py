"""What is written as bytes by hand is what the generated code would write."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from google.protobuf.timestamp_pb2 import Timestamp
from hypothesis import given
from hypothesis import strategies as st

from ginref.app.live_match import LiveMatch
from ginref.app.message import Events, MoveResult, Turn
from ginref.app.report import (
    ClockFacts,
    CreditFacts,
    MoveReport,
    PublicEvent,
    SeatReport,
)
from ginref.engine.card import Card
from ginref.engine.ruleset import GIN, HOLLYWOOD, OKLAHOMA, THREE_HANDED, Ruleset
from ginref.engine.seat import Seat
from ginref.engine.view import OpponentView, SeatView
from ginref.record.clock import STANDARD
from ginref.record.lifecycle import Ending, EndingKind, Fault
from ginref.record.setup import Setup
from ginref.transport.codec_enum import DRAWN_FROM, PHASES, SEATS, STEPS
from ginref.transport.codec_match import (
    clocks_to_bytes,
    ending_to_wire,
    event_to_bytes,
    seat_to_wire,
    time_to_bytes,
)
from ginref.transport.codec_message import message_to_bytes
from ginref.transport.codec_move import legal_to_wire
from ginref.transport.codec_rules import clock_to_wire, ruleset_to_wire
from ginref.transport.codec_sheet import reveal_to_wire, sheet_to_wire
from ginref.transport.codec_turn import answer_to_bytes
from ginref.v1 import (
    bot_service_pb2,
    clock_pb2,
    event_pb2,
    referee_service_pb2,
    seat_pb2,
    session_pb2,
    view_pb2,
)

RULES = [
    HOLLYWOOD.but(game_target=40),
    OKLAHOMA.but(game_target=60, turn_limit=200),
    GIN.but(boards=4, next_dealer="board_parity", may_discard_taken_card=True),
    THREE_HANDED.but(game_target=60),
]

seats = st.sampled_from(Seat)
moments_ms = st.integers(0, 2**42)
milliseconds = st.integers(-(2**31), 2**31 - 1)
ENDED = Ending(EndingKind.RESIGNED, Seat.NORTH, Fault.SEAT, (Seat.SOUTH,))
events = st.builds(
    PublicEvent,
    version=st.integers(1, 3000),
    refusal=st.just(0),
    time_ms=moments_ms,
    kind=st.sampled_from(["created", "played", "struck", "ended", *STEPS]),
    seat=st.none() | seats,
    move=st.sampled_from([None, "pass", "draw_stock", "knock Td As2s3s 9h9d9c"]),
    elapsed_ms=milliseconds,
    strikes=st.integers(0, 200),
    ending=st.just(ENDED),
)


def moment(time_ms: int) -> Timestamp:
    return Timestamp(seconds=time_ms // 1000, nanos=time_ms % 1000 * 1_000_000)


@given(moments_ms)
def test_a_moment(time_ms: int) -> None:
    assert Timestamp.FromString(time_to_bytes(time_ms)) == moment(time_ms)


@given(
    st.lists(st.tuples(st.integers(0, 2**31 - 1), st.integers(0, 9)), max_size=3),
    st.none() | moments_ms,
    moments_ms,
    milliseconds,
    st.lists(st.builds(CreditFacts, st.integers(1, 99), seats, st.integers(1, 9))),
)
def test_the_clocks_of_a_match(
    per_seat: list[tuple[int, int]],
    deadline_ms: int | None,
    now_ms: int,
    elapsed_ms: int,
    credits_: list[CreditFacts],
) -> None:
    facts = ClockFacts(
        policy=STANDARD,
        banks_ms=tuple(bank_ms for bank_ms, _ in per_seat),
        strikes=tuple(strikes for _, strikes in per_seat),
        strikes_allowed=3,
        deadline_ms=deadline_ms,
        now_ms=now_ms,
        elapsed_ms=elapsed_ms,
        referee_ms=7,
        credits=tuple(credits_),
    )

    read = clock_pb2.MatchClock.FromString(clocks_to_bytes(facts))

    assert read == clock_pb2.MatchClock(
        policy=clock_to_wire(STANDARD),
        seats=[
            clock_pb2.SeatClock(
                seat=SEATS[Seat(seat)],
                bank_ms=bank_ms,
                strikes_used=strikes,
                strikes_left=max(0, 3 - strikes),
            )
            for seat, (bank_ms, strikes) in enumerate(per_seat)
        ],
        deadline=None if deadline_ms is None else moment(deadline_ms),
        server_time=moment(now_ms),
        last_elapsed_ms=elapsed_ms,
        last_referee_ms=7,
        credits=[
            clock_pb2.Credit(
                version=credit.version,
                seat=SEATS[credit.seat],
                credit_ms=credit.credit_ms,
            )
            for credit in credits_
        ],
    )


def event_to_wire(event: PublicEvent) -> event_pb2.MatchEvent:
    seat = seat_pb2.SEAT_UNSPECIFIED if event.seat is None else SEATS[event.seat]
    told: dict[str, object] = {
        "created": event_pb2.Created(),
        "played": event_pb2.Played(
            seat=seat, move=event.move or "", elapsed_ms=event.elapsed_ms
        ),
        "struck": event_pb2.Struck(seat=seat, strikes_used=event.strikes),
        "ended": event_pb2.Ended(ending=ending_to_wire(ENDED)),
    }
    written = event_pb2.MatchEvent(version=event.version, time=moment(event.time_ms))
    if event.kind in told:
        getattr(written, event.kind).CopyFrom(told[event.kind])
    else:
        step = event_pb2.Prepared(seat=seat, step=STEPS[event.kind])
        written.prepared.CopyFrom(step)
    return written


@given(events)
def test_an_event(event: PublicEvent) -> None:
    read = event_pb2.MatchEvent.FromString(event_to_bytes(event))

    assert read == event_to_wire(event)


def texts(cards: Iterable[Card]) -> list[str]:
    return [str(card) for card in cards]


def side_to_wire(side: OpponentView) -> view_pb2.SeatTable:
    return view_pb2.SeatTable(
        seat=SEATS[side.seat],
        hand_count=side.hand_count,
        known=texts(side.known),
        took=texts(side.took),
        refused_upcard=side.passed,
        refused=texts(side.upcard_refusals),
    )


def table_to_wire(view: SeatView) -> view_pb2.TableView:
    shown = [view.own, *view.opponents]
    out = set(view.seats) - {side.seat for side in shown}
    sides = [side_to_wire(side) for side in shown]
    sides += [view_pb2.SeatTable(seat=SEATS[seat]) for seat in out]
    return view_pb2.TableView(
        round=view.round_number,
        deal=view.deal_number + 1,
        phase=PHASES[view.phase],
        dealer=SEATS[view.dealer],
        idle=seat_to_wire(view.idle),
        to_act=seat_to_wire(view.to_act),
        turn=view.turn,
        turns_left=view.turns_left,
        knock_limit=view.knock_limit,
        first_upcard=str(view.first_upcard),
        multiplier=view.multiplier,
        stock_count=view.stock_count,
        draws_left=view.draws_left,
        upcard=None if view.upcard is None else str(view.upcard),
        forced_stock=view.forced_stock,
        thrown=[
            view_pb2.Thrown(
                card=str(entry.card),
                seat=seat_to_wire(entry.seat),
                turn=entry.turn,
                taken_by=seat_to_wire(entry.taken_by),
            )
            for entry in view.pile
        ],
        seats=sorted(sides, key=lambda side: side.seat),
    )


def view_to_wire(report: SeatReport) -> view_pb2.SeatView:
    view, facts, kept = report.view, report.facts, report.view.forbidden_discard
    written = view_pb2.SeatView(
        match_id=facts.match_id,
        seat=SEATS[view.seat],
        version=facts.version,
        seats=[
            seat_pb2.SeatHolder(seat=SEATS[Seat(seat)], bot=bot)
            for seat, bot in enumerate(facts.bots)
        ],
        ruleset=ruleset_to_wire(view.rules),
        table=table_to_wire(view),
        own=view_pb2.OwnCards(
            hand=texts(view.hand),
            drawn=None if view.drawn is None else str(view.drawn),
            drawn_from=DRAWN_FROM[view.drawn_from],
            kept=None if kept is None else str(kept),
        ),
        sheet=sheet_to_wire(view.sheet, view.rules.game_target),
        next_columns=[at + 1 for at in view.next_columns],
        legal_moves=map(legal_to_wire, view.legal),
        events=map(event_to_wire, report.events),
    )
    written.clock.ParseFromString(clocks_to_bytes(report.clock))
    if view.last_result is not None:
        written.last_round.CopyFrom(reveal_to_wire(view.last_result))
    if facts.ending is not None:
        written.ending.CopyFrom(ending_to_wire(facts.ending))
    return written


moments = st.tuples(
    st.integers(0, 30), st.sampled_from(RULES), st.integers(11, 400), seats
)


@given(moments, st.lists(events, max_size=3))
def test_a_turn(
    live_at: Callable[..., LiveMatch],
    make_setup: Callable[..., Setup],
    report_for: Callable[..., SeatReport],
    at: tuple[int, Ruleset, int, Seat],
    told: list[PublicEvent],
) -> None:
    number, rules, entries, seat = at
    live = live_at(number, entries, setup=make_setup(number, rules=rules))
    report = report_for(live, Seat(seat % rules.seat_count), tuple(told))

    read = bot_service_pb2.ConnectResponse.FromString(message_to_bytes(Turn(report)))

    assert read.turn == session_pb2.Turn(view=view_to_wire(report))


reports = st.builds(
    MoveReport,
    version=st.integers(1, 3000),
    time_ms=moments_ms,
    elapsed_ms=milliseconds,
    referee_ms=st.integers(0, 99),
    turn=st.none(),
    ending=st.none() | st.just(ENDED),
)


@given(reports, seats, st.text(min_size=1))
def test_an_accepted_move(report: MoveReport, seat: Seat, request_id: str) -> None:
    result = MoveResult(
        match_id="m", seat=seat, request_id=request_id, result=report, version=12
    )

    read = bot_service_pb2.ConnectResponse.FromString(message_to_bytes(result))

    assert read.move_result == session_pb2.MoveResult(
        match_id="m",
        seat=SEATS[seat],
        request_id=request_id,
        accepted=session_pb2.MoveAccepted(
            version=report.version,
            accept_time=moment(report.time_ms),
            elapsed_ms=report.elapsed_ms,
            referee_ms=report.referee_ms,
        ),
    )


@given(reports, st.booleans())
def test_the_answer_to_a_call(
    live_at: Callable[..., LiveMatch],
    report_for: Callable[..., SeatReport],
    report: MoveReport,
    goes_on: bool,  # noqa: FBT001 - a part of the answer
) -> None:
    turn = report_for(live_at(3, 12), Seat.NORTH) if goes_on else None

    written = answer_to_bytes(replace(report, turn=turn))

    assert referee_service_pb2.SubmitMoveResponse.FromString(
        written
    ) == referee_service_pb2.SubmitMoveResponse(
        version=report.version,
        accept_time=moment(report.time_ms),
        elapsed_ms=report.elapsed_ms,
        referee_ms=report.referee_ms,
        turn=None if turn is None else view_to_wire(turn),
        ending=None if report.ending is None else ending_to_wire(ENDED),
    )


@given(st.lists(events, max_size=4).map(tuple), seats)
def test_events_that_happen(told: tuple[PublicEvent, ...], seat: Seat) -> None:
    message = Events(match_id="m", seat=seat, version=9, events=told)

    read = bot_service_pb2.ConnectResponse.FromString(message_to_bytes(message))

    assert read.events == session_pb2.Events(
        match_id="m",
        seat=SEATS[seat],
        version=9,
        events=map(event_to_wire, told),
    )
