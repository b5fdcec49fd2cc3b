"""The events that follow by themselves: nobody has to ask for them.

What is found first is done first. The next plan, over the log with these events, finds
what comes after them.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ginref.record.lifecycle import EndingKind
from ginref.tournament.bracket_draw import fitting_byes
from ginref.tournament.bracket_play import rank_bracket
from ginref.tournament.error import FieldError
from ginref.tournament.event import (
    Advanced,
    Event,
    Exit,
    Expired,
    GroupRanking,
    Placing,
    Registered,
    Requeued,
    RoundPaired,
    StageClosed,
    Withdrawn,
)
from ginref.tournament.field_check import check_field
from ginref.tournament.fixture import FixtureState
from ginref.tournament.format import Elimination, Ladder, Swiss
from ginref.tournament.ladder import pair_ladder
from ginref.tournament.ledger import Ledger
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.promotion import keep_apart, qualify
from ginref.tournament.qualifying import (
    is_qualifying,
    is_qualifying_open,
    unqualified,
)
from ginref.tournament.roster import (
    needs_seeds,
    roster_ms,
    unrevealed,
    with_place,
)
from ginref.tournament.stage_view import StageView
from ginref.tournament.swiss import SwissRound, pair_swiss
from ginref.tournament.swiss_field import field_of
from ginref.tournament.table_rank import (
    group_rankings,
    stage_tallies,
    worth_across_groups,
)

_PAIR = 2


def next_events(
    ledger: Ledger, stages: Sequence[StageView], now_ms: int
) -> Sequence[Event]:
    """Return what is to be appended now; nothing if the tournament has to wait.

    Args:
        ledger: What has happened.
        stages: All stages as far as they have come.
        now_ms: Milliseconds since the Unix epoch by the store's clock.
    """
    match ledger.lifecycle:
        case Lifecycle.REGISTRATION | Lifecycle.CHECK_IN | Lifecycle.SEEDING:
            return list(_before_start(ledger, now_ms))
        case Lifecycle.RUNNING:
            return _running(ledger, stages, now_ms)
        case Lifecycle.FINISHING:
            return list(_finishing(ledger, stages, now_ms))
        case _:
            return ()


def _before_start(ledger: Ledger, now_ms: int) -> Iterator[Event]:
    schedule, rules = ledger.configuration.schedule, ledger.configuration.entry
    elapsed_ms = now_ms - ledger.since_ms
    match ledger.lifecycle:
        case Lifecycle.REGISTRATION:
            yield from _listed(ledger)
            after_ms = schedule.registration_ms
            following = Lifecycle.CHECK_IN if rules.check_in else Lifecycle.SEEDING
            if after_ms is not None and elapsed_ms >= after_ms:
                yield Advanced(to=following, reason="schedule")
        case Lifecycle.CHECK_IN:
            yield from _not_qualified(ledger)
            after_ms = schedule.check_in_ms
            if after_ms is not None and elapsed_ms >= after_ms:
                yield Advanced(to=Lifecycle.SEEDING, reason="schedule")
        case _:
            late = _not_qualified(ledger) or _without_share(ledger, now_ms)
            if late:
                yield from late
            elif is_qualifying_open(ledger):
                return
            elif len(with_place(ledger)) < _PAIR:
                yield Advanced(to=Lifecycle.CANCELLED, reason="no_contest")
            elif schedule.check_in_ms is not None and can_start(ledger):
                yield Advanced(to=Lifecycle.RUNNING, reason="schedule")


def _listed(ledger: Ledger) -> Iterator[Event]:
    """Enter those whom the organizer has listed."""
    for listed in ledger.configuration.entry.listed:
        if listed.bot not in ledger.entrants:
            yield Registered(bot=listed.bot, owner=listed.owner)


def _not_qualified(ledger: Ledger) -> list[Event]:
    """Withdraw who has not qualified, and cannot any more."""
    return [
        Withdrawn(bot=bot, exit=Exit.QUALIFYING, reason=reason)
        for bot, reason in unqualified(ledger)
    ]


def _without_share(ledger: Ledger, now_ms: int) -> list[Event]:
    """Withdraw who has not revealed its share in the time that a match gives for it."""
    limit_ms = ledger.configuration.stages[0].match.clock.start_ms
    if ledger.seeded or now_ms - roster_ms(ledger) < limit_ms:
        return []
    return [
        Withdrawn(bot=bot, exit=Exit.SHARE, reason="no share")
        for bot in unrevealed(ledger)
    ]


def can_start(ledger: Ledger) -> bool:
    """Say whether the field has been seeded as it is now, and fits all stages."""
    try:
        check_field(ledger.configuration, len(ledger.order))
    except FieldError:
        return False
    return not needs_seeds(ledger)


def _running(
    ledger: Ledger, stages: Sequence[StageView], now_ms: int
) -> Sequence[Event]:
    view = next((view for view in stages if view.closing is None), None)
    if view is None:
        reason = "" if stages[-1].present else "no_contest"
        return [Advanced(to=Lifecycle.FINISHING, reason=reason)]
    for found in (
        _withdrawals(ledger),
        _requeues(ledger, view),
        _expiries(ledger, view, now_ms),
        _pairings(ledger, view),
        _closings(ledger, stages, view),
    ):
        events = list(found)
        if events:
            return events
    return ()


def _finishing(
    ledger: Ledger, stages: Sequence[StageView], now_ms: int
) -> Iterator[Event]:
    if any(view.closing is None for view in stages):
        yield Advanced(to=Lifecycle.RUNNING, reason="reopened")
        return
    window_ms = ledger.configuration.schedule.appeals_ms
    settled = all(appeal.upheld is not None for appeal in ledger.appeals.values())
    playing = any(not game.ended for games in ledger.games.values() for game in games)
    if settled and not playing and now_ms - ledger.since_ms >= window_ms:
        yield Advanced(to=Lifecycle.FINISHED)


def _withdrawals(ledger: Ledger) -> Iterator[Event]:
    """Withdraw whoever forfeits again and again: it has most likely crashed."""
    most = ledger.configuration.conduct.forfeits
    if most is None:
        return
    forfeits: Counter[str] = Counter()
    for (fixture, _), games in ledger.games.items():
        for game in () if is_qualifying(fixture) else games:
            outcome = game.outcome
            if outcome is not None and outcome.ending is not EndingKind.RESIGNED:
                forfeits.update(outcome.forfeiters)
    for bot in ledger.order:
        if forfeits[bot] >= most and bot not in ledger.departures:
            reason = f"{forfeits[bot]} forfeits"
            yield Withdrawn(bot=bot, exit=Exit.FORFEITS, reason=reason)


def _requeues(ledger: Ledger, view: StageView) -> Iterator[Event]:
    """Try again what the referee could not finish."""
    for fixture in view.fixtures:
        if fixture.state is not FixtureState.STOPPED:
            continue
        outcome = fixture.games[-1].outcome
        spent = fixture.attempt >= ledger.configuration.conduct.attempts
        if outcome is not None and outcome.ending is EndingKind.VOID and not spent:
            yield Requeued(
                fixture=fixture.fixture_id,
                attempt=fixture.attempt + 1,
                stage=fixture.stage,
                round=fixture.round,
                reason="void",
            )


def _expiries(ledger: Ledger, view: StageView, now_ms: int) -> Iterator[Event]:
    limit_ms = ledger.configuration.schedule.fixture_ms
    if limit_ms is None:
        return
    for fixture in view.fixtures:
        open_ = fixture.state in (FixtureState.PLAYING, FixtureState.STOPPED)
        if not open_:
            continue
        if ledger.elapsed_ms(fixture.games[0].created_ms, now_ms) >= limit_ms:
            yield Expired(fixture=fixture.fixture_id, attempt=fixture.attempt)


def _pairings(ledger: Ledger, view: StageView) -> Iterator[Event]:
    match view.stage.format:
        case Swiss():
            proposed = propose_round(ledger, view)
            if proposed is not None:
                yield RoundPaired(
                    stage=view.stage.name,
                    round=len(view.rounds) + 1,
                    pairs=proposed.pairs,
                    bye=proposed.bye,
                    rematches=proposed.rematches,
                )
        case Ladder() as ladder:
            yield from pair_ladder(ledger, view, ladder)
        case _:
            return


def propose_round(ledger: Ledger, view: StageView) -> SwissRound | None:
    """Return the next round of a Swiss stage by the rules; None if none is due."""
    if not isinstance(view.stage.format, Swiss) or not view.is_settled:
        return None
    left = view.stage.format.rounds - len(view.rounds)
    if left <= 0 or len(view.present) < _PAIR:
        return None
    field = field_of(view.present, stage_tallies(ledger, view))
    return pair_swiss(field, left - 1)


def _closings(
    ledger: Ledger, stages: Sequence[StageView], view: StageView
) -> Iterator[Event]:
    ids = {fixture.fixture_id for fixture in view.fixtures}
    disputed = any(
        appeal.upheld is None and appeal.fixture in ids
        for appeal in ledger.appeals.values()
    )
    if view.is_over and not disputed:
        yield close_stage(ledger, stages, view)


def close_stage(
    ledger: Ledger, stages: Sequence[StageView], view: StageView
) -> StageClosed:
    """Return the event that freezes a stage as it stands."""
    if view.bracket is not None:
        rankings = rank_bracket(view.bracket, view.fixtures)
        return StageClosed(stage=view.stage.name, rankings=rankings)
    if len(view.seats) < _PAIR:
        bots = tuple(seat.bot for seat in view.seats if seat.bot is not None)
        alone = GroupRanking(group="", placings=(Placing(rank=1, bots=bots),))
        return StageClosed(stage=view.stage.name, rankings=(alone,), promoted=bots)
    rankings = group_rankings(ledger, view)
    return StageClosed(
        stage=view.stage.name,
        rankings=rankings,
        promoted=_promoted(ledger, stages, view, rankings),
    )


def _promoted(
    ledger: Ledger,
    stages: Sequence[StageView],
    view: StageView,
    rankings: Sequence[GroupRanking],
) -> tuple[str, ...]:
    promotion = view.stage.promotion
    if promotion is None:
        return ()
    still_in = [_without(ledger, ranking) for ranking in rankings]
    qualified = qualify(still_in, promotion, worth_across_groups(ledger, view))
    following = stages[stages.index(view) + 1].stage.format
    if isinstance(following, Elimination) and len(qualified) >= _PAIR:
        qualified = keep_apart(qualified, fitting_byes(following, len(qualified)))
    return tuple(one.bot for one in qualified)


def _without(ledger: Ledger, ranking: GroupRanking) -> GroupRanking:
    """Return a ranking without those who have left: the next one takes their place."""
    placings = tuple(
        replace(
            placing,
            bots=tuple(bot for bot in placing.bots if bot not in ledger.departures),
        )
        for placing in ranking.placings
    )
    return replace(ranking, placings=placings)
