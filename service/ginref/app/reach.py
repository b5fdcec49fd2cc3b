"""Which matches and seats a token reaches."""

from ginref.app.caller import Caller
from ginref.app.error import Reason, RefusedError
from ginref.app.live_match import LiveMatch
from ginref.engine.seat import Seat


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
