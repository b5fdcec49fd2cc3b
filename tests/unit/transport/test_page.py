"""Pages: what of them is made once, and what a browser gets again."""

import gzip
from collections.abc import AsyncIterator

import httpx
import pytest
from jinja2 import Environment
from starlette.applications import Starlette

from ginref.transport.page import (
    CONTENT_POLICY,
    FOLDER,
    page_routes,
    render_shell,
)

STYLE = "/static/style.css"


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    """A browser, as far as files go."""
    app = httpx.ASGITransport(Starlette(routes=page_routes()))
    async with httpx.AsyncClient(transport=app, base_url="http://a") as opened:
        yield opened


async def test_a_file_is_compressed_once_for_all_who_ask(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    compress = gzip.compress

    def counted(data: bytes) -> bytes:
        seen.append(len(data))
        return compress(data)

    monkeypatch.setattr(gzip, "compress", counted)
    asked = [await client.get(STYLE) for _ in range(3)]
    plain = await client.get(STYLE, headers={"accept-encoding": "identity"})

    assert len(seen) <= 1
    for one in asked:
        assert one.headers["content-encoding"] == "gzip"
        assert int(one.headers["content-length"]) < len(one.content)
    assert "content-encoding" not in plain.headers
    assert {one.content for one in (*asked, plain)} == {
        (FOLDER / "style.css").read_bytes()
    }
    for name in ("etag", "cache-control", "content-type", "last-modified", "vary"):
        assert len({one.headers[name] for one in (*asked, plain)}) == 1


async def test_a_file_that_has_not_changed_is_not_sent_again(
    client: httpx.AsyncClient,
) -> None:
    etag = (await client.get(STYLE)).headers["etag"]

    again = await client.get(STYLE, headers={"if-none-match": etag})

    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == etag


@pytest.mark.parametrize("part", ["bytes=0-1", "bytes=9-1", "lines=1", "bytes=x"])
async def test_a_file_comes_whole_whatever_part_is_asked_for(
    client: httpx.AsyncClient, part: str
) -> None:
    headers = {"range": part, "accept-encoding": "identity"}

    answer = await client.get(STYLE, headers=headers)

    assert answer.status_code == 200
    assert answer.content == (FOLDER / "style.css").read_bytes()


def test_the_shell_of_pages_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    render_shell("home", "one")
    monkeypatch.delattr(Environment, "from_string")

    assert "<title>&lt;two&gt;</title>" in render_shell("match", "<two>", "m1")


BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.mark.parametrize(
    ("verb", "path", "accept", "is_page"),
    [
        pytest.param("GET", "/turnaments/x", BROWSER, True, id="mistyped"),
        pytest.param("GET", "/tournaments/<b>", BROWSER, True, id="no name"),
        pytest.param("HEAD", "/turnaments/x", BROWSER, True, id="its head"),
        pytest.param("GET", "/v1x", BROWSER, True, id="beside the API"),
        pytest.param(
            "GET", "/x", "application/json;q=0.9, text/html", True, id="rather"
        ),
        pytest.param("GET", "/x", "text/html, application/json", False, id="either"),
        pytest.param("GET", "/x", "text/html;q=0.2, */*;q=0.5", False, id="hardly"),
        pytest.param("GET", "/x", "text/html;q=0", False, id="not at all"),
        pytest.param("GET", "/x", "*/*", False, id="anything"),
        pytest.param("GET", "/tournaments/<b>", "*/*", False, id="no name, anything"),
        pytest.param("GET", "/x", "", False, id="nothing said"),
        pytest.param("POST", "/x", BROWSER, False, id="no look"),
        pytest.param("GET", "/v1/nothing", BROWSER, False, id="a call"),
        pytest.param("GET", "/v1", BROWSER, False, id="the API"),
    ],
)
async def test_a_browser_that_is_led_nowhere_is_shown_the_way(
    client: httpx.AsyncClient, verb: str, path: str, accept: str, *, is_page: bool
) -> None:
    answer = await client.request(verb, path, headers={"accept": accept})

    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/html") is is_page
    if is_page:
        assert answer.headers["content-security-policy"] == CONTENT_POLICY
        assert verb == "HEAD" or "<h1>There is no such page</h1>" in answer.text
        assert path not in answer.text
