"""The pairing of a ladder: whoever is free and has played least, with its like.

The one with the fewest fixtures comes first, not the one of whom least is known: a bot
that crashes would be paired again and again. It meets the free entrant whose skill is
nearest, and those it has met before only when they are much nearer.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ginref.tournament.event import RoundPaired
from ginref.tournament.format import Ladder
from ginref.tournament.ledger import Ledger
from ginref.tournament.rating_ladder import Skill, play_ladder
from ginref.tournament.stage_view import StageView
from ginref.tournament.standing_tally import DRAW, LOSS, WIN
from ginref.tournament.tallying import tallies_of

_REPEAT: Final = 2.0
"""By how much of the mean each earlier meeting puts two apart."""

_DIGITS: Final = 6
"""Digits of a skill that are compared: computers differ in later ones."""


def pair_ladder(
    ledger: Ledger, view: StageView, ladder: Ladder
) -> Iterator[RoundPaired]:
    """Yield the pairs that can meet now, each a round of its own."""
    counts = view.played()
    occupied = _occupied(view)
    free = [bot for bot in view.present if bot not in occupied]
    limit = ladder.fixtures
    hungry = set(view.present if limit is None else view.hungry(limit))
    skills = ladder_skills(ledger, view)
    met = _met(view)
    number = max((each.number for each in view.rounds), default=0)
    while True:
        waiting = [bot for bot in free if bot in hungry]
        if not waiting:
            return
        first = min(waiting, key=lambda bot: counts[bot])
        # The last one without all its fixtures meets somebody who has had them.
        others = [bot for bot in free if bot in hungry or hungry == {first}]
        others.remove(first)
        if not others:
            return
        second = _nearest(first, others, skills, met)
        free = [bot for bot in free if bot not in (first, second)]
        number += 1
        yield RoundPaired(stage=view.stage.name, round=number, pairs=((first, second),))


def ladder_skills(ledger: Ledger, view: StageView) -> dict[str, Skill]:
    """Return what is known of everybody's skill by the fixtures so far.

    A forfeit counts as a defeat for the side that forfeits, and for the other one not.
    """
    skills = {seat.bot: Skill() for seat in view.seats if seat.bot is not None}
    tallies = tallies_of(ledger, view.stage.format, view.rounds, view.fixtures)
    for tally in sorted(tallies, key=lambda tally: tally.round):
        a, b = tally.first, tally.second
        if b is None:
            continue
        forfeiters = {bot for board in tally.boards for bot in board.forfeiters}
        score = DRAW if tally.winner is None else float(tally.winner == a)
        first, _ = play_ladder(skills[a], skills[b], LOSS if a in forfeiters else score)
        _, second = play_ladder(skills[a], skills[b], WIN if b in forfeiters else score)
        if a in forfeiters or not forfeiters:
            skills[a] = first
        if b in forfeiters or not forfeiters:
            skills[b] = second
    return skills


def rank_ladder(ledger: Ledger, view: StageView) -> tuple[tuple[str, ...], ...]:
    """Return who shares each place of a ladder, by the skill that is almost certain."""
    levels: dict[float, list[str]] = {}
    for bot, skill in ladder_skills(ledger, view).items():
        levels.setdefault(_rounded(skill.shown), []).append(bot)
    return tuple(tuple(bots) for _, bots in sorted(levels.items(), reverse=True))


def _rounded(value: float) -> float:
    return round(value, _DIGITS)


def _nearest(
    first: str,
    free: Sequence[str],
    skills: Mapping[str, Skill],
    met: Counter[frozenset[str]],
) -> str:
    return min(
        free,
        key=lambda bot: (
            abs(_rounded(skills[first].mean) - _rounded(skills[bot].mean))
            + _REPEAT * met[frozenset((first, bot))]
        ),
    )


def _occupied(view: StageView) -> set[str | None]:
    return {
        bot
        for fixture in view.fixtures
        if not fixture.is_over
        for bot in fixture.entrants
    }


def _met(view: StageView) -> Counter[frozenset[str]]:
    return Counter(frozenset(pair) for each in view.rounds for pair in each.pairs)
