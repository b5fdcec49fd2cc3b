"""`ginref tournament export`: which files a referee may have written."""

from pathlib import Path
from typing import cast

import pytest

from ginref.cli.organizing import CommandError
from ginref.cli.tournament_export import save_records
from ginref.v1 import tournament_pb2 as tournament_pb
from ginref_client.referee import Referee

GOOD = "mabcdefghijklmnop"


class Liar:
    """A referee whose records are bytes that it would like to have somewhere."""

    async def record(self, match_id: str) -> bytes:
        return match_id.encode()


def named(*matches: str) -> tournament_pb.Tournament:
    played = [
        tournament_pb.FixtureMatch(match_id=match, record_digest="00")
        for match in matches
    ]
    fixture = tournament_pb.Fixture(matches=played)
    return tournament_pb.Tournament(
        stages=[tournament_pb.TournamentStage(fixtures=[fixture])]
    )


def files_in(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir()]


@pytest.mark.parametrize(
    "match", ["../evil", "/tmp/evil", "a.b", "m\nx", "ok\n", "m", "M1", ""]
)
async def test_a_referee_chooses_no_place_for_files(tmp_path: Path, match: str) -> None:
    referee, folder = cast("Referee", Liar()), tmp_path / "records"

    with pytest.raises(CommandError, match="no match is named"):
        await save_records(referee, named(GOOD, match), folder)

    assert files_in(tmp_path) == []


async def test_records_lie_under_the_names_of_their_matches(tmp_path: Path) -> None:
    referee, folder = cast("Referee", Liar()), tmp_path / "records"

    saved = await save_records(referee, named(GOOD), folder)

    assert saved == 1
    assert files_in(folder) == [f"{GOOD}.json"]
