"""A tournament's matches beside their records: the log must say what they say."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ginref.record.document import Record
from ginref.record.envelope import EnvelopeError, parse_envelope
from ginref.record.flaw import Flaw
from ginref.record.replay import ReplayError
from ginref.record.tournament_place import TournamentPlace
from ginref.record.verify import Finding, Verdict, verify_record
from ginref.tournament.audit import Audit, LoggedMatch
from ginref.tournament.configuration import Configuration
from ginref.tournament.export import Export
from ginref.tournament.export_section import opened_boards, opened_secret
from ginref.tournament.outcome import outcome_of
from ginref.tournament.service_time import ServiceTime, sum_times, times_of
from ginref.tournament.shape import to_json


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRecord:
    """A match record that was judged by itself.

    Attributes:
        name: What messages call it, such as its file.
        digest: SHA-256 of its payload, 64 hexadecimal digits.
        verdict: What its judgment came to.
    """

    name: str
    digest: str
    verdict: Verdict

    @property
    def match(self) -> str | None:
        """The match's identity; None where it could not be read."""
        record = self.verdict.record
        return None if record is None else record.setup.match_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """What the records of a tournament's matches have shown.

    Attributes:
        matches: Matches that ended as their records say.
        unproved: Records that are not open, so that what they say is not proved.
        services: How everybody was served by these records.
    """

    matches: int
    unproved: int
    services: tuple[ServiceTime, ...]


class MatchError(ValueError):
    """A match whose record is not what the log says.

    Attributes:
        flaw: What kind of thing is wrong.
    """

    def __init__(self, flaw: Flaw, what: str) -> None:
        """Keep the kind."""
        super().__init__(what)
        self.flaw = flaw


def read_match_record(
    name: str, envelope: bytes, keys: Mapping[str, bytes]
) -> MatchRecord:
    """Judge a signed match record, and name it by the digest of what is signed."""
    try:
        payload = parse_envelope(envelope).payload
    except EnvelopeError:
        payload = envelope
    return MatchRecord(
        name=name,
        digest=hashlib.sha256(payload).hexdigest(),
        verdict=verify_record(envelope, keys),
    )


def check_matches(
    export: Export, audited: Audit, records: Sequence[MatchRecord]
) -> Compared:
    """Compare every match that has ended with its record.

    Raises:
        MatchError: Naming the first match that is not what its record says.
    """
    _refuse_unnamed(export, audited, records)
    by_digest = {record.digest: record for record in records}
    told = {record.match: record for record in records}
    proved, unproved, times = 0, 0, list[ServiceTime]()
    logged_of = {logged.match: logged for logged in audited.matches}
    for match in export.document["matches"]:
        if match["record"] is None:
            continue
        found = by_digest.get(match["record"])
        where = f"entry {match['ended']}: the record of {match['match']}"
        if found is None and match["match"] in told:
            what = f"{where} is another one: {told[match['match']].name}"
            raise MatchError(Flaw.CHAIN, what)
        if found is None:
            raise MatchError(Flaw.CHAIN, f"{where} is missing")
        if found.verdict.finding is Finding.BROKEN or found.verdict.record is None:
            what = f"{where} is broken: {found.name}: {found.verdict.problem}"
            raise MatchError(found.verdict.wrong or Flaw.FORM, what)
        record, logged = found.verdict.record, logged_of[match["match"]]
        for flaw, what in _faults(export, logged, record):
            raise MatchError(flaw, f"{where}: {what}")
        if found.verdict.finding is Finding.NOT_OPEN:
            unproved += 1
            continue
        right = _outcome(export.configuration, logged, record)
        if right != match["outcome"]:
            what = f"the match ended otherwise than the log says: {_told(right)}"
            raise MatchError(Flaw.ENDING, f"{where}: {what}")
        proved += 1
        times += times_of(record.setup, record.entries)
    services = sum_times(times)
    if not unproved:
        _check_services(export, services)
    return Compared(matches=proved, unproved=unproved, services=services)


def _refuse_unnamed(
    export: Export, audited: Audit, records: Sequence[MatchRecord]
) -> None:
    """Refuse a match that a trusted key says to be of this log, and is not in it."""
    named = {logged.match for logged in audited.matches}
    for record in records:
        read = record.verdict.record
        place = None if read is None else read.setup.place
        if place is None or record.match in named or not record.verdict.is_trusted:
            continue
        is_ours = place.tournament == export.document["tournament"]
        if is_ours and place.length <= len(export.entries):
            what = f"{record.name}: {record.match}, attempt {place.attempt} of"
            what = f"{what} {place.fixture}, was played, and the log does not name it"
            raise MatchError(Flaw.CHAIN, what)


def _faults(
    export: Export, logged: LoggedMatch, record: Record
) -> Iterator[tuple[Flaw, str]]:
    """Yield how a record is not that of the match that was to be played."""
    setup, order = record.setup, logged.order
    if setup.match_id != logged.match:
        yield Flaw.CHAIN, f"it is of {setup.match_id}"
    if setup.bots != order.bots:
        yield Flaw.CHAIN, f"{' and '.join(setup.bots)} played it"
    if setup.ruleset != order.match.ruleset or setup.clock != order.match.clock:
        yield Flaw.CHAIN, "it was played by other rules, or another clock"
    if setup.strikes_allowed != order.match.strikes:
        yield Flaw.CHAIN, f"it allowed {setup.strikes_allowed} strikes"
    if setup.place is not None:
        yield from _of_place(export, logged, setup.place)
    if logged.commitment not in (None, setup.commitment.hex()):
        yield Flaw.DEAL, "its cards were committed to otherwise"
    if record.is_open:
        yield from _of_deal(export, logged, record)


def _of_place(
    export: Export, logged: LoggedMatch, place: TournamentPlace
) -> Iterator[tuple[Flaw, str]]:
    order = logged.order
    stands = place.tournament, place.fixture, place.attempt, place.game, place.deal
    tournament = export.document["tournament"]
    if stands != (tournament, order.fixture, order.attempt, order.game, order.deal):
        yield Flaw.CHAIN, "it stands elsewhere, or in another tournament"
    entry = export.entries[logged.sequence - 1]
    if (place.length, place.head) != (logged.sequence, entry.digest):
        yield Flaw.CHAIN, "the log that it was created in was another one"


def _of_deal(
    export: Export, logged: LoggedMatch, record: Record
) -> Iterator[tuple[Flaw, str]]:
    opened = opened_secret(export.entries)
    dealt = record.document["openings"]["secret"]
    if opened is None or dealt is None:
        return
    tournament = export.document["tournament"]
    if dealt != opened_boards(tournament, opened, logged.order.deal).hex():
        yield Flaw.DEAL, "its cards do not follow from the tournament's secret"


def _outcome(
    configuration: Configuration, logged: LoggedMatch, record: Record
) -> object:
    """Return how the match ended by its record, as JSON."""
    try:
        ended = outcome_of(
            record.setup, record.entries, logged.first, configuration.luck
        )
    except (ReplayError, ValueError) as error:
        raise MatchError(Flaw.ENDING, f"{logged.match}: {error}") from None
    return to_json(ended)


def _told(outcome: object) -> str:
    facts = outcome if isinstance(outcome, dict) else {}
    return f"{facts.get('ending')}, won by {facts.get('winner') or 'nobody'}"


def _check_services(export: Export, services: Sequence[ServiceTime]) -> None:
    """Compare how everybody was served with what the records hold."""
    if export.services is None:
        return
    claimed = {one.bot: one for one in export.services}
    for one in services:
        if claimed.get(one.bot) != one:
            what = f"services: {one.bot} was served otherwise by its records"
            raise MatchError(Flaw.CLOCK, what)
