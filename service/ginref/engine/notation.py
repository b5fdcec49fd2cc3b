"""Rounds and whole matches as text that people can read, type and trust.

    ginref match 1
    rules gin
    seat north careful
    seat south simple
    dealer south

    round 1 (south deals)
    hand north 2h 4s …
    hand south As 9d …
    upcard 3c
    stock 5c Kd …
         north pass
      1. south draw_upcard (3c), discard Kh
      2. north draw_stock (5c), knock Tc
    result knock, north 24 (4 to 28)

A text is read by playing it: every move must be legal, and what a line says of the
match must be so. What stands in parentheses follows from the rest and may be left
out, and so may a turn's number and the `result`. `#` begins a comment.
"""

import re
from collections.abc import Sequence
from typing import Final

from ginref.engine.card import PACK, Card
from ginref.engine.deck import derive_deck, seed_secret
from ginref.engine.error import IllegalMoveError, NotationError
from ginref.engine.match import DeckFor, Ending, Match, legal_moves, start_match
from ginref.engine.move import (
    MOVE_FORMS,
    Discard,
    Knock,
    Move,
    move_kind,
    parse_move,
)
from ginref.engine.notation_deal import cards_of, read_deal
from ginref.engine.notation_head import Head, read_head, seat_of, take_seat
from ginref.engine.notation_line import (
    Line,
    MatchNotationError,
    Page,
    Word,
    compare,
)
from ginref.engine.notation_write import (
    move_text,
    over_line,
    result_line,
    round_line,
    turn_number,
    write_match,
)
from ginref.engine.round import deal
from ginref.engine.seat import Seat
from ginref.engine.transcript import (
    Deal,
    TranscribedRound,
    Transcript,
    UnknownCardError,
    advance,
    stop,
)

__all__ = ["MatchNotationError", "parse_match", "write_match"]

_KINDS: Final = {"pass": 0, "draw_upcard": 0, "draw_stock": 0, "discard": 1, "knock": 5}
"""The first word of each kind of move, and how many may follow it."""

_STOPS: Final = (Ending.FORFEIT, Ending.ABANDONED)
_NUMBER: Final = re.compile(r"[0-9]{1,4}\.?")


def parse_match(text: str) -> Transcript:
    """Read a match, whole or as far as it was written down.

    Raises:
        MatchNotationError: The text is no match, a move is illegal, or a line says
            what is not so; it names line, column and what was expected.
    """
    page = Page(text)
    return _Reader(page, read_head(page)).read()


class _Reader:
    """Plays a match from its text, line by line."""

    def __init__(self, page: Page, head: Head) -> None:
        """Begin after the lines before the first round."""
        self._page = page
        self._head = head
        secret = None if head.seed is None else seed_secret(head.seed)
        self._is_seeded = secret is not None

        def deck_for(k: int) -> tuple[Card, ...]:
            # Without a seed the cards of a round come with its own lines.
            return PACK if secret is None else derive_deck(secret, k)

        self._deck_for: DeckFor = deck_for
        self._match = start_match(
            head.rules, tuple(Seat)[: len(head.bots)], head.first_dealer, deck_for
        )

    def read(self) -> Transcript:
        """Read to the end."""
        rounds: list[TranscribedRound] = []
        while line := self._page.take_if("round"):
            if rounds and self._is_unfinished(len(rounds)):
                raise line.first.refuse(self._what_next(len(rounds)))
            rounds.append(self._read_round(line))
        if not rounds:
            raise self._page.refuse(round_line(self._match))
        stopped_by = self._read_end(len(rounds))
        if self._page.next:
            raise self._page.refuse(self._what_next(len(rounds)))
        return Transcript(
            rules=self._head.rules,
            bots=self._head.bots,
            first_dealer=self._head.first_dealer,
            rounds=tuple(rounds),
            seed=self._head.seed,
            stopped_by=stopped_by,
        )

    def _read_round(self, line: Line) -> TranscribedRound:
        """Read a round from its heading, a line that is taken, to its last move."""
        match = self._match
        compare(line.words, round_line(match))
        dealt = Deal.of(match.round) if self._is_seeded else None
        cards = read_deal(self._page, match, dealt)
        if dealt is None:
            sides = match.round.dealer, match.round.non_dealer
            round_ = deal(match.rules, cards.deck, *sides)
            self._match = match._replace(round=round_)
        moves: list[Move] = []
        while self._is_unfinished(match.round_number) and (turn := self._take_turn()):
            moves += self._read_turn(turn, cards)
        if not self._is_unfinished(match.round_number):
            result = self._page.take_if("result")
            if result:
                compare(result.words, result_line(self._match))
        return TranscribedRound(cards, tuple(moves))

    def _is_unfinished(self, number: int) -> bool:
        return len(self._match.history) < number

    def _take_turn(self) -> Line | None:
        """Take the next line if it begins as a turn does: by number or by seat."""
        line = self._page.next
        if line is None or not (_is_number(line.first) or _is_seat(line.first)):
            return None
        return self._page.take()

    def _read_turn(self, line: Line, cards: Deal) -> list[Move]:
        match = self._match
        if _is_number(line.first):
            number = line.take("")
            if int(number.text.rstrip(".")) != turn_number(match):
                raise number.refuse(f"{turn_number(match)}.")
        seat = line.take(str(match.to_act))
        if seat_of(seat) is not match.to_act:
            raise seat.refuse(f"{match.to_act}, whose turn it is")
        moves = [self._read_move(line, cards)]
        while line.rest:
            if not line.take_if(","):
                raise line.rest[0].refuse("a comma, or the end of the line")
            still = self._match.round_number == match.round_number
            if not still or self._match.to_act is not match.to_act:
                raise line.words[-len(line.rest) - 1].refuse("the end of the line")
            moves.append(self._read_move(line, cards))
        return moves

    def _read_move(self, line: Line, cards: Deal) -> Move:
        """Read one move, play it, and check what stands in parentheses behind it."""
        before = self._match
        words = line.take_until(",", "(", ")")
        if not words:
            raise (
                line.rest[0].refuse(MOVE_FORMS)
                if line.rest
                else line.missing(MOVE_FORMS)
            )
        move = _parse(words)
        try:
            self._match = advance(before, cards, move, self._deck_for)
        except IllegalMoveError as error:
            found = f"{move} is illegal ({error})"
            raise words[0].refuse(_legal(before), found) from None
        except UnknownCardError as error:
            expected = "another move: there is no card for this one"
            raise words[0].refuse(expected, str(error)) from None
        note: tuple[Word, ...] = ()
        if line.rest and line.rest[0].key == "(":
            note = line.take_until(")")
            note += (line.take(")"),)
        standard = move_text(before, move, self._match)
        if note:
            said = standard[standard.index("(") :] if "(" in standard else ""
            if not said:
                raise note[0].refuse("a comma, or the end of the line")
            compare(note, said)
        return move

    def _read_end(self, number: int) -> tuple[Seat, ...] | None:
        line = self._page.take_if("over")
        if line is None:
            return None
        line.take("")
        how = line.take("how the match ended")
        stopped_by: tuple[Seat, ...] | None = None
        if self._match.over is None:
            if how.key not in _STOPS:
                raise how.refuse(f"{self._what_next(number)}, or {' or '.join(_STOPS)}")
            at_fault = self._read_seats(line) if how.key == Ending.FORFEIT else []
            self._match = stop(self._match, at_fault)
            stopped_by = tuple(sorted(at_fault))
        compare(line.words, over_line(self._match))
        return stopped_by

    def _read_seats(self, line: Line) -> list[Seat]:
        if not line.take_if("by"):
            raise (
                line.rest[0].refuse("by SEAT") if line.rest else line.missing("by SEAT")
            )
        seats = [take_seat(line, self._match.seats)]
        while line.take_if(","):
            seats.append(take_seat(line, self._match.seats))
        return seats

    def _what_next(self, number: int) -> str:
        """Say what may follow the last line of a round."""
        if self._match.over:
            return "nothing more, for the match is over"
        if self._is_unfinished(number):
            return f"a turn of {self._match.to_act}"
        return f"round {number + 1}"


def _is_seat(word: Word) -> bool:
    return seat_of(word) is not None


def _is_number(word: Word) -> bool:
    return _NUMBER.fullmatch(word.text) is not None


def _parse(words: Sequence[Word]) -> Move:
    """Read a move word by word, so that a refusal can name the one at fault."""
    kind, *rest = words
    if kind.key not in _KINDS:
        raise kind.refuse(MOVE_FORMS)
    most = _KINDS[kind.key]
    if len(rest) > most:
        raise rest[most].refuse("a comma, or the end of the line")
    for word in rest:
        if word.text != "-":
            cards_of(word)
    try:
        return parse_move(" ".join(word.text for word in words))
    except NotationError:
        raise (rest or words)[0].refuse(MOVE_FORMS) from None


def _legal(match: Match) -> str:
    """Name the legal moves, cards of one kind together."""
    seat = match.to_act
    plain: list[str] = []
    thrown: dict[str, list[str]] = {}
    for move in () if seat is None else legal_moves(match, seat):
        if isinstance(move, Discard | Knock) and move.card:
            thrown.setdefault(move_kind(move), []).append(str(move.card))
        else:
            plain.append(str(move))
    kinds = [f"{kind} {'/'.join(cards)}" for kind, cards in thrown.items()]
    return f"a legal move of {seat}: {', '.join([*plain, *kinds])}"
