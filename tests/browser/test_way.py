"""How people find their way: from a wrong address, and to what they look for."""

from collections.abc import Callable

from playwright.sync_api import Page, expect
from tests.browser.conftest import check_for_everybody, picture

Look = Callable[..., Page]


def test_an_address_that_is_none_leads_home(look: Look) -> None:
    page = look("/turnaments/x")
    expect(page.locator("h1")).to_have_text("There is no such page")
    picture(page, "nowhere")
    check_for_everybody(page, "nowhere")
    page.get_by_role("link", name="All tournaments and matches").click()
    page.locator("table tbody tr").first.wait_for()
    # What is for programs stays so.
    described = page.goto("/openapi.json")
    assert described is not None
    assert described.headers["content-type"] == "application/json"
