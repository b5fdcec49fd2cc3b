"""Lines for the journal about matches and refusals."""

from tests.faults.journal import Ended, Made, Told, digest, now_ns
from tests.faults.rig import Rig
from tests.faults.wire import Refusal

from ginref.v1 import match_pb2
from ginref_client.codec import ending_from_wire


def note_creation(rig: Rig, match_id: str, request_id: str) -> None:
    """Note that a match was created."""
    rig.match_ids.append(match_id)
    rig.journal.put(
        Made(
            at_ns=now_ns(),
            match_id=match_id,
            request_id=request_id,
            has_whole_journal=True,
        )
    )


def note_ending(rig: Rig, match_id: str, ending: match_pb2.Ending, by: str) -> None:
    """Note how a match ended, as somebody was told."""
    read = ending_from_wire(ending)
    rig.journal.put(
        Ended(
            at_ns=now_ns(),
            match_id=match_id,
            kind=str(read.kind),
            winner="" if read.winner is None else str(read.winner),
            by=by,
        )
    )


def told_refusal(number: int, refusal: Refusal) -> Told:
    """Return the line about a call that was refused, or not answered."""
    # Only a counted refusal is kept, and has one answer for good.
    is_kept = any(key == "strikes_left" for key, _ in refusal.facts)
    return Told(
        number=number,
        at_ns=now_ns(),
        outcome="refused" if refusal.is_final else "unknown",
        reason=refusal.reason,
        answer=digest(repr(refusal).encode()) if is_kept else "",
        receipt=refusal.receipt.decode(),
    )
