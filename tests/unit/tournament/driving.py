"""A tournament that is driven to its end by hand, with matches that are only told."""

from collections.abc import Callable, Mapping
from typing import Any

from ginref.record.lifecycle import EndingKind
from ginref.tournament.configuration_read import read_configuration
from ginref.tournament.configuration_write import configuration_digest
from ginref.tournament.event import (
    Advanced,
    CheckedIn,
    Created,
    Event,
    MatchCreated,
    MatchEnded,
    Registered,
    Seeded,
)
from ginref.tournament.fixture import Fixture
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.log import LogEntry, append
from ginref.tournament.plan import MatchOrder, Plan, plan, rankings
from ginref.tournament.result import Outcome
from ginref.tournament.roster import seed_order

LOTS = bytes(range(32))
STEPS_MOST = 20_000

Chooser = Callable[[Fixture, MatchOrder], Outcome]


def won(winner: str, fixture: Fixture, points: int = 30) -> Outcome:
    """Tell of a match that was played and won."""
    net = points if winner == fixture.entrants[0] else -points
    return Outcome(ending=EndingKind.COMPLETED, winner=winner, boards=(net,))


def forfeited(
    *losers: str, fixture: Fixture, ending: EndingKind = EndingKind.TIMED_OUT
) -> Outcome:
    """Tell of a match that one side has forfeited, or both."""
    others = [bot for bot in fixture.entrants if bot not in losers]
    winner = others[0] if len(others) == 1 else None
    return Outcome(ending=ending, winner=winner, at_fault=losers)


def drawn() -> Outcome:
    """Tell of a match that nobody has won."""
    return Outcome(ending=EndingKind.ROUND_CAP, boards=(0,))


def names(count: int) -> list[str]:
    """Name bots so that the text order is that of their seeds."""
    return [f"bot-{at:02}" for at in range(1, count + 1)]


def one_stage(stage: Mapping[str, Any], **others: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the document of a tournament with one stage."""
    return {"name": "cup", "stages": [{"name": "main", **stage}], **others}


class Tournament:
    """A tournament and its log."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.configuration = read_configuration(document)
        self.entries: list[LogEntry] = []
        self.now_ms = 1_800_000_000_000
        digest = configuration_digest(self.configuration)
        self.add(Created(tournament="t-1", configuration=digest))

    def add(
        self, event: Event, request_id: str | None = None, actor: str = "organizer"
    ) -> None:
        """Append an event a second later."""
        self.now_ms += 1_000
        entry = append(
            self.entries,
            event,
            time_ms=self.now_ms,
            actor=actor,
            request_id=request_id or f"r-{len(self.entries) + 1}",
        )
        self.entries.append(entry)

    def plan(self) -> Plan:
        """Return the plan of this moment."""
        return plan(self.configuration, self.entries, self.now_ms)

    def enter(self, bots: list[str]) -> None:
        """Let bots enter and check in, and freeze the roster."""
        self.add(Advanced(to=Lifecycle.REGISTRATION))
        for bot in bots:
            self.add(Registered(bot=bot, owner=f"owner-of-{bot}"[:32]))
        self.add(Advanced(to=Lifecycle.CHECK_IN))
        for bot in bots:
            self.add(CheckedIn(bot=bot))
        self.add(Advanced(to=Lifecycle.SEEDING))
        order = seed_order(self.plan().ledger, LOTS)
        self.add(Seeded(order=order, lots=LOTS.hex()))

    def start(self, count: int) -> list[str]:
        """Start with a number of bots and return their names by seed."""
        bots = names(count)
        self.enter(bots)
        self.add(Advanced(to=Lifecycle.RUNNING))
        return bots

    def settle(self) -> Plan:
        """Append what follows by itself, and return what comes then."""
        planned = self.plan()
        for _ in range(STEPS_MOST):
            if not planned.events:
                return planned
            for event in planned.events:
                self.add(event)
            planned = self.plan()
        raise AssertionError("a plan without end")

    def begin(self, order: MatchOrder) -> str:
        """Create a match that was ordered, and return its identity."""
        match = f"m-{order.request_id}"
        self.add(
            MatchCreated(
                fixture=order.fixture,
                attempt=order.attempt,
                game=order.game,
                match=match,
            )
        )
        return match

    def finish(self, order: MatchOrder, outcome: Outcome) -> None:
        """Tell how a match has ended."""
        self.add(
            MatchEnded(
                fixture=order.fixture,
                attempt=order.attempt,
                game=order.game,
                match=f"m-{order.request_id}",
                outcome=outcome,
            )
        )

    def step(self, choose: Chooser) -> Plan:
        """Play all matches that can be played now."""
        planned = self.settle()
        for order in planned.orders:
            fixture = planned.fixture(order.fixture)
            assert fixture is not None
            self.begin(order)
            self.finish(order, choose(fixture, order))
        return planned

    def step_at_once(self, choose: Chooser, pick: Callable[[int], int]) -> None:
        """Begin all matches that can be played now, and end them in any order.

        Args:
            choose: Tells how a match ends.
            pick: Says which of so many matches ends next.
        """
        planned = self.settle()
        live = [(order, planned.fixture(order.fixture)) for order in planned.orders]
        for order, _ in live:
            self.begin(order)
        while live:
            order, fixture = live.pop(pick(len(live)))
            assert fixture is not None
            self.finish(order, choose(fixture, order))
            self.settle()

    def play(self, choose: Chooser) -> Plan:
        """Play to the end."""
        for _ in range(STEPS_MOST):
            planned = self.step(choose)
            if planned.ledger.lifecycle is Lifecycle.FINISHED:
                return planned
            assert planned.orders, "nothing to do, and it is not over"
        raise AssertionError("a tournament without end")

    def play_until_finishing(self, choose: Chooser) -> Plan:
        """Play all matches, and stop while results may still be appealed against."""
        for _ in range(STEPS_MOST):
            planned = self.step(choose)
            if planned.ledger.lifecycle is Lifecycle.FINISHING:
                return planned
        raise AssertionError("a tournament without end")

    def places(self, stage: int = -1) -> list[tuple[int, set[str]]]:
        """Return who shares which rank of a stage."""
        planned = self.plan()
        (ranking, *_) = rankings(planned.ledger, planned.stages[stage])
        return [(placing.rank, set(placing.bots)) for placing in ranking.placings]

    def node(self, key: str) -> Fixture:
        """Return a fixture by its place in its stage."""
        return next(one for one in self.plan().fixtures() if one.node == key)


def better_seed(fixture: Fixture, _: MatchOrder) -> Outcome:
    """Let the better seed win, which is the name that comes first."""
    return won(min(filter(None, fixture.entrants)), fixture)


def worse_seed(fixture: Fixture, _: MatchOrder) -> Outcome:
    """Let the worse seed win."""
    return won(max(filter(None, fixture.entrants)), fixture)
