"""Previews that many ask for."""

import asyncio
import threading
from typing import Any

import pytest
from tests.unit.tournament.driving import one_stage

from ginref.app import tournament_preview
from ginref.app.error import Reason, RefusedError
from ginref.app.tournament_preview import Previewer
from ginref.tournament.configuration_read import read_configuration
from ginref.tournament.preview import Preview, preview

CUP = read_configuration(one_stage({"format": "round_robin", "groups": 2}))


async def test_a_field_that_does_not_fit_is_refused_by_its_path() -> None:
    previewer = Previewer()

    assert await previewer.preview(CUP, 8, 50) == preview(CUP, 8, 50)
    with pytest.raises(RefusedError) as caught:
        await previewer.preview(CUP, 3, 50)

    assert caught.value.reason is Reason.CONFIGURATION_INVALID
    assert caught.value.facts["field"] == "stages[0].groups"


async def test_previews_are_computed_one_at_a_time_whoever_has_lost_patience(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun = threading.Semaphore(0)
    may_end = threading.Event()
    at_once = threading.Lock()

    def slowly(*given: Any) -> Preview:  # noqa: ANN401
        assert at_once.acquire(blocking=False)
        begun.release()
        assert may_end.wait(60)
        at_once.release()
        return preview(*given)

    monkeypatch.setattr(tournament_preview, "preview", slowly)
    previewer = Previewer()
    asking = [asyncio.create_task(previewer.preview(CUP, 8, 50)) for _ in range(4)]
    await asyncio.to_thread(begun.acquire)
    asking[0].cancel()
    with pytest.raises(RefusedError) as caught:
        await previewer.preview(CUP, 8, 50)
    may_end.set()

    assert (caught.value.reason, caught.value.facts) == (
        Reason.LIMIT_EXCEEDED,
        {"limit": "previews"},
    )
    first, *others = await asyncio.gather(*asking, return_exceptions=True)
    assert isinstance(first, asyncio.CancelledError)
    assert others == [preview(CUP, 8, 50)] * 3
    assert await previewer.preview(CUP, 8, 50) == others[0]
