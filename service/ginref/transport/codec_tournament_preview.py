"""A tournament on the wire before it is declared: what it would come to."""

from ginref.tournament.preview import BETTER, Preview, Separation, StagePreview
from ginref.v1 import tournament_service_pb2 as service_pb


def preview_to_wire(
    preview: Preview, think_ms: int
) -> service_pb.PreviewTournamentResponse:
    """Write what a tournament would come to.

    Args:
        preview: What it would come to.
        think_ms: How long a bot was taken to think about a move, in milliseconds.
    """
    qualifying = preview.qualifying
    return service_pb.PreviewTournamentResponse(
        stages=map(_stage, preview.stages),
        cautions=[
            service_pb.TournamentCaution(field=caution.path, message=caution.what)
            for caution in preview.cautions
        ],
        qualifying=None
        if qualifying is None
        else service_pb.QualifyingForecast(
            typical_ms=qualifying.typical_ms, longest_ms=qualifying.longest_ms
        ),
        typical_ms=preview.typical_ms,
        longest_ms=preview.longest_ms,
        think_ms=think_ms,
        better_chance=BETTER,
    )


def _stage(stage: StagePreview) -> service_pb.StageForecast:
    size = stage.forecast
    return service_pb.StageForecast(
        stage=size.stage,
        entrants=size.entrants,
        rounds=size.rounds,
        fixtures=size.fixtures,
        matches=size.matches,
        most_matches=size.most_matches,
        typical_ms=size.typical_ms,
        longest_ms=size.longest_ms,
        separation=_separation(stage.separation),
    )


def _separation(separation: Separation) -> service_pb.Separation:
    return service_pb.Separation(
        matches=separation.matches,
        boards=separation.boards,
        points_per_board=separation.points,
        match_chance=separation.chance,
        fixture_chance=separation.fixture,
    )
