"""What was written down is played again, or refused."""

from dataclasses import replace

import pytest
from tests.unit.engine.written_match import MATCH

from ginref.engine.error import IllegalMoveError
from ginref.engine.move import DRAW_STOCK, PASS, Discard
from ginref.engine.notation import parse_match, write_match
from ginref.engine.notation_write import over_line
from ginref.engine.transcript import (
    Deal,
    TranscribedRound,
    Transcript,
    UnknownCardError,
    replay,
)

PLAYED = parse_match(MATCH)
FIRST, SECOND = PLAYED.rounds
NO_MATCH: dict[str, tuple[Transcript, type[Exception], str | None]] = {
    "a round that is not over before the next": (
        replace(
            PLAYED, rounds=(TranscribedRound(FIRST.deal, FIRST.moves[:-1]), SECOND)
        ),
        ValueError,
        "round 2 cannot follow",
    ),
    "moves of the next round": (
        replace(
            PLAYED, rounds=(TranscribedRound(FIRST.deal, (*FIRST.moves, PASS)), SECOND)
        ),
        ValueError,
        "round 1 has moves after its end",
    ),
    "a round after the end": (
        replace(PLAYED, rounds=(FIRST, SECOND, SECOND)),
        ValueError,
        "round 3 cannot follow",
    ),
    "a bot too few": (replace(PLAYED, bots=("careful",)), ValueError, None),
    "a match stopped after its end": (
        replace(PLAYED, stopped_by=()),
        IllegalMoveError,
        "match_over",
    ),
    "an illegal move": (
        replace(
            PLAYED,
            rounds=(TranscribedRound(FIRST.deal, (Discard(FIRST.deal.upcard),)),),
        ),
        IllegalMoveError,
        None,
    ),
    "a card that nobody knows": (
        replace(
            PLAYED,
            rounds=(
                FIRST,
                TranscribedRound(
                    Deal(SECOND.deal.hands, SECOND.deal.upcard, ()),
                    (PASS, PASS, DRAW_STOCK),
                ),
            ),
        ),
        UnknownCardError,
        None,
    ),
}


@pytest.mark.parametrize(
    ("transcript", "error", "words"),
    [pytest.param(*case, id=name) for name, case in NO_MATCH.items()],
)
def test_what_is_no_match_is_not_written(
    transcript: Transcript, error: type[Exception], words: str | None
) -> None:
    with pytest.raises(error, match=words):
        write_match(transcript)


def test_a_match_that_goes_on_has_no_end_to_write() -> None:
    first, *_ = replay(PLAYED)

    with pytest.raises(ValueError, match="not over"):
        over_line(first.match)
