from dataclasses import dataclass
from typing import Any

import pytest
from google.protobuf import text_format

from ginref.engine.card import Card, CardSet
from ginref.engine.match import Ending as HowOver
from ginref.engine.match import MatchOver
from ginref.engine.meld import DeclaredMeld
from ginref.engine.move import (
    DRAW_STOCK,
    DRAW_UPCARD,
    PASS,
    Discard,
    Knock,
    Move,
    parse_move,
)
from ginref.engine.opponent import OpponentView
from ginref.engine.phase import PhaseName
from ginref.engine.round import DiscardEntry
from ginref.engine.ruleset import GIN
from ginref.engine.seat import Seat
from ginref.engine.sheet import Entry, Game, ScoreSheet
from ginref.engine.showdown import Outcome
from ginref.engine.view import SeatView
from ginref.record.lifecycle import Ending, EndingKind, Fault
from ginref.v1 import match_pb2, move_pb2, view_pb2
from ginref_client.codec import (
    ending_from_wire,
    move_to_wire,
    reveal_from_wire,
    round_from_wire,
    seat_view_from_wire,
)
from ginref_client.error import ProtocolError

VIEW = """
match_id: "m1"  seat: SEAT_SOUTH  version: 31
seats { seat: SEAT_NORTH bot: "a" }  seats { seat: SEAT_SOUTH bot: "b" }
ruleset {
  name: "gin"  version: 1  digest: "DIGEST"
  options {
    table: "two_handed"  gin_bonus: 25  undercut_bonus: 10  undercut_on_tie: true
    layoff_on_gin: false  knock_limit: 10  knock_limit_from_upcard: false
    ace_limit: "gin_only"  spades_double: false  may_discard_taken_card: false
    wall: 2  turn_limit: 200  round_limit: 100  next_dealer: "winner"  games: 1
    game_target: 100  closed_policy: "next_open"  stop: "all_closed"  game_bonus: 0
    line_bonus: 0  shutout: "none"  shutout_bonus: 0
  }
}
table {
  round: 3  deal: 3  phase: PHASE_DISCARD  dealer: SEAT_NORTH  to_act: SEAT_SOUTH
  turn: 2  turns_left: 198  knock_limit: 10  first_upcard: "Kd"  multiplier: 1
  stock_count: 30  draws_left: 28  upcard: "9c"
  thrown { card: "Kd" }
  thrown { card: "9c" seat: SEAT_SOUTH turn: 1 }
  thrown { card: "4h" seat: SEAT_NORTH turn: 2 taken_by: SEAT_SOUTH }
  seats { seat: SEAT_NORTH hand_count: 10 refused_upcard: true refused: ["Kd", "9c"] }
  seats {
    seat: SEAT_SOUTH hand_count: 11 known: "4h" took: "4h" refused_upcard: true
    refused: "Kd"
  }
}
own {
  hand: ["As", "2s", "3s", "4h", "5h", "6h", "Td", "Jd", "Qd", "2c", "7c"]
  drawn: "4h"  drawn_from: DRAWN_FROM_PILE  kept: "4h"
}
sheet {
  games {
    number: 1
    scores { seat: SEAT_NORTH total: 12 boxes { round: 1 points: 12 } }
    scores { seat: SEAT_SOUTH total: 30 boxes { round: 2 points: 30 } }
  }
  game_target: 100
  games_won { seat: SEAT_NORTH }  games_won { seat: SEAT_SOUTH }
  rounds_won { seat: SEAT_NORTH count: 1 }  rounds_won { seat: SEAT_SOUTH count: 1 }
}
next_columns: 1
last_round {
  round: 2  dealer: SEAT_NORTH  outcome: OUTCOME_UNDERCUT  winner: SEAT_SOUTH
  points: 30  columns: 1
  showdown {
    knocker: SEAT_NORTH  defender: SEAT_SOUTH  discard: "Kh"
    knocker_melds { cards: ["7s", "7h", "7d"] }
    knocker_melds { cards: ["4c", "5c", "6c"] }
    knocker_deadwood: ["As", "2h", "2c", "3d"]
    defender_melds { cards: ["9s", "Ts", "Js", "Qs", "Ks"] }
    layoffs { card: "7c" meld: 1 }  layoffs { card: "8c" meld: 1 }
    defender_deadwood: ["Ah", "Ad", "Ac"]
    knocker_points: 8  defender_points: 3
  }
}
""".replace("DIGEST", GIN.digest)


def message() -> view_pb2.SeatView:
    return text_format.Parse(VIEW, view_pb2.SeatView())


def cards(text: str) -> CardSet:
    return CardSet.parse(text)


def test_a_view_has_what_the_message_says() -> None:
    view = seat_view_from_wire(message())

    assert view == SeatView(
        rules=GIN,
        seats=(Seat.NORTH, Seat.SOUTH),
        round_number=3,
        deal_number=2,
        dealer=Seat.NORTH,
        to_act=Seat.SOUTH,
        phase=PhaseName.DISCARD,
        forced_stock=False,
        knock_limit=10,
        multiplier=1,
        first_upcard=Card.parse("Kd"),
        upcard=Card.parse("9c"),
        stock_count=30,
        draws_left=28,
        pile=(
            DiscardEntry(Card.parse("Kd"), None, 0, None),
            DiscardEntry(Card.parse("9c"), Seat.SOUTH, 1, None),
            DiscardEntry(Card.parse("4h"), Seat.NORTH, 2, Seat.SOUTH),
        ),
        turn=2,
        turns_left=198,
        sheet=ScoreSheet(
            games=(Game(entries=((Entry(1, 12),), (Entry(2, 30),))),), wins=(1, 1)
        ),
        last_result=reveal_from_wire(message().last_round, (Seat.NORTH, Seat.SOUTH)),
        over=None,
        seat=Seat.SOUTH,
        hand=cards("As2s3s 4h5h6h TdJdQd 2c7c"),
        drawn=Card.parse("4h"),
        drawn_from="pile",
        own=OpponentView(
            seat=Seat.SOUTH,
            hand_count=11,
            known=cards("4h"),
            took=(Card.parse("4h"),),
            passed=True,
            upcard_refusals=(Card.parse("Kd"),),
        ),
        opponents=(
            OpponentView(
                seat=Seat.NORTH,
                hand_count=10,
                known=CardSet(),
                took=(),
                passed=True,
                upcard_refusals=(Card.parse("Kd"), Card.parse("9c")),
            ),
        ),
        next_columns=(0,),
    )


def test_a_view_answers_like_the_referee_would() -> None:
    view = seat_view_from_wire(message())

    assert view.best_knock == Knock(Card.parse("7c"))
    assert view.forbidden_discard is Card.parse("4h")
    assert Discard(Card.parse("4h")) not in view.legal


def test_a_reveal_shows_both_hands() -> None:
    reveal = reveal_from_wire(message().last_round, (Seat.NORTH, Seat.SOUTH))

    assert reveal is not None
    assert reveal.outcome is Outcome.UNDERCUT
    assert reveal.columns == (0,)
    showdown = reveal.showdown
    assert showdown.knocker_hand == cards("7s7h7d 4c5c6c As2h2c3d")
    assert showdown.defender_hand == cards("9sTsJsQsKs 7c8c AhAdAc")
    assert showdown.defender is Seat.SOUTH
    assert [layoff.meld for layoff in showdown.spread.layoffs] == [1, 1]


def test_a_round_without_a_knock_shows_no_hand() -> None:
    written = view_pb2.RoundReveal(round=4, dealer=1, outcome=view_pb2.OUTCOME_WALL)  # type: ignore[arg-type]

    summary, showdown = round_from_wire(written, (Seat.NORTH, Seat.SOUTH))

    assert showdown is None
    assert summary.winner is None
    assert reveal_from_wire(written, (Seat.NORTH, Seat.SOUTH)) is None


def test_the_view_of_a_match_that_is_over_says_so() -> None:
    written = message()
    written.table.ClearField("to_act")
    written.table.phase = view_pb2.PHASE_OVER
    written.own.ClearField("drawn")
    written.ending.kind = match_pb2.ENDING_KIND_TIMED_OUT
    written.ending.winner = 1  # type: ignore[assignment]
    written.ending.fault = match_pb2.FAULT_KIND_SEAT
    written.ending.seats_at_fault.append(2)  # type: ignore[arg-type]

    view = seat_view_from_wire(written)

    assert view.over == MatchOver(Seat.NORTH, HowOver.FORFEIT, (Seat.SOUTH,))
    assert view.legal == ()


@dataclass(frozen=True)
class Change:
    """Sets a field of a message, or clears it."""

    path: str
    value: object

    def __str__(self) -> str:
        return f"{self.path} is {self.value}"

    def __call__(self, view: view_pb2.SeatView) -> None:
        *way, field = self.path.split(".")
        target: Any = view
        for name in way:
            target = target[int(name)] if name.isdigit() else getattr(target, name)
        if self.value is None or isinstance(self.value, list):
            target.ClearField(field)
        if isinstance(self.value, list):
            getattr(target, field).extend(self.value)
        elif self.value is not None:
            setattr(target, field, self.value)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (Change("ruleset", None), "ruleset"),
        (Change("table", None), "table"),
        (Change("own", None), "own"),
        (Change("sheet", None), "sheet"),
        (Change("seat", 0), "seat"),
        (Change("seat", 3), "seat"),
        (Change("seats", None), "seats"),
        (Change("table.phase", 0), "table.phase"),
        (Change("table.phase", 9), "table.phase"),
        (Change("table.dealer", 9), "table.dealer"),
        (Change("table.to_act", None), "ending"),
        (Change("table.to_act", 1), "own.drawn"),
        (Change("table.first_upcard", ""), "table.first_upcard"),
        (Change("table.upcard", "1x"), "table.upcard"),
        (Change("table.thrown.1.card", "?"), "table.thrown.card"),
        (Change("table.seats", None), "table.seats"),
        (Change("table.seats.1.hand_count", 10), "own.hand"),
        (Change("table.seats.0.known", ["As", "As"]), "table.seats.known"),
        (Change("own.hand", ["As", "As"]), "own.hand"),
        (Change("own.drawn", None), "own.drawn"),
        (Change("own.drawn_from", 0), "own.drawn_from"),
        (Change("sheet.games", None), "sheet.games"),
        (Change("sheet.games.0.number", 2), "sheet.games.number"),
        (Change("sheet.games.0.closed", 1), "sheet.games.closed"),
        (Change("sheet.games.0.winner", 1), "sheet.games.closed"),
        (Change("sheet.games.0.scores.0.total", 11), "sheet.games.scores.total"),
        (Change("sheet.games.0.scores.0.seat", 2), "sheet.games.scores"),
        (Change("sheet.rounds_won", None), "sheet.rounds_won"),
        (Change("sheet.games_won.0.count", 1), "sheet.games_won"),
        (Change("ruleset.digest", "0" * 64), "ruleset.digest"),
        (Change("ruleset.options.gin_bonus", None), "ruleset.options"),
        (Change("ruleset.options.gin_bonus", 20), "ruleset.digest"),
        (Change("ruleset.options.stop", "never"), "ruleset.options"),
        (Change("last_round.outcome", 0), "round.outcome"),
        (Change("last_round.showdown.knocker", 0), "round.showdown.knocker"),
        (Change("last_round.showdown.knocker", 3), "round.showdown.defender"),
        (Change("last_round.showdown.defender", 0), "round.showdown.defender"),
        (Change("last_round.showdown.defender", 1), "round.showdown.defender"),
        (Change("last_round.showdown.defender", 3), "round.showdown.defender"),
        (Change("last_round.idle", 9), "idle"),
        (Change("table.idle", 9), "idle"),
        (Change("table.idle", 2), "table.idle"),
        (
            Change("last_round.showdown.knocker_points", 7),
            "round.showdown.knocker_points",
        ),
        (
            Change("last_round.showdown.knocker_melds.0.cards", ["7s", "7h", "8d"]),
            "round.showdown.knocker_melds",
        ),
        (
            Change("last_round.showdown.layoffs.0.meld", 2),
            "round.showdown.layoffs.meld",
        ),
    ],
    ids=str,
)
def test_what_cannot_be_read_exactly_is_refused(change: Change, field: str) -> None:
    written = message()
    change(written)

    with pytest.raises(ProtocolError) as refused:
        seat_view_from_wire(written)

    assert refused.value.field == field


def test_a_refusal_names_no_card() -> None:
    written = message()
    written.own.hand[0] = "Ax"

    with pytest.raises(ProtocolError) as refused:
        seat_view_from_wire(written)

    assert str(refused.value) == "own.hand: not a card"


@pytest.mark.parametrize("kind", EndingKind)
def test_every_ending_is_known(kind: EndingKind) -> None:
    number = match_pb2.EndingKind.Value(f"ENDING_KIND_{kind.upper()}")
    written = match_pb2.Ending(kind=number)

    assert ending_from_wire(written) == Ending(kind, None, Fault.NOBODY)


@pytest.mark.parametrize(
    ("move", "written"),
    [
        (PASS, "pass {}"),
        (DRAW_UPCARD, "draw_upcard {}"),
        (DRAW_STOCK, "draw_stock {}"),
        (Discard(Card.parse("Td")), 'discard { card: "Td" }'),
        (Knock(Card.parse("Td")), 'knock { card: "Td" }'),
        (Knock(), "knock {}"),
        (parse_move("knock Td -"), 'knock { card: "Td" declaration {} }'),
        (
            Knock(Card.parse("Td"), (DeclaredMeld.parse("7s7h7d"),)),
            'knock { card: "Td" declaration { melds { cards: ["7s", "7h", "7d"] } } }',
        ),
    ],
    ids=str,
)
def test_moves_are_written_as_messages(move: Move, written: str) -> None:
    assert move_to_wire(move) == text_format.Parse(written, move_pb2.Move())
