"""What a container is to a program, without a container engine.

A box has a file system that nobody can write except where a volume is mounted, a
network of its own, and programs in it run as a user without any rights.
"""

import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
HOME = Path("/opt/ginref")
"""Where the image has its Python."""

USER = 65532

PATIENCE = 240.0
COVERED = ("/opt", "/run", "/tmp", "/var/lib")
"""Empty in a box, but for what is mounted below."""

_MAY_ENTER = 0o001

TOOLS = ("unshare", "nsenter", "setpriv", "ip", "mount")


@dataclass(frozen=True)
class Empty:
    """A new volume; of a user, or of a group as an orchestrator makes it."""

    mode: int = 0o700
    uid: int = USER
    gid: int = USER


@dataclass(frozen=True)
class Files:
    """A file or a folder that is mounted to be read only."""

    path: Path


Volume = Empty | Files


@dataclass
class Box:
    """A box that is open.

    Attributes:
        pid: A process in it.
        environment: Variables that every program in it has.
    """

    pid: int
    environment: Mapping[str, str]
    stack: ExitStack = field(repr=False)

    def command(
        self, arguments: Sequence[str], environment: Mapping[str, str], uid: int = USER
    ) -> list[str]:
        """Return what runs a program in the box as a container would."""
        variables = {**self.environment, **environment}
        return [
            *("nsenter", "--target", str(self.pid), "--mount", "--net"),
            *("setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups"),
            *("--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"),
            *("env", "--ignore-environment", "--chdir=/"),
            *(f"{name}={value}" for name, value in variables.items()),
            *arguments,
        ]

    def run(
        self, arguments: Sequence[str], environment: Mapping[str, str] | None = None
    ) -> "subprocess.CompletedProcess[str]":
        """Run a program to its end."""
        return subprocess.run(
            self.command(arguments, environment or {}),
            check=False,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )

    def run_until(self, arguments: Sequence[str]) -> None:
        """Run a program again and again until it succeeds."""
        until = time.monotonic() + PATIENCE
        while (told := self.run(arguments)).returncode != 0:
            assert time.monotonic() < until, told.stdout + told.stderr
            time.sleep(0.1)

    def start(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str] | None = None,
        *,
        uid: int = USER,
    ) -> "subprocess.Popen[str]":
        """Start a program that is ended with the box."""
        process = subprocess.Popen(
            self.command(arguments, environment or {}, uid),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.stack.callback(_end, process)
        return process


def _end(process: "subprocess.Popen[Any]") -> None:
    if process.poll() is None:
        process.kill()
        process.communicate()
    if process.stdout is not None:
        process.stdout.close()


def _may_unshare() -> bool:
    tried = subprocess.run(
        ["unshare", "--mount", "--net", "true"], check=False, capture_output=True
    )
    return tried.returncode == 0


@contextmanager
def opened(
    volumes: Mapping[str, Volume],
    environment: Mapping[str, str],
    hosts: Sequence[str] = (),
    *,
    beside: Box | None = None,
) -> Iterator[Box]:
    """Open a box.

    Args:
        volumes: What is mounted where, in this order.
        environment: Variables of every program in it.
        hosts: Names that stand for the box itself.
        beside: A box whose network this one is in.
    """
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing or os.geteuid() != 0 or not _may_unshare():
        pytest.skip("a box needs util-linux, iproute2, and root with all rights")
    network: tuple[str, ...] = ("unshare", "--net")
    if beside is not None:
        network = ("nsenter", "--target", str(beside.pid), "--net")
    with ExitStack() as stack:
        keeper = subprocess.Popen(
            [
                *network,
                *("unshare", "--mount", "--propagation", "private"),
                *("sh", "-e", "-c", "\n".join(_script(volumes, hosts))),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        stack.callback(_end, keeper)
        assert keeper.stdout is not None
        said = keeper.stdout.readline()
        assert said == "open\n", said + keeper.stdout.read()
        yield Box(keeper.pid, environment, stack)


def _script(volumes: Mapping[str, Volume], hosts: Sequence[str]) -> Iterator[str]:
    """Tell a shell, which is in new namespaces already, how to furnish them."""
    base = Path(sys.base_prefix)
    closed = [one for one in base.parents if not one.stat().st_mode & _MAY_ENTER]
    # The topmost folder that keeps others from an interpreter that is somebody's own.
    covered = (*COVERED, *map(str, closed[-1:]))
    yield "ip link set lo up"
    yield "mount -t tmpfs -o mode=755 tmpfs /mnt"
    yield f"echo 127.0.0.1 localhost {shlex.join(hosts)} >/mnt/hosts"
    yield "mount --bind -o ro /mnt/hosts /etc/hosts"
    furniture: dict[str, Volume] = {
        str(HOME): Files(Path(sys.prefix)),
        # The packages of a checkout are beside its environment.
        "/opt/service": Files(ROOT / "service"),
        "/opt/clients": Files(ROOT / "clients"),
        **({str(base): Files(base)} if closed else {}),
        **volumes,
    }
    # What is to be mounted may lie below what is about to be covered.
    for number, volume in enumerate(furniture.values()):
        if isinstance(volume, Files):
            there = shlex.quote(str(volume.path))
            make = "touch" if volume.path.is_file() else "mkdir"
            yield f"{make} /mnt/{number}; mount --bind {there} /mnt/{number}"
    for cover in covered:
        yield f"mount -t tmpfs -o mode=755 tmpfs {cover}"
    for number, (path, volume) in enumerate(furniture.items()):
        if isinstance(volume, Files):
            if volume.path.is_file():
                yield f"mkdir -p {Path(path).parent}; touch {path}"
            else:
                yield f"mkdir -p {path}"
            yield f"mount --bind /mnt/{number} {path}"
            yield f"mount -o remount,bind,ro {path}"
        else:
            options = f"mode={volume.mode:o},uid={volume.uid},gid={volume.gid}"
            yield f"mkdir -p {path}; mount -t tmpfs -o {options} tmpfs {path}"
    for place in ("/mnt", *covered):
        yield f"mount -o remount,ro {place}"
    yield "mount -o remount,bind,ro /"
    yield "echo open"
    # Ends with whoever holds the other end.
    yield "exec cat"
