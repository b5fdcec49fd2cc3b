"""Forms of the control room: what is left of them once they have been sent."""

from collections.abc import Callable

from playwright.sync_api import Page, Route, expect
from tests.browser.conftest import Site
from tests.browser.exhibition import done
from tests.e2e.cups import Cup, declared

from ginref_client.referee import Referee

Look = Callable[..., Page]

CUP = Cup(name="forms-cup", count=0, stage={"format": "round_robin"})


async def _registration(site: Site) -> None:
    """Open a tournament to bots."""
    async with Referee([site.referee.address], site.token, attempts=20) as referee:
        await declared(referee, "gus")
        await CUP.declare(referee)


def test_a_form_is_empty_for_the_next_bot(look: Look, site: Site) -> None:
    done(_registration(site))
    page = look(f"/control/{CUP.name}")
    token = page.get_by_label("Token of an operator or organizer")
    token.fill("gr_" + "a" * 52)
    token.press("Enter")
    # Whose token is none is asked for another one.
    expect(page.get_by_role("alert")).to_be_visible()
    token.fill(site.token)
    token.press("Enter")

    field = page.get_by_label("A bot enters")
    field.fill(" gus ")
    field.press("Enter")
    expect(page.locator(".asked")).to_be_focused()
    page.get_by_role("button", name="No").click()
    expect(page.get_by_role("button", name="Enter it")).to_be_visible()
    expect(field).to_have_value(" gus ")
    field.press("Enter")
    page.locator(".asked").wait_for()

    def lose(route: Route) -> None:
        """Let the referee do it, and its answer not arrive."""
        route.fetch()
        route.abort()

    page.route("**/*:change", lose, times=1)
    page.get_by_role("button", name="Yes, ").click()
    expect(page.get_by_role("alert")).to_contain_text("cannot be reached")
    # To say yes again is to ask for the same thing again.
    page.get_by_role("button", name="Yes, ").click()
    expect(page.locator("[aria-live] .done")).to_have_text("Done: enter gus.")
    expect(field).to_have_value("")
    expect(field).to_be_focused()

    page.get_by_label("Bot", exact=True).select_option("gus")
    page.get_by_label("Reason, for the log").fill("is ill")
    page.get_by_role("button", name="Withdraw").click()
    page.get_by_role("button", name="Yes, ").click()
    # Nothing of this kind comes next: whoever has no mouse goes on where it is said.
    expect(page.locator(".done")).to_be_focused()
    expect(page.locator(".check li")).to_contain_text("withdrawn")

    def answer(route: Route) -> None:
        told = route.fetch().json()
        told["tournament"]["entrants"][0]["checkedIn"] = True
        route.fulfill(json=told)

    # Whoever is gone is not called here for having been so.
    page.route(f"**/v1/tournaments/{CUP.name}", answer)
    page.reload()
    expect(page.locator(".check .here")).to_contain_text("withdrawn")
