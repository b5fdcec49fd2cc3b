"""Prometheus metrics of the referee: counted as it works, rendered when asked for."""

from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import Final, TypeVar

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
from prometheus_client.openmetrics import exposition as openmetrics

from ginref.adapters import metric_family as families
from ginref.adapters.metric_family import OK, OTHER, REFUSED, Family
from ginref.app.trace import current_trace_id
from ginref.tournament.fixture import FixtureState
from ginref.tournament.lifecycle import Lifecycle

_OPENMETRICS: Final = "application/openmetrics-text"

_CODES: Final = frozenset(families.CODES)

_Metric = TypeVar("_Metric", Counter, Gauge, Histogram)


class PrometheusObserver:
    """Counts what happens in one process.

    Series of a move are looked up once, here, and not for each move.
    """

    def __init__(
        self,
        *,
        version: str,
        store: str,
        methods: Iterable[str] = (),
        trace_id: Callable[[], str | None] = current_trace_id,
    ) -> None:
        """Start all counters at nothing.

        Args:
            version: Version of the product.
            store: Durability that the store reports.
            methods: Methods that are served, as `package.Service/Method`.
            trace_id: Tells the trace that is under way, for exemplars: 32 hexadecimal
                digits, or None.
        """
        # When a series began is nobody's question, and doubles their number.
        disable_created_metrics()  # type: ignore[no-untyped-call] # the library's own
        self._methods = {f"/{method}": method for method in methods}
        self._trace_id = trace_id
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        build = families.BUILD
        info = Info(build.name, build.tells, registry=self._registry)
        info.info({"version": version, "store": store})
        self._count_calls()
        self._count_matches()
        self._count_upkeep()
        self._count_store()

    def _count_calls(self) -> None:
        # Of these there are many, and few are ever called or refused: they are made
        # when they are needed.
        self._answered: dict[tuple[str, str], tuple[Counter, Histogram]] = {}
        self._calls = self._counter(families.CALLS)
        self._call_seconds = self._histogram(families.CALL_SECONDS)
        self._refusals = _each(self._counter(families.REFUSALS), families.REFUSALS)
        answers = families.HTTP_ANSWERS
        self._http_answers = _each(self._counter(answers), answers)
        self._attached = self._gauge(families.ATTACHED)
        self._watchers = self._gauge(families.WATCHERS)
        self._dropped = _each(self._counter(families.DROPPED), families.DROPPED)
        certificates = families.CERTIFICATES
        self._certificates = _each(self._counter(certificates), certificates)
        self._certificate_end = self._gauge(families.CERTIFICATE_END)

    def _count_matches(self) -> None:
        self._moves = _each(self._counter(families.MOVES), families.MOVES)
        self._turn_seconds = self._histogram(families.TURN_SECONDS)
        self._referee_seconds = self._histogram(families.REFEREE_SECONDS)
        self._rounds = _each(self._counter(families.ROUNDS), families.ROUNDS)
        self._created = self._counter(families.CREATED)
        self._ended = _each(self._counter(families.ENDED), families.ENDED)
        self._live = self._gauge(families.LIVE)

    def _count_upkeep(self) -> None:
        self._timeouts = self._counter(families.TIMEOUTS)
        self._timeout_delay = self._histogram(families.TIMEOUT_DELAY)
        self._swept = self._gauge(families.SWEPT)
        self._outages = self._counter(families.OUTAGES)
        self._outage_seconds = self._counter(families.OUTAGE_SECONDS)
        self._records = self._counter(families.SIGNED)
        self._backlog = self._gauge(families.WAITING)
        self._backlog_seconds = self._gauge(families.WAITING_SECONDS)
        self._tournaments = _each(
            self._gauge(families.TOURNAMENTS), families.TOURNAMENTS
        )
        self._fixtures = _each(self._gauge(families.FIXTURES), families.FIXTURES)

    def _count_store(self) -> None:
        seconds, conflicts = families.STORE_SECONDS, families.STORE_CONFLICTS
        self._store_seconds = _each(self._histogram(seconds), seconds)
        self._store_failures = self._counter(families.STORE_FAILURES)
        self._store_conflicts = _each(self._counter(conflicts), conflicts)
        self._store_retries = self._counter(families.STORE_RETRIES)
        self._store_batch = self._histogram(families.STORE_BATCH)

    def _counter(self, family: Family) -> Counter:
        return Counter(
            family.name, family.tells, [*family.labels], registry=self._registry
        )

    def _gauge(self, family: Family) -> Gauge:
        return Gauge(
            family.name, family.tells, [*family.labels], registry=self._registry
        )

    def _histogram(self, family: Family) -> Histogram:
        return Histogram(
            family.name,
            family.tells,
            [*family.labels],
            buckets=family.buckets,
            registry=self._registry,
        )

    def _exemplar(self) -> dict[str, str] | None:
        trace_id = self._trace_id()
        return None if trace_id is None else {"trace_id": trace_id}

    def render(self) -> bytes:
        """Return all metrics in the Prometheus text format."""
        return generate_latest(self._registry)

    def negotiated(self, accept: str) -> tuple[bytes, str]:
        """Return all metrics as a reader likes them best, and the content type.

        Args:
            accept: What the reader accepts, as HTTP says it. Only OpenMetrics has
                exemplars.
        """
        if _OPENMETRICS in accept:
            write: Callable[[CollectorRegistry], bytes] = openmetrics.generate_latest
            return write(self._registry), openmetrics.CONTENT_TYPE_LATEST
        return self.render(), CONTENT_TYPE_LATEST

    def call(self, method: str, code: str, seconds: float) -> None:
        """Count an answered call.

        Args:
            method: Path of the method as the caller named it.
            code: How it ended, as gRPC says it.
            seconds: How long it took; for a stream, how long it was open.
        """
        known = self._methods.get(method, OTHER), code if code in _CODES else OTHER
        answered = self._answered.get(known)
        if answered is None:
            answered = self._answered[known] = self._series_of(*known)
        counted, timed = answered
        counted.inc()
        timed.observe(seconds, self._exemplar())

    def _series_of(self, method: str, code: str) -> tuple[Counter, Histogram]:
        """Return what counts and what times the calls of a method that end alike."""
        result = OK if code == "OK" else REFUSED
        return (
            self._calls.labels(method, code),
            self._call_seconds.labels(method, result),
        )

    def refusal(self, reason: str) -> None:
        """Count a refusal by reason."""
        self._refusals[reason,].inc()

    def http_answer(self, status: int) -> None:
        """Count an answer over HTTP by its status."""
        text = str(status)
        known = text if text in families.HTTP_STATUSES else OTHER
        self._http_answers[known,].inc()

    def dropped(self, stream: str) -> None:
        """Count a stream that was ended because it was not read."""
        self._dropped[stream,].inc()

    def certificate(self, *, taken: bool, until_s: float) -> None:
        """Count a certificate that was looked at, and tell when the one served ends."""
        self._certificates["taken" if taken else "refused",].inc()
        self._certificate_end.set(until_s)

    def attached(self, change: int) -> None:
        """Add to the number of attached bots."""
        self._attached.inc(change)

    def watching(self, change: int) -> None:
        """Add to the number of watchers."""
        self._watchers.inc(change)

    def move(self, kind: str, verdict: str) -> None:
        """Count a judged submission by move kind and verdict."""
        self._moves[kind, verdict].inc()

    def move_times(self, waited_ms: int | None, referee_s: float) -> None:
        """Count what a stored move took, of the bot and of the referee apart.

        Args:
            waited_ms: Milliseconds between the turn and the move; None if that is
                not known here.
            referee_s: Seconds from when it came until it was stored.
        """
        if waited_ms is not None:
            self._turn_seconds.observe(waited_ms / 1000)
        self._referee_seconds.observe(referee_s, self._exemplar())

    def round_over(self, outcome: str) -> None:
        """Count a finished round."""
        self._rounds[outcome,].inc()

    def match_created(self) -> None:
        """Count a created match."""
        self._created.inc()

    def match_over(self, ending: str, fault: str) -> None:
        """Count an ended match by how it ended, and by who is answerable."""
        self._ended[ending, fault].inc()

    def timeout(self, delay_ms: int) -> None:
        """Count a deadline that was acted on so many milliseconds after it."""
        self._timeouts.inc()
        self._timeout_delay.observe(delay_ms / 1000)

    def swept(self) -> None:
        """Note that this process has just looked for deadlines that are past."""
        self._swept.set_to_current_time()

    def live(self, count: int) -> None:
        """Tell how many matches are not over."""
        self._live.set(count)

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
            self._tournaments[lifecycle,].set(tournaments.get(lifecycle, 0))
        for state in FixtureState:
            self._fixtures[state,].set(fixtures.get(state, 0))

    def store_call(self, operation: str, seconds: float, *, failed: bool) -> None:
        """Count a question to the store that is answered, or has failed."""
        timed = self._store_seconds.get((operation,)) or self._store_seconds[OTHER,]
        timed.observe(seconds)
        if failed:
            self._store_failures.inc()

    def store_conflict(self, log: str) -> None:
        """Count a step that was not stored because somebody else was faster."""
        self._store_conflicts[log,].inc()

    def store_retry(self) -> None:
        """Count a command that had not run and is sent again."""
        self._store_retries.inc()

    def store_batch(self, commands: int) -> None:
        """Count a round trip to the store by the commands that share it."""
        self._store_batch.observe(commands)


def _each(metric: _Metric, family: Family) -> Mapping[tuple[str, ...], _Metric]:
    """Return the series of a metric by their labels, all made at once.

    A rate is right from the first event on only if the series was there before.
    """
    return {
        values: metric.labels(*values) for values in product(*family.labels.values())
    }
