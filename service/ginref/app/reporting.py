"""Turns what the referee knows of a match into what a caller may know.

This is the one place where states with hidden cards become reports; hands pass
through `view_for` alone.
"""

from collections.abc import Container, Mapping, Sequence

from ginref.app.caller import Caller, Role
from ginref.app.keeper import Keeper
from ginref.app.live_match import LiveMatch, id_of, place_of
from ginref.app.match_store import EntryId
from ginref.app.message import LISTED_MOST
from ginref.app.report import (
    ClockFacts,
    CreditFacts,
    MatchFacts,
    MatchReport,
    PublicEvent,
    PublicReport,
    SeatReport,
)
from ginref.engine.match import Match
from ginref.engine.seat import Seat
from ginref.engine.view import public_view, view_for
from ginref.record.entry import (
    Accepted,
    Committed,
    Created,
    Declined,
    Entry,
    Moved,
    Refused,
    Revealed,
    StampedEntry,
)
from ginref.record.lifecycle import begin, step

_KINDS: dict[type[Entry], str] = {
    Created: "created",
    Accepted: "accepted",
    Declined: "declined",
    Committed: "committed",
    Revealed: "revealed",
}


def match_facts(live: LiveMatch) -> MatchFacts:
    """Return the public facts of a match."""
    state, setup = live.state, live.state.setup
    return MatchFacts(
        match_id=setup.match_id,
        bots=setup.bots,
        ruleset=setup.ruleset,
        clock=setup.clock,
        strikes_allowed=setup.strikes_allowed,
        deal_source=setup.deal_source,
        stage=state.stage,
        version=state.version,
        ending=state.ending,
        created_ms=live.created_ms,
        commitment=setup.commitment,
        signature=setup.signature,
        key_id=setup.key_id,
        receipts=setup.receipts,
        place=setup.place,
        commitments=_all_commitments(state.commitments),
    )


def _all_commitments(made: tuple[bytes | None, ...]) -> tuple[bytes, ...]:
    """Return what all seats have committed to; nothing before the last one has."""
    known = tuple(one for one in made if one is not None)
    return known if len(known) == len(made) else ()


def listed_facts(
    found: Sequence[LiveMatch], named: Container[str]
) -> tuple[MatchFacts, ...]:
    """Return the facts of live matches, as many as a welcome lists.

    Args:
        found: Matches of a bot, oldest first.
        named: Ids of those that the bot asks for; they are listed first.
    """
    live = [one for one in found if not one.state.ending]
    live.sort(key=lambda one: one.state.setup.match_id not in named)
    return tuple(match_facts(one) for one in live[:LISTED_MOST])


def clock_facts(live: LiveMatch) -> ClockFacts:
    """Return the clocks of a match."""
    state = live.state
    return ClockFacts(
        policy=state.setup.clock,
        banks_ms=live.clock.banks_ms,
        strikes=state.strikes,
        strikes_allowed=state.setup.strikes_allowed,
        deadline_ms=None if state.ending else live.clock.due_ms,
        now_ms=live.now_ms,
        elapsed_ms=live.clock.elapsed_ms,
        referee_ms=state.referee_ms,
        credits=credits_of(live),
    )


def credits_of(live: LiveMatch) -> tuple[CreditFacts, ...]:
    """Return what outages have given back to each seat whose clock runs."""
    state, credit_ms = live.state, live.clock.credit_ms
    if not credit_ms:
        return ()
    return tuple(CreditFacts(state.version, seat, credit_ms) for seat in state.awaited)


def public_report(live: LiveMatch) -> PublicReport:
    """Return what anyone may know."""
    game = live.state.match
    return PublicReport(
        facts=match_facts(live),
        view=None if game is None else public_view(game),
        clock=clock_facts(live),
    )


def seat_report(live: LiveMatch, seat: Seat) -> SeatReport | None:
    """Return what one seat may know; None before play.

    The log must be known from `last_act` of the seat on.
    """
    game = live.state.match
    if game is None:
        return None
    return SeatReport(
        facts=match_facts(live),
        view=view_for(game, seat),
        clock=clock_facts(live),
        events=public_events(live, last_act(live, seat)),
    )


async def load_seat_report(
    keeper: Keeper, live: LiveMatch, seat: Seat
) -> SeatReport | None:
    """Return what one seat may know, with as much of the log as that takes."""
    live = await keeper.reach(live, step_before(last_act(live, seat)))
    return seat_report(live, seat)


def last_act(live: LiveMatch, seat: Seat) -> EntryId:
    """Return the place of a seat's latest move, or of the first deal."""
    return EntryId(live.state.last_moved[seat] or _play_began(live))


def step_before(after: EntryId) -> EntryId:
    """Return from where a log must be known to tell what happened after a place."""
    # The step before tells how long the first one took.
    return EntryId(max(0, after.version - 1))


async def match_report(keeper: Keeper, live: LiveMatch, caller: Caller) -> MatchReport:
    """Return a match as one caller may see it."""
    seats = seats_of(live, caller)
    reports = [await load_seat_report(keeper, live, seat) for seat in seats]
    return MatchReport(
        public=public_report(live),
        seats=tuple(report for report in reports if report is not None),
    )


def seats_of(live: LiveMatch, caller: Caller) -> tuple[Seat, ...]:
    """Return the seats of a match that a caller holds."""
    setup = live.state.setup
    reached = caller.reaches_match(setup.match_id, setup.tournament)
    if caller.role is not Role.BOT or not reached:
        return ()
    return tuple([seat for seat in setup.seats if setup.bots[seat] == caller.bot])


def public_events(live: LiveMatch, after: EntryId) -> tuple[PublicEvent, ...]:
    """Return what happened in a match after a place in its log, for everyone.

    The log must be known from `step_before` the place on.
    """
    state, events = live.state, list[PublicEvent]()
    strikes = list(state.strikes)
    # Strikes are counted back from today's, so walk from the latest entry.
    for logged, elapsed_ms in reversed(
        _with_elapsed(live.log_after(step_before(after)))
    ):
        place, entry = id_of(logged), logged.entry
        if place <= after:
            break
        if state.ending and place == EntryId(state.version):
            events.append(_event(logged, "ended", ending=state.ending))
        kind = _KINDS.get(type(entry))
        if isinstance(entry, Moved):
            # Almost every event is a move.
            events.append(
                PublicEvent(
                    version=logged.version,
                    refusal=0,
                    time_ms=logged.time_ms,
                    kind="played",
                    seat=entry.seat,
                    move=str(entry.move),
                    elapsed_ms=elapsed_ms,
                )
            )
        elif isinstance(entry, Refused):
            used = strikes[entry.seat]
            events.append(_event(logged, "struck", seat=entry.seat, strikes=used))
            strikes[entry.seat] -= 1
        elif kind is not None:
            events.append(_event(logged, kind, seat=getattr(entry, "seat", None)))
    events.reverse()
    return tuple(events)


def _event(logged: StampedEntry, kind: str, **facts: object) -> PublicEvent:
    return PublicEvent(
        version=logged.version,
        refusal=logged.refusal,
        time_ms=logged.time_ms,
        kind=kind,
        **facts,  # type: ignore[arg-type] # each caller names fields of PublicEvent
    )


def _with_elapsed(
    entries: Sequence[StampedEntry],
) -> list[tuple[StampedEntry, int]]:
    """Return each entry with the milliseconds since the accepted step before.

    What outages have cost is not among them.
    """
    timed, step_ms = [], None
    for logged in entries:
        passed_ms = 0 if step_ms is None else logged.time_ms - step_ms
        timed.append((logged, passed_ms - logged.credit_ms if passed_ms else 0))
        if not logged.refusal:
            step_ms = logged.time_ms
    return timed


async def earlier_games(keeper: Keeper, live: LiveMatch) -> Mapping[int, Match]:
    """Return a match as it was right after each of its rounds, by number."""
    match_id = live.state.setup.match_id
    setup, log = await keeper.history(match_id, place_of(live))
    games: dict[int, Match] = {}
    state = begin(setup)
    for logged in log[1:]:
        state = step(state, logged.entry)
        if state.match and state.match.history:
            games.setdefault(len(state.match.history), state.match)
    return games


def _play_began(live: LiveMatch) -> int:
    """Version at which the cards were dealt: one entry per step before it."""
    state = live.state
    steps = len(state.accepted) + sum(c is not None for c in state.commitments)
    return 1 + steps + sum(share is not None for share in state.shares)
