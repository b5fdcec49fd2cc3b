"""A match of a tournament, before it is made."""

import hashlib
from dataclasses import dataclass, field

from ginref.record.setup import canonical
from ginref.record.submission import HASH_SIZE
from ginref.record.tournament_place import TournamentPlace, place_to_json
from ginref.tournament.configuration import MatchFormat


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentGame:
    """A match that a tournament's log says to exist.

    Attributes:
        match_id: Identity of the match.
        place: Where it stands in the tournament.
        bots: Who plays, by seat.
        match: How it is played.
        boards: The match secret, 32 bytes.
    """

    match_id: str
    place: TournamentPlace
    bots: tuple[str, ...]
    match: MatchFormat
    boards: bytes = field(repr=False)

    @property
    def request_hash(self) -> bytes:
        """What tells it from others: 8 bytes over its place and its bots."""
        facts = [place_to_json(self.place), list(self.bots)]
        return hashlib.sha256(canonical(facts)).digest()[:HASH_SIZE]


def creator_of(tournament: str) -> str:
    """Return who creates the matches of a tournament: no caller has this identity."""
    return f"tournament/{tournament}"
