"""Looks for cards in what a caller is told that the caller has not seen."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from google.protobuf.message import Message
from tests.e2e.answer import cards_in
from tests.leaks.comparison import kind_of, read
from tests.leaks.wire import Sent

from ginref.engine.card import CardSet
from ginref.engine.match import Match
from ginref.engine.seat import Seat
from ginref.v1 import event_pb2, view_pb2

_NAMES: Final = frozenset(
    {"match_id", "key_id", "attachment", "commitment_signature", "referee_commitment"}
)
"""Letters and bytes that were drawn can look like a card."""


@dataclass
class Spotter:
    """What may be seen of a match, as it goes on, by the hands and the pile alone.

    Attributes:
        seats: Seats by bot.
        moves: Moves that were made, as texts, by version.
        shown: Cards that each round has shown when it was over.
        named: What bots have sent, as texts, by bot.
        looked: Messages that were looked at.
        found: Cards that somebody was told of and may not know.
    """

    seats: dict[str, Seat]
    moves: dict[int, str] = field(default_factory=dict)
    shown: dict[int, CardSet] = field(default_factory=dict)
    named: dict[str, list[str]] = field(default_factory=dict)
    looked: int = 0
    found: list[str] = field(default_factory=list)

    def look(self, told: Iterable[Sent], match: Match) -> None:
        """Look at what was told when a match stood where it stands."""
        public = CardSet.of(entry.card for entry in match.round.discards)
        for sent in told:
            self.looked += 1
            seat = self.seats.get(sent.to)
            known = public
            if seat is not None and match.round.is_played_by(seat):
                known |= match.round.hand(seat)
            for text in self.named.get(sent.to, ()):
                known |= cards_in(text)
            if sent.kind != "message":
                self._note(sent, cards_in(sent.data.decode()) - known)
                continue
            message = read(sent)
            self._note(sent, cards_in(" ".join(_texts(message))) - known)
            for part in _parts(message):
                if isinstance(part, event_pb2.MatchEvent):
                    self._check_event(sent, part)
                elif isinstance(part, view_pb2.RoundReveal):
                    shown = self.shown.get(part.round, CardSet())
                    self._note(sent, cards_in(str(part)) - shown)

    def _check_event(self, sent: Sent, event: event_pb2.MatchEvent) -> None:
        made = self.moves.get(event.version, "")
        if event.HasField("played"):
            if event.played.move != made:
                self.found.append(f"{kind_of(sent)} to {sent.to}: {event}")
        else:
            self._note(sent, cards_in(str(event)))

    def _note(self, sent: Sent, cards: CardSet) -> None:
        if cards:
            told = " ".join(map(str, cards))
            self.found.append(f"{kind_of(sent)} to {sent.to}: {told}")


def _is_apart(part: Message) -> bool:
    """Say whether a part is about the past, and looked at by itself."""
    return isinstance(part, event_pb2.MatchEvent | view_pb2.RoundReveal)


def _fields(message: Message) -> Iterator[tuple[str, object]]:
    for described, value in message.ListFields():
        if described.message_type and described.message_type.GetOptions().map_entry:
            for pair in value.items():
                yield from ((described.name, part) for part in pair)
        elif described.is_repeated:
            yield from ((described.name, part) for part in value)
        else:
            yield described.name, value


def _texts(message: Message) -> Iterator[str]:
    """Yield every text in a message, but for those about the past."""
    for name, value in _fields(message):
        if isinstance(value, Message):
            if not _is_apart(value):
                yield from _texts(value)
        elif isinstance(value, str) and name not in _NAMES:
            yield value
        elif isinstance(value, bytes) and name not in _NAMES:
            yield value.decode("latin-1")


def _parts(message: Message) -> Iterator[Message]:
    """Yield every message in a message, however deep."""
    for _, value in _fields(message):
        if isinstance(value, Message):
            yield value
            yield from _parts(value)
