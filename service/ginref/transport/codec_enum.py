"""Enums of the API beside the values they stand for, matched by name.

A member without a partner fails at import, so the two sides cannot drift apart.
"""

import enum
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, Protocol, TypeVar

from ginref.app.caller import Role
from ginref.app.error import Reason
from ginref.engine.seat import Seat
from ginref.engine.showdown import Outcome
from ginref.engine.view import FROM_PILE, FROM_STOCK, PhaseName
from ginref.record.lifecycle import EndingKind, Fault, Stage
from ginref.record.setup import DealSource
from ginref.tournament.event import Cascade, Exit
from ginref.tournament.fixture import FixtureState
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.qualifying import QualifyingState
from ginref.v1 import error_reason_pb2 as error_pb
from ginref.v1 import event_pb2 as event_pb
from ginref.v1 import match_pb2 as match_pb
from ginref.v1 import registry_pb2 as registry_pb
from ginref.v1 import seat_pb2 as seat_pb
from ginref.v1 import tournament_pb2 as tournament_pb
from ginref.v1 import tournament_service_pb2 as tournament_service_pb
from ginref.v1 import view_pb2 as view_pb

_E = TypeVar("_E", bound=enum.Enum)
_V = TypeVar("_V", bound=int)
_V_co = TypeVar("_V_co", bound=int, covariant=True)


class _WireEnum(Protocol[_V_co]):
    """A generated enum."""

    def Value(self, name: str) -> _V_co:
        """Return the number of a name."""


def _by_name(
    members: Iterable[_E], wire: _WireEnum[_V], prefix: str
) -> Mapping[_E, _V]:
    return MappingProxyType(
        {member: wire.Value(f"{prefix}_{member.name}") for member in members}
    )


def _reverse(wire: Mapping[_E, _V]) -> Mapping[int, _E]:
    return MappingProxyType({int(value): member for member, value in wire.items()})


SEATS: Final = _by_name(Seat, seat_pb.Seat, "SEAT")
SEATS_READ: Final = _reverse(SEATS)

ROLES: Final = _by_name(Role, registry_pb.Role, "ROLE")
ROLES_READ: Final = _reverse(ROLES)

DEAL_SOURCES: Final = _by_name(DealSource, match_pb.DealSource, "DEAL_SOURCE")
DEAL_SOURCES_READ: Final = _reverse(DEAL_SOURCES)

STAGES: Final = _by_name(Stage, match_pb.MatchStage, "MATCH_STAGE")

ENDINGS: Final = _by_name(EndingKind, match_pb.EndingKind, "ENDING_KIND")

FAULTS: Final = _by_name(Fault, match_pb.FaultKind, "FAULT_KIND")

PHASES: Final = _by_name(PhaseName, view_pb.Phase, "PHASE")

OUTCOMES: Final = _by_name(Outcome, view_pb.Outcome, "OUTCOME")

LIFECYCLES: Final = _by_name(
    Lifecycle, tournament_pb.TournamentState, "TOURNAMENT_STATE"
)
LIFECYCLES_READ: Final = _reverse(LIFECYCLES)

QUALIFYING_STATES: Final = _by_name(
    QualifyingState, tournament_pb.QualifyingState, "QUALIFYING_STATE"
)

EXITS: Final = _by_name(Exit, tournament_pb.EntrantExit, "ENTRANT_EXIT")

FIXTURE_STATES: Final = _by_name(
    FixtureState, tournament_pb.FixtureState, "FIXTURE_STATE"
)

CASCADES_READ: Final = _reverse(
    _by_name(Cascade, tournament_service_pb.CorrectionMode, "CORRECTION_MODE")
)

DRAWN_FROM: Final[Mapping[str | None, view_pb.DrawnFrom.ValueType]] = MappingProxyType(
    {
        None: view_pb.DRAWN_FROM_UNSPECIFIED,
        FROM_STOCK: view_pb.DRAWN_FROM_STOCK,
        FROM_PILE: view_pb.DRAWN_FROM_PILE,
    }
)

STEPS: Final[Mapping[str, event_pb.PreparationStep.ValueType]] = MappingProxyType(
    {
        "accepted": event_pb.PREPARATION_STEP_ACCEPTED,
        "declined": event_pb.PREPARATION_STEP_DECLINED,
        "committed": event_pb.PREPARATION_STEP_COMMITTED,
        "revealed": event_pb.PREPARATION_STEP_REVEALED,
    }
)

REASONS: Final = _by_name(Reason, error_pb.ErrorReason, "ERROR_REASON")
