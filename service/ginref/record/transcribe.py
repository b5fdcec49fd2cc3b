"""The match of a record without the rest: rules, deals and moves, to read and replay.

Refused moves, times and shares stay in the record; so does the signature.
"""

from collections.abc import Sequence

from ginref.engine.match import Ending, Match
from ginref.engine.move import Move
from ginref.engine.seat import Seat
from ginref.engine.transcript import Deal, TranscribedRound, Transcript
from ginref.record.entry import Moved, StampedEntry
from ginref.record.lifecycle import begin, step
from ginref.record.replay import replay
from ginref.record.setup import Setup


def transcribe(setup: Setup, entries: Sequence[StampedEntry]) -> Transcript | None:
    """Return what was played; None if the match ended before any card was dealt.

    Args:
        setup: What was fixed at creation, share or seed included.
        entries: The log.

    Raises:
        ReplayError: The log is none that a referee could have written.
    """
    replay(setup, entries)
    state = begin(setup)
    starts: list[Match] = []
    moves: list[list[Move]] = []
    for stamped in entries[1:]:
        state = step(state, stamped.entry)
        if isinstance(stamped.entry, Moved):
            moves[-1].append(stamped.entry.move)
        match = state.match
        if match and not match.over and match.round_number > len(starts):
            starts.append(match)
            moves.append([])
    if state.match is None or not starts:
        return None
    return Transcript(
        rules=setup.ruleset,
        bots=setup.bots,
        first_dealer=starts[0].dealer,
        rounds=tuple(
            TranscribedRound(Deal.of(start.round), tuple(made))
            for start, made in zip(starts, moves, strict=True)
        ),
        seed=setup.seed,
        stopped_by=_stopped_by(state.match),
    )


def _stopped_by(match: Match) -> tuple[Seat, ...] | None:
    over = match.over
    if over is None or over.how not in (Ending.FORFEIT, Ending.ABANDONED):
        return None
    return over.at_fault
