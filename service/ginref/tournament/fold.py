"""The fold of a tournament's log: one entry after the other, into a ledger."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Final

from ginref.tournament.configuration import Configuration
from ginref.tournament.configuration_write import configuration_digest
from ginref.tournament.error import LogError
from ginref.tournament.event import (
    Advanced,
    AppealDecided,
    AppealFiled,
    Awarded,
    Cascade,
    CheckedIn,
    CodesIssued,
    Configured,
    Corrected,
    Created,
    Disqualified,
    Event,
    Expired,
    LateEntered,
    ManuallyPaired,
    MatchCreated,
    MatchEnded,
    Registered,
    Requeued,
    RoundPaired,
    SecretOpened,
    Seeded,
    ShareCommitted,
    ShareRevealed,
    StageClosed,
    TieBreaksChanged,
    Withdrawn,
)
from ginref.tournament.format import Swiss
from ginref.tournament.ledger import (
    Appeal,
    Closing,
    Departure,
    Entrant,
    Game,
    Ledger,
    Pairing,
    Request,
    Ruling,
)
from ginref.tournament.lifecycle import (
    FOLLOWING,
    Lifecycle,
)
from ginref.tournament.log import LogEntry
from ginref.tournament.moment import MOMENTS
from ginref.tournament.result import Cause
from ginref.tournament.secret import commit_share
from ginref.tournament.tiebreak import Criterion


def fold(configuration: Configuration, entries: Iterable[LogEntry]) -> Ledger:
    """Return what a log adds up to.

    Raises:
        LogError: Naming the first entry that cannot follow those before it.
    """
    folded = Fold(configuration)
    for entry in entries:
        folded.add(entry)
    return folded.ledger()


_GROWING: Final = ("codes", "digest", "games", "pauses", "times_ms")
"""Facts that a ledger has in another form, or not at all."""


class Fold:
    """A ledger in the making; nobody sees it before it is done."""

    def __init__(self, configuration: Configuration) -> None:
        """Begin with nothing."""
        self.configuration = configuration
        self.digest = configuration_digest(configuration)
        self.tournament, self.configured = "", ""
        self.version, self.since_ms = 0, 0
        self.times_ms: list[int] = []
        self.pauses: list[tuple[int, int]] = []
        self.lifecycle = Lifecycle.DRAFT
        self.order: tuple[str, ...] = ()
        self.seeded, self.lots = 0, ""
        self.commitment: str | None = None
        self.referee: str | None = None
        self.shares: dict[str, str] = {}
        self.entrants: dict[str, Entrant] = {}
        self.codes: set[str] = set()
        self.departures: dict[str, Departure] = {}
        self.pairings: dict[tuple[str, int], Pairing] = {}
        self.games: dict[tuple[str, int], list[Game]] = {}
        self.attempts: dict[str, int] = {}
        self.rulings: dict[str, tuple[Ruling, ...]] = {}
        self.undone: tuple[tuple[int, tuple[str, int] | None], ...] = ()
        self.expired: dict[tuple[str, int], int] = {}
        self.closings: dict[str, Closing] = {}
        self.tie_breaks: dict[str, tuple[Criterion, ...]] = {}
        self.appeals: dict[str, Appeal] = {}
        self.requests: dict[tuple[str, str], Request] = {}

    def ledger(self) -> Ledger:
        """Return what the entries so far add up to.

        Raises:
            LogError: They are about another configuration.
        """
        if self.configured not in ("", self.digest):
            raise LogError(self.version, "the log is about another configuration")
        facts = {
            name: value for name, value in vars(self).items() if name not in _GROWING
        }
        return Ledger(
            **facts,
            codes=frozenset(self.codes),
            times_ms=tuple(self.times_ms),
            pauses=tuple(self.pauses),
            games={key: tuple(games) for key, games in self.games.items()},
        )

    def add(self, entry: LogEntry) -> None:
        """Add the next entry.

        Raises:
            LogError: It cannot follow those before it.
        """
        event = entry.event
        self.version += 1
        self.times_ms.append(entry.time_ms)
        if entry.sequence != self.version:
            raise self._wrong(f"{entry.sequence} is another place")
        if (self.version == 1) is not isinstance(event, Created):
            raise self._wrong("a log begins with the creation, and has only one")
        if self.lifecycle not in MOMENTS[type(event)]:
            raise self._wrong(f"not while it is {self.lifecycle}")
        self._STEPS[type(event)](self, event, entry)
        asked = Request(sequence=entry.sequence, event=event)
        self.requests.setdefault((entry.actor, entry.request_id), asked)

    def _wrong(self, what: str) -> LogError:
        return LogError(self.version, what)

    def _octets(self, text: str) -> bytes:
        try:
            return bytes.fromhex(text)
        except ValueError:
            raise self._wrong("hexadecimal digits expected") from None

    def _entered(self, bot: str) -> Entrant:
        if bot not in self.entrants:
            raise self._wrong(f"{bot} has not entered")
        return self.entrants[bot]

    def _create(self, event: Created, _: LogEntry) -> None:
        self.tournament, self.configured = event.tournament, event.configuration

    def _configure(self, event: Configured, _: LogEntry) -> None:
        self.configured = event.configuration

    def _advance(self, event: Advanced, entry: LogEntry) -> None:
        if event.to not in FOLLOWING[self.lifecycle]:
            raise self._wrong(f"{event.to} does not follow {self.lifecycle}")
        if event.to is Lifecycle.RUNNING and not self.order:
            raise self._wrong("nobody has been seeded")
        if self.lifecycle is Lifecycle.PAUSED:
            self.pauses.append((self.since_ms, entry.time_ms))
        self.lifecycle, self.since_ms = event.to, entry.time_ms

    def _issue_codes(self, event: CodesIssued, _: LogEntry) -> None:
        self.codes.update(event.codes)

    def _register(self, event: Registered | LateEntered, _: LogEntry) -> None:
        if event.bot in self.entrants and event.bot not in self.departures:
            raise self._wrong(f"{event.bot} has entered already")
        if event.code is not None:
            if event.code not in self.codes:
                raise self._wrong("the code has not been issued, or was used")
            self.codes.remove(event.code)
        # Whoever comes back before the start takes its turn anew.
        before = self.entrants.pop(event.bot, None)
        self.departures.pop(event.bot, None)
        late = isinstance(event, LateEntered)
        self.entrants[event.bot] = Entrant(
            bot=event.bot,
            owner=event.owner,
            is_checked_in=late,
            round=event.round if isinstance(event, LateEntered) else 1,
            entries=1 if before is None else before.entries + 1,
        )
        if late:
            self.order = (*self.order, event.bot)

    def _check_in(self, event: CheckedIn, _: LogEntry) -> None:
        entrant = self._entered(event.bot)
        self.entrants[event.bot] = replace(
            entrant,
            is_checked_in=True,
            latency=event.latency,
            commitment=event.commitment,
        )

    def _commit_share(self, event: ShareCommitted, _: LogEntry) -> None:
        if self.referee is not None:
            raise self._wrong("the referee has committed to a share already")
        self.referee = event.commitment

    def _reveal_share(self, event: ShareRevealed, _: LogEntry) -> None:
        entrant = self._entered(event.bot)
        share = self._octets(event.share)
        commitment = commit_share(self.tournament, event.bot, share).hex()
        if self.seeded or entrant.commitment != commitment:
            raise self._wrong(f"{event.bot} has not committed to this share")
        self.shares[event.bot] = event.share

    def _seed(self, event: Seeded, entry: LogEntry) -> None:
        if len(set(event.order)) != len(event.order):
            raise self._wrong("the seeds are no permutation")
        for bot in event.order:
            self._entered(bot)
        self._octets(event.lots)
        self.order, self.seeded, self.lots = event.order, entry.sequence, event.lots
        self.commitment = event.commitment

    def _pair(self, event: RoundPaired | ManuallyPaired, entry: LogEntry) -> None:
        key = event.stage, event.round
        manual = isinstance(event, ManuallyPaired)
        if key in self.pairings and not manual:
            raise self._wrong(f"round {event.round} is paired already")
        self.pairings[key] = Pairing(
            sequence=entry.sequence,
            pairs=event.pairs,
            bye=event.bye,
            rematches=event.rematches if isinstance(event, RoundPaired) else (),
            is_manual=manual,
        )

    def _create_match(self, event: MatchCreated, entry: LogEntry) -> None:
        games = self.games.setdefault((event.fixture, event.attempt), [])
        if event.game != len(games) + 1:
            raise self._wrong(f"match {event.game} of its fixture is not the next one")
        games.append(
            Game(
                number=event.game,
                match=event.match,
                created=entry.sequence,
                created_ms=entry.time_ms,
            )
        )

    def _end_match(self, event: MatchEnded, entry: LogEntry) -> None:
        games = self.games.get((event.fixture, event.attempt), [])
        at = event.game - 1
        if not 0 <= at < len(games) or games[at].match != event.match:
            raise self._wrong("no such match was created")
        if games[at].outcome is not None:
            raise self._wrong("the match has ended before")
        games[at] = replace(
            games[at],
            ended=entry.sequence,
            outcome=event.outcome,
            record=event.record,
        )

    def _expire(self, event: Expired, entry: LogEntry) -> None:
        self.expired[event.fixture, event.attempt] = entry.sequence

    def _rule(self, event: Awarded | Corrected, entry: LogEntry) -> None:
        mode = event.mode if isinstance(event, Corrected) else Cascade.STRICT
        ruling = Ruling(
            sequence=entry.sequence,
            attempt=event.attempt,
            result=event.result,
            mode=mode,
        )
        earlier = self.rulings.get(event.fixture, ())
        self.rulings[event.fixture] = (*earlier, ruling)
        if isinstance(event, Corrected) and mode is not Cascade.RECORD_ONLY:
            self._reopen(event.stage, event.round)
            if event.reset:
                self.undone = (*self.undone, (entry.sequence, None))
            for fixture in event.reset:
                self.attempts[fixture] = self.attempts.get(fixture, 1) + 1

    def _reopen(self, stage: str, number: int) -> None:
        """Forget what was decided after a round: pairings, and closed stages."""
        names = [each.name for each in self.configuration.stages]
        if stage not in names:
            raise self._wrong(f"there is no stage {stage}")
        later = names[names.index(stage) :]
        for name in later:
            self.closings.pop(name, None)
        follows_scores = isinstance(
            self.configuration.stages[names.index(stage)].format, Swiss
        )
        for name, paired in list(self.pairings):
            is_next = name == stage and paired > number and follows_scores
            if is_next or name in later[1:]:
                del self.pairings[name, paired]

    def _requeue(self, event: Requeued, entry: LogEntry) -> None:
        if event.attempt != self.attempts.get(event.fixture, 1) + 1:
            raise self._wrong(f"attempt {event.attempt} is not the next one")
        self.attempts[event.fixture] = event.attempt
        undone = entry.sequence, (event.stage, event.round)
        self.undone = (*self.undone, undone)
        self._reopen(event.stage, event.round)

    def _leave(self, event: Withdrawn | Disqualified, entry: LogEntry) -> None:
        self._entered(event.bot)
        if event.bot in self.departures and isinstance(event, Withdrawn):
            raise self._wrong(f"{event.bot} has left already")
        gone = self.departures.get(event.bot)
        sequence = entry.sequence if gone is None else gone.sequence
        if isinstance(event, Withdrawn):
            departure = Departure(
                sequence=sequence, cause=Cause.WITHDRAWN, exit=event.exit
            )
        else:
            departure = Departure(
                sequence=sequence, cause=Cause.DISQUALIFIED, results=event.results
            )
        self.departures[event.bot] = departure

    def _close_stage(self, event: StageClosed, entry: LogEntry) -> None:
        if event.stage in self.closings:
            raise self._wrong(f"stage {event.stage} is closed already")
        self.closings[event.stage] = Closing(sequence=entry.sequence, event=event)

    def _change_tie_breaks(self, event: TieBreaksChanged, _: LogEntry) -> None:
        self.tie_breaks[event.stage] = event.order

    def _appeal(self, event: AppealFiled, entry: LogEntry) -> None:
        if event.appeal in self.appeals:
            raise self._wrong(f"there is an appeal {event.appeal} already")
        self.appeals[event.appeal] = Appeal(
            sequence=entry.sequence,
            fixture=event.fixture,
            bot=event.bot,
            text=event.text,
        )

    def _decide_appeal(self, event: AppealDecided, _: LogEntry) -> None:
        appeal = self.appeals.get(event.appeal)
        if appeal is None or appeal.upheld is not None:
            raise self._wrong("no such appeal is open")
        self.appeals[event.appeal] = replace(appeal, upheld=event.upheld)

    def _open_secret(self, event: SecretOpened, _: LogEntry) -> None:
        self._octets(event.secret)
        self._octets(event.share or "")

    _STEPS: Final[Mapping[type[Event], Callable[..., None]]] = {
        Created: _create,
        Configured: _configure,
        Advanced: _advance,
        CodesIssued: _issue_codes,
        Registered: _register,
        ShareCommitted: _commit_share,
        CheckedIn: _check_in,
        ShareRevealed: _reveal_share,
        Seeded: _seed,
        RoundPaired: _pair,
        ManuallyPaired: _pair,
        MatchCreated: _create_match,
        MatchEnded: _end_match,
        Expired: _expire,
        Awarded: _rule,
        Corrected: _rule,
        Requeued: _requeue,
        Withdrawn: _leave,
        Disqualified: _leave,
        LateEntered: _register,
        StageClosed: _close_stage,
        AppealFiled: _appeal,
        AppealDecided: _decide_appeal,
        TieBreaksChanged: _change_tie_breaks,
        SecretOpened: _open_secret,
    }
