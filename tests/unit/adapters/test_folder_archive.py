import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from ginref.adapters.folder_archive import FolderArchive
from ginref.app.port import ArchiveConflictError
from ginref.record.envelope import PayloadSigner, seal_envelope


def names(path: Path) -> list[str]:
    return sorted(file.name for file in path.iterdir())


async def test_a_record_comes_back(tmp_path: Path) -> None:
    archive = FolderArchive(tmp_path / "data" / "records")

    await archive.put("m-1", b"record")

    assert await archive.get("m-1") == b"record"
    assert (tmp_path / "data" / "records" / "m-1.json").read_bytes() == b"record"


def test_a_folder_that_takes_records_is_left_empty(tmp_path: Path) -> None:
    FolderArchive(tmp_path / "data" / "records").prepare()

    assert names(tmp_path / "data" / "records") == []


def test_a_folder_that_takes_no_records_says_so_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")

    for path in (tmp_path / "file", tmp_path / "file" / "below", Path("/proc/records")):
        with pytest.raises(OSError, match=path.name):
            FolderArchive(path).prepare()


async def test_a_record_is_missing_until_it_is_put(tmp_path: Path) -> None:
    assert await FolderArchive(tmp_path / "nowhere").get("m-1") is None


async def test_the_same_record_may_be_put_again(tmp_path: Path) -> None:
    archive = FolderArchive(tmp_path)

    await archive.put("m-1", b"record")
    await FolderArchive(tmp_path).put("m-1", b"record")

    assert await archive.get("m-1") == b"record"


async def test_another_record_of_the_match_is_refused(tmp_path: Path) -> None:
    archive = FolderArchive(tmp_path)
    await archive.put("m-1", b"record")

    with pytest.raises(ArchiveConflictError, match="another record"):
        await archive.put("m-1", b"other record")

    assert await archive.get("m-1") == b"record"


async def test_a_record_that_another_key_has_signed_is_the_same(
    tmp_path: Path, referee: Callable[..., PayloadSigner]
) -> None:
    one, two = (seal_envelope(b"record", "type", referee(key)) for key in range(2))
    other = seal_envelope(b"other record", "type", referee())
    archive = FolderArchive(tmp_path)

    await archive.put("m-1", one)
    await archive.put("m-1", two)

    assert await archive.get("m-1") == one
    with pytest.raises(ArchiveConflictError, match="another record"):
        await archive.put("m-1", other)


async def test_of_many_that_put_at_the_same_time_one_is_kept(tmp_path: Path) -> None:
    archives = [FolderArchive(tmp_path) for _ in range(8)]

    results = await asyncio.gather(
        *(
            archive.put("m-1", b"record %d" % number)
            for number, archive in enumerate(archives)
        ),
        return_exceptions=True,
    )

    kept = await archives[0].get("m-1")
    assert kept == b"record %d" % results.index(None)
    assert results.count(None) == 1
    assert {type(result) for result in results if result} == {ArchiveConflictError}


async def test_nothing_but_records_is_left_in_the_folder(tmp_path: Path) -> None:
    archive = FolderArchive(tmp_path)
    await archive.put("m-1", b"record")
    await archive.put("m-1", b"record")
    with pytest.raises(ArchiveConflictError):
        await archive.put("m-1", b"other")

    assert names(tmp_path) == ["m-1.json"]


@pytest.mark.parametrize(
    "match_id", ["", ".", "..", "../m", "a/b", ".m", "-m", "m\n", "m\0", "é", "m" * 129]
)
async def test_no_match_id_leads_out_of_the_folder(
    tmp_path: Path, match_id: str
) -> None:
    archive = FolderArchive(tmp_path / "records")

    with pytest.raises(ValueError, match="is no match id"):
        await archive.put(match_id, b"record")

    assert await archive.get(match_id) is None
    assert names(tmp_path) == []


async def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(OSError, match="file"):
        await FolderArchive(tmp_path / "file").put("m-1", b"record")
