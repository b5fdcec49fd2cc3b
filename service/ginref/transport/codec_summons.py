"""What a tournament asks of an attached bot, and what the bot answers, on the wire."""

from typing import Final, assert_never

from ginref.app.request import Commit, Reveal
from ginref.app.summons_work import SummonsAnswer
from ginref.app.tournament_report import Summons, SummonsKind
from ginref.record.share import SHARE_SIZE
from ginref.transport.codec_match import time_to_wire
from ginref.transport.codec_tournament import head_to_wire
from ginref.transport.field import invalid, missing, read_bytes, read_name
from ginref.v1 import session_pb2 as session_pb

_KINDS: Final = {
    SummonsKind.COMMITMENT: session_pb.PREPARE_KIND_COMMITMENT,
    SummonsKind.SHARE: session_pb.PREPARE_KIND_NONCE,
}


def summons_to_wire(summons: Summons) -> session_pb.Summons:
    """Write what a tournament asks of a bot."""
    deadline_ms = summons.deadline_ms
    return session_pb.Summons(
        tournament_id=summons.tournament,
        kind=_KINDS[summons.kind],
        deadline=None if deadline_ms is None else time_to_wire(deadline_ms),
        referee_commitment=bytes.fromhex(summons.referee_commitment or ""),
        head=head_to_wire(summons.head),
    )


def summons_answer_from_wire(message: session_pb.CheckIn, at: str) -> SummonsAnswer:
    """Read what a bot answers a tournament.

    Raises:
        RefusedError: A field is absent or cannot be used.
    """
    tournament = read_name(message.tournament_id, f"{at}.tournament_id")
    return SummonsAnswer(tournament, share_step_from_wire(message, at))


def share_step_from_wire(
    message: session_pb.CheckIn | session_pb.Preparation, at: str
) -> Commit | Reveal:
    """Read what a bot says of its share, in a tournament or in a match by itself.

    Raises:
        RefusedError: A field is absent or cannot be used.
    """
    kind = message.WhichOneof("answer")
    match kind:
        case "commitment":
            where = f"{at}.commitment"
            return Commit(read_bytes(message.commitment, SHARE_SIZE, where))
        case "no_share":
            if not message.no_share:
                raise invalid(f"{at}.no_share", "true")
            return Commit(None)
        case "share" | "nonce":
            share: bytes = getattr(message, kind)
            return Reveal(read_bytes(share, SHARE_SIZE, f"{at}.{kind}"))
        case None:
            raise missing(f"{at}.answer")
        case _:
            assert_never(kind)
