"""Views on the wire: all that a seat may know, and what anyone may know."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from ginref.app.report import PublicReport, SeatReport
from ginref.engine.kept import Kept
from ginref.engine.move import Move
from ginref.engine.opponent import sits_out
from ginref.engine.ruleset import Ruleset
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
    clocks_to_bytes,
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
    reveal_to_bytes,
    reveal_to_wire,
    sheet_to_bytes,
    sheet_to_wire,
)
from ginref.transport.part import part
from ginref.v1 import view_pb2 as view_pb

_View: Final = view_pb.SeatView

_MOVES: Final = 256
"""Legal moves whose bytes are kept: more than there are."""

_THROWN: Final = 8192
"""Thrown cards whose bytes are kept: each of them is part of many views."""

_TABLES: Final = 1024
"""Tables that are played at while the bytes of who sits at them are kept."""


def seat_view_to_wire(report: SeatReport) -> view_pb.SeatView:
    """Write all that one seat may know now."""
    return view_pb.SeatView.FromString(seat_view_to_bytes(report))


def seat_view_to_bytes(report: SeatReport) -> bytes:
    """Write all that one seat may know now, as bytes of a `SeatView`."""
    view, facts, kept = report.view, report.facts, report.view.forbidden_discard
    own = view_pb.OwnCards(
        hand=cards_to_wire(view.hand),
        drawn=None if view.drawn is None else str(view.drawn),
        drawn_from=DRAWN_FROM[view.drawn_from],
        kept=None if kept is None else str(kept),
    )
    rest = view_pb.SeatView(
        match_id=facts.match_id,
        seat=SEATS[view.seat],
        version=facts.version,
        next_columns=columns_to_wire(view.next_columns),
        ending=maybe_ending_to_wire(facts.ending),
    )
    return b"".join(
        (
            rest.SerializeToString(),
            _seats(facts.bots),
            _rules(view.rules),
            part(_View.TABLE_FIELD_NUMBER, _table_to_bytes(view, _sides(view))),
            part(_View.OWN_FIELD_NUMBER, own.SerializeToString()),
            part(
                _View.SHEET_FIELD_NUMBER,
                sheet_to_bytes(view.sheet, view.rules.game_target),
            ),
            part(_View.CLOCK_FIELD_NUMBER, clocks_to_bytes(report.clock)),
            *map(_legal, view.legal),
            *[
                part(_View.EVENTS_FIELD_NUMBER, event.SerializeToString())
                for event in events_to_wire(report.events)
            ],
            _last_round(view.last_result),
        )
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
        table=view_pb.TableView.FromString(_table_to_bytes(view, view.players)),
        sheet=sheet_to_wire(view.sheet, view.rules.game_target),
        clock=clocks_to_wire(report.clock),
        last_round=(
            None if view.last_result is None else reveal_to_wire(view.last_result)
        ),
        ending=maybe_ending_to_wire(facts.ending),
    )


@lru_cache(_TABLES)
def _seats(bots: tuple[str, ...]) -> bytes:
    return view_pb.SeatView(seats=seats_to_wire(bots)).SerializeToString()


def _rules_to_bytes(rules: Ruleset) -> bytes:
    return view_pb.SeatView(ruleset=ruleset_to_wire(rules)).SerializeToString()


_rules: Final = Kept(_rules_to_bytes)


@lru_cache(_MOVES)
def _legal(move: Move) -> bytes:
    written = legal_to_wire(move).SerializeToString()
    return part(_View.LEGAL_MOVES_FIELD_NUMBER, written)


def _last_round(reveal: RoundReveal | None) -> bytes:
    if reveal is None:
        return b""
    return part(_View.LAST_ROUND_FIELD_NUMBER, reveal_to_bytes(reveal))


def _table_to_bytes(view: TableView, sides: Iterable[OpponentView]) -> bytes:
    rest = view_pb.TableView(
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
    )
    return b"".join(
        (
            rest.SerializeToString(),
            *map(_thrown, view.pile),
            *map(_side, sorted(sides, key=_by_seat)),
        )
    )


def _by_seat(side: OpponentView) -> Seat:
    return side.seat


@lru_cache(_THROWN)
def _thrown(entry: DiscardEntry) -> bytes:
    thrown = view_pb.Thrown(
        card=str(entry.card),
        seat=seat_to_wire(entry.seat),
        turn=entry.turn,
        taken_by=seat_to_wire(entry.taken_by),
    )
    return part(view_pb.TableView.THROWN_FIELD_NUMBER, thrown.SerializeToString())


@lru_cache(_TABLES)
def _side(side: OpponentView) -> bytes:
    table = view_pb.SeatTable(
        seat=SEATS[side.seat],
        hand_count=side.hand_count,
        known=cards_to_wire(side.known),
        took=map(str, side.took),
        refused_upcard=side.passed,
        refused=map(str, side.upcard_refusals),
    )
    return part(view_pb.TableView.SEATS_FIELD_NUMBER, table.SerializeToString())


def _sides(view: SeatView) -> list[OpponentView]:
    """Return what everyone knows of each seat of the match."""
    sides = [view.own, *view.opponents]
    if view.idle is not None and not view.is_idle:
        sides.append(sits_out(view.idle))
    return sides
