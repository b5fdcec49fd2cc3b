"""What the referee sends, as the values of the engine; and moves back to it.

A view that comes out of here equals the one the referee made, field by field: that
is why a bot can ask it everything that the referee could.
"""

from typing import Any, Final

from ginref.engine.match import Ending as HowOver
from ginref.engine.match import MatchOver
from ginref.engine.meld import DeclaredMeld
from ginref.engine.move import Discard, DrawStock, DrawUpcard, Knock, Move, Pass
from ginref.engine.opponent import OpponentView
from ginref.engine.phase import PhaseName
from ginref.engine.round import DiscardEntry
from ginref.engine.view import FROM_PILE, FROM_STOCK, SeatView
from ginref.record.lifecycle import Ending, EndingKind
from ginref.v1 import move_pb2, view_pb2
from ginref_client.error import ProtocolError
from ginref_client.score_codec import (
    columns_from_wire,
    ending_from_wire,
    optional_seat_from_wire,
    reveal_from_wire,
    round_from_wire,
    ruleset_from_wire,
    seats_from_wire,
    sheet_from_wire,
)
from ginref_client.wire import (
    card_from_wire,
    card_set_from_wire,
    choice,
    require,
    seat_from_wire,
)

__all__ = [
    "ending_from_wire",
    "move_to_wire",
    "reveal_from_wire",
    "round_from_wire",
    "ruleset_from_wire",
    "seat_view_from_wire",
    "seats_from_wire",
    "sheet_from_wire",
]

_PHASES: Final = {
    view_pb2.PHASE_UPCARD: PhaseName.UPCARD,
    view_pb2.PHASE_DRAW: PhaseName.DRAW,
    view_pb2.PHASE_DISCARD: PhaseName.DISCARD,
    view_pb2.PHASE_OVER: PhaseName.OVER,
}
_DRAWN_FROM: Final = {
    view_pb2.DRAWN_FROM_STOCK: FROM_STOCK,
    view_pb2.DRAWN_FROM_PILE: FROM_PILE,
}
_PLAYING: Final = 2
_HOW_OVER: Final = {
    EndingKind.COMPLETED: HowOver.COMPLETED,
    EndingKind.ROUND_CAP: HowOver.ROUND_CAP,
    EndingKind.ABORTED: HowOver.ABANDONED,
    EndingKind.VOID: HowOver.ABANDONED,
}


def seat_view_from_wire(message: view_pb2.SeatView) -> SeatView:
    """Read all that one seat may know: the view that bots choose by.

    Raises:
        ProtocolError: A field is absent, unknown, or contradicts another.
    """
    for field in ("ruleset", "table", "own", "sheet"):
        require(message, field)
    seat = seat_from_wire(message.seat)
    seats = seats_from_wire(message.seats)
    if seat not in seats:
        raise ProtocolError("seat", "not a seat of this table")
    own, reveal, over = message.own, None, None
    drawn, drawn_from = None, None
    if own.HasField("drawn"):
        drawn = card_from_wire(own.drawn, "own.drawn")
        drawn_from = choice(_DRAWN_FROM, own.drawn_from, "own.drawn_from")
    if message.HasField("last_round"):
        reveal = reveal_from_wire(message.last_round, seats)
    if message.HasField("ending"):
        over = _match_over(ending_from_wire(message.ending))
    players = tuple(_player(row) for row in message.table.seats)
    if tuple(player.seat for player in players) != seats:
        raise ProtocolError("table.seats", "not one row per seat")
    table = _table(message.table)
    view = SeatView(
        **table,
        rules=ruleset_from_wire(message.ruleset),
        seats=seats,
        sheet=sheet_from_wire(message.sheet, seats),
        last_result=reveal,
        over=over,
        seat=seat,
        hand=card_set_from_wire(own.hand, "own.hand"),
        drawn=drawn,
        drawn_from=drawn_from,
        own=players[seat],
        opponents=tuple(
            player for player in players if player.seat not in (seat, table["idle"])
        ),
        next_columns=columns_from_wire(message.next_columns),
    )
    _check_view(view, players[seat].hand_count)
    return view


def _check_view(view: SeatView, hand_count: int) -> None:
    """Refuse a view that a bot could not play by."""
    ended = view.over is not None
    if (view.to_act is None, view.phase is PhaseName.OVER) != (ended, ended):
        raise ProtocolError("ending", "over and going on at once")
    if len(view.seats) - (view.idle is not None) != _PLAYING:
        raise ProtocolError("table.idle", "not two seats that play")
    if len(view.hand) != hand_count:
        raise ProtocolError("own.hand", "not as many cards as the table says")
    throws = view.is_my_turn and view.phase is PhaseName.DISCARD
    if throws != (view.drawn is not None):
        raise ProtocolError("own.drawn", "does not fit the phase")


def _table(message: view_pb2.TableView) -> dict[str, Any]:
    """Fields of the engine's table that come from the message's table."""
    upcard = None
    if message.HasField("upcard"):
        upcard = card_from_wire(message.upcard, "table.upcard")
    return {
        "round_number": message.round,
        "deal_number": message.deal - 1,
        "dealer": seat_from_wire(message.dealer, "table.dealer"),
        "idle": optional_seat_from_wire(message, "idle"),
        "to_act": optional_seat_from_wire(message, "to_act"),
        "phase": choice(_PHASES, message.phase, "table.phase"),
        "forced_stock": message.forced_stock,
        "knock_limit": message.knock_limit,
        "multiplier": message.multiplier,
        "first_upcard": card_from_wire(message.first_upcard, "table.first_upcard"),
        "upcard": upcard,
        "stock_count": message.stock_count,
        "draws_left": message.draws_left,
        "pile": tuple(_thrown(thrown) for thrown in message.thrown),
        "turn": message.turn,
        "turns_left": message.turns_left,
    }


def _thrown(message: view_pb2.Thrown) -> DiscardEntry:
    return DiscardEntry(
        card=card_from_wire(message.card, "table.thrown.card"),
        seat=optional_seat_from_wire(message, "seat"),
        turn=message.turn,
        taken_by=optional_seat_from_wire(message, "taken_by"),
    )


def _player(message: view_pb2.SeatTable) -> OpponentView:
    where = "table.seats"
    return OpponentView(
        seat=seat_from_wire(message.seat, f"{where}.seat"),
        hand_count=message.hand_count,
        known=card_set_from_wire(message.known, f"{where}.known"),
        # A card may be taken, thrown and taken again, and refused again and again.
        took=tuple(card_from_wire(text, f"{where}.took") for text in message.took),
        passed=message.refused_upcard,
        upcard_refusals=tuple(
            card_from_wire(text, f"{where}.refused") for text in message.refused
        ),
    )


def _match_over(ending: Ending) -> MatchOver:
    how = _HOW_OVER.get(ending.kind, HowOver.FORFEIT)
    at_fault = ending.seats_at_fault if how is HowOver.FORFEIT else ()
    return MatchOver(ending.winner, how, at_fault)


def move_to_wire(move: Move) -> move_pb2.Move:
    """Write a move as the referee reads it."""
    match move:
        case Pass():
            return _pass_to_wire()
        case DrawUpcard():
            return move_pb2.Move(draw_upcard=move_pb2.DrawUpcard())
        case DrawStock():
            return move_pb2.Move(draw_stock=move_pb2.DrawStock())
        case Discard():
            return move_pb2.Move(discard=move_pb2.Discard(card=str(move.card)))
        case Knock():
            return move_pb2.Move(knock=_knock_to_wire(move))


def _pass_to_wire() -> move_pb2.Move:
    # The field's name is a keyword of Python.
    message = move_pb2.Move()
    getattr(message, "pass").SetInParent()
    return message


def _knock_to_wire(knock: Knock) -> move_pb2.Knock:
    message = move_pb2.Knock()
    if knock.card is not None:
        message.card = str(knock.card)
    if knock.melds is not None:
        # An empty declaration is one, too: presence is set before the melds are.
        message.declaration.SetInParent()
        message.declaration.melds.extend(map(_meld_to_wire, knock.melds))
    return message


def _meld_to_wire(meld: DeclaredMeld) -> move_pb2.Meld:
    return move_pb2.Meld(cards=[str(card) for card in meld.cards])
