"""Between the values of the store's port and the bytes that Redis keeps."""

import itertools
import struct
from collections.abc import Sequence
from typing import Final

from ginref.app.match_store import (
    Applied,
    Backlog,
    Change,
    Creation,
    Duplicate,
    EntryId,
    Seen,
    StoredEntry,
    StoredMatch,
    SubmissionKey,
)
from ginref.record.clock import StoredClock

CREATION_ENTRY: Final = EntryId(1)

_IDEM_RECORD: Final = struct.Struct(">10s8sIH")


def idem_record(key: SubmissionKey, entry_id: EntryId) -> bytes:
    """Write what makes a retry known: digest, request hash, entry id."""
    return _IDEM_RECORD.pack(
        key.digest, key.request_hash, entry_id.version, entry_id.refusal
    )


def known_creation(request_hash: bytes, creation: Creation) -> Duplicate:
    """Answer a creation of a match that exists."""
    same = request_hash == creation.request_hash
    return Duplicate(Seen(entry_id=CREATION_ENTRY, same_request=same))


def entry_id_of(change: Change) -> EntryId:
    """Return the entry id that a change will have."""
    if change.refusal:
        return EntryId(change.expected_version, change.expected_refusals + 1)
    return EntryId(change.expected_version + 1)


def bucket_of(key: SubmissionKey) -> str:
    """Return the name of the bucket of a key: its first hex digit."""
    return f"{key.digest[0] >> 4:x}"


def seen_of(record: bytes, key: SubmissionKey) -> Seen:
    """Read an idem record, and compare its request with a key's."""
    _, request_hash, version, refusal = _IDEM_RECORD.unpack(record)
    return Seen(
        entry_id=EntryId(version, refusal),
        same_request=request_hash == key.request_hash,
    )


def applied(entry_id: EntryId, facts: bytes) -> Applied:
    """Read what became of a step: its time and the credit for it, then the clocks."""
    now_ms, credit_ms, *clock = facts.decode().split(",")
    return Applied(
        entry_id=entry_id,
        now_ms=int(now_ms),
        clock=clock_of(clock),
        credit_ms=int(credit_ms),
    )


def clock_of(facts: Sequence[str]) -> StoredClock:
    """Read the clocks: whose runs, four times, and the banks."""
    to_act, started_ms, deadline_ms, elapsed_ms, credit_ms, *banks_ms = facts
    return StoredClock(
        to_act=int(to_act) if to_act else None,
        started_ms=int(started_ms),
        deadline_ms=int(deadline_ms),
        elapsed_ms=int(elapsed_ms),
        credit_ms=int(credit_ms),
        banks_ms=tuple(map(int, banks_ms)),
    )


def stored_match(
    answer: tuple[bytes, bytes, bytes, bytes], key: SubmissionKey | None
) -> StoredMatch:
    """Read a match: its setup, its state, a known submission, and all numbers.

    Raises:
        ValueError: A number is none.
    """
    setup, state, known, facts = answer
    now, version, refusals, over, created, *clock = facts.decode().split(",")
    return StoredMatch(
        version=int(version),
        refusals=int(refusals),
        over=over == "1",
        setup=setup,
        state=state,
        clock=clock_of(clock),
        created_ms=int(created),
        now_ms=int(now),
        seen=seen_of(known, key) if known and key is not None else None,
    )


def stored_entry(name: bytes, fields: Sequence[bytes]) -> StoredEntry:
    """Read a log entry: its id, then time, content and credit, each after a name.

    Of fields that were damaged an entry is left that nobody can open.
    """
    version, refusal = name.decode().split("-")
    place = EntryId(int(version), int(refusal))
    try:
        _, time_ms, _, entry, *credited = fields
        return StoredEntry(
            id=place,
            time_ms=int(time_ms),
            entry=entry,
            credit_ms=int(credited[1]) if credited else 0,
        )
    except (IndexError, ValueError):
        return StoredEntry(id=place, time_ms=0, entry=b"")


def scored(answer: Sequence[bytes]) -> list[tuple[int, str]]:
    """Read members of a sorted set, each with its time."""
    pairs = zip(answer[::2], answer[1::2], strict=True)
    return [(int(float(score)), member.decode()) for member, score in pairs]


def backlog_of(
    time: Sequence[bytes], counts: Sequence[int], first: Sequence[Sequence[bytes]]
) -> Backlog:
    """Add up the outboxes of the shards.

    Args:
        time: The store's time: seconds and microseconds.
        counts: How much each of them holds.
        first: The first member of each with its time, if there is one.
    """
    seconds, microseconds = map(int, time)
    now_ms = 1000 * seconds + microseconds // 1000
    ended_ms = [when for one in first for when, _ in scored(one)]
    age_ms = max(0, now_ms - min(ended_ms)) if ended_ms else 0
    return Backlog(sum(counts), age_ms)


def oldest(answers: Sequence[Sequence[bytes]], limit: int) -> Sequence[str]:
    """Merge what the shards have answered, by time."""
    merged = sorted(itertools.chain.from_iterable(map(scored, answers)))
    return tuple(match_id for _, match_id in merged[:limit])
