"""Prometheus metrics of the referee: what is counted, and how it is rendered.

Every label takes its values from a closed set, so the number of series is fixed
whatever callers send.
"""

from typing import Final

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Info,
    ProcessCollector,
    generate_latest,
)

CONTENT_TYPE: Final = CONTENT_TYPE_LATEST
"""Content type of what `render` returns."""


class PrometheusObserver:
    """Counts what happens in one process."""

    def __init__(self, *, version: str, store: str) -> None:
        """Start all counters at nothing.

        Args:
            version: Version of the product.
            store: Durability that the store reports.
        """
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
            "Refused submissions by reason.",
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
        self._timeouts = Counter(
            "ginref_timeouts", "Deadlines that were acted on.", registry=registry
        )
        self._records = Counter(
            "ginref_records_signed", "Signed and archived records.", registry=registry
        )
        self._attached = Gauge(
            "ginref_attached_bots", "Bots attached to this process.", registry=registry
        )
        self._watchers = Gauge(
            "ginref_watchers", "Streams that follow a match.", registry=registry
        )

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

    def record_signed(self) -> None:
        """Count a signed and archived record."""
        self._records.inc()

    def attached(self, change: int) -> None:
        """Add to the number of attached bots."""
        self._attached.inc(change)

    def watching(self, change: int) -> None:
        """Add to the number of watchers."""
        self._watchers.inc(change)
