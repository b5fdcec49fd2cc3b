"""The dashboard: whether bots are answered, and how fast."""

from typing import Final

from deploy.grafana.panel import (
    CALL_TIME,
    HERE,
    REFEREE_TIME,
    TURN_TIME,
    UNARY,
    Board,
    Panel,
    number,
    quantile,
    quantiles,
    rate,
)

REFEREE: Final = Board(
    name="referee",
    title="Referee",
    tells="Whether bots are answered, and how fast.",
    rows=[
        (
            "Now",
            [
                number(
                    "Processes",
                    "How many answer Prometheus.",
                    f"sum(up{{{HERE}}})",
                ),
                number(
                    "Attached bots",
                    "Bots with an open stream.",
                    f"sum(ginref_attached_bots{{{HERE}}})",
                ),
                number(
                    "Moves",
                    "Accepted moves a second.",
                    rate("ginref_moves_total", "", 'verdict="accepted"'),
                    "ops",
                ),
                number(
                    "Slowest calls",
                    "One call in a hundred takes longer; streams are not counted.",
                    quantile(0.99, CALL_TIME, "", UNARY),
                    "s",
                ),
                number(
                    "Refusals",
                    "Refusals a second, for whatever reason.",
                    rate("ginref_refusals_total", ""),
                    "ops",
                ),
                Panel(
                    title="Versions",
                    tells="How many processes run which version.",
                    queries=[
                        (
                            f"count by (version) (ginref_build_info{{{HERE}}})",
                            "{{version}}",
                        )
                    ],
                    is_number=True,
                ),
            ],
        ),
        (
            "Moves",
            [
                Panel(
                    title="Moves by verdict",
                    tells="Refused ones are illegal, late or stale.",
                    queries=[(rate("ginref_moves_total", "verdict"), "{{verdict}}")],
                    unit="ops",
                ),
                Panel(
                    title="Moves by kind",
                    tells="Of bots that play, all kinds are here.",
                    queries=[(rate("ginref_moves_total", "kind"), "{{kind}}")],
                    unit="ops",
                    is_stacked=True,
                ),
                Panel(
                    title="Moves by process",
                    tells="Load that is not spread shows here.",
                    queries=[(rate("ginref_moves_total", "instance"), "{{instance}}")],
                    unit="ops",
                ),
            ],
        ),
        (
            "Times",
            [
                quantiles(
                    "Time of the referee",
                    "From a move, as it came, until it was stored.",
                    REFEREE_TIME,
                ),
                Panel(
                    title="Time of the referee, by process",
                    tells="99 in 100 take less; a process that is slow shows here.",
                    queries=[
                        (quantile(0.99, REFEREE_TIME, "instance"), "{{instance}}")
                    ],
                    unit="s",
                ),
                quantiles(
                    "Time of bots",
                    "From a turn, as it was sent, to its move, as it came.",
                    TURN_TIME,
                ),
            ],
        ),
        (
            "Calls",
            [
                quantiles(
                    "How long calls take",
                    "Half of all calls, nine in ten, 99 in 100; no streams.",
                    CALL_TIME,
                    UNARY,
                ),
                Panel(
                    title="How long calls take, by method",
                    tells="99 in 100 of each take less.",
                    queries=[
                        (quantile(0.99, CALL_TIME, "method", UNARY), "{{method}}")
                    ],
                    unit="s",
                ),
                Panel(
                    title="Calls by method",
                    tells="Streams count when they end.",
                    queries=[(rate("ginref_calls_total", "method"), "{{method}}")],
                    unit="reqps",
                    is_stacked=True,
                ),
                Panel(
                    title="Calls by how they ended",
                    tells="OK, or why not.",
                    queries=[(rate("ginref_calls_total", "code"), "{{code}}")],
                    unit="reqps",
                ),
                Panel(
                    title="Answers over HTTP",
                    tells="By status; those to pages, and to what is no call, too.",
                    queries=[
                        (rate("ginref_http_answers_total", "status"), "{{status}}")
                    ],
                    unit="reqps",
                ),
                Panel(
                    title="Refusals by reason",
                    tells="Those on bots' streams, too. Reasons that occur only.",
                    queries=[
                        (f"{rate('ginref_refusals_total', 'reason')} > 0", "{{reason}}")
                    ],
                    unit="ops",
                ),
                Panel(
                    title="Streams",
                    tells="Bots that are attached, and watchers, by process.",
                    queries=[
                        (
                            f"sum by (instance) (ginref_attached_bots{{{HERE}}})",
                            "bots at {{instance}}",
                        ),
                        (
                            f"sum by (instance) (ginref_watchers{{{HERE}}})",
                            "watchers at {{instance}}",
                        ),
                    ],
                ),
                Panel(
                    title="Dropped streams",
                    tells="Ended because they were not read.",
                    queries=[
                        (rate("ginref_streams_dropped_total", "stream"), "{{stream}}")
                    ],
                    unit="ops",
                ),
            ],
        ),
    ],
)
