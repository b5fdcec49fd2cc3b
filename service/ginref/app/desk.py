"""The referee's use cases: create matches, prepare seats, judge moves, end matches."""

import asyncio
import base64
import hmac
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from ginref.app.caller import Caller, Role
from ginref.app.error import Reason, RefusedError
from ginref.app.fault import to_its_end
from ginref.app.hub import Hub
from ginref.app.judge import Judge
from ginref.app.keeper import Keeper
from ginref.app.live_match import LiveMatch
from ginref.app.match_store import Creation, Duplicate, EntryId, MatchStore, Wake
from ginref.app.packing import DamageError
from ginref.app.port import Archive, Chance, Observer, Registry, Signer
from ginref.app.promise import Promise
from ginref.app.registry_row import read_bot
from ginref.app.report import MatchFacts, MatchList, MatchReport, MoveReport, SeatReport
from ginref.app.reporting import load_seat_report, match_facts, match_report
from ginref.app.request import NewMatch, SeatStep
from ginref.app.salvage import Salvage
from ginref.app.step_taker import StepTaker
from ginref.engine.move import move_kind
from ginref.engine.seat import Seat
from ginref.record.entry import Aborted, Created, Resigned
from ginref.record.lifecycle import begin
from ginref.record.setup import DealSource, Setup, statement
from ginref.record.share import SHARE_SIZE, commit_referee
from ginref.record.submission import Submission

_LOG: Final = logging.getLogger(__name__)

_HOSTS: Final = (Role.OPERATOR, Role.ORGANIZER)


def _system_time_ms() -> int:
    return time.time_ns() // 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """What the use cases work with.

    Attributes:
        store: Keeps matches.
        registry: Keeps owners, bots and tokens.
        keeper: Reads and changes live matches.
        signer: Gives the key that signs now. The next call may give another one.
        archive: Keeps records.
        chance: Makes secrets.
        observer: Counts.
        engine: Version of the engine, as records say it.
        hub: Told of each match that this process has changed.
        allow_seeded: Take seeds for deals.
        ended: Set when a match ends in this process.
        monotonic: Tells seconds that only go forward, for what takes time here.
        now_ms: Tells this process's time, in milliseconds since the Unix epoch.
    """

    store: MatchStore
    registry: Registry
    keeper: Keeper
    signer: Callable[[], Signer]
    archive: Archive
    chance: Chance
    observer: Observer
    engine: str
    hub: Hub
    allow_seeded: bool = False
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    monotonic: Callable[[], float] = time.monotonic
    now_ms: Callable[[], int] = _system_time_ms


class Desk:
    """Where calls about matches are decided.

    Attributes:
        turn_times: When turns were sent from here.
    """

    def __init__(self, tools: Tools) -> None:
        """Work with these tools."""
        self._tools = tools
        self._keeper = tools.keeper
        self._judge = Judge(
            tools.keeper,
            tools.observer,
            hub=tools.hub,
            ended=tools.ended.set,
            monotonic=tools.monotonic,
        )
        self.turn_times = self._judge.turn_times
        self._steps = StepTaker(tools.keeper, self._judge)
        self._salvage = Salvage(tools.store, tools.keeper, self._judge)
        self._promise = Promise(tools.store, tools.monotonic)
        self._identity_key: bytes | None = None

    async def create_match(self, caller: Caller, new: NewMatch) -> MatchFacts:
        """Create a match and offer its seats; the same request gives the same match.

        Raises:
            RefusedError: ROLE_NOT_ALLOWED, BOT_NOT_FOUND, FIELD_MISSING,
                FIELD_INVALID, SEEDED_NOT_ALLOWED, REQUEST_ID_REUSED, MATCH_EXPIRED
                for a match of which only the record is kept, or SEAT_NOT_YOURS for a
                token that is limited to other matches.
        """
        caller.require("CreateMatch", *_HOSTS)
        keys = await self._check(new)
        setup = await self._set_up(caller, new, keys)
        check_reach(caller, setup.match_id)
        state = begin(setup)
        creation = Creation(
            match_id=setup.match_id,
            request_hash=new.request_hash,
            setup=self._keeper.packer.pack_setup(setup),
            state=self._keeper.packer.pack_state(state),
            entry=self._keeper.packer.pack_entry(setup.match_id, EntryId(1), Created()),
            clock=setup.clock,
            seat_count=len(setup.bots),
            bots=setup.bots,
        )
        result = await self._tools.store.create(creation)
        if isinstance(result, Duplicate):
            if not result.seen.same_request:
                raise _reused(new.request_id)
            return match_facts(await self._keeper.load(setup.match_id))
        live = LiveMatch(
            state=state,
            clock=result.clock,
            created_ms=result.now_ms,
            now_ms=result.now_ms,
        )
        self._keeper.remember(live)
        self._tools.observer.match_created()
        self._tools.hub.notify(Wake(setup.match_id, result.entry_id))
        return match_facts(live)

    async def prepare_seat(
        self, caller: Caller, request: SeatStep
    ) -> tuple[MatchFacts, SeatReport | None]:
        """Take one step of a seat before play; the same step again is fine.

        Returns:
            The match after the step, and the seat's view if it is to act.

        Raises:
            RefusedError: MATCH_NOT_FOUND, SEAT_NOT_YOURS, ROLE_NOT_ALLOWED,
                STEP_OUT_OF_ORDER, COMMITMENT_BROKEN, MOVE_LATE or MATCH_OVER.
        """
        caller.require("PrepareSeat", Role.BOT)
        live = await self._keeper.load(request.match_id)
        check_seat(live, caller, request.seat)
        entry = request.entry
        live = await self._steps.take(live, entry)
        turn = None
        if live.state.to_act is request.seat:
            turn = await load_seat_report(self._keeper, live, request.seat)
            self.turn_times.note(request.match_id, live.state.version)
        return match_facts(live), turn

    async def get_match(self, caller: Caller, match_id: str) -> MatchReport:
        """Return a match as the caller may see it.

        Raises:
            RefusedError: MATCH_NOT_FOUND or SEAT_NOT_YOURS.
        """
        check_reach(caller, match_id)
        live = await self._keeper.load(match_id)
        report = await match_report(self._keeper, live, caller)
        if any(seat.view.is_my_turn for seat in report.seats):
            self.turn_times.note(match_id, live.state.version)
        return report

    async def list_matches(
        self, caller: Caller, bot: str | None, limit: int, cursor: str | None
    ) -> MatchList:
        """Return a page of matches, newest first.

        Raises:
            RefusedError: FIELD_INVALID for a cursor that is not one.
        """
        try:
            page = await self._tools.store.list_matches(
                bot=bot, limit=limit, cursor=cursor
            )
        except ValueError:
            message = "the page token was not made by this referee"
            raise RefusedError(
                Reason.FIELD_INVALID, message, field="page_token"
            ) from None
        seen = filter(caller.may_see, page.match_ids)
        listed = await asyncio.gather(*map(self._listed, seen))
        return MatchList(
            matches=tuple(facts for facts in listed if facts), cursor=page.cursor
        )

    async def _listed(self, match_id: str) -> MatchFacts | None:
        try:
            return match_facts(await self._keeper.load(match_id))
        except RefusedError:
            # It has expired since it was listed.
            return None
        except DamageError:
            _LOG.exception("match %s cannot be listed", match_id)
            return None

    async def submit_move(
        self, caller: Caller, submission: Submission, received: float
    ) -> MoveReport:
        """Judge a move; the same request gives the first answer again.

        Once begun it runs to its end, whatever becomes of the caller.

        Args:
            caller: Who submits.
            submission: The move.
            received: Monotonic time in seconds when it arrived.

        Raises:
            RefusedError: ROLE_NOT_ALLOWED, SEAT_NOT_YOURS or MATCH_NOT_FOUND, or
                why it was refused: see `Judge.submit`.
        """
        return await to_its_end(self.judge_move(caller, submission, received))

    async def judge_move(
        self, caller: Caller, submission: Submission, received: float
    ) -> MoveReport:
        """Do as `submit_move` does, within a task that nobody cancels.

        Raises:
            RefusedError: Likewise.
        """
        try:
            caller.require("SubmitMove", Role.BOT)
            check_reach(caller, submission.match_id)
            live = self._keeper.hint(submission.match_id)
            if live is None:
                live = await self._keeper.load(submission.match_id)
            check_seat(live, caller, submission.seat)
            return await self._judge.submit(live, submission, received)
        except RefusedError:
            self._tools.observer.move(move_kind(submission.move), "refused")
            raise

    async def resign_match(
        self, caller: Caller, match_id: str, seat: Seat
    ) -> MatchFacts:
        """End a match by resignation of a seat; resigning twice is fine.

        Raises:
            RefusedError: MATCH_NOT_FOUND, SEAT_NOT_YOURS, ROLE_NOT_ALLOWED,
                MOVE_LATE or MATCH_OVER.
        """
        caller.require("ResignMatch", Role.BOT)
        live = await self._keeper.load(match_id)
        check_seat(live, caller, seat)
        return match_facts(await self._steps.take(live, Resigned(seat)))

    async def abort_match(self, caller: Caller, match_id: str) -> MatchFacts:
        """End a match without a winner; aborting twice is fine.

        Raises:
            RefusedError: ROLE_NOT_ALLOWED, SEAT_NOT_YOURS, MATCH_NOT_FOUND or
                MATCH_OVER.
        """
        caller.require("AbortMatch", *_HOSTS)
        check_reach(caller, match_id)
        live = await self._keeper.load(match_id)
        return match_facts(await self._steps.take(live, Aborted()))

    async def match_record(self, caller: Caller, match_id: str) -> bytes:
        """Return the signed record of a match that is over.

        Raises:
            RefusedError: MATCH_NOT_FOUND, SEAT_NOT_YOURS or RECORD_NOT_READY.
        """
        check_reach(caller, match_id)
        envelope = await self._tools.archive.get(match_id)
        if envelope is not None:
            return envelope
        live = await self._keeper.load(match_id)
        raise RefusedError(
            Reason.RECORD_NOT_READY,
            "the record is signed after the match is over",
            stage=live.state.stage,
        )

    async def time_out(self, match_id: str) -> bool:
        """End a match if its deadline and grace are past; say whether they are."""
        return await self._judge.time_out(await self._keeper.load(match_id))

    async def give_up(self, match_id: str) -> bool:
        """End a match that is due and cannot be timed out; say whether this did it."""
        return await self._salvage.give_up(match_id)

    async def _check(self, new: NewMatch) -> tuple[bytes | None, ...]:
        """Check a new match; return the public keys of its bots."""
        if len(new.bots) != new.ruleset.seat_count:
            raise RefusedError(
                Reason.FIELD_INVALID,
                f"{new.ruleset.seat_count} bots expected, {len(new.bots)} given",
                field="bots",
            )
        seeded = new.deal_source is DealSource.SEEDED
        if seeded and not self._tools.allow_seeded:
            message = "this referee takes no seeds: they let the host choose the cards"
            raise RefusedError(Reason.SEEDED_NOT_ALLOWED, message)
        if seeded and new.seed is None:
            message = "a seeded deal needs a seed"
            raise RefusedError(Reason.FIELD_MISSING, message, field="seed")
        if not seeded and new.seed is not None:
            message = "a seed belongs to seeded deals, and to nothing else"
            raise RefusedError(Reason.FIELD_INVALID, message, field="seed")
        keys = []
        for bot in new.bots:
            row = await self._tools.registry.get("bot", bot)
            if row is None:
                message = f"there is no bot {bot}"
                raise RefusedError(Reason.BOT_NOT_FOUND, message, bot=bot)
            keys.append(read_bot(row).key)
        return tuple(keys)

    async def _set_up(
        self, caller: Caller, new: NewMatch, keys: tuple[bytes | None, ...]
    ) -> Setup:
        if self._identity_key is None:
            self._identity_key = await self._tools.store.identity_key()
        name = f"{caller.identity}\n{new.request_id}".encode()
        digest = hmac.digest(self._identity_key, name, "sha256")
        match_id = "m" + base64.b32encode(digest[:10]).decode().lower()
        share = self._tools.chance.token(SHARE_SIZE)
        commitment = commit_referee(match_id, share)
        promise = statement(match_id, new.ruleset, new.bots, commitment)
        signer = self._tools.signer()
        return Setup(
            match_id=match_id,
            ruleset=new.ruleset,
            clock=new.clock,
            strikes_allowed=new.strikes_allowed,
            bots=new.bots,
            deal_source=new.deal_source,
            referee_share=share,
            seed=new.seed,
            commitment=commitment,
            signature=signer.sign(promise),
            key_id=signer.key_id,
            creator=caller.identity,
            # Settings change, and another server may have taken over.
            durability=await self._promise.mode(),
            engine=self._tools.engine,
            keys=keys,
        )


def check_reach(caller: Caller, match_id: str) -> None:
    """Let a token pass that reaches a match.

    Raises:
        RefusedError: SEAT_NOT_YOURS.
    """
    if not caller.may_see(match_id):
        message = "the token is limited to other matches"
        raise RefusedError(Reason.SEAT_NOT_YOURS, message)


def check_seat(live: LiveMatch, caller: Caller, seat: Seat) -> None:
    """Let the holder of a seat pass.

    Raises:
        RefusedError: SEAT_NOT_YOURS.
    """
    setup = live.state.setup
    check_reach(caller, setup.match_id)
    if seat not in setup.seats or setup.bots[seat] != caller.bot:
        message = f"{seat} is not a seat of yours"
        raise RefusedError(Reason.SEAT_NOT_YOURS, message, seat=seat)


def _reused(request_id: str) -> RefusedError:
    message = "the request id was used for another request"
    return RefusedError(Reason.REQUEST_ID_REUSED, message, request_id=request_id)
