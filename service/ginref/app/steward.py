"""Carries out what a tournament's plan says, step by step.

No step is taken under a lease. What is appended is appended by compare-and-set: of
several who would take the same step one does. What is done besides may be done twice.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from ginref.app.fixture_work import FixtureWork
from ginref.app.live_tournament import LiveTournament
from ginref.app.tournament_change import REFEREE
from ginref.app.tournament_keeper import TournamentKeeper
from ginref.app.tournament_secret import SecretKeeper
from ginref.app.tournament_summons import awaited
from ginref.tournament.event import (
    Event,
    MatchCreated,
    MatchEnded,
    SecretOpened,
    Seeded,
)
from ginref.tournament.fixture import FixtureState
from ginref.tournament.ledger import Ledger
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.plan import Plan
from ginref.tournament.roster import seed_order, unrevealed
from ginref.tournament.secret import commit_secret, lots_of
from ginref.tournament.shape import word_of

_STEPS_MOST: Final = 1_000
"""Steps taken in one go; what is left then waits for the next."""

_OVER: Final = frozenset({Lifecycle.FINISHED, Lifecycle.ARCHIVED, Lifecycle.CANCELLED})
_OPENING: Final = "secret"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How far a tournament has come, for those who count and who call.

    Attributes:
        lifecycle: How far it has come.
        fixtures: How many fixtures are in which state.
        awaited: The bots that it waits for before the start.
        is_done: Nothing is left to do in it.
        won: Steps that were taken here.
        lost: Steps that somebody else was faster to take.
    """

    lifecycle: Lifecycle
    fixtures: Counter[FixtureState]
    awaited: tuple[str, ...]
    is_done: bool
    won: int = 0
    lost: int = 0


class Steward:
    """Takes the steps of tournaments. Any number of processes may do so at once."""

    def __init__(
        self, keeper: TournamentKeeper, secrets: SecretKeeper, work: FixtureWork
    ) -> None:
        """Work with these."""
        self._keeper = keeper
        self._secrets = secrets
        self._work = work

    async def carry_on(self, name: str, *, look: bool) -> Standing:
        """Take all steps of a tournament that can be taken now.

        Args:
            name: The tournament.
            look: Look at the matches that go on, too, whether they have ended.

        Returns:
            How far it has come then.

        Raises:
            RefusedError: TOURNAMENT_NOT_FOUND; LIMIT_EXCEEDED, if the store takes no
                new matches.
            DamageError: Something of it is lost, or cannot be read.
            StoreUnavailableError: The store does not answer.
        """
        won = lost = 0
        while True:
            live = await self._keeper.load(name)
            planned = await self._keeper.plan(live)
            events = await self._due(live, planned)
            if not events and look:
                events = list(await self._work.look(live, planned))
                look = bool(events)
            if not events or won + lost == _STEPS_MOST:
                standing = _standing(live.ledger, planned)
                return replace(standing, won=won, lost=lost)
            look = look or isinstance(events[0], MatchCreated)
            entries = live.following(_asked(live, events), actor=REFEREE)
            after = await asyncio.to_thread(live.extended, entries)
            is_stored = await self._keeper.append(live, after)
            # What another has stored meanwhile is as good.
            won, lost = won + is_stored, lost + (not is_stored)

    async def _due(self, live: LiveTournament, planned: Plan) -> list[Event]:
        """Return what is to be appended now, without a look at any match."""
        ledger = live.ledger
        if planned.events:
            return list(planned.events)
        if planned.to_seed and (ledger.lots or not unrevealed(ledger)):
            return [await self._draw(ledger)]
        if planned.orders:
            return list(await self._work.created(live, planned.orders))
        if _may_open(ledger):
            secret = await self._secrets.secret(ledger)
            share = await self._secrets.share(live.name)
            return [SecretOpened(secret=secret.hex(), share=share.hex())]
        return []

    async def _draw(self, ledger: Ledger) -> Seeded:
        """Return the field in the order of its seeds; lots are drawn once."""
        secret = await self._secrets.secret(ledger)
        lots = lots_of(secret)
        return Seeded(
            order=seed_order(ledger, lots),
            lots=lots.hex(),
            commitment=commit_secret(ledger.tournament, secret).hex(),
        )


def _asked(live: LiveTournament, events: Sequence[Event]) -> list[tuple[str, Event]]:
    """Return events, each with the identity of the request that it comes of."""
    first = live.head.length + 1
    return [(_request_id(event, at), event) for at, event in enumerate(events, first)]


def _request_id(event: Event, sequence: int) -> str:
    match event:
        case MatchCreated(fixture=fixture, attempt=attempt, game=game):
            return f"{fixture}/{attempt}/{game}"
        case MatchEnded(fixture=fixture, attempt=attempt, game=game):
            return f"{fixture}/{attempt}/{game}/end"
        case SecretOpened():
            return _OPENING
        case _:
            return f"{word_of(type(event))}/{sequence}"


def _is_over(ledger: Ledger) -> bool:
    """Say whether no match goes on, and none will be created."""
    return ledger.lifecycle in _OVER and all(
        game.ended for games in ledger.games.values() for game in games
    )


def _may_open(ledger: Ledger) -> bool:
    is_drawn = bool(ledger.lots)
    return is_drawn and _is_over(ledger) and (REFEREE, _OPENING) not in ledger.requests


def _standing(ledger: Ledger, planned: Plan) -> Standing:
    return Standing(
        lifecycle=ledger.lifecycle,
        fixtures=Counter(fixture.state for fixture in planned.fixtures()),
        awaited=awaited(ledger),
        is_done=_is_over(ledger) and not _may_open(ledger),
    )
