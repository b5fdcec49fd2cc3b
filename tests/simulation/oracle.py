"""Judges a run when it is over: everything that anybody was told, against the log."""

import hashlib
from itertools import pairwise
from typing import Final

from tests.simulation.audience import Audience
from tests.simulation.leak import cards_shown
from tests.simulation.ledger import Claim
from tests.simulation.played import (
    Played,
    essence_of,
    fits_the_end,
    is_a_rivals,
    is_stored,
    is_stored_as,
    is_true,
)
from tests.simulation.world import World

from ginref.app.error import RefusedError
from ginref.app.keeper import Keeper
from ginref.engine.card import CardSet
from ginref.engine.seat import Seat
from ginref.record.entry import Moved, Refused, StampedEntry, TimedOut, entry_word
from ginref.record.heartbeat import OUTAGE_MS, PULSE_MS
from ginref.record.verify import Finding, verify_record

_MOMENT: Final = 0.5
"""Seconds in which even a bot that plays can run out of time."""


class Oracle:
    """Compares what was told with what is stored."""

    def __init__(self, world: World) -> None:
        """Judge a world in which nothing happens any more."""
        self._world = world
        self._ledger = world.ledger
        self._journal = world.journal
        self._problem = world.journal.problem

    async def judge(self) -> None:
        """Note every problem."""
        server = self._world.server
        keeper = Keeper(server, self._world.sealer)
        self._judge_creations()
        for match_id in server.truths:
            setup, log = await keeper.history(match_id)
            played = Played.of(match_id, setup, log)
            self._note_log(played)
            self._judge_record(played)
            self._judge_claims(played)
            self._judge_endings(played)
            self._judge_credits(played)
            clocks = {
                version: clock
                for (of_match, version), clock in server.clocks.items()
                if of_match == match_id
            }
            Audience(played, clocks, self._ledger, self._journal).judge()
        if due := await server.due(10):
            self._problem(f"still due: {due}")
        if unsigned := await server.finished(10):
            self._problem(f"still to be signed: {unsigned}")

    def _judge_creations(self) -> None:
        made = self._ledger.made
        ids = {match_id for one in made.values() for match_id in one}
        if any(len(one) != 1 for one in made.values()):
            self._problem(f"two matches of one request: {made}")
        if ids != set(self._world.server.truths):
            self._problem("a match that nobody knows of")

    def _note_log(self, played: Played) -> None:
        for stamped in played.log:
            self._journal.note(
                "log",
                played.match_id,
                f"{stamped.version}-{stamped.refusal}",
                stamped.time_ms,
                entry_word(stamped.entry),
            )
            self._journal.count(f"logged: {entry_word(stamped.entry)}")
            if stamped.credit_ms:
                self._journal.count("credit in a log")
        bots = played.setup.bots
        if played.last.match is not None and len(bots) > 2:
            self._journal.count("three seats played")
        if len(set(bots)) < len(bots):
            self._journal.count("one bot in two seats")

    # --- the record ----------------------------------------------------------------

    def _judge_record(self, played: Played) -> None:
        match_id = played.match_id
        envelope = self._world.archive.records.get(match_id)
        if envelope is None:
            self._problem(f"{match_id} has no record")
            return
        keys = {self._world.signer.key_id: self._world.signer.public_key}
        verdict = verify_record(envelope, keys)
        if verdict.finding is not Finding.VALID:
            self._problem(
                f"the record of {match_id} is {verdict.finding}: {verdict.problem}"
            )
        if verdict.record is not None and verdict.record.entries != played.log:
            self._problem(f"the record of {match_id} is not its log")
        digest = hashlib.sha256(envelope).hexdigest()
        self._journal.note("record", match_id, digest)

    # --- moves --------------------------------------------------------------------

    def _judge_claims(self, played: Played) -> None:
        claims = {
            (seat, request_id): claim
            for (match_id, seat, request_id), claim in self._ledger.claims.items()
            if match_id == played.match_id
        }
        logged: dict[tuple[Seat, str], StampedEntry] = {}
        for stamped in played.log:
            entry = stamped.entry
            if isinstance(entry, Moved | Refused):
                key = entry.seat, entry.request_id
                if key in logged:
                    self._problem(f"{key} is in the log twice")
                if key not in claims:
                    self._problem(f"{key} is in the log, and was never sent")
                logged[key] = stamped
        for key, claim in claims.items():
            found = logged.get(key)
            if found is not None and not is_a_rivals(claim, found):
                self._judge_entry(claim, found)
            self._judge_answers(played, claim, found)

    def _judge_entry(self, claim: Claim, stamped: StampedEntry) -> None:
        submission = claim.submission
        name = f"{submission.match_id} {submission.request_id}"
        if not is_stored_as(submission, stamped):
            self._problem(f"{name}: {submission} was sent, {stamped} is stored")
        if isinstance(stamped.entry, Moved) and stamped.version <= claim.floor:
            self._problem(f"{name}: stored before what had been acknowledged")

    def _judge_answers(
        self, played: Played, claim: Claim, stamped: StampedEntry | None
    ) -> None:
        name = f"{played.match_id} {claim.submission.request_id}"
        if not claim.rivals and claim.is_taken_for_another:
            self._problem(f"{name}: taken for a submission that there never was")
        for answer in claim.answers:
            if not is_true(answer, claim, stamped):
                self._problem(f"{name}: answered {answer!r}, but stored is {stamped}")
            if isinstance(answer, RefusedError):
                self._judge_words(played, claim, answer)
                if not fits_the_end(answer, played):
                    ending = played.last.ending
                    self._problem(f"{name}: answered {answer!r}, but it is {ending}")
        facts = [essence_of(answer) for answer in claim.answers if is_stored(answer)]
        if len(facts) > 1:
            self._journal.count("answered again")
        for one, other in pairwise(facts):
            if one != other:
                self._problem(f"{name}: two answers, {one!r} and {other!r}")

    def _judge_words(self, played: Played, claim: Claim, answer: RefusedError) -> None:
        """Check that a refusal names no card that the bot does not know."""
        submission = claim.submission
        shown = cards_shown((answer.message, answer.facts))
        shown &= ~cards_shown(str(submission.move))
        if shown:
            known = played.known_at(submission.expected_version, submission.seat)
            if hidden := shown & ~known.mask:
                self._problem(f"a refusal shows {CardSet(hidden)}: {answer}")

    # --- endings ------------------------------------------------------------------

    def _judge_endings(self, played: Played) -> None:
        match_id, ending = played.match_id, played.last.ending
        for who, told in self._ledger.endings.get(match_id, ()):
            if told != ending:
                self._problem(f"{who} was told {told} of {match_id}, not {ending}")
        last = played.log[-1]
        if isinstance(last.entry, TimedOut):
            self._judge_time_out(played, last)

    def _judge_time_out(self, played: Played, last: StampedEntry) -> None:
        """Check that no bot that plays lost on time when all was well."""
        loser = played.states[last.version - 1].to_act
        stored = self._world.server.stored
        started = stored.get((played.match_id, last.version - 1), 0.0)
        if loser is None or started < self._world.calm:
            return
        player = self._world.players[played.setup.bots[loser]]
        hand = player.hands.get((played.match_id, loser))
        plays = hand is not None and not hand.is_silent
        if hand is not None and hand.pondered == last.version - 1:
            return
        took = stored[played.match_id, last.version] - started
        if plays and took >= _MOMENT:
            self._problem(f"{player.bot} lost {played.match_id} on time, in calm")

    def _judge_credits(self, played: Played) -> None:
        """Check that time is credited where no sweeper was there, and only there."""
        server = self._world.server
        if server.has_jumped:
            return
        started_ms = played.log[0].time_ms
        for stamped in played.log[1:]:
            now_ms = stamped.time_ms
            beats = [one for one in server.beats_ms if one < now_ms]
            # A heartbeat right after another one is not noted.
            pauses = [
                (end - start, end - max(start, started_ms))
                for start, end in pairwise([*beats, now_ms])
                if end - start > OUTAGE_MS - PULSE_MS and end > started_ms
            ]
            # Whoever judges time in an outage has it end there, and perhaps another
            # one begins.
            most_ms = sum(lost_ms + PULSE_MS for _, lost_ms in pauses)
            least_ms = sum(
                max(0, lost_ms - OUTAGE_MS)
                for length_ms, lost_ms in pauses
                if length_ms > OUTAGE_MS
            )
            if not least_ms <= stamped.credit_ms <= most_ms:
                self._problem(f"{stamped}: {least_ms} to {most_ms} ms were lost")
            if stamped.refusal == 0:
                started_ms = now_ms
