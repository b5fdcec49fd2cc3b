"""An export as tables for spreadsheets: CSV by RFC 4180, columns that never move.

A text that a spreadsheet would take for a formula gets an apostrophe before it.
"""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

Document = Mapping[str, Any]
_Row = Sequence[object]

STANDINGS: Final = (
    "stage",
    "group",
    "rank",
    "bot",
    "owner",
    "seed",
    "points",
    "won",
    "drawn",
    "lost",
    "unplayed",
    "boards_forfeited",
    "net_per_board",
    "skill",
    "skill_margin",
    "decks",
    "adjusted",
    "adjusted_margin",
    "score_low",
    "score_high",
    "rating",
    "rating_low",
    "rating_high",
    "chance_of_first",
    "best_rank",
    "worst_rank",
    "above_next",
    "parted_by",
    "tie_breaks",
)
FIXTURES: Final = (
    "stage",
    "group",
    "round",
    "node",
    "fixture",
    "attempt",
    "state",
    "a",
    "b",
    "source_a",
    "source_b",
    "best_of",
    "result_kind",
    "winner",
    "loser",
    "decided_by",
    "goes_on",
    "games_a",
    "games_b",
    "net_a",
    "decided_entry",
)
BOARDS: Final = (
    "stage",
    "node",
    "fixture",
    "attempt",
    "game",
    "match",
    "deal",
    "first",
    "second",
    "ending",
    "match_winner",
    "at_fault",
    "board",
    "net_first",
    "luck_hundredths",
    "record",
)
CROSS_TABLE: Final = (
    "stage",
    "bot",
    "opponent",
    "fixtures",
    "points",
    "net_per_board",
    "net_margin",
    "decks",
    "is_clear",
)

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def csv_files(document: Document) -> dict[str, str]:
    """Return the tables of an export by the names of their files."""
    return {
        "standings.csv": _write(STANDINGS, _standings(document)),
        "fixtures.csv": _write(FIXTURES, _fixtures(document)),
        "boards.csv": _write(BOARDS, _boards(document)),
        "crosstable.csv": _write(CROSS_TABLE, _cells(document)),
    }


def _write(columns: Sequence[str], rows: Iterator[_Row]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue()


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    # Numbers may begin with a minus sign; texts are no formulas.
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return str(value)


def _standings(document: Document) -> Iterator[_Row]:
    entrants = {one["bot"]: one for one in document["entrants"]}
    for stage in document["stages"]:
        ratings = {one["bot"]: one for one in stage["ratings"]}
        certain = {one["bot"]: one for one in stage["certainty"]}
        for line in stage["standings"]:
            bot = line["bot"]
            rated, sure = ratings.get(bot, {}), certain.get(bot, {})
            adjusted = line["adjusted"] or {}
            low, high = line["score_interval"] or (None, None)
            yield (
                stage["name"],
                line["group"],
                line["rank"],
                bot,
                entrants[bot]["owner"],
                entrants[bot]["seed"],
                line["points"],
                line["won"],
                line["drawn"],
                line["lost"],
                " ".join(line["unplayed"]),
                line["boards_forfeited"],
                line["net_per_board"],
                line["skill"]["mean"],
                line["skill"]["margin"],
                line["skill"]["count"],
                adjusted.get("mean"),
                adjusted.get("margin"),
                low,
                high,
                rated.get("rating"),
                rated.get("low"),
                rated.get("high"),
                sure.get("first"),
                sure.get("best_rank"),
                sure.get("worst_rank"),
                sure.get("above_next"),
                line["parted_by"],
                " ".join(_tie_breaks(line)),
            )


def _tie_breaks(line: Mapping[str, Any]) -> Iterator[str]:
    for one in line["tie_breaks"]:
        if one["value"] is not None:
            yield f"{one['criterion']}={one['value']}"


def _fixtures(document: Document) -> Iterator[_Row]:
    for stage in document["stages"]:
        for fixture in stage["fixtures"]:
            a, b = fixture["entrants"]
            result = fixture["result"] or {}
            outcomes = [game["outcome"] or {} for game in fixture["games"]]
            winners = [outcome.get("winner") for outcome in outcomes]
            nets = [net for outcome in outcomes for net in outcome.get("boards", ())]
            yield (
                stage["name"],
                fixture["group"],
                fixture["round"],
                fixture["node"],
                fixture["id"],
                fixture["attempt"],
                fixture["state"],
                a,
                b,
                *fixture["sources"],
                fixture["best_of"],
                result.get("kind"),
                fixture["winner"],
                result.get("loser"),
                result.get("by", result.get("cause")),
                (fixture["goes_on"] or {}).get("kind"),
                winners.count(a) if a else 0,
                winners.count(b) if b else 0,
                sum(nets) if nets else None,
                fixture["decided"],
            )


def _boards(document: Document) -> Iterator[_Row]:
    """Yield every board; a match without any has one line, without a number."""
    for match in document["matches"]:
        first = match["first"]
        (second,) = (bot for bot in match["bots"] if bot != first)
        outcome = match["outcome"] or {}
        nets, lucks = outcome.get("boards") or [None], outcome.get("luck", ())
        for at, net in enumerate(nets):
            yield (
                match["stage"],
                match["node"],
                match["fixture"],
                match["attempt"],
                match["game"],
                match["match"],
                match["deal"],
                first,
                second,
                outcome.get("ending"),
                outcome.get("winner"),
                " ".join(outcome.get("at_fault", ())),
                None if net is None else at + 1,
                net,
                lucks[at] if at < len(lucks) else None,
                match["record"],
            )


def _cells(document: Document) -> Iterator[_Row]:
    for stage in document["stages"]:
        for cell in stage["cross_table"]:
            yield (
                stage["name"],
                cell["bot"],
                cell["opponent"],
                cell["fixtures"],
                cell["points"],
                cell["net"]["mean"],
                cell["net"]["margin"],
                cell["net"]["count"],
                cell["is_clear"],
            )
