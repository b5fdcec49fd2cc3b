"""Where the servers of a store are: one, the one that Sentinels name, or a cluster's.

Whoever looks asks all it knows and believes the majority of Sentinels, or the node
of a cluster that has seen most elections: a server that was cut off tells old news.
"""

import abc
import asyncio
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from redis import exceptions
from redis.crc import key_slot

from ginref.adapters.redis_address import Address, Login, StoreAddress, Way
from ginref.adapters.redis_error import NobodyServesError
from ginref.adapters.redis_node import ask_once, pool_of
from ginref.adapters.redis_script import PREFIX

LOOK_PATIENCE_S: Final = 0.5
"""How long one of those that are asked may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Which server takes which keys.

    Attributes:
        addresses: Servers that take writes, in a fixed order.
        ranges: First slot, last slot and server, by slot; empty when one takes all.
        replicas: How many replicas each server is known to have, whether they are
            connected or not: any of them may take over.
    """

    addresses: tuple[Address, ...]
    ranges: tuple[tuple[int, int, Address], ...] = field(default=(), repr=False)
    replicas: Mapping[Address, int] = field(default_factory=dict)

    def address_of(self, key: str | None) -> Address:
        """Return the server that takes a key, or any server for None.

        Raises:
            NobodyServesError: No server takes it.
        """
        if not self.ranges or key is None:
            return self.addresses[0]
        slot = key_slot(key.encode())
        place = bisect(self.ranges, slot, key=lambda one: one[0]) - 1
        if place >= 0 and slot <= self.ranges[place][1]:
            return self.ranges[place][2]
        raise NobodyServesError(f"no node of the cluster serves slot {slot}")

    def touch_key_of(self, address: Address) -> str:
        """Return a key that a server takes, to be written for the sake of writing."""
        number = 0
        while True:
            key = f"{PREFIX}:touch:{{{number}}}"
            if not self.ranges or address not in self.addresses:
                return key
            if self._takes(address, key):
                return key
            number += 1

    def _takes(self, address: Address, key: str) -> bool:
        try:
            return self.address_of(key) == address
        except NobodyServesError:
            return False


class Topology(abc.ABC):
    """Finds the servers that take writes."""

    can_move = True
    """Another server may take over: it is worth looking again."""

    @abc.abstractmethod
    async def find(self) -> Layout:
        """Look for the servers.

        Raises:
            NobodyServesError: None is known.
        """

    @abc.abstractmethod
    async def aclose(self) -> None:
        """Give back connections."""


def topology_of(store: StoreAddress) -> Topology:
    """Return the way to find the servers of a store."""
    match store.way:
        case Way.DIRECT:
            return Direct(store.addresses[0])
        case Way.SENTINEL:
            return Sentinels(store)
        case Way.CLUSTER:
            return Cluster(store)


class Direct(Topology):
    """One server, at the address that the URL gives."""

    can_move = False

    def __init__(self, address: Address) -> None:
        """Name the server."""
        self._layout = Layout(addresses=(address,))

    async def find(self) -> Layout:
        """Return the one server."""
        return self._layout

    async def aclose(self) -> None:
        """Do nothing: there are no connections."""


class _Panel:
    """Servers that are asked together, as long as each takes."""

    def __init__(self, store: StoreAddress, login: Login | None = None) -> None:
        self._store = store
        self._login = login
        self._pools = {address: self._pool(address) for address in store.addresses}

    def add(self, addresses: Iterable[Address]) -> None:
        for address in addresses:
            if address not in self._pools:
                self._pools[address] = self._pool(address)

    async def ask(
        self, commands: Sequence[tuple[str, ...]]
    ) -> list[tuple[Address, list[Any]]]:
        """Ask everybody; return whoever answered, and what.

        Raises:
            NobodyServesError: Nobody answered.
        """
        asked = [self._ask(address, commands) for address in self._pools]
        answers = [answer for answer in await asyncio.gather(*asked) if answer]
        if not answers:
            places = ", ".join(map(str, self._pools))
            raise NobodyServesError(f"none of {places} answers")
        return answers

    async def aclose(self) -> None:
        await asyncio.gather(*(pool.aclose() for pool in self._pools.values()))

    def _pool(self, address: Address) -> Any:  # noqa: ANN401 - the driver's
        return pool_of(self._store, address, login=self._login)

    async def _ask(
        self, address: Address, commands: Sequence[tuple[str, ...]]
    ) -> tuple[Address, list[Any]] | None:
        try:
            async with asyncio.timeout(LOOK_PATIENCE_S):
                return address, await ask_once(self._pools[address], commands)
        except (exceptions.RedisError, OSError, TimeoutError):
            return None


class Sentinels(Topology):
    """The server that most Sentinels name."""

    def __init__(self, store: StoreAddress) -> None:
        """Prepare connections to the Sentinels."""
        self._service = store.service
        self._panel = _Panel(store, store.sentinel_login)

    async def find(self) -> Layout:
        """Ask all Sentinels; believe the most.

        Raises:
            NobodyServesError: No Sentinel answers, or none knows the service.
        """
        answers = await self._panel.ask(
            [
                ("SENTINEL", "GET-MASTER-ADDR-BY-NAME", self._service),
                ("SENTINEL", "REPLICAS", self._service),
            ]
        )
        votes: Counter[Address] = Counter()
        replicas = 0
        for _, (place, followers) in answers:
            if isinstance(place, list):
                votes[Address(place[0].decode(), int(place[1]))] += 1
            if isinstance(followers, list):
                replicas = max(replicas, len(followers))
        if not votes:
            raise NobodyServesError(f"no Sentinel knows a service {self._service!r}")
        address = votes.most_common(1)[0][0]
        return Layout(addresses=(address,), replicas={address: replicas})

    async def aclose(self) -> None:
        """Give back connections."""
        await self._panel.aclose()


class Cluster(Topology):
    """The primaries of a cluster."""

    def __init__(self, store: StoreAddress) -> None:
        """Prepare connections to the nodes that the URL names."""
        self._tls = store.tls
        self._panel = _Panel(store)

    async def find(self) -> Layout:
        """Ask all nodes; believe the one that has seen the latest election.

        Raises:
            NobodyServesError: No node answers, or none has a map.
        """
        answers = await self._panel.ask([("CLUSTER", "INFO"), ("CLUSTER", "SHARDS")])
        best: tuple[int, Layout] | None = None
        for asked, (facts, shards) in answers:
            if not isinstance(facts, bytes) or not isinstance(shards, list):
                continue
            layout = self._layout(shards, asked)
            epoch = _epoch(facts)
            if layout is not None and (best is None or epoch > best[0]):
                best = epoch, layout
        if best is None:
            raise NobodyServesError("no node knows a cluster of Redis 7.0 or later")
        self._panel.add(best[1].addresses)
        return best[1]

    async def aclose(self) -> None:
        """Give back connections."""
        await self._panel.aclose()

    def _layout(self, shards: Sequence[Any], asked: Address) -> Layout | None:
        ranges: list[tuple[int, int, Address]] = []
        replicas: dict[Address, int] = {}
        for shard in map(_fields, shards):
            slots = shard[b"slots"]
            nodes = [_fields(node) for node in shard[b"nodes"]]
            primaries = [node for node in nodes if node[b"role"] == b"master"]
            if not slots or not primaries:
                continue
            # After an election the old primary may still be called one, and failed.
            primaries.sort(key=lambda node: node[b"health"] != b"online")
            address = self._address(primaries[0], asked)
            replicas[address] = replicas.get(address, 0) + len(nodes) - 1
            ranges += [
                (int(first), int(last), address)
                for first, last in zip(slots[::2], slots[1::2], strict=True)
            ]
        if not ranges:
            return None
        return Layout(
            addresses=tuple(sorted(replicas)),
            ranges=tuple(sorted(ranges)),
            replicas=replicas,
        )

    def _address(self, node: Mapping[bytes, Any], asked: Address) -> Address:
        """Read where a node listens; one that does not know is the one asked."""
        host = node[b"endpoint"] or node[b"ip"]
        port = node.get(b"tls-port" if self._tls else b"port") or asked.port
        known = host.decode() if host and host != b"?" else asked.host
        return Address(known, int(port))


def _fields(flat: Sequence[Any]) -> dict[bytes, Any]:
    """Read names and values that follow each other."""
    return dict(zip(flat[::2], flat[1::2], strict=True))


def _epoch(facts: bytes) -> int:
    for line in facts.splitlines():
        name, _, value = line.partition(b":")
        if name == b"cluster_current_epoch":
            return int(value)
    return 0
