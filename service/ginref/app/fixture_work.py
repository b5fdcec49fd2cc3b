"""Makes the matches of a tournament's fixtures, and finds out how they have ended.

The log comes first: a match is in it before it is made, with a commitment to its cards.
So whoever comes next makes what is missing, and it is the same match.
"""

import asyncio
import hashlib
import logging
from collections import OrderedDict
from collections.abc import Iterator
from typing import Final

from ginref.app.caller import Caller, Role
from ginref.app.desk import Desk
from ginref.app.error import Reason, RefusedError
from ginref.app.live_tournament import LiveTournament
from ginref.app.packing import DamageError
from ginref.app.tools import Tools
from ginref.app.tournament_change import REFEREE
from ginref.app.tournament_game import TournamentGame
from ginref.app.tournament_secret import SecretKeeper
from ginref.record.document import parse_record
from ginref.record.envelope import EnvelopeError, parse_envelope
from ginref.record.replay import ReplayError
from ginref.record.shape import RecordError
from ginref.record.share import commit_boards
from ginref.record.tournament_place import TournamentPlace
from ginref.tournament.audit import audit
from ginref.tournament.configuration import Boards, LuckWorth
from ginref.tournament.event import MatchCreated, MatchEnded
from ginref.tournament.log import LogEntry
from ginref.tournament.outcome import outcome_of
from ginref.tournament.plan import MatchOrder, Plan, order_match
from ginref.tournament.qualifying import is_qualifying

_LOG: Final = logging.getLogger(__name__)

_AT_ONCE: Final = 32
"""Matches that are looked at side by side."""

_ENDINGS: Final = 1_024
"""Endings that are remembered until they are in the log."""

_HAND: Final = Caller(token_id=REFEREE, role=Role.OPERATOR)


class FixtureWork:
    """Works on matches of tournaments. Doing any of it twice does no harm."""

    def __init__(self, tools: Tools, desk: Desk, secrets: SecretKeeper) -> None:
        """Make and end matches through the desk."""
        self._tools = tools
        self._desk = desk
        self._secrets = secrets
        self._endings: OrderedDict[str, MatchEnded] = OrderedDict()
        self._unreadable: set[str] = set()

    async def created(
        self, live: LiveTournament, orders: tuple[MatchOrder, ...]
    ) -> list[MatchCreated]:
        """Return what the log is to say before matches are made.

        Raises:
            DamageError: The referee's share is lost, or cannot be read.
        """
        boards = await self._secrets.dealer(live.ledger)
        return [
            MatchCreated(
                fixture=order.fixture,
                attempt=order.attempt,
                game=order.game,
                match=await self._desk.opening.game_id(live.name, order.request_id),
                commitment=commit_boards(
                    live.name, order.deal, boards(order.deal)
                ).hex(),
            )
            for order in orders
        ]

    async def look(self, live: LiveTournament, planned: Plan) -> list[MatchEnded]:
        """See to all matches that go on, and return those that have ended.

        What is missing is made, and what is of no use any more is aborted.

        Raises:
            RefusedError: LIMIT_EXCEEDED: the store takes no new matches now.
            DamageError: Something is lost, or cannot be read.
            StoreUnavailableError: The store does not answer.
        """
        games = list(_going_on(live))
        ended: list[MatchEnded] = []
        for start in range(0, len(games), _AT_ONCE):
            some = games[start : start + _AT_ONCE]
            found = await asyncio.gather(
                *(self._see_to(live, planned, entry, event) for entry, event in some)
            )
            ended += [one for one in found if one is not None]
        return ended

    async def _see_to(
        self,
        live: LiveTournament,
        planned: Plan,
        entry: LogEntry,
        event: MatchCreated,
    ) -> MatchEnded | None:
        stored = await self._tools.store.read(event.match)
        if stored is None and not await self._tools.store.has_expired(event.match):
            game = await self._game(live, planned, entry, event)
            await self._desk.opening.open_game(game)
        elif stored is None or stored.over:
            return await self._ending(live, event)
        if event.match in planned.aborts:
            await self._abort(event.match)
        return None

    async def _abort(self, match_id: str) -> None:
        try:
            await self._desk.abort_match(_HAND, match_id)
        except RefusedError as error:
            if error.reason is not Reason.MATCH_OVER:
                raise

    async def _game(
        self,
        live: LiveTournament,
        planned: Plan,
        entry: LogEntry,
        event: MatchCreated,
    ) -> TournamentGame:
        """Return the match that an entry says to exist."""
        order = await _order(live, planned, entry, event)
        boards = (await self._secrets.dealer(live.ledger))(order.deal)
        commitment = commit_boards(live.name, order.deal, boards).hex()
        if commitment != event.commitment:
            message = f"entry {entry.sequence} of {live.name} has other cards"
            raise DamageError(message)
        place = TournamentPlace(
            tournament=live.name,
            fixture=event.fixture,
            attempt=event.attempt,
            game=event.game,
            deal=order.deal,
            is_shared=_is_shared(live.configuration.boards, event),
            length=entry.sequence,
            head=entry.digest,
        )
        return TournamentGame(
            match_id=event.match,
            place=place,
            bots=order.bots,
            match=order.match,
            boards=boards,
        )

    async def _ending(
        self, live: LiveTournament, event: MatchCreated
    ) -> MatchEnded | None:
        """Return how a match that is over has ended, once its record is kept."""
        known = self._endings.get(event.match)
        if known is None:
            envelope = await self._tools.archive.get(event.match)
            if envelope is None:
                return None
            worth = live.configuration.luck
            # A long match takes a while to play again; others must not wait for it.
            try:
                known = await asyncio.to_thread(_read_ending, event, envelope, worth)
            except (EnvelopeError, RecordError, ReplayError):
                # The fixture is the organizer's to decide; all others go on.
                if event.match not in self._unreadable:
                    self._unreadable.add(event.match)
                    _LOG.exception("the record of match %s cannot be read", event.match)
                return None
            self._endings[event.match] = known
            while len(self._endings) > _ENDINGS:
                self._endings.popitem(last=False)
        return known


def _is_shared(boards: Boards, event: MatchCreated) -> bool:
    """Say whether the cards of a match are played more than once."""
    if is_qualifying(event.fixture):
        return False
    # A fixture that is played again has boards of its own, each with two legs at most.
    is_first = event.attempt == 1
    return boards is Boards.MIRRORED or (boards is Boards.COMMON and is_first)


def _going_on(live: LiveTournament) -> Iterator[tuple[LogEntry, MatchCreated]]:
    """Yield the entries that say that a match was created which has not ended."""
    open_ = {
        game.match
        for games in live.ledger.games.values()
        for game in games
        if not game.ended
    }
    if open_:
        for entry in live.entries:
            event = entry.event
            if isinstance(event, MatchCreated) and event.match in open_:
                yield entry, event


async def _order(
    live: LiveTournament, planned: Plan, entry: LogEntry, event: MatchCreated
) -> MatchOrder:
    """Return what a match was to be when the log came to name it."""
    fixture = planned.meeting(event.fixture)
    if (
        fixture is not None
        and fixture.attempt == event.attempt
        and fixture.known < entry.sequence
    ):
        return order_match(live.configuration.boards, fixture, event.game)
    # What came after it has made another fixture of it.
    seen = await asyncio.to_thread(audit, live.configuration, live.entries)
    return next(one.order for one in seen.matches if one.match == event.match)


def _read_ending(
    event: MatchCreated, envelope: bytes, worth: LuckWorth | None
) -> MatchEnded:
    """Return how a match has ended, from its record.

    Raises:
        EnvelopeError: It is no record.
        RecordError: Likewise, or it is another match's.
        ReplayError: No referee could have written its log.
    """
    payload = parse_envelope(envelope).payload
    record = parse_record(payload)
    if record.setup.match_id != event.match:
        raise RecordError("match.match_id", f"{event.match} expected")
    bots = record.setup.bots
    # Points are seen from the fixture's first entrant, who deals in odd matches.
    first = bots[0] if event.game % 2 else bots[1]
    return MatchEnded(
        fixture=event.fixture,
        attempt=event.attempt,
        game=event.game,
        match=event.match,
        outcome=outcome_of(record.setup, record.entries, first, worth),
        record=hashlib.sha256(payload).hexdigest(),
    )
