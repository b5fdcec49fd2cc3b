"""What the referee says on a bot's stream."""

from typing import assert_never

from ginref.app import message as app
from ginref.app.error import RefusedError
from ginref.app.report import MatchFacts, MoveReport
from ginref.app.tournament_report import Head
from ginref.transport.codec_bot_message import PROTOCOL
from ginref.transport.codec_enum import OUTCOMES, REASONS, SEATS
from ginref.transport.codec_match import (
    credit_to_wire,
    ending_to_wire,
    match_to_wire,
    seat_to_wire,
    seats_to_wire,
    time_to_wire,
)
from ginref.transport.codec_rules import ruleset_to_wire
from ginref.transport.codec_sheet import (
    columns_to_wire,
    reveal_to_wire,
    sheet_to_wire,
)
from ginref.transport.codec_summons import summons_to_wire
from ginref.transport.codec_tournament import head_to_wire
from ginref.transport.codec_turn import (
    accepted_to_bytes,
    events_to_bytes,
    turn_to_bytes,
)
from ginref.transport.field import MESSAGE_BYTES
from ginref.transport.status import refusal_of
from ginref.v1 import bot_service_pb2 as bot_pb
from ginref.v1 import session_pb2 as session_pb
from ginref.v1 import view_pb2 as view_pb


def message_to_bytes(message: app.Message) -> bytes:
    """Write what the referee says, as bytes of a `ConnectResponse`."""
    match message:
        case app.Turn(report):
            return turn_to_bytes(report)
        case app.MoveResult(result=MoveReport() as report):
            return accepted_to_bytes(message, report)
        case app.Events():
            return events_to_bytes(message)
        case _:
            return message_to_wire(message).SerializeToString()


def message_to_wire(  # noqa: C901, PLR0911, PLR0912 - one case for each message
    message: app.Message,
) -> bot_pb.ConnectResponse:
    """Write what the referee says."""
    respond = bot_pb.ConnectResponse
    match message:
        case app.Welcome():
            return respond(welcome=_welcome(message))
        case app.Offer(facts=facts, seat=seat, deadline_ms=deadline_ms):
            return respond(
                offer=session_pb.Offer(
                    match=match_to_wire(facts),
                    seat=SEATS[seat],
                    deadline=time_to_wire(deadline_ms),
                    head=_head_of(facts),
                )
            )
        case app.Prepare():
            return respond(prepare=_prepare(message))
        case app.Started(facts=facts, seat=seat):
            return respond(
                started=session_pb.Started(
                    match_id=facts.match_id,
                    seat=SEATS[seat],
                    version=facts.version,
                    seats=seats_to_wire(facts.bots),
                    ruleset=ruleset_to_wire(facts.ruleset),
                )
            )
        case app.MoveResult(result=RefusedError() as error):
            return respond(move_result=_refused(message, error))
        case app.Turn() | app.Events() | app.MoveResult():
            return respond.FromString(message_to_bytes(message))
        case app.RoundOver():
            return respond(round_over=_round_over(message))
        case app.MatchOver():
            return respond(match_over=_match_over(message))
        case app.CreditGiven():
            return respond(credit_given=_credit_given(message))
        case app.Summoned(summons):
            return respond(summons=summons_to_wire(summons))
        case app.Fenced(attachment):
            return respond(fenced=session_pb.Fenced(attachment=attachment))
        case app.Drain(grace_ms):
            return respond(drain=session_pb.Drain(grace_ms=grace_ms))
        case app.Ping(number=number, now_ms=now_ms):
            return respond(
                ping=session_pb.Ping(number=number, server_time=time_to_wire(now_ms))
            )
        case app.Problem(error=error, match_id=match_id):
            return respond(
                problem=session_pb.Problem(
                    refusal=refusal_to_wire(error), match_id=match_id
                )
            )
        case _:
            assert_never(message)


def refusal_to_wire(error: RefusedError, version: int = 0) -> session_pb.Refusal:
    """Write why something was refused, as bounded as the status of a failed call."""
    bounded = refusal_of(error)
    left = bounded.facts.get("strikes_left")
    return session_pb.Refusal(
        reason=REASONS[bounded.reason],
        message=bounded.message,
        facts=bounded.facts,
        strikes_left=None if left is None else int(left),
        version=version,
        receipt=bounded.receipt,
    )


def _welcome(message: app.Welcome) -> session_pb.Welcome:
    return session_pb.Welcome(
        attachment=message.attachment,
        bot=message.bot,
        protocol=PROTOCOL,
        limits=session_pb.SessionLimits(
            message_bytes=MESSAGE_BYTES,
            ping_interval_ms=message.ping_interval_ms,
            silence_ms=message.silence_ms,
        ),
        live_matches=map(match_to_wire, message.live),
        live_count=message.live_count,
        heads=map(head_to_wire, message.heads),
    )


def _head_of(facts: MatchFacts) -> session_pb.TournamentHead | None:
    """Return the head of the log that says that a match was created."""
    place = facts.place
    if place is None:
        return None
    return head_to_wire(
        Head(tournament=place.tournament, length=place.length, digest=place.head)
    )


def _prepare(message: app.Prepare) -> session_pb.Prepare:
    return session_pb.Prepare(
        match_id=message.facts.match_id,
        seat=SEATS[message.seat],
        version=message.facts.version,
        kind=(
            session_pb.PREPARE_KIND_NONCE
            if message.reveal
            else session_pb.PREPARE_KIND_COMMITMENT
        ),
        deadline=time_to_wire(message.deadline_ms),
        commitments=message.facts.commitments if message.reveal else (),
    )


def _refused(message: app.MoveResult, error: RefusedError) -> session_pb.MoveResult:
    return session_pb.MoveResult(
        match_id=message.match_id,
        seat=SEATS[message.seat],
        request_id=message.request_id,
        refused=refusal_to_wire(error, message.version),
    )


def _round_over(message: app.RoundOver) -> session_pb.RoundOver:
    summary = message.summary
    # A round without a knock shows no hand, only how it ended.
    shown = view_pb.RoundReveal(
        round=summary.number,
        dealer=SEATS[summary.dealer],
        outcome=OUTCOMES[summary.outcome],
        winner=seat_to_wire(summary.winner),
        points=summary.points,
        columns=columns_to_wire(summary.columns),
        idle=seat_to_wire(summary.idle),
    )
    if message.reveal is not None:
        shown = reveal_to_wire(message.reveal)
    return session_pb.RoundOver(
        match_id=message.match_id,
        seat=SEATS[message.seat],
        version=message.version,
        round=shown,
        sheet=sheet_to_wire(message.sheet, message.game_target),
    )


def _credit_given(message: app.CreditGiven) -> session_pb.CreditGiven:
    return session_pb.CreditGiven(
        match_id=message.match_id,
        credit=credit_to_wire(message.credit),
        deadline=time_to_wire(message.deadline_ms),
    )


def _match_over(message: app.MatchOver) -> session_pb.MatchOver:
    sheet = message.sheet
    return session_pb.MatchOver(
        match_id=message.match_id,
        seat=SEATS[message.seat],
        version=message.version,
        ending=ending_to_wire(message.ending),
        sheet=None if sheet is None else sheet_to_wire(sheet, message.game_target),
    )
