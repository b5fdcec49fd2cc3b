"""The check of a whole log: what followed by itself must be what the rules say.

Nothing but configuration and log is needed. What organizers have decided cannot be
derived; it is listed, so that everybody sees where people have stepped in.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ginref.tournament.configuration import Configuration
from ginref.tournament.error import LogError
from ginref.tournament.event import (
    Advanced,
    AppealDecided,
    Awarded,
    Configured,
    Corrected,
    Disqualified,
    Event,
    Exit,
    Expired,
    ManuallyPaired,
    MatchCreated,
    MatchEnded,
    Requeued,
    RoundPaired,
    SecretOpened,
    Seeded,
    StageClosed,
    TieBreaksChanged,
    Withdrawn,
)
from ginref.tournament.fold import Fold
from ginref.tournament.format import Ladder
from ginref.tournament.ledger import Ledger
from ginref.tournament.lifecycle import UNDER_WAY, Lifecycle
from ginref.tournament.log import LogEntry, verify_chain
from ginref.tournament.next_step import close_stage
from ginref.tournament.plan import MatchOrder, Plan, order_match, plan_ledger
from ginref.tournament.qualifying import may_play
from ginref.tournament.roster import seed_order
from ginref.tournament.secret import (
    commit_secret,
    commit_share,
    lots_of,
    mix_secret,
)
from ginref.tournament.shape import word_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervention:
    """Something that people have decided.

    Attributes:
        sequence: The entry.
        actor: Who decided it.
        kind: What it is, such as `corrected`.
        reason: The reason that was given.
    """

    sequence: int
    actor: str
    kind: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtraAttempt:
    """A fixture that was played again.

    Attributes:
        sequence: The entry.
        fixture: The fixture.
        attempt: The attempt that began with it.
        reason: The reason that was given.
    """

    sequence: int
    fixture: str
    attempt: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedMatch:
    """A match that was created, with all that its place in the tournament says of it.

    Attributes:
        sequence: The entry.
        match: The match's identity.
        stage: Its stage; empty for a qualifying match.
        node: The place of its fixture in the stage; `qualifying` before the first one.
        order: What was to be created.
        first: The first entrant of its fixture, from whose side points are seen.
        commitment: The referee's commitment to its share of the deal, or None.
    """

    sequence: int
    match: str
    stage: str
    node: str
    order: MatchOrder
    first: str
    commitment: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """What the check of a log has shown.

    Attributes:
        matches: Every match that was created, in order.
        interventions: What people have decided, in order.
        attempts: What was played again, in order.
        missing: Matches that have begun and never ended.
        is_open: The secret is open, and draw and lots follow from it.
    """

    matches: tuple[LoggedMatch, ...]
    interventions: tuple[Intervention, ...]
    attempts: tuple[ExtraAttempt, ...]
    missing: tuple[str, ...]
    is_open: bool


def audit(
    configuration: Configuration,
    entries: Sequence[LogEntry],
    claimed_head: str | None = None,
) -> Audit:
    """Check a log from its first entry to its last.

    Args:
        configuration: What the organizer has declared.
        entries: The whole log.
        claimed_head: The digest it should have, if one is known.

    Raises:
        LogError: Naming the first entry that cannot be true.
    """
    verify_chain(entries, claimed_head)
    watch = _Watch(configuration)
    for entry in entries:
        watch.see(entry)
    ledger = watch.fold.ledger()
    return Audit(
        matches=tuple(watch.matches.values()),
        interventions=tuple(watch.interventions),
        attempts=tuple(watch.attempts),
        missing=tuple(_missing(ledger)),
        is_open=watch.is_open,
    )


def _missing(ledger: Ledger) -> Iterator[str]:
    for games in ledger.games.values():
        yield from (game.match for game in games if not game.ended)


class _Watch:
    """A log that is seen again, entry by entry, beside what the rules say."""

    def __init__(self, configuration: Configuration) -> None:
        self.fold = Fold(configuration)
        self.matches: dict[str, LoggedMatch] = {}
        self.interventions: list[Intervention] = []
        self.attempts: list[ExtraAttempt] = []
        self.is_open = False
        self._plan: Plan | None = None

    def see(self, entry: LogEntry) -> None:
        """Check the next entry.

        Raises:
            LogError: It cannot be true.
        """
        event = entry.event
        match event:
            case MatchCreated():
                self._check_order(entry, event)
            case MatchEnded():
                self._check_outcome(entry, event)
            case (
                RoundPaired()
                | Expired()
                | Withdrawn(exit=Exit.FORFEITS | Exit.SHARE | Exit.QUALIFYING)
            ):
                self._must_follow(entry)
            case StageClosed():
                self._check_closing(entry, event)
            case Advanced(to=to):
                self._check_step(entry, to)
            case Seeded():
                self._check_seeds(entry, event)
            case Requeued():
                self._check_attempt(entry, event)
            case _:
                self._check_people(entry, event)
        self.fold.add(entry)
        if isinstance(event, SecretOpened):
            self._check_secret(entry, event)
        if not isinstance(event, MatchCreated | MatchEnded):
            self._plan = None

    def _check_people(self, entry: LogEntry, event: Event) -> None:
        """Note what has not followed by itself."""
        match event:
            case Withdrawn() if self.fold.lifecycle in UNDER_WAY:
                self._note(entry, event.reason)
            case Configured() if self.fold.entrants:
                self._note(entry, "after bots had entered")
            case _ if isinstance(event, _PEOPLE):
                self._note(entry, event.reason)
            case _:
                pass

    def _note(self, entry: LogEntry, reason: str) -> None:
        self.interventions.append(
            Intervention(
                sequence=entry.sequence,
                actor=entry.actor,
                kind=word_of(type(entry.event)),
                reason=reason,
            )
        )

    def _planned(self, entry: LogEntry) -> Plan:
        """Return the plan of the moment before an entry."""
        self._plan = plan_ledger(self.fold.ledger(), entry.time_ms)
        return self._plan

    def _must_follow(self, entry: LogEntry) -> None:
        if entry.event not in self._planned(entry).events:
            what = f"{word_of(type(entry.event))} is not what the rules give here"
            raise LogError(entry.sequence, what)

    def _check_order(self, entry: LogEntry, event: MatchCreated) -> None:
        match = event.fixture, event.attempt, event.game
        # What an earlier plan allows no other match has forbidden since.
        planned = self._plan
        if planned is None or not planned.allows(*match):
            planned = self._planned(entry)
        fixture = planned.meeting(event.fixture)
        if fixture is None or not planned.allows(*match):
            raise LogError(entry.sequence, "no such match was to be created")
        if event.match in self.matches:
            raise LogError(entry.sequence, "the match was created before")
        boards = self.fold.configuration.boards
        self.matches[event.match] = LoggedMatch(
            sequence=entry.sequence,
            match=event.match,
            stage=fixture.stage,
            node=fixture.node,
            order=order_match(boards, fixture, event.game),
            first=fixture.entrants[0] or "",
            commitment=event.commitment,
        )

    def _check_outcome(self, entry: LogEntry, event: MatchEnded) -> None:
        logged = self.matches.get(event.match)
        named = {event.outcome.winner, *event.outcome.at_fault} - {None}
        if logged is None or not named.issubset(logged.order.bots):
            raise LogError(entry.sequence, "it tells of somebody who did not play")

    def _check_closing(self, entry: LogEntry, event: StageClosed) -> None:
        planned = self._planned(entry)
        view = next(
            (one for one in planned.stages if one.stage.name == event.stage), None
        )
        if view is None or not isinstance(view.stage.format, Ladder):
            self._must_follow(entry)
        elif event not in planned.events:
            if event != close_stage(planned.ledger, planned.stages, view):
                raise LogError(entry.sequence, "another ranking than the rules give")
            self._note(entry, "closed by hand")

    def _check_step(self, entry: LogEntry, to: Lifecycle) -> None:
        if to is Lifecycle.FINISHING:
            self._must_follow(entry)
        elif to in _STEPS_OF_PEOPLE or (
            to is Lifecycle.FINISHED and entry.event not in self._planned(entry).events
        ):
            self._note(entry, getattr(entry.event, "reason", ""))

    def _check_attempt(self, entry: LogEntry, event: Requeued) -> None:
        if event not in self._planned(entry).events:
            self._note(entry, event.reason)
        self.attempts.append(
            ExtraAttempt(
                sequence=entry.sequence,
                fixture=event.fixture,
                attempt=event.attempt,
                reason=event.reason,
            )
        )

    def _check_seeds(self, entry: LogEntry, event: Seeded) -> None:
        ledger = self.fold.ledger()
        if ledger.lots not in ("", event.lots):
            raise LogError(entry.sequence, "lots were drawn a second time")
        try:
            lots = bytes.fromhex(event.lots)
        except ValueError:
            raise LogError(entry.sequence, "hexadecimal digits expected") from None
        for bot in event.order:
            if not may_play(ledger, bot):
                raise LogError(entry.sequence, f"{bot} has not qualified")
        if event.order != seed_order(ledger, lots):
            self._note(entry, "other seeds than by the rules of entry")

    def _check_secret(self, entry: LogEntry, event: SecretOpened) -> None:
        ledger, secret = self.fold.ledger(), bytes.fromhex(event.secret)
        commitment = commit_secret(ledger.tournament, secret).hex()
        if ledger.commitment not in (None, commitment):
            raise LogError(entry.sequence, "not the secret that was committed to")
        if ledger.referee is not None:
            self._check_shares(entry, event, ledger)
        if lots_of(secret).hex() != ledger.lots:
            raise LogError(entry.sequence, "the lots do not follow from the secret")
        self.is_open = True

    def _check_shares(
        self, entry: LogEntry, event: SecretOpened, ledger: Ledger
    ) -> None:
        share = bytes.fromhex(event.share or "")
        if commit_share(ledger.tournament, "", share).hex() != ledger.referee:
            raise LogError(entry.sequence, "not the share that was committed to")
        shares = {bot: bytes.fromhex(text) for bot, text in ledger.shares.items()}
        if mix_secret(ledger.tournament, share, shares).hex() != event.secret:
            raise LogError(entry.sequence, "the secret is not that of all shares")


_STEPS_OF_PEOPLE: Final = (Lifecycle.PAUSED, Lifecycle.CANCELLED)

_PEOPLE: Final = (
    AppealDecided,
    Awarded,
    Corrected,
    Disqualified,
    ManuallyPaired,
    TieBreaksChanged,
)
"""What only people decide."""
