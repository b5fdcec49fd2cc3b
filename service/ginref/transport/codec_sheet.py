"""The score sheet and finished rounds on the wire. Games are numbered from 1."""

from collections.abc import Iterable
from typing import Final

from ginref.engine.kept import kept
from ginref.engine.phase import Showdown
from ginref.engine.seat import Seat
from ginref.engine.settlement import Settlement
from ginref.engine.sheet import Game, ScoreSheet
from ginref.engine.view import RoundReveal
from ginref.transport.codec_enum import OUTCOMES, SEATS
from ginref.transport.codec_match import seat_to_wire
from ginref.transport.codec_move import cards_to_wire, meld_to_wire
from ginref.transport.part import numbers
from ginref.v1 import sheet_pb2 as sheet_pb
from ginref.v1 import view_pb2 as view_pb


def sheet_to_wire(sheet: ScoreSheet, game_target: int) -> sheet_pb.ScoreSheet:
    """Write the score sheet."""
    return sheet_pb.ScoreSheet.FromString(sheet_to_bytes(sheet, game_target))


def sheet_to_bytes(sheet: ScoreSheet, game_target: int) -> bytes:
    """Write the score sheet, as bytes of a `ScoreSheet`."""
    return _target(game_target) + _columns(sheet)


_target: Final = numbers(sheet_pb.ScoreSheet.GAME_TARGET_FIELD_NUMBER)


def columns_to_wire(positions: Iterable[int]) -> list[int]:
    """Write positions of games as their numbers."""
    return [at + 1 for at in positions]


def reveal_to_wire(reveal: RoundReveal) -> view_pb.RoundReveal:
    """Write a round that ended in a knock, with both hands."""
    return view_pb.RoundReveal(
        round=reveal.number,
        dealer=SEATS[reveal.dealer],
        outcome=OUTCOMES[reveal.outcome],
        winner=seat_to_wire(reveal.winner),
        points=reveal.points,
        columns=columns_to_wire(reveal.columns),
        idle=seat_to_wire(reveal.idle),
        showdown=_showdown_to_wire(reveal.showdown),
    )


def _showdown_to_wire(shown: Showdown) -> view_pb.Showdown:
    return view_pb.Showdown(
        knocker=SEATS[shown.knocker],
        defender=SEATS[shown.defender],
        discard=None if shown.discard is None else str(shown.discard),
        knocker_melds=map(meld_to_wire, shown.arrangement.melds),
        knocker_deadwood=cards_to_wire(shown.arrangement.deadwood),
        defender_melds=map(meld_to_wire, shown.spread.melds),
        layoffs=[
            view_pb.Layoff(card=str(layoff.card), meld=layoff.meld)
            for layoff in shown.spread.layoffs
        ],
        defender_deadwood=cards_to_wire(shown.spread.deadwood),
        knocker_points=shown.arrangement.points,
        defender_points=shown.spread.points,
    )


def _columns_to_bytes(sheet: ScoreSheet) -> bytes:
    columns = sheet_pb.ScoreSheet(
        games=[_game_to_wire(game, at) for at, game in enumerate(sheet.games, start=1)],
        games_won=_counts_to_wire(sheet.games_won),
        rounds_won=_counts_to_wire(sheet.wins),
    )
    return columns.SerializeToString()


_columns: Final = kept(_columns_to_bytes)
"""Sheets change once a round, and are part of every view."""


def _counts_to_wire(counts: Iterable[int]) -> list[sheet_pb.SeatCount]:
    return [
        sheet_pb.SeatCount(seat=SEATS[Seat(seat)], count=count)
        for seat, count in enumerate(counts)
    ]


def _game_to_wire(game: Game, number: int) -> sheet_pb.Game:
    return sheet_pb.Game(
        number=number,
        scores=[
            sheet_pb.SeatScore(
                seat=SEATS[Seat(seat)],
                total=sum(entry.points for entry in entries),
                boxes=[
                    sheet_pb.Box(round=entry.round_number, points=entry.points)
                    for entry in entries
                ],
            )
            for seat, entries in enumerate(game.entries)
        ],
        closed=not game.is_open,
        closed_in_round=game.closed_in_round,
        winner=seat_to_wire(game.winner),
        settlement=_settlement_to_wire(game.settlement),
    )


def _settlement_to_wire(settlement: Settlement | None) -> sheet_pb.Settlement | None:
    if settlement is None:
        return None
    values = zip(settlement.totals, settlement.balances, strict=True)
    return sheet_pb.Settlement(
        seats=[
            sheet_pb.SeatSettlement(
                seat=SEATS[Seat(seat)], total=total, balance=balance
            )
            for seat, (total, balance) in enumerate(values)
        ]
    )
