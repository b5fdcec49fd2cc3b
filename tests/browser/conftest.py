"""A referee with pages, something to look at, and a real browser to do so."""

import asyncio
import json
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final, Literal

import pytest
from playwright.sync_api import (
    Browser,
    Page,
    Response,
    expect,
    sync_playwright,
)
from tests.browser.exhibition import Exhibition, exhibit
from tests.e2e.referee_process import RefereeProcess

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "build" / "screenshots"
MODULES = ROOT / "build" / "pages" / "node_modules"
PATIENCE_MS = 60_000

LATER_MS = 5_000
"""After this time a page asks again for what it shows, or what it did not get."""

WIDTHS = {"desktop": 1280, "phone": 390}

Scheme = Literal["light", "dark"]

_FORGET: Final = """
if (location.protocol === "http:") {
  localStorage.clear();
  sessionStorage.clear();
}
"""


@dataclass(frozen=True)
class Site:
    """Pages of a referee.

    Attributes:
        url: Where they begin.
        referee: The process.
        token: The operator's.
        playing: Ends when there is something to be looked at.
    """

    url: str
    referee: RefereeProcess
    token: str
    playing: Future[Exhibition]

    @property
    def shown(self) -> Exhibition:
        """What is there to be looked at, once all of it is over."""
        return self.playing.result()


@dataclass(frozen=True)
class Window:
    """A window of the browser.

    Attributes:
        page: What it shows.
        errors: What has gone wrong in it.
    """

    page: Page
    errors: list[str] = field(default_factory=list)

    def leave(self) -> list[str]:
        """Keep nothing of it for whoever comes next; return what has gone wrong."""
        self.page.unroute_all(behavior="ignoreErrors")
        self.page.context.clear_permissions()
        self.page.evaluate(_FORGET)
        self.page.goto("about:blank", wait_until="commit")
        errors = [*self.errors]
        self.errors.clear()
        return errors


@pytest.fixture(scope="package")
def opening(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Future[Site]]:
    """A referee, and what is to be shown is played while the browser starts."""
    if not (MODULES / "axe-core").is_dir():
        pytest.skip("npm has not brought what the pages are made with")
    data = tmp_path_factory.mktemp("site") / "data"
    referee = RefereeProcess(data, options=("--http", "127.0.0.1:0"))

    def play() -> Exhibition:
        return asyncio.run(exhibit(referee.address, referee.token()))

    def opened() -> Site:
        referee.start()
        facts = json.loads((data / "referee.json").read_text())
        url = f"http://{facts['http']}"
        return Site(url, referee, referee.token(), pool.submit(play))

    try:
        with ThreadPoolExecutor(2) as pool:
            yield pool.submit(opened)
    finally:
        referee.kill()


@pytest.fixture(scope="package")
def browser(opening: Future[Site]) -> Iterator[Browser]:
    """A browser of the machine; its driver's loop must end before other tests begin."""
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("no chromium is installed")
    assert not opening.cancelled()
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox"]
        )
        yield running
        running.close()


@pytest.fixture(scope="package")
def site(opening: Future[Site], browser: Browser) -> Site:
    """A referee where a match and tournaments are played."""
    assert browser.is_connected()
    return opening.result()


@pytest.fixture(scope="package")
def exhibition(site: Site) -> Exhibition:
    """What there is to see, after all of it has been played."""
    return site.shown


@pytest.fixture(scope="package")
def new_window(browser: Browser, site: Site) -> Callable[..., Window]:
    """Open a window that shows nothing yet, and whose files are loaded anew."""

    def open_(width: str, scheme: Scheme, *, has_clock: bool = False) -> Window:
        context = browser.new_context(
            base_url=site.url,
            viewport={"width": WIDTHS[width], "height": 900},
            color_scheme=scheme,
        )
        context.set_default_timeout(PATIENCE_MS)
        window = Window(context.new_page())
        window.page.on("pageerror", lambda error: window.errors.append(str(error)))
        window.page.on("response", lambda answer: _note(answer, window.errors))
        if has_clock:
            window.page.clock.install()
        return window

    return open_


@pytest.fixture(scope="package")
def windows(new_window: Callable[..., Window]) -> Callable[..., Window]:
    """Windows that are opened once: a new one takes longer than most tests."""
    opened = cache(new_window)

    def open_(width: str, scheme: Scheme, *, has_clock: bool = False) -> Window:
        return opened(width, scheme, has_clock=has_clock)

    return open_


@pytest.fixture
def look(windows: Callable[..., Window]) -> Iterator[Callable[..., Page]]:
    """Open pages, and let none of them have an error of its own."""
    used: list[Window] = []

    def open_(
        path: str = "",
        *,
        width: str = "desktop",
        scheme: Scheme = "light",
        has_clock: bool = False,
    ) -> Page:
        window = windows(width, scheme, has_clock=has_clock)
        used.append(window)
        if path:
            window.page.goto(path)
        return window.page

    yield open_
    assert not [error for window in used for error in window.leave()]


def _note(response: Response, errors: list[str]) -> None:
    if response.status >= 500 and not response.from_service_worker:
        headers = response.request.headers
        if "x-broken-on-purpose" not in response.headers and headers:
            errors.append(f"{response.status} {response.url}")


def picture(page: Page, name: str) -> None:
    """Keep a picture of a page for whoever wants to look at it."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=PICTURES / f"{name}.png", full_page=True)


def barriers(page: Page) -> list[str]:
    """Return what shuts somebody out of a page, or does not fit its window."""
    size = page.viewport_size
    assert size is not None
    wide = page.evaluate("document.documentElement.scrollWidth")
    told = [f"{wide} pixels wide"] if wide > size["width"] else []
    # An evaluation is no script of the page, so that its policy allows it.
    page.evaluate((MODULES / "axe-core" / "axe.min.js").read_text(encoding="utf-8"))
    # What is in order is not brought here: it is most of it.
    for one in page.evaluate("axe.run().then((found) => found.violations)"):
        told += [f"{one['id']}: {node['html']}" for node in one["nodes"]]
    return told


def check_for_everybody(page: Page, name: str) -> None:
    """Insist that a page fits its window, and has nothing that shuts somebody out."""
    told = barriers(page)
    assert not told, f"{name}: {told}"
