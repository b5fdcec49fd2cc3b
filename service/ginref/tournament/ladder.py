"""The pairing of a ladder: whoever is free and has played least, with its like.

The one with the fewest fixtures comes first, not the one of whom least is known: a bot
that crashes would be paired again and again. It meets the free entrant whose score is
nearest, and those it has met before only when they are much nearer.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from ginref.tournament.event import RoundPaired
from ginref.tournament.format import Ladder
from ginref.tournament.ledger import Ledger
from ginref.tournament.stage_view import StageView
from ginref.tournament.standing_tally import history, total
from ginref.tournament.tallying import tallies_of

_REPEAT: Final = 0.25
"""How much of a fixture's points each earlier meeting counts for."""

_LEVEL: Final = 0.5


def pair_ladder(
    ledger: Ledger, view: StageView, ladder: Ladder
) -> Iterator[RoundPaired]:
    """Yield the pairs that can meet now, each a round of its own."""
    counts = view.played()
    occupied = _occupied(view)
    free = [bot for bot in view.present if bot not in occupied]
    limit = ladder.fixtures
    hungry = set(view.present if limit is None else view.hungry(limit))
    scores = _scores(ledger, view)
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
        second = _nearest(first, others, scores, met)
        free = [bot for bot in free if bot not in (first, second)]
        number += 1
        yield RoundPaired(stage=view.stage.name, round=number, pairs=((first, second),))


def _nearest(
    first: str,
    free: Sequence[str],
    scores: dict[str, float],
    met: Counter[frozenset[str]],
) -> str:
    return min(
        free,
        key=lambda bot: (
            abs(scores[first] - scores[bot]) + _REPEAT * met[frozenset((first, bot))]
        ),
    )


def _occupied(view: StageView) -> set[str | None]:
    return {
        bot
        for fixture in view.fixtures
        if not fixture.is_over
        for bot in fixture.entrants
    }


def _scores(ledger: Ledger, view: StageView) -> dict[str, float]:
    """Return points per fixture; whoever has had none is level."""
    tallies = tallies_of(ledger, view.stage.format, view.rounds, view.fixtures)
    seen = history(tallies, ledger.configuration.conduct.award)
    scores = {}
    for bot in view.present:
        rounds = seen.get(bot, ())
        scores[bot] = total(rounds) / len(rounds) if rounds else _LEVEL
    return scores


def _met(view: StageView) -> Counter[frozenset[str]]:
    return Counter(frozenset(pair) for each in view.rounds for pair in each.pairs)
