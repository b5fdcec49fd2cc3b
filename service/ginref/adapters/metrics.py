"""Prometheus metrics of the referee: what is counted, and how it is rendered.

Every label takes its values from a closed set, so the number of series is fixed
whatever callers send.
"""

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Final

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Info,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)

from ginref.app.error import Reason
from ginref.engine.showdown import Outcome
from ginref.record.lifecycle import EndingKind
from ginref.tournament.fixture import FixtureState
from ginref.tournament.lifecycle import Lifecycle

CONTENT_TYPE: Final = CONTENT_TYPE_LATEST
"""Content type of what `render` returns."""

MOVE_KINDS: Final = ("pass", "draw_upcard", "draw_stock", "discard", "knock")

VERDICTS: Final = ("accepted", "refused")

OTHER: Final = "other"
"""Label of a method or a code outside its closed set."""

CODES: Final = frozenset({"OK", "CANCELLED", "UNIMPLEMENTED", *Reason})
"""How a call can end, by reason where it was refused."""

_CALL_SECONDS: Final = (
    *(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05),
    *(0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0),
)


class PrometheusObserver:
    """Counts what happens in one process."""

    def __init__(
        self, *, version: str, store: str, methods: Iterable[str] = ()
    ) -> None:
        """Start all counters at nothing.

        Args:
            version: Version of the product.
            store: Durability that the store reports.
            methods: Methods that are served, as `package.Service/Method`.
        """
        # When a series began is nobody's question, and doubles their number.
        disable_created_metrics()  # type: ignore[no-untyped-call] # the library's own
        self._methods = {f"/{method}": method for method in methods}
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        registry = self._registry
        info = Info("ginref_build", "What is running.", registry=registry)
        info.info({"version": version, "store": store})
        self._moves = Counter(
            "ginref_moves",
            "Submitted moves by kind and verdict.",
            ["kind", "verdict"],
            registry=registry,
        )
        self._refusals = Counter(
            "ginref_refusals",
            "Refusals by reason: of calls, and of messages on bots' streams.",
            ["reason"],
            registry=registry,
        )
        self._rounds = Counter(
            "ginref_rounds", "Finished rounds.", ["outcome"], registry=registry
        )
        self._created = Counter(
            "ginref_matches_created", "Created matches.", registry=registry
        )
        self._ended = Counter(
            "ginref_matches_ended", "Ended matches.", ["ending"], registry=registry
        )
        self._calls = Histogram(
            "ginref_call_seconds",
            "Answered calls by method and code, and how long each took.",
            ["method", "code"],
            buckets=_CALL_SECONDS,
            registry=registry,
        )
        self._timeouts = Counter(
            "ginref_timeouts", "Deadlines that were acted on.", registry=registry
        )
        self._outages = Counter(
            "ginref_outages",
            "Times without a referee that were credited to the clocks.",
            registry=registry,
        )
        self._outage_seconds = Counter(
            "ginref_outage_seconds",
            "How long those were, in seconds.",
            registry=registry,
        )
        self._records = Counter(
            "ginref_records_signed", "Signed and archived records.", registry=registry
        )
        self._backlog = Gauge(
            "ginref_records_waiting",
            "Ended matches whose record is not archived.",
            registry=registry,
        )
        self._backlog_seconds = Gauge(
            "ginref_records_waiting_seconds",
            "How long ago the first of them ended, in seconds.",
            registry=registry,
        )
        self._tournaments = Gauge(
            "ginref_tournaments",
            "Tournaments in which something is left to do, by state.",
            ["state"],
            registry=registry,
        )
        self._fixtures = Gauge(
            "ginref_fixtures",
            "Fixtures of these tournaments by state.",
            ["state"],
            registry=registry,
        )
        self._attached = Gauge(
            "ginref_attached_bots", "Bots attached to this process.", registry=registry
        )
        self._watchers = Gauge(
            "ginref_watchers", "Streams that follow a match.", registry=registry
        )
        # A rate is right from the first event on only if the series was there before.
        for kind, verdict in product(MOVE_KINDS, VERDICTS):
            self._moves.labels(kind, verdict)
        for reason in Reason:
            self._refusals.labels(reason)
        for outcome in Outcome:
            self._rounds.labels(outcome)
        for ending in EndingKind:
            self._ended.labels(ending)
        self.tournaments({}, {})

    def render(self) -> bytes:
        """Return all metrics in the Prometheus text format."""
        return generate_latest(self._registry)

    def move(self, kind: str, verdict: str) -> None:
        """Count a judged submission by move kind and verdict."""
        self._moves.labels(kind, verdict).inc()

    def refusal(self, reason: str) -> None:
        """Count a refusal by reason."""
        self._refusals.labels(reason).inc()

    def round_over(self, outcome: str) -> None:
        """Count a finished round."""
        self._rounds.labels(outcome).inc()

    def match_created(self) -> None:
        """Count a created match."""
        self._created.inc()

    def match_over(self, ending: str) -> None:
        """Count an ended match by ending."""
        self._ended.labels(ending).inc()

    def timeout(self) -> None:
        """Count a deadline that was acted on."""
        self._timeouts.inc()

    def outage(self, outage_ms: int) -> None:
        """Count an outage that was credited to the clocks, in milliseconds."""
        self._outages.inc()
        self._outage_seconds.inc(outage_ms / 1000)

    def record_signed(self) -> None:
        """Count a signed and archived record."""
        self._records.inc()

    def backlog(self, count: int, age_ms: int) -> None:
        """Tell how many records are to be signed, and how old the oldest end is."""
        self._backlog.set(count)
        self._backlog_seconds.set(age_ms / 1000)

    def tournaments(
        self, tournaments: Mapping[str, int], fixtures: Mapping[str, int]
    ) -> None:
        """Tell how many live tournaments, and fixtures of them, are in which state."""
        for lifecycle in Lifecycle:
            self._tournaments.labels(lifecycle).set(tournaments.get(lifecycle, 0))
        for state in FixtureState:
            self._fixtures.labels(state).set(fixtures.get(state, 0))

    def attached(self, change: int) -> None:
        """Add to the number of attached bots."""
        self._attached.inc(change)

    def watching(self, change: int) -> None:
        """Add to the number of watchers."""
        self._watchers.inc(change)

    def call(self, method: str, code: str, seconds: float) -> None:
        """Count an answered call.

        Args:
            method: Path of the method as the caller named it.
            code: A reason, or how else it ended.
            seconds: How long it took; for a stream, how long it was open.
        """
        known = code if code in CODES else OTHER
        self._calls.labels(self._methods.get(method, OTHER), known).observe(seconds)
