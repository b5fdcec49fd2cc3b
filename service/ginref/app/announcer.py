"""Says to a bot what follows from the state of its matches, and nothing twice."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ginref.app.caller import Caller
from ginref.app.error import RefusedError
from ginref.app.keeper import Keeper, LiveMatch, place_of
from ginref.app.match_store import EntryId, MatchStore
from ginref.app.message import (
    Events,
    MatchOver,
    Message,
    Offer,
    Prepare,
    RoundOver,
    Started,
    Turn,
)
from ginref.app.reporting import match_facts, public_events, seat_report, seats_of
from ginref.engine.seat import Seat
from ginref.engine.view import public_view
from ginref.record.lifecycle import Stage

_NOWHERE = EntryId(0)


@dataclass(slots=True)
class _Told:
    """What a bot was told of one seat.

    Attributes:
        place: Log entry up to which it was told.
        stage: Stage in which it was last asked for something.
        started: It was told that play had begun.
        rounds: Finished rounds it was told of; None before play.
    """

    place: EntryId = _NOWHERE
    stage: Stage | None = None
    started: bool = False
    rounds: int | None = None


class Announcer:
    """Compares what a bot was told with what is the case."""

    def __init__(
        self, keeper: Keeper, caller: Caller, emit: Callable[[Message], None]
    ) -> None:
        """Tell a bot through `emit`."""
        self._keeper = keeper
        self._caller = caller
        self._emit = emit
        self._told: dict[str, dict[Seat, _Told]] = {}

    @property
    def matches(self) -> tuple[str, ...]:
        """Matches that the bot was told of and that are not over."""
        return tuple(self._told)

    async def find(
        self, store: MatchStore, cursors: Mapping[str, int]
    ) -> Sequence[LiveMatch]:
        """Return matches of the bot that it should be told of.

        Live ones, and those that ended after the version in the bot's cursors.
        """
        bot = self._caller.bot or ""
        found = []
        for match_id in dict.fromkeys([*await store.live_matches(bot), *cursors]):
            if match_id in self._told or not self._caller.may_see(match_id):
                continue
            try:
                live = await self._keeper.load(match_id)
            except RefusedError:
                # The list is written before the match: this one was never made.
                continue
            if not seats_of(live, self._caller):
                continue
            known = cursors.get(match_id)
            if live.state.ending and (known is None or known >= live.state.version):
                await store.drop_live(bot, match_id)
                continue
            self.begin(match_id)
            found.append(live)
        return found

    def begin(self, match_id: str) -> None:
        """Tell all of a match from now on, whatever was told of it before."""
        self._told[match_id] = {}

    def forget_turn(self, match_id: str, seat: Seat) -> None:
        """Tell again that a seat is to act, if it is."""
        told = self._told.get(match_id, {}).get(seat)
        if told:
            told.place = _NOWHERE

    async def announce(self, match_id: str) -> bool:
        """Tell what is new of a match that was begun; say whether it is over."""
        seats = self._told.get(match_id)
        if seats is None:
            return False
        live = self._keeper.hint(match_id)
        if live is None or any(place_of(live) <= told.place for told in seats.values()):
            # Nothing new is known in this process, so ask the store.
            live = await self._keeper.load(match_id)
        for seat in seats_of(live, self._caller):
            told = seats.setdefault(seat, _Told())
            if place_of(live) > told.place:
                await self._tell(live, seat, told)
        if live.state.ending:
            self._told.pop(match_id, None)
            return True
        return False

    async def _tell(self, live: LiveMatch, seat: Seat, told: _Told) -> None:
        known, told.place = told.place, place_of(live)
        state = live.state
        if state.match is None:
            self._ask(live, seat, told)
        else:
            self._tell_rounds(live, seat, told)
        if state.ending:
            self._emit(
                MatchOver(
                    match_id=state.setup.match_id,
                    seat=seat,
                    version=state.version,
                    ending=state.ending,
                    game_target=state.setup.ruleset.game_target,
                    sheet=state.match.sheet if state.match else None,
                )
            )
        elif state.to_act is seat:
            report = await seat_report(self._keeper, live, seat)
            if report is not None:
                self._emit(Turn(report))
        elif state.match is not None and known > _NOWHERE:
            self._emit(
                Events(
                    match_id=state.setup.match_id,
                    seat=seat,
                    version=state.version,
                    events=await public_events(self._keeper, live, known),
                )
            )

    def _ask(self, live: LiveMatch, seat: Seat, told: _Told) -> None:
        """Ask a seat for what it owes before play, once in each stage."""
        state = live.state
        if seat not in state.awaited or told.stage is state.stage:
            return
        told.stage = state.stage
        facts, deadline_ms = match_facts(live), live.clock.deadline_ms
        if state.stage is Stage.FORMING:
            self._emit(Offer(facts=facts, seat=seat, deadline_ms=deadline_ms))
            return
        self._emit(
            Prepare(
                facts=facts,
                seat=seat,
                reveal=state.stage is Stage.REVEALING,
                deadline_ms=deadline_ms,
            )
        )

    def _tell_rounds(self, live: LiveMatch, seat: Seat, told: _Told) -> None:
        state = live.state
        if state.match is None:
            return
        history = state.match.history
        if not told.started and not state.ending:
            self._emit(Started(facts=match_facts(live), seat=seat))
        told.started = True
        if told.rounds is not None and len(history) > told.rounds:
            view = public_view(state.match)
            for summary in history[told.rounds :]:
                last = view.last_result
                shown = last if last and last.number == summary.number else None
                self._emit(
                    RoundOver(
                        match_id=state.setup.match_id,
                        seat=seat,
                        version=state.version,
                        summary=summary,
                        reveal=shown,
                        sheet=view.sheet,
                        game_target=state.setup.ruleset.game_target,
                    )
                )
        told.rounds = len(history)
