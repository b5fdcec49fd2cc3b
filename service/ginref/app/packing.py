"""What the store may keep of a match: sealed where it would tell a hidden card."""

from collections.abc import Iterator, Sequence
from typing import Final

from ginref.app.match_store import EntryId, StoredEntry
from ginref.app.port import Sealer, SealError
from ginref.record.entry import (
    Created,
    Entry,
    EntryError,
    Refused,
    StampedEntry,
    Voided,
    decode_entry,
    encode_entry,
)
from ginref.record.lifecycle import MatchState
from ginref.record.setup import Setup, canonical, read_setup, setup_to_json
from ginref.record.snapshot import decode_state, encode_state

_SEALED: Final = b"\x00"
"""First byte of a sealed entry; all others are text."""

_CREATION: Final = 1
"""Version that the creation of a match makes."""


class DamageError(Exception):
    """What is kept of a match cannot be read."""


class Packer:
    """Packs matches for the store, and opens what it has packed."""

    def __init__(self, sealer: Sealer) -> None:
        """Seal with this."""
        self._sealer = sealer

    def pack_setup(self, setup: Setup) -> bytes:
        """Return a setup as the store may keep it."""
        plain = canonical(setup_to_json(setup))
        return self._sealer.seal(plain, _setup_context(setup.match_id))

    def open_setup(self, match_id: str, packed: bytes) -> Setup:
        """Open a setup.

        Raises:
            DamageError: It was sealed with another key, or is damaged.
        """
        try:
            return read_setup(self._sealer.open(packed, _setup_context(match_id)))
        except (SealError, LookupError, TypeError, ValueError) as error:
            message = f"the setup of match {match_id} cannot be read"
            raise DamageError(message) from error

    def pack_state(self, state: MatchState) -> bytes:
        """Return a state as the store may keep it."""
        context = _state_context(state.setup.match_id, state.version)
        return self._sealer.seal(encode_state(state), context)

    def open_state(self, setup: Setup, version: int, packed: bytes) -> MatchState:
        """Open the state of a match at a version.

        Raises:
            SealError: It was sealed with another key, or is damaged.
            SnapshotError: It is of another format.
        """
        context = _state_context(setup.match_id, version)
        return decode_state(self._sealer.open(packed, context), setup)

    def pack_entry(self, match_id: str, entry_id: EntryId, entry: Entry) -> bytes:
        """Return an entry as the store may keep it.

        A refused move can name cards that nobody else knows, so it is sealed;
        everything else in a log is public or useless without the setup.
        """
        plain = encode_entry(entry)
        if not isinstance(entry, Refused):
            return plain
        return _SEALED + self._sealer.seal(plain, _entry_context(match_id, entry_id))

    def open_entry(self, match_id: str, stored: StoredEntry) -> StampedEntry:
        """Open an entry.

        Raises:
            DamageError: It was sealed with another key, or is damaged.
        """
        plain, context = stored.entry, _entry_context(match_id, stored.id)
        try:
            if plain.startswith(_SEALED):
                plain = self._sealer.open(plain.removeprefix(_SEALED), context)
            entry = decode_entry(plain)
        except (EntryError, SealError) as error:
            message = f"the log entry {context} cannot be read"
            raise DamageError(message) from error
        return StampedEntry(
            version=stored.id.version,
            refusal=stored.id.refusal,
            time_ms=stored.time_ms,
            entry=entry,
            credit_ms=stored.credit_ms,
        )

    def open_sound(
        self, match_id: str, created_ms: int, log: Sequence[StoredEntry]
    ) -> Iterator[StampedEntry]:
        """Open the log of a match that is over, but for what its end says is lost.

        Raises:
            DamageError: Something else cannot be read.
        """
        *earlier, last = log
        end = self.open_entry(match_id, last)
        lost = end.entry.lost if isinstance(end.entry, Voided) else 0
        if lost:
            yield StampedEntry(_CREATION, 0, created_ms, Created())
            earlier = earlier[1:]
        for entry in earlier:
            if entry.id.version < end.version - lost:
                yield self.open_entry(match_id, entry)
        yield end


def _setup_context(match_id: str) -> str:
    return f"{match_id}/setup"


def _state_context(match_id: str, version: int) -> str:
    return f"{match_id}/{version}"


def _entry_context(match_id: str, entry_id: EntryId) -> str:
    return f"{match_id}/{entry_id.version}-{entry_id.refusal}"
