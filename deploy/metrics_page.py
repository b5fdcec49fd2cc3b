"""The page about metrics, from the code: python -m deploy.metrics_page."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from ginref.adapters.metric_family import CHAPTERS, METHOD, REASON, Family, Kind

PLACE: Final = Path(__file__).parents[1] / "docs/metrics.md"

_HEAD: Final = """\
# Metrics

Every process of a referee tells what it does itself, at `/metrics` of its
[admin address](operations.md#probes): in the text format of Prometheus, or as
OpenMetrics for whoever accepts that. Times are in seconds, and names that end in
`_total` only grow. A process begins at nothing when it starts.

Every label takes its values from a closed set that is told below. What callers send
gets into none of them: methods that are not served, for example, are counted together
as `other`. No metric names a bot, an owner, a match or a tournament.

Histograms that are marked with \N{BLACK DIAMOND} have exemplars: where traces are kept,
OpenMetrics names one, as `trace_id`, beside a bucket.

This page is made from the code, by `make metrics-docs`. What to look at is told by the
dashboards and alerts of [operations](operations.md#metrics), and what an alert means by
the [runbook](runbook.md).
"""

_TAIL: Final = """
The usual metrics of a process are there as well: `process_cpu_seconds_total`,
`process_resident_memory_bytes`, `process_virtual_memory_bytes`,
`process_start_time_seconds`, `process_open_fds` and `process_max_fds`.
"""

_OF_THE_API: Final = (
    "every method that is served, as `ginref.v1.Service/Method`, `other`"
)
_REASONS: Final = "every [reason](protocol.md#refusals) of the API"
_NO_FIXED_SET: Final = "fixed for a process"


def page() -> str:
    """Return the page."""
    return "".join([_HEAD, *_chapters(), _TAIL])


def _chapters() -> Iterator[str]:
    for title, families in CHAPTERS.items():
        yield f"\n## {title}\n\n| metric | type | |\n|---|---|---|\n"
        yield from map(_row, families)
        for family in families:
            for label, values in family.labels.items():
                yield f"\n`{label}` of `{family.shown}`: {_told(label, values)}.\n"
            if family.buckets:
                bounds = ", ".join(f"{bound:g}" for bound in family.buckets)
                yield f"\nBuckets of `{family.shown}`: {bounds}.\n"


def _row(family: Family) -> str:
    mark = " \N{BLACK DIAMOND}" if family.has_exemplars else ""
    kind = Kind.GAUGE if family.kind is Kind.INFO else family.kind
    return f"| `{family.shown}` | {kind}{mark} | {family.tells} |\n"


def _told(label: str, values: Sequence[str]) -> str:
    if label == METHOD:
        return _OF_THE_API
    if label == REASON:
        return _REASONS
    if not values:
        return _NO_FIXED_SET
    return ", ".join(f"`{value}`" for value in values)


if __name__ == "__main__":
    PLACE.write_text(page(), encoding="utf-8")
