"""Which cards a message shows, whatever it is made of."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from itertools import chain
from typing import Final

from ginref.app.report import PublicEvent
from ginref.engine.card import Card, CardSet
from ginref.engine.ruleset import Ruleset
from ginref.engine.view import RoundReveal
from ginref.record.clock import ClockPolicy

_CARD: Final = re.compile(r"\b[A2-9TJQK][shdc]")

# Rules and clocks hold no card; moves and reveals are public, and are compared with
# the log and with what was played.
_PASSED_OVER: Final = (int, bytes, Ruleset, ClockPolicy, PublicEvent, RoundReveal)

_NAMES: Final = {"key_id", "match_id"}
"""Letters that were drawn can look like a card."""

_FIELDS: Final[dict[type, tuple[str, ...]]] = {}


def cards_shown(value: object) -> int:
    """Return the mask of all cards in a value, however deep they are."""
    if isinstance(value, CardSet):
        return value.mask
    if isinstance(value, Card):
        return value.bit
    if isinstance(value, str):
        return _cards_in_text(value)
    if value is None or isinstance(value, _PASSED_OVER):
        return 0
    mask = 0
    for part in _parts(value):
        mask |= cards_shown(part)
    return mask


def _parts(value: object) -> Iterable[object]:
    if isinstance(value, tuple | list | frozenset):
        return value
    if isinstance(value, Mapping):
        return chain(value.keys(), value.values())
    if is_dataclass(value):
        return [getattr(value, name) for name in _names(type(value))]
    raise TypeError(f"{type(value)} may hold cards")


def _names(kind: type) -> tuple[str, ...]:
    if kind not in _FIELDS:
        _FIELDS[kind] = tuple(
            field.name for field in fields(kind) if field.name not in _NAMES
        )
    return _FIELDS[kind]


def _cards_in_text(text: str) -> int:
    mask = 0
    for found in _CARD.findall(text):
        mask |= Card.parse(found).bit
    return mask
