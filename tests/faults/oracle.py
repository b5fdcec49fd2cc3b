"""Judges a run: what callers were told against what the records say.

Each check has a number, I1 to I13, and a sentence in `CHECKS`. A match is one totally
ordered log, so a single pass over the journal is enough; no search is needed.
"""

import base64
import itertools
import json
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.faults.journal import Asked, Ended, Line, Made, Marked, Saw, Told
from tests.faults.plain_match import DisagreementError, play_again
from tests.faults.signed import contradictions

from ginref.record.verify import Finding, verify_record

CHECKS = {
    "I1": "every acknowledged move is in the record, as it was acknowledged",
    "I2": "versions have no gap, and a request id of a seat stands once",
    "I3": "the record is signed, chained and true by the verifier",
    "I4": "the plain way to play comes to the same results",
    "I5": "a request gets the same answer whenever it is sent",
    "I6": "what was called after an answer comes after it",
    "I7": "a match has one result, whoever is told and when",
    "I8": "no seat is timed out before its time",
    "I9": "what nobody was told of happened once or not at all",
    "I10": "every match goes on soon after the last fault",
    "I11": "every match that is over has a record, and all copies are the same",
    "I12": "connections, watchers and files are given back",
    "I13": "what a referee has signed about a submission agrees with the record",
}

LIVELY_NS = 30_000_000_000
"""How long after the last fault a match may stand still."""

LIVELY_PACES = 50
"""The same in usual times between two moves of a match, on a machine that is busy."""


@dataclass(frozen=True, slots=True)
class Violation:
    """Something that must not be."""

    check: str
    match_id: str
    what: str


@dataclass(frozen=True, slots=True)
class Level:
    """A resource that must come back to where it was.

    Attributes:
        name: What is counted.
        before: How much there was before.
        after: How much there was when all was over.
        slack: How much more is no loss.
    """

    name: str
    before: float
    after: float
    slack: float = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a run leaves behind.

    Attributes:
        journal: Its lines, in order.
        records: Copies of each record, by match, from wherever they can be got.
        keys: Public keys of the referees.
        levels: Resources before and after.
    """

    journal: Sequence[Line]
    records: Mapping[str, Sequence[bytes]]
    keys: Mapping[str, bytes]
    levels: Sequence[Level] = ()


@dataclass
class Findings:
    """What the oracle has found, and how much it has looked at."""

    violations: list[Violation] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, check: str, match_id: str, what: str) -> None:
        self.violations.append(Violation(check, match_id, what))


@dataclass
class _Submission:
    """All calls with one request id of a seat."""

    first: Asked
    floor: int
    accepted: list[Told] = field(default_factory=list)
    answers: set[tuple[str, str]] = field(default_factory=set)
    refusals: set[str] = field(default_factory=set)


@dataclass
class _Match:
    """What the journal says of one match."""

    made: Made | None = None
    submissions: dict[tuple[str, str], _Submission] = field(default_factory=dict)
    results: set[tuple[str, str]] = field(default_factory=set)
    highest: int = 0
    signs_of_life: list[int] = field(default_factory=list)
    over_ns: int | None = None
    seen: dict[str, list[int]] = field(default_factory=dict)
    told_the_end: set[str] = field(default_factory=set)
    receipts: list[tuple[Asked, str]] = field(default_factory=list)


def judge(evidence: Evidence) -> Findings:
    """Apply every check."""
    found = Findings()
    matches, calm_ns, end_ns = _read(evidence.journal, found)
    patience_ns = _patience_ns(matches.values(), calm_ns or 0)
    for match_id, match in matches.items():
        copies = evidence.records.get(match_id, ())
        _check_answers(found, match_id, match)
        if calm_ns is not None:
            longest_ns = _longest_ns(match, calm_ns, end_ns)
            if longest_ns > patience_ns:
                found.add("I10", match_id, f"stood still for {longest_ns / 1e9:.1f} s")
        if len(set(copies)) > 1:
            found.add("I11", match_id, f"{len(set(copies))} different records")
        if not copies:
            if match.made is not None or match.results:
                found.add("I11", match_id, "no record")
            continue
        _check_record(found, evidence, match_id, match, copies[0])
    for level in evidence.levels:
        if level.after > level.before + level.slack:
            what = f"{level.name}: {level.before} before, {level.after} after"
            found.add("I12", "", what)
    found.counts["matches"] = len(matches)
    return found


# --- the journal --------------------------------------------------------------


def _read(
    lines: Iterable[Line], found: Findings
) -> tuple[dict[str, _Match], int | None, int]:
    """Sort lines by match; I6 is judged on the way."""
    matches: dict[str, _Match] = defaultdict(_Match)
    asked: dict[int, Asked] = {}
    calm_ns, end_ns = None, 0
    for line in lines:
        end_ns = max(end_ns, line.at_ns)
        match line:
            case Asked():
                asked[line.number] = line
                match = matches[line.match_id]
                key = line.seat, line.request_id
                known = match.submissions.setdefault(
                    key, _Submission(line, match.highest)
                )
                if (known.first.move, known.first.expected_version) != (
                    line.move,
                    line.expected_version,
                ):
                    raise ValueError(f"{key} was sent with two contents")
            case Told():
                _take_reply(found, matches, asked[line.number], line)
            case Made():
                matches[line.match_id].made = line
            case Ended():
                match = matches[line.match_id]
                match.results.add((line.kind, line.winner))
                match.told_the_end.add(line.by)
                match.over_ns = match.over_ns or line.at_ns
            case Saw():
                match = matches[line.match_id]
                match.seen.setdefault(line.watcher, []).extend(line.versions)
                match.signs_of_life.append(line.at_ns)
            case Marked():
                found.counts[line.name] += 1
                if line.name == "calm":
                    calm_ns = line.at_ns
    return dict(matches), calm_ns, end_ns


def _take_reply(
    found: Findings, matches: dict[str, _Match], call: Asked, told: Told
) -> None:
    match = matches[call.match_id]
    sent = match.submissions[call.seat, call.request_id]
    found.counts[told.outcome] += 1
    if told.answer:
        # A stream words its answers otherwise than a call does.
        sent.answers.add((call.way, told.answer))
    if told.receipt:
        match.receipts.append((call, told.receipt))
        found.counts["signed"] += 1
    if told.outcome == "refused":
        sent.refusals.add(told.reason)
    if told.outcome != "accepted":
        return
    match.signs_of_life.append(told.at_ns)
    if told.version <= sent.floor:
        what = f"version {told.version} was called after {sent.floor} was answered"
        found.add("I6", call.match_id, what)
    match.highest = max(match.highest, told.version)
    sent.accepted.append(told)


def _check_answers(found: Findings, match_id: str, match: _Match) -> None:
    for (seat, request_id), sent in match.submissions.items():
        ways = Counter(way for way, _ in sent.answers)
        facts = {(told.version, told.time_ms) for told in sent.accepted}
        if len(facts) > 1 or any(number > 1 for number in ways.values()):
            what = f"{seat} {request_id}: {len(sent.answers)} different answers"
            found.add("I5", match_id, what)
    if len(match.results) > 1:
        found.add("I7", match_id, f"results told: {sorted(match.results)}")


def _longest_ns(match: _Match, calm_ns: int, end_ns: int) -> int:
    """Return the longest time in which a match did not go on after the last fault."""
    if match.made is None:
        return 0
    upto = end_ns if match.over_ns is None else match.over_ns
    start = max(calm_ns, match.made.at_ns)
    times = [start, *(at for at in sorted(match.signs_of_life) if at > start), upto]
    return max(after - before for before, after in itertools.pairwise(times))


def _patience_ns(matches: Iterable[_Match], calm_ns: int) -> int:
    """Return how long a match may stand still, by what the machine gave to all."""
    paces = [
        after - before
        for match in matches
        for before, after in itertools.pairwise(sorted(match.signs_of_life))
        if before > calm_ns
    ]
    usual_ns = statistics.median_low(paces) if paces else 0
    return max(LIVELY_NS, LIVELY_PACES * usual_ns)


# --- the records --------------------------------------------------------------


def _check_record(
    found: Findings, evidence: Evidence, match_id: str, match: _Match, envelope: bytes
) -> None:
    verdict = verify_record(envelope, evidence.keys)
    if verdict.finding is not Finding.VALID:
        found.add("I3", match_id, f"{verdict.finding}: {verdict.problem}")
    for what in contradictions(verdict, match.receipts, evidence.keys):
        found.add("I13", match_id, what)
    document = _document(envelope)
    if document is None:
        found.add("I3", match_id, "not a record")
        return
    found.counts["records"] += 1
    _check_order(found, match_id, document)
    _check_moves(found, match_id, match, document)
    _check_times(found, match_id, document)
    _check_watchers(found, match_id, match, document)
    ending = document["ending"]
    result = ending["kind"], ending["winner"] or ""
    if match.results - {result}:
        what = f"{sorted(match.results)} told, {result} in the record"
        found.add("I7", match_id, what)
    try:
        found.counts["moves"] += play_again(document)
    except (DisagreementError, LookupError, ValueError) as error:
        found.add("I4", match_id, repr(error))


def _document(envelope: bytes) -> dict[str, Any] | None:
    try:
        payload = json.loads(envelope)["payload"]
        document: dict[str, Any] = json.loads(base64.b64decode(payload))
        return document if document["entries"] else None
    except (LookupError, TypeError, ValueError):
        return None


def _check_order(found: Findings, match_id: str, document: dict[str, Any]) -> None:
    version, refusal = 0, 0
    for entry in document["entries"]:
        place = entry["version"], entry.get("refusal", 0)
        if place not in {(version + 1, 0), (version, refusal + 1)}:
            found.add("I2", match_id, f"{place} follows {(version, refusal)}")
        version, refusal = place
    uses = Counter((e["seat"], e["request_id"]) for e in _submitted(document))
    for key, number in uses.items():
        if number > 1:
            found.add("I2", match_id, f"{key} stands {number} times")


def _submitted(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for entry in document["entries"]:
        if entry["kind"] in {"move", "strike"}:
            yield entry


def _check_moves(
    found: Findings, match_id: str, match: _Match, document: dict[str, Any]
) -> None:
    entries = {(e["seat"], e["request_id"]): e for e in _submitted(document)}
    created_ms = document["created_ms"]
    for key, sent in match.submissions.items():
        entry = entries.get(key)
        for told in sent.accepted[:1]:
            said = "move", told.version, told.time_ms, sent.first.move
            kept = entry and (
                entry["kind"],
                entry["version"],
                created_ms + entry["at_ms"],
                entry["move"],
            )
            if kept != said:
                found.add("I1", match_id, f"{key}: {said} told, {kept} kept")
        found.counts["acknowledged"] += bool(sent.accepted)
        if entry and entry["move"] != sent.first.move:
            found.add("I9", match_id, f"{key} was kept as another move")
        if entry and entry["kind"] == "move" and sent.refusals:
            what = f"{key} is kept, and was refused: {sorted(sent.refusals)}"
            found.add("I9", match_id, what)
        found.counts["credited"] += bool(entry and entry.get("credit_ms"))
        if entry and not sent.accepted and entry["kind"] == "move":
            found.counts["kept, but never told"] += 1
    if match.made is not None and match.made.has_whole_journal:
        for key in entries.keys() - match.submissions.keys():
            found.add("I9", match_id, f"{key} was never sent")


def _check_watchers(
    found: Findings, match_id: str, match: _Match, document: dict[str, Any]
) -> None:
    moves = [
        entry["version"] for entry in document["entries"] if entry["kind"] == "move"
    ]
    for watcher, versions in match.seen.items():
        first = versions[0] if versions else 0
        expected = moves[moves.index(first) :] if first in moves else []
        # Who has not followed to the end may have missed the end.
        if watcher not in match.told_the_end:
            expected = expected[: len(versions)]
        if versions != expected:
            found.add("I7", match_id, f"{watcher} missed moves, or saw some twice")
        found.counts["watched"] += len(versions)


def _check_times(found: Findings, match_id: str, document: dict[str, Any]) -> None:
    """Work the clock out anew that ran out."""
    steps = [entry for entry in document["entries"] if not entry.get("refusal")]
    last = steps[-1]
    if last["kind"] != "timeout":
        return
    clock = document["match"]["clock"]
    if document["openings"]["secret"] is None:
        start = _start_of_stage(steps, len(document["match"]["bots"]))
        credit = sum(entry.get("credit_ms", 0) for entry in steps[start + 1 :])
        due = steps[start]["at_ms"] + clock["start_ms"] + credit
    else:
        (seat,) = document["ending"]["seats_at_fault"]
        most = min(clock["free_ms"] + _bank(steps, seat, clock), clock["cap_ms"])
        due = steps[-2]["at_ms"] + most + last.get("credit_ms", 0)
    early_ms = due + clock["grace_ms"] - last["at_ms"]
    if early_ms >= 0:
        found.add("I8", match_id, f"timed out {early_ms} ms too early")


def _start_of_stage(steps: Sequence[dict[str, Any]], seats: int) -> int:
    """Return the place of the step that the running handshake stage began with."""
    start = 0
    for kind in ("accept", "commit"):
        places = [at for at, entry in enumerate(steps) if entry["kind"] == kind]
        if len(places) == seats:
            start = places[-1]
    return start


def _bank(steps: Sequence[dict[str, Any]], seat: str, clock: dict[str, Any]) -> int:
    bank: int = clock["bank_ms"]
    for before, entry in itertools.pairwise(steps):
        if entry["kind"] == "move" and entry["seat"] == seat:
            elapsed = entry["at_ms"] - before["at_ms"] - entry.get("credit_ms", 0)
            bank -= min(bank, max(0, elapsed - clock["free_ms"]))
    return bank
