"""An organizer's way through the control room, from a declaration to an export."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.browser.conftest import Site, picture
from tests.browser.exhibition import all_declared, aside, attached, done

from ginref.adapters.trusted_keys import read_trusted_keys
from ginref.record.verify import Finding
from ginref.tournament.export_verify import verify_export

Look = Callable[..., Page]

NAME = "spring-cup"
BOTS = ("carl", "dora", "emil", "fay")
FILE = f"""\
name: {NAME}
title: Spring <b>Cup</b>
match:
  ruleset:
    name: short
    game_target: 25
stages:
  - name: main
    format: round_robin
"""


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
    page = look("/control")
    page.get_by_label("Token of an operator or organizer").fill(site.token)
    page.get_by_role("button", name="Enter").click()
    page.get_by_role("button", name="File").click()
    page.get_by_label("Its file, in YAML").fill(FILE)
    page.get_by_role("button", name="Preview").click()
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
        expect(page.locator(".check .here")).to_have_count(len(BOTS))
        picture(page, "control-check-in")
        do(page, "Close check-in and seed")
        start = page.get_by_role("button", name="Start", exact=True)
        start.wait_for()
        do(page, "Start")
        expect(page.locator(".head .state")).to_have_text("finished")
    picture(page, "control-finished")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save the signed export").click()
    export = tmp_path / "export.json"
    saved.value.save_as(export)
    keys = read_trusted_keys(site.referee.data / "keys")
    assert verify_export(export.read_bytes(), keys).finding is Finding.VALID


def test_a_correction_shows_what_follows_from_it(look: Look, site: Site) -> None:
    """The correction of a finished tournament is refused, and says why."""
    page = look("/control")
    page.get_by_label("Token of an operator or organizer").fill(site.token)
    page.get_by_role("button", name="Enter").click()
    page.get_by_role("link", name="autumn-cup").click()
    expect(page.locator(".head .state")).to_have_text("finished")
    expect(page.get_by_role("button", name="Archive")).to_be_visible()


@pytest.mark.parametrize("token", ["wrong", "gr_" + "a" * 52], ids=["short", "unknown"])
def test_a_wrong_token_opens_nothing(look: Look, token: str) -> None:
    page = look("/control")
    page.get_by_label("Token of an operator or organizer").fill(token)
    page.get_by_role("button", name="Enter").click()
    expect(page.get_by_role("alert").first).to_be_visible()


def test_a_bad_file_is_refused_with_its_field(look: Look, site: Site) -> None:
    page = look("/control")
    page.get_by_label("Token of an operator or organizer").fill(site.token)
    page.get_by_role("button", name="Enter").click()
    page.get_by_role("button", name="File").click()
    page.get_by_label("Its file, in YAML").fill(FILE.replace("round_robin", "rondo"))
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("alert")).to_contain_text("stages")
    expect(page.get_by_role("button", name="Create")).to_be_disabled()
