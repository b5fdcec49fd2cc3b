"""The API over HTTP: how requests are read, and what is answered to bad ones."""

import gzip
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import httpx
import pytest
from tests.unit.transport.call import new_match

from ginref.transport.exchange import Exchange

Served = Any
"""The running referee of `conftest`, whose class cannot be imported."""

Serve = Callable[..., AbstractAsyncContextManager[Served]]

JSON = {"content-type": "application/json"}


@asynccontextmanager
async def calling(served: Served, token: str | None = None) -> AsyncIterator[Any]:
    """A client of a referee's API over HTTP."""
    headers = {} if token is None else {"authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(
        base_url=f"http://{served.rest}", headers=headers, timeout=60, verify=False
    ) as client:
        yield client


@pytest.fixture
async def client(served: Served) -> AsyncIterator[httpx.AsyncClient]:
    """A client that calls as the operator."""
    async with calling(served, served.operator) as opened:
        yield opened


def told(answer: httpx.Response) -> tuple[int, str, dict[str, str]]:
    """The status, the reason and the facts of a refusal."""
    status = answer.json()
    (info, *more) = status["details"]
    assert answer.headers["content-type"] == "application/json"
    assert info["@type"].endswith("google.rpc.ErrorInfo")
    assert info["domain"] == "ginref"
    field = info["metadata"].get("field")
    for detail in more:
        assert [one["field"] for one in detail["fieldViolations"]] == [field]
    return answer.status_code, info["reason"], info["metadata"]


async def seat_bots(served: Served) -> None:
    for name in ("one", "two"):
        await served.token("bot", name)


async def test_a_match_is_made_and_looked_at(
    served: Served, client: httpx.AsyncClient
) -> None:
    await seat_bots(served)
    body = {
        "requestId": "r1",
        "ruleset": {"preset": "gin"},
        "bots": ["one", "two"],
        "deal_source": "DEAL_SOURCE_SEEDED",
        "seed": "7",
        "strikesAllowed": 0,
    }

    made = await client.post("/v1/matches", json=body)
    again = await client.post("/v1/matches", json=body)
    match_id = made.json()["match"]["matchId"]
    found = await client.get(f"/v1/matches/{match_id}")
    head = await client.head(f"/v1/matches/{match_id}")

    assert (made.status_code, found.status_code) == (200, 200)
    assert made.json() == again.json()
    assert found.json()["match"]["strikesAllowed"] == 0
    assert found.json()["match"]["stage"] == "MATCH_STAGE_FORMING"
    assert (head.status_code, head.content) == (200, b"")
    assert ("CreateMatch", "OK") in served.calls


async def test_a_query_selects_a_page(
    served: Served, client: httpx.AsyncClient
) -> None:
    await seat_bots(served)
    for number in range(3):
        request = {**_new(), "request_id": f"r{number}"}
        assert (await client.post("/v1/matches", json=request)).status_code == 200

    page = await client.get("/v1/matches", params={"page_size": 2, "bot": "one"})
    rest = await client.get(
        "/v1/matches",
        params={"pageSize": 2, "pageToken": page.json()["nextPageToken"]},
    )

    assert [len(one.json()["matches"]) for one in (page, rest)] == [2, 1]


def _new(**changes: object) -> dict[str, Any]:
    request = new_match()
    return {
        "request_id": request.request_id,
        "ruleset": {"preset": "gin"},
        "bots": [*request.bots],
        **changes,
    }


async def test_names_in_paths_and_queries_are_names(client: httpx.AsyncClient) -> None:
    for path, reason, field in (
        ("/v1/matches?bot=<b>", "NAME_INVALID", "bot"),
        ("/v1/matches/%2e%2e%2fkeys", "FIELD_INVALID", "match_id"),
        ("/v1/matches/m1%2Frecord", "FIELD_INVALID", "match_id"),
        ("/v1/matches/%00", "FIELD_INVALID", "match_id"),
        ("/v1/matches/%3Cscript%3E", "FIELD_INVALID", "match_id"),
        ("/v1/tournaments/%3Cb%3E", "NAME_INVALID", "tournament_id"),
    ):
        answer = await client.get(path)

        status, told_reason, facts = told(answer)
        assert (status, told_reason, facts.get("field")) == (400, reason, field)


async def test_another_path_is_nothing(client: httpx.AsyncClient) -> None:
    for path in ("/", "/v1", "/v1/", "/v1//matches", "/v1/matches/", "/v2/matches"):
        assert told(await client.get(path)) == (404, "PATH_UNKNOWN", {})


async def test_a_page_that_is_not_there_is_no_fault(
    client: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    for verb in ("POST", "TRACE"):
        answer = await client.request(verb, "/openapi.json")
        assert told(answer) == (405, "VERB_NOT_ALLOWED", {"allow": "GET, HEAD"})
        assert answer.headers["allow"] == "GET, HEAD"

    assert [one for one in caplog.records if one.levelname == "ERROR"] == []


async def test_another_verb_is_told_which_ones_there_are(
    client: httpx.AsyncClient,
) -> None:
    answer = await client.delete("/v1/matches")
    options = await client.options("/v1/matches")

    allow = "GET, HEAD, OPTIONS, POST"
    assert told(answer) == (405, "VERB_NOT_ALLOWED", {"allow": allow})
    assert answer.headers["allow"] == options.headers["allow"] == allow
    assert options.status_code == 204


async def test_a_body_is_said_to_be_json(client: httpx.AsyncClient) -> None:
    for kind in ("text/plain", "", "application/json; charset=latin1"):
        answer = await client.post(
            "/v1/owners", content=b'{"name":"ada"}', headers={"content-type": kind}
        )

        header = {"header": "content-type"}
        assert told(answer) == (415, "MEDIA_TYPE_UNKNOWN", header)


async def test_a_body_is_sent_as_it_is(client: httpx.AsyncClient) -> None:
    body = b'{"name":"ada"}'
    for coding, content in (("gzip", gzip.compress(body)), ("BR, gzip", body)):
        headers = {**JSON, "content-encoding": coding}
        answer = await client.post("/v1/owners", content=content, headers=headers)

        header = {"header": "content-encoding"}
        assert told(answer) == (415, "MEDIA_TYPE_UNKNOWN", header)
        assert answer.headers["accept-encoding"] == "identity"
    plain = {**JSON, "content-encoding": "Identity"}
    made = await client.post("/v1/owners", content=body, headers=plain)
    assert made.status_code == 200


async def test_a_call_without_a_body_takes_none(client: httpx.AsyncClient) -> None:
    answer = await client.request("GET", "/v1/bots", content=b"{}", headers=JSON)

    assert told(answer)[:2] == (400, "MESSAGE_UNREADABLE")


async def test_a_large_body_is_refused(client: httpx.AsyncClient) -> None:
    async def parts() -> AsyncIterator[bytes]:
        for _ in range(17):
            yield b" " * 1024

    for content in (parts(), b" " * (16 * 1024 + 1)):
        answer = await client.post("/v1/owners", content=content, headers=JSON)

        assert told(answer) == (413, "MESSAGE_TOO_LARGE", {"limit_bytes": "16384"})


async def test_tournaments_have_more_room(client: httpx.AsyncClient) -> None:
    body = {"request_id": "r", "configuration": {"title": "x" * 20_000}}

    answer = await client.post("/v1/tournaments", json=body)

    assert told(answer)[:2] == (400, "CONFIGURATION_INVALID")


async def test_who_is_not_known_is_told_how_to_be(served: Served) -> None:
    for header, reason in (
        ("", "TOKEN_MISSING"),
        ("Basic YTpi", "TOKEN_MISSING"),
        ("Bearer nobody", "TOKEN_UNKNOWN"),
    ):
        async with calling(served) as stranger:
            headers = {"authorization": header}
            answer = await stranger.get("/v1/matches", headers=headers)

        assert told(answer)[:2] == (401, reason)
        assert answer.headers["www-authenticate"] == "Bearer"
        assert reason in served.refusals


async def test_whoever_brings_no_token_but_something_is_no_guest(serve: Serve) -> None:
    async with serve({"has_guests": True}) as served, calling(served) as guest:
        looked = await guest.get("/v1/matches")
        assert looked.status_code == 200
        for header in ("", served.operator, f"Token {served.operator}"):
            headers = {"authorization": header}
            answer = await guest.get("/v1/matches", headers=headers)

            assert told(answer)[:2] == (401, "TOKEN_MISSING")


async def test_a_fault_of_http_itself_is_known_by_its_id_alone(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Exchange, __: bytes) -> str:
        message = "Kh lies on top"
        raise RuntimeError(message)

    monkeypatch.setattr(Exchange, "header", fail)
    answer = await client.get("/v1/matches")

    status, reason, facts = told(answer)
    assert (status, reason, [*facts]) == (500, "INTERNAL_FAULT", ["fault_id"])
    assert "Kh" not in answer.text
    assert answer.headers["cache-control"] == "no-store"


async def test_a_fault_is_known_by_its_id_alone(
    served: Served, client: httpx.AsyncClient
) -> None:
    served.store.failure = ValueError("the king of hearts")

    answer = await client.get("/v1/matches/m1")

    status, reason, facts = told(answer)
    assert (status, reason, [*facts]) == (500, "INTERNAL_FAULT", ["fault_id"])
    assert "hearts" not in answer.text


async def test_answers_are_for_programs_and_for_nobody_else(
    client: httpx.AsyncClient,
) -> None:
    for path in ("/v1/bots", "/nowhere"):
        answer = await client.get(path, headers={"origin": "https://example.org"})

        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert "access-control-allow-origin" not in answer.headers
        assert "server" not in answer.headers


async def test_pages_of_an_allowed_origin_may_call(serve: Serve) -> None:
    ours, others = "https://example.org", "https://example.com"
    preflight = {"access-control-request-method": "POST"}
    async with (
        serve({"origins": (ours,)}) as served,
        calling(served, served.operator) as client,
    ):
        asked = [
            await client.options("/v1/owners", headers={"origin": origin, **preflight})
            for origin in (ours, others)
        ]
        answers = [
            await client.get("/v1/owners", headers={"origin": origin})
            for origin in (ours, others)
        ]

    allowed = "access-control-allow-origin"
    assert [one.headers.get(allowed) for one in asked] == [ours, None]
    assert [one.headers.get(allowed) for one in answers] == [ours, None]
    assert "authorization" in asked[0].headers["access-control-allow-headers"]
    assert {one.status_code for one in answers} == {200}


async def test_so_many_calls_go_on_at_once(serve: Serve) -> None:
    async with (
        serve({"call_limit": 0}) as served,
        calling(served, served.operator) as client,
    ):
        answer = await client.get("/v1/bots")

    assert told(answer) == (429, "LIMIT_EXCEEDED", {"limit": "calls"})


async def test_json_is_one_object_on_one_line(client: httpx.AsyncClient) -> None:
    await client.post("/v1/owners", json={"name": "ada"})

    answer = await client.get("/v1/owners")

    assert b"\n" not in answer.content
    assert json.loads(answer.content)["owners"][0]["name"] == "ada"
