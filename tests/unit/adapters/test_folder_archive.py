from pathlib import Path

import pytest

from ginref.adapters.folder_archive import FolderArchive
from ginref.app.port import ArchiveConflictError


def names(path: Path) -> list[str]:
    return sorted(file.name for file in path.iterdir())


async def test_a_record_comes_back(tmp_path: Path) -> None:
    archive = FolderArchive(tmp_path / "data" / "records")

    await archive.put("m-1", b"record")

    assert await archive.get("m-1") == b"record"
    assert (tmp_path / "data" / "records" / "m-1.json").read_bytes() == b"record"


async def test_a_folder_that_takes_records_is_left_empty(tmp_path: Path) -> None:
    await FolderArchive(tmp_path / "data" / "records").prepare()

    assert names(tmp_path / "data" / "records") == []


async def test_a_folder_that_takes_no_records_says_so_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")

    for path in (tmp_path / "file", tmp_path / "file" / "below", Path("/proc/records")):
        with pytest.raises(OSError, match=path.name):
            await FolderArchive(path).prepare()


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
