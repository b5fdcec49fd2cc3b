"""What can be changed of a tournament, and what it is then asked with.

await referee.change_tournament("cup", enter("ada"))
await referee.change_tournament("cup", advance("paused"), expected_version=17)
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from google.protobuf.struct_pb2 import Struct

from ginref.v1 import tournament_pb2
from ginref.v1 import tournament_service_pb2 as service_pb

Change = (
    service_pb.AdvanceTournament
    | service_pb.ConfigureTournament
    | service_pb.IssueCodes
    | service_pb.EnterBot
    | service_pb.CheckInBot
    | service_pb.RevealShare
    | service_pb.OrderSeeds
    | service_pb.PairRound
    | service_pb.AwardFixture
    | service_pb.CorrectFixture
    | service_pb.RequeueFixture
    | service_pb.WithdrawBot
    | service_pb.DisqualifyBot
    | service_pb.CloseStage
    | service_pb.FileAppeal
    | service_pb.DecideAppeal
    | service_pb.ChangeTieBreaks
)
"""What can be changed."""

GivenResult = service_pb.GivenResult
"""A result that an organizer gives."""

STATES: Final[Mapping[str, int]] = {
    name.removeprefix("TOURNAMENT_STATE_").lower(): value
    for name, value in tournament_pb2.TournamentState.items()
    if value
}
"""How far a tournament can come, by name."""

MODES: Final[Mapping[str, int]] = {
    name.removeprefix("CORRECTION_MODE_").lower(): value
    for name, value in service_pb.CorrectionMode.items()
    if value
}
"""What a correction can do to fixtures that depend on it, by name."""

_STATE_NAMES: Final = {value: name for name, value in STATES.items()}


def state_name(value: int) -> str:
    """Name the state of a tournament; one that is not known yet stays a number."""
    return _STATE_NAMES.get(value, str(value))


def fixture_state_name(value: int) -> str:
    """Name the state of a fixture; one that is not known yet stays a number."""
    found = tournament_pb2.FixtureState.DESCRIPTOR.values_by_number.get(value)
    return found.name.removeprefix("FIXTURE_STATE_").lower() if found else str(value)


def entrant_state_name(value: int) -> str:
    """Name how an entrant takes part; what is not known yet stays a number."""
    found = tournament_pb2.EntrantState.DESCRIPTOR.values_by_number.get(value)
    return found.name.removeprefix("ENTRANT_STATE_").lower() if found else str(value)


def entrant_exit_name(value: int) -> str:
    """Name why an entrant has withdrawn; what is not known yet stays a number."""
    found = tournament_pb2.EntrantExit.DESCRIPTOR.values_by_number.get(value)
    return found.name.removeprefix("ENTRANT_EXIT_").lower() if found else str(value)


def qualifying_state_name(value: int) -> str:
    """Name how far a bot has come with qualifying, or return a number likewise."""
    found = tournament_pb2.QualifyingState.DESCRIPTOR.values_by_number.get(value)
    return found.name.removeprefix("QUALIFYING_STATE_").lower() if found else str(value)


def advance(to: str, reason: str = "") -> Change:
    """Send a tournament on, for example to `registration`.

    Raises:
        KeyError: There is no such state.
    """
    state: Any = STATES[to]
    return service_pb.AdvanceTournament(to=state, reason=reason)


def configure(configuration: Mapping[str, Any]) -> Change:
    """Change what is declared, before the field is seeded."""
    return service_pb.ConfigureTournament(configuration=struct_of(configuration))


def issue_codes(count: int) -> Change:
    """Issue codes to enter with."""
    return service_pb.IssueCodes(count=count)


def enter(bot: str = "", code: str = "") -> Change:
    """Let a bot enter; the caller's own need not be named."""
    return service_pb.EnterBot(bot=bot, code=code)


def order_seeds(bots: Sequence[str]) -> Change:
    """Change the seeds that were drawn."""
    return service_pb.OrderSeeds(bots=bots)


def pair_round(
    stage: str,
    number: int,
    pairs: Iterable[tuple[str, str]],
    *,
    bye: str = "",
    reason: str,
) -> Change:
    """Pair the next round of a Swiss stage otherwise than by the rules."""
    return service_pb.PairRound(
        stage=stage,
        round=number,
        pairs=[service_pb.BotPair(first=a, second=b) for a, b in pairs],
        bye=bye,
        reason=reason,
    )


def award(fixture_id: str, attempt: int, result: GivenResult, reason: str) -> Change:
    """Decide a fixture that is not decided yet."""
    return service_pb.AwardFixture(
        fixture_id=fixture_id, attempt=attempt, result=result, reason=reason
    )


def correct(
    fixture_id: str,
    attempt: int,
    result: GivenResult,
    reason: str,
    mode: str = "strict",
) -> Change:
    """Correct a result; `mode` is one of `MODES`.

    Raises:
        KeyError: There is no such mode.
    """
    what: Any = MODES[mode]
    return service_pb.CorrectFixture(
        fixture_id=fixture_id, attempt=attempt, result=result, mode=what, reason=reason
    )


def requeue(fixture_id: str, attempt: int, reason: str) -> Change:
    """Play a fixture again."""
    return service_pb.RequeueFixture(
        fixture_id=fixture_id, attempt=attempt, reason=reason
    )


def withdraw(bot: str = "", reason: str = "") -> Change:
    """Take a bot out, at its own wish; the caller's own need not be named."""
    return service_pb.WithdrawBot(bot=bot, reason=reason)


def disqualify(bot: str, reason: str, *, void_results: bool = False) -> Change:
    """Send a bot out."""
    return service_pb.DisqualifyBot(bot=bot, void_results=void_results, reason=reason)


def close_stage(stage: str) -> Change:
    """Close a ladder that would go on."""
    return service_pb.CloseStage(stage=stage)


def file_appeal(appeal_id: str, fixture_id: str, text: str, bot: str = "") -> Change:
    """Appeal against a result; the caller's own bot need not be named."""
    return service_pb.FileAppeal(
        appeal_id=appeal_id, fixture_id=fixture_id, bot=bot, text=text
    )


def decide_appeal(appeal_id: str, reason: str, *, upheld: bool) -> Change:
    """Decide an appeal."""
    return service_pb.DecideAppeal(appeal_id=appeal_id, upheld=upheld, reason=reason)


def change_tie_breaks(stage: str, criteria: Sequence[str], reason: str) -> Change:
    """Change what decides between equal scores."""
    return service_pb.ChangeTieBreaks(stage=stage, criteria=criteria, reason=reason)


def struct_of(values: Mapping[str, Any]) -> Struct:
    """Write JSON values as a message holds them.

    Raises:
        ValueError: One of them is no JSON.
    """
    struct = Struct()
    struct.update(values)
    return struct
