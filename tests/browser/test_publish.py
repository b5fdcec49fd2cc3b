"""Pages that outlive their referee, as any web server serves them."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.browser.conftest import Site, picture
from tests.browser.exhibition import BRACKET, done
from typer.testing import CliRunner, Result

from ginref.adapters.trusted_keys import read_trusted_keys
from ginref.cli import app
from ginref.record.verify import Finding
from ginref.tournament.export_verify import verify_export

pytestmark = pytest.mark.usefixtures("exhibition")

Look = Callable[..., Page]


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


def publish(site: Site, folder: Path) -> Result:
    """Run the command."""
    referee = site.referee
    command = ["tournament", "publish", BRACKET.name, "--site", str(folder)]
    command += ["--url", f"http://{referee.address}"]
    command += ["--token-file", str(referee.data / "operator.token")]
    return done(asyncio.to_thread(CliRunner().invoke, app, command))


@pytest.fixture(scope="module")
def folder(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the command has written."""
    folder = tmp_path_factory.mktemp("published") / "cup"
    result = publish(site, folder)
    assert result.exit_code == 0, result.stderr
    return folder


@pytest.fixture
def published(folder: Path) -> Iterator[str]:
    """Where those files are served, below a path of somebody's site."""
    handler = partial(_Quiet, directory=folder.parent)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/cup/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_published_tournament_needs_no_referee(
    look: Look, published: str, site: Site
) -> None:
    page = look()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(published)
    page.locator(".meet").first.wait_for()
    picture(page, "published")
    page.get_by_role("link", name="replay").first.click()
    verdict = page.locator("[data-finding]")
    verdict.wait_for()
    assert verdict.get_attribute("data-finding") == "valid"
    page.get_by_role("button", name="Last").click()
    expect(page.locator(".ended")).to_be_visible()
    assert asked
    assert not any(url.startswith(site.url) for url in asked)
    page.goto(f"{published}replay.html?%E0%A4%A")
    expect(page.get_by_role("alert")).to_contain_text("is not there")


def test_the_export_lies_beside_the_pages(folder: Path, site: Site) -> None:
    keys = read_trusted_keys(site.referee.data / "keys")
    export = (folder / "tournament.json").read_bytes()
    assert verify_export(export, keys).finding is Finding.VALID


def test_only_what_is_read_is_published(folder: Path) -> None:
    files = [path for path in (folder / "static").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 300_000


def test_nothing_is_written_among_files_of_others(site: Site, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("mine")
    result = publish(site, tmp_path)
    assert result.exit_code == 1
    assert "holds other things" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["index.html"]
