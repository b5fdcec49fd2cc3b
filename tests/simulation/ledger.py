"""What callers were told, as they heard it: what the oracle judges afterwards."""

from collections.abc import Callable
from dataclasses import dataclass, field

from tests.simulation.journal import Journal
from tests.simulation.line import AGAIN

from ginref.app.error import Reason, RefusedError
from ginref.app.message import (
    Events,
    MatchOver,
    Message,
    MoveResult,
    RoundOver,
    Turn,
)
from ginref.app.report import MatchReport, MoveReport, PublicReport, SeatReport
from ginref.app.watch import WatchStep
from ginref.engine.seat import Seat
from ginref.record.lifecycle import Ending
from ginref.record.submission import Submission

Answer = MoveReport | RefusedError


@dataclass(slots=True, kw_only=True)
class Claim:
    """One submission, and all that was ever answered to it.

    Attributes:
        submission: What was submitted.
        floor: The latest version that had been acknowledged when it was first sent.
        answers: Every answer that says what became of it.
        rivals: What else was submitted under its request id.
        is_taken_for_another: It was answered that something else was.
    """

    submission: Submission
    floor: int
    answers: list[Answer] = field(default_factory=list)
    rivals: list[Submission] = field(default_factory=list)
    is_taken_for_another: bool = False

    @property
    def is_settled(self) -> bool:
        """It is known what became of it."""
        return bool(self.answers)


@dataclass(slots=True)
class Following:
    """What one spectator was told of a match, over all its connections."""

    name: str
    match_id: str
    steps: list[WatchStep] = field(default_factory=list)


@dataclass(slots=True)
class Seen:
    """A report, and whose eyes saw it: one seat's, or anybody's."""

    seat: Seat | None
    report: SeatReport | PublicReport


class Ledger:
    """Everything that bots, organizers and spectators were told.

    Attributes:
        claims: Submissions by match, seat and request id.
        seen: Reports by match.
        endings: Endings by match, with who heard of them.
        followings: Spectators.
        told: Messages of each attachment about a match and a seat, in order.
        rounds: Ends of rounds that were told, by match.
        made: Match ids by request id of their creation.
    """

    def __init__(self, journal: Journal) -> None:
        """Start with nothing."""
        self.claims: dict[tuple[str, Seat, str], Claim] = {}
        self.seen: dict[str, list[Seen]] = {}
        self.endings: dict[str, list[tuple[str, Ending]]] = {}
        self.followings: list[Following] = []
        self.told: dict[tuple[str, str, Seat], list[Message]] = {}
        self.rounds: dict[str, list[RoundOver]] = {}
        self.made: dict[str, set[str]] = {}
        self._floors: dict[str, int] = {}
        self._journal = journal

    def claim(self, submission: Submission) -> Callable[[Answer | Exception], None]:
        """Note a submission that is sent; return what its answers are given to."""
        key = submission.match_id, submission.seat, submission.request_id
        claim = self.claims.get(key)
        if claim is None:
            floor = self._floors.get(submission.match_id, 0)
            claim = self.claims[key] = Claim(submission=submission, floor=floor)
        if claim.submission != submission:
            # The id of another submission: that one's answers are not this one's.
            claim.rivals.append(submission)
            return lambda answer: self._note_answer(submission, answer)
        found = claim
        return lambda answer: self._settle(found, answer)

    def _settle(self, claim: Claim, answer: Answer | Exception) -> None:
        self._note_answer(claim.submission, answer)
        match_id = claim.submission.match_id
        if isinstance(answer, MoveReport):
            floor = self._floors.get(match_id, 0)
            self._floors[match_id] = max(floor, answer.version)
            claim.answers.append(answer)
            if answer.turn is not None:
                self.saw(claim.submission.seat, answer.turn)
            if answer.ending is not None:
                self.ended(match_id, "mover", answer.ending)
        elif _is_reused(answer):
            claim.is_taken_for_another = True
        elif isinstance(answer, RefusedError) and answer.reason not in AGAIN:
            claim.answers.append(answer)

    def _note_answer(self, submission: Submission, answer: Answer | Exception) -> None:
        told: object = type(answer).__name__
        if isinstance(answer, MoveReport):
            told = f"{answer.version} at {answer.time_ms}"
        elif isinstance(answer, RefusedError):
            told = answer.reason
            self._journal.count(f"refused: {answer.reason}")
            if "strikes_left" in answer.facts:
                self._journal.count("strike")
        self._journal.note(
            "answer",
            submission.match_id,
            submission.seat,
            submission.request_id,
            told,
        )

    def saw(self, seat: Seat | None, report: SeatReport | PublicReport) -> None:
        """Note a report that a seat, or anybody, was shown."""
        match_id = report.facts.match_id
        self.seen.setdefault(match_id, []).append(Seen(seat, report))
        if report.facts.ending is not None:
            self.ended(match_id, str(seat), report.facts.ending)

    def looked(self, seats: tuple[Seat, ...], report: MatchReport) -> None:
        """Note what a look at a match showed to the holder of some seats."""
        self.saw(None, report.public)
        for one in report.seats:
            held = one.view.seat if one.view.seat in seats else None
            self.saw(held, one)

    def ended(self, match_id: str, who: str, ending: Ending) -> None:
        """Note that somebody was told of an ending."""
        self.endings.setdefault(match_id, []).append((who, ending))

    def stepped(self, following: Following, step: WatchStep) -> None:
        """Note a step that a spectator was told of."""
        following.steps.append(step)
        self.saw(None, step.public)
        self._journal.note("watch", following.name, step.cursor)

    def heard(self, stream: str, message: Message) -> None:
        """Note a message on an attachment."""
        match message:
            case Turn(report):
                seat, match_id = report.view.seat, report.facts.match_id
                self.saw(seat, report)
            case MatchOver(match_id=match_id, seat=seat, ending=ending):
                self.ended(match_id, stream, ending)
            case RoundOver(match_id=match_id, seat=seat):
                self.rounds.setdefault(match_id, []).append(message)
            case Events(match_id=match_id, seat=seat):
                pass
            case _:
                return
        self.told.setdefault((stream, match_id, seat), []).append(message)
        self._journal.note("told", stream, match_id, seat, type(message).__name__)

    def answered(self, message: MoveResult) -> None:
        """Note the answer to a submission on an attachment."""
        key = message.match_id, message.seat, message.request_id
        claim = self.claims.get(key)
        if claim is None:
            self._journal.problem(f"an answer to what was never sent: {key}")
            return
        result = message.result
        if not claim.rivals or not _is_reused(result):
            self._settle(claim, result)


def _is_reused(answer: object) -> bool:
    """Say whether an answer is that the request id belongs to something else."""
    return (
        isinstance(answer, RefusedError) and answer.reason is Reason.REQUEST_ID_REUSED
    )
