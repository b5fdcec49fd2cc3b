"""What is played in two worlds: cards, moves and questions, all from one number."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from tests.leaks.dealing import Deck

from ginref.engine.card import PACK, Card, CardSet
from ginref.engine.deadwood import discard_deadwoods
from ginref.engine.error import IllegalMoveError
from ginref.engine.match import Match, apply, legal_moves, start_match
from ginref.engine.meld import DeclaredMeld
from ginref.engine.move import (
    DRAW_STOCK,
    DRAW_UPCARD,
    PASS,
    Discard,
    Knock,
    Move,
)
from ginref.engine.phase import Throw
from ginref.engine.ruleset import GIN, HOLLYWOOD, OKLAHOMA, THREE_HANDED, Ruleset
from ginref.engine.seat import Seat

RULES: Final[Sequence[Ruleset]] = (
    GIN,
    GIN,
    HOLLYWOOD,
    OKLAHOMA,
    GIN.but(name="house", big_gin_bonus=31, may_discard_taken_card=True),
    GIN.but(name="short turns", turn_limit=6),
    THREE_HANDED,
)

DEALS: Final = 8
"""Deals that a script has cards for."""

_WINDOWS: Final = (1, 1, 2)
"""Moves that are made while somebody looks on."""

_WHOLE: Final = 0.15
"""How many matches are looked at from their creation on."""

_KNOCKS: Final = 0.9
_ROUNDS: Final = (1, 1, 1, 1, 1, 1, 1, 2, 2, 3)
_SLIPS: Final = 0.3
_QUESTIONS: Final = 0.2

ENDS: Final = ("resign", "abort", "time", "strikes")
"""How a match ends at the end of a script: in no way that shows a hand."""


QUESTIONS: Final = (
    *("look", "list", "record", "foreign", "again", "sync", "attach"),
    *("out of turn", "out of turn"),
)
"""What somebody may ask."""


@dataclass(frozen=True)
class Play:
    """A legal move of the seat to act."""

    seat: Seat
    move: Move


@dataclass(frozen=True)
class Slip:
    """An illegal move of the seat to act, which costs a strike in any world."""

    seat: Seat
    move: Move


@dataclass(frozen=True)
class Question:
    """Something that a caller asks, and that changes nothing.

    Attributes:
        kind: One of `QUESTIONS`.
        seat: Who asks; None for an outsider.
        card: A card that is named.
    """

    kind: str
    seat: Seat | None
    card: Card


Action = Play | Slip | Question


@dataclass(frozen=True, eq=False)
class Script:
    """A match up to some point, as one seat or the public follows it.

    Attributes:
        number: Everything follows from it.
        rules: The rules.
        decks: The cards, deal by deal.
        first_dealer: Who deals the first round.
        observer: Who must not notice the difference; None for a spectator.
        before: The match before each of the moves.
        at_end: The match at the end.
        silent: Moves that are made before anybody looks on.
        actions: What is done from then on.
        end: How the match ends then.
        strikes_allowed: Illegal moves that a seat may make.
        has_shares: The cards are said to follow from shares, not from a seed.
        streams: Seats that move on their stream, and not by single calls.
    """

    number: int
    rules: Ruleset
    decks: tuple[Deck, ...]
    first_dealer: Seat
    observer: Seat | None
    before: tuple[Match, ...]
    at_end: Match
    silent: tuple[Play, ...]
    actions: tuple[Action, ...]
    end: str
    strikes_allowed: int
    has_shares: bool
    streams: tuple[bool, ...]

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats."""
        return self.at_end.seats

    @property
    def moves(self) -> tuple[Move, ...]:
        """All moves that are made."""
        seen = (action for action in self.actions if isinstance(action, Play))
        return tuple(play.move for play in (*self.silent, *seen))


@lru_cache(256)
def write_script(number: int) -> Script:
    """Return the script of a number."""
    chance = random.Random(number)
    rules = chance.choice(RULES)
    seats = tuple(Seat)[: rules.seat_count]
    decks = tuple(_shuffled(chance) for _ in range(DEALS))
    first_dealer = chance.choice(seats)
    played = _play(rules, seats, first_dealer, decks, chance)
    observer = chance.choice((*seats, *seats, None))
    has_shares = chance.random() < _WHOLE / 2
    window = min(len(played) - 1, chance.choice(_WINDOWS))
    if has_shares or chance.random() < _WHOLE:
        played = played[: window + 1]
    at_end = played[-1][0]
    unseen = len(played) - 1 - window
    silent = tuple(Play(_mover(match), move) for match, move in played[:unseen])
    actions: list[Action] = []
    for match, move in played[unseen:-1]:
        actions += _asides(match, seats, observer, chance)
        actions.append(Play(_mover(match), move))
    end = chance.choice(ENDS)
    mover = _mover(at_end)
    if mover is observer:
        actions += (Slip(mover, move) for move in _slips(at_end, observer, chance, 1))
    actions += (_question(seats, observer, chance) for _ in range(1))
    slips = [action.seat for action in actions if isinstance(action, Slip)]
    allowed = max(map(slips.count, seats))
    if end == "strikes":
        over = allowed + 1 - slips.count(mover)
        final: list[Move] = (
            [PASS, DRAW_STOCK] if _throws(at_end) else [Discard(PACK[0]), Knock()]
        )
        actions += (Slip(mover, final[one % 2]) for one in range(over))
    return Script(
        number=number,
        rules=rules,
        decks=decks,
        first_dealer=first_dealer,
        observer=observer,
        before=tuple(match for match, _ in played[:-1]),
        at_end=at_end,
        silent=silent,
        actions=tuple(actions),
        end=end,
        strikes_allowed=allowed,
        has_shares=has_shares,
        streams=tuple(chance.random() < 0.6 for _ in seats),
    )


def _shuffled(chance: random.Random) -> Deck:
    cards = list(PACK)
    chance.shuffle(cards)
    return tuple(cards)


def _mover(match: Match) -> Seat:
    assert match.to_act is not None
    return match.to_act


def _throws(match: Match) -> bool:
    return isinstance(match.round.phase, Throw)


def _play(
    rules: Ruleset,
    seats: tuple[Seat, ...],
    dealer: Seat,
    decks: Sequence[Deck],
    chance: random.Random,
) -> list[tuple[Match, Move]]:
    """Return matches with the moves that follow; the last of these is not made.

    The last round stops at any point before it is over. In some all knocks are left
    out, until the stock is used up or the turns are.
    """
    match = start_match(rules, seats, dealer, decks.__getitem__)
    rounds, knocks = chance.choice(_ROUNDS), chance.random() < _KNOCKS
    played: list[tuple[Match, Move]] = []
    while match.to_act is not None and match.round_number <= rounds:
        move = _choose(match, chance, knocks=knocks or match.round_number < rounds)
        after = apply(match, match.to_act, move, decks.__getitem__)
        played.append((match, move))
        if after.over or (isinstance(move, Knock) and after.round_number > rounds):
            break
        if not isinstance(move, Knock) and after.round_number > match.round_number:
            # What was hidden in a drawn round stays so: the next one is looked at.
            rounds = min(rounds + 1, DEALS // 2)
        match = after
    last = [
        place
        for place, (one, _) in enumerate(played)
        if one.round_number == played[-1][0].round_number
    ]
    stop = chance.choice(last)
    return played[: stop + 1]


def _choose(match: Match, chance: random.Random, *, knocks: bool) -> Move:
    seat = _mover(match)
    legal = legal_moves(match, seat)
    if not _throws(match):
        return chance.choice(legal)
    if knocks and (able := [move for move in legal if isinstance(move, Knock)]):
        return chance.choice(able)
    left = discard_deadwoods(match.round.hand(seat))
    throws = [move for move in legal if isinstance(move, Discard)]
    return min(throws, key=lambda move: (left[move.card], -move.card.points))


def _asides(
    match: Match,
    seats: Sequence[Seat],
    observer: Seat | None,
    chance: random.Random,
) -> Iterator[Action]:
    """Yield what happens besides, before a move."""
    if chance.random() < _SLIPS:
        mover = _mover(match)
        yield from (Slip(mover, move) for move in _slips(match, observer, chance, 1))
    if chance.random() < _QUESTIONS:
        yield _question(seats, observer, chance)


def _question(
    seats: Sequence[Seat], observer: Seat | None, chance: random.Random
) -> Question:
    seat = observer if chance.random() < 0.7 else chance.choice(seats)
    return Question(chance.choice(QUESTIONS), seat, chance.choice(PACK))


def _slips(
    match: Match, observer: Seat | None, chance: random.Random, count: int
) -> list[Move]:
    """Return moves that are illegal whatever the observer cannot know.

    The observer's own may have to do with its hand, and name any card. Others make
    moves that no hand allows.
    """
    seat = _mover(match)
    cards = chance.sample(PACK, 6)
    if seat is observer:
        wanted: list[Move] = [PASS, DRAW_STOCK, DRAW_UPCARD, Knock()]
        wanted += [*map(Discard, cards), *map(Knock, cards)]
        melds = (DeclaredMeld(tuple(chance.sample(PACK, 3))),)
        hand = tuple(match.round.hand(seat))
        own = (DeclaredMeld(hand[:3]), DeclaredMeld(hand[2:6]))
        wanted += [Knock(cards[0], melds), Knock(hand[-1], own), Knock(hand[-1], ())]
    elif _throws(match):
        laid = {entry.card for entry in match.round.discards}
        held = match.round.hand(seat)
        wanted = [PASS, DRAW_STOCK, DRAW_UPCARD]
        wanted += [Discard(card) for card in laid if card not in held]
    else:
        wanted = [*map(Discard, cards), *map(Knock, cards), Knock()]
    chance.shuffle(wanted)
    return [move for move in wanted if _is_illegal(match, seat, move)][:count]


def _is_illegal(match: Match, seat: Seat, move: Move) -> bool:
    try:
        apply(match, seat, move, lambda _k: PACK)
    except IllegalMoveError:
        return True
    return False


def hidden_cards(script: Script, observer: Seat | None) -> dict[int, CardSet]:
    """Return what somebody has not seen of each deal up to the end of a script.

    Of a round that a knock has ended this is the stock. Worked out from the hands and
    the pile alone, and not from any view.
    """
    latest: dict[int, Match] = {}
    for match in (*script.before, script.at_end):
        latest[match.deal_number] = match
    last_move = {
        match.deal_number: move
        for match, move in zip(script.before, script.moves, strict=True)
    }
    hidden: dict[int, CardSet] = {}
    for k, match in latest.items():
        round_, is_past = match.round, match is not script.at_end
        stock = CardSet.of(round_.deck[round_.drawn :])
        seen = CardSet.of(entry.card for entry in round_.discards)
        if observer is not None and round_.is_played_by(observer):
            seen |= round_.hand(observer)
        if is_past:
            move = last_move[k]
            if isinstance(move, Knock):
                hidden[k] = stock
                continue
            if isinstance(move, Discard):
                seen = seen.add(move.card)
        hidden[k] = CardSet.of(PACK) - seen
    return hidden
