"""The dashboard: whether bots are answered, and how fast."""

from typing import Final

from deploy.grafana.panel import HERE, UNARY, Board, Panel, number, quantile, rate

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
                    quantile(0.99, "", UNARY),
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
            "Calls",
            [
                Panel(
                    title="How long calls take",
                    tells="Half of all calls, nine in ten, 99 in 100; no streams.",
                    queries=[
                        (quantile(part, "", UNARY), f"{part:.0%}")
                        for part in (0.5, 0.9, 0.99)
                    ],
                    unit="s",
                ),
                Panel(
                    title="How long calls take, by method",
                    tells="99 in 100 of each take less.",
                    queries=[(quantile(0.99, "method", UNARY), "{{method}}")],
                    unit="s",
                ),
                Panel(
                    title="Calls by method",
                    tells="Streams count when they end.",
                    queries=[
                        (rate("ginref_call_seconds_count", "method"), "{{method}}")
                    ],
                    unit="reqps",
                    is_stacked=True,
                ),
                Panel(
                    title="Calls by how they ended",
                    tells="OK, or why not.",
                    queries=[(rate("ginref_call_seconds_count", "code"), "{{code}}")],
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
            ],
        ),
    ],
)
