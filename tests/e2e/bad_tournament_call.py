"""Single calls about tournaments that a referee refuses."""

from typing import Final

from google.protobuf.message import Message
from tests.e2e.bad_call import BadCall, malformed
from tests.e2e.host import new_tournament

from ginref.v1 import tournament_pb2
from ginref.v1 import tournament_service_pb2 as tournament_pb


def _change(**fields: object) -> tournament_pb.ChangeTournamentRequest:
    changed: dict[str, object] = {
        "tournament_id": "nowhere",
        "request_id": "bad call",
        "expected_version": 1,
        **fields,
    }
    return tournament_pb.ChangeTournamentRequest(**changed)  # type: ignore[arg-type] # names of fields


def _preview(entrants: int = 8, **fields: object) -> Message:
    return tournament_pb.PreviewTournamentRequest(
        configuration=new_tournament("foretold", **fields).configuration,
        entrants=entrants,
    )


_OPEN: Final = tournament_pb.AdvanceTournament(
    to=tournament_pb2.TOURNAMENT_STATE_REGISTRATION
)
_NOWHERE: Final = {"tournament": "nowhere"}

TOURNAMENTS: Final = [
    malformed(
        "a tournament without a request id",
        "REQUEST_ID_INVALID",
        "request_id",
        tournament_pb.CreateTournamentRequest(),
    ),
    malformed(
        "a tournament of nothing",
        "FIELD_MISSING",
        "configuration",
        tournament_pb.CreateTournamentRequest(request_id="bad call"),
    ),
    malformed(
        "a tournament for half a bot",
        "CONFIGURATION_INVALID",
        "entry.capacity",
        new_tournament("half", entry={"capacity": 0.5}),
    ),
    malformed(
        "a tournament with a secret option",
        "CONFIGURATION_INVALID",
        "seed",
        new_tournament("seeded", seed="7"),
    ),
    malformed(
        "a preview of nothing",
        "FIELD_MISSING",
        "configuration",
        tournament_pb.PreviewTournamentRequest(entrants=8),
    ),
    malformed("a preview of everybody", "FIELD_INVALID", "entrants", _preview(4097)),
    malformed(
        "a preview of an unknown option",
        "CONFIGURATION_INVALID",
        "seed",
        _preview(seed="7"),
    ),
    malformed(
        "a preview of too few",
        "CONFIGURATION_INVALID",
        "stages[0].groups",
        _preview(
            stages=[{"name": "main", "format": "round_robin", "groups": 4}], entrants=7
        ),
    ),
    malformed("no change", "FIELD_MISSING", "change", _change()),
    malformed(
        "a change unseen",
        "FIELD_MISSING",
        "expected_version",
        _change(expected_version=None, advance=_OPEN),
    ),
    malformed(
        "a change to nowhere",
        "FIELD_MISSING",
        "advance.to",
        _change(advance=tournament_pb.AdvanceTournament()),
    ),
    malformed(
        "an award without a reason",
        "FIELD_MISSING",
        "award.reason",
        _change(
            award=tournament_pb.AwardFixture(
                fixture_id="f",
                attempt=1,
                result=tournament_pb.GivenResult(won="ada"),
            )
        ),
    ),
    malformed(
        "codes for everybody",
        "FIELD_INVALID",
        "issue_codes.count",
        _change(issue_codes=tournament_pb.IssueCodes(count=100_000)),
    ),
    malformed(
        "a tournament of a path",
        "NAME_INVALID",
        "tournament_id",
        tournament_pb.GetTournamentRequest(tournament_id="../cup"),
    ),
    *(
        BadCall(
            name=f"{request.DESCRIPTOR.name} of a tournament that is nowhere",
            request=request,
            reason="TOURNAMENT_NOT_FOUND",
            code="NOT_FOUND",
            facts=_NOWHERE,
        )
        for request in (
            _change(advance=_OPEN),
            tournament_pb.GetTournamentRequest(tournament_id="nowhere"),
            tournament_pb.ExportTournamentRequest(tournament_id="nowhere"),
        )
    ),
    malformed(
        "a page of tournaments without an end",
        "FIELD_INVALID",
        "page_size",
        tournament_pb.ListTournamentsRequest(page_size=501),
    ),
]
"""What is refused of tournaments."""
