"""The dashboard: how far tournaments have come, and whether they go on."""

from typing import Final

from deploy.grafana.panel import HERE, Board, Panel, number, rate


def _of_fixtures(state: str = "") -> str:
    """Return how many fixtures there are; every process that runs them tells it."""
    chosen = f'{HERE},state=~"{state}"' if state else HERE
    return f"sum(max by (state) (ginref_fixtures{{{chosen}}}))"


TOURNAMENTS: Final = Board(
    name="tournaments",
    title="Tournaments",
    tells="How far tournaments have come, and whether they go on.",
    rows=[
        (
            "Now",
            [
                number(
                    "Running",
                    "Tournaments whose fixtures are played.",
                    f'max(ginref_tournaments{{{HERE},state="running"}})',
                ),
                number("Fixtures", "Of all of them.", _of_fixtures()),
                number("In play", "Fixtures with a match.", _of_fixtures("playing")),
                number(
                    "Ready", "Fixtures that could be played.", _of_fixtures("ready")
                ),
                number(
                    "Stopped", "Fixtures that need a person.", _of_fixtures("stopped")
                ),
                number(
                    "Done",
                    "The part of fixtures that is decided.",
                    f"{_of_fixtures('final|not_needed')}"
                    f" / clamp_min({_of_fixtures()}, 1)",
                    "percentunit",
                ),
            ],
        ),
        (
            "Course",
            [
                Panel(
                    title="Tournaments by state",
                    tells="Those in which something is left to do.",
                    queries=[
                        (
                            f"max by (state) (ginref_tournaments{{{HERE}}})",
                            "{{state}}",
                        )
                    ],
                    is_stacked=True,
                ),
                Panel(
                    title="Fixtures by state",
                    tells="Blocked ones become ready, then are played, then final.",
                    queries=[
                        (f"max by (state) (ginref_fixtures{{{HERE}}})", "{{state}}")
                    ],
                    is_stacked=True,
                ),
                Panel(
                    title="Matches",
                    tells="Created and ended a second, and those of no tournament.",
                    queries=[
                        (rate("ginref_matches_created_total", ""), "created"),
                        (rate("ginref_matches_ended_total", ""), "ended"),
                    ],
                    unit="ops",
                ),
                Panel(
                    title="Attached bots",
                    tells="A tournament waits for bots that are away.",
                    queries=[(f"sum(ginref_attached_bots{{{HERE}}})", "bots")],
                ),
                Panel(
                    title="Records that wait",
                    tells="Results count when their records are signed.",
                    queries=[(f"max(ginref_records_waiting{{{HERE}}})", "records")],
                ),
                Panel(
                    title="Watchers",
                    tells="Streams that follow matches.",
                    queries=[(f"sum(ginref_watchers{{{HERE}}})", "watchers")],
                ),
            ],
        ),
    ],
)
