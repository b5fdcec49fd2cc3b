"""Which matches, seats and tournaments a token reaches."""

import json

from ginref.app.caller import Caller, Role
from ginref.app.error import Reason, RefusedError
from ginref.app.keeper import Keeper
from ginref.app.live_match import LiveMatch
from ginref.engine.seat import Seat
from ginref.record.envelope import parse_envelope


def require_reach(
    caller: Caller, call: str, *roles: Role, tournament: str | None = None
) -> None:
    """Let some roles pass, if the token reaches what a call is about.

    Args:
        caller: Who calls.
        call: The call.
        roles: Whom it is for.
        tournament: The tournament that it is about; None for one that is about all,
            as those about owners, bots and tokens are.

    Raises:
        RefusedError: ROLE_NOT_ALLOWED or SEAT_NOT_YOURS.
    """
    caller.require(call, *roles)
    if not caller.reaches_tournament(tournament):
        message = f"the token is limited, and does not reach what {call} is about"
        raise RefusedError(Reason.SEAT_NOT_YOURS, message, call=call)


def check_reach(caller: Caller, match_id: str, tournament: str | None = None) -> None:
    """Let a token pass that reaches a match, which may be of a tournament.

    Raises:
        RefusedError: SEAT_NOT_YOURS.
    """
    if not caller.reaches_match(match_id, tournament):
        message = "the token is limited to other matches"
        raise RefusedError(Reason.SEAT_NOT_YOURS, message)


def check_record(caller: Caller, match_id: str, envelope: bytes) -> None:
    """Let a token pass that reaches the match of a record.

    Raises:
        RefusedError: SEAT_NOT_YOURS.
    """
    tournament = None
    if caller.tournament_ids:
        place = json.loads(parse_envelope(envelope).payload)["match"].get("place")
        tournament = place and place["tournament"]
    check_reach(caller, match_id, tournament)


def check_seat(live: LiveMatch, caller: Caller, seat: Seat) -> None:
    """Let the holder of a seat pass.

    Raises:
        RefusedError: SEAT_NOT_YOURS.
    """
    setup = live.state.setup
    check_reach(caller, setup.match_id, setup.tournament)
    if seat not in setup.seats or setup.bots[seat] != caller.bot:
        message = f"{seat} is not a seat of yours"
        raise RefusedError(Reason.SEAT_NOT_YOURS, message, seat=seat)


async def load_reached(keeper: Keeper, caller: Caller, match_id: str) -> LiveMatch:
    """Read a match that a token reaches.

    Of others it is not even told whether there are any.

    Raises:
        RefusedError: MATCH_NOT_FOUND, MATCH_EXPIRED or SEAT_NOT_YOURS.
    """
    if not caller.tournament_ids:
        # Its identity tells enough.
        check_reach(caller, match_id)
    try:
        live = await keeper.load(match_id)
    except RefusedError:
        # Of which tournament it would be is unknown.
        check_reach(caller, match_id)
        raise
    check_reach(caller, match_id, live.state.setup.tournament)
    return live
