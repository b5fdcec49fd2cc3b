"""What the judgment of one record comes to, in words for people and for programs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from ginref.cli.judgment_export import export_facts, export_lines, read_records
from ginref.engine.seat import Seat
from ginref.engine.sheet import Game
from ginref.record.agreement import confront
from ginref.record.envelope import EnvelopeError, parse_envelope
from ginref.record.evidence import Agreement
from ginref.record.flaw import Flaw
from ginref.record.replay import Replay
from ginref.record.setup import Setup
from ginref.record.verify import Finding, Verdict, verify_record
from ginref.tournament.export import PAYLOAD_TYPE
from ginref.tournament.export_verify import verify_export
from ginref.tournament.witness import KeptHead

_NO_EVIDENCE: Final[Mapping[str, Sequence[Path]]] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgment:
    """A judged file. It is small, so that it can come from another process.

    Attributes:
        path: The file.
        finding: What it comes to.
        lines: The same for people, by name.
        facts: The same for programs, as JSON values.
        unread: Why the file could not be read; None if it could.
        told: Match and head of the chain of a record by a trusted key; else None.
    """

    path: Path
    finding: Finding
    lines: tuple[tuple[str, str], ...] = ()
    facts: Mapping[str, Any]
    unread: str | None = None
    told: tuple[str, bytes] | None = None

    def contradicting(self, other: Path) -> "Judgment":
        """Return this as broken: another file tells the same match differently."""
        problem = (
            f"{other} tells this match in another way, and the key has signed both"
        )
        finding = Finding.BROKEN
        return replace(
            self,
            finding=finding,
            lines=(("wrong", problem), *self.lines),
            facts={
                **self.facts,
                "finding": str(finding),
                "exit_code": finding.exit_code,
                "problem": problem,
                "wrong": str(Flaw.CHAIN),
            },
        )


def judge(  # noqa: PLR0913 - one for each thing to compare with
    keys: Mapping[str, bytes],
    path: Path,
    *,
    records: Path | None = None,
    evidence: Mapping[str, Sequence[Path]] = _NO_EVIDENCE,
    heads: Sequence[KeptHead] = (),
    referees: Sequence[Mapping[str, bytes]] = (),
) -> Judgment:
    """Judge the record or the export in a file.

    Args:
        keys: Public keys that are trusted, by name.
        path: The file.
        records: Folder of records that an export is compared with; None for none.
        evidence: Files that a record is compared with, by match.
        heads: Heads of logs that an export is compared with.
        referees: The keys of each referee; nothing if all of them are of one.
    """
    try:
        envelope = path.read_bytes()
        is_export = _is_export(envelope)
        listed = tuple(read_records(keys, records)) if records and is_export else None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        unread = f"cannot be read: {reason}"
        verdict = Verdict(finding=Finding.BROKEN, problem=unread, wrong=Flaw.FORM)
        facts = _facts(path, verdict)
        return Judgment(path=path, finding=Finding.BROKEN, facts=facts, unread=unread)
    if is_export:
        exported = verify_export(envelope, keys, listed, heads)
        return Judgment(
            path=path,
            finding=exported.finding,
            lines=tuple(export_lines(exported)),
            facts=export_facts(path, exported),
        )
    verdict = verify_record(envelope, keys)
    told = None
    if verdict.record and verdict.is_trusted and verdict.finding is not Finding.BROKEN:
        told = verdict.record.setup.match_id, verdict.record.chain
    if verdict.record:
        # What one referee has signed proves nothing of a match of another one.
        beside = [known for known in referees if verdict.key_id in known]
        own = {name: key for known in beside for name, key in known.items()}
        for kept in evidence.get(verdict.record.setup.match_id, ()):
            data = kept.read_bytes()
            verdict = confront(verdict, data, own if referees else keys, str(kept))
    return Judgment(
        path=path,
        finding=verdict.finding,
        lines=tuple(_lines(verdict)),
        facts=_facts(path, verdict),
        told=told,
    )


def missing(match_id: str, path: Path) -> Judgment:
    """Judge evidence of a match of which there is no record."""
    problem = f"it is of match {match_id}, and no record of that is here"
    verdict = Verdict(finding=Finding.BROKEN, problem=problem, wrong=Flaw.EVIDENCE)
    return Judgment(
        path=path,
        finding=verdict.finding,
        lines=tuple(_lines(verdict)),
        facts={**_facts(path, verdict), "match_id": match_id},
    )


def _is_export(envelope: bytes) -> bool:
    try:
        return parse_envelope(envelope).payload_type == PAYLOAD_TYPE
    except EnvelopeError:
        return False


def _lines(verdict: Verdict) -> Iterator[tuple[str, str]]:
    if verdict.problem:
        yield "wrong", verdict.problem
    if verdict.record:
        setup = verdict.record.setup
        rules = f"{setup.ruleset.name} (digest {setup.ruleset.digest[:12]})"
        yield "match", f"{setup.match_id}, {rules}"
        for seat in setup.seats:
            yield str(seat), setup.bots[seat]
    if verdict.record and verdict.replayed:
        yield from _results(verdict.record.setup, verdict.replayed)
    if verdict.deals:
        yield "deals", verdict.deals
    for agreed in verdict.evidence:
        yield "evidence", _agreed(agreed)
    if verdict.signed_seats:
        yield "signed", f"every move of {' and '.join(map(str, verdict.signed_seats))}"
    if verdict.key_id:
        unknown = " (unknown: name the referee's keys with --keys)"
        yield "key", verdict.key_id + ("" if verdict.is_trusted else unknown)
    for note in verdict.notes:
        yield "note", note


def _agreed(agreed: Agreement) -> str:
    receipts = _count(agreed.accepted + agreed.refused, "receipt")
    shares, offers = _count(agreed.shares, "share"), _count(agreed.offers, "offer")
    text = (
        f"{agreed.seat}: {receipts} ({agreed.refused} of refusals), {shares}, {offers}:"
        " all as in the record"
    )
    if agreed.unacknowledged:
        text += f"; {agreed.unacknowledged} of its submissions have no receipt"
    return text


def _results(setup: Setup, replayed: Replay) -> Iterator[tuple[str, str]]:
    state = replayed.state
    rounds = _count(len(replayed.rounds), "round")
    moves = _count(replayed.move_count, "move")
    yield "played", f"{rounds}, {moves}, {_count(sum(state.strikes), 'strike')}"
    if state.ending:
        winner = _winner(setup, state.ending.winner)
        at_fault = ", ".join(map(str, state.ending.seats_at_fault))
        fault = at_fault or str(state.ending.fault)
        yield "ending", f"{state.ending.kind} (fault: {fault})"
        yield "winner", winner
    for number, game in enumerate(state.match.sheet.games if state.match else (), 1):
        yield f"game {number}", _game(setup, game)


def _winner(setup: Setup, winner: Seat | None) -> str:
    return "nobody" if winner is None else f"{winner}, {setup.bots[winner]}"


def _game(setup: Setup, game: Game) -> str:
    scores = ", ".join(f"{seat} {game.total(seat)}" for seat in setup.seats)
    if game.is_open:
        return f"{scores}; open"
    won = "drawn" if game.winner is None else f"won by {game.winner}"
    return f"{scores}; {won}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _facts(path: Path, verdict: Verdict) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "file": str(path),
        "finding": str(verdict.finding),
        "exit_code": verdict.finding.exit_code,
        "problem": verdict.problem,
        "wrong": None if verdict.wrong is None else str(verdict.wrong),
        "version": verdict.version,
        "key_id": verdict.key_id,
        "key_known": verdict.is_trusted,
        "notes": list(verdict.notes),
        "signed": [str(seat) for seat in verdict.signed_seats],
        "evidence": [
            {**asdict(agreed), "seat": str(agreed.seat)} for agreed in verdict.evidence
        ],
    }
    if verdict.record:
        setup = verdict.record.setup
        facts |= {
            "match_id": setup.match_id,
            "ruleset": setup.ruleset.name,
            "ruleset_digest": setup.ruleset.digest,
            "bots": list(setup.bots),
            "deal_source": str(setup.deal_source),
        }
    if verdict.record and verdict.replayed:
        facts |= {
            "rounds": verdict.round_count,
            "moves": verdict.move_count,
            "strikes": verdict.strike_count,
            "ending": verdict.record.document["ending"],
            "sheet": verdict.record.document["sheet"],
        }
    return facts
