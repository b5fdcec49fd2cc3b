"""Forms of the control room: what is left of them once they have been sent."""

from collections.abc import Callable

from playwright.sync_api import Page, Route, expect
from tests.browser.conftest import Site
from tests.browser.exhibition import done
from tests.e2e.cups import declared

from ginref_client.referee import Referee
from ginref_client.tournament_change import advance

Look = Callable[..., Page]

NAME = "forms-cup"


async def _registration(site: Site) -> None:
    """Open a tournament to bots."""
    async with Referee([site.referee.address], site.token, attempts=20) as referee:
        await declared(referee, "gus")
        stages = [{"name": "main", "format": "round_robin"}]
        await referee.create_tournament({"name": NAME, "stages": stages})
        opened = await referee.get_tournament(NAME)
        await referee.change_tournament(
            NAME, advance("registration"), expected_version=opened.version
        )


def test_a_form_is_empty_for_the_next_bot(look: Look, site: Site) -> None:
    done(_registration(site))
    page = look(f"/control/{NAME}")
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
    page.route(f"**/v1/tournaments/{NAME}", answer)
    page.reload()
    expect(page.locator(".check .here")).to_contain_text("withdrawn")
