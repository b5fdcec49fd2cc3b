"""The oracle finds every fault that it is there for, and none in a run without."""

import base64
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from tests.faults.journal import Asked, Ended, Line, Made, Marked, Saw, Told, digest
from tests.faults.oracle import CHECKS, LIVELY_NS, Evidence, Level, judge
from tests.unit.conftest import CREATED_MS, PlayedMatch, Referee, build_setup, play
from tests.unit.record.witness import Log, keep

from ginref.record.document import PAYLOAD_TYPE, build_record
from ginref.record.entry import Moved, StampedEntry, TimedOut
from ginref.record.envelope import seal_envelope
from ginref.record.evidence import ReceiptLine
from ginref.record.setup import Setup

REFEREE = Referee()
KEYS = {REFEREE.key_id: REFEREE.public_key}
TICK_NS = 1_000_000


@dataclass
class Run:
    """A run that a test may doctor: one match, its journal and its record."""

    lines: list[Line] = field(default_factory=list)
    document: dict[str, Any] = field(default_factory=dict)
    copies: list[bytes] = field(default_factory=list)
    levels: list[Level] = field(default_factory=list)

    @property
    def evidence(self) -> Evidence:
        copies = self.copies or [sign(self.document)]
        return Evidence(
            journal=self.lines,
            records={"match-0": copies},
            keys=KEYS,
            levels=self.levels,
        )

    def replies(self) -> list[int]:
        """Places of the replies that acknowledge a move."""
        return [
            at
            for at, line in enumerate(self.lines)
            if isinstance(line, Told) and line.outcome == "accepted"
        ]

    def told(self, at: int) -> Told:
        """Return the reply at a place."""
        line = self.lines[at]
        assert isinstance(line, Told)
        return line

    def doctor(self, at: int, **changes: Any) -> None:  # noqa: ANN401 - any field
        self.lines[at] = replace(self.lines[at], **changes)

    def stretch(self, at: int, by_ns: int) -> None:
        """Let everything from a line on happen later."""
        for place in range(at, len(self.lines)):
            line = self.lines[place]
            self.lines[place] = replace(line, at_ns=line.at_ns + by_ns)


def sign(document: dict[str, Any]) -> bytes:
    """Sign whatever a document says."""
    payload = json.dumps(
        document, sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )
    return seal_envelope(payload.encode(), PAYLOAD_TYPE, REFEREE)


def honest(made: PlayedMatch | None = None) -> Run:
    """A run in which everything went well."""
    setup, log = made or play(0)
    receipts = _receipts(setup, log)
    document = json.loads(build_record(setup, log))
    run = Run(document=document)
    run.lines.append(
        Made(at_ns=1, match_id="match-0", request_id="r", has_whole_journal=True)
    )
    at_ns = TICK_NS
    for number, stamped in enumerate(log):
        if hasattr(stamped.entry, "request_id"):
            run.lines += _call(number, at_ns, stamped, receipts)
            at_ns += 3 * TICK_NS
    run.lines.insert(
        len(run.lines) // 2 // 2 * 2, Marked(at_ns=at_ns // 2, name="calm")
    )
    run.lines.sort(key=lambda line: line.at_ns)
    versions = [e["version"] for e in document["entries"] if e["kind"] == "move"]
    run.lines.append(
        Saw(at_ns=at_ns, match_id="match-0", watcher="w", versions=tuple(versions[4:]))
    )
    ending = document["ending"]
    for by in ("bot", "w"):
        run.lines.append(
            Ended(
                at_ns=at_ns,
                match_id="match-0",
                kind=ending["kind"],
                winner=ending["winner"] or "",
                by=by,
            )
        )
    run.levels.append(Level("files", 20, 22, slack=2))
    return run


def _receipts(setup: Setup, log: Log) -> dict[str, str]:
    """What the referee has signed, by request id."""
    return {
        line.submission.request_id: line.receipt
        for seat in setup.seats
        for line in keep(setup, log, seat)
        if isinstance(line, ReceiptLine) and line.submission
    }


def _call(
    number: int, at_ns: int, stamped: StampedEntry, receipts: dict[str, str]
) -> Sequence[Line]:
    entry: Any = stamped.entry
    accepted = isinstance(entry, Moved)
    asked = Asked(
        number=number,
        at_ns=at_ns,
        match_id="match-0",
        seat=str(entry.seat),
        request_id=entry.request_id,
        expected_version=stamped.version - accepted,
        move=str(entry.move),
        way="call",
    )
    told = Told(
        number=number,
        at_ns=at_ns + TICK_NS,
        outcome="accepted" if accepted else "refused",
        version=stamped.version if accepted else 0,
        time_ms=stamped.time_ms if accepted else 0,
        answer=digest(bytes([number % 256])),
        receipt=receipts[entry.request_id],
    )
    return asked, told


def checks_that_fire(run: Run) -> set[str]:
    return {violation.check for violation in judge(run.evidence).violations}


def test_a_run_without_a_fault_is_found_to_be_one() -> None:
    findings = judge(honest().evidence)

    assert findings.violations == []
    assert findings.counts["acknowledged"] == findings.counts["moves"] > 20
    assert findings.counts["watched"] > 20


def test_an_unknown_outcome_may_have_happened_or_not() -> None:
    run = honest()
    happened = run.replies()[5]
    run.doctor(happened, outcome="unknown", version=0, time_ms=0, answer="")
    number = 10**6
    asked = next(line for line in run.lines if isinstance(line, Asked))
    lost = replace(asked, number=number, request_id="lost")
    run.lines[3:3] = [lost, Told(number=number, at_ns=lost.at_ns, outcome="unknown")]

    findings = judge(run.evidence)

    assert findings.violations == []
    assert findings.counts["kept, but never told"] == 1


def _lose_a_move(run: Run) -> None:
    last = run.replies()[-1]
    asked = next(line for line in run.lines if isinstance(line, Asked))
    lost = replace(asked, number=10**6, request_id="lost", at_ns=run.lines[last].at_ns)
    told = replace(run.told(last), number=10**6, version=10**6)
    run.lines[last + 1 : last + 1] = [lost, told]


def _tell_another_version(run: Run) -> None:
    at = run.replies()[-1]
    run.doctor(at, version=run.told(at).version + 1)


def _leave_out_an_entry(run: Run) -> None:
    del run.document["entries"][9]


def _double_a_request(run: Run) -> None:
    moves = [entry for entry in run.document["entries"] if entry["kind"] == "move"]
    mine = [entry for entry in moves if entry["seat"] == moves[0]["seat"]]
    mine[1]["request_id"] = mine[0]["request_id"]


def _forge(run: Run) -> None:
    envelope = json.loads(sign(run.document))
    envelope["signatures"][0]["sig"] = base64.b64encode(bytes(64)).decode()
    run.copies = [json.dumps(envelope).encode()]


def _break_the_chain(run: Run) -> None:
    run.document["chain"] = "00" * 32


def _score_wrongly(run: Run) -> None:
    run.document["rounds"][0]["points"] += 1


def _answer_otherwise(run: Run) -> None:
    at = run.replies()[3]
    run.lines.insert(at + 1, replace(run.told(at), answer=digest(b"another")))


def _answer_late(run: Run) -> None:
    """Answer a later version before an earlier one is called."""
    first, second = run.replies()[2:4]
    earlier, later = run.told(first), run.told(second)
    run.doctor(first, version=later.version, time_ms=later.time_ms)
    run.doctor(second, version=earlier.version, time_ms=earlier.time_ms)


def _end_twice(run: Run) -> None:
    run.lines.append(
        Ended(at_ns=10**12, match_id="match-0", kind="aborted", winner="", by="eve")
    )


def _watch_with_a_gap(run: Run) -> None:
    at = next(at for at, line in enumerate(run.lines) if isinstance(line, Saw))
    saw = run.lines[at]
    assert isinstance(saw, Saw)
    run.doctor(at, versions=saw.versions[:3] + saw.versions[4:])


def _stop_watching_early(run: Run) -> None:
    at = next(at for at, line in enumerate(run.lines) if isinstance(line, Saw))
    saw = run.lines[at]
    assert isinstance(saw, Saw)
    run.doctor(at, versions=saw.versions[:-1])


def _keep_another_move(run: Run) -> None:
    at = run.replies()[1] - 1
    run.doctor(at, move="discard As")


def _refuse_what_is_kept(run: Run) -> None:
    at = run.replies()[1]
    run.doctor(at, outcome="refused", reason="VERSION_STALE", version=0, time_ms=0)


def _keep_what_nobody_sent(run: Run) -> None:
    at = run.replies()[1]
    del run.lines[at - 1 : at + 1]


def _stand_still(run: Run) -> None:
    run.stretch(len(run.lines) - 8, LIVELY_NS + TICK_NS)


def _lose_the_record(run: Run) -> None:
    ended = next(line for line in run.lines if isinstance(line, Ended))
    run.lines += [
        Made(at_ns=ended.at_ns, match_id="m2", request_id="r", has_whole_journal=True),
        replace(ended, match_id="m2"),
    ]


def _keep_two_records(run: Run) -> None:
    other = json.loads(json.dumps(run.document))
    other["strikes"] = [9, 9]
    run.copies = [sign(run.document), sign(other)]


def _sign_for_another(run: Run) -> None:
    """Give the receipt of one move for another one."""
    first, second = run.replies()[2:4]
    run.doctor(first, receipt=run.told(second).receipt)


def _leak(run: Run) -> None:
    run.levels.append(Level("watchers", 0, 1))


DOCTORED: list[tuple[str, Callable[[Run], None]]] = [
    ("I1", _lose_a_move),
    ("I1", _tell_another_version),
    ("I2", _leave_out_an_entry),
    ("I2", _double_a_request),
    ("I3", _forge),
    ("I3", _break_the_chain),
    ("I4", _score_wrongly),
    ("I5", _answer_otherwise),
    ("I6", _answer_late),
    ("I7", _end_twice),
    ("I7", _watch_with_a_gap),
    ("I7", _stop_watching_early),
    ("I9", _keep_another_move),
    ("I9", _keep_what_nobody_sent),
    ("I9", _refuse_what_is_kept),
    ("I10", _stand_still),
    ("I11", _lose_the_record),
    ("I11", _keep_two_records),
    ("I12", _leak),
    ("I13", _sign_for_another),
]


@pytest.mark.parametrize(
    ("check", "doctor"), DOCTORED, ids=[f"{c}{d.__name__}" for c, d in DOCTORED]
)
def test_a_fault_is_found(check: str, doctor: Callable[[Run], None]) -> None:
    run = honest()
    doctor(run)

    assert check in checks_that_fire(run)


def _timed_out() -> Run:
    setup = build_setup(0)
    return honest(play(0, ending=TimedOut(), setup=setup))


def _wait_of_the_last(run: Run) -> tuple[dict[str, Any], int]:
    last, before = run.document["entries"][-1], run.document["entries"][-2]
    return last, before["at_ms"]


def test_a_timeout_in_time_is_no_fault() -> None:
    run = _timed_out()

    assert run.document["created_ms"] == CREATED_MS
    assert checks_that_fire(run) == set()


def test_a_timeout_before_its_time_is_found() -> None:
    run = _timed_out()
    last, before_ms = _wait_of_the_last(run)
    clock = run.document["match"]["clock"]
    last["at_ms"] = before_ms + clock["cap_ms"] + clock["grace_ms"]

    assert "I8" in checks_that_fire(run)


def test_a_timeout_within_an_outage_that_is_credited_is_found() -> None:
    run = _timed_out()
    last, before_ms = _wait_of_the_last(run)
    last["credit_ms"] = last["at_ms"] - before_ms

    assert "I8" in checks_that_fire(run)


def test_a_seat_that_does_not_show_up_has_its_time() -> None:
    run = honest(play(0, ending=TimedOut(), ends_in=_forming()))
    assert checks_that_fire(run) == set()
    run.document["entries"][-1]["at_ms"] = run.document["match"]["clock"]["start_ms"]

    assert "I8" in checks_that_fire(run)


def _forming() -> Any:  # noqa: ANN401 - a stage
    from ginref.record.lifecycle import Stage  # noqa: PLC0415

    return Stage.FORMING


def test_every_check_is_seen_to_fire() -> None:
    assert {check for check, _ in DOCTORED} | {"I8"} == set(CHECKS)
