"""What looks like a lie and is none, beside the lie that it looks like."""

from dataclasses import replace

import pytest
from tests.unit.conftest import Referee, build_setup, play
from tests.unit.record.witness import keep, sign, write

from ginref.engine.seat import Seat
from ginref.record.agreement import confront
from ginref.record.document import PAYLOAD_TYPE, build_record
from ginref.record.entry import StampedEntry, TimedOut, Voided
from ginref.record.envelope import seal_envelope
from ginref.record.evidence import Line, OfferLine, OverLine, ReceiptLine, ShareLine
from ginref.record.proof import submission_of
from ginref.record.receipt import stored_receipt
from ginref.record.replay import replay
from ginref.record.setup import statement
from ginref.record.share import commit_seat
from ginref.record.submission import Submission
from ginref.record.verify import Finding, Verdict, verify_record

REFEREE = Referee()
KEYS = {REFEREE.key_id: REFEREE.public_key}
SETUP, LOG = play(7, setup=replace(build_setup(7), receipts=True), refusals=0.1)
BEGINNING = LOG[: next(at for at, one in enumerate(LOG) if one.version == 20)]


def confronted(
    log: list[StampedEntry], lines: list[Line], *, cut: bytes = b"", seat: Seat
) -> Verdict:
    record = seal_envelope(build_record(SETUP, log), PAYLOAD_TYPE, REFEREE)
    verdict = verify_record(record, KEYS)
    assert (verdict.finding, verdict.problem) == (Finding.VALID, None)
    return confront(verdict, write(SETUP, seat, lines) + cut, KEYS)


def kept(seat: Seat) -> list[Line]:
    """All that a bot has kept but the ending."""
    lines = keep(SETUP, LOG, seat)
    return [line for line in lines if not isinstance(line, OverLine)]


def timed_out() -> tuple[list[StampedEntry], Seat, int]:
    """A match that the clock ends, whose clock it is, and its last good moment."""
    before = replay(SETUP, BEGINNING)
    due_ms = before.clock.due_ms + SETUP.clock.grace_ms
    end = StampedEntry(before.state.version + 1, 0, due_ms + 500, TimedOut())
    seat = before.state.to_act
    assert seat is not None
    return [*BEGINNING, end], seat, due_ms


def refused_as_late(seat: Seat, at_ms: int) -> ReceiptLine:
    stamped = next(one for one in LOG if one.version == 20 and not one.refusal)
    asked = submission_of(SETUP, stamped)
    assert isinstance(asked, Submission)
    assert asked.seat is seat
    share = next(one for one in kept(seat) if isinstance(one, ShareLine))
    before = replace(stamped, version=19, time_ms=at_ms)
    receipt = stored_receipt(asked, before, None, share.commitment)
    return sign(replace(receipt, reason="MOVE_LATE"), asked)


@pytest.mark.parametrize(
    ("past_ms", "finding"),
    [
        pytest.param(1, Finding.VALID, id="after the deadline"),
        pytest.param(0, Finding.BROKEN, id="in time, however long the match waited"),
    ],
)
def test_only_what_came_after_the_deadline_was_late(
    past_ms: int, finding: Finding
) -> None:
    log, seat, due_ms = timed_out()

    verdict = confronted(log, [refused_as_late(seat, due_ms + past_ms)], seat=seat)

    assert verdict.finding is finding
    assert ("MOVE_LATE" in str(verdict.problem)) is (finding is Finding.BROKEN)


@pytest.mark.parametrize("seat", [Seat.NORTH, Seat.SOUTH], ids=str)
def test_receipts_of_what_a_void_match_has_lost_are_told_and_break_nothing(
    seat: Seat,
) -> None:
    last = LOG[-1]
    lost = last.version - BEGINNING[-1].version
    end = StampedEntry(last.version + 1, 0, last.time_ms, Voided(lost))

    verdict = confronted([*BEGINNING, end], kept(seat), seat=seat)

    assert (verdict.finding, verdict.problem) == (Finding.VALID, None)
    assert "receipts of what the referee says that it has lost" in verdict.notes[-1]


def test_a_void_match_that_has_lost_nothing_excuses_nothing() -> None:
    end = StampedEntry(20, 0, LOG[-1].time_ms, Voided())

    verdict = confronted([*BEGINNING, end], kept(Seat.NORTH), seat=Seat.NORTH)

    assert verdict.finding is Finding.BROKEN
    assert "the referee has signed that entry" in str(verdict.problem)


def test_of_two_shares_of_one_bot_one_has_to_be_in_the_deal() -> None:
    other = ShareLine(bytes(32), commit_seat(SETUP.match_id, Seat.NORTH, bytes(32)))

    both = confronted(list(LOG), [other, *kept(Seat.NORTH)], seat=Seat.NORTH)
    alone = confronted(list(LOG), [other], seat=Seat.NORTH)

    assert (both.finding, both.evidence[0].shares) == (Finding.VALID, 1)
    assert alone.finding is Finding.BROKEN


def test_a_last_line_that_a_crash_has_cut_off_is_told_and_breaks_nothing() -> None:
    lines = kept(Seat.NORTH)

    verdict = confronted(list(LOG), lines, cut=b'{"kind":"rec', seat=Seat.NORTH)

    assert verdict.finding is Finding.VALID
    assert verdict.notes[-1].startswith("evidence: its last line was cut off")


@pytest.mark.parametrize("end", [b"{}?", b'"over"}', b"{}{"], ids=repr)
def test_a_last_line_whose_end_was_changed_is_no_line_that_was_cut_off(
    end: bytes,
) -> None:
    verdict = confronted(list(LOG), kept(Seat.NORTH), cut=end, seat=Seat.NORTH)

    assert verdict.finding is Finding.BROKEN
    assert "it has no end" in str(verdict.problem)


@pytest.mark.parametrize("is_signed", [True, False], ids=["signed", "only told"])
def test_another_offer_says_whether_the_referee_has_signed_it(
    *, is_signed: bool
) -> None:
    cards = bytes(range(32))
    promise = statement(SETUP.match_id, SETUP.ruleset, SETUP.bots, cards)
    signature = REFEREE.sign(promise) if is_signed else SETUP.signature
    offer = replace(OfferLine.of(SETUP), commitment=cards, signature=signature)

    verdict = confronted(list(LOG), [offer], seat=Seat.NORTH)

    assert verdict.finding is Finding.BROKEN
    assert ("as the referee has signed" in str(verdict.problem)) is is_signed
