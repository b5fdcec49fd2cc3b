"""A tournament once more, from its draw on: the same field, cards and bots, no referee.

Bots that decide by their view alone play the same matches, however often a process that
judges them is killed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ginref.engine.seat import Seat
from ginref.record.lifecycle import EndingKind
from ginref.tournament.configuration import Configuration
from ginref.tournament.event import (
    Event,
    MatchCreated,
    MatchEnded,
    Placing,
    SecretOpened,
)
from ginref.tournament.export import Export
from ginref.tournament.final_ranking import final_ranking
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.log import LogEntry, append
from ginref.tournament.plan import MatchOrder, plan
from ginref.tournament.result import Outcome
from ginref.tournament.secret import boards_of
from ginref_client.arena import play_match
from ginref_client.bots.simple import Simple


def differences(export: Export) -> list[str]:
    """Return in what a tournament of simple bots differs from one that nobody disturbs.

    Args:
        export: The tournament, its secret opened.
    """
    events = [entry.event for entry in export.entries]
    secret = next(
        bytes.fromhex(event.secret)
        for event in events
        if isinstance(event, SecretOpened)
    )
    first = next(at for at, one in enumerate(events) if isinstance(one, MatchCreated))
    told, ranking = _played(export.configuration, export.entries[:first], secret)
    seen = {
        # What was luck follows from the moves, and is checked against the record.
        (one.fixture, one.attempt, one.game): replace(one.outcome, luck=())
        for one in events
        if isinstance(one, MatchEnded)
    }
    name = export.configuration.name
    found = [
        f"{name}: {'/'.join(map(str, key))}: {seen.get(key)}, not {told.get(key)}"
        for key in sorted(told.keys() | seen.keys())
        if told.get(key) != seen.get(key)
    ]
    if ranking != final_ranking(
        plan(export.configuration, export.entries, export.entries[-1].time_ms)
    ):
        found.append(f"{name}: the standings differ")
    return found


def _played(
    configuration: Configuration, entries: Sequence[LogEntry], secret: bytes
) -> tuple[dict[tuple[str, int, int], Outcome], tuple[Placing, ...]]:
    """Play a tournament to its end, and return how all matches and bots came out."""
    log = [*entries]
    outcomes: dict[tuple[str, int, int], Outcome] = {}
    while True:
        planned = plan(configuration, log, log[-1].time_ms)
        events: list[Event] = [*planned.events]
        if not events:
            for order in planned.orders:
                created, ended = _match(order, secret)
                outcomes[order.fixture, order.attempt, order.game] = ended.outcome
                events += [created, ended]
        if not events:
            assert planned.ledger.lifecycle is Lifecycle.FINISHED
            return outcomes, final_ranking(planned)
        log += _following(log, events)


def _following(log: Sequence[LogEntry], events: Sequence[Event]) -> Iterator[LogEntry]:
    longer = [*log]
    for event in events:
        entry = append(
            longer,
            event,
            time_ms=longer[-1].time_ms,
            actor="referee",
            request_id=f"undisturbed/{len(longer)}",
        )
        longer.append(entry)
        yield entry


def _match(order: MatchOrder, secret: bytes) -> tuple[MatchCreated, MatchEnded]:
    boards = boards_of(secret, order.deal)
    result = play_match((Simple(), Simple()), order.match.ruleset, boards)
    # Points are seen from the fixture's first entrant, who deals in odd matches.
    first = Seat(0 if order.game % 2 else 1)
    outcome = Outcome(
        ending=EndingKind.COMPLETED,
        winner=None if result.winner is None else order.bots[result.winner],
        boards=tuple(
            0
            if one.winner is None
            else one.points
            if one.winner is first
            else -one.points
            for one in result.rounds
        ),
    )
    created = MatchCreated(
        fixture=order.fixture,
        attempt=order.attempt,
        game=order.game,
        match=f"undisturbed-{order.request_id}",
    )
    ended = MatchEnded(
        fixture=created.fixture,
        attempt=created.attempt,
        game=created.game,
        match=created.match,
        outcome=outcome,
    )
    return created, ended
