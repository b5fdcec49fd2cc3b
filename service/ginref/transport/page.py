"""Pages for people: a shell from the server, and modules that ask the API for the rest.

Nothing of them comes from elsewhere: what npm has brought is served from here, too.
"""

import asyncio
import gzip
import re
from collections.abc import Awaitable, Callable
from functools import lru_cache
from http import HTTPStatus
from importlib.resources import files
from pathlib import Path
from typing import Final

from jinja2 import Environment, StrictUndefined, Template
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    PlainTextResponse,
    Response,
)
from starlette.routing import BaseRoute, Match, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

FOLDER: Final = Path(str(files("ginref.transport").joinpath("pages")))
"""What is served as files."""

BUILT: Final = FOLDER / "built"
"""What npm has brought; a checkout in which that was not done lacks it."""

CONTENT_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What a page may load and do: its own files and the API, nothing else."""

_PAGES: Final = {
    "/": ("home", "ginref"),
    "/tournaments/{subject}": ("tournament", "{} - ginref"),
    "/matches/{subject}": ("match", "{} - ginref"),
    "/matches/{subject}/replay": ("replay", "Replay of {} - ginref"),
    "/control": ("control", "Control room - ginref"),
    "/control/{subject}": ("control", "Control room: {} - ginref"),
}
"""The module and the title of each page, by path."""

_SUBJECT: Final = re.compile(r"[a-z0-9][a-z0-9._-]{1,63}")

_WEIGHT: Final = re.compile(r";q=([01](?:\.[0-9]{0,3})?)(?:;|$)")
"""How much a type is wanted, in a header that names what is accepted."""

_SERVED: Final = re.compile(r".+\.(?:mjs|js|css|svg|LICENSE)|.+/LICENSE")
"""Files that are for browsers."""

_HOW_TO_BUILD: Final = (
    "The pages are not built in this checkout: run make pages, with npm at hand.\n"
    "The API is served all the same.\n"
)

_TYPES: Final = {".mjs": "text/javascript", ".js": "text/javascript"}
"""Types that a machine may not know, or know by another name."""


_KEPT: Final = ("cache-control", "content-type", "etag", "last-modified", "vary")
"""Headers of a file that hold for the whole of it, compressed or not."""


class _Files(StaticFiles):
    """Files that a browser asks for each time, and gets again only if they changed."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        if not _SERVED.fullmatch(path):
            raise HTTPException(HTTPStatus.NOT_FOUND)
        response = await super().get_response(path, scope)
        response.headers.update(
            {"cache-control": "no-cache", "vary": "accept-encoding"}
        )
        kind = _TYPES.get(Path(path).suffix)
        if kind and response.status_code == HTTPStatus.OK:
            response.headers["content-type"] = kind
        if not isinstance(response, FileResponse):
            return response
        # Whole, whatever part of it is asked for.
        headers = {name: response.headers[name] for name in _KEPT}
        is_zipped = "gzip" in Headers(scope=scope).get("accept-encoding", "")
        if is_zipped:
            headers["content-encoding"] = "gzip"
        known = str(response.path), response.headers["etag"]
        body = await asyncio.to_thread(_read, *known, is_zipped=is_zipped)
        return Response(body, headers=headers)


@lru_cache(maxsize=256)
def _read(path: str, _etag: str, *, is_zipped: bool) -> bytes:
    """Read a file, and compress it, once for each of its versions."""
    data = Path(path).read_bytes()
    return gzip.compress(data) if is_zipped else data


class _Nowhere(Route):
    """Whatever a browser is led to that is nothing; others answer all else."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        return super().matches(scope) if _is_led(scope) else (Match.NONE, {})


def page_routes() -> list[BaseRoute]:
    """Return the routes of all pages and of their files.

    Where a browser is led to what is no page and no call, the last one says so:
    whatever else is served has to come before it.
    """
    zipped = [Middleware(GZipMiddleware, minimum_size=512)]
    shells = [
        Route(path, _shell(*page), methods=["GET"], middleware=zipped)
        for path, page in _PAGES.items()
    ]
    viewer = Route("/docs", _viewer, methods=["GET"], middleware=zipped)
    return [
        *shells,
        viewer,
        Mount("/static", _Files(directory=FOLDER)),
        _Nowhere("/{path:path}", _nowhere, methods=["GET"], middleware=zipped),
    ]


def render_shell(
    page: str | None, title: str, subject: str = "", *, is_published: bool = False
) -> str:
    """Return the document that a page begins with.

    Args:
        page: Its module; None for the one that stands for a page that is not there.
        title: What its window is called.
        subject: What it is about.
        is_published: It lies beside its files, and there is no referee.
    """
    return _template().render(
        page=page,
        title=title,
        subject=subject,
        files="static/" if is_published else "/static/",
        home="index.html" if is_published else "/",
        is_published=is_published,
    )


@lru_cache(maxsize=1)
def _template() -> Template:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    source = (FOLDER / "shell.html").read_text(encoding="utf-8")
    return environment.from_string(source)


def _shell(page: str, title: str) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        subject = request.path_params.get("subject", "")
        if subject and not _SUBJECT.fullmatch(subject):
            return await _nowhere(request)
        if not BUILT.is_dir():
            return PlainTextResponse(_HOW_TO_BUILD, status_code=503)
        return HTMLResponse(
            render_shell(page, title.format(subject), subject),
            headers={"content-security-policy": CONTENT_POLICY},
        )

    return answer


async def _nowhere(request: Request) -> Response:
    """Tell a browser where there is something.

    Raises:
        HTTPException: It is none that asks.
    """
    if not _is_led(request.scope):
        raise HTTPException(HTTPStatus.NOT_FOUND)
    return HTMLResponse(
        render_shell(None, "There is no such page - ginref"),
        HTTPStatus.NOT_FOUND,
        {"content-security-policy": CONTENT_POLICY},
    )


def _is_led(scope: Scope) -> bool:
    """Say whether somebody wants to see a page, and does not call the API."""
    is_call = f"{scope['path']}/".startswith("/v1/")
    if is_call or scope["method"] not in {"GET", "HEAD"}:
        return False
    weights = {"*/*": 0.0}
    for part in ",".join(Headers(scope=scope).getlist("accept")).split(","):
        kind, _, parameters = part.lower().replace(" ", "").partition(";")
        weight = _WEIGHT.search(f";{parameters}")
        weights[kind] = float(weight[1]) if weight else 1
    others = weights.get("application/*", weights["*/*"])
    return weights.get("text/html", 0) > weights.get("application/json", others)


async def _viewer(_: Request) -> Response:
    if not BUILT.is_dir():
        return PlainTextResponse(_HOW_TO_BUILD, status_code=503)
    return HTMLResponse(
        (FOLDER / "docs.html").read_text(encoding="utf-8"),
        headers={"content-security-policy": CONTENT_POLICY},
    )
