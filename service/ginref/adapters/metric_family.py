"""What a referee measures: every family of metrics, with all values of its labels.

Names and units are those that Prometheus asks for: seconds, and `_total` at the end
of what only grows. A label takes its values from a closed set, so the number of
series is bounded whatever callers send. `docs/metrics.md` is written from this.
"""

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ginref.app.error import Reason
from ginref.engine.showdown import Outcome
from ginref.record.lifecycle import EndingKind, Fault
from ginref.tournament.fixture import FixtureState
from ginref.tournament.lifecycle import Lifecycle

OTHER: Final = "other"
"""Stands for every value of a label that is outside its closed set."""

HTTP_STATUSES: Final = (
    *("200", "204", "304", "400", "401", "403", "404", "405", "409", "413", "415"),
    *("429", "500", "503", OTHER),
)
"""Every status that an answer over HTTP may have."""

OK, REFUSED = "ok", "refused"
"""How a call can end, where it is timed."""


class Kind(enum.StrEnum):
    """What kind of metric it is, as Prometheus calls it."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"
    INFO = "info"


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Series of one name.

    Attributes:
        kind: What kind of metric it is.
        name: Its name, without the `_total` that a counter shows.
        tells: What it is, in one sentence.
        labels: Every value that each of its labels may have; none for one that
            follows from what is running.
        buckets: Upper bounds of a histogram.
        has_exemplars: An observation may name the trace that it belongs to.
    """

    kind: Kind
    name: str
    tells: str
    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    buckets: Sequence[float] = ()
    has_exemplars: bool = False

    @property
    def shown(self) -> str:
        """The name that it is asked for by."""
        match self.kind:
            case Kind.COUNTER:
                return f"{self.name}_total"
            case Kind.INFO:
                return f"{self.name}_info"
            case _:
                return self.name


METHOD: Final = "method"
"""Label whose values are the methods that are served, and `other`."""

REASON: Final = "reason"
"""Label whose values are the reasons of refusals."""

CODES: Final = (
    *("OK", "CANCELLED", "INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS"),
    *("PERMISSION_DENIED", "UNAUTHENTICATED", "RESOURCE_EXHAUSTED"),
    *("FAILED_PRECONDITION", "ABORTED", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE"),
    OTHER,
)
"""How a call can end, as gRPC says it."""

MOVE_KINDS: Final = ("pass", "draw_upcard", "draw_stock", "discard", "knock")

VERDICTS: Final = ("accepted", "refused")

FATES: Final = ("taken", "refused")
"""What becomes of a certificate whose files have changed."""

STREAMS: Final = ("bot", "watcher")

OPERATIONS: Final = (
    *("create", "read", "apply", "index", "due", "beat", "acknowledge"),
    *("replace", "read_log", "append", "command", OTHER),
)
"""What the store is asked for: a script by its name, or a single command."""

LOGS: Final = ("match", "tournament")

_CALL_SECONDS: Final = (
    *(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05),
    *(0.1, 0.25, 0.5, 1.0, 2.5, 10.0),
)
_REFEREE_SECONDS: Final = (0.0005, *_CALL_SECONDS[:-1])
_STORE_SECONDS: Final = (0.00025, 0.0005, *_CALL_SECONDS[:-1])
_TURN_SECONDS: Final = (*_CALL_SECONDS, 30.0, 60.0)
_DELAY_SECONDS: Final = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)

BUILD: Final = Family(
    kind=Kind.INFO,
    name="ginref_build",
    tells="What is running, and what the store promises.",
    labels={"version": (), "store": ()},
)
CALLS: Final = Family(
    kind=Kind.COUNTER,
    name="ginref_calls",
    tells="Answered calls of the API; a stream counts when it ends.",
    labels={METHOD: (), "code": CODES},
)
CALL_SECONDS: Final = Family(
    kind=Kind.HISTOGRAM,
    name="ginref_call_seconds",
    tells="How long answered calls took; for a stream, how long it was open.",
    labels={METHOD: (), "result": (OK, REFUSED)},
    buckets=_CALL_SECONDS,
    has_exemplars=True,
)
REFUSALS: Final = Family(
    kind=Kind.COUNTER,
    name="ginref_refusals",
    tells="Refusals, each once: of calls, and of messages on bots' streams.",
    labels={REASON: tuple(Reason)},
)
HTTP_ANSWERS: Final = Family(
    kind=Kind.COUNTER,
    name="ginref_http_answers",
    tells="Answers over HTTP by status, those to what is no call among them.",
    labels={"status": HTTP_STATUSES},
)
ATTACHED: Final = Family(
    kind=Kind.GAUGE,
    name="ginref_attached_bots",
    tells="Bots attached to this process.",
)
WATCHERS: Final = Family(
    kind=Kind.GAUGE,
    name="ginref_watchers",
    tells="Streams of this process that follow a match or a tournament.",
)
DROPPED: Final = Family(
    kind=Kind.COUNTER,
    name="ginref_streams_dropped",
    tells="Streams that were ended because they were not read.",
    labels={"stream": STREAMS},
)
MOVES: Final = Family(
    kind=Kind.COUNTER,
    name="ginref_moves",
    tells="Judged submissions.",
    labels={"kind": MOVE_KINDS, "verdict": VERDICTS},
)
TURN_SECONDS: Final = Family(
    kind=Kind.HISTOGRAM,
    name="ginref_turn_seconds",
    tells="Time of bots: from a turn, as it was sent, to its move, as it came.",
    buckets=_TURN_SECONDS,
)
REFEREE_SECONDS: Final = Family(
    kind=Kind.HISTOGRAM,
    name="ginref_move_referee_seconds",
    tells="What the referee added: from a move, as it came, until it was stored.",
    buckets=_REFEREE_SECONDS,
    has_exemplars=True,
)
ROUNDS: Final = Family(
    kind=Kind.COUNTER,
    name="ginref_rounds",
    tells="Finished rounds; `wall` is the tie when two cards are left.",
    labels={"outcome": tuple(Outcome)},
)
CREATED: Final = Family(
    kind=Kind.COUNTER, name="ginref_matches_created", tells="Created matches."
)
ENDED: Final = Family(
    kind=Kind.COUNTER,
    name="ginref_matches_ended",
    tells="Ended matches, by how they ended and who is answerable for it.",
    labels={"ending": tuple(EndingKind), "fault": tuple(Fault)},
)
LIVE: Final = Family(
    kind=Kind.GAUGE,
    name="ginref_matches_live",
    tells="Matches that are not over, as a process that sweeps saw it within five"
    " seconds; each tells the same.",
)
TIMEOUTS: Final = Family(
    kind=Kind.COUNTER, name="ginref_timeouts", tells="Deadlines that were acted on."
)
TIMEOUT_DELAY: Final = Family(
    kind=Kind.HISTOGRAM,
    name="ginref_timeout_delay_seconds",
    tells="How long after its deadline and grace a match was timed out.",
    buckets=_DELAY_SECONDS,
)
SWEPT: Final = Family(
    kind=Kind.GAUGE,
    name="ginref_sweep_timestamp_seconds",
    tells="When this process last looked for deadlines that are past; 0 if it does"
    " not.",
)
OUTAGES: Final = Family(
    kind=Kind.COUNTER,
    name="ginref_outages",
    tells="Times without a referee, or without its store, that were credited to"
    " running clocks.",
)
OUTAGE_SECONDS: Final = Family(
    kind=Kind.COUNTER,
    name="ginref_outage_seconds",
    tells="How long those were, together.",
)
SIGNED: Final = Family(
    kind=Kind.COUNTER,
    name="ginref_records_signed",
    tells="Signed and archived records.",
)
WAITING: Final = Family(
    kind=Kind.GAUGE,
    name="ginref_records_waiting",
    tells="Ended matches whose record is not archived, as a process that signs saw"
    " it within five seconds.",
)
WAITING_SECONDS: Final = Family(
    kind=Kind.GAUGE,
    name="ginref_records_waiting_seconds",
    tells="How long ago the first of them ended; when it grows, records cannot be"
    " signed or archived, and the log says why.",
)
TOURNAMENTS: Final = Family(
    kind=Kind.GAUGE,
    name="ginref_tournaments",
    tells="Tournaments in which something is left to do; each process that runs them"
    " tells the same.",
    labels={"state": tuple(Lifecycle)},
)
FIXTURES: Final = Family(
    kind=Kind.GAUGE,
    name="ginref_fixtures",
    tells="Fixtures of these tournaments, likewise.",
    labels={"state": tuple(FixtureState)},
)
STORE_SECONDS: Final = Family(
    kind=Kind.HISTOGRAM,
    name="ginref_store_call_seconds",
    tells="How long the store took to answer, with replicas and the wait for a"
    " connection.",
    labels={"operation": OPERATIONS},
    buckets=_STORE_SECONDS,
)
STORE_FAILURES: Final = Family(
    kind=Kind.COUNTER,
    name="ginref_store_failures",
    tells="Questions to the store that failed: no answer, or no confirmation.",
)
STORE_CONFLICTS: Final = Family(
    kind=Kind.COUNTER,
    name="ginref_store_conflicts",
    tells="Steps that were not stored because somebody else was faster.",
    labels={"log": LOGS},
)
STORE_RETRIES: Final = Family(
    kind=Kind.COUNTER,
    name="ginref_store_retries",
    tells="Commands that had certainly not run and were sent again.",
)
STORE_BATCH: Final = Family(
    kind=Kind.HISTOGRAM,
    name="ginref_store_batch_commands",
    tells="Commands that shared a round trip to the store.",
    buckets=(1, 2, 4, 8, 16, 32, 64, 128, 256),
)
CERTIFICATES: Final = Family(
    kind=Kind.COUNTER,
    name="ginref_certificates",
    tells="Certificates that were looked at, at the start and when their files had"
    " changed; one that is refused leaves the one before.",
    labels={"fate": FATES},
)
CERTIFICATE_END: Final = Family(
    kind=Kind.GAUGE,
    name="ginref_certificate_expiry_timestamp_seconds",
    tells="When the certificate ends that new connections get; 0 without TLS.",
)

CHAPTERS: Final[Mapping[str, Sequence[Family]]] = {
    "Calls": (CALLS, CALL_SECONDS, REFUSALS, HTTP_ANSWERS),
    "Streams": (ATTACHED, WATCHERS, DROPPED),
    "Moves and rounds": (MOVES, TURN_SECONDS, REFEREE_SECONDS, ROUNDS),
    "Matches": (CREATED, ENDED, LIVE),
    "Clocks": (TIMEOUTS, TIMEOUT_DELAY, SWEPT, OUTAGES, OUTAGE_SECONDS),
    "Records": (SIGNED, WAITING, WAITING_SECONDS),
    "Tournaments": (TOURNAMENTS, FIXTURES),
    "Store": (
        *(STORE_SECONDS, STORE_FAILURES, STORE_CONFLICTS, STORE_RETRIES),
        STORE_BATCH,
    ),
    "Process": (BUILD, CERTIFICATES, CERTIFICATE_END),
}
"""All families, in the order in which they are told."""
