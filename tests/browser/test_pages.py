"""Pages in a real browser: what they show, live, to whom, and in how many bytes."""

import asyncio
import json
import re
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Page, Request, Route, expect
from tests.browser.conftest import (
    LATER_MS,
    WIDTHS,
    Site,
    Window,
    barriers,
    picture,
)
from tests.browser.exhibition import (
    BRACKET,
    LEAGUE,
    PLAYERS,
    Slow,
    aside,
    attached,
)

from ginref.engine.ruleset import HOLLYWOOD
from ginref_client.referee import Referee

pytestmark = pytest.mark.usefixtures("exhibition")

Look = Callable[..., Page]

FIRST_PAGE_BYTES = 60 * 1024
PAGES = {
    "home": "/",
    "bracket": f"/tournaments/{BRACKET.name}",
    "league": f"/tournaments/{LEAGUE.name}",
    "projector": f"/tournaments/{BRACKET.name}?projector",
    "match": "/matches/{match}",
    "replay": "/matches/{match}/replay",
    "control": "/control",
}
READY = {
    "home": "table tbody tr",
    "bracket": ".meet",
    "league": ".meet",
    "projector": ".meet",
    "match": ".game",
    "replay": ".controls",
    "control": "#token",
}
"""What is there once a page is complete."""


@dataclass
class Tour:
    """What was found on a visit of all pages.

    Attributes:
        barriers: What shuts somebody out, by page.
        asked: Every address that was asked for something.
    """

    barriers: dict[str, list[str]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)


# Colours are those of every width, and what fits is the same in all colours.
@pytest.fixture(
    scope="module",
    params=[("desktop", "light"), ("phone", "dark")],
    ids="-".join,
)
def tour(
    windows: Callable[..., Window], site: Site, request: pytest.FixtureRequest
) -> Tour:
    """Visit all pages in a window of some width and scheme."""
    made = Tour()
    window = windows(*request.param)
    page = window.page

    def note(request: Request) -> None:
        made.asked.append(request.url)

    page.on("request", note)
    for name, path in PAGES.items():
        page.goto(path.format(match=site.shown.match_id))
        page.locator(READY[name]).first.wait_for()
        picture(page, "-".join([name, *request.param]))
        made.barriers[name] = barriers(page)
    page.remove_listener("request", note)
    assert not window.leave()
    return made


def test_every_page_is_for_everybody(tour: Tour) -> None:
    assert tour.barriers == {name: [] for name in PAGES}


def test_nothing_comes_from_elsewhere(tour: Tour, site: Site) -> None:
    assert len(tour.asked) > len(PAGES)
    own = (site.url, "data:")
    assert [url for url in tour.asked if not url.startswith(own)] == []


def test_the_first_page_is_small(new_window: Callable[..., Window]) -> None:
    window = new_window("desktop", "light")
    page = window.page
    sizes: list[int] = []
    page.on(
        "requestfinished",
        lambda request: sizes.append(request.sizes()["responseBodySize"]),
    )
    page.goto("/")
    page.locator("table tbody tr").first.wait_for()
    page.wait_for_load_state("networkidle")
    assert not window.leave()
    page.context.close()
    assert 0 < sum(sizes) < FIRST_PAGE_BYTES


def test_a_match_is_followed_move_by_move(look: Look, site: Site) -> None:
    address = site.referee.address
    known: Future[str] = Future()

    async def play(seen: asyncio.Event) -> None:
        async with (
            Referee([address], site.token) as referee,
            attached(address, site.shown.tokens, Slow),
        ):
            match = await referee.create_match(PLAYERS, ruleset=HOLLYWOOD)
            known.set_result(match.match_id)
            await seen.wait()
            await referee.abort(match.match_id)

    page = look("/", has_clock=True)
    page.locator("tbody tr").first.wait_for()
    with aside(play):
        match_id = known.result(60)
        page.clock.fast_forward(LATER_MS)
        rows = page.locator("tbody tr", has=page.locator(".live"))
        live = rows.filter(has_text=PLAYERS[0]).first
        live.wait_for()
        live.get_by_role("link").first.click()
        expect(page.locator(".events li").first).to_be_visible()
        before = page.locator(".facts", has_text="turn").first.inner_text()
        expect(page.locator(".events li")).not_to_have_count(1)
        expect(page.locator(".facts", has_text="turn").first).not_to_have_text(before)
        picture(page, "match-live")
        # Who looks on sees backs, and the cards that everybody has seen.
        assert page.locator(".seat .card.back").count() > 0
    expect(page.get_by_role("link", name="Replay and verify")).to_be_visible()
    assert page.url.endswith(match_id)


def test_a_page_says_that_it_fails_and_tries_again(look: Look) -> None:
    page = look()
    is_broken = True

    def answer(route: Route) -> None:
        if is_broken:
            route.fulfill(
                status=503,
                headers={"x-broken-on-purpose": "yes"},
                content_type="application/json",
                body=json.dumps({"message": "the store does not answer"}),
            )
        else:
            route.continue_()

    page.route("**/v1/**", answer)
    page.goto("/")
    trouble = page.get_by_role("alert").first
    expect(trouble).to_contain_text("the store does not answer")
    picture(page, "home-failing")
    is_broken = False
    trouble.get_by_role("button", name="Try again").click()
    expect(page.locator(".tiles li").first).to_be_visible()


@pytest.mark.parametrize(
    ("answer", "called", "followed"),
    [
        pytest.param(
            {"body": "<h1>Sign in</h1>"}, "no sense", "stream was cut", id="a page"
        ),
        pytest.param(
            {"body": "null", "status": 400}, "status 400", "status 400", id="nothing"
        ),
        pytest.param(
            {"body": "data: no JSON\n\n"}, "no sense", "no sense", id="a broken stream"
        ),
        pytest.param(
            {"body": '{"details": 5}', "status": 400},
            "status 400",
            "status 400",
            id="no refusal",
        ),
    ],
)
def test_what_is_no_referee_is_told_from_one(
    look: Look, site: Site, answer: dict[str, Any], called: str, followed: str
) -> None:
    page = look()
    page.route("**/v1/**", lambda route: route.fulfill(**answer))
    for path, says in (("/", called), (f"/matches/{site.shown.match_id}", followed)):
        page.goto(path)
        expect(page.get_by_role("alert").first).to_contain_text(says)


def test_what_was_shown_is_said_to_be_old(look: Look, site: Site) -> None:
    """A referee that stops leaves pages open, which find it again by themselves."""
    page = look("/", has_clock=True)
    page.locator(".tiles li").first.wait_for()
    page.locator("tbody tr").first.wait_for()
    page.route("**/v1/**", lambda route: route.abort())
    page.clock.fast_forward(LATER_MS)
    expect(page.locator(".live.off")).to_have_count(2)
    expect(page.locator(".live.off").first).to_contain_text("cannot be reached")
    picture(page, "home-outdated")
    page.goto(f"/matches/{site.shown.match_id}")
    expect(page.get_by_role("alert")).to_contain_text("cannot be reached")
    page.unroute("**/v1/**")
    page.clock.fast_forward(LATER_MS)
    expect(page.locator(".game").first).to_be_visible()


def test_the_longest_names_have_room(look: Look, site: Site) -> None:
    long = {name: name[0].upper() * 32 for name in PLAYERS}
    page = look(width="phone", scheme="dark")

    def answer(route: Route) -> None:
        text = route.fetch().text()
        for name, other in long.items():
            text = text.replace(f'"{name}"', f'"{other}"')
        route.fulfill(body=text, content_type="application/json")

    page.route(re.compile(r"/v1/matches(\?|/[^/]+$)"), answer)
    for name in ("home", "match"):
        page.goto(PAGES[name].format(match=site.shown.match_id))
        page.get_by_text(long["ada"]).first.wait_for()
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= WIDTHS["phone"], f"{name} is {wide} pixels wide"


def test_a_wall_shows_all_columns_of_a_bracket(look: Look) -> None:
    page = look(PAGES["projector"])
    bracket = page.locator(".scroll").first
    bracket.locator(".meet").first.wait_for()
    hidden = bracket.evaluate("element => element.scrollWidth - element.clientWidth")
    assert hidden <= 0
    expect(page.get_by_role("link", name="replay")).to_have_count(0)


def test_pages_say_that_there_is_nothing_yet(look: Look) -> None:
    page = look()
    page.route("**/v1/tournaments?*", lambda route: route.fulfill(json={}))
    page.route("**/v1/matches?*", lambda route: route.fulfill(json={}))
    page.goto("/")
    expect(page.locator(".empty")).to_have_count(2)
    picture(page, "home-empty")


def test_whoever_is_nobody_is_told_so(look: Look) -> None:
    page = look("/matches/m-of-nobody")
    expect(page.get_by_role("alert")).to_contain_text("cannot be shown")
    page.goto("/tournaments/nobodys-cup")
    expect(page.get_by_role("alert")).to_contain_text("cannot be shown")
    expect(page.get_by_role("link", name="See what is here")).to_be_visible()


def test_suits_have_two_colours_or_four(look: Look, site: Site) -> None:
    page = look(f"/matches/{site.shown.match_id}/replay")
    diamond = page.locator(".card.d").first
    colour = "element => getComputedStyle(element).color"
    before = diamond.evaluate(colour)
    page.get_by_role("button", name="Show suits in four colours").click()
    assert diamond.evaluate(colour) != before
    page.reload()
    assert page.locator(".card.d").first.evaluate(colour) != before


def test_the_api_can_be_looked_up(look: Look) -> None:
    page = look("/docs")
    calls = page.locator(".opblock")
    calls.first.wait_for()
    assert calls.count() > 30
    expect(page.get_by_text("/v1/matches/{match_id}:submitMove")).to_be_visible()
    picture(page, "docs")
    told = page.console_messages(filter="since-navigation")
    assert not [said.text for said in told if said.type == "error"]


def test_a_page_goes_on_when_its_referee_is_back(look: Look) -> None:
    """A stream that was cut, and a token that is good no more, keep nobody out."""
    page = look("/control")
    page.evaluate("sessionStorage.setItem('ginref-token', 'gr_of_yesterday')")
    cuts = 0

    def cut(route: Route) -> None:
        nonlocal cuts
        cuts += 1
        route.fulfill(content_type="text/event-stream", body=":\n\n")

    page.route("**:watch*", cut, times=1)
    with page.expect_request(lambda asked: ":watch" in asked.url and cuts == 1):
        page.goto(f"/tournaments/{LEAGUE.name}")
    page.locator(".meet").first.wait_for()
    page.locator(".facts .live:not(.off)", has_text="live").wait_for()
    assert cuts == 1


def test_who_met_whom_is_told_with_what_is_sure_of_it(look: Look) -> None:
    page = look(f"/tournaments/{LEAGUE.name}")
    page.get_by_text("Who met whom").click()
    cells = page.locator(".cross td:not(.self)")
    expect(cells).to_have_count(LEAGUE.count * (LEAGUE.count - 1))
    picture(page, "cross-table")
    for text in cells.all_inner_texts():
        # A mean, its interval if there are two boards, and their number.
        assert re.fullmatch(r"[+\N{MINUS SIGN}]?[\d.]+ (± [\d.]+, )?\d+", text), text
