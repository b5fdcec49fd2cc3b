"""The match record: one JSON document that holds a whole match and proves it.

It is written in the form of RFC 8785, so that everybody who has the same log writes
the same bytes, and nothing in it depends on who writes it or when.

    format      1, or 0 for a match that was created before bots had keys
    match       what was fixed at creation, the referee's commitment with it
    created_ms  time of the creation, in milliseconds since the Unix epoch
    openings    the referee's share or the seed, and what the cards follow from
    entries     every accepted step and every counted refusal, in order
    chain       head of the hash chain over the entries
    rounds, sheet, ending, clocks, strikes      the results

An entry's `at_ms` counts from the creation. The chain starts with SHA-256 over
`ginref/chain/v1`; each link is SHA-256 over the link before it and the entry.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

from ginref.engine.error import RulesetError
from ginref.engine.ruleset import Ruleset
from ginref.record.clock import CUSTOM, PRESETS, ClockPolicy
from ginref.record.entry import StampedEntry
from ginref.record.entry_json import entry_to_json, read_entry
from ginref.record.envelope import SIGNATURE_SIZE
from ginref.record.flaw import Flaw
from ginref.record.proof import judge_signatures
from ginref.record.public_key import KEY_SIZE
from ginref.record.replay import Replay, ReplayError, replay
from ginref.record.section import derived_sections
from ginref.record.setup import (
    DealSource,
    Setup,
    canonical,
    setup_to_json,
)
from ginref.record.shape import (
    Place,
    RecordError,
    first_difference,
    read_canonical,
)
from ginref.record.share import SHARE_SIZE
from ginref.record.tournament_place import read_place

__all__ = [
    "PAYLOAD_TYPE",
    "Record",
    "RecordError",
    "build_record",
    "chain_head",
    "parse_record",
    "record_json",
]

PAYLOAD_TYPE: Final = "application/vnd.ginref.match.v1+json"
"""Type of a record in its envelope."""

FORMATS: Final = (0, 1)
"""Layouts of the document, oldest first; a reader refuses every other number."""

_CHAIN: Final = b"ginref/chain/v1"
_DIGEST_SIZE: Final = 32
_SECRETS: Final = {"referee_share", "seed"}
"""Facts of the setup that stand under the openings."""

_MATCH_MEMBERS: Final = {field.name for field in fields(Setup)} - _SECRETS | {
    "ruleset_digest"
}
_MEMBERS: Final = {
    "format",
    "match",
    "created_ms",
    "openings",
    "entries",
    "chain",
    "rounds",
    "sheet",
    "ending",
    "clocks",
    "strikes",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A match record as read: well-formed, but not yet proved.

    Attributes:
        setup: What was fixed at creation; without share and seed if not open.
        entries: The log.
        chain: The head that the record claims for the chain over its entries.
        is_open: The deal is open: share or seed are known.
        document: The whole record as JSON values.
    """

    setup: Setup
    entries: tuple[StampedEntry, ...]
    chain: bytes
    is_open: bool
    document: dict[str, Any]


def build_record(setup: Setup, entries: Sequence[StampedEntry]) -> bytes:
    """Write the record of a match that is over.

    Raises:
        ReplayError: The log is none that a referee could have written, or the
            match is not over.
    """
    replayed = replay(setup, entries)
    if replayed.state.ending is None:
        last = entries[-1]
        what = "the match is not over with it"
        raise ReplayError(last.version, last.refusal, what, Flaw.ENDING)
    proven = judge_signatures(setup, entries)
    return canonical(record_json(setup, proven, replayed))


def record_json(
    setup: Setup, entries: Sequence[StampedEntry], replayed: Replay
) -> dict[str, Any]:
    """Return the record of a match as JSON values.

    Args:
        setup: What was fixed at creation.
        entries: The log.
        replayed: The same log, played again.
    """
    created_ms = entries[0].time_ms
    number = setup.record_format
    listed = [entry_to_json(stamped, created_ms, number) for stamped in entries]
    return {
        "format": number,
        "match": _match_json(setup),
        "created_ms": created_ms,
        "entries": listed,
        "chain": chain_head(listed).hex(),
        **derived_sections(replayed),
    }


def _match_json(setup: Setup) -> dict[str, Any]:
    facts = setup_to_json(setup)
    return {key: value for key, value in facts.items() if key not in _SECRETS}


def chain_head(entries: Iterable[dict[str, Any]]) -> bytes:
    """Return the head of the hash chain over entries as JSON values, 32 bytes."""
    head = hashlib.sha256(_CHAIN).digest()
    for entry in entries:
        head = hashlib.sha256(head + canonical(entry)).digest()
    return head


def parse_record(payload: bytes) -> Record:
    """Read a record and check its shape, but not whether what it says is true.

    Raises:
        RecordError: Naming the first wrong thing.
    """
    whole = read_canonical(payload)
    if isinstance(whole.value, dict) and whole.value.get("format", 0) not in FORMATS:
        known = " and ".join(map(str, FORMATS))
        raise RecordError("format", f"only formats {known} can be read")
    parts = whole.members(_MEMBERS)
    number = parts["format"].number()
    is_open = parts["openings"].value is not None
    openings = parts["openings"] if is_open else None
    setup = _read_setup(parts["match"], openings, number)
    created_ms = parts["created_ms"].number()
    return Record(
        setup=setup,
        entries=tuple(
            read_entry(place, created_ms, number) for place in parts["entries"].items()
        ),
        chain=parts["chain"].octets(_DIGEST_SIZE),
        is_open=is_open,
        document=whole.value,
    )


def _read_setup(match: Place, openings: Place | None, record_format: int) -> Setup:
    has_keys = record_format > 0
    names = dict.fromkeys(_MATCH_MEMBERS, True) | {"place": False, "receipts": False}
    if not has_keys:
        del names["keys"], names["place"], names["receipts"]
    facts = match.members(names)
    source = facts["deal_source"]
    if source.text() not in tuple(DealSource):
        raise source.fail(f"one of {', '.join(DealSource)} expected")
    if (source.value == DealSource.TOURNAMENT) is not ("place" in facts):
        raise source.fail("tournament expected where there is a place, and only there")
    share, seed = _read_secrets(openings, DealSource(source.value))
    setup = Setup(
        match_id=facts["match_id"].text(),
        ruleset=_read_ruleset(facts["ruleset"]),
        clock=_read_clock(facts["clock"]),
        strikes_allowed=facts["strikes_allowed"].number(),
        bots=tuple(bot.text() for bot in facts["bots"].items()),
        deal_source=DealSource(source.value),
        referee_share=share,
        seed=seed,
        commitment=facts["commitment"].octets(SHARE_SIZE),
        signature=facts["signature"].octets(SIGNATURE_SIZE),
        key_id=facts["key_id"].text(),
        creator=facts["creator"].text(),
        durability=facts["durability"].text(),
        engine=facts["engine"].text(),
        keys=tuple(map(_read_key, facts["keys"].items())) if has_keys else None,
        receipts="receipts" in facts and facts["receipts"].value is True,
        place=read_place(facts["place"]) if "place" in facts else None,
    )
    if len(setup.bots) != setup.ruleset.seat_count:
        raise facts["bots"].fail(f"{setup.ruleset.seat_count} bots expected")
    if has_keys and len(setup.keys or ()) != len(setup.bots):
        raise facts["keys"].fail("one for each bot, or null, expected")
    if facts["ruleset_digest"].value != setup.ruleset.digest:
        raise facts["ruleset_digest"].fail("not the digest of the ruleset")
    different = first_difference(match.value, _match_json(setup), match.path)
    if different:
        raise different
    return setup


def _read_key(place: Place) -> bytes | None:
    return None if place.value is None else place.octets(KEY_SIZE)


def _read_ruleset(place: Place) -> Ruleset:
    if not isinstance(place.value, dict):
        raise place.fail("an object expected")
    try:
        return Ruleset.from_dict(place.value)
    except RulesetError as error:
        raise place.fail(str(error)) from error


def _read_clock(place: Place) -> ClockPolicy:
    parts = place.members({field.name for field in fields(ClockPolicy)})
    name = parts.pop("name")
    numbers = {key: at.number() for key, at in parts.items()}
    policy = ClockPolicy(name=name.text(), **numbers)
    if policy.name == CUSTOM:
        return policy
    # A reader knows a preset by its name, and does not look at the numbers.
    if policy.name not in PRESETS:
        raise name.fail(f"one of {', '.join(PRESETS)} or {CUSTOM} expected")
    if policy != PRESETS[policy.name]:
        raise place.fail(f"other numbers than {policy.name} stands for")
    return policy


def _read_secrets(
    openings: Place | None, source: DealSource
) -> tuple[bytes, str | None]:
    if openings is None:
        return b"", None
    parts = openings.members({"referee_share", "seed", "secret", "first_dealer"})
    share, seed = parts["referee_share"], parts["seed"]
    if source is DealSource.SEEDED:
        # The referee's share decides nothing then, but it was committed to.
        return share.octets(SHARE_SIZE), seed.text()
    if seed.value is not None:
        raise seed.fail("null expected where the deal does not come from a seed")
    return share.octets(SHARE_SIZE), None
