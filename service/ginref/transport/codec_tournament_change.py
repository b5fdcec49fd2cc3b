"""What is asked of tournaments, read strictly."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, assert_never

from ginref.record.share import SHARE_SIZE
from ginref.tournament.event import Cascade, Handling
from ginref.tournament.operation import (
    Advance,
    Award,
    ChangeTieBreaks,
    CheckIn,
    CloseStage,
    Correct,
    DecideAppeal,
    Disqualify,
    FileAppeal,
    Operation,
    PairManually,
    Requeue,
    RevealShare,
    Withdraw,
)
from ginref.tournament.result import (
    Cause,
    Decision,
    DoubleForfeited,
    Drawn,
    Forfeited,
    Result,
    Voided,
    Won,
)
from ginref.tournament.tiebreak import Criterion
from ginref.transport.codec_enum import CASCADES_READ, LIFECYCLES_READ
from ginref.transport.codec_struct import struct_from_wire
from ginref.transport.field import (
    invalid,
    missing,
    read_bytes,
    read_enum,
    read_id,
    read_name,
    read_within,
    require,
)
from ginref.v1 import tournament_service_pb2 as tournament_pb

CODES_LIMIT: Final = 1000
"""Most codes that are issued at once."""

TEXT_LENGTH: Final = 500
"""Most characters of a reason, or of an appeal."""

_CODE_LENGTH: Final = 64
_NUMBER_LIMIT: Final = 2**31 - 1


@dataclass(frozen=True, slots=True)
class NewConfiguration:
    """The configuration is to be this one, as a file of it says it."""

    configuration: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class NewCodes:
    """So many codes are to be issued."""

    count: int


@dataclass(frozen=True, slots=True)
class NewEntry:
    """A bot is to enter, with a code or without."""

    bot: str
    code: str | None


@dataclass(frozen=True, slots=True)
class NewOrder:
    """These are to be the seeds, from the first."""

    bots: tuple[str, ...]


Wanted = NewConfiguration | NewCodes | NewEntry | NewOrder | Operation
"""A change that is asked for."""


def change_from_wire(
    request: tournament_pb.ChangeTournamentRequest, own_bot: str | None
) -> Wanted:
    """Read the change that a request asks for.

    Args:
        request: The request.
        own_bot: The bot that the caller plays as, for changes that need not name it.

    Raises:
        RefusedError: A field is absent or cannot be used.
    """
    kind = request.WhichOneof("change")
    if kind is None:
        raise missing("change")
    read = _READ.get(kind)
    if read is not None:
        return read(getattr(request, kind), kind)
    return _OWN[kind](getattr(request, kind), kind, own_bot)


def configuration_from_wire(
    message: tournament_pb.CreateTournamentRequest
    | tournament_pb.PreviewTournamentRequest
    | tournament_pb.ConfigureTournament,
    at: str = "",
) -> dict[str, Any]:
    """Read a configuration as far as its form goes.

    Raises:
        RefusedError: FIELD_MISSING or CONFIGURATION_INVALID.
    """
    require(message, "configuration", f"{at}configuration")
    return struct_from_wire(message.configuration)


def _advance(message: tournament_pb.AdvanceTournament, at: str) -> Wanted:
    return Advance(
        to=read_enum(message.to, LIFECYCLES_READ, f"{at}.to"),
        reason=_text(message.reason, f"{at}.reason"),
    )


def _configure(message: tournament_pb.ConfigureTournament, at: str) -> Wanted:
    return NewConfiguration(configuration_from_wire(message, f"{at}."))


def _issue_codes(message: tournament_pb.IssueCodes, at: str) -> Wanted:
    return NewCodes(read_within(message.count, 1, CODES_LIMIT, f"{at}.count"))


def _order_seeds(message: tournament_pb.OrderSeeds, at: str) -> Wanted:
    if not message.bots:
        raise missing(f"{at}.bots")
    return NewOrder(_names(message.bots, f"{at}.bots"))


def _pair_round(message: tournament_pb.PairRound, at: str) -> Wanted:
    return PairManually(
        stage=read_name(message.stage, f"{at}.stage"),
        round=_number(message.round, f"{at}.round"),
        pairs=tuple(
            (
                read_name(pair.first, f"{at}.pairs[{place}].first"),
                read_name(pair.second, f"{at}.pairs[{place}].second"),
            )
            for place, pair in enumerate(message.pairs)
        ),
        bye=read_name(message.bye, f"{at}.bye") if message.bye else None,
        reason=_reason(message.reason, at),
    )


def _award(message: tournament_pb.AwardFixture, at: str) -> Wanted:
    return Award(
        fixture=read_id(message.fixture_id, f"{at}.fixture_id"),
        attempt=_number(message.attempt, f"{at}.attempt"),
        result=_result(message, at),
        reason=_reason(message.reason, at),
    )


def _correct(message: tournament_pb.CorrectFixture, at: str) -> Wanted:
    return Correct(
        fixture=read_id(message.fixture_id, f"{at}.fixture_id"),
        attempt=_number(message.attempt, f"{at}.attempt"),
        result=_result(message, at),
        mode=(
            read_enum(message.mode, CASCADES_READ, f"{at}.mode")
            if message.mode
            else Cascade.STRICT
        ),
        reason=_reason(message.reason, at),
    )


def _requeue(message: tournament_pb.RequeueFixture, at: str) -> Wanted:
    return Requeue(
        fixture=read_id(message.fixture_id, f"{at}.fixture_id"),
        attempt=_number(message.attempt, f"{at}.attempt"),
        reason=_reason(message.reason, at),
    )


def _disqualify(message: tournament_pb.DisqualifyBot, at: str) -> Wanted:
    return Disqualify(
        bot=read_name(message.bot, f"{at}.bot"),
        results=Handling.VOID if message.void_results else Handling.KEEP,
        reason=_reason(message.reason, at),
    )


def _close_stage(message: tournament_pb.CloseStage, at: str) -> Wanted:
    return CloseStage(stage=read_name(message.stage, f"{at}.stage"))


def _decide_appeal(message: tournament_pb.DecideAppeal, at: str) -> Wanted:
    return DecideAppeal(
        appeal=read_name(message.appeal_id, f"{at}.appeal_id"),
        upheld=message.upheld,
        reason=_reason(message.reason, at),
    )


def _change_tie_breaks(message: tournament_pb.ChangeTieBreaks, at: str) -> Wanted:
    if not message.criteria:
        raise missing(f"{at}.criteria")
    return ChangeTieBreaks(
        stage=read_name(message.stage, f"{at}.stage"),
        order=tuple(
            _criterion(name, f"{at}.criteria[{place}]")
            for place, name in enumerate(message.criteria)
        ),
        reason=_reason(message.reason, at),
    )


def _enter(message: tournament_pb.EnterBot, at: str, own: str | None) -> Wanted:
    if len(message.code) > _CODE_LENGTH:
        raise invalid(f"{at}.code", f"at most {_CODE_LENGTH} characters")
    return NewEntry(_bot(message.bot, at, own), message.code or None)


def _check_in(message: tournament_pb.CheckInBot, at: str, own: str | None) -> Wanted:
    commitment = None
    if message.HasField("commitment"):
        where = f"{at}.commitment"
        commitment = read_bytes(message.commitment, SHARE_SIZE, where).hex()
    return CheckIn(bot=_bot(message.bot, at, own), commitment=commitment)


def _reveal_share(
    message: tournament_pb.RevealShare, at: str, own: str | None
) -> Wanted:
    share = read_bytes(message.share, SHARE_SIZE, f"{at}.share")
    return RevealShare(bot=_bot(message.bot, at, own), share=share.hex())


def _withdraw(message: tournament_pb.WithdrawBot, at: str, own: str | None) -> Wanted:
    return Withdraw(
        bot=_bot(message.bot, at, own), reason=_text(message.reason, f"{at}.reason")
    )


def _file_appeal(message: tournament_pb.FileAppeal, at: str, own: str | None) -> Wanted:
    text = _text(message.text, f"{at}.text")
    if not text:
        raise missing(f"{at}.text")
    return FileAppeal(
        appeal=read_name(message.appeal_id, f"{at}.appeal_id"),
        fixture=read_id(message.fixture_id, f"{at}.fixture_id"),
        bot=_bot(message.bot, at, own),
        text=text,
    )


_READ: Final[Mapping[str, Callable[[Any, str], Wanted]]] = MappingProxyType(
    {
        "advance": _advance,
        "configure": _configure,
        "issue_codes": _issue_codes,
        "order_seeds": _order_seeds,
        "pair_round": _pair_round,
        "award": _award,
        "correct": _correct,
        "requeue": _requeue,
        "disqualify": _disqualify,
        "close_stage": _close_stage,
        "decide_appeal": _decide_appeal,
        "change_tie_breaks": _change_tie_breaks,
    }
)
"""What reads each change of a host."""

_OWN: Final[Mapping[str, Callable[[Any, str, str | None], Wanted]]] = MappingProxyType(
    {
        "enter": _enter,
        "check_in": _check_in,
        "reveal_share": _reveal_share,
        "withdraw": _withdraw,
        "file_appeal": _file_appeal,
    }
)
"""What reads each change that a bot may ask for itself."""


def _bot(name: str, at: str, own: str | None) -> str:
    """Read a bot's name; the caller's own bot need not be named."""
    if name:
        return read_name(name, f"{at}.bot")
    if own is None:
        raise missing(f"{at}.bot")
    return own


def _names(names: Sequence[str], at: str) -> tuple[str, ...]:
    return tuple(read_name(name, f"{at}[{place}]") for place, name in enumerate(names))


def _number(value: int, at: str) -> int:
    """Read a number that is counted from 1."""
    if not value:
        raise missing(at)
    return read_within(value, 1, _NUMBER_LIMIT, at)


def _text(text: str, at: str) -> str:
    if len(text) > TEXT_LENGTH:
        raise invalid(at, f"at most {TEXT_LENGTH} characters")
    return text


def _reason(text: str, at: str) -> str:
    """Read why something is decided, which its author has to say."""
    if not text.strip():
        raise missing(f"{at}.reason")
    return _text(text, f"{at}.reason")


def _criterion(name: str, at: str) -> Criterion:
    if name not in tuple(Criterion):
        raise invalid(at, f"one of {', '.join(Criterion)}")
    return Criterion(name)


def _result(
    message: tournament_pb.AwardFixture | tournament_pb.CorrectFixture, at: str
) -> Result:
    """Read a result that an organizer gives; every one of them is a ruling."""
    at = f"{at}.result"
    given = message.result
    kind = given.WhichOneof("result")
    match kind:
        case "won":
            return Won(read_name(given.won, f"{at}.won"), Decision.RULING)
        case "drawn":
            _insist(at, kind, said=given.drawn)
            return Drawn()
        case "forfeited":
            loser = read_name(given.forfeited, f"{at}.forfeited")
            return Forfeited(loser, Cause.RULING)
        case "double_forfeited":
            _insist(at, kind, said=given.double_forfeited)
            return DoubleForfeited(Cause.RULING)
        case "voided":
            winner = given.voided
            return Voided(read_name(winner, f"{at}.voided") if winner else None)
        case None:
            raise missing(at)
        case _:
            assert_never(kind)


def _insist(at: str, kind: str, *, said: bool) -> None:
    """Refuse a choice that is made and denied at once.

    Raises:
        RefusedError: FIELD_INVALID.
    """
    if not said:
        raise invalid(f"{at}.{kind}", "true")
