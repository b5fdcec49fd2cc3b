"""The referee's use cases: create matches, prepare seats, judge moves, end matches."""

import asyncio
import logging
from typing import Final

from ginref.app.caller import Caller, Role
from ginref.app.embargo import Embargo
from ginref.app.error import Reason, RefusedError
from ginref.app.fault import to_its_end
from ginref.app.judge import Judge
from ginref.app.limit import Kind
from ginref.app.live_match import LiveMatch
from ginref.app.opening import Opening
from ginref.app.packing import DamageError
from ginref.app.reach import check_record, check_seat, load_reached
from ginref.app.receipt_writer import ReceiptWriter
from ginref.app.report import MatchFacts, MatchList, MatchReport, MoveReport, SeatReport
from ginref.app.reporting import load_seat_report, match_facts, match_report
from ginref.app.request import NewMatch, SeatStep
from ginref.app.salvage import Salvage
from ginref.app.step_taker import StepTaker
from ginref.app.tools import Tools
from ginref.engine.move import move_kind
from ginref.engine.seat import Seat
from ginref.record.entry import Aborted, Resigned
from ginref.record.submission import Submission

_LOG: Final = logging.getLogger(__name__)

_HOSTS: Final = (Role.OPERATOR, Role.ORGANIZER)


class Desk:
    """Where calls about matches are decided.

    Attributes:
        opening: Makes matches.
        turn_times: When turns were sent from here.
        receipts: Signs what submissions come to.
    """

    def __init__(self, tools: Tools, embargo: Embargo | None = None) -> None:
        """Work with these tools, and say nothing of boards under an embargo."""
        self._tools = tools
        self._embargo = embargo
        self._keeper = tools.keeper
        self.receipts = ReceiptWriter(tools.keeper, tools.signer)
        self._judge = Judge(
            tools.keeper,
            tools.observer,
            self.receipts,
            hub=tools.hub,
            ended=self._note_end,
            monotonic=tools.monotonic,
        )
        self.turn_times = self._judge.turn_times
        self._steps = StepTaker(tools.keeper, self._judge)
        self._salvage = Salvage(tools.store, tools.keeper, self._judge)
        self.opening = Opening(tools)

    async def create_match(self, caller: Caller, new: NewMatch) -> MatchFacts:
        """Create a match and offer its seats; the same request gives the same match.

        Raises:
            RefusedError: ROLE_NOT_ALLOWED, BOT_NOT_FOUND, FIELD_MISSING,
                FIELD_INVALID, SEEDED_NOT_ALLOWED, REQUEST_ID_REUSED, MATCH_EXPIRED
                for a match of which only the record is kept, or SEAT_NOT_YOURS for a
                token that is limited to other matches.
        """
        caller.require("CreateMatch", *_HOSTS)
        return await self.opening.open(caller, new)

    async def prepare_seat(
        self, caller: Caller, request: SeatStep
    ) -> tuple[MatchFacts, SeatReport | None]:
        """Take one step of a seat before play; the same step again is fine.

        Returns:
            The match after the step, and the seat's view if it is to act.

        Raises:
            RefusedError: MATCH_NOT_FOUND, MATCH_EXPIRED, SEAT_NOT_YOURS,
                ROLE_NOT_ALLOWED, STEP_OUT_OF_ORDER, COMMITMENT_BROKEN, MOVE_LATE or
                MATCH_OVER.
        """
        caller.require("PrepareSeat", Role.BOT)
        live = await load_reached(self._keeper, caller, request.match_id)
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
            RefusedError: MATCH_NOT_FOUND, MATCH_EXPIRED, SEAT_NOT_YOURS or
                BOARD_CLOSED.
        """
        live = await load_reached(self._keeper, caller, match_id)
        if self._embargo is not None:
            await self._embargo.check(caller, live.state.setup)
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
        listed = await asyncio.gather(
            *(self._listed(caller, one) for one in page.match_ids)
        )
        return MatchList(
            matches=tuple(facts for facts in listed if facts), cursor=page.cursor
        )

    async def _listed(self, caller: Caller, match_id: str) -> MatchFacts | None:
        try:
            live = await load_reached(self._keeper, caller, match_id)
            if self._embargo is not None:
                await self._embargo.check(caller, live.state.setup)
            return match_facts(live)
        except RefusedError:
            # It has expired since it was listed, others still play its cards, or the
            # token does not reach it.
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
            RefusedError: ROLE_NOT_ALLOWED, SEAT_NOT_YOURS, MATCH_NOT_FOUND or
                MATCH_EXPIRED, or why it was refused: see `Judge.submit`;
                RATE_LIMITED, but never for the first submission of a turn.
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
            live = await self._seated(caller, submission)
            live = await self._let_pass(caller, live, submission)
            return await self._judge.submit(live, submission, received)
        except RefusedError:
            self._tools.observer.move(move_kind(submission.move), "refused")
            raise
        except Exception:
            # Nobody knows what has become of it, so that it must come again.
            self._tools.allowance.forget(submission)
            raise

    async def _seated(self, caller: Caller, submission: Submission) -> LiveMatch:
        """Return the match of a submission by whoever holds the seat.

        Raises:
            RefusedError: RATE_LIMITED for one that has no seat there too often.
        """
        try:
            caller.require("SubmitMove", Role.BOT)
            live = self._keeper.hint(submission.match_id)
            if live is None:
                live = await load_reached(self._keeper, caller, submission.match_id)
            check_seat(live, caller, submission.seat)
        except RefusedError:
            self._tools.allowance.spend(caller, Kind.MOVES)
            raise
        return live

    async def _let_pass(
        self, caller: Caller, live: LiveMatch, submission: Submission
    ) -> LiveMatch:
        """Let the first submission of a turn pass, and count every other one.

        Returns:
            The match as it is known now.

        Raises:
            RefusedError: RATE_LIMITED.
        """
        if submission.expected_version > live.state.version:
            # Another process may have brought the match there.
            live = await self._keeper.load(submission.match_id)
        allowance = self._tools.allowance
        if not allowance.is_new(submission, live.state.version):
            allowance.spend(caller, Kind.MOVES)
        return live

    def _note_end(self, match_id: str) -> None:
        self._tools.allowance.match_over(match_id)
        self._tools.ended.set()

    async def resign_match(
        self, caller: Caller, match_id: str, seat: Seat
    ) -> MatchFacts:
        """End a match by resignation of a seat; resigning twice is fine.

        Raises:
            RefusedError: MATCH_NOT_FOUND, MATCH_EXPIRED, SEAT_NOT_YOURS,
                ROLE_NOT_ALLOWED, MOVE_LATE or MATCH_OVER.
        """
        caller.require("ResignMatch", Role.BOT)
        live = await load_reached(self._keeper, caller, match_id)
        check_seat(live, caller, seat)
        return match_facts(await self._steps.take(live, Resigned(seat)))

    async def abort_match(self, caller: Caller, match_id: str) -> MatchFacts:
        """End a match without a winner; aborting twice is fine.

        Raises:
            RefusedError: ROLE_NOT_ALLOWED, SEAT_NOT_YOURS, MATCH_NOT_FOUND,
                MATCH_EXPIRED or MATCH_OVER.
        """
        caller.require("AbortMatch", *_HOSTS)
        live = await load_reached(self._keeper, caller, match_id)
        return match_facts(await self._steps.take(live, Aborted()))

    async def match_record(self, caller: Caller, match_id: str) -> bytes:
        """Return the signed record of a match that is over.

        Raises:
            RefusedError: MATCH_NOT_FOUND, SEAT_NOT_YOURS, RECORD_NOT_READY or
                BOARD_CLOSED.
        """
        envelope = await self._tools.archive.get(match_id)
        if envelope is not None:
            check_record(caller, match_id, envelope)
            if self._embargo is not None:
                await self._embargo.check_record(caller, envelope)
            return envelope
        live = await load_reached(self._keeper, caller, match_id)
        raise RefusedError(
            Reason.RECORD_NOT_READY,
            "the record is signed after the match is over",
            stage=live.state.stage,
        )

    def public_keys(self) -> bytes:
        """Return the public keys of all signatures, as a JSON Web Key Set."""
        return self._tools.jwks()

    async def time_out(self, match_id: str) -> bool:
        """End a match if its deadline and grace are past; say whether they are."""
        return await self._judge.time_out(await self._keeper.load(match_id))

    async def give_up(self, match_id: str) -> bool:
        """End a match that is due and cannot be timed out; say whether this did it."""
        return await self._salvage.give_up(match_id)
