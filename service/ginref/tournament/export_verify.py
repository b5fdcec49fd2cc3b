"""Is the export of a tournament true? Everything in it is worked out again.

It takes bytes, public keys and, if they are at hand, the records of the matches. The
first wrong thing is named; what comes after it is not judged.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ginref.record.envelope import (
    EnvelopeError,
    UnsignedError,
    parse_envelope,
    signer_of,
)
from ginref.record.flaw import Flaw
from ginref.record.shape import first_difference
from ginref.record.share import commit_boards
from ginref.record.verify import Finding
from ginref.tournament.audit import Audit, audit
from ginref.tournament.error import LogError
from ginref.tournament.export import (
    DERIVED,
    PAYLOAD_TYPE,
    Export,
    ExportError,
    export_json,
    parse_export,
)
from ginref.tournament.export_match import (
    Compared,
    MatchError,
    MatchRecord,
    check_matches,
)
from ginref.tournament.export_section import opened_boards, opened_secret
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.witness import KeptHead, contradicts

_OVER: Final = (Lifecycle.FINISHED, Lifecycle.ARCHIVED)
_SECTIONS: Final = {"matches": Flaw.ENDING, "chance": Flaw.DEAL}
"""What a section that follows from the log is about, if not the score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportVerdict:
    """The outcome of a verification.

    Attributes:
        finding: What it comes to.
        problem: One sentence that names the first wrong thing; None if there is none.
        wrong: What kind of thing that is, or that the key is not known.
        key_id: Name of the key whose signature counted, or that is not known.
        is_trusted: That key is one of those that were given.
        export: The export, as far as it could be read.
        audited: What the check of its log has shown, if all of it could be checked.
        compared: What the records of its matches have shown; None if they were not at
            hand.
        heads: How many heads that bots have kept are those of the log.
        notes: What a reader should know though nothing is wrong.
    """

    finding: Finding
    problem: str | None = None
    wrong: Flaw | None = None
    key_id: str | None = None
    is_trusted: bool = False
    export: Export | None = None
    audited: Audit | None = None
    compared: Compared | None = None
    heads: int = 0
    notes: tuple[str, ...] = ()

    @property
    def records(self) -> int | None:
        """How many matches ended as their records say; None without records."""
        return None if self.compared is None else self.compared.matches


class _BrokenError(Exception):
    """The first wrong thing."""

    def __init__(self, flaw: Flaw, what: str) -> None:
        super().__init__(what)
        self.flaw = flaw


def verify_export(
    envelope: bytes,
    keys: Mapping[str, bytes],
    records: Sequence[MatchRecord] | None = None,
    heads: Sequence[KeptHead] = (),
) -> ExportVerdict:
    """Judge a signed export.

    Args:
        envelope: The export as it was published.
        keys: Public keys that are trusted, by name.
        records: Records of its matches, each judged already; None if they are not at
            hand.
        heads: Heads of logs that bots have kept, of any tournaments.
    """
    try:
        signed = _read(envelope, keys)
    except _BrokenError as error:
        return ExportVerdict(
            finding=Finding.BROKEN, problem=str(error), wrong=error.flaw
        )
    export = signed.export
    assert export is not None  # noqa: S101 - it was read
    try:
        audited = audit(export.configuration, export.entries, export.head)
        _check_sections(export, audited)
        _check_deals(export, audited)
        _check_complete(export)
        seen = _check_heads(export, heads)
        compared = None if records is None else check_matches(export, audited, records)
    except LogError as error:
        return replace(signed, problem=f"log: {error}", wrong=Flaw.CHAIN)
    except (_BrokenError, MatchError) as error:
        return replace(signed, problem=str(error), wrong=error.flaw)
    finding = Finding.VALID if signed.is_trusted else Finding.UNKNOWN_KEY
    # Whatever is not open cannot be proved, whoever has signed it.
    unproved = compared is not None and compared.unproved > 0
    if unproved or (_has_secret(export) and not audited.is_open):
        finding = Finding.NOT_OPEN
    return replace(
        signed,
        finding=finding,
        wrong=Flaw.KEY if finding is Finding.UNKNOWN_KEY else None,
        audited=audited,
        compared=compared,
        heads=seen,
        notes=tuple(_notes(export, audited, records)) + tuple(_later(export, heads)),
    )


def _read(envelope: bytes, keys: Mapping[str, bytes]) -> ExportVerdict:
    """Return what is known of an export before anything in it was checked."""
    try:
        parsed = parse_envelope(envelope)
    except EnvelopeError as error:
        raise _BrokenError(Flaw.FORM, f"not a signed export: {error}") from None
    if parsed.payload_type != PAYLOAD_TYPE:
        message = f"its type is {parsed.payload_type!r}, not a tournament's"
        raise _BrokenError(Flaw.FORM, message)
    try:
        key_id, trusted = signer_of(parsed, keys)
        export = parse_export(parsed.payload)
    except UnsignedError as error:
        raise _BrokenError(Flaw.SIGNATURE, str(error)) from None
    except ExportError as error:
        raise _BrokenError(Flaw.FORM, str(error)) from None
    return ExportVerdict(
        finding=Finding.BROKEN, key_id=key_id, is_trusted=trusted, export=export
    )


def _has_secret(export: Export) -> bool:
    """Say whether somebody has committed to the secret of the draw."""
    chance = export.document["chance"]
    return bool(chance["commitment"] or chance["referee_commitment"])


def _check_heads(export: Export, heads: Sequence[KeptHead]) -> int:
    """Compare the log with the heads that bots have kept of it; return how many."""
    seen = 0
    for kept in heads:
        is_told = kept.length <= len(export.entries)
        if kept.tournament != export.document["tournament"] or not is_told:
            continue
        what = contradicts(kept.length, kept.digest, export.entries)
        if what is not None:
            raise _BrokenError(Flaw.EVIDENCE, f"{kept.source}: {what}")
        seen += 1
    return seen


def _later(export: Export, heads: Sequence[KeptHead]) -> Iterator[str]:
    """Tell of heads of a longer log: an older export is as true as it was."""
    longest = max(
        (
            kept.length
            for kept in heads
            if kept.tournament == export.document["tournament"]
        ),
        default=0,
    )
    if longest > len(export.entries):
        yield f"a bot was told of {longest} entries, and {len(export.entries)} are here"


def _check_sections(export: Export, audited: Audit) -> None:
    """Compare all that follows with what follows."""
    right = export_json(export.configuration, export.entries, audited, export.services)
    for name in ("tournament", *DERIVED):
        different = first_difference(export.document[name], right[name], name)
        if different:
            raise _BrokenError(_SECTIONS.get(name, Flaw.SCORE), str(different))


def _check_deals(export: Export, audited: Audit) -> None:
    """Check that the cards of every match are those that were committed to."""
    opened = opened_secret(export.entries)
    if opened is None:
        return
    tournament = export.document["tournament"]
    for logged in audited.matches:
        deal = logged.order.deal
        boards = opened_boards(tournament, opened, deal)
        right = commit_boards(tournament, deal, boards).hex()
        if logged.commitment not in (None, right):
            message = f"entry {logged.sequence}: {logged.match} was not to be dealt"
            raise _BrokenError(Flaw.DEAL, f"{message} the boards of {deal}")


def _check_complete(export: Export) -> None:
    """Check that every match that was created has ended with a record."""
    if export.document["lifecycle"] not in _OVER:
        return
    for match in export.document["matches"]:
        if match["ended"] is None:
            what = f"{match['match']} has begun and never ended"
            raise _BrokenError(Flaw.CHAIN, f"entry {match['created']}: {what}")
        if match["record"] is None:
            what = f"the log names no record of {match['match']}"
            raise _BrokenError(Flaw.CHAIN, f"entry {match['ended']}: {what}")


def _notes(
    export: Export, audited: Audit, records: Sequence[MatchRecord] | None
) -> Iterator[str]:
    """Tell what nobody can prove from the export alone."""
    document = export.document
    if document["chance"]["lots"] is not None and not _has_secret(export):
        yield "nobody committed to the secret of the draw: the host chose the lots"
    if audited.missing and document["lifecycle"] not in _OVER:
        yield f"{len(audited.missing)} matches go on, or never ended"
    if records is None and audited.matches:
        yield "results are as the log says: --records compares them with the records"
    if records is None and export.services is not None:
        yield "service times are as the referee says: --records works them out"
    if records is not None:
        named = {logged.match for logged in audited.matches}
        others = sum(record.match not in named for record in records)
        if others:
            yield f"{others} records are of matches that the log does not name"
