import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ginref.tournament.standing_tally import Board, Kind, Tally, history
from ginref.tournament.tiebreak import (
    ROUND_ROBIN_ORDER,
    SWISS_ORDER,
    Criterion,
    Edition,
)
from ginref.tournament.tiebreak_rank import Placing, rank_entrants
from ginref.tournament.tiebreak_sum import ScoreBook

GOLDEN = Path(__file__).parents[2] / "golden" / "tournament_vectors.json"
CASES: list[dict[str, Any]] = json.loads(GOLDEN.read_text(encoding="utf-8"))[
    "tiebreaks"
]["cases"]
SWISS, BYES, CYCLE, TEXTBOOK, VIRTUAL, LICHESS = CASES

PAGE = Path(__file__).parents[3] / "docs" / "pairing-and-ranking.md"

COLUMNS = {
    "points": Criterion.MATCH_POINTS,
    "BH": Criterion.BUCHHOLZ,
    "BH_C1": Criterion.BUCHHOLZ_CUT_1,
    "BH_M1": Criterion.BUCHHOLZ_MEDIAN,
    "SB": Criterion.SONNEBORN_BERGER,
    "PS": Criterion.PROGRESSIVE,
    "WIN": Criterion.WINS,
    "WON": Criterion.WINS_PLAYED,
}


def read_game(number: int, a: int, b: int, winner: int | str | None) -> Tally:
    first, second = str(a), str(b)
    if not b:
        return Tally(round=number, first=first, kind=Kind.BYE)
    if winner == "a+":
        return Tally(
            round=number, first=first, second=second, winner=first, kind=Kind.FORFEIT
        )
    won = None if winner is None else str(winner)
    return Tally(round=number, first=first, second=second, winner=won)


def read_rounds(rounds: Sequence[Sequence[Any]]) -> list[Tally]:
    """Whoever is in no game of a round is absent."""
    everyone = {str(one) for played in rounds for game in played for one in game[:2]}
    tallies = []
    for number, played in enumerate(rounds, 1):
        games = [read_game(number, *game) for game in played]
        here = {one for game in games for one in (game.first, game.second)}
        tallies += games
        tallies += [
            Tally(round=number, first=one, kind=Kind.ABSENCE)
            for one in everyone - here - {"0"}
        ]
    return tallies


def book_of(
    tallies: Sequence[Tally],
    edition: Edition = Edition.GIN_2026,
    lots: dict[str, int] | None = None,
    round_count: int | None = None,
) -> ScoreBook:
    rounds = round_count or max(tally.round for tally in tallies)
    return ScoreBook(history(tallies, 60), edition, rounds, lots)


@pytest.mark.parametrize(
    ("case", "edition", "column"),
    [
        pytest.param(SWISS, Edition.GIN_2026, "expected", id="all played"),
        pytest.param(BYES, Edition.GIN_2026, "expected_fide2026", id="gin-2026"),
        pytest.param(BYES, Edition.FIDE_2024, "expected_fide2024", id="fide-2024"),
        pytest.param(CYCLE, Edition.GIN_2026, "expected", id="round robin"),
    ],
)
def test_values_are_the_published_ones(
    case: dict[str, Any], edition: Edition, column: str
) -> None:
    book = book_of(read_rounds(case["rounds"]), edition)

    for entrant, expected in case[column].items():
        values = {
            name: book.tie_break(criterion, entrant).value
            for name, criterion in COLUMNS.items()
        }
        assert {**values, "adjusted": book.adjusted(entrant)} == expected


def test_points_buchholz_and_sonneborn_berger_order_as_published() -> None:
    criteria = [
        Criterion.MATCH_POINTS,
        Criterion.BUCHHOLZ,
        Criterion.SONNEBORN_BERGER,
    ]

    placings = rank_entrants(
        [str(seed) for seed in range(8, 0, -1)],
        book_of(read_rounds(SWISS["rounds"])),
        criteria,
    )

    order = [int(placing.entrant) for placing in placings]
    assert order == SWISS["order_by_points_BH_SB"]


def test_three_who_beat_each_other_in_a_circle_stay_level() -> None:
    book = book_of(read_rounds(CYCLE["rounds"]))
    criteria = [
        Criterion.MATCH_POINTS,
        Criterion.HEAD_TO_HEAD,
        Criterion.SONNEBORN_BERGER,
    ]

    placings = rank_entrants([*"123456"], book, criteria)

    assert [placing.rank for placing in placings] == [1, 1, 1, 4, 5, 6]
    assert [placing.entrant for placing in placings[:3]] == ["1", "2", "3"]
    met = {placing.entrant: placing.tie_breaks[1] for placing in placings[:3]}
    values = {entrant: value.value for entrant, value in met.items()}
    assert values == CYCLE["direct_encounter_points"]
    assert [(part.opponent, part.value) for part in met["1"].contributions] == [
        ("2", 1),
        ("3", 0),
    ]


@pytest.mark.parametrize("side", ["A", "B"])
def test_the_textbook_example_of_sonneborn_berger(side: str) -> None:
    case = TEXTBOOK[side]
    tallies = []
    games = zip(case["opp_scores"], case["results"], strict=True)
    for number, (score, result) in enumerate(games, 1):
        other = f"opponent {number}"
        winner = "one" if result else other
        tallies.append(Tally(round=number, first="one", second=other, winner=winner))
        tallies += [
            Tally(round=10 + number, first=other, second=f"{other}'s", winner=other)
            for _ in range(score - (not result))
        ]

    value = book_of(tallies).tie_break(Criterion.SONNEBORN_BERGER, "one")

    assert value.value == case["SB"]


@pytest.mark.parametrize("case", VIRTUAL["cases"])
def test_in_2009_an_unplayed_round_was_played_against_a_virtual_opponent(
    case: dict[str, Any],
) -> None:
    unplayed, before = case["round"], case["score_before"]
    kind = Kind.BYE if case["awarded"] else Kind.ABSENCE
    tallies = [Tally(round=unplayed, first="one", kind=kind)]
    wins = [n for n in range(1, case["rounds"] + 1) if n != unplayed]
    to_win = {*wins[:before], *wins[unplayed - 1 :][: 6 - before - case["awarded"]]}
    tallies += [
        Tally(
            round=n,
            first="one",
            second=f"other {n}",
            winner="one" if n in to_win else f"other {n}",
        )
        for n in wins
    ]
    book = book_of(tallies, Edition.FIDE_2009)

    parts = book.tie_break(Criterion.BUCHHOLZ, "one").contributions

    assert book.points("one") == 6
    assert parts[unplayed - 1].value == case["own_buchholz_contribution"]
    assert book.adjusted("one") == case["contribution_to_opponents_if_final_6"]


def test_contributions_tell_a_user_where_the_bye_went() -> None:
    scores = LICHESS["beaten_opponents_final_scores"]
    tallies = [Tally(round=6, first="one", kind=Kind.BYE)]
    for number, score in zip([1, 2, 3, 4, 5, 7], scores, strict=True):
        other = f"opponent {number}"
        tallies.append(Tally(round=number, first="one", second=other, winner="one"))
        tallies += [
            Tally(round=8 + n, first=other, second=f"{other}, {n}", winner=other)
            for n in range(int(score))
        ]
        if score % 1:
            tallies.append(Tally(round=20, first=other, second=f"{other}, drawn"))
    book = book_of(tallies, Edition.FIDE_2009, round_count=7)

    value = book.tie_break(Criterion.SONNEBORN_BERGER, "one")

    played = [part.value for part in value.contributions if part.is_played]
    (bye,) = [part for part in value.contributions if not part.is_played]
    assert sum(played) == LICHESS["sum"]
    assert (bye.round, bye.value) == (6, LICHESS["bye_virtual_opponent"])
    assert value.value == LICHESS["shown"]


def net(round_number: int, first: str, second: str, *nets: int) -> Tally:
    total = sum(nets)
    winner = None if not total else first if total > 0 else second
    boards = tuple(Board(one) for one in nets)
    return Tally(
        round=round_number, first=first, second=second, winner=winner, boards=boards
    )


THREE_LEVEL = [
    net(1, "a", "b", 10, -5),
    net(2, "b", "c", 40, 2),
    net(3, "c", "a", 6, 0),
]


@pytest.mark.parametrize(
    ("criteria", "order", "parted_by"),
    [
        pytest.param(
            [Criterion.MATCH_POINTS, Criterion.NET_PER_BOARD],
            ["b", "a", "c"],
            [None, Criterion.NET_PER_BOARD, Criterion.NET_PER_BOARD],
            id="by net points",
        ),
        pytest.param(
            [Criterion.MATCH_POINTS, Criterion.BOARDS_WON, Criterion.LOTS],
            ["b", "c", "a"],
            [None, Criterion.BOARDS_WON, Criterion.LOTS],
            id="by boards won, then by lots",
        ),
        pytest.param(
            [Criterion.LOTS],
            ["c", "a", "b"],
            [None, Criterion.LOTS, Criterion.LOTS],
            id="by lots",
        ),
    ],
)
def test_the_order_of_criteria_decides_and_each_parting_is_named(
    criteria: list[Criterion], order: list[str], parted_by: list[Criterion | None]
) -> None:
    book = book_of(THREE_LEVEL, lots={"c": 0, "a": 1, "b": 2})

    placings = rank_entrants(["a", "b", "c"], book, criteria)

    assert [placing.entrant for placing in placings] == order
    assert [placing.parted_by for placing in placings] == parted_by


def ranks(placings: Sequence[Placing]) -> dict[str, int]:
    return {placing.entrant: placing.rank for placing in placings}


def test_whom_no_criterion_parts_share_a_rank_and_no_parting_is_named() -> None:
    tallies = [Tally(round=1, first="a", second="b")]

    placings = rank_entrants(
        ["a", "b"], book_of(tallies), [Criterion.MATCH_POINTS, Criterion.BUCHHOLZ]
    )

    assert ranks(placings) == {"a": 1, "b": 1}
    assert [placing.parted_by for placing in placings] == [None, None]


def test_a_head_to_head_is_drawn_up_again_for_those_it_leaves_level() -> None:
    tallies = [
        Tally(round=1, first="a", second="b", winner="a"),
        Tally(round=1, first="c", second="d", winner="c"),
        Tally(round=2, first="a", second="c", winner="c"),
        Tally(round=2, first="b", second="d", winner="b"),
        Tally(round=3, first="a", second="d", winner="a"),
        Tally(round=3, first="b", second="c", winner="b"),
        Tally(round=4, first="d", second="x", winner="d"),
        Tally(round=5, first="d", second="y", winner="d"),
    ]

    placings = rank_entrants(
        [*"dcba"],
        book_of(tallies),
        [Criterion.MATCH_POINTS, Criterion.HEAD_TO_HEAD],
    )

    assert ranks(placings) == {"a": 1, "b": 1, "c": 1, "d": 4}
    last = placings[-1]
    assert last.parted_by is Criterion.HEAD_TO_HEAD
    a = next(placing for placing in placings if placing.entrant == "a")
    assert [part.opponent for part in a.tie_breaks[1].contributions] == ["b", "c"]


def test_a_head_to_head_needs_everyone_to_have_met() -> None:
    tallies = [
        Tally(round=1, first="a", second="b", winner="b"),
        Tally(round=2, first="a", second="x", winner="a"),
        Tally(round=2, first="c", second="y", winner="c"),
    ]

    placings = rank_entrants(
        [*"abc"], book_of(tallies), [Criterion.MATCH_POINTS, Criterion.HEAD_TO_HEAD]
    )

    assert ranks(placings) == {"a": 1, "b": 1, "c": 1}
    assert {placing.tie_breaks[1].value for placing in placings} == {None}


def test_net_points_count_by_the_board_so_that_longer_fixtures_gain_nothing() -> None:
    tallies = [net(1, "short", "x", 9), net(1, "long", "y", 9, 7, 8)]
    book = book_of(tallies)

    values = {
        entrant: book.tie_break(Criterion.NET_PER_BOARD, entrant).value
        for entrant in ("short", "long")
    }

    assert values == {"short": 9, "long": 8}


def test_an_entrant_without_any_round_has_nothing() -> None:
    book = book_of([Tally(round=1, first="a", second="b")])

    values = {book.tie_break(criterion, "new").value for criterion in COLUMNS.values()}

    assert values == {0}
    assert book.tie_break(Criterion.NET_PER_BOARD, "new").value == 0


def first_cells(row: str) -> list[str]:
    """What is in code in the first cell of each table row that begins like this."""
    rows = re.findall(rf"^\| *({row}[^|]*)\|", PAGE.read_text("utf-8"), re.MULTILINE)
    return [name for cell in rows for name in re.findall(r"`([^`]+)`", cell)]


def test_the_page_lists_all_criteria_editions_and_kinds() -> None:
    listed = set(first_cells("`"))

    assert listed == {*Criterion, *Edition, *Kind}


@pytest.mark.parametrize(
    ("row", "order"),
    [("round robin, groups", ROUND_ROBIN_ORDER), ("Swiss", SWISS_ORDER)],
)
def test_the_usual_orders_are_those_of_the_page(
    row: str, order: tuple[Criterion, ...]
) -> None:
    (line,) = re.findall(rf"^\| {row} \|(.*)\|$", PAGE.read_text("utf-8"), re.MULTILINE)

    assert tuple(re.findall(r"`(\w+)`", line)) == order
