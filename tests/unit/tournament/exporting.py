"""Tournaments that are exported: drawn by shares, and told with records."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tests.unit.conftest import Referee, build_setup, play
from tests.unit.tournament.asking import ask
from tests.unit.tournament.driving import (
    Chooser,
    Tournament,
    better_seed,
    names,
)

from ginref.record.document import PAYLOAD_TYPE as RECORD_TYPE
from ginref.record.document import build_record
from ginref.record.entry import StampedEntry
from ginref.record.envelope import seal_envelope
from ginref.record.setup import Setup, canonical, statement
from ginref.record.share import commit_boards
from ginref.record.tournament_place import TournamentPlace
from ginref.tournament.event import MatchCreated, MatchEnded
from ginref.tournament.export import PAYLOAD_TYPE, build_export
from ginref.tournament.export_verify import ExportVerdict, verify_export
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.log import LogEntry
from ginref.tournament.operation import (
    Advance,
    CheckIn,
    CommitShare,
    Enter,
    OpenSecret,
    RevealShare,
    SeedField,
)
from ginref.tournament.outcome import outcome_of
from ginref.tournament.plan import MatchOrder
from ginref.tournament.result import Outcome
from ginref.tournament.secret import (
    boards_of,
    commit_secret,
    commit_share,
    lots_of,
    mix_secret,
)
from ginref.tournament.service_time import ServiceTime, sum_times, times_of

REFEREE = hashlib.sha256(b"the referee").digest()


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def share_of(bot: str) -> bytes:
    return hashlib.sha256(bot.encode()).digest()


class Season(Tournament):
    """A tournament whose draw and boards follow from shares of all."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        super().__init__(document)
        self.secret = b""

    def draw(self, count: int) -> list[str]:
        """Let bots check in with a share each, draw, and start."""
        bots = names(count)
        ask(self, Advance(to=Lifecycle.REGISTRATION))
        for bot in bots:
            ask(self, Enter(bot=bot, owner=f"of-{bot}"))
        ask(self, Advance(to=Lifecycle.CHECK_IN))
        ask(self, CommitShare(commitment=commit_share("t-1", "", REFEREE).hex()))
        for bot in bots:
            commitment = commit_share("t-1", bot, share_of(bot)).hex()
            ask(self, CheckIn(bot=bot, latency=9, commitment=commitment))
        ask(self, Advance(to=Lifecycle.SEEDING))
        for bot in bots:
            ask(self, RevealShare(bot=bot, share=share_of(bot).hex()))
        shares = {bot: share_of(bot) for bot in bots}
        self.secret = mix_secret("t-1", REFEREE, shares)
        lots, sealed_secret = lots_of(self.secret), commit_secret("t-1", self.secret)
        ask(self, SeedField(lots=lots.hex(), commitment=sealed_secret.hex()))
        ask(self, Advance(to=Lifecycle.RUNNING))
        return bots

    def begin(self, order: MatchOrder) -> str:
        """Create a match whose boards were committed to."""
        match = match_id_of(order)
        boards = boards_of(self.secret, order.deal)
        self.add(
            MatchCreated(
                fixture=order.fixture,
                attempt=order.attempt,
                game=order.game,
                match=match,
                commitment=commit_boards("t-1", order.deal, boards).hex(),
            )
        )
        return match

    def finish(self, order: MatchOrder, outcome: Outcome) -> None:
        """Tell how a match has ended, with a record that nobody will ask for."""
        match = match_id_of(order)
        self.add(
            MatchEnded(
                fixture=order.fixture,
                attempt=order.attempt,
                game=order.game,
                match=match,
                outcome=outcome,
                record=digest_of(match),
            )
        )

    def open(self) -> None:
        """Open the secret, after the end."""
        ask(self, OpenSecret(secret=self.secret.hex(), share=REFEREE.hex()))


class PlayedSeason(Season):
    """The same with matches that are really played."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        super().__init__(document)
        self.logs: dict[str, tuple[Setup, tuple[StampedEntry, ...]]] = {}

    def begin(self, order: MatchOrder) -> str:
        """Create a match and play it."""
        match = super().begin(order)
        entry = self.entries[-1]
        place = TournamentPlace(
            tournament="t-1",
            fixture=order.fixture,
            attempt=order.attempt,
            game=order.game,
            deal=order.deal,
            is_shared=False,
            length=entry.sequence,
            head=entry.digest,
        )
        setup = build_setup(len(self.logs), rules=order.match.ruleset, place=place)
        boards = boards_of(self.secret, order.deal)
        commitment = commit_boards("t-1", order.deal, boards)
        signed = statement(match, setup.ruleset, order.bots, commitment)
        self.logs[match] = play(
            len(self.logs),
            setup=replace(
                setup,
                match_id=match,
                bots=order.bots,
                referee_share=boards,
                commitment=commitment,
                signature=Referee().sign(signed),
            ),
        )
        return match

    def finish(self, order: MatchOrder, outcome: Outcome) -> None:  # noqa: ARG002
        """Tell how a match has really ended."""
        setup, entries = self.logs[match_id_of(order)]
        first = order.bots[0] if order.game % 2 else order.bots[1]
        worth = self.configuration.luck
        self.add(
            MatchEnded(
                fixture=order.fixture,
                attempt=order.attempt,
                game=order.game,
                match=setup.match_id,
                outcome=outcome_of(setup, entries, first, worth),
                record=hashlib.sha256(build_record(setup, entries)).hexdigest(),
            )
        )

    def records(self) -> dict[str, bytes]:
        """Return the signed record of each match."""
        return {
            match: seal_envelope(build_record(*log), RECORD_TYPE, Referee())
            for match, log in self.logs.items()
        }

    def services(self) -> tuple[ServiceTime, ...]:
        """Return how everybody was served."""
        return sum_times([one for log in self.logs.values() for one in times_of(*log)])


def match_id_of(order: MatchOrder) -> str:
    return f"m-{order.request_id.replace('/', '-')}"


def sealed(
    tournament: Tournament,
    services: Sequence[ServiceTime] | None = None,
    key: int = 0,
) -> bytes:
    """Return the signed export of a tournament."""
    payload = build_export(tournament.configuration, tournament.entries, services)
    return seal_envelope(payload, PAYLOAD_TYPE, Referee(key))


def judge(document: dict[str, Any]) -> ExportVerdict:
    """Judge a document as if the referee had signed it."""
    envelope = seal_envelope(canonical(document), PAYLOAD_TYPE, Referee())
    return verify_export(envelope, trusted())


def trusted() -> dict[str, bytes]:
    """Return the key that signs, by name."""
    return {Referee().key_id: Referee().public_key}


def rewritten(tournament: Tournament, entries: Sequence[LogEntry]) -> Tournament:
    """Return a tournament with another log, whose chain is sound again."""
    other = Tournament.__new__(Tournament)
    other.configuration, other.now_ms = tournament.configuration, tournament.now_ms
    other.entries = []
    for entry in entries:
        other.now_ms = entry.time_ms - 1_000
        other.add(entry.event, entry.request_id, entry.actor)
    return other


def season(
    document: Mapping[str, Any], count: int = 4, choose: Chooser = better_seed
) -> Season:
    """Return a tournament that was played to its end and opened."""
    played = Season(document)
    played.draw(count)
    played.play(choose)
    played.open()
    return played
