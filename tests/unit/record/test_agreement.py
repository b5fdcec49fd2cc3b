"""A record beside what a bot has kept: what contradicts is named, and nothing else."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from tests.unit.conftest import Referee
from tests.unit.record.gallery import PLACE
from tests.unit.record.witness import Log, keep, sign, told, write

from ginref.engine.seat import Seat
from ginref.record.agreement import confront
from ginref.record.document import PAYLOAD_TYPE, build_record
from ginref.record.entry import Moved, Refused
from ginref.record.envelope import seal_envelope
from ginref.record.evidence import (
    Line,
    OfferedPlace,
    OfferLine,
    OverLine,
    ReadyLine,
    ReceiptLine,
    ShareLine,
)
from ginref.record.evidence_read import read_evidence
from ginref.record.flaw import Flaw
from ginref.record.lifecycle import EndingKind
from ginref.record.proof import submission_of
from ginref.record.receipt import Receipt, stored_receipt
from ginref.record.setup import Setup
from ginref.record.shape import RecordError
from ginref.record.verify import Finding, Verdict, verify_record

SEAT = Seat.NORTH

MakeSetup = Callable[..., Setup]
Play = Callable[..., tuple[Setup, Log]]
Compare = Callable[..., Verdict]


@pytest.fixture(scope="module")
def log(play_match: Play, make_setup: MakeSetup) -> tuple[Setup, Log]:
    setup = replace(make_setup(7), receipts=True)
    return play_match(7, setup=setup, refusals=0.1)


@pytest.fixture(scope="module")
def payload(log: tuple[Setup, Log]) -> bytes:
    return build_record(*log)


@pytest.fixture(scope="module")
def compare(log: tuple[Setup, Log], payload: bytes, keys: dict[str, bytes]) -> Compare:
    """Compare the record of the match with some evidence."""
    record = seal_envelope(payload, PAYLOAD_TYPE, Referee())
    verdict = verify_record(record, keys)
    assert verdict.finding is Finding.VALID

    def run(lines: list[Line] | bytes, seat: Seat = SEAT) -> Verdict:
        data = lines if isinstance(lines, bytes) else write(log[0], seat, lines)
        return confront(verdict, data, keys)

    return run


@pytest.mark.parametrize("seat", [Seat.NORTH, Seat.SOUTH], ids=str)
def test_honest_evidence_agrees_to_the_last_line(
    log: tuple[Setup, Log], payload: bytes, compare: Compare, seat: Seat
) -> None:
    lines = told(payload, keep(*log, seat))

    verdict = compare(lines, seat)

    assert (verdict.finding, verdict.problem) == (Finding.VALID, None)
    (agreed,) = verdict.evidence
    assert (agreed.seat, agreed.offers, agreed.shares) == (seat, 1, 1)
    assert agreed.accepted + agreed.refused == len(lines) - 4
    assert agreed.refused > 0
    assert agreed.unacknowledged == 0


def test_what_has_no_receipt_is_counted(
    log: tuple[Setup, Log], compare: Compare
) -> None:
    lines = keep(*log, SEAT)
    lines.remove(next(line for line in lines if isinstance(line, ReceiptLine)))

    verdict = compare(lines)

    assert verdict.finding is Finding.VALID
    assert verdict.evidence[0].unacknowledged == 1


def test_receipts_by_another_key_prove_nothing(
    log: tuple[Setup, Log], compare: Compare
) -> None:
    entry, submission = _first(log, Moved)
    forged = stored_receipt(submission, replace(entry, version=2), None, None)

    verdict = compare([*keep(*log, SEAT), sign(forged, submission, Referee(1))])

    assert (verdict.finding, verdict.wrong) == (Finding.UNKNOWN_KEY, Flaw.KEY)
    assert verdict.problem is None
    assert Referee(1).key_id in verdict.notes[-1]


def _first(log: tuple[Setup, Log], kind: type[Moved | Refused]) -> tuple[Any, Any]:
    """The first submission of a kind, and its entry."""
    setup, entries = log
    entry = next(
        one for one in entries if isinstance(one.entry, kind) and one.entry.seat is SEAT
    )
    return entry, submission_of(setup, entry)


def _signed(
    log: tuple[Setup, Log],
    kind: type[Moved | Refused] = Moved,
    **changes: Any,  # noqa: ANN401
) -> ReceiptLine:
    """A receipt that the referee has signed, and that says something else."""
    entry, submission = _first(log, kind)
    share = next(one for one in keep(*log, SEAT) if isinstance(one, ShareLine))
    reason = "CARD_NOT_IN_HAND" if kind is Refused else None
    right = stored_receipt(submission, entry, reason, share.commitment)
    asked = changes.pop("asked", submission)
    return sign(replace(right, **changes), asked)


def _unstored(log: tuple[Setup, Log], reason: str, **changes: Any) -> ReceiptLine:  # noqa: ANN401
    """A refusal without a strike, of the move that was in fact the first one."""
    entry, submission = _first(log, Moved)
    asked = replace(submission, request_id="other")
    before = next(
        one for one in log[1] if (one.version, one.refusal) == (entry.version - 1, 0)
    )
    receipt = stored_receipt(asked, before, None, None)
    share = next(one for one in keep(*log, SEAT) if isinstance(one, ShareLine))
    receipt = replace(receipt, reason=reason, commitment=share.commitment)
    return sign(replace(receipt, **changes), changes.get("asked", asked))


Lie = Callable[[tuple[Setup, Log]], Line]

LIES: dict[str, tuple[Lie, str, Flaw]] = {
    "a seat had committed otherwise": (
        lambda _: ReadyLine((bytes(32), None)),
        "north had committed otherwise when this share was asked for",
        Flaw.EVIDENCE,
    ),
    "one seat had committed": (
        lambda _: ReadyLine((None,)),
        "commitments of 2 seats expected",
        Flaw.FORM,
    ),
    "another commitment was offered": (
        lambda log: replace(OfferLine.of(log[0]), commitment=bytes(32)),
        "as the seat was offered",
        Flaw.EVIDENCE,
    ),
    "other bots were offered": (
        lambda log: replace(OfferLine.of(log[0]), bots=("careful", "friend")),
        'bots[1]: "greedy" where "friend"',
        Flaw.EVIDENCE,
    ),
    "receipts were offered": (
        lambda log: replace(OfferLine.of(log[0]), receipts=False),
        "receipts: true where false",
        Flaw.EVIDENCE,
    ),
    "it was offered as a match of a tournament": (
        lambda log: replace(OfferLine.of(log[0]), place=OfferedPlace.of(PLACE)),
        "place: null where {",
        Flaw.EVIDENCE,
    ),
    "the match ended otherwise": (
        lambda _: OverLine(ending=EndingKind.ABORTED, winner=None, record_digest=None),
        "as was told",
        Flaw.EVIDENCE,
    ),
    "another record was announced": (
        lambda log: replace(_over(log), record_digest=bytes(32)),
        "another record than was told of",
        Flaw.EVIDENCE,
    ),
    "it was accepted elsewhere": (
        lambda log: _signed(log, version=9),
        "has signed that entry 9 is this submission, accepted; in the record it is",
        Flaw.EVIDENCE,
    ),
    "it was accepted and is not there": (
        lambda log: _signed(log, version=10**6),
        "in the record it is not there",
        Flaw.EVIDENCE,
    ),
    "it was stored at another time": (
        lambda log: _signed(log, at_ms=_first(log, Moved)[0].time_ms + 1),
        "was stored at",
        Flaw.EVIDENCE,
    ),
    "a strike was accepted": (
        lambda log: _signed(log, Refused, reason=None, refusal=None),
        "is this submission, accepted",
        Flaw.EVIDENCE,
    ),
    "a move was struck": (
        lambda log: _signed(log, reason="CARD_NOT_IN_HAND", refusal=0),
        "is this submission, refused",
        Flaw.EVIDENCE,
    ),
    "a strike was for something else": (
        lambda log: _signed(log, Refused, reason="NO_BIG_GIN"),
        "it was refused for NO_BIG_GIN, and it breaks ",
        Flaw.EVIDENCE,
    ),
    "the seat had no share": (
        lambda log: _signed(log, commitment=None),
        "north has no share in the deal; in the record it has one",
        Flaw.EVIDENCE,
    ),
    "the seat had another share": (
        lambda log: _signed(log, commitment=bytes(32)),
        "north has a share in the deal; in the record it has another one",
        Flaw.EVIDENCE,
    ),
    "it is of something else": (
        lambda log: _signed(
            log, asked=replace(_first(log, Moved)[1], expected_version=1)
        ),
        "no receipt of this submission: it is about another submission",
        Flaw.EVIDENCE,
    ),
    "it is of another seat": (
        lambda log: _signed(log, seat=Seat.SOUTH),
        "it is a receipt of match-7, south",
        Flaw.EVIDENCE,
    ),
    "it was called unreadable": (
        lambda log: _signed(
            log, submission=None, reason="MOVE_UNREADABLE", refusal=None
        ),
        "it says that a move could not be read (MOVE_UNREADABLE)",
        Flaw.EVIDENCE,
    ),
    "it was called late in time": (
        lambda log: _unstored(log, "MOVE_LATE"),
        "refused it for MOVE_LATE at version 7, and by the record it had no reason to",
        Flaw.EVIDENCE,
    ),
    "it was called stale": (
        lambda log: _unstored(log, "VERSION_STALE"),
        "for VERSION_STALE",
        Flaw.EVIDENCE,
    ),
    "it was called out of turn": (
        lambda log: _unstored(log, "NOT_YOUR_TURN"),
        "for NOT_YOUR_TURN",
        Flaw.EVIDENCE,
    ),
    "the match was called over": (
        lambda log: _unstored(log, "MATCH_OVER"),
        "for MATCH_OVER",
        Flaw.EVIDENCE,
    ),
    "the match was said not to have begun": (
        lambda log: _unstored(log, "MATCH_NOT_PLAYING"),
        "for MATCH_NOT_PLAYING",
        Flaw.EVIDENCE,
    ),
    "the request id was said to be used": (
        lambda log: _unstored(log, "REQUEST_ID_REUSED"),
        "for REQUEST_ID_REUSED",
        Flaw.EVIDENCE,
    ),
    "it was refused on a whim": (
        lambda log: _unstored(log, "NO_BIG_GIN"),
        "for NO_BIG_GIN",
        Flaw.EVIDENCE,
    ),
    "the match was elsewhere then": (
        lambda log: _unstored(log, "VERSION_STALE", at_ms=log[1][-1].time_ms),
        "the match was at version 7 at",
        Flaw.EVIDENCE,
    ),
    "no receipt at all": (
        lambda _: ReceiptLine("{}", None),
        "no receipt: ",
        Flaw.FORM,
    ),
    "a record instead of a receipt": (
        lambda log: ReceiptLine(
            seal_envelope(build_record(*log), PAYLOAD_TYPE, Referee()).decode(), None
        ),
        "no receipt: ",
        Flaw.FORM,
    ),
    "a receipt by a stolen name": (
        lambda log: replace(
            _signed(log),
            receipt=_signed(log).receipt.replace('"sig":"', '"sig":"AAAA', 1)[:-8]
            + '"}]}',
        ),
        "",
        Flaw.FORM,
    ),
}


def _over(log: tuple[Setup, Log]) -> OverLine:
    return next(one for one in keep(*log, SEAT) if isinstance(one, OverLine))


@pytest.mark.parametrize("name", LIES)
def test_the_first_line_that_contradicts_is_named(
    log: tuple[Setup, Log], compare: Compare, name: str
) -> None:
    lie, says, flaw = LIES[name]
    lines = keep(*log, SEAT)[:3]

    verdict = compare([*lines, lie(log), *lines])

    assert verdict.finding is Finding.BROKEN
    problem = str(verdict.problem)
    assert problem.startswith(f"evidence: line {len(lines) + 2}: ")
    assert says in problem
    assert verdict.wrong is flaw


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        pytest.param(b"", "line 1: it is missing", id="empty"),
        pytest.param(b"{}\n", " is missing", id="another file"),
        pytest.param(b'{"kind":"evi', "line 1: it is missing", id="cut off"),
        pytest.param(b"\n", "line 1: not JSON", id="an empty line"),
        pytest.param(
            b'{"format":2,"kind":"evidence","match_id":"match-7","seat":"north"}\n',
            "line 1.format: only format 1",
            id="another format",
        ),
        pytest.param(
            b'{"format":1,"kind":"evidence","match_id":"match-8","seat":"north"}\n',
            "line 1: it is of match match-8, not of match-7",
            id="another match",
        ),
        pytest.param(
            b'{"format":1,"kind":"evidence","match_id":"match-7","seat":"east"}\n',
            "line 1: the match has no seat east",
            id="another table",
        ),
    ],
)
def test_what_is_no_evidence_of_the_match_is_said_to_be_none(
    compare: Compare, data: bytes, problem: str
) -> None:
    verdict = compare(data)

    assert verdict.finding is Finding.BROKEN
    assert problem in str(verdict.problem)


def test_what_is_written_is_read_again(log: tuple[Setup, Log]) -> None:
    setup, entries = log
    lines: list[Line] = [
        *keep(setup, entries, SEAT),
        ReceiptLine("anything", None),
        replace(OfferLine.of(setup), place=OfferedPlace.of(PLACE)),
    ]

    read = read_evidence(write(setup, SEAT, lines))

    assert (read.match_id, read.seat) == (setup.match_id, SEAT)
    assert [line for _, line in read.lines] == lines
    with pytest.raises(RecordError, match="line 2: an unknown kind"):
        read_evidence(write(setup, SEAT, []) + b'{"kind":"hearsay"}\n')


def test_what_is_wrong_with_the_record_comes_first(keys: dict[str, bytes]) -> None:
    broken = verify_record(b"{}", keys)

    assert confront(broken, b"", keys) is broken


def test_a_receipt_knows_where_its_submission_stands() -> None:
    receipt = Receipt(
        match_id="m",
        seat=SEAT,
        request=bytes(10),
        submission=None,
        version=4,
        refusal=None,
        reason="MOVE_LATE",
        at_ms=0,
        commitment=None,
    )

    assert not receipt.is_stored
    assert replace(receipt, reason=None).is_stored
    assert replace(receipt, refusal=2).place == (4, 2)
