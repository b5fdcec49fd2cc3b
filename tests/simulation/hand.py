"""One seat of one match in the hands of a bot: what it decides, and under which id."""

import asyncio
from dataclasses import dataclass
from typing import Final

from tests.simulation.brain import Traits, bad_move, good_move
from tests.simulation.dice import Dice

from ginref.app.report import SeatReport
from ginref.app.request import Accept, Commit, Reveal, Step
from ginref.engine.seat import Seat
from ginref.record.setup import DealSource
from ginref.record.share import commit_seat
from ginref.record.submission import Submission

_DAWDLE: Final = (0.4, 2.5)
"""Seconds that a bot takes when it has forgotten the clock."""

_PONDER: Final = (1.03, 1.1)
"""Seconds that a bot takes when it has not."""

_HASTE: Final = 0.04
"""Seconds before the deadline in which a bot moves that takes all its time."""

_AFTER_REFUSAL: Final = 0.5
"""How many bots ponder what has just been refused."""


@dataclass(frozen=True, slots=True)
class Resignation:
    """The seat is given up."""


class Hand:
    """A seat, and what its bot makes of it.

    Attributes:
        seat: The seat.
        traits: What the bot is like here.
        is_silent: It says nothing more.
        pondered: Version at which it took long, if it has.
        is_refused: Its latest move was refused.
        is_over: It knows that the match is over.
        version: Version of the latest turn that it has begun to play.
        accepted: Version of its latest move that was accepted.
    """

    def __init__(self, match_id: str, seat: Seat, traits: Traits, dice: Dice) -> None:
        """Sit down."""
        self.match_id = match_id
        self.seat = seat
        self.traits = traits
        self.is_silent = False
        self.is_refused = False
        self.is_over = False
        self.version = 0
        self.accepted = 0
        self._dice = dice
        self._share = dice.octets(32)
        self._decisions = 0
        self.pondered: int | None = None
        self._requests = 0
        self._latest: Submission | None = None

    def heal(self) -> None:
        """Play on, if at all, as a bot should that can be wrong about its turn."""
        self.traits = Traits(
            think=self.traits.think,
            ponders=self.traits.ponders,
            misjudges=self.traits.misjudges,
            reuses=self.traits.reuses,
            waits_for_gin=self.traits.waits_for_gin,
            no_share=self.traits.no_share,
        )

    def steps(self, source: DealSource) -> tuple[Step, ...]:
        """Return what the seat does before play."""
        if source is DealSource.SEEDED:
            return (Accept(),)
        if self.traits.no_share:
            return Accept(), Commit(None)
        return Accept(), self.commit(), self.reveal()

    def commit(self) -> Commit:
        """Return the commitment to the share."""
        if self.traits.no_share:
            return Commit(None)
        return Commit(commit_seat(self.match_id, self.seat, self._share))

    def reveal(self) -> Reveal:
        """Return the share."""
        return Reveal(self._share)

    def wrong_reveal(self) -> Reveal | None:
        """Return another share, if the bot tries that."""
        return Reveal(bytes(32)) if self.traits.cheats else None

    async def think(self, report: SeatReport | None = None) -> None:
        """Take some time for a decision about a turn, or before play."""
        dice, traits, times = self._dice, self.traits, self.traits.think
        ponders = _AFTER_REFUSAL if self.is_refused else traits.ponders
        self.is_refused = False
        if dice.chance(traits.dawdles):
            times = _DAWDLE
        elif report is not None and dice.chance(traits.cuts_it_fine):
            times = _up_to_the_deadline(report)
        elif self.pondered is None and dice.chance(ponders):
            self.pondered = report.facts.version if report else 0
            times = _PONDER
        await asyncio.sleep(dice.between(*times))

    def decide(self, report: SeatReport) -> Submission | Resignation | None:
        """Return what the bot does about a turn; None when it says nothing more."""
        traits = self.traits
        self.version = report.facts.version
        self._decisions += 1
        if traits.quits_after is not None and self._decisions > traits.quits_after:
            self.is_silent = True
            return None
        if traits.resigns_after is not None and (
            self._decisions > traits.resigns_after
        ):
            return Resignation()
        return self._submission(report)

    def _submission(self, report: SeatReport) -> Submission:
        dice, traits, view = self._dice, self.traits, report.view
        version = report.facts.version
        if dice.chance(traits.misjudges):
            version += dice.pick((-2, -1, 1))
        if dice.chance(traits.blunders):
            move = bad_move(view, dice)
        else:
            move = good_move(view, dice, waits_for_gin=traits.waits_for_gin)
        request_id = f"#{self._requests + 1}"
        latest = self._latest
        if latest is not None and dice.chance(traits.reuses):
            request_id = latest.request_id
        else:
            self._requests += 1
        self._latest = Submission(
            match_id=self.match_id,
            seat=self.seat,
            expected_version=max(0, version),
            request_id=request_id,
            move=move,
        )
        return self._latest

    def butt_in(self, report: SeatReport) -> Submission | None:
        """Return a move out of turn, if the bot makes one."""
        if not self._dice.chance(self.traits.butts_in) or not report.view.hand:
            return None
        return self._submission_out_of_turn(report)

    def _submission_out_of_turn(self, report: SeatReport) -> Submission:
        self._requests += 1
        return Submission(
            match_id=self.match_id,
            seat=self.seat,
            expected_version=report.facts.version,
            request_id=f"#{self._requests}",
            move=bad_move(report.view, self._dice),
        )

    def forgets(self) -> bool:
        """Say whether the bot gives up on a move that is not answered."""
        return self._dice.chance(self.traits.forgets)


def _up_to_the_deadline(report: SeatReport) -> tuple[float, float]:
    """Return the seconds, from and to, after which a move has hardly time left."""
    clock = report.clock
    if clock.deadline_ms is None:
        return 0.0, 0.0
    left_ms = clock.deadline_ms + clock.policy.grace_ms - clock.now_ms
    return max(0.0, left_ms / 1000 - _HASTE), max(0.0, left_ms / 1000)
