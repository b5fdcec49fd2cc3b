import re
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.conftest import Referee, build_setup

from ginref.engine.move import PASS
from ginref.engine.ruleset import GIN
from ginref.engine.seat import Seat
from ginref.record.entry import Moved, StampedEntry
from ginref.record.evidence import (
    OfferLine,
    OverLine,
    ReadyLine,
    ReceiptLine,
    ShareLine,
    write_line,
)
from ginref.record.evidence_read import read_evidence
from ginref.record.lifecycle import EndingKind
from ginref.record.receipt import seal_receipt, stored_receipt
from ginref.record.share import commit_seat
from ginref.record.submission import Submission
from ginref_client.evidence import Evidence

REFEREE = Referee()
OFFER = OfferLine.of(build_setup())
OVER = OverLine(ending=EndingKind.COMPLETED, winner=Seat.NORTH, record_digest=None)


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
    evidence.offered("m1", Seat.SOUTH, GIN, OFFER)
    commitment = evidence.commitment("m1", Seat.SOUTH)
    evidence.over("m1", Seat.SOUTH, OVER)
    again = Evidence(tmp_path)
    again.offered("m1", Seat.SOUTH, GIN, OFFER)

    kept = read_evidence((tmp_path / "m1.south.jsonl").read_bytes())

    assert (kept.match_id, kept.seat) == ("m1", Seat.SOUTH)
    offer, share, over = (line for _, line in kept.lines)
    assert (offer, over) == (OFFER, OVER)
    assert isinstance(share, ShareLine)
    assert share.commitment == commitment


def test_a_line_that_a_crash_has_cut_off_is_dropped(tmp_path: Path) -> None:
    commitment = Evidence(tmp_path).commitment("m1", Seat.NORTH)
    path = tmp_path / "m1.north.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"kind":"rece')

    again = Evidence(tmp_path)

    assert again.commitment("m1", Seat.NORTH) == commitment
    again.over("m1", Seat.NORTH, OVER)
    assert path.read_bytes() == whole + write_line(OVER)


def test_a_line_that_a_power_cut_has_spoilt_costs_no_share(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    commitment = Evidence(tmp_path).commitment("m1", Seat.NORTH)
    path = tmp_path / "m1.north.jsonl"
    path.write_bytes(path.read_bytes() + bytes(9) + b"\n" + write_line(OVER))

    again = Evidence(tmp_path)

    assert again.commitment("m1", Seat.NORTH) == commitment
    assert "line 3: not JSON" in caplog.text


def test_files_are_for_their_owner_only(tmp_path: Path) -> None:
    evidence = Evidence(tmp_path / "state")
    evidence.commitment("m1", Seat.NORTH)

    modes = [path.stat().st_mode for path in (tmp_path / "state").iterdir()]

    assert len(modes) == 1
    assert {stat.S_IMODE(mode) for mode in modes} == {0o600}
    assert stat.S_IMODE((tmp_path / "state").stat().st_mode) == 0o700


SUBMISSION = Submission(
    match_id="m1",
    seat=Seat.NORTH,
    expected_version=7,
    request_id="a",
    move=PASS,
)


def receipt(reason: str | None = None, **changes: Any) -> bytes:  # noqa: ANN401
    """What a referee signs of `SUBMISSION`."""
    refusal = None if reason is None else 1
    entry = Moved(Seat.NORTH, "a", PASS, 0)
    stamped = StampedEntry(8, refusal or 0, 1000, entry)
    right = stored_receipt(SUBMISSION, stamped, reason, None)
    signer = changes.pop("signer", REFEREE)
    return seal_receipt(replace(right, **changes), signer)


@pytest.mark.parametrize(
    ("envelope", "problem"),
    [
        pytest.param(receipt(), None, id="right"),
        pytest.param(b"no receipt", "its receipt is none", id="garbage"),
        pytest.param(b"\xff", "its receipt is none", id="no text"),
        pytest.param(b"", "no receipt of a move", id="nothing"),
        pytest.param(
            receipt(signer=Referee(1)), "a key you do not trust", id="another key"
        ),
        pytest.param(
            receipt().replace(b'"sig":"', b'"sig":"AAAA')[:-8] + b'"}]}',
            "its receipt is none",
            id="no signature",
        ),
        pytest.param(receipt(version=9), "signs version 9", id="another version"),
        pytest.param(
            receipt(reason="MOVE_LATE"), "and signs MOVE_LATE", id="another verdict"
        ),
        pytest.param(
            receipt(submission=bytes(32)), "about another submission", id="another move"
        ),
        pytest.param(
            receipt(request=bytes(10)), "another request id", id="another request"
        ),
        pytest.param(receipt(seat=Seat.SOUTH), "it is about south", id="another seat"),
        pytest.param(
            receipt(match_id="m2"), "it is about match m2", id="another match"
        ),
    ],
)
def test_a_receipt_is_checked_as_it_comes_and_kept_right_or_wrong(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    envelope: bytes,
    problem: str | None,
) -> None:
    evidence = Evidence(tmp_path, {REFEREE.key_id: REFEREE.public_key})
    setup = replace(build_setup(), receipts=True)
    offer = OfferLine.of(setup)
    evidence.offered("m1", Seat.NORTH, setup.ruleset, offer)
    caplog.clear()

    evidence.answered(SUBMISSION, envelope, version=8)

    told = [record.getMessage() for record in caplog.records]
    if problem is None:
        assert told == []
    else:
        assert len(told) == 1
        assert "DO NOT TRUST THIS REFEREE" in told[0]
        assert problem in told[0]
    kept = read_evidence((tmp_path / "m1.north.jsonl").read_bytes())
    lines = [line for _, line in kept.lines if isinstance(line, ReceiptLine)]
    text = envelope.decode(errors="replace")
    assert lines == ([ReceiptLine(text, SUBMISSION)] if envelope else [])


@pytest.mark.parametrize("is_counted", [True, False], ids=["a strike", "not judged"])
def test_a_strike_needs_a_receipt_and_what_was_not_judged_has_none(
    caplog: pytest.LogCaptureFixture, *, is_counted: bool
) -> None:
    evidence, setup = Evidence(), replace(build_setup(), receipts=True)
    evidence.offered("m1", Seat.NORTH, setup.ruleset, OfferLine.of(setup))

    evidence.answered(SUBMISSION, b"", version=8, reason="ANY", is_counted=is_counted)

    assert ("no receipt of a move" in caplog.text) is is_counted


def test_a_deal_without_the_share_of_the_bot_is_noticed_at_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    evidence = Evidence()
    commitment = evidence.commitment("m1", Seat.NORTH)

    evidence.answered(SUBMISSION, receipt(commitment=commitment), version=8)
    assert not caplog.records
    evidence.answered(SUBMISSION, receipt(), version=8)

    assert "dealt without the share of this bot" in caplog.text


@pytest.mark.parametrize(
    ("signer", "signs", "problem"),
    [
        pytest.param(0, "match-0", None, id="right"),
        pytest.param(1, "match-0", "a key you do not trust", id="another key"),
        pytest.param(0, "match-1", "has not signed its commitment", id="another match"),
    ],
)
def test_the_commitment_of_the_referee_is_checked_with_its_keys(
    caplog: pytest.LogCaptureFixture, signer: int, signs: str, problem: str | None
) -> None:
    setup = build_setup()
    evidence = Evidence(keys={REFEREE.key_id: REFEREE.public_key})
    offer = replace(OfferLine.of(setup), key_id=Referee(signer).key_id)

    evidence.offered(signs, Seat.NORTH, setup.ruleset, offer)

    if problem is None:
        assert not caplog.records
    else:
        assert problem in caplog.text


def test_a_match_that_is_offered_twice_is_the_same_one_or_a_lie(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    Evidence(tmp_path).offered("m1", Seat.NORTH, GIN, OFFER)
    again = Evidence(tmp_path)
    again.offered("m1", Seat.NORTH, GIN, OFFER)
    assert not caplog.records

    again.offered("m1", Seat.NORTH, GIN, replace(OFFER, commitment=bytes(32)))

    assert "has offered this match otherwise before" in caplog.text


def test_a_match_id_is_not_trusted_as_the_name_of_a_file(tmp_path: Path) -> None:
    evidence = Evidence(tmp_path / "state")

    evidence.commitment("../../evil", Seat.NORTH)

    [path] = tmp_path.rglob("*.jsonl")
    assert path.parent == tmp_path / "state"
    assert re.fullmatch(r"x-[a-z2-7]+\.north\.jsonl", path.name)


def test_what_is_forgotten_stays_in_the_folder(tmp_path: Path) -> None:
    evidence = Evidence(tmp_path)
    evidence.commitment("m1", Seat.NORTH)
    share = evidence.share("m1", Seat.NORTH)

    evidence.forget("m1", Seat.NORTH)

    assert evidence.share("m1", Seat.NORTH) == share


def test_a_share_is_shown_when_all_seats_have_committed(tmp_path: Path) -> None:
    evidence = Evidence(tmp_path)
    own, other = evidence.commitment("m1", Seat.NORTH), bytes(32)

    share = evidence.ready("m1", Seat.NORTH, (own, other))

    assert share == evidence.share("m1", Seat.NORTH)
    again = Evidence(tmp_path)
    assert again.ready("m1", Seat.NORTH, (own, other)) == share
    kept = read_evidence((tmp_path / "m1.north.jsonl").read_bytes()).lines
    assert [line for _, line in kept if isinstance(line, ReadyLine)] == [
        ReadyLine((own, other))
    ]


@pytest.mark.parametrize(
    "told",
    [
        pytest.param(lambda _: (), id="of nobody"),
        pytest.param(lambda own: (own,), id="of one seat only"),
        pytest.param(lambda own: (bytes(32), own), id="of the other seat as its own"),
        pytest.param(lambda _: (bytes(32), bytes(32)), id="of another share"),
    ],
)
def test_a_share_is_not_shown_before_all_seats_have_committed(
    told: Callable[[bytes], tuple[bytes, ...]], caplog: pytest.LogCaptureFixture
) -> None:
    evidence = Evidence()
    own = evidence.commitment("m1", Seat.NORTH)

    assert evidence.ready("m1", Seat.NORTH, told(own)) is None
    assert "without what all seats have committed to" in caplog.text


def test_a_share_is_not_shown_to_a_referee_that_tells_another_commitment_later(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    evidence = Evidence(tmp_path)
    own = evidence.commitment("m1", Seat.NORTH)
    assert evidence.ready("m1", Seat.NORTH, (own, bytes(32)))

    assert Evidence(tmp_path).ready("m1", Seat.NORTH, (own, b"x" * 32)) is None
    assert "other commitments before" in caplog.text
