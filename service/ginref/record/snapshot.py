"""The life of a match as bytes, hidden cards and secrets and all, and back.

For the store only. The first byte names the format; then comes one line of JSON
with what the log has settled so far, then the game as the engine writes it. The
setup is kept beside it, once for the whole match. Bytes of another format, or of
a game that the engine no longer reads, are no loss: folding the log gives the
same state.
"""

import base64
import json
from collections.abc import Iterable, Sequence
from typing import Any, Final

from ginref.engine.kept import kept
from ginref.engine.seat import Seat
from ginref.engine.snapshot import SnapshotError, decode, encode
from ginref.record.lifecycle import Ending, EndingKind, Fault, MatchState, Stage
from ginref.record.setup import Setup

__all__ = ["FORMAT", "SnapshotError", "decode_state", "encode_state"]

FORMAT: Final = 1
"""First byte of every snapshot; it changes with the layout of the rest."""

_START: Final = chr(FORMAT)
_COMPACT: Final = json.JSONEncoder(separators=(",", ":"))
_STAGES: Final = tuple(Stage)
_NOBODY: Final = -1


def encode_state(state: MatchState) -> bytes:
    """Write a state; its setup is not part of it."""
    handshake = _write_handshake(
        state.stage, state.accepted, state.commitments, state.shares
    )
    line = (
        f"{_START}[{state.version},{state.refusals},{handshake},"
        f"{_write_numbers(state.strikes)},{_write_numbers(state.last_moved)},"
        f"{state.referee_ms},{_write_ending(state.ending)}]\n"
    )
    return line.encode() + (b"" if state.match is None else encode(state.match))


def decode_state(data: bytes, setup: Setup) -> MatchState:
    """Read a state written by `encode_state`.

    Args:
        data: The snapshot.
        setup: The setup of the same match.

    Raises:
        SnapshotError: The bytes have another format, are damaged, or belong to a
            match with another table or other rules.
    """
    if data[:1] != bytes([FORMAT]):
        message = f"not a snapshot of format {FORMAT}"
        raise SnapshotError(message)
    line, _, game = data[1:].partition(b"\n")
    try:
        return _read_state(json.loads(line), game, setup)
    except (ValueError, TypeError, LookupError) as error:
        message = "a damaged snapshot"
        raise SnapshotError(message) from error


def _read_state(facts: Sequence[Any], game: bytes, setup: Setup) -> MatchState:
    (
        version, refusals, stage, accepted, commitments, shares,
        strikes, last_moved, referee_ms, ending,
    ) = facts  # fmt: skip
    match = decode(game) if game else None
    count = len(setup.bots)
    per_seat = (accepted, commitments, shares, strikes, last_moved)
    if any(len(values) != count for values in per_seat):
        message = f"not a snapshot of {count} seats"
        raise SnapshotError(message)
    if match is not None and match.rules != setup.ruleset:
        message = f"not a snapshot of the rules {setup.ruleset.name!r}"
        raise SnapshotError(message)
    return MatchState(
        setup=setup,
        version=version,
        refusals=refusals,
        stage=_STAGES[stage],
        accepted=tuple(map(bool, accepted)),
        commitments=tuple(map(_read_bytes, commitments)),
        shares=tuple(map(_read_bytes, shares)),
        strikes=tuple(strikes),
        last_moved=tuple(last_moved),
        referee_ms=referee_ms,
        match=match,
        ending=_read_ending(ending),
    )


@kept
def _write_handshake(
    stage: Stage,
    accepted: tuple[bool, ...],
    commitments: tuple[bytes | None, ...],
    shares: tuple[bytes | None, ...],
) -> str:
    """Write what stays as it is once the cards are dealt."""
    fields = [
        _STAGES.index(stage),
        [int(done) for done in accepted],
        [_write_bytes(commitment) for commitment in commitments],
        [_write_bytes(share) for share in shares],
    ]
    return _COMPACT.encode(fields)[1:-1]


def _write_numbers(values: Iterable[int]) -> str:
    return f"[{','.join(map(str, values))}]"


def _write_bytes(value: bytes | None) -> str | None:
    return None if value is None else base64.b64encode(value).decode()


def _read_bytes(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text, validate=True)


def _write_ending(ending: Ending | None) -> str:
    if ending is None:
        return "null"
    winner = _NOBODY if ending.winner is None else ending.winner
    return _COMPACT.encode([ending.kind, winner, ending.fault, ending.seats_at_fault])


def _read_ending(facts: Sequence[Any] | None) -> Ending | None:
    if facts is None:
        return None
    kind, winner, fault, at_fault = facts
    return Ending(
        EndingKind(kind),
        None if winner == _NOBODY else Seat(winner),
        Fault(fault),
        tuple(map(Seat, at_fault)),
    )
