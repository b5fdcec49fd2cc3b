"""Writing a match down while it is played, and telling one that was written down."""

from collections.abc import Iterator, Sequence

from ginref.engine.move import Move
from ginref.engine.ruleset import Ruleset
from ginref.engine.seat import Seat
from ginref.engine.transcript import (
    Deal,
    TranscribedRound,
    Transcript,
    replay,
)
from ginref_client.arena import Dealt, Happening, MatchResult, Moved, RoundEnded


class Scribe:
    """Writes a match down as it happens."""

    def __init__(
        self, bots: Sequence[str], rules: Ruleset, seed: str | None = None
    ) -> None:
        """Begin with an empty sheet.

        Args:
            bots: Names of the bots, by seat.
            rules: The house rules.
            seed: The seed that the deals follow from, if there is one.
        """
        self._bots = tuple(bots)
        self._rules = rules
        self._seed = seed
        self._dealers: list[Seat] = []
        self._deals: list[Deal] = []
        self._moves: list[list[Move]] = []

    def note(self, happening: Happening) -> None:
        """Write down what has happened."""
        if isinstance(happening, Dealt):
            self._dealers.append(happening.dealer)
            self._deals.append(Deal.of(happening.match.round))
            self._moves.append([])
        elif isinstance(happening, Moved):
            self._moves[-1].append(happening.move)

    @property
    def transcript(self) -> Transcript | None:
        """The match as far as it was played; None before the first deal."""
        if not self._deals:
            return None
        return Transcript(
            rules=self._rules,
            bots=self._bots,
            first_dealer=self._dealers[0],
            rounds=tuple(
                TranscribedRound(deal, tuple(moves))
                for deal, moves in zip(self._deals, self._moves, strict=True)
            ),
            seed=self._seed,
        )


def tell_transcript(transcript: Transcript) -> Iterator[Happening]:
    """Yield all that happened in a match, the `MatchResult` last if it is over.

    Raises:
        IllegalMoveError, UnknownCardError, ValueError: It cannot be played.
    """
    moves = 0
    for match, seat, move, before in replay(transcript):
        if seat is not None and move is not None and before is not None:
            moves += 1
            yield Moved.of(before, seat, move, match)
            if len(match.history) > len(before.history):
                yield RoundEnded.of(match)
        elif match.over is None:
            yield Dealt.of(match)
        if match.over is not None:
            yield MatchResult(
                over=match.over, sheet=match.sheet, rounds=match.history, moves=moves
            )
