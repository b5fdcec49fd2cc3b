import io
from typing import Literal

import pytest
from rich.console import Console, RenderableType

from ginref.engine.deck import seed_secret
from ginref.engine.ruleset import GIN, HOLLYWOOD, OKLAHOMA, THREE_HANDED, Ruleset
from ginref.engine.seat import Seat
from ginref.engine.sheet import enter, open_sheet
from ginref_client.arena import tell_match
from ginref_client.bots.careful import Careful
from ginref_client.bots.simple import Simple
from ginref_client.story import (
    Story,
    distinct_names,
    render_sheet,
    settlement_lines,
)


def show(*parts: RenderableType, colour: bool = False) -> str:
    out = io.StringIO()
    system: Literal["standard"] | None = "standard" if colour else None
    console = Console(
        file=out, width=80, highlight=False, force_terminal=colour, color_system=system
    )
    for part in parts:
        console.print(part)
    return out.getvalue()


def story(rules: Ruleset, seed: str) -> str:
    bots = [Careful(), Simple(), Simple()][: rules.seat_count]
    teller = Story([bot.name for bot in bots])
    told = tell_match(bots, rules, seed_secret(seed))
    return show(*(part for happening in told for part in teller.tell(happening)))


@pytest.mark.parametrize(
    "rules", [GIN, HOLLYWOOD, OKLAHOMA, THREE_HANDED], ids=lambda r: r.name
)
def test_a_story_fits_on_eighty_columns(rules: Ruleset) -> None:
    text = story(rules, "a")

    assert max(map(len, text.splitlines())) <= 80


def test_a_story_reads_without_colour() -> None:
    text = story(HOLLYWOOD, "a")

    assert "\x1b" not in text
    assert "Round 1" in text
    assert "careful deals and turns up Qh" in text
    assert "   1  simple   draws 3s, throws Ts" in text
    assert "  23  simple   draws 6c, knocks with 6d" in text
    assert "simple     0  3s-3h-3d  As-Ah-Ad-Ac  4c-5c-6c" in text
    assert "simple scores 47 with gin." in text
    assert "scores 21 by the difference, in game 2 and 3." in text
    assert "careful wins, after 14 rounds and 327 moves." in text


def test_a_round_that_nobody_wins_is_told() -> None:
    text = story(GIN.but(wall=29, round_limit=1), "a")

    assert "the round is drawn" in text
    assert "Nobody wins, after 1 rounds" in text


@pytest.mark.parametrize(
    ("wall", "text"),
    [
        pytest.param(29, "29 cards are left in the stock", id="many"),
        pytest.param(28, "28 cards are left in the stock", id="fewer"),
    ],
)
def test_a_wall_is_told_by_its_cards(wall: int, text: str) -> None:
    assert text in story(GIN.but(wall=wall, round_limit=1), "a")


def test_the_seat_that_sits_out_is_told() -> None:
    text = story(THREE_HANDED, "a")

    assert text.count("sits out") == text.count("deals and turns up")
    assert "The game, settled: careful-1 " in text


def test_what_a_game_is_worth_with_bonuses_is_told() -> None:
    rules = HOLLYWOOD.but(name="club", game_bonus=100, line_bonus=25)
    sheet = open_sheet(rules)
    for number in (1, 2, 3):
        sheet = enter(sheet, rules, Seat.NORTH, 60, number)

    assert show(*settlement_lines(sheet, ["ada", "bob"])).splitlines() == [
        "Game 1, settled: ada 270 (+270), bob 0 (-270).",
        "Game 2, settled: ada 270 (+270), bob 0 (-270).",
    ]


def test_a_sheet_shows_every_box_with_its_sum() -> None:
    sheet = open_sheet(HOLLYWOOD)
    for number, points in enumerate((30, 40, 35), start=1):
        sheet = enter(sheet, HOLLYWOOD, Seat.NORTH, points, number)
    sheet = enter(sheet, HOLLYWOOD, Seat.SOUTH, 12, 4)

    text = show(render_sheet(sheet, ["ada", "bob"]))

    rows = [line.split() for line in text.splitlines() if line.strip()]
    assert rows[0] == ["game", "1", "game", "2", "game", "3"]
    assert rows[1] == ["ada", "bob"] * 3
    assert rows[3] == ["+30", "30", "+40", "40", "+12", "12", "+35", "35"]
    assert rows[5] == ["+35", "105"]
    assert rows[-1] == ["won", "105", "0", "75", "12", "35", "0"]


def test_suits_have_colours() -> None:
    dealt = next(tell_match([Simple(), Simple()], GIN, seed_secret("a")))

    text = show(*Story(["a", "b"]).tell(dealt), colour=True)

    assert "\x1b[1;31mQh" in text


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["careful", "simple"], ("careful", "simple")),
        (["careful", "careful"], ("careful-1", "careful-2")),
        (["a" * 20, "b"], ("a" * 12, "b")),
        (["a" * 20, "a" * 30], ("a" * 10 + "-1", "a" * 10 + "-2")),
    ],
)
def test_bots_are_told_apart(names: list[str], shown: tuple[str, ...]) -> None:
    assert distinct_names(names) == shown
