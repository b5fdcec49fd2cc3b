"""How long a seat waits for word of another one, whose hand is poor or all melds.

Two matches that look the same to an observer go on side by side: in one the other
seat holds three melds, in the other one none. Which of the two comes first is drawn
anew for each step, so that whatever else the machine does falls on both alike.
"""

import asyncio
import random
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tests.e2e.host import SEATED, Host, Room
from tests.e2e.table import PATIENCE
from tests.leaks.dealing import Deck
from tests.leaks.dealing_referee import seed_of
from tests.leaks.real_pair import Reader, attached, hosting

from ginref.engine.card import PACK, Card
from ginref.v1 import bot_service_pb2, move_pb2
from ginref.v1 import referee_service_pb2 as referee_pb

TURNS: Final = 9
"""Turns of each seat in a match: all of them throw what they have just drawn."""

_DEALT: Final = 3
_SAMPLES: Final = 1000
_RICH: Final = "2s 3s 4s 5s 7h 8h 9h Js Jd Jc"
_POOR: Final = "2s 4h 6d 8c Ts Qh As 9d Kc 5c"


@dataclass
class Waits:
    """Differences between two matches in microseconds, poor hand first.

    Attributes:
        name: What was waited for.
        differences: One for each step of two matches.
        usual: How long it took, in microseconds.
    """

    name: str
    differences: list[float] = field(default_factory=list)
    usual: list[float] = field(default_factory=list)

    def add(self, poor: float, rich: float) -> None:
        """Add a step of both matches; in seconds."""
        self.differences.append((poor - rich) * 1e6)
        self.usual += [poor * 1e6, rich * 1e6]

    def report(self, seed: int) -> dict[str, Any]:
        """Return the median difference, its interval, and how often it was positive."""
        low, high = interval(self.differences, seed)
        return {
            "waited for": self.name,
            "pairs": len(self.differences),
            "usual_us": round(statistics.median(self.usual), 1),
            "median_difference_us": round(statistics.median(self.differences), 1),
            "interval_99_us": [round(low, 1), round(high, 1)],
            "poor_hand_slower": round(
                sum(one > 0 for one in self.differences) / len(self.differences), 4
            ),
        }


def interval(differences: Sequence[float], seed: int) -> tuple[float, float]:
    """Return the interval that holds the median with 99 %, by bootstrap."""
    chance = random.Random(seed)
    medians = sorted(
        statistics.median(chance.choices(differences, k=len(differences)))
        for _ in range(_SAMPLES)
    )
    tail = _SAMPLES // 200
    return medians[tail], medians[-tail - 1]


def decks() -> tuple[Deck, Deck]:
    """Return the decks for a poor and for a rich hand of South, the non-dealer."""
    poor, rich = _cards(_POOR), _cards(_RICH)
    hers = [card for card in PACK if card not in {*poor, *rich}]
    # All that is drawn is thrown, so it must make no hand any better.
    north, upcard, drawn = hers[:20:2], hers[20], [*hers[1:20:2], *hers[21:30]]
    return tuple(
        _deck(south, north, upcard, drawn, [*poor, *rich]) for south in (poor, rich)
    )  # type: ignore[return-value] # two of them


def _deck(
    south: Sequence[Card],
    north: Sequence[Card],
    upcard: Card,
    drawn: Sequence[Card],
    others: Sequence[Card],
) -> Deck:
    dealt = [card for pair in zip(south, north, strict=True) for card in pair]
    top = [*dealt, upcard, *drawn]
    rest = [card for card in dict.fromkeys((*others, *PACK)) if card not in top]
    return (*top, *rest)


def _cards(text: str) -> list[Card]:
    return [Card.parse(word) for word in text.split()]


@dataclass(eq=False)
class _Match:
    """One of the two, and what North hears of it on its stream."""

    room: Room
    match_id: str
    north: Reader
    drawn: Sequence[Card]
    version: int = _DEALT

    async def submit(self, seat: int, text: str) -> None:
        await self.room.referee(
            SEATED[seat],
            "SubmitMove",
            match_id=self.match_id,
            seat=seat + 1,
            expected_version=self.version,
            request_id=f"request {self.version}",
            move=move_pb2.Move(text=text),
        )
        self.version += 1

    async def heard(self, version: int) -> None:
        """Wait until North was told of a version."""

        def fits(told: bot_service_pb2.ConnectResponse) -> bool:
            for part in (told.events, told.turn.view):
                if (part.match_id, part.version) == (self.match_id, version):
                    return True
            return False

        await self.north.until(fits)

    async def step(self, seat: int, text: str) -> float:
        """Make a move; return how long North waits: for its answer, or for word."""
        begun = time.perf_counter()
        if not seat:
            await self.submit(seat, text)
            return time.perf_counter() - begun
        told = asyncio.create_task(self._time(self.version + 1))
        await self.submit(seat, text)
        return (await told) - begun

    async def _time(self, version: int) -> float:
        async with asyncio.timeout(PATIENCE):
            await self.heard(version)
        return time.perf_counter()


async def _open(room: Room, north: Reader, deck: Deck) -> _Match:
    match_id = await room.create(seed=seed_of(deck))
    await room.prepare(match_id, accept=referee_pb.AcceptSeat())
    match = _Match(room, match_id, north, deck[21:])
    await match.submit(1, "pass")
    await match.submit(0, "pass")
    return match


async def _play_pair(
    room: Room, north: Reader, waits: Sequence[Waits], chance: random.Random
) -> None:
    """Play two matches side by side, step by step in an order that is drawn."""
    pair = [await _open(room, north, deck) for deck in decks()]
    for number in range(2 * TURNS):
        seat, card = 1 - number % 2, pair[0].drawn[number]
        for text in ("draw_stock", f"discard {card}"):
            order = [0, 1]
            chance.shuffle(order)
            times = {place: await pair[place].step(seat, text) for place in order}
            kind = 2 * (text == "draw_stock") + seat
            waits[kind].add(times[0], times[1])
        north.heard.clear()
    for match in pair:
        await room.referee("organizer", "AbortMatch", match_id=match.match_id)


async def _measure(host: Host, pairs: int, seconds: float, seed: int) -> list[Waits]:
    waits = [
        Waits("the answer to its own discard, before the hidden hand draws"),
        Waits("word of a discard of the hidden hand"),
        Waits("the answer to its own draw"),
        Waits("word of a draw of the hidden hand, which may be able to knock"),
    ]
    chance, until = random.Random(seed), time.monotonic() + seconds
    async with host.open() as room:
        north = await attached(room, SEATED[0], "events")
        while len(waits[-1].differences) < pairs and time.monotonic() < until:
            await _play_pair(room, north, waits, chance)
        await north.stop()
    return waits


def measure(pairs: int, seconds: float, seed: int = 1) -> list[dict[str, Any]]:
    """Measure at least so many pairs of each wait, unless time runs out before."""
    with hosting() as host:
        waits = asyncio.run(_measure(host, pairs, seconds, seed))
    return [one.report(seed) for one in waits if one.differences]
