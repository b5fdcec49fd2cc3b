"""Bots that call: they poll a match, or watch it, and send each move on its own."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from tests.simulation.hand import Hand, Resignation
from tests.simulation.ledger import Answer, Ledger
from tests.simulation.line import AGAIN, End, Feed, Line, UnreachableError
from tests.simulation.referee import Referee

from ginref.app.caller import Caller, Role
from ginref.app.error import Reason, RefusedError
from ginref.app.report import MatchFacts, MoveReport, SeatReport
from ginref.app.request import Decline, SeatStep, Step
from ginref.app.watch import WatchStep
from ginref.engine.seat import Seat
from ginref.record.lifecycle import Stage
from ginref.record.submission import Submission

_T = TypeVar("_T")

_POLL: Final = (0.02, 0.12)
"""Seconds between two looks at a match."""

_OVER: Final = frozenset({Reason.MATCH_OVER, Reason.MOVE_LATE})
"""Refusals after which there is nothing left to do for a seat."""


@dataclass(frozen=True, slots=True)
class _Look:
    """A match as one seat has seen it; no report before play."""

    facts: MatchFacts
    report: SeatReport | None


def watching(
    caller: Caller, match_id: str, cursor: str
) -> Callable[[Referee], AsyncGenerator[WatchStep, None]]:
    """Return what makes a referee tell of a match from a place on."""
    return lambda referee: referee.watcher.watch(caller, match_id, cursor)


def is_strike(answer: Answer) -> bool:
    """Say whether a move was refused by the rules, and counted."""
    return isinstance(answer, RefusedError) and "strikes_left" in answer.facts


def _unheard(answer: object) -> None:
    """Leave an answer that nobody is interested in."""


class Player:
    """A bot that plays its seats by calls."""

    def __init__(
        self,
        bot: str,
        style: str,
        line: Line,
        ledger: Ledger,
        deal_hand: Callable[[MatchFacts, Seat], Hand],
    ) -> None:
        """Play under a bot's name, with the hands that it is dealt."""
        self.bot = bot
        self.style = style
        self.caller = Caller(token_id=f"t-{bot}", role=Role.BOT, bot=bot)
        self.hands: dict[tuple[str, Seat], Hand] = {}
        self.line = line
        self.ledger = ledger
        self._deal_hand = deal_hand

    def hand(self, facts: MatchFacts, seat: Seat) -> Hand:
        """Return the bot's hand for a seat of a match."""
        key = facts.match_id, seat
        if key not in self.hands:
            self.hands[key] = self._deal_hand(facts, seat)
        return self.hands[key]

    async def play(self, facts: MatchFacts, seat: Seat) -> None:
        """Play a seat to its end."""
        hand = self.hand(facts, seat)
        if not await self._prepare(facts, hand):
            return
        if self.style == "watch":
            await self._play_by_watching(hand)
        else:
            await self._play_by_polling(hand)

    # --- before play -------------------------------------------------------------

    async def _prepare(self, facts: MatchFacts, hand: Hand) -> bool:
        """Take the seat's steps before play; say whether there is more to do."""
        traits = hand.traits
        if traits.no_show:
            return False
        if traits.declines:
            await self._step(hand, Decline())
            return False
        for step in hand.steps(facts.deal_source):
            await hand.think()
            wrong = hand.wrong_reveal()
            if wrong is not None:
                await self._step(hand, wrong)
            if not await self._step(hand, step):
                return False
        return True

    async def _step(self, hand: Hand, step: Step) -> bool:
        """Take a step, waiting for its time to come; say whether it was taken."""
        asked = SeatStep(match_id=hand.match_id, seat=hand.seat, step=step)
        while not hand.is_silent:
            try:
                await self.call(lambda r: r.desk.prepare_seat(self.caller, asked))
            except RefusedError as error:
                if error.reason is not Reason.STEP_OUT_OF_ORDER:
                    return False
                await asyncio.sleep(self.line.network.dice.between(*_POLL))
                report = await self.look(hand)
                if report.facts.stage in (Stage.PLAYING, Stage.OVER):
                    return report.facts.stage is Stage.PLAYING
            else:
                return True
        return False

    # --- play ----------------------------------------------------------------------

    async def look(self, hand: Hand) -> _Look:
        """Look at a match."""
        report = await self.call(lambda r: r.desk.get_match(self.caller, hand.match_id))
        seats = tuple(
            seat
            for seat, bot in zip(Seat, report.public.facts.bots, strict=False)
            if bot == self.bot
        )
        self.ledger.looked(seats, report)
        mine = [one for one in report.seats if one.view.seat is hand.seat]
        if report.public.facts.ending:
            hand.is_over = True
        return _Look(report.public.facts, mine[0] if mine else None)

    async def _play_by_polling(self, hand: Hand) -> None:
        while not hand.is_silent and not hand.is_over:
            seen = await self.look(hand)
            report = seen.report
            if report is not None and not hand.is_over:
                if report.view.to_act is hand.seat:
                    await self.take_turn(hand, report)
                    continue
                await self._butt_in(hand, report)
            await asyncio.sleep(self.line.network.dice.between(*_POLL))

    async def _play_by_watching(self, hand: Hand) -> None:
        network = self.line.network
        while not hand.is_silent and not hand.is_over:
            feed: Feed[WatchStep] = Feed(
                network,
                network.dice.pick(self.line.referees),
                watching(self.caller, hand.match_id, ""),
            )
            await self._read_feed(feed, hand)
            feed.cut()
            # Whoever has lost the thread looks at the whole match again.
            hand.version = 0
            await asyncio.sleep(network.dice.between(*_POLL))

    async def _read_feed(self, feed: Feed[WatchStep], hand: Hand) -> None:
        """Play on what a feed tells, until it ends or there is nothing to play."""
        while not isinstance(step := await feed.read(), End):
            self.ledger.saw(None, step.public)
            hand.is_over = step.facts.ending is not None
            for report in step.turns:
                seat = report.view.seat
                self.ledger.saw(seat, report)
                if seat is hand.seat and report.facts.version > hand.version:
                    is_lost = not await self.take_turn(hand, report)
                    if is_lost:
                        return
            if hand.is_silent or hand.is_over:
                return

    async def take_turn(self, hand: Hand, report: SeatReport) -> bool:
        """Play until another seat is to act; say no when it is unclear who is."""
        turn: SeatReport | None = report
        while turn is not None:
            await hand.think(turn)
            decision = hand.decide(turn)
            if decision is None:
                return True
            if isinstance(decision, Resignation):
                await self.resign(hand)
                return True
            answer = await self.submit(hand, decision)
            if isinstance(answer, MoveReport):
                turn = answer.turn
                hand.is_over = answer.ending is not None
                continue
            # A broken rule leaves the turn as it was, unless it was the last one.
            if answer is None or not is_strike(answer):
                return False
        return True

    async def submit(self, hand: Hand, submission: Submission) -> Answer | None:
        """Send a move until it is answered; None when the bot gives up on it."""
        heard = self.ledger.claim(submission)
        network = self.line.network
        while True:
            try:
                return await self.line.call(
                    lambda r: r.desk.submit_move(
                        self.caller, submission, r.tools.monotonic()
                    ),
                    heard,
                )
            except UnreachableError:
                pass
            except RefusedError as error:
                if error.reason in _OVER:
                    hand.is_over = error.reason is Reason.MATCH_OVER
                    return error
                if error.reason not in AGAIN:
                    return error
            if hand.forgets():
                network.journal.count("move forgotten")
                return None
            await asyncio.sleep(network.dice.between(*_POLL))

    async def resign(self, hand: Hand) -> None:
        """Give up the seat."""
        hand.is_silent = True
        try:
            await self.call(
                lambda r: r.desk.resign_match(self.caller, hand.match_id, hand.seat)
            )
        except RefusedError as error:
            self.line.network.journal.note("resign", self.bot, error.reason)

    async def _butt_in(self, hand: Hand, report: SeatReport) -> None:
        submission = hand.butt_in(report)
        if submission is not None:
            await self.submit(hand, submission)

    async def call(self, use: Callable[[Referee], Coroutine[Any, Any, _T]]) -> _T:
        """Call until answered."""
        return await self.line.call_until_done(use, _unheard)
