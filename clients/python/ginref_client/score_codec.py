"""How rounds and matches are scored, from messages: rules, sheet, reveals, endings."""

from collections.abc import Iterable, Sequence
from dataclasses import fields
from functools import lru_cache
from typing import Any, Final

from ginref.engine.deadwood import Arrangement
from ginref.engine.error import RulesetError
from ginref.engine.layoff import Layoff, Spread
from ginref.engine.match import RoundSummary
from ginref.engine.phase import Showdown
from ginref.engine.ruleset import Ruleset
from ginref.engine.seat import Seat
from ginref.engine.settlement import Settlement
from ginref.engine.sheet import Entry, Game, ScoreSheet
from ginref.engine.showdown import Outcome
from ginref.engine.view import RoundReveal
from ginref.record.lifecycle import Ending, EndingKind, Fault
from ginref.v1 import match_pb2, ruleset_pb2, seat_pb2, sheet_pb2, view_pb2
from ginref_client.error import ProtocolError
from ginref_client.wire import (
    card_from_wire,
    card_set_from_wire,
    choice,
    melds_from_wire,
    seat_from_wire,
)

_OUTCOMES: Final = {
    view_pb2.OUTCOME_KNOCK: Outcome.KNOCK,
    view_pb2.OUTCOME_GIN: Outcome.GIN,
    view_pb2.OUTCOME_BIG_GIN: Outcome.BIG_GIN,
    view_pb2.OUTCOME_UNDERCUT: Outcome.UNDERCUT,
    view_pb2.OUTCOME_TIE: Outcome.TIE,
    view_pb2.OUTCOME_WALL: Outcome.WALL,
    view_pb2.OUTCOME_TURN_CAP: Outcome.TURN_CAP,
}
_ENDINGS: Final = {
    match_pb2.ENDING_KIND_COMPLETED: EndingKind.COMPLETED,
    match_pb2.ENDING_KIND_ROUND_CAP: EndingKind.ROUND_CAP,
    match_pb2.ENDING_KIND_RESIGNED: EndingKind.RESIGNED,
    match_pb2.ENDING_KIND_TIMED_OUT: EndingKind.TIMED_OUT,
    match_pb2.ENDING_KIND_STRIKES: EndingKind.STRIKES,
    match_pb2.ENDING_KIND_NO_SHOW: EndingKind.NO_SHOW,
    match_pb2.ENDING_KIND_ABORTED: EndingKind.ABORTED,
    match_pb2.ENDING_KIND_VOID: EndingKind.VOID,
}
_FAULTS: Final = {
    # An ending that names nobody was nobody's fault.
    match_pb2.FAULT_KIND_UNSPECIFIED: Fault.NOBODY,
    match_pb2.FAULT_KIND_NOBODY: Fault.NOBODY,
    match_pb2.FAULT_KIND_SEAT: Fault.SEAT,
    match_pb2.FAULT_KIND_REFEREE: Fault.REFEREE,
    match_pb2.FAULT_KIND_ORGANIZER: Fault.ORGANIZER,
}
_RULE_OPTIONS: Final = [
    field.name for field in fields(Ruleset) if field.name not in {"name", "version"}
]
_RULES_KEPT: Final = 64


def ruleset_from_wire(message: ruleset_pb2.Ruleset) -> Ruleset:
    """Read the rules of a match; the digest says whether they are the referee's.

    Raises:
        ProtocolError: An option is absent, unknown or refused, or the digest is
            that of other rules.
    """
    return _ruleset(message.SerializeToString(deterministic=True))


@lru_cache(_RULES_KEPT)
def _ruleset(data: bytes) -> Ruleset:
    message = ruleset_pb2.Ruleset.FromString(data)
    options: dict[str, Any] = {"name": message.name, "version": message.version}
    for key in _RULE_OPTIONS:
        present = message.options.HasField(key)  # type: ignore[arg-type]
        options[key] = getattr(message.options, key) if present else None
    try:
        rules = Ruleset.from_dict(options)
    except RulesetError as error:
        raise ProtocolError("ruleset.options", str(error)) from None
    if rules.digest != message.digest:
        raise ProtocolError("ruleset.digest", "not the digest of these rules")
    return rules


def seats_from_wire(holders: Iterable[seat_pb2.SeatHolder]) -> tuple[Seat, ...]:
    """Read the seats of a match, in order.

    Raises:
        ProtocolError: They are not the first seats in order.
    """
    seats = tuple(seat_from_wire(holder.seat, "seats.seat") for holder in holders)
    if not seats or seats != tuple(Seat)[: len(seats)]:
        raise ProtocolError("seats", "not the seats of a table in order")
    return seats


def ending_from_wire(message: match_pb2.Ending) -> Ending:
    """Read how a match ended.

    Raises:
        ProtocolError: A value is unknown.
    """
    winner = optional_seat_from_wire(message, "winner")
    return Ending(
        kind=choice(_ENDINGS, message.kind, "ending.kind"),
        winner=winner,
        fault=choice(_FAULTS, message.fault, "ending.fault"),
        seats_at_fault=tuple(
            seat_from_wire(seat, "ending.seats_at_fault")
            for seat in message.seats_at_fault
        ),
    )


def sheet_from_wire(
    message: sheet_pb2.ScoreSheet, seats: Sequence[Seat] = ()
) -> ScoreSheet:
    """Read the score sheet; without `seats` it says itself who plays.

    Raises:
        ProtocolError: A column is not complete, or counts disagree.
    """
    table = tuple(seats) or tuple(
        seat_from_wire(count.seat, "sheet.rounds_won") for count in message.rounds_won
    )
    if not message.games:
        raise ProtocolError("sheet.games", "missing")
    games = [_game(at, game, table) for at, game in enumerate(message.games, start=1)]
    sheet = ScoreSheet(
        tuple(games), _counts(message.rounds_won, table, "sheet.rounds_won")
    )
    if _counts(message.games_won, table, "sheet.games_won") != sheet.games_won:
        raise ProtocolError("sheet.games_won", "not what the games say")
    return sheet


def _game(number: int, message: sheet_pb2.Game, seats: tuple[Seat, ...]) -> Game:
    where = "sheet.games"
    winner = optional_seat_from_wire(message, "winner")
    closed_in = message.closed_in_round if message.HasField("closed_in_round") else None
    if message.number != number:
        raise ProtocolError(f"{where}.number", f"{message.number}, not {number}")
    # Boards with equal points close a game that nobody has won.
    if message.closed is (closed_in is None) or (winner is not None) > message.closed:
        raise ProtocolError(f"{where}.closed", "open and closed at once")
    if tuple(seat_from_wire(score.seat) for score in message.scores) != seats:
        raise ProtocolError(f"{where}.scores", "not one score per seat")
    game = Game(
        entries=tuple(
            tuple(Entry(box.round, box.points) for box in score.boxes)
            for score in message.scores
        ),
        winner=winner,
        closed_in_round=closed_in,
        settlement=_settlement(message, seats),
    )
    if game.totals != tuple(score.total for score in message.scores):
        raise ProtocolError(f"{where}.scores.total", "not the sum of the boxes")
    return game


def _settlement(message: sheet_pb2.Game, seats: tuple[Seat, ...]) -> Settlement | None:
    if not message.HasField("settlement"):
        return None
    rows = message.settlement.seats
    if tuple(seat_from_wire(row.seat) for row in rows) != seats:
        raise ProtocolError("sheet.games.settlement", "not one line per seat")
    return Settlement(
        tuple(row.total for row in rows), tuple(row.balance for row in rows)
    )


def _counts(
    messages: Iterable[sheet_pb2.SeatCount], seats: tuple[Seat, ...], field: str
) -> tuple[int, ...]:
    counts = {seat_from_wire(message.seat): message.count for message in messages}
    if tuple(counts) != seats or not seats:
        raise ProtocolError(field, "not one count per seat")
    return tuple(counts.values())


def round_from_wire(
    message: view_pb2.RoundReveal, seats: Sequence[Seat]
) -> tuple[RoundSummary, Showdown | None]:
    """Read how a round ended, and what was laid down if it ended in a knock.

    Raises:
        ProtocolError: A value is unknown, or what was laid down is no showdown.
    """
    showdown = None
    if message.HasField("showdown"):
        showdown = _showdown(message.showdown, seats)
    summary = RoundSummary(
        number=message.round,
        dealer=seat_from_wire(message.dealer, "round.dealer"),
        outcome=choice(_OUTCOMES, message.outcome, "round.outcome"),
        winner=optional_seat_from_wire(message, "winner"),
        points=message.points,
        columns=columns_from_wire(message.columns),
        idle=optional_seat_from_wire(message, "idle"),
    )
    return summary, showdown


def reveal_from_wire(
    message: view_pb2.RoundReveal, seats: Sequence[Seat]
) -> RoundReveal | None:
    """Read a round that ended in a knock; None when it ended otherwise.

    Raises:
        ProtocolError: As `round_from_wire`.
    """
    summary, showdown = round_from_wire(message, seats)
    if showdown is None:
        return None
    return RoundReveal(**summary._asdict(), showdown=showdown)


def _showdown(message: view_pb2.Showdown, seats: Sequence[Seat]) -> Showdown:
    where = "round.showdown"
    knocker = seat_from_wire(message.knocker, f"{where}.knocker")
    defender = seat_from_wire(message.defender, f"{where}.defender")
    if knocker is defender or not {knocker, defender} <= set(seats):
        raise ProtocolError(f"{where}.defender", "no seat that plays against it")
    arrangement = Arrangement(
        melds_from_wire(message.knocker_melds, f"{where}.knocker_melds"),
        card_set_from_wire(message.knocker_deadwood, f"{where}.knocker_deadwood"),
    )
    melds = range(len(arrangement.melds))
    if any(layoff.meld not in melds for layoff in message.layoffs):
        raise ProtocolError(f"{where}.layoffs.meld", "no such meld")
    spread = Spread(
        melds=melds_from_wire(message.defender_melds, f"{where}.defender_melds"),
        layoffs=tuple(
            Layoff(card_from_wire(layoff.card, f"{where}.layoffs.card"), layoff.meld)
            for layoff in message.layoffs
        ),
        deadwood=card_set_from_wire(
            message.defender_deadwood, f"{where}.defender_deadwood"
        ),
    )
    points = message.knocker_points, message.defender_points
    if points != (arrangement.points, spread.points):
        raise ProtocolError(f"{where}.knocker_points", "not the points of the cards")
    discard = None
    if message.HasField("discard"):
        discard = card_from_wire(message.discard, f"{where}.discard")
    return Showdown(knocker, defender, discard, arrangement, spread)


def columns_from_wire(numbers: Iterable[int]) -> tuple[int, ...]:
    """Return positions of games by their numbers, which count from 1."""
    return tuple(number - 1 for number in numbers)


def optional_seat_from_wire(message: Any, field: str) -> Seat | None:  # noqa: ANN401
    """Read a seat that may be absent.

    Raises:
        ProtocolError: It is there and is none.
    """
    if not message.HasField(field):
        return None
    return seat_from_wire(getattr(message, field), field)
