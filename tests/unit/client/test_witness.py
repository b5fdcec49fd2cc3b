"""A bot keeps what it was told of a tournament, and is a witness against a referee."""

import json
import stat
from pathlib import Path

import pytest

from ginref.tournament.secret import commit_share
from ginref.v1 import session_pb2
from ginref_client.error import SplitLogError
from ginref_client.witness import FILE, Witness

SERVER = "https://referee:7878"
REFEREE = bytes(range(32))


def head(length: int, mark: int = 0) -> session_pb2.TournamentHead:
    """Return a head; logs with another mark are others."""
    return session_pb2.TournamentHead(
        tournament_id="cup", length=length, digest=bytes([length, mark]) * 16
    )


def summons(
    kind: session_pb2.PrepareKind.ValueType, referee: bytes = REFEREE, length: int = 3
) -> session_pb2.Summons:
    return session_pb2.Summons(
        tournament_id="cup", kind=kind, referee_commitment=referee, head=head(length)
    )


COMMITMENT = summons(session_pb2.PREPARE_KIND_COMMITMENT)
SHARE = summons(session_pb2.PREPARE_KIND_NONCE, length=4)


@pytest.mark.parametrize("restarts", [False, True], ids=["goes on", "restarts"])
def test_a_share_is_the_one_that_was_committed_to(
    tmp_path: Path, *, restarts: bool
) -> None:
    witness = Witness(tmp_path, SERVER)
    promised = witness.answer(COMMITMENT, "ada")
    if restarts:
        witness = Witness(tmp_path, SERVER)
    again, revealed = witness.answer(COMMITMENT, "ada"), witness.answer(SHARE, "ada")

    assert promised is not None
    assert promised == again
    assert revealed is not None
    assert promised.commitment == commit_share("cup", "ada", revealed.share)
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "spoilt", [b"\x00\x00", b"[]", b"{}", b'{"kind":"head"'], ids=repr
)
def test_a_line_that_a_power_cut_has_spoilt_costs_no_other(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, spoilt: bytes
) -> None:
    promised = Witness(tmp_path, SERVER).answer(COMMITMENT, "ada")
    path = tmp_path / FILE
    path.write_bytes(spoilt + b"\n" + path.read_bytes())

    again = Witness(tmp_path, SERVER).answer(COMMITMENT, "ada")

    assert again == promised
    assert "line 1 cannot be read" in caplog.text


def test_a_share_is_on_disk_before_its_commitment_leaves(tmp_path: Path) -> None:
    witness = Witness(tmp_path, SERVER)
    (tmp_path / FILE).mkdir()

    with pytest.raises(OSError, match=FILE):
        witness.answer(COMMITMENT, "ada")


def test_another_tournament_of_the_name_gets_another_share(tmp_path: Path) -> None:
    witness = Witness(tmp_path, SERVER)
    first = witness.answer(COMMITMENT, "ada")
    second = witness.answer(
        summons(session_pb2.PREPARE_KIND_COMMITMENT, bytes(32)), "ada"
    )

    assert first is not None
    assert second is not None
    assert first.commitment != second.commitment


def test_there_is_no_share_before_the_referee_has_committed_to_its_own() -> None:
    answer = Witness().answer(summons(session_pb2.PREPARE_KIND_COMMITMENT, b""), "ada")

    assert answer == session_pb2.CheckIn(tournament_id="cup", no_share=True)


def test_a_share_that_was_lost_is_not_made_up() -> None:
    assert Witness().answer(SHARE, "ada") is None


def test_a_log_may_grow_and_an_offer_may_come_late(tmp_path: Path) -> None:
    witness = Witness(tmp_path, SERVER)
    for length in (3, 3, 9):
        witness.note(head(length), is_latest=True)

    witness.note(head(5), is_latest=False)
    Witness(tmp_path, "https://another").note(head(1, mark=7), is_latest=True)

    kept = [json.loads(row) for row in (tmp_path / FILE).read_text().splitlines()]
    assert [line["length"] for line in kept] == [3, 9, 5, 1]


@pytest.mark.parametrize(
    ("shown", "is_latest", "what"),
    [
        pytest.param(head(8), True, "had 9 entries, and now has 8", id="backwards"),
        pytest.param(head(5, mark=1), False, "entry 5", id="split in an offer"),
        pytest.param(head(9, mark=1), True, "entry 9", id="split"),
    ],
)
@pytest.mark.parametrize("restarts", [False, True], ids=["goes on", "restarts"])
def test_a_log_that_contradicts_an_earlier_one_is_refused(
    tmp_path: Path,
    shown: session_pb2.TournamentHead,
    what: str,
    *,
    is_latest: bool,
    restarts: bool,
) -> None:
    witness = Witness(tmp_path, SERVER)
    witness.note(head(5), is_latest=True)
    witness.note(head(9), is_latest=True)
    if restarts:
        witness = Witness(tmp_path, SERVER)

    with pytest.raises(SplitLogError, match=what) as refused:
        witness.note(shown, is_latest=is_latest)

    assert "DO NOT TRUST" in str(refused.value)
    assert str(tmp_path / FILE) in str(refused.value)
    last = json.loads((tmp_path / FILE).read_text().splitlines()[-1])
    assert (last["kind"], last["length"]) == ("contradiction", shown.length)
