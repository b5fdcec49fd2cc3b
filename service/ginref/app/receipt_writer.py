"""Signs what a submission has come to, in matches that keep receipts."""

from collections.abc import Callable
from typing import Final

from ginref.app.caller import Caller
from ginref.app.error import Reason, RefusedError
from ginref.app.keeper import Keeper
from ginref.app.live_match import LiveMatch
from ginref.app.packing import DamageError
from ginref.app.port import Signer, StoreUnavailableError
from ginref.app.reach import check_seat
from ginref.app.request import UnreadMove
from ginref.record.entry import StampedEntry
from ginref.record.receipt import (
    Receipt,
    seal_receipt,
    stored_receipt,
    submission_hash,
)
from ginref.record.submission import Submission, digest_of

_NOTHING: Final = b""


class ReceiptWriter:
    """Writes receipts; where a match keeps none, they are empty."""

    def __init__(self, keeper: Keeper, signer: Callable[[], Signer]) -> None:
        """Sign with the key that signs now."""
        self._keeper = keeper
        self._signer = signer

    def stored(
        self,
        live: LiveMatch,
        submission: Submission,
        logged: StampedEntry,
        reason: Reason | None = None,
    ) -> bytes:
        """Acknowledge a submission that is in the log.

        Args:
            live: The match right after it.
            submission: The move.
            logged: Its entry.
            reason: Why it was refused; None for an accepted one.
        """
        if not live.state.setup.receipts:
            return _NOTHING
        commitment = live.state.commitments[submission.seat]
        receipt = stored_receipt(submission, logged, reason, commitment)
        return seal_receipt(receipt, self._signer())

    def refused(self, live: LiveMatch, submission: Submission, reason: Reason) -> bytes:
        """Acknowledge a submission that changed nothing.

        Args:
            live: The match that it was judged by.
            submission: The move.
            reason: Why it was refused.
        """
        if not live.state.setup.receipts:
            return _NOTHING
        return self._sign(
            live, submission, submission.digest, submission_hash(submission), reason
        )

    async def acknowledge_unread(
        self, caller: Caller, unread: UnreadMove, error: RefusedError
    ) -> None:
        """Add a receipt to the refusal of a move that could not be read.

        There is none for a seat that is not the caller's, nor while the store is away.
        """
        try:
            live = await self._keeper.load(unread.match_id)
            check_seat(live, caller, unread.seat)
        except (RefusedError, DamageError, StoreUnavailableError):
            return
        if live.state.setup.receipts:
            digest = digest_of(unread.seat, unread.request_id)
            error.receipt = self._sign(live, unread, digest, None, error.reason)

    def _sign(
        self,
        live: LiveMatch,
        asked: Submission | UnreadMove,
        request: bytes,
        submission: bytes | None,
        reason: Reason,
    ) -> bytes:
        receipt = Receipt(
            match_id=asked.match_id,
            seat=asked.seat,
            request=request,
            submission=submission,
            version=live.state.version,
            refusal=None,
            reason=reason,
            at_ms=live.now_ms,
            commitment=live.state.commitments[asked.seat] or None,
        )
        return seal_receipt(receipt, self._signer())
