import json
import re
import stat
from pathlib import Path

import pytest

from ginref.engine.seat import Seat
from ginref.record.share import commit_seat
from ginref_client.evidence import Evidence


@pytest.fixture(params=["in memory", "in a folder"])
def evidence(request: pytest.FixtureRequest, tmp_path: Path) -> Evidence:
    return Evidence(tmp_path / "state" if request.param == "in a folder" else None)


def test_a_share_is_made_once(evidence: Evidence) -> None:
    first = evidence.commitment("m1", Seat.NORTH)
    share = evidence.share("m1", Seat.NORTH)

    assert share is not None
    assert commit_seat("m1", Seat.NORTH, share) == first
    assert evidence.commitment("m1", Seat.NORTH) == first


def test_every_seat_of_every_match_has_its_own_share(evidence: Evidence) -> None:
    shares = set()
    for match_id in ("m1", "m2"):
        for seat in (Seat.NORTH, Seat.SOUTH):
            evidence.commitment(match_id, seat)
            shares.add(evidence.share(match_id, seat))

    assert len(shares) == 4


def test_a_share_that_was_never_made_is_not_known(evidence: Evidence) -> None:
    assert evidence.share("m1", Seat.NORTH) is None


def test_a_folder_outlives_the_process(tmp_path: Path) -> None:
    commitment = Evidence(tmp_path).commitment("m1", Seat.NORTH)

    again = Evidence(tmp_path)

    assert again.share("m1", Seat.NORTH) is not None
    assert again.commitment("m1", Seat.NORTH) == commitment


def test_a_file_says_what_was_promised_and_how_it_ended(tmp_path: Path) -> None:
    evidence = Evidence(tmp_path)
    commitment = evidence.commitment("m1", Seat.SOUTH)
    evidence.note("m1", Seat.SOUTH, {"ending": "completed"})

    facts = json.loads((tmp_path / "m1.south.json").read_text())

    assert facts["match_id"] == "m1"
    assert facts["commitment"] == commitment.hex()
    assert facts["ending"] == "completed"


def test_files_are_for_their_owner_only(tmp_path: Path) -> None:
    evidence = Evidence(tmp_path / "state")
    evidence.commitment("m1", Seat.NORTH)
    evidence.add_receipt("m1", Seat.NORTH, b"\x01\x02")

    modes = [path.stat().st_mode for path in (tmp_path / "state").iterdir()]

    assert len(modes) == 2
    assert {stat.S_IMODE(mode) for mode in modes} == {0o600}
    assert stat.S_IMODE((tmp_path / "state").stat().st_mode) == 0o700


def test_a_match_id_is_not_trusted_as_the_name_of_a_file(tmp_path: Path) -> None:
    evidence = Evidence(tmp_path / "state")

    evidence.commitment("../../evil", Seat.NORTH)

    [path] = tmp_path.rglob("*.json")
    assert path.parent == tmp_path / "state"
    assert re.fullmatch(r"x-[a-z2-7]+\.north\.json", path.name)


def test_what_is_forgotten_stays_in_the_folder(tmp_path: Path) -> None:
    evidence = Evidence(tmp_path)
    evidence.commitment("m1", Seat.NORTH)
    share = evidence.share("m1", Seat.NORTH)

    evidence.forget("m1", Seat.NORTH)

    assert evidence.share("m1", Seat.NORTH) == share
