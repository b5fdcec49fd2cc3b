"""Qualifying matches: a bot that has checked in plays one against a house bot.

It qualifies with a match that it does not forfeit: whoever shows up, answers in time
and knows the rules. To win is not needed, as a few rounds say nothing about skill. A
house bot that forfeits lets it pass: nobody is kept out for the host's fault.

In the log they are matches of a fixture `qualifying:ada`, one in each attempt. Their
cards follow from the referee's share alone, to which it is bound before anybody enters:
bots show theirs when the roster is frozen. They count for nothing else.
"""

import enum
import functools
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Final

from ginref.engine.error import shown
from ginref.tournament.configuration import (
    HOUSE,
    Configuration,
    MatchFormat,
    Qualifying,
)
from ginref.tournament.error import FieldError
from ginref.tournament.event import Exit
from ginref.tournament.fixture import Fixture, FixtureState
from ginref.tournament.ledger import Game, Ledger
from ginref.tournament.lifecycle import ENTRY, Lifecycle
from ginref.tournament.result import UNFINISHED
from ginref.tournament.secret import boards_of, mix_secret
from ginref.tournament.source import TO_BE_DECIDED

QUALIFYING: Final = "qualifying"

AT_ONCE: Final = 16
"""Qualifying matches that go on at the same time."""

_FORMATS: Final = 64
"""Formats of matches that are remembered once they were made shorter."""

# No stage and no other fixture has a name with a colon.
_PREFIX: Final = f"{QUALIFYING}:"


class QualifyingState(enum.StrEnum):
    """How far a bot has come with qualifying."""

    OPEN = "open"
    """It may play a match, and none has been created."""

    PLAYING = "playing"
    """Its match goes on."""

    PASSED = "passed"
    """It has qualified."""

    FAILED = "failed"
    """It has not qualified, and plays no other match."""


def refuse_stranger(rules: Qualifying, house: Collection[str]) -> None:
    """Refuse to have bots qualify against somebody who is not of the house.

    Args:
        rules: What bots must show.
        house: Names of the house bots that there are.

    Raises:
        FieldError: There is no such house bot.
    """
    start = f"{HOUSE}."
    if rules.bot not in house:
        known = sorted(bot[len(start) :] for bot in house if bot.startswith(start))
        hint = f"one of {', '.join(known)} expected" if known else "there is none here"
        what = f"{shown(rules.house)} is no house bot: {hint}"
        raise FieldError("entry.qualifying.house", what)


def is_qualifying(name: str) -> bool:
    """Say whether a fixture is that of qualifying matches, or a deal one of them."""
    return name.startswith(_PREFIX)


def qualifier_id(bot: str) -> str:
    """Return the identity of the fixture of a bot's qualifying matches."""
    return f"{_PREFIX}{bot}"


def qualifying_match(configuration: Configuration) -> MatchFormat:
    """Return how a qualifying match is played: as in the first stage, but short."""
    rules = configuration.entry.qualifying
    return _short(configuration.stages[0].match, 1 if rules is None else rules.rounds)


@functools.lru_cache(_FORMATS)
def _short(match: MatchFormat, rounds: int) -> MatchFormat:
    boards = match.ruleset.boards
    ruleset = match.ruleset.but(
        name=QUALIFYING,
        round_limit=rounds,
        boards=None if boards is None else min(boards, rounds),
    )
    return replace(match, ruleset=ruleset, best_of=1, deciders=0)


def deal_secret(
    tournament: str, secret: bytes, referee: bytes | None, deal: str
) -> bytes:
    """Return the match secret of a deal: qualifying ones need the referee's share only.

    Args:
        tournament: Identity of the tournament.
        secret: The secret of all shares.
        referee: The referee's share, if it has committed to one.
        deal: The deal.
    """
    if is_qualifying(deal):
        secret = mix_secret(tournament, referee or b"", {})
    return boards_of(secret, deal)


def attempts_of(ledger: Ledger, bot: str) -> tuple[Game, ...]:
    """Return the qualifying matches of a bot, in order."""
    games: list[Game] = []
    while played := ledger.games.get((qualifier_id(bot), len(games) + 1)):
        games += played
    return tuple(games)


def qualifying_state(ledger: Ledger, bot: str) -> QualifyingState | None:
    """Return how far a bot has come; None where nobody has to qualify."""
    rules = ledger.configuration.entry.qualifying
    if rules is None:
        return None
    games = attempts_of(ledger, bot)
    failed = sum(_is_failed(game, bot) for game in games)
    unfinished = sum(_is_unfinished(game) for game in games)
    if any(not game.ended for game in games):
        return QualifyingState.PLAYING
    # A house bot need not show that it is there.
    if failed + unfinished < len(games) or bot == rules.bot:
        return QualifyingState.PASSED
    spent = failed >= rules.attempts
    if spent or unfinished >= ledger.configuration.conduct.attempts:
        return QualifyingState.FAILED
    is_over = ledger.lifecycle not in ENTRY
    return QualifyingState.FAILED if is_over else QualifyingState.OPEN


def _is_failed(game: Game, bot: str) -> bool:
    outcome = game.outcome
    return (
        outcome is not None
        and outcome.ending not in UNFINISHED
        and bot in outcome.at_fault
    )


def _is_unfinished(game: Game) -> bool:
    return game.outcome is not None and game.outcome.ending in UNFINISHED


def may_play(ledger: Ledger, bot: str) -> bool:
    """Say whether a bot has shown what it must before it gets a place."""
    return qualifying_state(ledger, bot) in (None, QualifyingState.PASSED)


def unqualified(ledger: Ledger) -> Iterator[tuple[str, str]]:
    """Yield who has checked in and can qualify no more, and why."""
    for bot in _called(ledger):
        if qualifying_state(ledger, bot) is QualifyingState.FAILED:
            yield bot, _reason(ledger, bot)


def is_qualifying_open(ledger: Ledger) -> bool:
    """Say whether a match goes on that may qualify somebody.

    One that was over in time may have no record yet when the call to check in is.
    """
    return any(
        qualifying_state(ledger, bot) is QualifyingState.PLAYING
        for bot in _called(ledger)
    )


def hindered(ledger: Ledger) -> Iterator[tuple[str, str]]:
    """Yield who is out for not qualifying, or has failed to do so yet, and why."""
    for bot in ledger.entrants:
        left = ledger.departures.get(bot)
        has_failed = any(game.ended for game in attempts_of(ledger, bot))
        if left is not None:
            if left.exit is Exit.QUALIFYING:
                yield bot, _reason(ledger, bot)
        elif has_failed and qualifying_state(ledger, bot) in _STATES:
            yield bot, f"{_reason(ledger, bot)}; it may try again"


def _reason(ledger: Ledger, bot: str) -> str:
    """Return how the attempts of a bot have ended."""
    endings = [
        str(game.outcome.ending)
        for game in attempts_of(ledger, bot)
        if game.outcome is not None
    ]
    return f"not qualified: {', '.join(endings) or 'no match in time'}"


def qualifiers(ledger: Ledger) -> Iterator[Fixture]:
    """Yield the fixtures of all whose matches go on or are due, in order of entry."""
    if ledger.lifecycle is not Lifecycle.CHECK_IN:
        return
    for bot in _called(ledger):
        if qualifying_state(ledger, bot) in _STATES:
            found = qualifier(ledger, qualifier_id(bot))
            if found is not None:
                yield found


def _called(ledger: Ledger) -> Iterator[str]:
    """Yield who has checked in, and has not left."""
    if ledger.configuration.entry.qualifying is not None:
        for bot, entrant in ledger.entrants.items():
            if entrant.is_checked_in and bot not in ledger.departures:
                yield bot


def qualifier(ledger: Ledger, fixture_id: str) -> Fixture | None:
    """Return the fixture of a bot's qualifying matches, at its latest attempt."""
    bot, rules = fixture_id.removeprefix(_PREFIX), ledger.configuration.entry.qualifying
    if rules is None or not is_qualifying(fixture_id) or bot not in ledger.entrants:
        return None
    games, state = attempts_of(ledger, bot), qualifying_state(ledger, bot)
    is_open = state is QualifyingState.OPEN
    return Fixture(
        stage="",
        group="",
        round=1,
        node=QUALIFYING,
        sources=(TO_BE_DECIDED, TO_BE_DECIDED),
        entrants=(bot, rules.bot),
        fixture_id=fixture_id,
        state=_STATES.get(state, FixtureState.FINAL),
        attempt=len(games) + 1 if is_open else max(1, len(games)),
        match=qualifying_match(ledger.configuration),
        games=() if is_open else games[-1:],
        result=None,
        onward=None,
        known=0,
        decided=0,
    )


_STATES: Final[Mapping[QualifyingState | None, FixtureState]] = {
    QualifyingState.OPEN: FixtureState.READY,
    QualifyingState.PLAYING: FixtureState.PLAYING,
}
