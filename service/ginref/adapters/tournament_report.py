"""The export of a tournament as one page for people, which needs nothing else.

It has no script and names no other file or server: it can be sent, kept and opened
anywhere. Everything that comes from the export is escaped.
"""

import datetime as dt
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import groupby
from typing import Any, Final

from jinja2 import Environment, StrictUndefined

from ginref.tournament.service_time import ServiceTime

_TEMPLATE: Final = "tournament_report.html"
_WIDEST_TABLE: Final = 40
"""Entrants whose cross-table anybody can read."""

_WORDS: Final[Mapping[str, str]] = {
    "double_forfeited": "both forfeited",
    "drawn": "drawn",
    "free_round": "sat out",
    "voided": "void",
    "walked_over": "walk-over",
}
_FORFEITS: Final = ("timed_out", "strikes", "no_show", "resigned")

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What is said of how true the page is.

    Attributes:
        finding: What the verification of its export came to, in words.
        key_id: Name of the key that signed the export.
        records: Matches that were compared with their records; None if none were.
        services: How everybody was served: by the records, or as the export says.
        notes: What a reader should know though nothing is wrong.
    """

    finding: str
    key_id: str
    records: int | None = None
    services: Sequence[ServiceTime] | None = None
    notes: tuple[str, ...] = ()


def render_report(document: Document, proof: Proof) -> str:
    """Return the page of an export that was verified.

    Args:
        document: The export as JSON values.
        proof: What its verification came to.
    """
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "plain": lambda word: str(word).replace("_", " "),
        "signed": _signed,
        "share": lambda share: f"{100 * share:.0f} %",
        "moment": _moment,
    }
    source = files("ginref.adapters").joinpath(_TEMPLATE).read_text(encoding="utf-8")
    log = document["log"]
    # By qualifying matches nobody is measured.
    played = [match for match in document["matches"] if match["stage"]]
    page = environment.from_string(source).render(
        document=document,
        title=document["configuration"]["title"] or document["configuration"]["name"],
        stages=[_stage(stage) for stage in document["stages"]],
        reliability=list(_reliability(document)),
        began_ms=log[0]["time_ms"],
        ended_ms=log[-1]["time_ms"],
        board_count=sum(
            len(match["outcome"]["boards"]) for match in played if match["outcome"]
        ),
        played=played,
        unqualified=[
            entrant["bot"]
            for entrant in document["entrants"]
            if (entrant["departure"] or {}).get("exit") == "qualifying"
        ],
        proof=proof,
    )
    return f"{page}\n"


def _signed(value: float | None, digits: int = 1) -> str:
    """Write a number with its sign, and a minus as wide as a plus."""
    if value is None:
        return "\N{EN DASH}"
    return f"{value:+.{digits}f}".replace("-", "\N{MINUS SIGN}")


def _moment(time_ms: int) -> str:
    moment = dt.datetime.fromtimestamp(time_ms / 1000, dt.UTC)
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def _stage(stage: Mapping[str, Any]) -> dict[str, Any]:
    """Return a stage as the page shows it."""
    is_bracket = stage["format"] in {"single_elimination", "double_elimination"}
    ratings = {one["bot"]: one for one in stage["ratings"]}
    certain = {one["bot"]: one for one in stage["certainty"]}
    skills = {one["bot"]: one for one in stage["skills"]}
    groups = {
        group: [
            {
                **line,
                "rating": ratings.get(line["bot"]),
                "sure": certain.get(line["bot"]),
                "ladder": skills.get(line["bot"]),
                "bar": bar,
            }
            for line, bar in zip(lines, _bars(lines), strict=True)
        ]
        for group, lines in _by(stage["standings"], "group")
    }
    cells = {(cell["bot"], cell["opponent"]): cell for cell in stage["cross_table"]}
    tables = {
        group: [line["bot"] for line in lines]
        for group, lines in groups.items()
        if not is_bracket and len(lines) <= _WIDEST_TABLE
    }
    return {
        **stage,
        "is_bracket": is_bracket,
        "groups": groups,
        "tables": tables,
        "cells": {
            pair: {**cell, "shade": _shade(cell)} for pair, cell in cells.items()
        },
        "rounds": [
            (name, [_fixture(one) for one in listed])
            for name, listed in _rounds(stage["fixtures"])
        ],
    }


def _by(
    rows: Sequence[Mapping[str, Any]], key: str
) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    for name, listed in groupby(rows, key=lambda row: str(row[key])):
        yield name, list(listed)


def _bars(lines: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, float] | None]:
    """Yield where each interval of skill lies, in hundredths of the widest one."""
    known = [line["skill"] for line in lines if line["skill"]["margin"] is not None]
    # A few decks give intervals beyond all measure, which would hide the others.
    widest = 2 * max((abs(skill["mean"]) for skill in known), default=0)
    ends = [abs(skill["mean"]) + skill["margin"] for skill in known]
    reach = min(widest, max(ends, default=0)) or 1
    for line in lines:
        mean, margin = line["skill"]["mean"], line["skill"]["margin"]
        if mean is None or margin is None:
            yield None
            continue
        low, high = (
            50 + 50 * max(-1.0, min(1.0, (mean + side * margin) / reach))
            for side in (-1, 1)
        )
        middle = 50 + 50 * mean / reach
        yield {"low": round(low, 1), "high": round(high, 1), "middle": round(middle, 1)}


def _shade(cell: Mapping[str, Any]) -> str:
    """Return how clearly one of two is better."""
    mean = cell["net"]["mean"]
    if not mean:
        return "even"
    side = "up" if mean > 0 else "down"
    return side if cell["is_clear"] else f"maybe-{side}"


def _rounds(
    fixtures: Sequence[Mapping[str, Any]],
) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    """Yield the fixtures of each round, by the name of the round."""
    rounds: dict[str, list[Mapping[str, Any]]] = {}
    for fixture in fixtures:
        name = fixture["node"].rpartition(".")[0] or fixture["node"]
        rounds.setdefault(name.rpartition("/")[2], []).append(fixture)
    yield from rounds.items()


def _fixture(fixture: Mapping[str, Any]) -> dict[str, Any]:
    """Return a fixture as the page shows it."""
    outcomes = [game["outcome"] for game in fixture["games"] if game["outcome"]]
    nets = [net for outcome in outcomes for net in outcome["boards"]]
    scores: list[int | None] = [None, None]
    if outcomes and fixture["best_of"] > 1:
        winners = Counter(outcome["winner"] for outcome in outcomes)
        scores = [winners[bot] for bot in fixture["entrants"]]
    elif nets:
        scores = [
            sum(max(0, net) for net in nets),
            sum(max(0, -net) for net in nets),
        ]
    sides = [
        {
            "name": bot or ("nobody" if source == "bye" else None),
            "source": source,
            "score": score,
            "is_winner": bot is not None and bot == fixture["winner"],
        }
        for bot, source, score in zip(
            fixture["entrants"], fixture["sources"], scores, strict=True
        )
    ]
    return {**fixture, "sides": sides, "note": _note(fixture)}


def _note(fixture: Mapping[str, Any]) -> str:
    """Say of a fixture what its names and its score do not."""
    result = fixture["result"]
    if result is None:
        return str(fixture["state"]).replace("_", " ")
    said = _WORDS.get(result["kind"], "")
    if result["kind"] == "forfeited":
        said = f"{result['loser']} forfeited: {result['cause']}"
    if result["kind"] == "won" and result["by"] != "matches":
        said = f"by {result['by']}"
    if fixture["attempt"] > 1:
        said = f"{said}; " if said else ""
        said += f"attempt {fixture['attempt']}"
    if fixture["goes_on"] is not None:
        said += "; corrected for the record"
    return said.replace("_", " ")


def _reliability(document: Document) -> Iterator[dict[str, Any]]:
    """Yield how often each entrant has lost a match otherwise than by play."""
    for entrant in document["entrants"]:
        if entrant["seed"] is None:
            continue
        bot = entrant["bot"]
        own = [
            one["outcome"]
            for one in document["matches"]
            if one["stage"] and bot in one["bots"]
        ]
        ended = [outcome for outcome in own if outcome is not None]
        faults = Counter(one["ending"] for one in ended if bot in one["at_fault"])
        left = entrant["departure"]
        yield {
            "bot": bot,
            "owner": entrant["owner"],
            "matches": len(own),
            **{word: faults[word] for word in _FORFEITS},
            "void": sum(one["ending"] in {"void", "aborted"} for one in ended),
            "left": "" if left is None else left["cause"],
        }
