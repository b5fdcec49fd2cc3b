"""An organizer's way through the control room, from a declaration to an export."""

import asyncio
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect
from tests.browser.conftest import Scheme, Site, check_for_everybody, picture
from tests.browser.exhibition import LEAGUE, all_declared, aside, attached, done
from tests.e2e.cups import CLOCK, Cup

from ginref.adapters.tournament_file import read_tournament
from ginref.adapters.trusted_keys import read_trusted_keys
from ginref.record.verify import Finding
from ginref.tournament.export_verify import verify_export
from ginref.tournament.preview import THINK_MS, preview
from ginref_client.referee import Referee

Look = Callable[..., Page]

NAME = "spring-cup"
BOTS = ("carl", "dora", "emil")
FILE = f"""\
name: {NAME}
title: Spring <b>Cup</b>
match:
  ruleset:
    name: short
    game_target: 1
stages:
  - name: main
    format: round_robin
"""
TWO_STAGES = """\
name: later-cup
entry:
  capacity: 8
stages:
  - name: groups
    format: round_robin
    groups: 2
    match:
      ruleset:
        name: twelve
        boards: 12
        next_dealer: board_parity
    promote: 2
  - name: finals
    format: single_elimination
    except:
      final:
        best_of: 5
"""
KNOCKOUT = Cup(
    name="by-hand",
    count=4,
    stage={"format": "single_elimination"},
    entry={"check_in": False},
    clock={**CLOCK, "start": "10m"},
)

CHANGES = "**/*:change"
"""Calls that change a tournament, or say what they would change."""

STALE = {
    "code": 10,
    "message": "it has gone on",
    "details": [{"@type": "ErrorInfo", "reason": "TOURNAMENT_STALE"}],
}


def signed_in(page: Page, site: Site) -> Page:
    """Enter the control room."""
    page.get_by_label("Token of an operator or organizer").fill(site.token)
    page.get_by_role("button", name="Enter").click()
    return page


def do(page: Page, button: str) -> None:
    """Ask for a change, see what it does, and make it."""
    page.get_by_role("button", name=button, exact=True).click()
    page.locator(".asked").wait_for()
    page.get_by_role("button", name="Yes, ").click()
    page.locator(".done").wait_for()


def test_a_tournament_is_run_from_a_page(
    look: Look, site: Site, tmp_path: Path
) -> None:
    address = site.referee.address
    tokens = done(all_declared(address, site.token, BOTS))
    page = entered(look(), site, FILE, len(BOTS))
    # Markup in a title is text.
    expect(page.locator("fieldset", has_text="Spring <b>Cup</b>")).to_be_visible()
    picture(page, "control-preview")
    page.get_by_role("button", name="Create").click()
    page.wait_for_url(f"**/control/{NAME}")
    expect(page.locator("h1")).to_have_text("Spring <b>Cup</b>")

    async def play(seen: asyncio.Event) -> None:
        async with attached(address, tokens):
            await seen.wait()

    with aside(play):
        do(page, "Open registration")
        for bot in BOTS:
            page.get_by_label("A bot enters").fill(bot)
            do(page, "Enter it")
        picture(page, "control-registration")
        do(page, "Call for check-in")
        page.locator(".check .here").nth(len(BOTS) - 1).wait_for()
        picture(page, "control-check-in")
        do(page, "Close check-in and seed")
        start = page.get_by_role("button", name="Start", exact=True)
        start.wait_for()
        do(page, "Start")
        page.locator(".head .state", has_text="finished").wait_for()
    picture(page, "control-finished")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save the signed export").click()
    export = tmp_path / "export.json"
    saved.value.save_as(export)
    keys = read_trusted_keys(site.referee.data / "keys")
    assert verify_export(export.read_bytes(), keys).finding is Finding.VALID


def entered(page: Page, site: Site, file: str, entrants: int) -> Page:
    """Enter the control room, and have a file previewed."""
    page.goto("/control")
    signed_in(page, site).get_by_role("button", name="File").click()
    page.get_by_label("Its file, in YAML").fill(file)
    page.get_by_label("Entrants expected").fill(str(entrants))
    page.get_by_role("button", name="Preview").click()
    return page


@pytest.mark.parametrize(("width", "scheme"), [("desktop", "light"), ("phone", "dark")])
def test_what_a_tournament_comes_to_is_shown_before_it_is_made(
    look: Look, site: Site, width: str, scheme: Scheme
) -> None:
    entrants = 9
    page = entered(look(width=width, scheme=scheme), site, TWO_STAGES, entrants)
    table = page.get_by_role("region", name="What it comes to")
    table.wait_for()
    picture(page, f"control-forecast-{width}-{scheme}")
    check_for_everybody(page, "control-forecast")

    configuration = read_tournament(TWO_STAGES.encode()).configuration
    shown = preview(configuration, entrants, THINK_MS)
    told = {
        row.get_by_role("rowheader").inner_text(): row.get_by_role(
            "cell"
        ).all_inner_texts()
        for row in table.locator("tbody tr").all()
    }
    sizes = [stage.forecast for stage in shown.stages]
    assert table.get_by_role("columnheader").all_inner_texts()[1:] == [
        "groups",
        "finals",
    ]
    assert told["Entrants"] == [str(size.entrants) for size in sizes]
    assert told["Rounds"] == [str(size.rounds) for size in sizes]
    assert told["Fixtures"] == [str(size.fixtures) for size in sizes]
    first, last = sizes
    assert told["Matches"] == [
        str(first.matches),
        f"{last.matches} to {last.most_matches}",
    ]
    points = shown.stages[0].separation.points
    assert told["Tells apart"] == [f"{points:.1f} net points a board", "\N{EN DASH}"]
    (caution,) = shown.cautions
    expect(page.get_by_label("What may not be meant")).to_contain_text(caution.what)


def test_more_than_can_play_is_said_and_forbids_nothing(look: Look, site: Site) -> None:
    page = entered(look(), site, TWO_STAGES, 3)
    expect(page.get_by_role("alert")).to_contain_text("stages[0].groups")
    expect(page.get_by_role("button", name="Create")).to_be_enabled()
    page.get_by_label("Entrants expected").fill("1")
    expect(page.get_by_role("button", name="Create")).to_be_disabled()
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("alert")).to_contain_text("entrants: 2 to 4096 expected")


async def knockout(address: str, token: str) -> None:
    """Make a tournament whose bots do not come, so that all is decided by hand."""
    async with Referee([address], token, attempts=20) as referee:
        await KNOCKOUT.declare(referee)
        await KNOCKOUT.go_on(referee, "seeding")


async def offered(address: str, token: str) -> None:
    """Wait until the matches of its first round are there: then nothing goes on."""
    async with Referee([address], token, attempts=20) as referee:
        await KNOCKOUT.until(referee, "match_created", 2)


def test_a_correction_shows_what_follows_from_it(look: Look, site: Site) -> None:
    done(knockout(site.referee.address, site.token))
    page = signed_in(look("/control"), site)
    page.get_by_role("link", name=KNOCKOUT.name).click()
    page.get_by_role("button", name="Start", exact=True).wait_for()
    do(page, "Start")
    done(offered(site.referee.address, site.token))

    fixture = page.get_by_label("Fixture", exact=True)
    first = fixture.locator("option").nth(1)
    first.wait_for(state="attached")
    fixture.select_option(index=1)
    text = first.inner_text()
    one, other = text.partition(": ")[2].split(" \N{EN DASH} ")
    page.get_by_label("Result").select_option(f"won:{one}")
    page.locator("#ruling-reason").fill("decided by hand")
    do(page, "Show what it changes")

    fixture.select_option(index=1)
    page.get_by_label("Result").select_option(f"won:{other}")
    page.locator("#ruling-reason").fill("decided by hand")
    page.get_by_role("button", name="Show what it changes").click()
    asked = page.locator(".asked")
    asked.wait_for()
    # The final gets another entrant, and that is said before it is done.
    expect(asked.locator("del", has_text=one).first).to_be_visible()
    expect(asked.locator("ins", has_text=other).first).to_be_visible()
    picture(page, "control-correction")

    def overtake(route: Route) -> None:
        """Say once that the referee has gone on, though it changes nothing of this."""
        if "validateOnly" in (route.request.post_data or "") or overtaken:
            route.fallback()
        else:
            overtaken.append(route)
            route.fulfill(status=409, json=STALE)

    overtaken: list[Route] = []
    page.route(CHANGES, overtake)
    page.get_by_role("button", name="Yes, ").click()
    page.locator(".done").wait_for()
    assert overtaken
    page.goto(f"/tournaments/{KNOCKOUT.name}")
    expect(page.locator(".meet .won", has_text=other)).to_be_visible()


@pytest.mark.usefixtures("exhibition")
def test_a_change_of_a_moment_ago_is_asked_for_anew(look: Look, site: Site) -> None:
    """The referee goes on between the look at a tournament and the change of it."""
    page = signed_in(look("/control"), site)
    page.get_by_role("link", name=LEAGUE.name).click()
    page.get_by_role("button", name="Archive").wait_for()

    def answer(route: Route) -> None:
        found = route.fetch().json()
        found["tournament"]["version"] -= 1
        route.fulfill(json=found)

    page.route(f"**/v1/tournaments/{LEAGUE.name}", answer, times=1)
    page.get_by_role("button", name="Archive").click()
    expect(page.locator(".asked legend")).to_have_text("Archive?")
    # Whoever has no mouse goes on where the question is.
    expect(page.locator(".asked")).to_be_focused()

    made: list[Route] = []

    def change(route: Route) -> None:
        """Say that the referee has gone on, and that much else would change now."""
        if "validateOnly" in (route.request.post_data or ""):
            other = {"path": "seeds.1", "before": "one", "after": "other"}
            route.fulfill(json={"differences": [other]})
        else:
            made.append(route)
            route.fulfill(status=409, json=STALE)

    page.route(CHANGES, change)
    page.get_by_role("button", name="Yes, ").click()
    expect(page.get_by_role("alert")).to_contain_text("it has gone on")
    expect(page.locator(".asked")).to_have_count(0)
    expect(page.get_by_role("button", name="Archive")).to_be_focused()
    # What was not shown is not done.
    assert len(made) == 1


@pytest.mark.parametrize("token", ["wrong", "gr_" + "a" * 52], ids=["short", "unknown"])
def test_a_wrong_token_opens_nothing(look: Look, token: str) -> None:
    page = look("/control")
    page.get_by_label("Token of an operator or organizer").fill(token)
    page.get_by_role("button", name="Enter").click()
    expect(page.get_by_role("alert").first).to_be_visible()


def test_what_was_copied_with_a_token_is_none_of_it(look: Look, site: Site) -> None:
    page = look("/control")
    field = page.get_by_label("Token of an operator or organizer")
    field.fill(
        f" \N{ZERO WIDTH SPACE}{site.token[:9]} {site.token[9:]}\N{NO-BREAK SPACE}"
    )
    page.get_by_role("button", name="Enter").click()
    expect(page.locator(".tiles li").first).to_be_visible()


def test_a_name_is_what_was_entered(look: Look, site: Site) -> None:
    page = signed_in(look("/control"), site)
    name = page.locator("#new-name")
    name.fill("a: b")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("alert")).to_have_text(re.compile(r"^\s*name: 'a: b'"))
    name.fill("2026")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("This is how it would be")).to_be_visible()


def test_a_bad_file_is_refused_with_its_field(look: Look, site: Site) -> None:
    page = entered(look(), site, FILE.replace("round_robin", "rondo"), 8)
    expect(page.get_by_role("alert")).to_contain_text("stages")
    expect(page.get_by_role("button", name="Create")).to_be_disabled()
