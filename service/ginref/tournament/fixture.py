"""A fixture: two entrants who meet, in one match or several."""

import enum
import hashlib
from dataclasses import dataclass

from ginref.record.setup import canonical
from ginref.tournament.configuration import MatchFormat
from ginref.tournament.ledger import Game
from ginref.tournament.result import Result, winner_of
from ginref.tournament.source import Source

_ID_LENGTH = 16


class FixtureState(enum.StrEnum):
    """How far a fixture has come."""

    BLOCKED = "blocked"
    """Somebody of it is to be decided."""

    READY = "ready"
    """Both are known, and no match of it has been created."""

    PLAYING = "playing"
    """A match of it has been created."""

    STOPPED = "stopped"
    """Its last match has decided nothing; it needs another attempt."""

    FINAL = "final"
    """It has a result."""

    NOT_NEEDED = "not_needed"
    """It is not played, because the one before it was enough."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixture:
    """Two entrants who meet, or are to meet.

    Attributes:
        stage: Its stage.
        group: Its group, empty where the stage has only one.
        round: Its round, counted from 1.
        node: Its place in the stage, `W1.2`.
        sources: Where each side comes from.
        entrants: Who meets; None for nobody, or for somebody to be decided.
        fixture_id: Its identity once both are known; empty before, and where one of
            them is nobody.
        state: How far it has come.
        attempt: Which attempt it is at, counted from 1.
        match: How it is played.
        games: The matches of this attempt.
        result: Its result, as corrected.
        onward: The result that decides who goes on; another one only where a
            correction was for the record.
        known: The log entry that settled who meets.
        decided: The log entry that decided it; 0 if none has.
        undone: The last entry before its first match that had other fixtures played
            again; 0 if none had. Whoever meets here may know the cards of those.
    """

    stage: str
    group: str
    round: int
    node: str
    sources: tuple[Source, Source]
    entrants: tuple[str | None, str | None]
    fixture_id: str
    state: FixtureState
    attempt: int
    match: MatchFormat
    games: tuple[Game, ...]
    result: Result | None
    onward: Result | None
    known: int
    decided: int
    undone: int = 0

    @property
    def winner(self) -> str | None:
        """Who goes on as its winner."""
        return None if self.onward is None else winner_of(self.onward, self.entrants)

    @property
    def is_over(self) -> bool:
        """Nothing more happens in it by itself."""
        return self.state in (FixtureState.FINAL, FixtureState.NOT_NEEDED)

    @property
    def has_started(self) -> bool:
        """A match of this attempt has been created."""
        return bool(self.games)


def fixture_id(
    tournament: str, stage: str, round_name: str, entrants: tuple[str, str]
) -> str:
    """Return the identity of a fixture: whoever computes it gets the same one."""
    facts = [tournament, stage, round_name, sorted(entrants)]
    return hashlib.sha256(canonical(facts)).hexdigest()[:_ID_LENGTH]
