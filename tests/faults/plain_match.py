"""A match record played again the plain way: cards, sums and scores worked out anew.

It reads the JSON of a record and takes nothing from the product: the deals come from
the shares by the published recipe, and hands are judged by trying every meld.
"""

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from tests.unit.engine.plain_round import (
    PACK,
    RUNS,
    SETS,
    Hand,
    PlainRound,
    total,
)

SEATS = ("north", "south", "east")

_MELDS = [*SETS, *RUNS]
_IS_MELD = frozenset(_MELDS)
_BY_CARD = {card: [meld for meld in _MELDS if card in meld] for card in PACK}


class DisagreementError(Exception):
    """The record says what the plain rules do not."""


def _demand(said: object, found: object, what: str) -> None:
    if said != found:
        raise DisagreementError(f"{what}: {said!r} said, {found!r} found")


# --- cards --------------------------------------------------------------------


def _hkdf(material: bytes, info: bytes) -> bytes:
    key = hmac.digest(bytes(32), material, "sha256")
    return hmac.digest(key, info + b"\x01", "sha256")


def _draws(key: bytes) -> Iterator[int]:
    counter = 0
    while True:
        block = hmac.digest(key, counter.to_bytes(8, "big"), "sha256")
        yield from (int.from_bytes(block[at : at + 2], "big") for at in range(0, 32, 2))
        counter += 1


def shuffle(
    items: Sequence[str], secret: bytes, purpose: str, number: int
) -> list[str]:
    """Shuffle by a secret, as the page on records describes it."""
    info = f"ginref/{purpose}/v1".encode() + number.to_bytes(4, "big")
    draws = _draws(_hkdf(secret, info))
    mixed = list(items)
    for last in range(len(mixed) - 1, 0, -1):
        size = last + 1
        value = next(v for v in draws if v < 65536 - 65536 % size)
        mixed[last], mixed[value % size] = mixed[value % size], mixed[last]
    return mixed


def _secret(document: dict[str, Any]) -> bytes:
    openings, match = document["openings"], document["match"]
    if openings["seed"] is not None:
        return hashlib.sha256(b"ginref/seed/v1" + openings["seed"].encode()).digest()
    shares = {
        entry["seat"]: bytes.fromhex(entry["share"])
        for entry in document["entries"]
        if entry["kind"] == "reveal"
    }
    material = bytes.fromhex(openings["referee_share"])
    for seat in SEATS[: len(match["bots"])]:
        material += b"\x01" + shares[seat] if seat in shares else b"\x00"
    return _hkdf(material, b"ginref/match-secret/v1" + match["match_id"].encode())


# --- hands --------------------------------------------------------------------


@lru_cache(100_000)
def least_deadwood(hand: Hand) -> int:
    """Try the melds of one card after another, or leave the card alone."""
    if not hand:
        return 0
    card = min(hand, key=PACK.index)
    tries = [least_deadwood(hand - {card}) + total(frozenset({card}))]
    tries += [least_deadwood(hand - meld) for meld in _BY_CARD[card] if meld <= hand]
    return min(tries)


def _leftovers(hand: Hand) -> set[Hand]:
    """Every rest that some choice of melds leaves."""
    found = {hand}
    for meld in _MELDS:
        if meld <= hand:
            found |= _leftovers(hand - meld)
    return found


def _lay_off(rest: Hand, melds: tuple[Hand, ...]) -> int:
    best = total(rest)
    for card in rest:
        for at, meld in enumerate(melds):
            if (longer := meld | {card}) in _IS_MELD:
                after = (*melds[:at], longer, *melds[at + 1 :])
                best = min(best, _lay_off(rest - {card}, after))
    return best


def least_after_layoffs(hand: Hand, melds: tuple[Hand, ...]) -> int:
    """Return the deadwood of a defender who does the best that can be done."""
    return min(_lay_off(rest, melds) for rest in _leftovers(hand))


# --- the match ----------------------------------------------------------------


@dataclass
class PlainMatch:
    """A match in play.

    Attributes:
        document: The record.
        secret: Where its cards come from.
        roles: Seats by side: "D" deals, "N" does not, "idle" sits out, if anybody.
        number: The round in play, from 1.
        columns: Points of each seat in each column, an entry for each win.
        closed: Winner of each column; None while it is open.
        is_over: No more moves can come.
    """

    document: dict[str, Any]
    secret: bytes = b""
    roles: dict[str, str] = field(default_factory=dict)
    number: int = 1
    columns: list[dict[str, list[int]]] = field(default_factory=list)
    closed: list[str | None] = field(default_factory=list)
    is_over: bool = False

    @property
    def rules(self) -> dict[str, Any]:
        rules: dict[str, Any] = self.document["match"]["ruleset"]
        return rules

    def start(self) -> PlainRound:
        """Draw the first dealer, and deal."""
        openings = self.document["openings"]
        self.secret = _secret(self.document)
        _demand(openings["secret"], self.secret.hex(), "secret")
        seats = list(SEATS[: len(self.document["match"]["bots"])])
        dealer = shuffle(seats, self.secret, "first-dealer", 0)[0]
        _demand(openings["first_dealer"], dealer, "first dealer")
        at = seats.index(dealer)
        after = seats[at + 1 :] + seats[:at]
        self.roles = dict(zip(("D", "N", "idle"), (dealer, *after), strict=False))
        games = self.rules["games"]
        self.columns = [{seat: [] for seat in seats} for _ in range(games)]
        self.closed = [None] * games
        return self.deal()

    def deal(self) -> PlainRound:
        deck = shuffle(PACK, self.secret, "deck", self.number - 1)
        return PlainRound(
            rules=self.rules,
            deck=deck,
            hands={"N": frozenset(deck[0:20:2]), "D": frozenset(deck[1:20:2])},
            pile=(deck[20],),
        )

    def end_round(
        self, played: PlainRound, result: dict[str, Any]
    ) -> PlainRound | None:
        """Compare a round with the record, score it, and deal the next one."""
        said = self.document["rounds"][self.number - 1]
        where = f"round {self.number}"
        spades = played.deck[20].endswith("s") and self.rules["spades_double"]
        result |= {
            "number": self.number,
            "dealer": self.roles["D"],
            "first_upcard": played.deck[20],
            "knock_limit": played.knock_limit,
            "multiplier": 2 if spades else 1,
        }
        result["points"] *= result["multiplier"]
        columns = self._enter(result["winner"], result["points"])
        result["columns"] = columns
        for key, value in result.items():
            _demand(said[key], value, f"{where}, {key}")
        limit = self.rules["round_limit"]
        self.is_over = all(self.closed) or self.number >= limit
        self._pass_the_deal(result["winner"])
        self.number += 1
        return None if self.is_over else self.deal()

    def _enter(self, winner: str | None, points: int) -> list[int]:
        if winner is None:
            return []
        entered = []
        for at, column in enumerate(self.columns):
            if self.closed[at] is not None:
                continue
            entered.append(at)
            is_first = not column[winner]
            column[winner].append(points)
            if sum(column[winner]) >= self.rules["game_target"]:
                self.closed[at] = winner
            if is_first:
                break
        return entered

    def _pass_the_deal(self, winner: str | None) -> None:
        if winner is None:
            return
        dealer, other = self.roles["D"], self.roles["N"]
        loser = other if winner == dealer else dealer
        if "idle" in self.roles:
            self.roles = {"D": self.roles["idle"], "N": winner, "idle": loser}
        else:
            self.roles = {"D": winner, "N": loser}


def play_again(document: dict[str, Any]) -> int:
    """Play a record again, and return how many moves it had.

    Raises:
        DisagreementError: It says what the plain rules do not.
    """
    match = PlainMatch(document)
    moves = [entry for entry in document["entries"] if entry["kind"] == "move"]
    if document["openings"]["secret"] is None:
        _demand(len(moves), 0, "moves without cards")
        return 0
    table: PlainRound | None = match.start()
    for entry in moves:
        where = f"version {entry['version']}"
        if table is None:
            raise DisagreementError(f"{where}: a move after the last round")
        side, move = table.to_act, entry["move"]
        _demand(entry["seat"], match.roles[side], f"{where}, who moves")
        result = _move(table, side, move, where, match)
        table = table.after(move)
        if result is None and not table.asks:
            result = {"outcome": _how_drawn(table), "winner": None, "points": 0}
        if result is not None:
            table = match.end_round(table, result)
    _demand(len(document["rounds"]), match.number - 1, "rounds")
    _demand_ending(document, match)
    return len(moves)


def _how_drawn(table: PlainRound) -> str:
    return "wall" if 52 - table.gone <= table.rules["wall"] else "turn_cap"


def _move(
    table: PlainRound, side: str, move: str, where: str, match: PlainMatch
) -> dict[str, Any] | None:
    """Check that a move is legal; return the showdown's result if it is a knock."""
    kind = move.partition(" ")[0]
    if table.asks != "throw":
        if move not in table.moves():
            raise DisagreementError(f"{where}: {move} is illegal")
        return None
    hand = table.hands[side]
    words = move.split()[1:]
    card = words[0] if words and len(words[0]) == 2 else ""
    if card:
        barred = card == table.taken and not table.rules["may_discard_taken_card"]
        if card not in hand or barred:
            raise DisagreementError(f"{where}: {move} throws what it may not")
    if kind == "discard":
        return None
    if kind != "knock":
        raise DisagreementError(f"{where}: {move} instead of a discard")
    said = match.document["rounds"][match.number - 1]["showdown"]
    left = frozenset(hand - {card})
    result = _showdown(table, side, left, said, match.roles)
    # Who declares melds may hold better ones.
    if len(words) == bool(card):
        laid = total(_cards(said["deadwood"]))
        _demand(laid, least_deadwood(left), f"{where}, deadwood")
    return result


def _cards(text: str) -> Hand:
    return frozenset(text.split())


def _showdown(
    table: PlainRound,
    side: str,
    left: Hand,
    said: dict[str, Any],
    roles: dict[str, str],
) -> dict[str, Any]:
    rules = table.rules
    melds = tuple(map(_cards, said["melds"]))
    if not set(melds) <= _IS_MELD or len(left) != sum(map(len, melds)) + len(
        _cards(said["deadwood"])
    ):
        raise DisagreementError("the knocker's melds are none, or not of the hand")
    _demand(
        frozenset().union(*melds, _cards(said["deadwood"])), left, "knocker's cards"
    )
    knocker = total(_cards(said["deadwood"]))
    if knocker > table.knock_limit:
        raise DisagreementError(f"knocked with {knocker}")
    other = "D" if side == "N" else "N"
    may_lay_off = bool(knocker) or rules["layoff_on_gin"]
    hand = table.hands[other]
    best = least_after_layoffs(hand, melds) if may_lay_off else least_deadwood(hand)
    _demand(total(_cards(said["defender_deadwood"])), best, "defender's deadwood")
    winner, loser = roles[side], roles[other]
    if not knocker:
        big = len(left) == 11 and rules["big_gin_bonus"] is not None
        bonus = rules["big_gin_bonus"] if big else rules["gin_bonus"]
        word = "big_gin" if big else "gin"
        return {"outcome": word, "winner": winner, "points": best + bonus}
    if best > knocker:
        return {"outcome": "knock", "winner": winner, "points": best - knocker}
    if best == knocker and not rules["undercut_on_tie"]:
        return {"outcome": "tie", "winner": None, "points": 0}
    points = knocker - best + rules["undercut_bonus"]
    return {"outcome": "undercut", "winner": loser, "points": points}


def _demand_ending(document: dict[str, Any], match: PlainMatch) -> None:
    ending = document["ending"]
    is_played_out = ending["kind"] in {"completed", "round_cap"}
    _demand(is_played_out, match.is_over, "played to its end")
    if ending["kind"] == "completed":
        winners = [winner for winner in match.closed if winner]
        best = max(set(winners), key=winners.count)
        _demand(ending["winner"], best, "winner of most games")
