"""A referee with pages, something to look at, and a real browser to do so."""

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Page,
    Response,
    expect,
    sync_playwright,
)
from tests.browser.exhibition import Exhibition, done, exhibit
from tests.e2e.referee_process import RefereeProcess

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "build" / "screenshots"
MODULES = ROOT / "build" / "pages" / "node_modules"
PATIENCE_MS = 60_000

WIDTHS = {"desktop": 1280, "phone": 390}


@dataclass(frozen=True)
class Site:
    """Pages of a referee.

    Attributes:
        url: Where they begin.
        referee: The process.
        token: The operator's.
        shown: What is there to be looked at.
    """

    url: str
    referee: RefereeProcess
    token: str
    shown: Exhibition


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A referee where a match and a tournament have been played."""
    if not (MODULES / "axe-core").is_dir():
        pytest.skip("npm has not brought what the pages are made with")
    folder = tmp_path_factory.mktemp("site")
    referee = RefereeProcess(folder / "data", options=("--http", "127.0.0.1:0"))
    try:
        referee.start()
        facts = json.loads((folder / "data" / "referee.json").read_text())
        token = referee.token()
        shown = done(exhibit(referee.address, token))
        yield Site(f"http://{facts['http']}", referee, token, shown)
    finally:
        referee.kill()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser of the machine; its driver's loop must end before other tests begin."""
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("no chromium is installed")
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox"]
        )
        yield running
        running.close()


@pytest.fixture
def look(browser: Browser, site: Site) -> Iterator[Callable[..., Page]]:
    """Open pages, and let none of them have an error of its own."""
    contexts: list[BrowserContext] = []
    errors: list[str] = []

    def noted(page: Page) -> Page:
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("response", lambda response: _note(response, errors))
        return page

    def open_(
        path: str = "/",
        *,
        width: str = "desktop",
        scheme: Literal["light", "dark"] = "light",
    ) -> Page:
        context = browser.new_context(
            base_url=site.url,
            viewport={"width": WIDTHS[width], "height": 900},
            color_scheme=scheme,
        )
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        page = noted(context.new_page())
        page.goto(path)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert not errors


def _note(response: Response, errors: list[str]) -> None:
    if response.status >= 500 and not response.from_service_worker:
        headers = response.request.headers
        if "x-broken-on-purpose" not in response.headers and headers:
            errors.append(f"{response.status} {response.url}")


def picture(page: Page, name: str) -> None:
    """Keep a picture of a page for whoever wants to look at it."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=PICTURES / f"{name}.png", full_page=True)


def check_for_everybody(page: Page, name: str) -> None:
    """Insist that a page fits its window, and has nothing that shuts somebody out."""
    size = page.viewport_size
    assert size is not None
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= size["width"], f"{name} is {wide} pixels wide"
    # An evaluation is no script of the page, so that its policy allows it.
    page.evaluate((MODULES / "axe-core" / "axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("axe.run()")["violations"]
    told = [(one["id"], [node["html"] for node in one["nodes"]]) for one in found]
    assert not told, f"{name}: {told}"
