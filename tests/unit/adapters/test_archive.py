"""What every archive promises: a record is kept once, whole, and for good."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from moto.server import ThreadedMotoServer
from tests.e2e.bucket_server import bucket_server

from ginref.adapters.archive import open_archive
from ginref.adapters.s3_archive import S3Archive
from ginref.app.port import ArchiveConflictError, StoreUnavailableError
from ginref.record.envelope import PayloadSigner, seal_envelope

KINDS = ("folder", "bucket")


@pytest.fixture
def buckets(monkeypatch: pytest.MonkeyPatch) -> Iterator[ThreadedMotoServer]:
    with bucket_server(monkeypatch) as server:
        yield server


@pytest.fixture(params=KINDS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where an archive may be."""
    if request.param == "folder":
        return str(tmp_path / "records")
    request.getfixturevalue("buckets")
    return "s3://records/league/2026"


async def test_a_record_comes_back_and_no_other_does(place: str) -> None:
    archive = open_archive(place)
    await archive.prepare()
    await archive.prepare()

    await archive.put("m-1", b"record")

    assert await open_archive(place).get("m-1") == b"record"
    assert await archive.get("m-2") is None


async def test_the_same_record_may_be_put_again_and_no_other_one(place: str) -> None:
    archive = open_archive(place)
    await archive.put("m-1", b"record")
    await open_archive(place).put("m-1", b"record")

    with pytest.raises(ArchiveConflictError, match="another record"):
        await archive.put("m-1", b"other record")

    assert await archive.get("m-1") == b"record"


async def test_a_record_that_another_key_has_signed_is_the_same(
    place: str, referee: Callable[..., PayloadSigner]
) -> None:
    one, two = (seal_envelope(b"record", "type", referee(key)) for key in range(2))
    archive = open_archive(place)

    await archive.put("m-1", one)
    await archive.put("m-1", two)

    assert await archive.get("m-1") == one


async def test_of_many_that_put_at_the_same_time_one_is_kept(place: str) -> None:
    archives = [open_archive(place) for _ in range(8)]

    results = await asyncio.gather(
        *(one.put("m-1", b"record %d" % at) for at, one in enumerate(archives)),
        return_exceptions=True,
    )

    assert await archives[0].get("m-1") == b"record %d" % results.index(None)
    assert results.count(None) == 1
    assert {type(result) for result in results if result} == {ArchiveConflictError}


@pytest.mark.parametrize("match_id", ["", "..", "../m", "a/b", ".m", "m\n", "m" * 129])
async def test_no_match_id_leads_elsewhere(place: str, match_id: str) -> None:
    archive = open_archive(place)

    with pytest.raises(ValueError, match="is no match id"):
        await archive.put(match_id, b"record")

    assert await archive.get(match_id) is None


@pytest.mark.usefixtures("buckets")
async def test_a_bucket_that_is_not_there_says_so_at_once() -> None:
    with pytest.raises(OSError, match="s3://nowhere"):
        await open_archive("s3://nowhere").prepare()


async def test_a_bucket_that_is_away_is_an_error_and_not_an_empty_one(
    buckets: ThreadedMotoServer,
) -> None:
    archive = open_archive("s3://records")
    await archive.put("m-1", b"record")
    buckets.stop()

    with pytest.raises(StoreUnavailableError):
        await archive.get("m-1")
    with pytest.raises(OSError, match="s3://records"):
        await archive.put("m-2", b"record")


@pytest.mark.parametrize(
    "url", ["s3://", "s3://R", "s3://records?x=1", "s3://records/a b", "s3:///records"]
)
def test_only_a_bucket_and_a_prefix_are_taken(url: str) -> None:
    with pytest.raises(ValueError, match="s3://bucket"):
        S3Archive(url)
