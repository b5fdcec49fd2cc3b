"""Steps that name no version: preparing a seat, resigning, aborting."""

from typing import Final

from ginref.app.error import Reason, RefusedError
from ginref.app.judge import Judge
from ginref.app.keeper import Draft, Keeper, Stored
from ginref.app.live_match import LiveMatch
from ginref.record.entry import (
    Aborted,
    Accepted,
    Committed,
    Declined,
    Entry,
    Resigned,
    Revealed,
    entry_word,
)
from ginref.record.lifecycle import (
    EndingKind,
    MatchState,
    Stage,
    StepError,
    StepReason,
)

_ATTEMPTS: Final = 8
"""Lost races after which a step is given back to its caller."""


class StepTaker:
    """Takes steps that are told apart by match, seat and kind alone."""

    def __init__(self, keeper: Keeper, judge: Judge) -> None:
        """Work on the keeper's matches; the judge takes the steps."""
        self._keeper = keeper
        self._judge = judge

    async def take(self, live: LiveMatch, entry: Entry) -> LiveMatch:
        """Take a step unless it has been taken; a lost race is run again.

        Raises:
            RefusedError: MATCH_OVER, MOVE_LATE, STEP_OUT_OF_ORDER,
                COMMITMENT_BROKEN or VERSION_STALE.
        """
        judged = not isinstance(entry, Aborted)
        for _ in range(_ATTEMPTS):
            if _is_done(live.state, entry):
                return live
            if live.is_late and judged and await self._judge.time_out(live):
                raise self._judge.late(live)
            try:
                result = await self._judge.take(
                    Draft(live=live, entry=entry, judge_time=judged)
                )
            except StepError as error:
                raise _refused_step(live.state, entry, error) from None
            if isinstance(result, Stored):
                return result.after
            live = await self._keeper.load(live.state.setup.match_id)
        raise RefusedError(
            Reason.VERSION_STALE,
            "the match kept changing; look at it again",
            version=live.state.version,
            expected_version=live.state.version,
        )


def _is_done(state: MatchState, entry: Entry) -> bool:
    """Say whether a step has been taken already, by this very entry."""
    match entry:
        case Accepted(seat):
            return state.accepted[seat]
        case Committed(seat, commitment):
            return state.commitments[seat] == (commitment or b"")
        case Revealed(seat, share):
            return state.shares[seat] == share
        case Declined(seat):
            kind = EndingKind.NO_SHOW
        case Resigned(seat):
            kind = EndingKind.RESIGNED
        case Aborted():
            return bool(state.ending and state.ending.kind is EndingKind.ABORTED)
        case _:
            return False
    ending = state.ending
    return bool(ending and ending.kind is kind and seat in ending.seats_at_fault)


def _refused_step(state: MatchState, entry: Entry, error: StepError) -> RefusedError:
    if error.reason is StepReason.MATCH_OVER or state.stage is Stage.OVER:
        kind = state.ending.kind if state.ending else ""
        return RefusedError(Reason.MATCH_OVER, "the match is over", ending=kind)
    if error.reason is StepReason.COMMITMENT_BROKEN:
        message = "the share is not the one that was committed to"
        seat = getattr(entry, "seat", "")
        return RefusedError(Reason.COMMITMENT_BROKEN, message, seat=seat)
    return RefusedError(
        Reason.STEP_OUT_OF_ORDER,
        "the seat is not asked for this step now",
        stage=state.stage,
        step=entry_word(entry),
    )
