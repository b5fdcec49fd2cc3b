"""A whole match as a few hundred bytes, hidden cards and all, and back.

For the store and the record only. The first byte names the format. Three lines of
JSON follow: the rules, the finished rounds, and the round being played, with a card
written as one of 52 letters and a card set as its mask. The first two lines seldom
change, so what was read from them, or written, is kept. Entries of the score sheet
are not written: they follow from the finished rounds.
"""

import functools
import json
from collections.abc import Iterable, Sequence
from typing import Any, Final, NoReturn

from ginref.engine.card import PACK, Card, CardSet
from ginref.engine.deadwood import Arrangement
from ginref.engine.error import EngineError
from ginref.engine.kept import kept
from ginref.engine.layoff import Layoff, Spread
from ginref.engine.match import Ending, Match, MatchOver, RoundSummary
from ginref.engine.meld import Meld, find_meld
from ginref.engine.phase import (
    DRAW,
    DRAW_FORCED,
    UPCARD_OFFERED,
    UPCARD_REFUSED_ONCE,
    Draw,
    FirstUpcard,
    Phase,
    RoundOver,
    RoundResult,
    Showdown,
    throw_after_pile,
    throw_after_stock,
)
from ginref.engine.rotation import credited
from ginref.engine.round import DiscardEntry, Round
from ginref.engine.ruleset import Ruleset
from ginref.engine.seat import Seat
from ginref.engine.sheet import Entry, Game, ScoreSheet, settled
from ginref.engine.showdown import Outcome

FORMAT: Final = 1
"""First byte of every snapshot; it changes with the layout of the rest."""

_START: Final = chr(FORMAT)
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_CARD_BY_LETTER: Final = dict(zip(_LETTERS, PACK, strict=True))
_LETTER_BY_CARD: Final = dict(zip(PACK, _LETTERS, strict=True))
_OUTCOMES: Final = tuple(Outcome)
_NOBODY: Final = -1
_SEATS: Final[dict[int, Seat]] = {int(seat): seat for seat in Seat}
_SEAT_BY_LETTER: Final[dict[str, Seat | None]] = {
    "-": None,
    **{str(int(seat)): seat for seat in Seat},
}
_LETTER_BY_SEAT: Final = {seat: letter for letter, seat in _SEAT_BY_LETTER.items()}
_DIGEST_LETTERS: Final = 16


class SnapshotError(EngineError, ValueError):
    """Bytes that are no snapshot of this format."""


def encode(match: Match) -> bytes:
    """Write a match."""
    rules, seats, round_number, round_, sheet, history, last_result, over = match
    finished = _write_finished(seats, sheet, history, last_result)
    ended = "null" if over is None else _line(_write_over(over))
    current = f"[{round_number},{_write_round(round_)},{ended}]"
    return f"{_START}{_write_rules(rules)}\n{finished}\n{current}".encode()


def decode(data: bytes) -> Match:
    """Read a match written by `encode`.

    Raises:
        SnapshotError: The bytes have another format, are damaged, or were written
            under rules that have changed since.
    """
    if data[:1] != bytes([FORMAT]):
        message = f"not a snapshot of format {FORMAT}"
        raise SnapshotError(message)
    try:
        return _read_match(data[1:].decode())
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        message = "a damaged snapshot"
        raise SnapshotError(message) from error


def _read_match(text: str) -> Match:
    rules, finished, current = text.split("\n")
    seats, sheet, history, last_result = _read_finished(finished, rules)
    round_number, round_, over = _fields(current)
    return Match(
        rules=_read_rules(rules),
        seats=seats,
        round_number=round_number,
        round=_read_round(round_, last_result),
        sheet=sheet,
        history=history,
        last_result=last_result,
        over=_read_over(over),
    )


def _no_number(text: str) -> NoReturn:
    raise SnapshotError(f"{text} is no whole number")


_fields: Final = json.JSONDecoder(
    parse_float=_no_number, parse_constant=_no_number
).decode
_COMPACT: Final = json.JSONEncoder(separators=(",", ":"))


def _line(fields: Sequence[Any]) -> str:
    return _COMPACT.encode(fields)


@kept
def _write_rules(rules: Ruleset) -> str:
    """Name the rules, with their differences from the defaults and their digest."""
    defaults = Ruleset(name=rules.name).to_dict()
    changed = {
        key: value for key, value in rules.to_dict().items() if value != defaults[key]
    }
    return _line([rules.digest[:_DIGEST_LETTERS], rules.name, changed])


@functools.lru_cache(maxsize=64)
def _read_rules(line: str) -> Ruleset:
    digest, name, changed = _fields(line)
    rules = Ruleset.from_dict({"name": name, **changed})
    if rules.digest[:_DIGEST_LETTERS] != digest:
        message = f"the rules called {name!r} have changed"
        raise SnapshotError(message)
    return rules


@kept
def _write_finished(
    seats: tuple[Seat, ...],
    sheet: ScoreSheet,
    history: tuple[RoundSummary, ...],
    last: RoundResult | None,
) -> str:
    rounds = [_write_summary(summary) for summary in history]
    closed = [[_seat(game.winner), game.closed_in_round or 0] for game in sheet.games]
    return _line([len(seats), rounds, closed, _write_result(last)])


@functools.lru_cache(maxsize=1024)
def _read_finished(
    line: str, line_of_rules: str
) -> tuple[tuple[Seat, ...], ScoreSheet, tuple[RoundSummary, ...], RoundResult | None]:
    rules = _read_rules(line_of_rules)
    seat_count, rounds, games, last = _fields(line)
    seats = tuple(Seat)[:seat_count]
    history = tuple(
        _read_summary(number, summary) for number, summary in enumerate(rounds, 1)
    )
    sheet = _read_sheet(rules, seats, history, games)
    return seats, sheet, history, _read_result(last)


def _write_summary(summary: RoundSummary) -> list[int]:
    return [
        summary.dealer,
        _OUTCOMES.index(summary.outcome),
        _seat(summary.winner),
        summary.points,
        sum(1 << column for column in summary.columns),
        *(() if summary.idle is None else (summary.idle,)),
    ]


def _read_summary(number: int, fields: Sequence[int]) -> RoundSummary:
    dealer, outcome, winner, points, columns, *idle = fields
    return RoundSummary(
        number,
        _SEATS[dealer],
        _OUTCOMES[outcome],
        _SEATS.get(winner),
        points,
        tuple(at for at in range(columns.bit_length()) if columns >> at & 1),
        _SEATS[idle[0]] if idle else None,
    )


def _read_sheet(
    rules: Ruleset,
    seats: tuple[Seat, ...],
    history: tuple[RoundSummary, ...],
    games: Sequence[Sequence[int]],
) -> ScoreSheet:
    entries: list[list[list[Entry]]] = [[[] for _ in seats] for _ in games]
    wins = [0] * len(seats)
    for summary in history:
        entry = Entry(summary.number, summary.points)
        for seat in credited(rules, summary.dealer, summary.idle, summary.winner):
            wins[seat] += 1
            for column in summary.columns:
                entries[column][seat].append(entry)
    columns = tuple(
        _read_game(rules, Game(tuple(map(tuple, entries[at]))), winner, closed)
        for at, (winner, closed) in enumerate(games)
    )
    return ScoreSheet(columns, tuple(wins))


def _read_game(rules: Ruleset, game: Game, winner: int, closed: int) -> Game:
    if not closed:
        return game
    won_by = _SEATS.get(winner)
    # A game that a forfeit has given away is below the target and not settled.
    if won_by is not None and game.total(won_by) >= rules.game_target:
        return settled(rules, game, won_by, closed)
    return Game(game.entries, won_by, closed)


def _write_result(result: RoundResult | None) -> list[Any] | None:
    if result is None:
        return None
    showdown = result.showdown
    return [
        _OUTCOMES.index(result.outcome),
        _seat(result.winner),
        result.points,
        None if showdown is None else _write_showdown(showdown),
    ]


def _read_result(fields: Sequence[Any] | None) -> RoundResult | None:
    if fields is None:
        return None
    outcome, winner, points, showdown = fields
    return RoundResult(
        _OUTCOMES[outcome],
        _SEATS.get(winner),
        points,
        None if showdown is None else _read_showdown(showdown),
    )


def _write_showdown(showdown: Showdown) -> list[Any]:
    laid, spread = showdown.arrangement, showdown.spread
    return [
        showdown.knocker,
        showdown.defender,
        "" if showdown.discard is None else _LETTERS[showdown.discard.index],
        [meld.cards.mask for meld in laid.melds],
        laid.deadwood.mask,
        [meld.cards.mask for meld in spread.melds],
        _write_cards(layoff.card for layoff in spread.layoffs),
        [layoff.meld for layoff in spread.layoffs],
        spread.deadwood.mask,
    ]


def _read_showdown(fields: Sequence[Any]) -> Showdown:
    knocker, defender, discard, laid, loose, melds, cards, at, left = fields
    layoffs = map(Layoff, _read_cards(cards), at)
    return Showdown(
        _SEATS[knocker],
        _SEATS[defender],
        _CARD_BY_LETTER[discard] if discard else None,
        Arrangement(_read_melds(laid), CardSet(loose)),
        Spread(_read_melds(melds), tuple(layoffs), CardSet(left)),
    )


def _read_melds(masks: Sequence[int]) -> tuple[Meld, ...]:
    melds = tuple(meld for mask in masks if (meld := find_meld(CardSet(mask))))
    if len(melds) < len(masks):
        message = f"{masks} are not melds"
        raise SnapshotError(message)
    return melds


def _write_round(round_: Round) -> str:
    """Write numbers and plain letters: what `_line` would write, in less time."""
    (
        dealer, non_dealer, (non_dealer_hand, dealer_hand), deck, drawn, discards,
        passes, to_act, phase, knock_limit, multiplier,
    ) = round_  # fmt: skip
    cards, seats, _, takers = zip(*discards, strict=True)
    return (
        f"[{dealer:d},{non_dealer:d},{non_dealer_hand.mask},{dealer_hand.mask},"
        f'"{_write_deck(deck)}",{drawn},"{_write_cards(cards)}",'
        f'"{_write_seats(seats)}","{_write_seats(takers)}",'
        f'{passes},{_seat(to_act)},"{_write_phase(phase)}",{knock_limit},{multiplier}]'
    )


def _read_round(fields: Sequence[Any], last_result: RoundResult | None) -> Round:
    (
        dealer, non_dealer, non_dealer_hand, dealer_hand, deck, drawn,
        cards, seats, takers, passes, to_act, phase, knock_limit, multiplier,
    ) = fields  # fmt: skip
    return Round(
        dealer=_SEATS[dealer],
        non_dealer=_SEATS[non_dealer],
        hands=(CardSet(non_dealer_hand), CardSet(dealer_hand)),
        deck=_read_cards(deck),
        drawn=drawn,
        discards=tuple(
            DiscardEntry(
                _CARD_BY_LETTER[card],
                _SEAT_BY_LETTER[seat],
                turn,
                _SEAT_BY_LETTER[taker],
            )
            for turn, (card, seat, taker) in enumerate(
                zip(cards, seats, takers, strict=True)
            )
        ),
        passes=passes,
        to_act=_SEATS.get(to_act),
        phase=_read_phase(phase, last_result),
        knock_limit=knock_limit,
        multiplier=multiplier,
    )


def _write_phase(phase: Phase) -> str:
    match phase:
        case FirstUpcard():
            return f"upcard{phase.passes}"
        case Draw():
            return "forced" if phase.forced_stock else "draw"
        case RoundOver():
            # The result is the match's last one.
            return "over"
        case _:
            origin = "pile" if phase.from_pile else "stock"
            return origin + _LETTERS[phase.drawn.index]


_PLAIN_PHASES: Final[dict[str, Phase]] = {
    _write_phase(phase): phase
    for phase in (UPCARD_OFFERED, UPCARD_REFUSED_ONCE, DRAW, DRAW_FORCED)
}


def _read_phase(text: str, last_result: RoundResult | None) -> Phase:
    if text in _PLAIN_PHASES:
        return _PLAIN_PHASES[text]
    if text == "over" and last_result is not None:
        return RoundOver(last_result)
    drawn = _CARD_BY_LETTER[text[-1]]
    throws = {"pile": throw_after_pile, "stock": throw_after_stock}
    return throws[text[:-1]](drawn)


def _write_over(over: MatchOver) -> list[Any]:
    return [_seat(over.winner), over.how, over.at_fault]


def _read_over(fields: Sequence[Any] | None) -> MatchOver | None:
    if fields is None:
        return None
    winner, how, at_fault = fields
    return MatchOver(
        _SEATS.get(winner), Ending(how), tuple(_SEATS[seat] for seat in at_fault)
    )


def _write_cards(cards: Iterable[Card]) -> str:
    return "".join(map(_LETTER_BY_CARD.__getitem__, cards))


_write_deck: Final = kept(_write_cards)


def _write_seats(seats: Iterable[Seat | None]) -> str:
    return "".join(map(_LETTER_BY_SEAT.__getitem__, seats))


def _read_cards(text: str) -> tuple[Card, ...]:
    return tuple([_CARD_BY_LETTER[letter] for letter in text])


def _seat(seat: Seat | None) -> int:
    return _NOBODY if seat is None else int(seat)
