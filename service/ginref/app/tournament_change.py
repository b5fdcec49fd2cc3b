"""Changes of tournaments: decided by the rules, stored if nothing came between."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from ginref.app.caller import Caller
from ginref.app.live_tournament import LiveTournament
from ginref.app.tournament_embargo import visible_length
from ginref.app.tournament_keeper import TournamentKeeper
from ginref.app.tournament_refusal import kept_changing, refused_operation
from ginref.app.tournament_report import Asking, Changed
from ginref.app.tournament_secret import SecretKeeper
from ginref.tournament.configuration import Configuration
from ginref.tournament.decide import Asked, Decision, decide
from ginref.tournament.difference import Change, changes
from ginref.tournament.error import OperationError
from ginref.tournament.event import Advanced, Event, ShareCommitted
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.operation import Operation

REFEREE: Final = "referee"
"""Who causes what follows by itself."""

_ATTEMPTS: Final = 16
"""Lost races after which a change is given back to its caller."""

Demand = Callable[[LiveTournament], Operation]


class ChangeTaker:
    """Takes what is asked for into the logs of tournaments."""

    def __init__(self, keeper: TournamentKeeper, secrets: SecretKeeper) -> None:
        """Add to the keeper's tournaments."""
        self._keeper = keeper
        self._secrets = secrets

    async def take(
        self,
        caller: Caller,
        tournament: str,
        demand: Demand,
        asking: Asking,
        declared: Configuration | None = None,
    ) -> Changed:
        """Take a change unless it has been taken; a lost race is run again.

        Args:
            caller: Who asks.
            tournament: The tournament.
            demand: Says what is asked for, of the tournament as it stands.
            asking: How it is asked for.
            declared: The configuration after it, if it changes that.

        Raises:
            RefusedError: TOURNAMENT_NOT_FOUND, or why it is refused.
        """
        length = 0
        async with self._keeper.turn(tournament):
            for _ in range(_ATTEMPTS):
                live = await self._keeper.load(tournament)
                length = live.head.length
                decision = await self._decide(caller, live, demand(live), asking)
                if decision.answered is not None:
                    return await self._answer_again(caller, live, decision.answered)
                if not decision.events:
                    return done(live, is_new=False)
                after = await self._after(
                    caller, live, decision.events, asking, declared
                )
                if asking.dry_run or await self._keeper.append(live, after):
                    differences = await self._differences(caller, live, after)
                    return done(after, differences)
        raise kept_changing(tournament, length)

    async def _decide(
        self,
        caller: Caller,
        live: LiveTournament,
        operation: Operation,
        asking: Asking,
    ) -> Decision:
        planned = await self._keeper.plan(live)
        asked = Asked(
            actor=caller.identity,
            request_id=asking.request_id,
            expected_version=asking.expected_version,
            now_ms=live.now_ms,
        )
        try:
            return decide(planned, operation, asked)
        except OperationError as error:
            raise refused_operation(error, live.ledger) from None

    async def _after(
        self,
        caller: Caller,
        live: LiveTournament,
        events: Sequence[Event],
        asking: Asking,
        declared: Configuration | None,
    ) -> LiveTournament:
        """Return the tournament with the entries of a change."""
        request_id = asking.request_id
        entries = live.following(
            [(request_id, event) for event in events], actor=caller.identity
        )
        after = await asyncio.to_thread(live.extended, entries, declared)
        opens = any(
            isinstance(event, Advanced) and event.to is Lifecycle.REGISTRATION
            for event in events
        )
        if not opens or asking.dry_run:
            return after
        # Before anybody can enter, the referee is bound to its share.
        commitment = await self._secrets.commitment(live.name)
        committed = after.following(
            [(request_id, ShareCommitted(commitment=commitment))], actor=REFEREE
        )
        return after.extended(committed)

    async def _answer_again(
        self, caller: Caller, live: LiveTournament, answered: int
    ) -> Changed:
        """Return what was answered before to a request, from its first entry."""
        entries = live.entries
        last, request_id = answered, entries[answered - 1].request_id
        while last < len(entries) and entries[last].request_id == request_id:
            last += 1
        before = await self._keeper.until(live, answered - 1)
        after = await self._keeper.until(live, last)
        differences = await self._differences(caller, before, after)
        return replace(done(after, differences), is_new=False)

    async def _differences(
        self, caller: Caller, before: LiveTournament, after: LiveTournament
    ) -> tuple[Change, ...]:
        """Return what differs; nothing for a caller who may not see all of it."""
        plans = []
        for live in (before, after):
            planned = await self._keeper.plan(live)
            if visible_length(caller, live, planned) < len(live.entries):
                return ()
            plans.append(planned)
        return await asyncio.to_thread(changes, *plans)


def done(
    live: LiveTournament, differences: tuple[Change, ...] = (), *, is_new: bool = True
) -> Changed:
    """Return the answer to a change after which a tournament stands like this."""
    return Changed(
        tournament=live.name,
        version=live.head.length,
        head=live.head.digest,
        changes=differences,
        is_new=is_new,
    )
