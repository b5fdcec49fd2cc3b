"""How large a tournament will be, before it starts: fixtures, matches and time.

Rounds and moves of a match are what simple bots need; how long they think is asked for.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

from ginref.engine.ruleset import Ruleset
from ginref.tournament.bracket import Bracket
from ginref.tournament.bracket_draw import draw_bracket
from ginref.tournament.bracket_play import match_of
from ginref.tournament.configuration import Configuration, MatchFormat, Stage
from ginref.tournament.field_check import stage_fields
from ginref.tournament.format import Ladder, RoundRobin, Swiss
from ginref.tournament.qualifying import AT_ONCE, qualifying_match
from ginref.tournament.score import legs_of
from ginref.tournament.source import LoserOf, WinnerOf

_POINTS_A_ROUND: Final = 11
"""What a round brings its winner's side on the way to a target, draws included."""

_HOLLYWOOD: Final = 1.5
"""How much longer three games take than one."""

_MOVES_A_ROUND: Final = 27
_MOVES_A_TURN: Final = 2
_HANDSHAKE: Final = 4
"""Steps before the first card, each of which may take the start time of the clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageForecast:
    """What a stage will take.

    Attributes:
        stage: The stage.
        entrants: How many play it.
        rounds: Fixtures one after the other that somebody may have to play.
        fixtures: Fixtures in all, one that may not be needed with them.
        matches: Matches in all if every fixture takes as few as it can.
        most_matches: Matches in all if every fixture takes as many as it can.
        typical_ms: How long it takes if bots think as long as was said, and all
            matches of a round are played at once.
        longest_ms: How long it takes if every clock runs down.
    """

    stage: str
    entrants: int
    rounds: int
    fixtures: int
    matches: int
    most_matches: int
    typical_ms: int
    longest_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QualifyingForecast:
    """How long it takes until all have qualified, who all check in at once.

    Attributes:
        typical_ms: If nobody forfeits, and bots think as long as was said.
        longest_ms: If every attempt is needed, and every clock runs down.
    """

    typical_ms: int
    longest_ms: int


@dataclass(frozen=True, slots=True)
class _Fixtures:
    """Fixtures that can be played at once, all in the same way."""

    count: int
    match: MatchFormat
    is_knockout: bool
    legs: int

    @property
    def least(self) -> int:
        """Matches of each if it is decided as soon as it can be."""
        return self.legs * (1 + self.match.best_of // 2)

    @property
    def most(self) -> int:
        """Matches of each if it is decided as late as it can be."""
        deciders = self.match.deciders if self.is_knockout else 0
        return self.legs * (self.match.best_of + deciders)


@dataclass(frozen=True, slots=True)
class _Wave:
    """What can be played at once, and how often the like comes in a stage."""

    fixtures: Sequence[_Fixtures]
    times: int = 1


def forecast(
    configuration: Configuration, entrants: int, think_ms: int
) -> tuple[StageForecast, ...]:
    """Return what each stage of a tournament will take.

    Args:
        configuration: What the organizer has declared.
        entrants: How many start.
        think_ms: How long a bot thinks about a move, in milliseconds.

    Raises:
        FieldError: The stages cannot be played by so many.
    """
    legs = legs_of(configuration.boards)
    fields = stage_fields(configuration, entrants)
    return tuple(
        _forecast(stage, field, legs, think_ms)
        for stage, field in zip(configuration.stages, fields, strict=True)
    )


def _forecast(stage: Stage, field: int, legs: int, think_ms: int) -> StageForecast:
    waves = list(_waves(stage, field, legs))
    every = [(one, wave.times) for wave in waves for one in wave.fixtures]
    return StageForecast(
        stage=stage.name,
        entrants=field,
        rounds=sum(wave.times for wave in waves),
        fixtures=sum(times * one.count for one, times in every),
        matches=sum(times * one.count * one.least for one, times in every),
        most_matches=sum(times * one.count * one.most for one, times in every),
        typical_ms=sum(
            wave.times
            * max(one.least * typical_moves(one.match.ruleset) for one in wave.fixtures)
            for wave in waves
        )
        * think_ms,
        longest_ms=sum(
            wave.times
            * max(one.most * longest_match_ms(one.match) for one in wave.fixtures)
            for wave in waves
        ),
    )


def forecast_qualifying(
    configuration: Configuration, entrants: int, think_ms: int
) -> QualifyingForecast | None:
    """Return how long qualifying takes; None where nobody has to.

    Args:
        configuration: What the organizer has declared.
        entrants: How many have to qualify.
        think_ms: How long a bot thinks about a move, in milliseconds.
    """
    rules, match = configuration.entry.qualifying, qualifying_match(configuration)
    if rules is None:
        return None
    waves = ceil(entrants / AT_ONCE)
    return QualifyingForecast(
        typical_ms=waves * typical_moves(match.ruleset) * think_ms,
        longest_ms=waves * rules.attempts * longest_match_ms(match),
    )


def typical_moves(ruleset: Ruleset) -> int:
    """Return how many moves a match of simple bots takes."""
    rounds = ruleset.boards
    if rounds is None:
        rounds = ceil(ruleset.game_target / _POINTS_A_ROUND)
        rounds = ceil(rounds * (_HOLLYWOOD if ruleset.games > 1 else 1))
    return min(rounds, ruleset.round_limit) * _MOVES_A_ROUND


def longest_match_ms(match: MatchFormat) -> int:
    """Return how long a match takes at most: when both clocks run down.

    Every move takes its free time, and all of the banks is used up.
    """
    rounds = match.ruleset.boards or match.ruleset.round_limit
    # Both may pass the first upcard before anybody takes a card.
    moves = rounds * (_MOVES_A_TURN * match.ruleset.turn_limit + 2)
    clock = match.clock
    return (
        _HANDSHAKE * clock.start_ms
        + 2 * clock.bank_ms
        + moves * (clock.free_ms + clock.grace_ms)
    )


def _waves(stage: Stage, field: int, legs: int) -> Iterator[_Wave]:
    """Yield what is played one after the other; rounds that are alike, as one."""
    match stage.format:
        case RoundRobin(cycles=cycles, groups=groups):
            counts = _robin(field, cycles, groups)
        case Swiss(rounds=rounds):
            counts = [field // 2] * rounds
        case Ladder(fixtures=fixtures):
            counts = [field // 2] * (fixtures or 0)
        case _:
            yield from _bracket(stage, draw_bracket(stage.format, field), legs)
            return
    names = (f"R{number}" for number in range(1, len(counts) + 1))
    alike = Counter(
        (count, name if name in stage.exceptions else "")
        for count, name in zip(counts, names, strict=True)
    )
    for (count, name), times in alike.items():
        match_format = match_of(stage, {}, name)
        each = _Fixtures(count, match_format, is_knockout=False, legs=legs)
        yield _Wave([each], times)


def _robin(field: int, cycles: int, groups: int) -> list[int]:
    """Return how many fixtures each round of all groups has.

    Counted, not drawn: thousands of entrants have millions of pairs.
    """
    counts: Counter[int] = Counter()
    smallest, larger = divmod(field, groups)
    for size, number in ((smallest, groups - larger), (smallest + 1, larger)):
        for at in range(cycles * (size + size % 2 - 1) if number else 0):
            counts[at] += number * (size // 2)
    return [count for _, count in sorted(counts.items())]


def _bracket(stage: Stage, bracket: Bracket, legs: int) -> Iterator[_Wave]:
    """Yield the fixtures of a bracket by how many must come before them."""
    depths: dict[str, int] = {}
    waves: dict[int, list[_Fixtures]] = {}
    for node in bracket.nodes:
        before = [
            depths[side.node]
            for side in (node.a, node.b)
            if isinstance(side, WinnerOf | LoserOf)
        ]
        depth = depths[node.key] = 1 + max(before, default=0)
        match = match_of(stage, bracket.names, node.key, node.round)
        fixture = _Fixtures(1, match, is_knockout=True, legs=legs)
        waves.setdefault(depth, []).append(fixture)
    for _, wave in sorted(waves.items()):
        yield _Wave(wave)
