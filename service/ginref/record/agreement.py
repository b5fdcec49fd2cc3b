"""Does a record agree with what a bot has kept of the match?

A record that is true in itself can still be another one than was played. What the
referee has signed meanwhile, and what the bot knows of its own doing, shows that. The
first line of the evidence that contradicts the record is named.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never

from ginref.engine.seat import Seat
from ginref.record.chronicle import Chronicle
from ginref.record.entry import Moved, Refused, StampedEntry, entry_word
from ginref.record.envelope import (
    EnvelopeError,
    UnsignedError,
    is_signature,
    parse_envelope,
    signer_of,
)
from ginref.record.evidence import (
    Agreement,
    Line,
    MatchEvidence,
    OfferLine,
    OverLine,
    ReadyLine,
    ReceiptLine,
    ShareLine,
)
from ginref.record.evidence_read import read_evidence
from ginref.record.flaw import Flaw
from ginref.record.receipt import RECEIPT_TYPE, Receipt, mismatch, read_receipt
from ginref.record.setup import canonical, statement
from ginref.record.shape import RecordError, first_difference
from ginref.record.verify import Finding, Verdict


class _ContradictionError(Exception):
    """The record and a line of the evidence cannot both be true."""

    def __init__(
        self, what: str, flaw: Flaw = Flaw.EVIDENCE, version: int | None = None
    ) -> None:
        super().__init__(what)
        self.flaw = flaw
        self.version = version


def confront(
    verdict: Verdict, data: bytes, keys: Mapping[str, bytes], name: str = "evidence"
) -> Verdict:
    """Compare a record that has been judged with what a bot has kept of the match.

    What is wrong with the record itself comes first: then nothing is compared.

    Args:
        verdict: The judgment of the record.
        data: The whole file of evidence.
        keys: Public keys that are trusted, by name.
        name: What to call the evidence.
    """
    if verdict.record is None or verdict.finding is Finding.BROKEN:
        return verdict
    cut = data.rfind(b"\n") + 1
    if _is_cut_off(data[cut:]):
        # The bot has died while it wrote. That is nothing the record is to blame for.
        note = f"{name}: its last line was cut off, and is not compared"
        verdict = replace(verdict, notes=(*verdict.notes, note))
        data = data[:cut]
    try:
        evidence = read_evidence(data)
    except RecordError as error:
        return _broken(verdict, f"{name}: {error}", Flaw.FORM)
    comparison = _Comparison(verdict, evidence, keys)
    number = 1
    try:
        comparison.check_seat()
        for number, line in evidence.lines:  # noqa: B007 - told below
            comparison.check(line)
    except _ContradictionError as error:
        problem = f"{name}: line {number}: {error}"
        return _broken(verdict, problem, error.flaw, error.version)
    return comparison.verdict(name)


def _is_cut_off(line: bytes) -> bool:
    """Say whether a line without its end is one that was not written to its end.

    A whole object that something else follows was written so, or changed.
    """
    text = line.decode(errors="replace")
    try:
        _, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return bool(text)
    return end == len(text)


def _broken(
    verdict: Verdict, problem: str, flaw: Flaw, version: int | None = None
) -> Verdict:
    return replace(
        verdict, finding=Finding.BROKEN, problem=problem, wrong=flaw, version=version
    )


@dataclass
class _Count:
    """How much of the evidence agrees so far."""

    offers: int = 0
    shares: int = 0
    accepted: int = 0
    refused: int = 0
    lost: int = 0
    unknown: set[str] = field(default_factory=set)
    acknowledged: set[tuple[int, int]] = field(default_factory=set)


class _Comparison:
    """One record beside one evidence."""

    def __init__(
        self, verdict: Verdict, evidence: MatchEvidence, keys: Mapping[str, bytes]
    ) -> None:
        assert verdict.record is not None  # noqa: S101 - the caller has checked
        self._verdict = verdict
        self._record = verdict.record
        self._evidence = evidence
        self._keys = keys
        self._chronicle = Chronicle(verdict.record, verdict.replayed)
        self._count = _Count()

    @property
    def _seat(self) -> Seat:
        return self._evidence.seat

    def verdict(self, name: str) -> Verdict:
        """Return what the whole comparison comes to, if nothing contradicts."""
        count, verdict = self._count, self._verdict
        submitted = [
            stamped
            for stamped in self._chronicle.entries
            if isinstance(stamped.entry, Moved | Refused)
            and stamped.entry.seat is self._seat
        ]
        agreement = Agreement(
            seat=self._seat,
            offers=count.offers,
            shares=count.shares,
            accepted=count.accepted,
            refused=count.refused,
            unacknowledged=sum(
                (stamped.version, stamped.refusal) not in count.acknowledged
                for stamped in submitted
            ),
        )
        verdict = replace(verdict, evidence=(*verdict.evidence, agreement))
        if count.lost:
            note = (
                f"{name}: receipts of what the referee says that it has lost, and that"
                f" made the match void: {count.lost}"
            )
            verdict = replace(verdict, notes=(*verdict.notes, note))
        if not count.unknown:
            return verdict
        note = (
            f"{name}: receipts by keys that are not known prove nothing:"
            f" {', '.join(sorted(count.unknown))}"
        )
        verdict = replace(verdict, notes=(*verdict.notes, note))
        if verdict.finding is not Finding.VALID:
            return verdict
        return replace(verdict, finding=Finding.UNKNOWN_KEY, wrong=Flaw.KEY)

    def check_seat(self) -> None:
        """Check that the evidence is of a seat of this match.

        Raises:
            _ContradictionError: It is of something else.
        """
        match_id = self._record.setup.match_id
        if self._evidence.match_id != match_id:
            message = f"it is of match {self._evidence.match_id}, not of {match_id}"
            raise _ContradictionError(message)
        if self._seat not in self._record.setup.seats:
            raise _ContradictionError(f"the match has no seat {self._seat}")

    def check(self, line: Line) -> None:
        """Compare one line.

        Raises:
            _ContradictionError: The record says something else.
        """
        match line:
            case OfferLine():
                self._check_offer(line)
            case ShareLine():
                self._check_share(line)
            case ReadyLine():
                self._check_ready(line)
            case ReceiptLine():
                self._check_receipt(line)
            case OverLine():
                self._check_over(line)
            case _:
                assert_never(line)

    def _check_offer(self, line: OfferLine) -> None:
        recorded = OfferLine.of(self._record.setup)
        different = first_difference(recorded.facts(), line.facts())
        if different:
            what = f"the record has {different}, as the seat was offered"
            if self._has_signed(line):
                what += ", and as the referee has signed"
            raise _ContradictionError(what)
        self._count.offers += 1

    def _has_signed(self, line: OfferLine) -> bool:
        """Say whether an offer with other cards or bots was signed, not only told."""
        setup, key = self._record.setup, self._keys.get(line.key_id)
        if (line.commitment, line.bots) == (setup.commitment, setup.bots):
            return False
        signed = statement(setup.match_id, setup.ruleset, line.bots, line.commitment)
        return key is not None and is_signature(key, line.signature, signed)

    def _check_share(self, line: ShareLine) -> None:
        committed = self._chronicle.committed(self._seat)
        if self._chronicle.has_committed(self._seat) and committed is None:
            what = f"{self._seat} has a share, and the record says that it has none"
            raise _ContradictionError(what)
        # Of two processes of a bot each may have made a share: one of them counts.
        own = {
            kept.commitment
            for _, kept in self._evidence.lines
            if isinstance(kept, ShareLine)
        }
        if committed not in {None, *own}:
            what = f"in the record {self._seat} has committed to another share"
            raise _ContradictionError(what)
        self._count.shares += self._chronicle.share(self._seat) == line.share

    def _check_ready(self, line: ReadyLine) -> None:
        """Check that no seat has chosen its share after others had shown theirs."""
        seats = self._record.setup.seats
        if len(line.commitments) != len(seats):
            what = f"commitments of {len(seats)} seats expected"
            raise _ContradictionError(what, Flaw.FORM)
        for seat, told in zip(seats, line.commitments, strict=True):
            has_committed = self._chronicle.has_committed(seat)
            # A void match may have lost what came before its end.
            is_lost = self._chronicle.has_lost and not has_committed
            is_other = not has_committed or self._chronicle.committed(seat) != told
            if is_other and not is_lost:
                what = f"{seat} had committed otherwise when this share was asked for"
                raise _ContradictionError(what)

    def _check_over(self, line: OverLine) -> None:
        ending = self._record.document["ending"]
        told = {"kind": str(line.ending), "winner": line.facts()["winner"]}
        recorded = {name: ending[name] for name in told} if ending else ending
        different = first_difference(recorded, told, "ending")
        if different:
            raise _ContradictionError(f"the record has {different}, as was told")
        digest = hashlib.sha256(canonical(self._record.document)).digest()
        if line.record_digest not in (None, digest):
            raise _ContradictionError("this is another record than was told of")

    def _check_receipt(self, line: ReceiptLine) -> None:
        receipt = self._open(line)
        if receipt is None:
            return
        if receipt.match_id != self._evidence.match_id or receipt.seat != self._seat:
            what = f"it is a receipt of {receipt.match_id}, {receipt.seat}"
            raise _ContradictionError(what)
        wrong = line.submission and mismatch(receipt, line.submission)
        if wrong:
            raise _ContradictionError(f"no receipt of this submission: {wrong}")
        if self._chronicle.is_lost(receipt.version):
            self._count.lost += 1
            return
        self._check_commitment(receipt)
        if receipt.is_stored:
            self._check_stored(receipt)
        elif self._chronicle.is_open:
            self._check_refusal(receipt, line)
        if receipt.reason is None:
            self._count.accepted += 1
        else:
            self._count.refused += 1

    def _open(self, line: ReceiptLine) -> Receipt | None:
        """Read a receipt; None if it is signed by a key that nobody trusts."""
        try:
            envelope = parse_envelope(line.receipt.encode())
            key_id, is_trusted = signer_of(envelope, self._keys)
            receipt = read_receipt(envelope.payload)
        except EnvelopeError as error:
            raise _ContradictionError(f"no receipt: {error}", Flaw.FORM) from error
        except RecordError as error:
            message = f"no receipt: {error.place}: {error.what}"
            raise _ContradictionError(message, Flaw.FORM) from error
        except UnsignedError as error:
            raise _ContradictionError(str(error), Flaw.SIGNATURE) from error
        if envelope.payload_type != RECEIPT_TYPE:
            what = f"its type is {envelope.payload_type!r}, not a receipt"
            raise _ContradictionError(what, Flaw.FORM)
        if not is_trusted:
            self._count.unknown.add(key_id)
            return None
        return receipt

    def _check_commitment(self, receipt: Receipt) -> None:
        committed = self._chronicle.committed(self._seat, receipt.version)
        if receipt.commitment == committed:
            return
        signed = "a share" if receipt.commitment else "no share"
        recorded = "none"
        if committed:
            recorded = "another one" if receipt.commitment else "one"
        what = (
            f"the referee has signed that {self._seat} has {signed} in the deal;"
            f" in the record it has {recorded}"
        )
        raise _ContradictionError(what)

    def _check_stored(self, receipt: Receipt) -> None:
        stamped = self._chronicle.entry(receipt.place)
        there = [
            one
            for one in self._chronicle.submitted.get(receipt.submission or b"", ())
            if (one.version, one.refusal) == receipt.place
        ]
        if not there or isinstance(there[0].entry, Moved) is not (
            receipt.reason is None
        ):
            verdict = "accepted" if receipt.reason is None else "refused"
            what = (
                f"the referee has signed that entry {_name(receipt.place)} is this"
                f" submission, {verdict}; in the record it is {_say(stamped)}"
            )
            raise _ContradictionError(what, version=receipt.version)
        copies = len(self._chronicle.submitted[receipt.submission or b""])
        if copies > 1:
            what = f"the record has this submission {copies} times"
            raise _ContradictionError(what, version=receipt.version)
        self._check_details(receipt, there[0])
        self._count.acknowledged.add(receipt.place)

    def _check_details(self, receipt: Receipt, stamped: StampedEntry) -> None:
        if stamped.time_ms != receipt.at_ms:
            what = (
                f"the referee has signed that entry {_name(receipt.place)} was stored"
                f" at {receipt.at_ms} ms; in the record it was at {stamped.time_ms} ms"
            )
            raise _ContradictionError(what, version=receipt.version)
        if self._chronicle.is_open:
            broken = self._chronicle.rule_broken(stamped)
            if broken != receipt.reason:
                what = f"it was refused for {receipt.reason}, and it breaks {broken}"
                raise _ContradictionError(what, version=receipt.version)

    def _check_refusal(self, receipt: Receipt, line: ReceiptLine) -> None:
        """Check a refusal without a strike: the record says nothing of it itself."""
        if not self._chronicle.was_at(receipt.version, receipt.at_ms):
            what = (
                f"the referee has signed that the match was at version"
                f" {receipt.version} at {receipt.at_ms} ms; in the record it was not"
            )
            raise _ContradictionError(what, version=receipt.version)
        if not self._chronicle.bears_out(receipt, line.submission):
            what = (
                f"the referee has refused it for {receipt.reason} at version"
                f" {receipt.version}, and by the record it had no reason to"
            )
            raise _ContradictionError(what, version=receipt.version)


def _name(place: tuple[int, int]) -> str:
    version, refusal = place
    return f"{version}-{refusal}" if refusal else str(version)


def _say(stamped: StampedEntry | None) -> str:
    if stamped is None:
        return "not there"
    match stamped.entry:
        case Moved(seat=seat, move=move):
            return f"{move} of {seat}"
        case Refused(seat=seat, move=move):
            return f"{move} of {seat}, refused"
        case entry:
            return repr(entry_word(entry))
