"""Pages: what of them is made once, and what a browser gets again."""

import gzip
from collections.abc import AsyncIterator

import httpx
import pytest
from jinja2 import Environment
from starlette.applications import Starlette

from ginref.transport.page import FOLDER, page_routes, render_shell

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


def test_the_shell_of_pages_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    render_shell("home", "one")
    monkeypatch.delattr(Environment, "from_string")

    assert "<title>&lt;two&gt;</title>" in render_shell("match", "<two>", "m1")
