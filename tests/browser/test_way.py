"""How people find their way: from a wrong address, and to what they look for."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect
from tests.browser.conftest import Site, check_for_everybody, picture
from tests.browser.exhibition import LEAGUE, PLAYERS

pytestmark = pytest.mark.usefixtures("exhibition")

Look = Callable[..., Page]


def test_an_address_that_is_none_leads_home(look: Look) -> None:
    page = look("/turnaments/x")
    expect(page.locator("h1")).to_have_text("There is no such page")
    picture(page, "nowhere")
    check_for_everybody(page, "nowhere")
    home = page.get_by_role("link", name="All tournaments and matches")
    expect(home).to_have_attribute("href", "/")
    # What is for programs stays so.
    described = page.request.get("/openapi.json", headers={"accept": "text/html"})
    assert described.headers["content-type"] == "application/json"


def test_a_bot_leads_to_its_matches(look: Look) -> None:
    bot = LEAGUE.bots[0]
    page = look(f"/tournaments/{LEAGUE.name}")
    page.get_by_role("link", name=bot, exact=True).click()
    expect(page.locator("h1")).to_have_text(f"Matches of {bot}")
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(LEAGUE.count - 1)
    assert all(bot in text for text in rows.all_inner_texts())

    search = page.get_by_role("searchbox")
    search.fill(PLAYERS[0])
    search.press("Enter")
    expect(page.locator("h1")).to_have_text(f"Matches of {PLAYERS[0]}")
    expect(rows.first).to_contain_text(PLAYERS[1])
    expect(page).to_have_title(f"Matches of {PLAYERS[0]} - ginref")


def test_the_first_page_says_what_waits_for_an_organizer(look: Look) -> None:
    page = look()
    waits = {"kind": "stopped", "about": "f", "message": "stopped", "blocking": True}

    def answer(route: Route) -> None:
        told = route.fetch().json()
        for one in told["tournaments"]:
            one["problems"] = [waits] if one["tournamentId"] == LEAGUE.name else []
        route.fulfill(json=told)

    page.route("**/v1/tournaments?*", answer)
    page.goto("/")
    tiles = page.locator(".tiles li", has_text="waits for an organizer")
    expect(tiles).to_have_count(1)
    expect(tiles).to_contain_text(LEAGUE.name)


def test_a_move_is_shown_to_others(look: Look, site: Site) -> None:
    page = look()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"/matches/{site.shown.match_id}/replay#move-30")
    # The list of moves shows where one is, once it is looked at.
    page.locator(".moves").scroll_into_view_if_needed()
    expect(page.locator(".moves [aria-current]")).to_be_in_viewport()
    page.get_by_role("button", name="Next").click()
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == f"{site.url}/matches/{site.shown.match_id}/replay#move-31"
    # Whoever has no mouse stays where they are, and can copy the next one.
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("button", name="Copy link")).to_be_focused()
