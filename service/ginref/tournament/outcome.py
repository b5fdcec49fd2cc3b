"""What a tournament takes from a match: from its record, or the log it is made of."""

from collections.abc import Sequence

from ginref.engine import transcript
from ginref.engine.match import RoundSummary
from ginref.engine.seat import Seat
from ginref.record.entry import StampedEntry
from ginref.record.replay import replay
from ginref.record.setup import Setup
from ginref.record.transcribe import transcribe
from ginref.tournament.configuration import LuckWorth
from ginref.tournament.figure_luck import LuckRule, lucks_of
from ginref.tournament.result import Outcome


def outcome_of(
    setup: Setup,
    entries: Sequence[StampedEntry],
    first: str,
    worth: LuckWorth | None = None,
) -> Outcome:
    """Return how a match that is over ended.

    Args:
        setup: What was fixed at its creation; with share or seed if luck is asked for.
        entries: Its log.
        first: The first entrant of the fixture, whose side points are seen from.
        worth: What luck is worth; None leaves it out.

    Raises:
        ReplayError: The log is none that a referee could have written.
        ValueError: The match is not over, or is not the first entrant's.
    """
    replayed = replay(setup, entries)
    ending = replayed.state.ending
    if ending is None or first not in setup.bots:
        raise ValueError("no match of the fixture that is over")
    seat = setup.seats[setup.bots.index(first)]
    boards = tuple(_net(played.summary, seat) for played in replayed.rounds)
    return Outcome(
        ending=ending.kind,
        winner=None if ending.winner is None else setup.bots[ending.winner],
        at_fault=tuple(setup.bots[at_fault] for at_fault in ending.seats_at_fault),
        boards=boards,
        luck=() if worth is None else _luck(setup, entries, seat, worth)[: len(boards)],
    )


def _net(summary: RoundSummary, seat: Seat) -> int:
    if summary.winner is None:
        return 0
    return summary.points if summary.winner is seat else -summary.points


def _luck(
    setup: Setup, entries: Sequence[StampedEntry], seat: Seat, worth: LuckWorth
) -> tuple[int, ...]:
    """Return how much of each round was luck, in hundredths of a point."""
    played = transcribe(setup, entries)
    if played is None:
        return ()
    # Worth in hundredths gives points in hundredths.
    rule = LuckRule(deal=worth.deal, draws=worth.draws)
    sign = 1 if seat is setup.seats[0] else -1
    return tuple(
        sign * round(rule.points(luck)) for luck in lucks_of(transcript.replay(played))
    )
