"""Says to a bot what follows from the state of its matches, and nothing twice."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from ginref.app.caller import Caller
from ginref.app.error import RefusedError
from ginref.app.hub import Subscription
from ginref.app.keeper import Keeper
from ginref.app.live_match import LiveMatch, place_of
from ginref.app.match_store import EntryId, MatchStore
from ginref.app.message import (
    CreditGiven,
    Events,
    MatchOver,
    Message,
    Offer,
    Prepare,
    Problem,
    RoundOver,
    Started,
    Turn,
)
from ginref.app.offer_queue import OfferQueue
from ginref.app.packing import DamageError
from ginref.app.reach import load_reached
from ginref.app.reporting import (
    credits_of,
    earlier_games,
    last_act,
    match_facts,
    public_events,
    seat_report,
    seats_of,
    step_before,
)
from ginref.app.told import Answer, Told
from ginref.engine.match import Match
from ginref.engine.seat import Seat
from ginref.engine.view import public_view
from ginref.record.lifecycle import Stage

_LOG: Final = logging.getLogger(__name__)

ANYWHERE: Final = EntryId(0)
"""A place that every match has come to: what this process knows will do."""

_NO_GAMES: Final[Mapping[int, Match]] = {}

_BATCH: Final = 64
"""Matches that are looked at together."""


class Announcer:
    """Compares what a bot was told with what is the case.

    Attributes:
        offers: Which of its matches the bot is offered, and which must wait.
        tells_events: The bot is told of what others do as it happens, and not only
            with its next turn.
    """

    def __init__(
        self, keeper: Keeper, caller: Caller, emit: Callable[[Message], None]
    ) -> None:
        """Tell a bot through `emit`."""
        self._keeper = keeper
        self._caller = caller
        self._emit = emit
        self._told: dict[str, dict[Seat, Told]] = {}
        self.offers = OfferQueue()
        self.tells_events = False

    @property
    def matches(self) -> tuple[str, ...]:
        """Matches that the bot is told of."""
        return tuple(self._told)

    def follows(self, match_id: str) -> bool:
        """Say whether the bot is told of a match."""
        return match_id in self._told

    def knows(self, match_id: str, place: EntryId | None) -> bool:
        """Say whether the bot was told all of a match up to a place."""
        seats = self._told.get(match_id, {})
        return bool(place and seats) and all(
            told.place and place and told.place >= place for told in seats.values()
        )

    def version(self, match_id: str) -> int:
        """Return how far a match of the bot has come, as far as is known, or 0."""
        live = self._keeper.hint(match_id)
        return live.state.version if live and seats_of(live, self._caller) else 0

    async def find(
        self,
        store: MatchStore,
        cursors: Mapping[str, int],
        subscription: Subscription,
    ) -> Sequence[LiveMatch]:
        """Return matches of the bot that it is not told of yet, but should be.

        Live ones, and those that ended after the version in the bot's cursors.

        Args:
            store: Where to look.
            cursors: Last version that the bot knows, by match.
            subscription: Made to follow each match before it is looked at, so that
                no change is missed.
        """
        bot = self._caller.bot or ""
        wanted = [
            match_id
            for match_id in dict.fromkeys([*await store.live_matches(bot), *cursors])
            if not self.follows(match_id)
        ]
        found: list[LiveMatch] = []
        for start in range(0, len(wanted), _BATCH):
            batch = wanted[start : start + _BATCH]
            for match_id in batch:
                subscription.follow(match_id)
            looks = (self._look(store, one, cursors.get(one)) for one in batch)
            found += [live for live in await asyncio.gather(*looks) if live]
            for match_id in batch:
                if not self.follows(match_id):
                    subscription.leave(match_id)
        return found

    async def _look(
        self, store: MatchStore, match_id: str, known: int | None
    ) -> LiveMatch | None:
        try:
            live = await load_reached(self._keeper, self._caller, match_id)
        except RefusedError:
            # The list is written before the match: this one was never made, or it is
            # none that the token reaches.
            return None
        except DamageError:
            # The bot's other matches go on.
            _LOG.exception("match %s cannot be read", match_id)
            self.begin(match_id)
            return None
        if not seats_of(live, self._caller):
            return None
        if live.state.ending and (known is None or known >= live.state.version):
            await store.drop_live(self._caller.bot or "", match_id)
            return None
        self.begin(match_id)
        if not self._is_new(live):
            self.offers.take(match_id)
        return live

    def begin(self, match_id: str) -> None:
        """Tell all of a match from now on, whatever was told of it before."""
        self._told[match_id] = {}

    def owe_turn(self, match_id: str, seat: Seat) -> None:
        """Tell again that a seat is to act, if it is."""
        told = self._told.get(match_id, {}).get(seat)
        if told:
            told.owed = True

    async def announce(
        self, match_id: str, place: EntryId | None, answer: Answer | None = None
    ) -> bool:
        """Tell what is new of a match that was begun; say whether it is over, or lost.

        Args:
            match_id: The match.
            place: Log entry that it has come to, as far as is known.
            answer: What the bot was just answered.
        """
        if match_id not in self._told:
            return False
        try:
            live = await self._keeper.latest(match_id, place)
            live = await self._keeper.reach(live, self._news_start(live))
            earlier = (
                await earlier_games(self._keeper, live)
                if self._missed_a_round(live)
                else {}
            )
        except DamageError:
            # The bot is told of it when it is void.
            _LOG.exception("match %s cannot be read", match_id)
            return False
        except RefusedError as error:
            # The bot's other matches go on.
            _LOG.error("the store has lost match %s", match_id)
            self._emit(Problem(error=error, match_id=match_id))
            self._leave(match_id)
            return True
        return self.tell(live, answer, earlier)

    def is_at_hand(self, live: LiveMatch) -> bool:
        """Say whether all is known that `tell` says of a match."""
        return (
            live.state.setup.match_id in self._told
            and not self._missed_a_round(live)
            and live.reaches(self._news_start(live))
        )

    def tell(
        self,
        live: LiveMatch,
        answer: Answer | None = None,
        earlier: Mapping[int, Match] = _NO_GAMES,
    ) -> bool:
        """Tell what is new of a match that is at hand; say whether it is over.

        Args:
            live: The match.
            answer: What the bot was just answered.
            earlier: The match right after each of its rounds, by number, if the bot
                has missed some.
        """
        match_id = live.state.setup.match_id
        is_new = self._is_new(live)
        if match_id not in self._told or self.offers.must_wait(match_id, is_new=is_new):
            return False
        here = place_of(live)
        for seat, told in self._seats(live).items():
            if told.has_lost(here, live.clock.started_ms):
                # The store has lost what the bot was told: it goes on from here.
                told.forget()
            if told.place is None or here > told.place or told.owed:
                self._tell(live, seat, told, answer, earlier)
            elif live.clock.credit_ms > told.credit_ms:
                self._tell_credit(live, seat, told)
        if live.state.ending:
            self._leave(match_id)
            return True
        return False

    def _leave(self, match_id: str) -> None:
        self._told.pop(match_id, None)
        self.offers.leave(match_id)

    def _news_start(self, live: LiveMatch) -> EntryId:
        """Return from where the log must be known to tell what is new."""
        state, start = live.state, place_of(live)
        for seat, told in self._seats(live).items():
            if state.to_act is seat:
                start = min(start, step_before(last_act(live, seat)))
            elif self.tells_events and told.place:
                start = min(start, step_before(told.place))
        return start

    def _missed_a_round(self, live: LiveMatch) -> bool:
        """Say whether more than one round is over that a seat was not told of."""
        game = live.state.match
        if game is None:
            return False
        over = len(game.history) - 1
        told_of = self._seats(live).values()
        return any(told.place and told.rounds < over for told in told_of)

    def _seats(self, live: LiveMatch) -> Mapping[Seat, Told]:
        """Return what the bot was told of each of its seats of a match."""
        seats = self._told[live.state.setup.match_id]
        if not seats:
            seats.update((seat, Told()) for seat in seats_of(live, self._caller))
        return seats

    def _is_new(self, live: LiveMatch) -> bool:
        """Say whether the bot has taken no seat of a match yet."""
        state = live.state
        return state.stage is Stage.FORMING and not any(
            state.accepted[seat] for seat in seats_of(live, self._caller)
        )

    def _tell(
        self,
        live: LiveMatch,
        seat: Seat,
        told: Told,
        answer: Answer | None,
        earlier: Mapping[int, Match],
    ) -> None:
        state, here, known = live.state, place_of(live), told.place
        if answer and (answer.seat is not seat or EntryId(answer.version) != here):
            answer = None
        told.owed = False
        told.place, told.step_ms = here, live.clock.started_ms
        told.credit_ms = live.clock.credit_ms
        if state.match is None:
            self._ask(live, seat, told)
        else:
            self._tell_rounds(live, seat, told, earlier, first=known is None)
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
            turn = answer and answer.turn
            turn = turn or seat_report(live, seat)
            if turn is not None:
                self._emit(Turn(turn))
        elif self.tells_events and state.match and known and here > known:
            if answer and known.version == answer.version - 1:
                # All that is new is the bot's own move, which it was answered.
                return
            self._emit(
                Events(
                    match_id=state.setup.match_id,
                    seat=seat,
                    version=state.version,
                    events=public_events(live, known),
                )
            )

    def _tell_credit(self, live: LiveMatch, seat: Seat, told: Told) -> None:
        told.credit_ms = live.clock.credit_ms
        given = {credit.seat: credit for credit in credits_of(live)}
        # A seat that owes nothing is told of the one that it waits for.
        credit = given.get(seat) or next(iter(given.values()), None)
        if credit is not None:
            self._emit(
                CreditGiven(
                    match_id=live.state.setup.match_id,
                    credit=credit,
                    deadline_ms=live.clock.due_ms,
                )
            )

    def _ask(self, live: LiveMatch, seat: Seat, told: Told) -> None:
        """Ask a seat for what it owes before play, once in each stage."""
        state = live.state
        if seat not in state.awaited or told.stage is state.stage:
            return
        told.stage = state.stage
        facts, deadline_ms = match_facts(live), live.clock.due_ms
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

    def _tell_rounds(
        self,
        live: LiveMatch,
        seat: Seat,
        told: Told,
        earlier: Mapping[int, Match],
        *,
        first: bool,
    ) -> None:
        state = live.state
        if state.match is None:
            return
        history = state.match.history
        if not told.started and not state.ending:
            self._emit(Started(facts=match_facts(live), seat=seat))
        told.started = True
        news = () if first else history[told.rounds :]
        told.rounds = len(history)
        # What is shown of a round is shown until the next one ends.
        for summary in news:
            view = public_view(earlier.get(summary.number, state.match))
            last = view.last_result
            self._emit(
                RoundOver(
                    match_id=state.setup.match_id,
                    seat=seat,
                    version=state.version,
                    summary=summary,
                    reveal=last if last and last.number == summary.number else None,
                    sheet=view.sheet,
                    game_target=state.setup.ruleset.game_target,
                )
            )
