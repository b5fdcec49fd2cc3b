"""What bots and spectators were told of a match, against its log."""

from collections.abc import Mapping, Sequence
from typing import Final

from tests.simulation.journal import Journal
from tests.simulation.leak import cards_shown
from tests.simulation.ledger import Following, Ledger, Seen
from tests.simulation.played import Played, known_to, place_of, tells, version_of

from ginref.app.match_store import EntryId
from ginref.app.message import Events, MatchOver, Message, RoundOver
from ginref.app.report import PublicEvent, PublicReport, SeatReport
from ginref.engine.card import CardSet
from ginref.engine.seat import Seat
from ginref.engine.view import PublicView, SeatView, public_view, view_for
from ginref.record.clock import StoredClock

_SAMPLE: Final = 8
"""Of so many reports one is searched for cards; all are compared with the truth."""


class Audience:
    """Judges what was told of one match."""

    def __init__(
        self,
        played: Played,
        clocks: Mapping[int, StoredClock],
        ledger: Ledger,
        journal: Journal,
    ) -> None:
        """Compare with the match as it was played, and its clocks by version."""
        self._played = played
        self._clocks = clocks
        self._ledger = ledger
        self._problem = journal.problem
        self._views: dict[tuple[int, Seat | None], PublicView | SeatView] = {}

    def judge(self) -> None:
        """Note every problem."""
        played, ledger = self._played, self._ledger
        for following in ledger.followings:
            if following.match_id == played.match_id:
                self._judge_following(following)
        for (stream, match_id, seat), messages in ledger.told.items():
            if match_id == played.match_id:
                self._judge_told(f"{stream} as {seat}", messages)
        for number, seen in enumerate(ledger.seen.get(played.match_id, ())):
            self._judge_seen(seen, search=number % _SAMPLE == 0)

    def _judge_following(self, following: Following) -> None:
        steps, name = following.steps, following.name
        start = place_of(steps[0].cursor)
        told = [event for one in steps[1:] for event in one.events]
        places = list(dict.fromkeys(EntryId(one.version, one.refusal) for one in told))
        expected = [place for place in self._played.by_place if place > start]
        if places != expected:
            self._problem(f"{name} was told of {places}, not of {expected}")
        self._judge_events(name, told)

    def _judge_events(self, name: str, events: Sequence[PublicEvent]) -> None:
        for event in events:
            stamped = self._played.by_place.get(EntryId(event.version, event.refusal))
            if stamped is None or not tells(event, stamped, self._played):
                self._problem(f"{name} was told {event}, but that was {stamped}")

    def _judge_told(self, name: str, told: list[Message]) -> None:
        versions = [version_of(message) for message in told]
        if versions != sorted(versions):
            self._problem(f"{name} was told of {versions}")
        # Who asks again hears the end again, and nothing else.
        ended = [isinstance(message, MatchOver) for message in told]
        if ended != sorted(ended):
            self._problem(f"{name} was told more after the end")
        game = self._played.last.match
        for message in told:
            if isinstance(message, Events):
                self._judge_events(name, message.events)
            elif isinstance(message, RoundOver) and (
                game is None or message.summary not in game.history
            ):
                self._problem(f"{name} was told of a round: {message.summary}")

    def _judge_seen(self, seen: Seen, *, search: bool) -> None:
        report, seat = seen.report, seen.seat
        version = report.facts.version
        state = self._played.states.get(version)
        name = f"{self._played.match_id} at {version} for {seat}"
        if state is None:
            self._problem(f"{name}: there is no such version")
            return
        if isinstance(report, SeatReport):
            if report.view.seat is not seat:
                self._problem(f"{name}: shown as {report.view.seat} sees it")
                return
            self._judge_events(name, report.events)
        self._judge_clock(name, report)
        game = state.match
        if game is None or report.view is None:
            if game is not None or report.view is not None:
                self._problem(f"{name}: cards before they are dealt, or none after")
            return
        key = version, seat
        if key not in self._views:
            view = public_view(game) if seat is None else view_for(game, seat)
            self._views[key] = view
        if report.view != self._views[key]:
            self._problem(f"{name}: {report.view} is not the case")
        if search:
            hidden = cards_shown(report) & ~known_to(game, seat).mask
            if hidden:
                self._problem(f"{name}: shows {CardSet(hidden)}")

    def _judge_clock(self, name: str, report: SeatReport | PublicReport) -> None:
        told, true = report.clock, self._clocks[report.facts.version]
        if told.banks_ms != true.banks_ms or told.elapsed_ms != true.elapsed_ms:
            self._problem(f"{name}: the clock says {told}, but is {true}")
        deadline_ms = told.deadline_ms
        # What is credited puts it off, and nothing puts it forward.
        if deadline_ms is not None and deadline_ms < true.deadline_ms:
            self._problem(f"{name}: due at {deadline_ms}, not at {true.deadline_ms}")
