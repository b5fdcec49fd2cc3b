"""Leaks that are made on purpose, one for each way out, and found by paired worlds."""

import hashlib
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import pytest

from ginref.adapters.metrics import PrometheusObserver
from ginref.app import reporting
from ginref.app.announcer import Announcer
from ginref.app.error import RefusedError
from ginref.app.judge import Judge
from ginref.app.keeper import Keeper
from ginref.app.live_match import LiveMatch
from ginref.app.report import MatchFacts
from ginref.app.watch import Watcher, WatchStep
from ginref.engine.card import Card
from ginref.engine.error import IllegalMoveError
from ginref.engine.match import Match
from ginref.engine.seat import Seat
from ginref.engine.view import PublicView, SeatView, public_view, view_for
from ginref.record.entry import StampedEntry
from ginref.record.submission import Submission

Plant = Callable[[pytest.MonkeyPatch], None]

PLANTS: Final[list[Plant]] = []
"""All leaks."""


def _plant(leak: Plant) -> Plant:
    PLANTS.append(leak)
    return leak


def _next_card(match: Match) -> Card:
    return match.round.deck[match.round.drawn]


def _is_red(live: LiveMatch) -> bool:
    """Say something of the next card of the stock, once there is one."""
    match = live.state.match
    return match is not None and _next_card(match).index % 2 == 0


def _refuse(
    patch: pytest.MonkeyPatch,
    change: Callable[[RefusedError, LiveMatch, Submission], RefusedError],
) -> None:
    """Change what is said of an illegal move."""
    refuse = Judge._broken_rule  # noqa: SLF001 - where refusals are made

    def leaking(
        self: Judge,
        illegal: IllegalMoveError,
        live: LiveMatch,
        submission: Submission,
        logged: StampedEntry,
    ) -> RefusedError:
        error = refuse(self, illegal, live, submission, logged)
        return change(error, live, submission)

    patch.setattr(Judge, "_broken_rule", leaking)


@_plant
def a_public_view_with_the_next_card(patch: pytest.MonkeyPatch) -> None:
    """A number in what everybody sees follows from the top of the stock."""
    view = public_view

    def leaking(match: Match) -> PublicView:
        seen = view(match)
        return replace(seen, turns_left=seen.turns_left + _next_card(match).index)

    patch.setattr(reporting, "public_view", leaking)


@_plant
def a_seats_view_with_the_other_hand(patch: pytest.MonkeyPatch) -> None:
    """A number in what a seat sees follows from a card that another one holds."""
    view = view_for

    def leaking(match: Match, seat: Seat) -> SeatView:
        seen = view(match, seat)
        other = [hand for hand in match.round.hands if hand != seen.hand]
        lowest = min(card.index for card in other[0])
        return replace(seen, turns_left=seen.turns_left + lowest)

    patch.setattr(reporting, "view_for", leaking)


@_plant
def a_refusal_with_the_next_card(patch: pytest.MonkeyPatch) -> None:
    """The refusal of an illegal move names the top of the stock."""

    def leaking(error: RefusedError, live: LiveMatch, _: Submission) -> RefusedError:
        assert live.state.match is not None
        card = _next_card(live.state.match)
        return RefusedError(error.reason, error.message, **error.facts, top=card)

    _refuse(patch, leaking)


@_plant
def a_refusal_that_knows_who_has_a_card(patch: pytest.MonkeyPatch) -> None:
    """The refusal of a card that is not held tells whether another seat holds it."""

    def leaking(
        error: RefusedError, live: LiveMatch, submission: Submission
    ) -> RefusedError:
        card = getattr(submission.move, "card", None)
        assert live.state.match is not None
        if card and any(card in hand for hand in live.state.match.round.hands):
            return RefusedError(error.reason, "another seat holds it", **error.facts)
        return error

    _refuse(patch, leaking)


@_plant
def a_hash_of_the_next_card(patch: pytest.MonkeyPatch) -> None:
    """The hash of a card stands where nobody sees that it is one."""
    facts = reporting.match_facts

    def leaking(live: LiveMatch) -> MatchFacts:
        told, match = facts(live), live.state.match
        if match is None:
            return told
        digest = hashlib.sha256(str(_next_card(match)).encode()).hexdigest()
        return replace(told, key_id=digest)

    patch.setattr(reporting, "match_facts", leaking)


def _look_on(patch: pytest.MonkeyPatch, note: Callable[[LiveMatch], None]) -> None:
    """Note each state that a process comes to know."""
    remember = Keeper.remember

    def leaking(self: Keeper, live: LiveMatch) -> None:
        remember(self, live)
        if live.state.match is not None:
            note(live)

    patch.setattr(Keeper, "remember", leaking)


@_plant
def a_line_of_the_log_with_the_hands(patch: pytest.MonkeyPatch) -> None:
    """What is logged of a step tells the hands."""

    def note(live: LiveMatch) -> None:
        assert live.state.match is not None
        logging.getLogger("ginref").debug("hands: %s", live.state.match.round.hands)

    _look_on(patch, note)


@_plant
def a_metric_that_counts_red_cards(patch: pytest.MonkeyPatch) -> None:
    """What is counted follows from the top of the stock."""
    latest: list[LiveMatch] = []
    _look_on(patch, latest.append)
    count = PrometheusObserver.move

    def leaking(self: PrometheusObserver, kind: str, verdict: str) -> None:
        count(self, "pass" if latest and _is_red(latest[-1]) else kind, verdict)

    patch.setattr(PrometheusObserver, "move", leaking)


@_plant
def a_message_that_is_kept_back(patch: pytest.MonkeyPatch) -> None:
    """Whether a bot is told of a step at once follows from the top of the stock."""
    tell = Announcer.tell

    def leaking(self: Announcer, live: LiveMatch, *rest: Any) -> None:  # noqa: ANN401 - what follows
        if not _is_red(live):
            tell(self, live, *rest)

    patch.setattr(Announcer, "tell", leaking)


@_plant
def events_that_are_left_out(patch: pytest.MonkeyPatch) -> None:
    """What a spectator is told of a step follows from the top of the stock."""
    make = Watcher._make

    async def leaking(self: Watcher, live: LiveMatch, *rest: Any) -> WatchStep:  # noqa: ANN401 - what follows
        step = await make(self, live, *rest)
        return replace(step, events=()) if _is_red(live) else step

    patch.setattr(Watcher, "_make", leaking)
