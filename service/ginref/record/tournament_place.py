"""Where a match stands in a tournament: fixed before its first card."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ginref.record.shape import Place

_HEAD: Final = re.compile(r"[0-9a-f]{64}")
_MEMBERS: Final = (
    "tournament",
    "fixture",
    "attempt",
    "game",
    "deal",
    "is_shared",
    "length",
    "head",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentPlace:
    """Where a match stands in a tournament.

    Attributes:
        tournament: Identity of the tournament.
        fixture: The fixture.
        attempt: Its attempt, counted from 1.
        game: Which match of the fixture, counted from 1.
        deal: Names its cards: matches of the tournament with one name have the same
            decks.
        is_shared: Another match has the same cards, at another table or as the second
            leg, so nothing of them may be public before all have played.
        length: Entries of the tournament's log when the match was created; the last
            one says that it is.
        head: Digest of that entry, 64 hexadecimal digits.
    """

    tournament: str
    fixture: str
    attempt: int
    game: int
    deal: str
    is_shared: bool
    length: int
    head: str


def place_to_json(place: TournamentPlace) -> dict[str, Any]:
    """Return the place as JSON values."""
    return {name: getattr(place, name) for name in _MEMBERS}


def place_from_json(facts: Mapping[str, Any]) -> TournamentPlace:
    """Read what `place_to_json` returned.

    Raises:
        KeyError, TypeError: It is something else.
    """
    return TournamentPlace(**{name: facts[name] for name in _MEMBERS})


def read_place(place: Place) -> TournamentPlace:
    """Read the place in a record.

    Raises:
        RecordError: It is something else.
    """
    facts = place.members(set(_MEMBERS))
    if not isinstance(facts["is_shared"].value, bool):
        raise facts["is_shared"].fail("true or false expected")
    if not _HEAD.fullmatch(facts["head"].text()):
        raise facts["head"].fail("64 small hexadecimal digits expected")
    return TournamentPlace(
        tournament=facts["tournament"].text(),
        fixture=facts["fixture"].text(),
        attempt=facts["attempt"].number(low=1),
        game=facts["game"].number(low=1),
        deal=facts["deal"].text(),
        is_shared=facts["is_shared"].value,
        length=facts["length"].number(low=1),
        head=facts["head"].value,
    )
