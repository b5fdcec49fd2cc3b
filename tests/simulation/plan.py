"""What a seed stands for: bots at a table, the weather, what is done to referees."""

from dataclasses import dataclass
from typing import Final

from tests.simulation.brain import Traits
from tests.simulation.dice import Dice
from tests.simulation.network import Weather

from ginref.engine.ruleset import (
    GIN,
    HOLLYWOOD,
    OKLAHOMA,
    THREE_HANDED,
    NextDealer,
    Ruleset,
    Table,
)
from ginref.record.clock import ClockPolicy

BOTS: Final = ("ada", "bob", "cyd")
STYLES: Final = ("poll", "watch", "stream", "stream")

_BRISK: Final = ClockPolicy(
    name="custom", start_ms=2_000, free_ms=60, bank_ms=2_000, cap_ms=1_200, grace_ms=0
)
_KIND: Final = ClockPolicy(
    name="custom",
    start_ms=2_400,
    free_ms=100,
    bank_ms=3_000,
    cap_ms=1_500,
    grace_ms=150,
)
_CLOCKS: Final = (_BRISK, _KIND)

_SHORT: Final = {"game_target": 20, "round_limit": 2, "turn_limit": 2}
_ONE_ROUND: Final = {"round_limit": 1, "turn_limit": 4}

# What a seed can find needs few moves, and time is better spent on more seeds. Rounds
# that are long enough for a knock are rare for that reason.
_RULES: Final = (
    GIN.but(name="one-round", **_ONE_ROUND),
    GIN.but(name="showdown", round_limit=1, turn_limit=10),
    GIN.but(name="short", **_SHORT),
    GIN.but(name="walled", wall=28, round_limit=2, turn_limit=8),
    GIN.but(
        name="boards",
        boards=2,
        next_dealer=NextDealer.BOARD_PARITY,
        round_limit=2,
        turn_limit=2,
    ),
    GIN.but(name="patient", round_limit=1, turn_limit=36, big_gin_bonus=30),
    GIN.but(name="ties", undercut_on_tie=False, round_limit=1, turn_limit=14),
    HOLLYWOOD.but(name="three-columns", **_SHORT),
    HOLLYWOOD.but(name="three-columns", **_SHORT),
    OKLAHOMA.but(name="tightened", **_ONE_ROUND),
    THREE_HANDED.but(name="cut-throat", **_SHORT),
    THREE_HANDED.but(name="box", table=Table.BOX, **_ONE_ROUND),
)

_SEEDS: Final = ("182", "745", "916", "1524", "4050", "4799", "6814", "6908")
"""Deals that soon come to a knock, the last four of them to an undercut or to gin."""

_FAULTS: Final = (
    "crash",
    "all down",
    "pause",
    "drain",
    "store away",
    "store blinks",
    "deaf",
    "clock jumps",
    "cut",
    "attach again",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchPlan:
    """A match to be played.

    Attributes:
        rules: Its rules.
        clock: Its time rules.
        seed: Where its cards come from; None for the shares of all.
        strikes_allowed: Illegal moves allowed to each seat.
        bots: Bot of each seat.
        traits: How each seat is played.
        abort_after: Seconds after which the organizer ends it; None for never.
        twice: It is created by two calls at the same time.
    """

    rules: Ruleset
    clock: ClockPolicy
    seed: str | None
    strikes_allowed: int
    bots: tuple[str, ...]
    traits: tuple[Traits, ...]
    abort_after: float | None
    twice: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All that a seed decides before anything happens.

    Attributes:
        width: How many of the callbacks that are ready may come first.
        referees: How many referees there are.
        weather: How likely what goes wrong is.
        faults: What is done to referees, to the store and to connections.
        pause: Seconds between two of those, from and to.
        trouble: Seconds after which nothing goes wrong any more.
        matches: What is played.
        styles: How each bot reaches referees.
        capacity: Matches that each bot plays at once; 0 for any number.
        flooder: A bot that talks without listening, if there is one.
        spectators: How many watch each match.
    """

    width: int
    referees: int
    weather: Weather
    faults: tuple[str, ...]
    pause: tuple[float, float]
    trouble: float
    matches: tuple[MatchPlan, ...]
    styles: dict[str, str]
    capacity: int
    flooder: str | None
    spectators: int


def draw_plan(dice: Dice) -> Plan:
    """Return what dice decide."""
    count = 1 if dice.chance(0.9) else 2
    styles = {bot: dice.pick(STYLES) for bot in BOTS}
    flooder = None
    if dice.chance(0.02):
        flooder = BOTS[0]
        styles[flooder] = "stream"
    return Plan(
        width=dice.pick((1, 1, 3, 8)),
        referees=dice.pick((2, 2, 3, 4)),
        weather=_weather(dice),
        faults=tuple(fault for fault in _FAULTS if dice.chance(0.25)),
        pause=dice.pick(((0.05, 0.4), (0.2, 1.0), (0.5, 3.0))),
        trouble=dice.between(0.1, 3.0),
        matches=tuple(_match(dice) for _ in range(count)),
        styles=styles,
        capacity=dice.pick((0, 0, 1)),
        flooder=flooder,
        spectators=dice.pick((0, 0, 0, 1, 2)),
    )


def _weather(dice: Dice) -> Weather:
    def maybe(most: float) -> float:
        return dice.between(0, most) if dice.chance(0.5) else 0.0

    return Weather(
        delay=dice.pick(((0.0002, 0.002), (0.001, 0.006), (0.0, 0.02))),
        request_lost=maybe(0.03),
        reply_lost=maybe(0.06),
        call_lost=maybe(0.04),
        answer_lost=maybe(0.06),
        call_twice=maybe(0.15),
        wake_twice=maybe(0.10),
        crash=maybe(0.03),
        archive=maybe(0.4),
    )


def _match(dice: Dice) -> MatchPlan:
    rules = dice.pick(_RULES)
    bots = list(BOTS)
    if dice.chance(0.5):
        bots.reverse()
    if dice.chance(0.04):
        bots[1] = bots[0]
    patient = rules.name == "patient"
    return MatchPlan(
        rules=rules,
        clock=dice.pick(_CLOCKS),
        seed=f"seed {dice.pick(_SEEDS)}" if dice.chance(0.4) else None,
        strikes_allowed=dice.pick((0, 1, 3)),
        bots=tuple(bots[: rules.seat_count]),
        traits=tuple(_traits(dice, patient=patient) for _ in range(rules.seat_count)),
        abort_after=dice.between(0.2, 3.0) if dice.chance(0.04) else None,
        twice=dice.chance(0.3),
    )


def _traits(dice: Dice, *, patient: bool) -> Traits:
    def maybe(likelihood: float, most: float) -> float:
        return dice.between(0, most) if dice.chance(likelihood) else 0.0

    def some_day(likelihood: float) -> int | None:
        return dice.below(25) if dice.chance(likelihood) else None

    return Traits(
        think=dice.pick(((0.0, 0.004), (0.005, 0.03), (0.02, 0.12))),
        dawdles=maybe(0.15, 0.10),
        cuts_it_fine=maybe(0.1, 0.3),
        ponders=maybe(0.3, 0.1),
        blunders=maybe(0.35, 0.25),
        misjudges=maybe(0.3, 0.25),
        reuses=maybe(0.15, 0.20),
        butts_in=maybe(0.2, 0.15),
        forgets=maybe(0.1, 0.15),
        waits_for_gin=patient or dice.chance(0.1),
        quits_after=some_day(0.08),
        resigns_after=some_day(0.04),
        declines=dice.chance(0.01),
        no_show=dice.chance(0.02),
        no_share=dice.chance(0.1),
        cheats=dice.chance(0.05),
    )
