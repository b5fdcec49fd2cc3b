from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginref.app.live_match import LiveMatch
from ginref.app.report import PublicEvent, SeatReport
from ginref.app.reporting import public_report
from ginref.engine.card import PACK
from ginref.engine.ruleset import (
    GIN,
    HOLLYWOOD,
    OKLAHOMA,
    THREE_HANDED,
    Ruleset,
)
from ginref.engine.seat import Seat
from ginref.record.entry import Resigned
from ginref.record.lifecycle import Ending, EndingKind, Fault, step
from ginref.record.setup import Setup
from ginref.transport.codec_match import ending_to_wire
from ginref.transport.codec_view import public_view_to_wire, seat_view_to_wire
from ginref.v1 import match_pb2, seat_pb2, view_pb2
from ginref_client.codec import ending_from_wire, seat_view_from_wire

RULES = [
    HOLLYWOOD.but(game_target=40),
    OKLAHOMA.but(game_target=60),
    HOLLYWOOD.but(game_target=25, closed_policy="ordinal", big_gin_bonus=31),
    HOLLYWOOD.but(game_target=30, turn_limit=6, undercut_on_tie=False),
    HOLLYWOOD.but(game_target=30, game_bonus=100, line_bonus=25),
    GIN.but(boards=4, next_dealer="board_parity"),
    THREE_HANDED.but(game_target=60),
    THREE_HANDED.but(table="box", shutout="flat_bonus", shutout_bonus=100),
]

moments = st.tuples(
    st.integers(0, 30),
    st.sampled_from(RULES),
    st.integers(1, 400),
    st.sampled_from(Seat),
).filter(lambda moment: moment[3] < moment[1].seat_count)


@given(moments)
def test_a_view_survives_the_way_to_a_bot(
    live_at: Callable[..., LiveMatch],
    make_setup: Callable[..., Setup],
    report_for: Callable[..., SeatReport],
    moment: tuple[int, Ruleset, int, Seat],
) -> None:
    number, rules, entries, seat = moment
    setup = make_setup(number, rules=rules)
    live = live_at(number, entries + 10, setup=setup)
    report = report_for(live, seat)

    written = seat_view_to_wire(report).SerializeToString()
    read = seat_view_from_wire(view_pb2.SeatView.FromString(written))

    assert read == report.view
    assert read.legal == report.view.legal


@given(moments, st.booleans())
def test_a_seat_is_told_of_itself_and_others_what_everyone_is_told(
    live_at: Callable[..., LiveMatch],
    make_setup: Callable[..., Setup],
    report_for: Callable[..., SeatReport],
    moment: tuple[int, Ruleset, int, Seat],
    resigns: bool,  # noqa: FBT001 - a part of the moment
) -> None:
    number, rules, entries, seat = moment
    live = live_at(number, entries + 10, setup=make_setup(number, rules=rules))
    if resigns and not live.state.ending:
        live = replace(live, state=step(live.state, Resigned(seat)))

    table = seat_view_to_wire(report_for(live, seat)).table

    public = public_view_to_wire(public_report(live))
    assert public is not None
    assert table == public.table


@given(moments)
def test_no_view_names_a_card_that_its_seat_cannot_know(
    live_at: Callable[..., LiveMatch],
    make_setup: Callable[..., Setup],
    report_for: Callable[..., SeatReport],
    moment: tuple[int, Ruleset, int, Seat],
) -> None:
    number, rules, entries, seat = moment
    live = live_at(number, entries + 10, setup=make_setup(number, rules=rules))
    match = live.state.match
    assert match is not None
    known = {thrown.card for thrown in match.round.discards}
    if match.round.is_played_by(seat):
        known |= set(match.round.hand(seat))

    message = seat_view_to_wire(report_for(live, seat))

    message.ClearField("last_round")
    # The score sheet and the clocks hold no card text, but letters that look alike.
    text = str([message.table, message.own, message.legal_moves, message.events])
    for card in PACK:
        if card not in known:
            assert f'"{card}"' not in text


@given(st.integers(0, 5), st.integers(1, 400))
def test_the_public_view_names_no_card_of_a_hand(
    live_at: Callable[..., LiveMatch], number: int, entries: int
) -> None:
    live = live_at(number, entries + 7)
    match = live.state.match
    assert match is not None
    seen = {thrown.card for thrown in match.round.discards}

    message = public_view_to_wire(public_report(live))

    assert message is not None
    message.ClearField("last_round")
    for card in PACK:
        if card not in seen:
            assert f'"{card}"' not in str(message)


def test_there_is_no_public_view_before_play(live_at: Callable[..., LiveMatch]) -> None:
    assert public_view_to_wire(public_report(live_at(0, 3))) is None


def test_the_own_hand_is_the_only_one_in_a_view(
    live_at: Callable[..., LiveMatch], report_for: Callable[..., SeatReport]
) -> None:
    live = live_at(3, 12)

    message = seat_view_to_wire(report_for(live, Seat.NORTH))

    assert message.seat == seat_pb2.SEAT_NORTH
    assert live.state.match is not None
    hand = live.state.match.round.hand(Seat.NORTH)
    assert list(message.own.hand) == [str(card) for card in hand]


def test_a_draw_from_the_stock_is_never_named_in_events(
    live_at: Callable[..., LiveMatch], report_for: Callable[..., SeatReport]
) -> None:
    events = (
        PublicEvent(
            version=9,
            refusal=0,
            time_ms=1_790_000_000_007,
            kind="played",
            seat=Seat.SOUTH,
            move="draw_stock",
            elapsed_ms=41,
        ),
    )

    message = seat_view_to_wire(report_for(live_at(3, 12), Seat.NORTH, events))

    assert message.events[0].played.move == "draw_stock"
    assert message.events[0].played.elapsed_ms == 41
    assert message.events[0].time.ToJsonString() == "2026-09-21T14:13:20.007Z"


EVENTS = [
    pytest.param({"kind": "created"}, "created", {}, id="created tells nothing else"),
    pytest.param(
        {"kind": "committed", "seat": Seat.SOUTH},
        "prepared",
        {"seat": 2, "step": 3},
        id="a commitment is a step of its seat",
    ),
    pytest.param(
        {"kind": "struck", "seat": Seat.NORTH, "strikes": 2},
        "struck",
        {"seat": 1, "strikes_used": 2},
        id="a strike tells the count only",
    ),
]


@pytest.mark.parametrize(("facts", "kind", "told"), EVENTS)
def test_events_tell_what_everyone_may_know(
    live_at: Callable[..., LiveMatch],
    report_for: Callable[..., SeatReport],
    facts: dict[str, object],
    kind: str,
    told: dict[str, object],
) -> None:
    event = PublicEvent(version=2, refusal=0, time_ms=5, **facts)  # type: ignore[arg-type]

    message = seat_view_to_wire(report_for(live_at(3, 12), Seat.NORTH, (event,)))

    written = message.events[0]
    assert written.WhichOneof("event") == kind
    assert {
        field.name: value for field, value in getattr(written, kind).ListFields()
    } == told


def test_an_ending_says_who_won_and_who_was_at_fault(
    live_at: Callable[..., LiveMatch], report_for: Callable[..., SeatReport]
) -> None:
    report = report_for(live_at(1, 12), Seat.NORTH)
    ending = Ending(EndingKind.RESIGNED, Seat.NORTH, Fault.SEAT, (Seat.SOUTH,))
    over = replace(report, facts=replace(report.facts, ending=ending))

    written = seat_view_to_wire(over).ending

    assert (written.kind, written.winner, written.fault) == (3, 1, 1)
    assert list(written.seats_at_fault) == [2]


@pytest.mark.parametrize("fault", list(Fault), ids=str)
def test_an_ending_always_says_whose_fault_it_was(fault: Fault) -> None:
    ending = Ending(EndingKind.COMPLETED, Seat.NORTH, fault)

    written = ending_to_wire(ending)

    assert written.fault != match_pb2.FAULT_KIND_UNSPECIFIED
    assert ending_from_wire(written) == ending
