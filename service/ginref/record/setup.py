"""The facts of a match that are fixed when it is created."""

import enum
import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from ginref.engine.deck import seed_secret
from ginref.engine.ruleset import Ruleset
from ginref.engine.seat import Seat
from ginref.record.clock import ClockPolicy
from ginref.record.share import commit_boards, commit_referee
from ginref.record.tournament_place import (
    TournamentPlace,
    place_from_json,
    place_to_json,
)

_RULESETS: Final = 64
"""Rulesets that are remembered once they have been read."""

_SEATS: Final = tuple(Seat)
_CANONICAL: Final = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False
)


class DealSource(enum.StrEnum):
    """Where the cards of a match come from."""

    SHARES = "shares"
    TOURNAMENT = "tournament"
    SEEDED = "seeded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What a match is, before anything happened in it.

    Attributes:
        match_id: Identity of the match.
        ruleset: The rules.
        clock: The time rules.
        strikes_allowed: Illegal moves each seat may make; one more loses.
        bots: Name of the bot of each seat.
        deal_source: Where the cards come from.
        referee_share: The referee's 32 secret bytes: of no use when seeded, and the
            secret of the boards in a tournament.
        seed: The seed's text when the deal is seeded.
        commitment: The referee's commitment to its share, 32 bytes.
        signature: The referee's signature over `statement`.
        key_id: Thumbprint of the key that made the signature.
        creator: Identity of the caller that created the match.
        durability: What the store promised when the match was created.
        engine: Version of the engine that plays the match.
        keys: Public key of each seat's bot, None for a bot without one; None as a
            whole for a match that was created before bots could have keys.
        receipts: Every submission is acknowledged by a receipt.
        place: Where it stands in a tournament, if its cards come from there.
    """

    match_id: str
    ruleset: Ruleset
    clock: ClockPolicy
    strikes_allowed: int
    bots: tuple[str, ...]
    deal_source: DealSource
    referee_share: bytes = field(repr=False)
    seed: str | None = field(repr=False)
    commitment: bytes
    signature: bytes
    key_id: str
    creator: str
    durability: str
    engine: str
    keys: tuple[bytes | None, ...] | None = None
    receipts: bool = False
    place: TournamentPlace | None = None

    @property
    def record_format(self) -> int:
        """Layout of the match's record: fixed at creation, as all of this is."""
        return 0 if self.keys is None else 1

    def key_of(self, seat: Seat) -> bytes | None:
        """Return the public key of a seat's bot, 32 bytes; None if it has none."""
        return None if self.keys is None else self.keys[seat]

    @property
    def tournament(self) -> str | None:
        """The tournament that the match belongs to, if any."""
        return None if self.place is None else self.place.tournament

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats of the match, in order."""
        return _SEATS[: len(self.bots)]

    @property
    def fixed_secret(self) -> bytes | None:
        """The match secret, 32 bytes, unless seats put in shares of their own."""
        if self.place is not None:
            return self.referee_share
        return None if self.seed is None else seed_secret(self.seed)


def commitment_to(match_id: str, place: TournamentPlace | None, share: bytes) -> bytes:
    """Return the commitment to a referee's share, or to the boards of a tournament."""
    if place is None:
        return commit_referee(match_id, share)
    return commit_boards(place.tournament, place.deal, share)


def statement(
    match_id: str, ruleset: Ruleset, bots: tuple[str, ...], commitment: bytes
) -> bytes:
    """Return the bytes that the referee signs when it commits to its share.

    They bind the commitment to one match, its rules and its seats.
    """
    facts = {
        "bots": list(bots),
        "commitment": commitment.hex(),
        "match_id": match_id,
        "ruleset_digest": ruleset.digest,
    }
    return b"ginref/commitment/v1\n" + canonical(facts)


def canonical(value: object) -> bytes:
    """Return JSON with sorted keys and no blanks.

    For text, whole numbers up to 2^53, lists and objects with ASCII keys this is
    the form of RFC 8785, without its cost.
    """
    return _CANONICAL.encode(value).encode()


def setup_to_json(setup: Setup) -> dict[str, Any]:
    """Return the setup as JSON values, its secret share included."""
    facts: dict[str, Any] = {
        "match_id": setup.match_id,
        "ruleset": setup.ruleset.to_dict(),
        "ruleset_digest": setup.ruleset.digest,
        "clock": asdict(setup.clock),
        "strikes_allowed": setup.strikes_allowed,
        "bots": list(setup.bots),
        "deal_source": str(setup.deal_source),
        "referee_share": setup.referee_share.hex(),
        "seed": setup.seed,
        "commitment": setup.commitment.hex(),
        "signature": setup.signature.hex(),
        "key_id": setup.key_id,
        "creator": setup.creator,
        "durability": setup.durability,
        "engine": setup.engine,
    }
    if setup.keys is not None:
        facts["keys"] = [None if key is None else key.hex() for key in setup.keys]
    if setup.receipts:
        facts["receipts"] = True
    if setup.place is not None:
        facts["place"] = place_to_json(setup.place)
    return facts


def setup_from_json(facts: Mapping[str, Any]) -> Setup:
    """Read what `setup_to_json` returned.

    Raises:
        KeyError, TypeError, ValueError: It is something else.
    """
    ruleset = _ruleset(_CANONICAL.encode(facts["ruleset"]))
    if ruleset.digest != facts["ruleset_digest"]:
        message = "the ruleset's digest is not that of its options"
        raise ValueError(message)
    return Setup(
        match_id=facts["match_id"],
        ruleset=ruleset,
        clock=ClockPolicy(**facts["clock"]),
        strikes_allowed=facts["strikes_allowed"],
        bots=tuple(facts["bots"]),
        deal_source=DealSource(facts["deal_source"]),
        referee_share=bytes.fromhex(facts["referee_share"]),
        seed=facts["seed"],
        commitment=bytes.fromhex(facts["commitment"]),
        signature=bytes.fromhex(facts["signature"]),
        key_id=facts["key_id"],
        creator=facts["creator"],
        durability=facts["durability"],
        engine=facts["engine"],
        keys=_read_keys(facts["keys"]) if "keys" in facts else None,
        receipts=facts.get("receipts", False),
        place=place_from_json(facts["place"]) if "place" in facts else None,
    )


def _read_keys(listed: Sequence[str | None]) -> tuple[bytes | None, ...]:
    return tuple(None if key is None else bytes.fromhex(key) for key in listed)


@functools.lru_cache(_RULESETS)
def _ruleset(text: str) -> Ruleset:
    """Read rules; most matches are played by the same ones."""
    return Ruleset.from_dict(json.loads(text))


def read_setup(data: bytes) -> Setup:
    """Read the canonical JSON of `setup_to_json`.

    Raises:
        KeyError, TypeError, ValueError: It is something else.
    """
    return setup_from_json(json.loads(data))
