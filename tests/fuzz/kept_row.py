"""Rows that a store gives back, whatever has become of them there."""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any, Final

from tests.fuzz.draw import Draw
from tests.fuzz.target import Target, reader, text_reader
from tests.fuzz.twist import twisted
from tests.unit.conftest import build_setup, play
from tests.unit.tournament.driving import one_stage
from tests.unit.tournament.exporting import Season, season

from ginref.adapters.redis_reply import stored_entry
from ginref.app.caller import Role
from ginref.app.live_match import fold
from ginref.app.live_tournament import made_live, read_entries
from ginref.app.match_store import EntryId, StoredEntry
from ginref.app.packing import DamageError, Packer
from ginref.app.registry_row import (
    BotRow,
    InvitationRow,
    Joining,
    OwnerRow,
    TokenRow,
    read_bot,
    read_invitation,
    read_owner,
    read_token,
    write_bot,
    write_invitation,
    write_owner,
    write_token,
)
from ginref.engine.snapshot import SnapshotError, decode, encode
from ginref.record.entry import StampedEntry, encode_entry
from ginref.record.lifecycle import begin, step
from ginref.record.replay import ReplayError
from ginref.record.setup import canonical, setup_to_json
from ginref.record.snapshot import encode_state
from ginref.tournament.error import FieldError, LogError
from ginref.tournament.log import decode_entry
from ginref.tournament.log import encode_entry as encode_log_entry


class OpenSealer:
    """Seals nothing, so that what is sealed can be changed."""

    def seal(self, plain: bytes, _context: str) -> bytes:
        return plain

    def open(self, sealed: bytes, _context: str) -> bytes:
        return sealed


_PACKER: Final = Packer(OpenSealer())
_SETUP: Final = build_setup(3)


@lru_cache(1)
def _log() -> tuple[StampedEntry, ...]:
    return play(3, setup=_SETUP, refusals=0.05, moves=40)[1]


@lru_cache(1)
def _season() -> Season:
    return season(one_stage({"format": "swiss", "rounds": 2}))


def _states() -> list[bytes]:
    """Return states of a match from its start on."""
    state, found = begin(_SETUP), []
    for number, stamped in enumerate(_log()[1:]):
        state = step(state, stamped.entry)
        if not number % 9:
            found.append(encode_state(state))
    return found


def _games() -> list[bytes]:
    return [one.partition(b"\n")[2] for one in _states()][-3:]


def _read_game(data: bytes) -> None:
    """Read a game, and write it again: what can be read is a game."""
    encode(decode(data))


def _entries() -> list[bytes]:
    return [encode_entry(one.entry) for one in _log()]


def _open_entry(data: bytes) -> None:
    """Open an entry, and write it again: what can be read is an entry."""
    stored = StoredEntry(id=EntryId(2), time_ms=0, entry=data)
    encode_entry(_PACKER.open_entry("m", stored).entry)


def _fold_log() -> Callable[[bytes], object]:
    """Fold a log of which some rows are changed, lost, doubled or swapped."""
    rows = [
        [one.version, one.refusal, one.time_ms, json.loads(encode_entry(one.entry))]
        for one in _log()
    ]

    def check(data: bytes) -> None:
        draw = Draw(data)
        changed = twisted(rows, draw)
        changed = changed if isinstance(changed, list) else [changed]
        with suppress(DamageError, ReplayError):
            log = [
                _PACKER.open_entry("m", _stored(row)) for row in changed if _is_row(row)
            ]
            if log:
                fold(_SETUP, log)

    return check


def _is_row(row: Any) -> bool:  # noqa: ANN401 - JSON
    """Say whether a server could hold a row at all: ids and times are numbers."""
    return (
        isinstance(row, list)
        and len(row) == 4
        and all(type(one) is int for one in row[:3])
    )


def _stored(row: list[Any]) -> StoredEntry:
    version, refusal, time_ms, entry = row
    return StoredEntry(
        id=EntryId(version, refusal), time_ms=time_ms, entry=json.dumps(entry).encode()
    )


def _read_fields(data: bytes) -> None:
    """Read the fields of a log entry as a server tells them."""
    stored_entry(b"5-0", data.split(b"\n"))


def _tournament_log() -> Callable[[bytes], object]:
    """Fold the log of a tournament of which some entries are otherwise."""
    played = _season()
    rows = [json.loads(encode_log_entry(one)) for one in played.entries]

    def check(data: bytes) -> None:
        changed = twisted(rows, Draw(data))
        changed = changed if isinstance(changed, list) else [changed]
        with suppress(LogError, FieldError):
            entries = read_entries(None, [canonical(row) for row in changed])
            if entries:
                made_live("t-1", played.configuration, entries, played.now_ms)

    return check


def _bots() -> list[bytes]:
    row = BotRow(name="ada", owner="lab", house=False, created_ms=1, key=b"k" * 32)
    return [write_bot(row).encode()]


def _tokens() -> list[bytes]:
    row = TokenRow(
        token_id="t",
        role=Role.BOT,
        bot="ada",
        match_ids=("m",),
        tournament_ids=("cup",),
        created_ms=1,
        expires_ms=None,
        revoked_ms=None,
    )
    return [write_token("ab" * 32, row).encode()]


def _invitations() -> list[bytes]:
    row = InvitationRow(
        invitation_id="i",
        owner=None,
        uses=8,
        salt=b"s" * 16,
        created_ms=1,
        expires_ms=2,
        tokens_expire_ms=None,
        joined=(Joining(bot="ada", request="ab" * 32, joined_ms=1),),
    )
    return [write_invitation("ab" * 32, row).encode()]


KEPT_ROWS: Final[Mapping[str, Target]] = {
    "setup row": Target(
        make=reader(lambda data: _PACKER.open_setup("m", data), DamageError),
        seeds=lambda: [canonical(setup_to_json(_SETUP))],
        share=40,
    ),
    "state row": Target(
        make=reader(lambda data: _PACKER.open_state(_SETUP, 2, data), SnapshotError),
        seeds=_states,
        share=60,
    ),
    "game row": Target(make=reader(_read_game, SnapshotError), seeds=_games, share=60),
    "entry row": Target(
        make=reader(_open_entry, DamageError), seeds=_entries, share=60
    ),
    "log rows": Target(make=_fold_log, seeds=lambda: [bytes(range(20))], share=5),
    "log fields": Target(
        make=reader(_read_fields),
        seeds=lambda: [b't\n12\ne\n["new"]', b't\n12\ne\n["abort"]\nc\n5'],
        share=40,
    ),
    "tournament entry row": Target(
        make=reader(decode_entry, FieldError),
        seeds=lambda: [encode_log_entry(one) for one in _season().entries[:20]],
        share=40,
    ),
    "tournament log rows": Target(
        make=_tournament_log, seeds=lambda: [bytes(range(20))], share=5
    ),
    "bot row": Target(make=text_reader(read_bot, DamageError), seeds=_bots, share=30),
    "owner row": Target(
        make=text_reader(read_owner, DamageError),
        seeds=lambda: [write_owner(OwnerRow(name="lab", created_ms=1)).encode()],
        share=20,
    ),
    "invitation row": Target(
        make=text_reader(read_invitation, DamageError), seeds=_invitations, share=20
    ),
    "token row": Target(
        make=text_reader(read_token, DamageError), seeds=_tokens, share=30
    ),
}
"""Readers of what a store has kept, by what they read."""
