"""Is a match record true? Everything in it is worked out again and compared.

It takes bytes and public keys, and needs nothing else: no network, no clock, no
store. The first wrong thing is named; what comes after it is not judged.
"""

import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from ginref.engine.seat import Seat
from ginref.record.document import (
    PAYLOAD_TYPE,
    Record,
    RecordError,
    chain_head,
    parse_record,
    record_json,
)
from ginref.record.entry import Voided
from ginref.record.envelope import (
    Envelope,
    EnvelopeError,
    UnsignedError,
    is_signature,
    parse_envelope,
    signer_of,
)
from ginref.record.evidence import Agreement
from ginref.record.flaw import Flaw
from ginref.record.proof import first_wrong, signed_parts
from ginref.record.replay import Replay, ReplayError, check_order, replay
from ginref.record.setup import DealSource, commitment_to, statement
from ginref.record.shape import first_difference


class Finding(enum.StrEnum):
    """What a verification comes to.

    UNKNOWN_KEY says that the whole match was played again and is true. Where the
    deal is not open nothing could be played, so that is NOT_OPEN, whoever signed.
    """

    VALID = "valid"
    UNKNOWN_KEY = "unknown_key"
    NOT_OPEN = "not_open"
    BROKEN = "broken"

    @property
    def exit_code(self) -> int:
        """The exit status of a program that reports it."""
        return _EXIT_CODES[self]

    @property
    def rank(self) -> int:
        """How bad it is, from 0: of several records the worst one counts."""
        return tuple(Finding).index(self)


_EXIT_CODES: Final = {
    Finding.VALID: 0,
    Finding.BROKEN: 1,
    Finding.UNKNOWN_KEY: 3,
    Finding.NOT_OPEN: 4,
}

_SHARED: Final = "shares of the referee and the seats: nobody chose the cards"
_SEEDED: Final = "seeded: the host chose the cards, these are not fair deals"
_BOARDS: Final = "its export shows whose shares they follow from"
_ALONE: Final = (
    "the referee's share alone: no seat kept the host from choosing the cards"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The outcome of a verification.

    Attributes:
        finding: What it comes to.
        problem: One sentence that names the first wrong thing; None if there is
            none.
        wrong: What kind of thing that is, or that the key is not known; None if
            nothing is wrong.
        version: Version of the entry that is wrong, if it is one.
        key_id: Name of the key whose signature counted, or that is not known.
        is_trusted: That key is one of those that were given.
        record: The record, as far as it could be read.
        replayed: The match played again, if all of it could be.
        notes: What a reader should know though nothing is wrong.
        evidence: What it has in common with what bots have kept, if that was given.
    """

    finding: Finding
    problem: str | None = None
    wrong: Flaw | None = None
    version: int | None = None
    key_id: str | None = None
    is_trusted: bool = False
    record: Record | None = None
    replayed: Replay | None = None
    notes: tuple[str, ...] = ()
    evidence: tuple[Agreement, ...] = ()

    @property
    def deals(self) -> str | None:
        """Where the cards came from, and what that means.

        None if that is not proved, and if no cards were dealt.
        """
        if self.record is None:
            return None
        setup = self.record.setup
        if setup.deal_source is DealSource.SEEDED:
            return _SEEDED
        if self.replayed is None or self.replayed.state.match is None:
            return None
        if setup.place is not None:
            return f"boards of {setup.place.tournament}: {_BOARDS}"
        return _told_of_shares(self.replayed)

    @property
    def signed_seats(self) -> tuple[Seat, ...]:
        """The seats whose bots have signed all that they submitted."""
        if self.record is None or self.finding is Finding.BROKEN:
            return ()
        parts = signed_parts(self.record.setup, self.record.entries)
        return tuple(part.seat for part in parts if part.signed == part.submitted > 0)

    @property
    def round_count(self) -> int:
        """Finished rounds."""
        return 0 if self.replayed is None else len(self.replayed.rounds)

    @property
    def move_count(self) -> int:
        """Accepted moves."""
        return 0 if self.replayed is None else self.replayed.move_count

    @property
    def strike_count(self) -> int:
        """Illegal moves that were counted, of all seats."""
        return 0 if self.replayed is None else sum(self.replayed.state.strikes)


def _told_of_shares(replayed: Replay) -> str:
    state = replayed.state
    shares = dict(zip(map(str, state.setup.seats), state.shares, strict=True))
    silent = [seat for seat, share in shares.items() if share is None]
    if not silent:
        return _SHARED
    if len(silent) == len(shares):
        return _ALONE
    given = [seat for seat in shares if seat not in silent]
    return (
        f"shares of the referee and {' and '.join(given)}, none of"
        f" {' and '.join(silent)}: none of them chose the cards by itself"
    )


class _BrokenError(Exception):
    """The first wrong thing."""

    def __init__(self, flaw: Flaw, what: str) -> None:
        super().__init__(what)
        self.flaw = flaw


_SECTIONS: Final = {
    "openings": Flaw.DEAL,
    "rounds": Flaw.SCORE,
    "sheet": Flaw.SCORE,
    "ending": Flaw.ENDING,
    "clocks": Flaw.CLOCK,
    "strikes": Flaw.MOVE,
}
"""What a section that follows from the others is about."""


def verify_record(envelope: bytes, keys: Mapping[str, bytes]) -> Verdict:
    """Judge a signed match record.

    Args:
        envelope: The record as it was published.
        keys: Public keys that are trusted, by name.
    """
    try:
        parsed = parse_envelope(envelope)
        _check_type(parsed)
        key_id, trusted = signer_of(parsed, keys)
        record = parse_record(parsed.payload)
    except EnvelopeError as error:
        return _broken(Flaw.FORM, f"not a signed record: {error}")
    except RecordError as error:
        return _broken(Flaw.FORM, str(error))
    except UnsignedError as error:
        return _broken(Flaw.SIGNATURE, str(error))
    except _BrokenError as error:
        return _broken(error.flaw, str(error))
    try:
        notes = _check_facts(record, keys)
        replayed = _replay(record) if record.is_open else None
    except (ReplayError, _BrokenError) as error:
        return Verdict(
            finding=Finding.BROKEN,
            problem=str(error),
            wrong=error.flaw,
            version=error.version if isinstance(error, ReplayError) else None,
            key_id=key_id,
            is_trusted=trusted,
            record=record,
        )
    finding = _finding(trusted=trusted, is_open=record.is_open)
    return Verdict(
        finding=finding,
        wrong=Flaw.KEY if finding is Finding.UNKNOWN_KEY else None,
        key_id=key_id,
        is_trusted=trusted,
        record=record,
        replayed=replayed,
        notes=(*notes, *_notes(record, replayed)),
    )


def _broken(flaw: Flaw, problem: str) -> Verdict:
    return Verdict(finding=Finding.BROKEN, problem=problem, wrong=flaw)


def _notes(record: Record, replayed: Replay | None) -> Iterator[str]:
    """Tell what the referee claims and nobody can prove."""
    if replayed and replayed.credit_ms:
        yield (
            f"the referee credits {replayed.credit_ms} ms of outages to the clocks:"
            " a record shows that, but cannot prove it"
        )
    for part in signed_parts(record.setup, record.entries):
        if part.signed < part.submitted:
            unsigned = part.submitted - part.signed
            yield (
                f"{part.seat} has a key, and {unsigned} of its {part.submitted}"
                " submissions are unsigned: only the host says that it made them"
            )
    last = record.entries[-1].entry
    if isinstance(last, Voided) and last.lost:
        yield f"the referee has lost {last.lost} versions before the end"


def _finding(*, trusted: bool, is_open: bool) -> Finding:
    # Nothing was played, so nothing of it may pass for true because of an excuse
    # that is smaller.
    if not is_open:
        return Finding.NOT_OPEN
    return Finding.VALID if trusted else Finding.UNKNOWN_KEY


def _check_type(envelope: Envelope) -> None:
    if envelope.payload_type != PAYLOAD_TYPE:
        message = f"its type is {envelope.payload_type!r}, not a match record"
        raise _BrokenError(Flaw.FORM, message)


def _check_facts(record: Record, keys: Mapping[str, bytes]) -> tuple[str, ...]:
    """Check what can be checked without playing; return what is worth a note."""
    check_order(record.entries)
    if chain_head(record.document["entries"]) != record.chain:
        message = "chain: not the head of the chain over the entries"
        raise _BrokenError(Flaw.CHAIN, message)
    setup = record.setup
    if record.is_open:
        made = commitment_to(setup.match_id, setup.place, setup.referee_share)
        if made != setup.commitment:
            message = "openings.referee_share: not the share the referee committed to"
            raise _BrokenError(Flaw.DEAL, message)
    _check_submissions(record)
    if setup.key_id not in keys:
        return (f"the key that signed the commitment, {setup.key_id}, is not known",)
    signed = statement(setup.match_id, setup.ruleset, setup.bots, setup.commitment)
    if not is_signature(keys[setup.key_id], setup.signature, signed):
        message = f"match.signature: not made with the key {setup.key_id}"
        raise _BrokenError(Flaw.SIGNATURE, message)
    return ()


def _check_submissions(record: Record) -> None:
    wrong = first_wrong(record.setup, record.entries)
    if wrong is not None:
        what = "the seat's bot has not signed this move: its signature does not fit"
        raise ReplayError(wrong.version, wrong.refusal, what, Flaw.SUBMISSION)


def _replay(record: Record) -> Replay:
    replayed = replay(record.setup, record.entries)
    if replayed.state.ending is None:
        message = "ending: the match is not over with its last entry"
        raise _BrokenError(Flaw.ENDING, message)
    derived = record_json(record.setup, record.entries, replayed)
    for section in derived:
        different = first_difference(
            record.document[section], derived[section], section
        )
        if different:
            raise _BrokenError(_SECTIONS.get(section, Flaw.FORM), str(different))
    return replayed
