"""Where calls about tournaments are decided."""

import asyncio
import base64
import hashlib
import hmac
import logging
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ginref.app.caller import HOSTS, Caller, Role
from ginref.app.error import Reason, RefusedError
from ginref.app.live_tournament import LiveTournament, made_live
from ginref.app.next_read import NextRead
from ginref.app.reach import require_reach
from ginref.app.registry_row import read_bot
from ginref.app.tools import Tools
from ginref.app.tournament_change import ChangeTaker, done
from ginref.app.tournament_embargo import sees_all, visible_length
from ginref.app.tournament_export import Exporter
from ginref.app.tournament_keeper import TournamentKeeper
from ginref.app.tournament_preview import Previewer
from ginref.app.tournament_reading import read_playable
from ginref.app.tournament_refusal import refused_configuration
from ginref.app.tournament_report import (
    Asking,
    Changed,
    Head,
    Listing,
    Overview,
    Summons,
    TournamentPage,
)
from ginref.app.tournament_secret import SecretKeeper
from ginref.app.tournament_store import TournamentStore
from ginref.app.tournament_summons import summons_of
from ginref.tournament.configuration_write import configuration_digest
from ginref.tournament.error import FieldError
from ginref.tournament.event import Created
from ginref.tournament.log import START, LogEntry
from ginref.tournament.operation import (
    CheckIn,
    CommitShare,
    Configure,
    Enter,
    FileAppeal,
    IssueCodes,
    OpenSecret,
    Operation,
    RecordMatch,
    ReportMatch,
    RevealShare,
    SeedField,
    Withdraw,
)
from ginref.tournament.preview import Preview
from ginref.tournament.problem import STOPPABLE, blocking

_LOG: Final = logging.getLogger(__name__)

_CHANGE: Final = "ChangeTournament"

_CODES_MOST: Final = 1_000
_CODE_SIZE: Final = 10

_OWN: Final = (CheckIn, RevealShare, Withdraw, FileAppeal)
"""What a bot may ask for itself."""

_REFEREES: Final = (CommitShare, SeedField, RecordMatch, ReportMatch, OpenSecret)
"""What nobody but the referee does."""


class TournamentDesk:
    """Answers what organizers, bots and spectators ask of tournaments."""

    def __init__(
        self,
        tools: Tools,
        store: TournamentStore,
        keeper: TournamentKeeper,
        secrets: SecretKeeper,
    ) -> None:
        """Work with these."""
        self._tools = tools
        self._store = store
        self._keeper = keeper
        self._changes = ChangeTaker(keeper, secrets)
        self._exporter = Exporter(tools.signer)
        self._previewer = Previewer()
        # Thousands of bots may attach at once.
        self._live = NextRead(self._read_live)
        self._unreadable: set[str] = set()

    async def create(
        self, caller: Caller, configuration: Mapping[str, Any], asking: Asking
    ) -> tuple[Changed, Overview]:
        """Declare a tournament; the same configuration again changes nothing.

        Returns:
            What was done, and the tournament as it stands or would stand.

        Raises:
            RefusedError: ROLE_NOT_ALLOWED, SEAT_NOT_YOURS, CONFIGURATION_INVALID, or
                NAME_TAKEN by a tournament of another configuration.
        """
        caller.require("CreateTournament", *HOSTS)
        declared = await read_playable(self._tools.registry, configuration)
        name, digest = declared.name, configuration_digest(declared)
        require_reach(caller, "CreateTournament", *HOSTS, tournament=name)
        entry = LogEntry(
            sequence=1,
            time_ms=await self._keeper.now_ms(name),
            actor=caller.identity,
            request_id=asking.request_id,
            previous=START,
            event=Created(tournament=name, configuration=digest),
        )
        made = made_live(name, declared, (entry,), entry.time_ms)
        live = await self._found(name)
        is_new = live is None
        if live is None:
            live = made
            if not asking.dry_run and not await self._keeper.create(made):
                live, is_new = await self._keeper.load(name), False
        first = live.entries[0].event
        same = isinstance(first, Created) and first.configuration == digest
        if not same and live.ledger.configured != digest:
            message = "another tournament has this name"
            raise RefusedError(Reason.NAME_TAKEN, message, field="name", name=name)
        return done(live, is_new=is_new), await self._seen(caller, live)

    async def preview(
        self,
        caller: Caller,
        configuration: Mapping[str, Any],
        entrants: int,
        think_ms: int,
    ) -> Preview:
        """Say what a tournament would come to.

        Raises:
            RefusedError: ROLE_NOT_ALLOWED, SEAT_NOT_YOURS, CONFIGURATION_INVALID, or
                LIMIT_EXCEEDED.
        """
        caller.require("PreviewTournament", *HOSTS)
        declared = await read_playable(self._tools.registry, configuration)
        require_reach(caller, "PreviewTournament", *HOSTS, tournament=declared.name)
        return await self._previewer.preview(declared, entrants, think_ms)

    async def configure(
        self,
        caller: Caller,
        tournament: str,
        configuration: Mapping[str, Any],
        asking: Asking,
    ) -> Changed:
        """Change the configuration of a tournament before its field is seeded.

        Raises:
            RefusedError: CONFIGURATION_INVALID, also where it has another name, or as
                `change`.
        """
        require_reach(caller, _CHANGE, *HOSTS, tournament=tournament)
        declared = await read_playable(self._tools.registry, configuration)
        if declared.name != tournament:
            error = FieldError("name", f"{tournament} expected: a name stays")
            raise refused_configuration(error)
        operation = Configure(configuration=configuration_digest(declared))
        return await self._changes.take(
            caller, tournament, lambda _: operation, asking, declared
        )

    async def change(
        self, caller: Caller, tournament: str, operation: Operation, asking: Asking
    ) -> Changed:
        """Change a tournament; the same request again gets the same answer.

        Raises:
            RefusedError: ROLE_NOT_ALLOWED, SEAT_NOT_YOURS, TOURNAMENT_NOT_FOUND,
                TOURNAMENT_PART_NOT_FOUND, TOURNAMENT_STALE, ATTEMPT_STALE,
                TOURNAMENT_STATE_WRONG, ENTRY_REFUSED, TOURNAMENT_CONFLICT,
                DEPENDENTS_STARTED, REQUEST_ID_REUSED or FIELD_INVALID.
        """
        if isinstance(operation, _OWN):
            _require_own(caller, tournament, operation.bot)
        else:
            require_reach(caller, _CHANGE, *HOSTS, tournament=tournament)
        if isinstance(operation, _REFEREES):
            message = "only the referee does this"
            raise RefusedError(Reason.ROLE_NOT_ALLOWED, message, role=caller.role)
        return await self._changes.take(caller, tournament, lambda _: operation, asking)

    async def order_seeds(
        self, caller: Caller, tournament: str, order: Sequence[str], asking: Asking
    ) -> Changed:
        """Change the seeds that were drawn, before the start.

        Raises:
            RefusedError: As `change`; TOURNAMENT_STATE_WRONG before the draw, too.
        """
        require_reach(caller, _CHANGE, *HOSTS, tournament=tournament)

        def demand(live: LiveTournament) -> Operation:
            ledger = live.ledger
            if not ledger.lots:
                raise RefusedError(
                    Reason.TOURNAMENT_STATE_WRONG,
                    "the field has not been drawn yet",
                    tournament=tournament,
                    state=ledger.lifecycle,
                )
            return SeedField(
                lots=ledger.lots, commitment=ledger.commitment, order=tuple(order)
            )

        return await self._changes.take(caller, tournament, demand, asking)

    async def issue_codes(
        self, caller: Caller, tournament: str, count: int, asking: Asking
    ) -> tuple[Changed, tuple[str, ...]]:
        """Issue codes to enter with; the same request again gives the same ones.

        Raises:
            RefusedError: FIELD_INVALID for a count that is none, or as `change`.
        """
        require_reach(caller, _CHANGE, *HOSTS, tournament=tournament)
        if not 1 <= count <= _CODES_MOST:
            message = f"1 to {_CODES_MOST} codes can be issued at once"
            raise RefusedError(Reason.FIELD_INVALID, message, field="count")
        key = await self._tools.store.identity_key()
        start = f"{tournament}\n{caller.identity}\n{asking.request_id}"
        codes = tuple(_code(key, f"{start}\n{number}") for number in range(count))
        operation = IssueCodes(codes=tuple(map(_code_digest, codes)))
        changed = await self._changes.take(
            caller, tournament, lambda _: operation, asking
        )
        return changed, () if asking.dry_run else codes

    async def enter(
        self,
        caller: Caller,
        tournament: str,
        bot: str,
        code: str | None,
        asking: Asking,
    ) -> Changed:
        """Let a bot enter, for its owner.

        Raises:
            RefusedError: BOT_NOT_FOUND, or as `change`.
        """
        _require_own(caller, tournament, bot)
        row = await self._tools.registry.get("bot", bot)
        if row is None:
            message = f"there is no bot {bot}"
            raise RefusedError(Reason.BOT_NOT_FOUND, message, bot=bot)
        operation = Enter(
            bot=bot,
            owner=read_bot(row).owner,
            code=None if code is None else _code_digest(code),
        )
        return await self._changes.take(caller, tournament, lambda _: operation, asking)

    async def overview(self, caller: Caller, tournament: str) -> Overview:
        """Return a tournament as the caller may see it.

        Raises:
            RefusedError: TOURNAMENT_NOT_FOUND or SEAT_NOT_YOURS.
        """
        require_reach(caller, "GetTournament", *Role, tournament=tournament)
        return await self._seen(caller, await self._keeper.load(tournament))

    async def page(
        self, caller: Caller, limit: int, cursor: str | None
    ) -> TournamentPage:
        """Return a page of tournaments that the caller's token reaches, newest first.

        Raises:
            RefusedError: FIELD_INVALID for a cursor that is not one, SEAT_NOT_YOURS.
        """
        # A token that reaches none has nothing to list.
        some = next(iter(caller.tournament_ids), None)
        require_reach(caller, "ListTournaments", *Role, tournament=some)
        try:
            page = await self._store.list_tournaments(limit, cursor)
        except ValueError:
            message = "the page token was not made by this referee"
            raise RefusedError(
                Reason.FIELD_INVALID, message, field="page_token"
            ) from None
        names = filter(caller.reaches_tournament, page.names)
        found = await asyncio.gather(*map(self._found, names))
        listings = [await self._listed(caller, live) for live in found if live]
        return TournamentPage(listings=tuple(listings), cursor=page.cursor)

    async def entries(
        self, caller: Caller, tournament: str, after: int
    ) -> tuple[LogEntry, ...]:
        """Return the entries after so many that the caller may see.

        Raises:
            RefusedError: TOURNAMENT_NOT_FOUND or SEAT_NOT_YOURS.
        """
        require_reach(caller, "WatchTournament", *Role, tournament=tournament)
        live = await self._keeper.load(tournament)
        return live.entries[after : await self._visible(caller, live)]

    async def export(self, caller: Caller, tournament: str) -> bytes:
        """Return the signed export of a tournament as far as the caller may see it.

        Raises:
            RefusedError: TOURNAMENT_NOT_FOUND or SEAT_NOT_YOURS.
        """
        require_reach(caller, "ExportTournament", *Role, tournament=tournament)
        live = await self._keeper.load(tournament)
        visible = live.entries[: await self._visible(caller, live)]
        return await self._exporter.export(live.configuration, visible)

    async def summons(self, bot: str) -> tuple[Summons, ...]:
        """Return what a bot is asked for now: to check in, or for its share."""
        found = (summons_of(live, bot) for live in await self._live.get())
        return tuple(one for one in found if one is not None)

    async def heads(self, bot: str) -> tuple[Head, ...]:
        """Return the heads of the live tournaments that a bot has entered."""
        return tuple(
            live.head for live in await self._live.get() if bot in live.ledger.entrants
        )

    async def _read_live(self) -> list[LiveTournament]:
        found = await asyncio.gather(*map(self._found, await self._store.live()))
        return [live for live in found if live is not None]

    async def _found(self, tournament: str) -> LiveTournament | None:
        """Return a tournament, unless there is none or it cannot be read."""
        try:
            return await self._keeper.load(tournament)
        except RefusedError:
            # It was made known, and never created.
            return None
        except ValueError:
            # Whoever attaches asks for all of them: it is said once.
            if tournament not in self._unreadable:
                self._unreadable.add(tournament)
                _LOG.exception("tournament %s cannot be read", tournament)
            return None

    async def _visible(self, caller: Caller, live: LiveTournament) -> int:
        if sees_all(caller, live):
            return len(live.entries)
        return visible_length(caller, live, await self._keeper.plan(live))

    async def _listed(self, caller: Caller, live: LiveTournament) -> Listing:
        seen = await self._keeper.until(live, await self._visible(caller, live))
        lifecycle = seen.ledger.lifecycle
        is_stoppable = lifecycle in STOPPABLE
        return Listing(
            tournament=live.name,
            title=live.configuration.title,
            lifecycle=lifecycle,
            version=len(seen.entries),
            head=live.head,
            created_ms=seen.entries[0].time_ms,
            since_ms=seen.ledger.since_ms,
            problems=blocking(await self._keeper.plan(seen)) if is_stoppable else (),
        )

    async def _seen(self, caller: Caller, live: LiveTournament) -> Overview:
        seen = await self._keeper.until(live, await self._visible(caller, live))
        return Overview(
            tournament=live.name,
            configuration=live.configuration,
            entries=seen.entries,
            plan=await self._keeper.plan(seen),
            head=live.head,
        )


def _require_own(caller: Caller, tournament: str, bot: str) -> None:
    """Let hosts pass, and the bot itself, in a tournament that the token reaches.

    Raises:
        RefusedError: ROLE_NOT_ALLOWED or SEAT_NOT_YOURS.
    """
    require_reach(caller, _CHANGE, *HOSTS, Role.BOT, tournament=tournament)
    if caller.role is Role.BOT and caller.bot != bot:
        message = f"{bot} is not the bot that the token plays as"
        raise RefusedError(Reason.SEAT_NOT_YOURS, message, bot=bot)


def _code(key: bytes, name: str) -> str:
    """Return a code that nobody can guess, and that only the referee derives."""
    digest = hmac.digest(key, f"code\n{name}".encode(), "sha256")
    return base64.b32encode(digest[:_CODE_SIZE]).decode().lower()


def _code_digest(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()
