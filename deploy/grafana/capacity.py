"""The dashboard: whether the store keeps up, and what is left."""

from typing import Final

from deploy.grafana.panel import (
    ACCEPTED,
    CALL_TIME,
    HERE,
    STORE_TIME,
    Board,
    Panel,
    mean,
    number,
    quantile,
    quantiles,
    rate,
)

_CPU: Final = f"rate(process_cpu_seconds_total{{{HERE}}}[$__rate_interval])"

_CERTIFICATE_END: Final = f"ginref_certificate_expiry_timestamp_seconds{{{HERE}}}"

CAPACITY: Final = Board(
    name="capacity",
    title="Redis and capacity",
    tells="Whether the store keeps up and keeps its promises, and what is left.",
    rows=[
        (
            "Store",
            [
                Panel(
                    title="Promise",
                    tells="What the store promises, by how many processes.",
                    queries=[
                        (f"count by (store) (ginref_build_info{{{HERE}}})", "{{store}}")
                    ],
                    is_number=True,
                ),
                number(
                    "Unavailable",
                    "Refusals a second because the store confirms nothing.",
                    rate("ginref_refusals_total", "", 'reason="STORE_UNAVAILABLE"'),
                    "ops",
                ),
                number(
                    "Limits",
                    "Refusals a second because a limit is reached.",
                    rate("ginref_refusals_total", "", 'reason="LIMIT_EXCEEDED"'),
                    "ops",
                ),
                number(
                    "Busiest process",
                    "The part of its core that it uses.",
                    f"max({_CPU})",
                    "percentunit",
                ),
                number(
                    "Cost of a move",
                    "Processor time of all processes for each accepted move.",
                    f"sum({_CPU}) / clamp_min("
                    f"{rate('ginref_moves_total', '', ACCEPTED)}, 0.001)",
                    "s",
                ),
                number(
                    "Youngest process",
                    "How long ago it started.",
                    f"min(time() - process_start_time_seconds{{{HERE}}})",
                    "s",
                ),
            ],
        ),
        (
            "Questions to the store",
            [
                quantiles(
                    "How long the store takes",
                    "With its replicas, and the wait for a connection.",
                    STORE_TIME,
                ),
                Panel(
                    title="How long the store takes, by operation",
                    tells="99 in 100 take less; apply stores a move.",
                    queries=[
                        (quantile(0.99, STORE_TIME, "operation"), "{{operation}}")
                    ],
                    unit="s",
                ),
                Panel(
                    title="Questions by operation",
                    tells="How many a second.",
                    queries=[
                        (rate(f"{STORE_TIME}_count", "operation"), "{{operation}}")
                    ],
                    unit="ops",
                    is_stacked=True,
                ),
                Panel(
                    title="Questions that travel together",
                    tells="On average; more under load, so that callers do not queue.",
                    queries=[(mean("ginref_store_batch_commands"), "commands")],
                ),
                Panel(
                    title="Conflicts",
                    tells="Steps for which another process, or a retry, was faster.",
                    queries=[(rate("ginref_store_conflicts_total", "log"), "{{log}}")],
                    unit="ops",
                ),
                Panel(
                    title="Retries and failures",
                    tells="A takeover of another server shows here.",
                    queries=[
                        (rate("ginref_store_retries_total", ""), "sent again"),
                        (rate("ginref_store_failures_total", ""), "failed"),
                    ],
                    unit="ops",
                ),
            ],
        ),
        (
            "Trouble with the store",
            [
                Panel(
                    title="Refused because of the store",
                    tells="Unavailable, or a limit such as its memory.",
                    queries=[
                        (
                            rate(
                                "ginref_refusals_total",
                                "reason",
                                'reason=~"STORE_UNAVAILABLE|LIMIT_EXCEEDED"',
                            ),
                            "{{reason}}",
                        )
                    ],
                    unit="ops",
                ),
                Panel(
                    title="How long calls take",
                    tells="99 in 100 take less; a slow store shows here first.",
                    queries=[
                        (
                            quantile(
                                0.99,
                                CALL_TIME,
                                "method",
                                'method=~".*/(Create|Get|Submit).*"',
                            ),
                            "{{method}}",
                        )
                    ],
                    unit="s",
                ),
                Panel(
                    title="Records that wait",
                    tells="They stay in the store until they are archived.",
                    queries=[(f"max(ginref_records_waiting{{{HERE}}})", "records")],
                ),
            ],
        ),
        (
            "Processes",
            [
                Panel(
                    title="Processor time",
                    tells="Of the one core that a process can use.",
                    queries=[(f"sum by (instance) ({_CPU})", "{{instance}}")],
                    unit="percentunit",
                ),
                Panel(
                    title="Memory",
                    tells="Some 60 KB for each attached bot, beside what is fixed.",
                    queries=[
                        (f"process_resident_memory_bytes{{{HERE}}}", "{{instance}}")
                    ],
                    unit="bytes",
                ),
                Panel(
                    title="What certificates have left",
                    tells="The one that ends first; 0 without TLS.",
                    queries=[
                        (
                            f"clamp_min(min({_CERTIFICATE_END}) - time(), 0)",
                            "until it ends",
                        )
                    ],
                    unit="s",
                ),
                Panel(
                    title="Certificates that were tried",
                    tells="One that is refused leaves the one before.",
                    queries=[
                        (
                            f"sum by (fate) (ginref_certificates_total{{{HERE}}})",
                            "{{fate}}",
                        )
                    ],
                ),
                Panel(
                    title="Open files",
                    tells="Connections, too; of those that a process may have.",
                    queries=[
                        (
                            f"process_open_fds{{{HERE}}} / process_max_fds{{{HERE}}}",
                            "{{instance}}",
                        )
                    ],
                    unit="percentunit",
                ),
            ],
        ),
    ],
)
