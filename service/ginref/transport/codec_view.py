"""Views on the wire: all that a seat may know, and what anyone may know."""

from collections.abc import Iterable

from ginref.app.report import PublicReport, SeatReport
from ginref.engine.opponent import sits_out
from ginref.engine.seat import Seat
from ginref.engine.view import (
    DiscardEntry,
    OpponentView,
    RoundReveal,
    SeatView,
    TableView,
)
from ginref.transport.codec_enum import DRAWN_FROM, PHASES, SEATS
from ginref.transport.codec_match import (
    clocks_to_wire,
    events_to_wire,
    maybe_ending_to_wire,
    seat_to_wire,
    seats_to_wire,
)
from ginref.transport.codec_move import cards_to_wire, legal_to_wire
from ginref.transport.codec_rules import ruleset_to_wire
from ginref.transport.codec_sheet import (
    columns_to_wire,
    reveal_to_wire,
    sheet_to_wire,
)
from ginref.v1 import view_pb2 as view_pb


def seat_view_to_wire(report: SeatReport) -> view_pb.SeatView:
    """Write all that one seat may know now."""
    view, facts = report.view, report.facts
    kept = view.forbidden_discard
    return view_pb.SeatView(
        match_id=facts.match_id,
        seat=SEATS[view.seat],
        version=facts.version,
        seats=seats_to_wire(facts.bots),
        ruleset=ruleset_to_wire(view.rules),
        table=_table_to_wire(view, _sides(view)),
        own=view_pb.OwnCards(
            hand=cards_to_wire(view.hand),
            drawn=None if view.drawn is None else str(view.drawn),
            drawn_from=DRAWN_FROM[view.drawn_from],
            kept=None if kept is None else str(kept),
        ),
        sheet=sheet_to_wire(view.sheet, view.rules.game_target),
        next_columns=columns_to_wire(view.next_columns),
        clock=clocks_to_wire(report.clock),
        legal_moves=map(legal_to_wire, view.legal),
        events=events_to_wire(report.events),
        last_round=_last_round_to_wire(view.last_result),
        ending=maybe_ending_to_wire(facts.ending),
    )


def public_view_to_wire(report: PublicReport) -> view_pb.PublicView | None:
    """Write what anyone may know now; nothing before play."""
    view, facts = report.view, report.facts
    if view is None:
        return None
    return view_pb.PublicView(
        match_id=facts.match_id,
        version=facts.version,
        seats=seats_to_wire(facts.bots),
        ruleset=ruleset_to_wire(view.rules),
        table=_table_to_wire(view, view.players),
        sheet=sheet_to_wire(view.sheet, view.rules.game_target),
        clock=clocks_to_wire(report.clock),
        last_round=_last_round_to_wire(view.last_result),
        ending=maybe_ending_to_wire(facts.ending),
    )


def _last_round_to_wire(reveal: RoundReveal | None) -> view_pb.RoundReveal | None:
    return None if reveal is None else reveal_to_wire(reveal)


def _table_to_wire(view: TableView, sides: Iterable[OpponentView]) -> view_pb.TableView:
    return view_pb.TableView(
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
        thrown=map(_thrown_to_wire, view.pile),
        forced_stock=view.forced_stock,
        seats=map(_side_to_wire, sorted(sides, key=_by_seat)),
    )


def _by_seat(side: OpponentView) -> Seat:
    return side.seat


def _thrown_to_wire(entry: DiscardEntry) -> view_pb.Thrown:
    return view_pb.Thrown(
        card=str(entry.card),
        seat=seat_to_wire(entry.seat),
        turn=entry.turn,
        taken_by=seat_to_wire(entry.taken_by),
    )


def _side_to_wire(side: OpponentView) -> view_pb.SeatTable:
    return view_pb.SeatTable(
        seat=SEATS[side.seat],
        hand_count=side.hand_count,
        known=cards_to_wire(side.known),
        took=map(str, side.took),
        refused_upcard=side.passed,
        refused=map(str, side.upcard_refusals),
    )


def _sides(view: SeatView) -> list[OpponentView]:
    """Return what everyone knows of each seat of the match."""
    sides = [view.own, *view.opponents]
    if view.idle is not None and not view.is_idle:
        sides.append(sits_out(view.idle))
    return sides
