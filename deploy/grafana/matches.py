"""The dashboard: how matches go and end, and whether anybody is wronged."""

from typing import Final

from deploy.grafana.panel import (
    ACCEPTED,
    HERE,
    REFEREE_TIME,
    TURN_TIME,
    Board,
    Panel,
    mean,
    number,
    quantile,
    rate,
)

MATCHES: Final = Board(
    name="matches",
    title="Matches and fairness",
    tells="How matches go and end, and whether anybody is wronged.",
    rows=[
        (
            "Now",
            [
                number(
                    "Matches in play",
                    "Matches that are not over.",
                    f"max(ginref_matches_live{{{HERE}}})",
                ),
                number(
                    "Ended",
                    "Matches that ended within the time that is shown.",
                    f"sum(increase(ginref_matches_ended_total{{{HERE}}}[$__range]))",
                ),
                number(
                    "Void",
                    "Of these, by the referee's fault. It should be none.",
                    "sum(increase(ginref_matches_ended_total"
                    f'{{{HERE},ending="void"}}[$__range]))',
                ),
                number(
                    "Deadlines acted on",
                    "Within the time that is shown.",
                    f"sum(increase(ginref_timeouts_total{{{HERE}}}[$__range]))",
                ),
                number(
                    "Credited",
                    "Time of outages that no clock was charged for.",
                    f"sum(increase(ginref_outage_seconds_total{{{HERE}}}[$__range]))",
                    "s",
                ),
                number(
                    "Oldest without a record",
                    "How long ago the first match ended that waits for its record.",
                    f"max(ginref_records_waiting_seconds{{{HERE}}})",
                    "s",
                ),
            ],
        ),
        (
            "Matches",
            [
                Panel(
                    title="Created and ended",
                    tells="Lines that part tell of matches that pile up.",
                    queries=[
                        (rate("ginref_matches_created_total", ""), "created"),
                        (rate("ginref_matches_ended_total", ""), "ended"),
                    ],
                    unit="ops",
                ),
                Panel(
                    title="Endings",
                    tells="Completed, or how else.",
                    queries=[
                        (rate("ginref_matches_ended_total", "ending"), "{{ending}}")
                    ],
                    unit="ops",
                    is_stacked=True,
                ),
                Panel(
                    title="Who is answerable",
                    tells="The referee and the organizer hardly ever should be.",
                    queries=[
                        (rate("ginref_matches_ended_total", "fault"), "{{fault}}")
                    ],
                    unit="ops",
                    is_stacked=True,
                ),
                Panel(
                    title="Matches in play",
                    tells="Those that are not over, at any process.",
                    queries=[(f"max(ginref_matches_live{{{HERE}}})", "matches")],
                ),
                Panel(
                    title="Records",
                    tells="Signed a second, and how many wait.",
                    queries=[
                        (rate("ginref_records_signed_total", ""), "signed a second"),
                        (f"max(ginref_records_waiting{{{HERE}}})", "waiting"),
                    ],
                ),
            ],
        ),
        (
            "Rounds",
            [
                Panel(
                    title="Rounds by outcome",
                    tells="Many walls tell of bots that never knock.",
                    queries=[(rate("ginref_rounds_total", "outcome"), "{{outcome}}")],
                    unit="ops",
                    is_stacked=True,
                ),
                Panel(
                    title="Undercut knocks",
                    tells="The part of knocks that the defender wins.",
                    queries=[
                        (
                            rate("ginref_rounds_total", "", 'outcome="undercut"')
                            + " / "
                            + rate(
                                "ginref_rounds_total", "", 'outcome=~"knock|undercut"'
                            ),
                            "undercut",
                        )
                    ],
                    unit="percentunit",
                ),
                Panel(
                    title="Turns a round",
                    tells="Of both seats; a turn ends with a discard or a knock.",
                    queries=[
                        (
                            rate(
                                "ginref_moves_total",
                                "",
                                ACCEPTED,
                                'kind=~"discard|knock"',
                            )
                            + " / "
                            + rate("ginref_rounds_total", ""),
                            "turns",
                        )
                    ],
                ),
            ],
        ),
        (
            "Fairness",
            [
                Panel(
                    title="Ended because nobody moved",
                    tells="When it grows for all, look at the network first.",
                    queries=[
                        (
                            rate(
                                "ginref_matches_ended_total",
                                "",
                                'ending=~"no_show|timed_out"',
                            )
                            + " / "
                            + rate("ginref_matches_ended_total", ""),
                            "of all that ended",
                        )
                    ],
                    unit="percentunit",
                ),
                Panel(
                    title="Refused moves",
                    tells="The part of moves that was refused, for whatever reason.",
                    queries=[
                        (
                            rate("ginref_moves_total", "", 'verdict="refused"')
                            + " / "
                            + rate("ginref_moves_total", ""),
                            "of all moves",
                        )
                    ],
                    unit="percentunit",
                ),
                Panel(
                    title="What clocks are charged for",
                    tells="A move on average: of the bot, and of the referee on top.",
                    queries=[(mean(TURN_TIME), "bot"), (mean(REFEREE_TIME), "referee")],
                    unit="s",
                    is_stacked=True,
                ),
                Panel(
                    title="Slowest of the referee",
                    tells="One move in a hundred waits longer; fair while below 0.1 s.",
                    queries=[(quantile(0.99, REFEREE_TIME), "99%")],
                    unit="s",
                ),
                Panel(
                    title="How late deadlines are acted on",
                    tells="99 in 100, after their grace; nothing while none passes.",
                    queries=[
                        (quantile(0.99, "ginref_timeout_delay_seconds"), "99%"),
                    ],
                    unit="s",
                ),
                Panel(
                    title="Since the last look for deadlines",
                    tells="Of whichever process looked last. It is less than a second.",
                    queries=[
                        (
                            f"time() - max(ginref_sweep_timestamp_seconds{{{HERE}}})",
                            "ago",
                        )
                    ],
                    unit="s",
                ),
                Panel(
                    title="Outages that were credited",
                    tells="How many, and how long they were together.",
                    queries=[
                        (f"max(ginref_outages_total{{{HERE}}})", "outages"),
                        (f"max(ginref_outage_seconds_total{{{HERE}}})", "seconds"),
                    ],
                ),
            ],
        ),
    ],
)
