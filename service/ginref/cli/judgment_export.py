"""What the judgment of a tournament's export comes to, in words."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ginref.tournament.export_match import MatchRecord, read_match_record
from ginref.tournament.export_verify import ExportVerdict

_PODIUM = 3


def read_records(keys: Mapping[str, bytes], folder: Path) -> Iterator[MatchRecord]:
    """Judge all records of a folder.

    Raises:
        OSError: One cannot be read.
    """
    for path in sorted(folder.glob("*.json")):
        yield read_match_record(str(path), path.read_bytes(), keys)


def export_lines(verdict: ExportVerdict) -> Iterator[tuple[str, str]]:
    """Yield what is said of an export, by name, for people."""
    if verdict.problem:
        yield "wrong", verdict.problem
    if verdict.export is not None:
        document = verdict.export.document
        declared = verdict.export.configuration
        names = (declared.title or declared.name, str(document["tournament"]))
        yield "name", ", ".join(dict.fromkeys(names))
        entries = len(verdict.export.entries)
        yield "log", f"{entries} entries, head {verdict.export.head}"
    if verdict.export is not None and verdict.audited is not None:
        yield from _proved(verdict, verdict.export.document)
    if verdict.key_id:
        unknown = " (unknown: name the referee's keys with --keys)"
        yield "key", verdict.key_id + ("" if verdict.is_trusted else unknown)
    for note in verdict.notes:
        yield "note", note


def _proved(
    verdict: ExportVerdict, document: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    yield "state", str(document["lifecycle"])
    matches = f"{len(document['matches'])} matches"
    if verdict.records is not None:
        matches += f", {verdict.records} as their records say"
    yield "played", matches
    if verdict.heads:
        yield "evidence", f"{verdict.heads} heads that bots have kept are of this log"
    for placing in document["ranking"][:_PODIUM]:
        yield f"rank {placing['rank']}", ", ".join(placing["bots"])
    people, attempts = document["interventions"], document["attempts"]
    yield "people", f"{len(people)} interventions, {len(attempts)} extra attempts"
    for one in people:
        told = f"entry {one['sequence']}, {one['kind']} by {one['actor']}"
        yield "decided", f"{told}: {one['reason']}" if one["reason"] else told
    for one in attempts:
        told = f"entry {one['sequence']}, {one['fixture']} attempt {one['attempt']}"
        yield "again", f"{told}: {one['reason']}"
    for match in document["missing"]:
        yield "open", f"{match} has begun and not ended"


def export_facts(path: Path, verdict: ExportVerdict) -> dict[str, Any]:
    """Return the same for programs, as JSON values."""
    facts: dict[str, Any] = {
        "file": str(path),
        "finding": str(verdict.finding),
        "exit_code": verdict.finding.exit_code,
        "problem": verdict.problem,
        "wrong": None if verdict.wrong is None else str(verdict.wrong),
        "key_id": verdict.key_id,
        "key_known": verdict.is_trusted,
        "notes": list(verdict.notes),
        "records": verdict.records,
        "heads": verdict.heads,
    }
    if verdict.export is None:
        return facts
    document = verdict.export.document
    facts |= {
        "tournament": document["tournament"],
        "entries": len(verdict.export.entries),
        "head": verdict.export.head,
    }
    if verdict.audited is not None:
        names = ("lifecycle", "ranking", "interventions", "attempts", "missing")
        facts |= {name: document[name] for name in names}
    return facts
