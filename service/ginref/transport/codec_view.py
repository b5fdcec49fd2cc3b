"""Views on the wire: all that a seat may know, and what anyone may know."""

from collections.abc import Iterable
from functools import lru_cache
from operator import attrgetter
from typing import Final

from ginref.app.report import PublicReport, SeatReport
from ginref.engine.card import PACK
from ginref.engine.kept import kept
from ginref.engine.move import Discard, Move
from ginref.engine.opponent import sits_out
from ginref.engine.ruleset import Ruleset
from ginref.engine.view import (
    DiscardEntry,
    OpponentView,
    RoundReveal,
    SeatView,
    TableView,
)
from ginref.transport.codec_enum import DRAWN_FROM, PHASES
from ginref.transport.codec_match import (
    clocks_to_bytes,
    clocks_to_wire,
    event_to_bytes,
    maybe_ending_to_wire,
    seat_fields,
    seat_to_wire,
    seats_to_wire,
)
from ginref.transport.codec_move import card_fields, legal_to_wire
from ginref.transport.codec_rules import ruleset_to_wire
from ginref.transport.codec_sheet import (
    columns_to_wire,
    reveal_to_wire,
    sheet_to_bytes,
    sheet_to_wire,
)
from ginref.transport.part import number, numbers, parts, texts
from ginref.v1 import view_pb2 as view_pb

_View: Final = view_pb.SeatView
_Table: Final = view_pb.TableView
_Side: Final = view_pb.SeatTable
_Own: Final = view_pb.OwnCards

_MOVES: Final = 256
"""Legal moves whose bytes are kept: more than there are."""

_COLUMNS: Final = 64
"""Choices of columns whose bytes are kept."""

_THROWN: Final = 8192
"""Thrown cards whose bytes are kept: each of them is part of many views."""

_TABLES: Final = 1024
"""Tables that are played at while the bytes of who sits at them are kept."""


def seat_view_to_wire(report: SeatReport) -> view_pb.SeatView:
    """Write all that one seat may know now."""
    return view_pb.SeatView.FromString(seat_view_to_bytes(report))


def seat_view_to_bytes(report: SeatReport) -> bytes:
    """Write all that one seat may know now, as bytes of a `SeatView`."""
    view, facts, rules = report.view, report.facts, report.view.rules
    ending = maybe_ending_to_wire(facts.ending)
    return b"".join(
        (
            _match_id(facts.match_id),
            _SEAT[view.seat],
            _version(facts.version),
            _seats(facts.bots),
            _rules(rules),
            _table(_table_to_bytes(view, _sides(view))),
            _own(_own_to_bytes(view)),
            _sheet(sheet_to_bytes(view.sheet, rules.game_target)),
            _next_columns(view.next_columns),
            _clock(clocks_to_bytes(report.clock)),
            *[
                _DISCARDS[move.card] if isinstance(move, Discard) else _legal(move)
                for move in view.legal
            ],
            *[_event(event_to_bytes(event)) for event in report.events],
            b"" if view.last_result is None else _last_round(view.last_result),
            b"" if ending is None else _ending(ending.SerializeToString()),
        )
    )


_match_id: Final = texts(_View.MATCH_ID_FIELD_NUMBER)
_SEAT: Final = seat_fields(_View.SEAT_FIELD_NUMBER)
_table: Final = parts(_View.TABLE_FIELD_NUMBER)
_own: Final = parts(_View.OWN_FIELD_NUMBER)
_sheet: Final = parts(_View.SHEET_FIELD_NUMBER)
_clock: Final = parts(_View.CLOCK_FIELD_NUMBER)
_event: Final = parts(_View.EVENTS_FIELD_NUMBER)
_ending: Final = parts(_View.ENDING_FIELD_NUMBER)
_version: Final = numbers(_View.VERSION_FIELD_NUMBER)


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
        table=_Table.FromString(_table_to_bytes(view, view.players)),
        sheet=sheet_to_wire(view.sheet, view.rules.game_target),
        clock=clocks_to_wire(report.clock),
        last_round=(
            None if view.last_result is None else reveal_to_wire(view.last_result)
        ),
        ending=maybe_ending_to_wire(facts.ending),
    )


@lru_cache(_TABLES)
def _seats(bots: tuple[str, ...]) -> bytes:
    return _View(seats=seats_to_wire(bots)).SerializeToString()


@kept
def _rules(rules: Ruleset) -> bytes:
    return _View(ruleset=ruleset_to_wire(rules)).SerializeToString()


@lru_cache(_COLUMNS)
def _next_columns(columns: tuple[int, ...]) -> bytes:
    return _View(next_columns=columns_to_wire(columns)).SerializeToString()


@lru_cache(_MOVES)
def _legal(move: Move) -> bytes:
    return _View(legal_moves=[legal_to_wire(move)]).SerializeToString()


# Most legal moves are discards, and a card is found faster than a move.
_DISCARDS: Final = {card: _legal(Discard(card)) for card in PACK}


@kept
def _last_round(reveal: RoundReveal) -> bytes:
    return _View(last_round=reveal_to_wire(reveal)).SerializeToString()


def _own_to_bytes(view: SeatView) -> bytes:
    return b"".join(
        (
            *map(_HAND.__getitem__, view.hand),
            _DRAWN[view.drawn],
            _DRAWN_FROM[view.drawn_from],
            _KEPT[view.forbidden_discard],
        )
    )


_HAND: Final = card_fields(_Own.HAND_FIELD_NUMBER)
_DRAWN: Final = card_fields(_Own.DRAWN_FIELD_NUMBER)
_DRAWN_FROM: Final = {
    origin: number(_Own.DRAWN_FROM_FIELD_NUMBER, value)
    for origin, value in DRAWN_FROM.items()
}
_KEPT: Final = card_fields(_Own.KEPT_FIELD_NUMBER)


def _table_to_bytes(view: TableView, sides: Iterable[OpponentView]) -> bytes:
    return b"".join(
        (
            _round(view.round_number),
            _deal(view.deal_number + 1),
            _PHASE[view.phase],
            _DEALER[view.dealer],
            _IDLE[view.idle],
            _TO_ACT[view.to_act],
            _turn(view.turn),
            _turns_left(view.turns_left),
            _knock_limit(view.knock_limit),
            _FIRST_UPCARD[view.first_upcard],
            _multiplier(view.multiplier),
            _stock_count(view.stock_count),
            _draws_left(view.draws_left),
            _UPCARD[view.upcard],
            _FORCED_STOCK if view.forced_stock else b"",
            *map(_thrown, view.pile),
            *map(_side_to_bytes, sorted(sides, key=_by_seat)),
        )
    )


_round: Final = numbers(_Table.ROUND_FIELD_NUMBER)
_deal: Final = numbers(_Table.DEAL_FIELD_NUMBER)
_PHASE: Final = {
    phase: number(_Table.PHASE_FIELD_NUMBER, value) for phase, value in PHASES.items()
}
_DEALER: Final = seat_fields(_Table.DEALER_FIELD_NUMBER)
_IDLE: Final = seat_fields(_Table.IDLE_FIELD_NUMBER)
_TO_ACT: Final = seat_fields(_Table.TO_ACT_FIELD_NUMBER)
_turn: Final = numbers(_Table.TURN_FIELD_NUMBER)
_turns_left: Final = numbers(_Table.TURNS_LEFT_FIELD_NUMBER)
_knock_limit: Final = numbers(_Table.KNOCK_LIMIT_FIELD_NUMBER)
_FIRST_UPCARD: Final = card_fields(_Table.FIRST_UPCARD_FIELD_NUMBER)
_multiplier: Final = numbers(_Table.MULTIPLIER_FIELD_NUMBER)
_stock_count: Final = numbers(_Table.STOCK_COUNT_FIELD_NUMBER)
_draws_left: Final = numbers(_Table.DRAWS_LEFT_FIELD_NUMBER)
_UPCARD: Final = card_fields(_Table.UPCARD_FIELD_NUMBER)
_by_seat: Final = attrgetter("seat")
_FORCED_STOCK: Final = number(_Table.FORCED_STOCK_FIELD_NUMBER, value=True)


@lru_cache(_THROWN)
def _thrown(entry: DiscardEntry) -> bytes:
    thrown = view_pb.Thrown(
        card=str(entry.card),
        seat=seat_to_wire(entry.seat),
        turn=entry.turn,
        taken_by=seat_to_wire(entry.taken_by),
    )
    return _Table(thrown=[thrown]).SerializeToString()


def _side_to_bytes(side: OpponentView) -> bytes:
    written = (
        _SIDE[side.seat],
        _hand_count(side.hand_count),
        *map(_KNOWN.__getitem__, side.known if side.took else ()),
        *map(_TOOK.__getitem__, side.took),
        _PASSED if side.passed else b"",
        *map(_REFUSED.__getitem__, side.upcard_refusals),
    )
    return _side(b"".join(written))


_side: Final = parts(_Table.SEATS_FIELD_NUMBER)
_SIDE: Final = seat_fields(_Side.SEAT_FIELD_NUMBER)
_hand_count: Final = numbers(_Side.HAND_COUNT_FIELD_NUMBER)
_KNOWN: Final = card_fields(_Side.KNOWN_FIELD_NUMBER)
_TOOK: Final = card_fields(_Side.TOOK_FIELD_NUMBER)
_PASSED: Final = number(_Side.REFUSED_UPCARD_FIELD_NUMBER, value=True)
_REFUSED: Final = card_fields(_Side.REFUSED_FIELD_NUMBER)


def _sides(view: SeatView) -> list[OpponentView]:
    """Return what everyone knows of each seat of the match."""
    sides = [view.own, *view.opponents]
    if view.idle is not None and not view.is_idle:
        sides.append(sits_out(view.idle))
    return sides
