"""What referees have signed under faults, beside the records that came of it."""

from collections.abc import Iterable, Iterator, Mapping

from tests.faults.journal import Asked

from ginref.engine.move import parse_move
from ginref.engine.seat import Seat
from ginref.record.agreement import confront
from ginref.record.evidence import ReceiptLine, first_line, write_line
from ginref.record.submission import Submission
from ginref.record.verify import Finding, Verdict


def contradictions(
    verdict: Verdict, told: Iterable[tuple[Asked, str]], keys: Mapping[str, bytes]
) -> Iterator[str]:
    """Yield what the receipts of a match say otherwise than its record.

    Args:
        verdict: The judgment of the record.
        told: Receipts, each with the call that it answers.
        keys: Public keys of the referees, by name.
    """
    kept: dict[str, list[ReceiptLine]] = {}
    for call, receipt in told:
        submission = Submission(
            match_id=call.match_id,
            seat=Seat.parse(call.seat),
            expected_version=call.expected_version,
            request_id=call.request_id,
            move=parse_move(call.move),
        )
        kept.setdefault(call.seat, []).append(ReceiptLine(receipt, submission))
    for seat, lines in kept.items():
        match_id = lines[0].submission.match_id if lines[0].submission else ""
        data = first_line(match_id, Seat.parse(seat)) + b"".join(map(write_line, lines))
        compared = confront(verdict, data, keys, seat)
        if compared.finding is not Finding.VALID:
            yield f"{compared.finding}: {compared.problem}"
