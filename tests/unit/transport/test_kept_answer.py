"""Answers that many ask for are made once, and anew when there is more to tell."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest

from ginref.transport import rest, tournament_service
from ginref.transport.codec_tournament import tournament_to_wire
from ginref.transport.exchange import to_json
from ginref.transport.kept_answer import KeptAnswers

Served = Any
"""The running referee of `conftest`, whose class cannot be imported."""

STAGE = {"name": "main", "format": "swiss", "rounds": 3}


async def test_a_crowd_waits_for_one_answer_and_the_loop_for_none() -> None:
    answers, may_end, made = KeptAnswers(), threading.Event(), [0]

    def make() -> bytes:
        made[0] += 1
        assert may_end.wait(60)
        return b"answer %d" % made[0]

    source = object()
    crowd = [asyncio.create_task(answers.get("a", source, make)) for _ in range(9)]
    await asyncio.sleep(0)
    crowd.pop(0).cancel()
    may_end.set()

    assert {*await asyncio.gather(*crowd)} == {b"answer 1"}
    assert await answers.get("a", source, make) == b"answer 1"
    assert await answers.get("a", object(), make) == b"answer 2"


async def test_what_could_not_be_made_is_tried_again() -> None:
    answers, source = KeptAnswers(), object()

    def fail() -> bytes:
        raise MemoryError

    with pytest.raises(MemoryError):
        await answers.get("a", source, fail)

    assert await answers.get("a", source, lambda: b"made") == b"made"


@pytest.fixture
async def client(served: Served) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(
        base_url=f"http://{served.rest}",
        headers={"authorization": f"Bearer {served.operator}"},
        timeout=60,
        verify=False,
    ) as opened:
        yield opened


async def test_a_tournament_is_written_once_for_all_until_it_has_changed(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []

    def counted(name: str, write: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any) -> Any:  # noqa: ANN401
            written.append(name)
            return write(*given)

        return call

    message = counted("message", tournament_to_wire)
    monkeypatch.setattr(tournament_service, "tournament_to_wire", message)
    monkeypatch.setattr(rest, "to_json", counted("json", to_json))
    monkeypatch.setattr(rest, "_LONG", 0)
    cup = {"name": "cup", "stages": [STAGE]}
    body = {"configuration": cup, "request_id": "new"}
    await client.post("/v1/tournaments", json=body)
    written.clear()

    path = "/v1/tournaments/cup"
    # Time changes nothing of a draft.
    first, *others = [await client.get(path) for _ in range(5)]
    assert first.json()["tournament"]["version"] == 1
    assert {one.content for one in others} == {first.content}
    assert written == ["message", "json"]

    to = "TOURNAMENT_STATE_REGISTRATION"
    change = {"request_id": "r", "expected_version": 1, "advance": {"to": to}}
    changed = await client.post(f"{path}:change", json=change)
    assert changed.status_code == 200, changed.text
    grown = await client.get(path)
    assert grown.json()["tournament"]["state"] == to
