import asyncio
import datetime as dt
import logging
import shutil
from pathlib import Path

import pytest

from ginref.adapters import key_watch
from ginref.adapters.key_folder import ACTIVE, KeyFolder
from ginref.adapters.key_watch import KeyWatch
from ginref.record.public_key import read_jwks, read_pem

NOON = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)


@pytest.fixture
def watch(tmp_path: Path) -> KeyWatch:
    return KeyWatch(KeyFolder.open_or_create(tmp_path / "keys"))


async def test_a_rotation_is_taken_up(
    watch: KeyWatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    before = watch.keys
    after = before.rotate()
    assert watch.signer().key_id == before.active_id

    await watch.look()

    assert watch.signer().key_id == after.active_id
    assert caplog.messages == [f"the key {after.active_id} signs from now on"]


async def test_what_is_published_follows_the_folder(watch: KeyWatch) -> None:
    former = watch.keys
    after = former.rotate().retire(former.active_id, NOON)

    await watch.look()

    assert read_jwks(watch.jwks()) == read_pem(watch.pem()) == after.public_keys
    assert b"retired" in watch.jwks()
    assert b"retired" in watch.pem()


async def test_while_the_folder_is_of_no_use_the_key_goes_on_signing(
    watch: KeyWatch, caplog: pytest.LogCaptureFixture
) -> None:
    before = watch.keys
    after = before.rotate()
    mark = before.path / ACTIVE
    mark.chmod(0o644)

    for _ in range(3):
        await watch.look()

    assert watch.signer().key_id == before.active_id
    (said,) = caplog.messages
    assert said.startswith(
        f"the key {before.active_id} goes on signing: {mark} is open"
    )

    mark.chmod(0o600)
    await watch.look()
    assert watch.signer().key_id == after.active_id


async def test_trouble_that_comes_back_is_told_again(
    watch: KeyWatch, caplog: pytest.LogCaptureFixture
) -> None:
    folder = watch.keys.path
    for rights in (0o755, 0o700, 0o755):
        folder.chmod(rights)
        await watch.look()

    assert len(caplog.messages) == 2


async def test_a_folder_that_is_gone_leaves_the_keys_as_they_were(
    watch: KeyWatch,
) -> None:
    before = watch.keys
    before.path.rename(before.path.with_name("elsewhere"))

    await watch.look()

    assert watch.keys is before


async def test_a_mounted_folder_that_is_replaced_as_a_whole_is_taken_up(
    watch: KeyWatch, tmp_path: Path
) -> None:
    # As Kubernetes does it: names lead through a link, which is moved in one step.
    before = watch.keys
    shutil.copytree(before.path, tmp_path / "next")
    after = KeyFolder(tmp_path / "next").rotate()
    mount = tmp_path / "mount"
    mount.mkdir(0o700)
    (mount / "..data").symlink_to(before.path)
    for name in (ACTIVE, *(f"{key_id}.pem" for key_id in after.public_keys)):
        (mount / name).symlink_to(f"..data/{name}")
    (mount / f"{after.active_id}.pem").unlink()
    mounted = KeyWatch(KeyFolder(mount))
    assert mounted.signer().key_id == before.active_id

    (mount / f"{after.active_id}.pem").symlink_to(f"..data/{after.active_id}.pem")
    (mount / "..new").symlink_to(after.path)
    (mount / "..new").replace(mount / "..data")
    await mounted.look()

    assert mounted.signer().key_id == after.active_id
    assert mounted.keys.public_keys == after.public_keys


async def test_it_looks_again_and_again(
    watch: KeyWatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_watch, "_INTERVAL_S", 0.001)
    looking = asyncio.create_task(watch.run())

    async with asyncio.timeout(120):
        for _ in range(3):
            after = await asyncio.to_thread(KeyFolder(watch.keys.path).rotate)
            while watch.signer().key_id != after.active_id:  # noqa: ASYNC110 - no event tells it
                await asyncio.sleep(0.001)

    looking.cancel()
