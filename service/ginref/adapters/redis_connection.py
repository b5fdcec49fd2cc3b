"""Commands on a store, wherever its servers are at the moment.

The driver would send a command again after a lost answer, which may store a move
twice; the caller does that with the same request id instead. Only what has
certainly not run looks for its server again, and not for longer than a call may take.
"""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from ginref.adapters.redis_address import Address, parse_store_url
from ginref.adapters.redis_call import Argument, Call, Words, words_of
from ginref.adapters.redis_error import NobodyServesError, demand_answers, unavailable
from ginref.adapters.redis_node import ANSWER_PATIENCE_S, Node
from ginref.adapters.redis_observer import StoreObserver, Unobserved
from ginref.adapters.redis_script import Script
from ginref.adapters.redis_status import Status
from ginref.adapters.redis_topology import LOOK_PATIENCE_S, Layout, topology_of

_FIRST_DELAY_S: Final = 0.05
_LONGEST_DELAY_S: Final = 0.4

_COMMAND: Final = "command"
"""What a question is called that runs no script."""


class RedisConnection:
    """Commands and scripts on a store; answers are as the servers send them.

    What is `replicated` is answered only once every replica has all that the answer
    rests on, where the store has replicas at all.

    Attributes:
        observer: Counts what is asked.
    """

    def __init__(self, url: str, *, patience_s: float = ANSWER_PATIENCE_S) -> None:
        """Prepare connections; none is made before it is needed.

        Args:
            url: A store URL.
            patience_s: How long a packet may take, in seconds, and how long a call
                may look for its server.

        Raises:
            UnsupportedStoreError: The URL has another scheme, or cannot be read.
        """
        self.observer: StoreObserver = Unobserved()
        self._store = parse_store_url(url)
        self._topology = topology_of(self._store)
        self._patience_s = patience_s
        self._layout: Layout | None = None
        self._only: Node | None = None
        self._nodes: dict[Address, Node] = {}
        self._lost: list[Call] = []
        self._search: asyncio.Task[None] | None = None
        self._closing: set[asyncio.Task[None]] = set()
        self._least_replicas = self._store.replicas
        self._looking = asyncio.Lock()
        self._failures = 0

    @property
    def is_replicated(self) -> bool:
        """Every write is confirmed by replicas, or is not acknowledged."""
        return bool(self._least_replicas)

    def run(
        self,
        script: Script,
        keys: Sequence[str],
        arguments: Sequence[Argument],
        *,
        replicated: bool = False,
    ) -> asyncio.Future[Any]:
        """Run a script as a whole, on the node of its keys.

        Raises:
            StoreUnavailableError: Whether it ran is unknown.
        """
        words = words_of((len(keys), *keys, *arguments))
        return self._call(words, keys[0], script, replicated=replicated)

    def run_words(self, script: Script, key: str, words: Words) -> asyncio.Future[Any]:
        """Run a script whose keys and arguments are written already, replicated.

        Raises:
            StoreUnavailableError: Whether it ran is unknown.
        """
        return self._call(words, key, script, replicated=True)

    def command(
        self, *parts: Argument, replicated: bool = False
    ) -> asyncio.Future[Any]:
        """Send one command, whose first argument is its key or channel, if any.

        Raises:
            StoreUnavailableError: Whether it was carried out is unknown.
        """
        return self._call(words_of(parts), _key_of(parts), replicated=replicated)

    async def commands(
        self, commands: Sequence[tuple[Argument, ...]], *, replicated: bool = False
    ) -> list[Any]:
        """Send several commands, in no certain order; return their answers in order.

        Raises:
            StoreUnavailableError: Which of them were carried out is unknown.
        """
        return await _all(
            [self.command(*parts, replicated=replicated) for parts in commands]
        )

    async def run_for_each(
        self,
        script: Script,
        each: Sequence[Sequence[str]],
        arguments: Sequence[Argument] = (),
    ) -> list[Any]:
        """Run a script once for each group of keys; return the answers in order.

        Raises:
            StoreUnavailableError: Which of them ran is unknown.
        """
        return await _all([self.run(script, keys, arguments) for keys in each])

    async def ask_servers(
        self, *commands: tuple[Argument, ...]
    ) -> list[tuple[Address, Status, list[Any]]]:
        """Look for all servers that take writes, and ask each about itself.

        Returns:
            For each: where it is, its state, and its answers to the commands; an
            error is an answer, too.

        Raises:
            StoreUnavailableError: One of them does not answer.
        """
        with unavailable():
            if self._topology.can_move or self._layout is None:
                await self._look()
            nodes = list(self._nodes.values())
            statuses = await asyncio.gather(*(node.learn() for node in nodes))
        found: list[tuple[Address, Status, list[Any]]] = []
        for node, status in zip(nodes, statuses, strict=True):
            loop = asyncio.get_running_loop()
            calls = [Call(words_of(parts), loop.create_future()) for parts in commands]
            for call in calls:
                node.put(call)
            answers = await asyncio.gather(
                *(call.answer for call in calls), return_exceptions=True
            )
            with unavailable():
                demand_answers(answers)
            found.append((node.address, status, answers))
        return found

    async def subscribers(
        self, channels: Sequence[str]
    ) -> list[tuple[Node, list[str]]]:
        """Return where to subscribe, and to which channels there.

        A wire of such a node ends when its server is no longer the one.

        Raises:
            StoreUnavailableError: That is not known now.
        """
        with unavailable():
            if self._layout is None:
                await self._look()
            layout = self._layout
            if layout is None:
                raise NobodyServesError("no server takes writes")
            places: dict[Address, list[str]] = {}
            for channel in channels:
                places.setdefault(layout.address_of(channel), []).append(channel)
        return [(self._nodes[address], names) for address, names in places.items()]

    def is_filling(self, key: str) -> bool:
        """Say whether the server of a key should take no new matches."""
        if self._layout is None:
            return False
        with unavailable():
            return self._nodes[self._layout.address_of(key)].status.is_filling

    async def aclose(self) -> None:
        """Wait for what is under way, then give back connections."""
        await asyncio.sleep(0)
        while self._search is not None or any(
            node.is_busy for node in self._nodes.values()
        ):
            if self._search is not None:
                await asyncio.wait([self._search])
            await asyncio.gather(*(node.settled() for node in self._nodes.values()))
            await asyncio.sleep(0)
        closing = [node.aclose() for node in self._nodes.values()]
        await asyncio.gather(self._topology.aclose(), *closing, *self._closing)

    def returned(self, call: Call, error: Exception) -> None:
        """Let a call that has certainly not run look for its server."""
        loop = asyncio.get_running_loop()
        if not self._topology.can_move or loop.time() >= call.deadline_s:
            call.fail(error)
            return
        call.attempts += 1
        self.observer.store_retry()
        self._lose(call)

    def sent(self, commands: int) -> None:
        """Count a packet by the commands that it carries."""
        self.observer.store_batch(commands)

    def doubted(self, address: Address) -> None:
        """Look whether another server has taken over from one that is silent."""
        if self._topology.can_move and address in self._nodes:
            self._start_search()

    def replicas_wanted(self, address: Address, status: Status) -> int:
        """Say how many replicas must confirm a write: all that may take over.

        One that is not connected may, too, and would know nothing of the write.
        """
        if not self._topology.can_move and not self._least_replicas:
            return 0
        known = 0 if self._layout is None else self._layout.replicas.get(address, 0)
        return max(self._least_replicas or 0, known, status.replicas)

    def _call(
        self,
        words: Words,
        key: str | None,
        script: Script | None = None,
        *,
        replicated: bool = False,
    ) -> asyncio.Future[Any]:
        loop = asyncio.get_running_loop()
        deadline_s = loop.time() + self._patience_s
        answer = loop.create_future()
        call = Call(words, answer, key, script, replicated, deadline_s)
        answer.add_done_callback(partial(self._answered, call))
        self._route(call)
        return answer

    def _answered(self, call: Call, answer: asyncio.Future[Any]) -> None:
        """Count a call, unless whoever made it has gone away."""
        if not answer.cancelled():
            asked_s = call.deadline_s - self._patience_s
            self.observer.store_call(
                _COMMAND if call.script is None else call.script.name,
                asyncio.get_running_loop().time() - asked_s,
                failed=answer.exception() is not None,
            )

    def _route(self, call: Call) -> None:
        """Hand a call to its server, or keep it until that is known."""
        if self._layout is None:
            self._lose(call)
            return
        try:
            node = self._only or self._nodes[self._layout.address_of(call.key)]
        except NobodyServesError as error:
            self.returned(call, error)
            return
        node.put(call)

    def _lose(self, call: Call) -> None:
        self._lost.append(call)
        self._start_search()

    def _start_search(self) -> None:
        if self._search is None:
            self._search = asyncio.get_running_loop().create_task(self._find())
            self._search.add_done_callback(self._found)

    def _found(self, search: asyncio.Task[None]) -> None:
        self._search = None
        if self._lost and not search.cancelled():
            self._start_search()

    async def _find(self) -> None:
        """Look for the servers, and send what waits for them on its way."""
        attempts = min((call.attempts - 1 for call in self._lost), default=0)
        attempts = max(attempts, self._failures)
        if attempts > 0 and self._topology.can_move:
            delay_s = _FIRST_DELAY_S * 2 ** min(attempts - 1, 9)
            await asyncio.sleep(min(delay_s, _LONGEST_DELAY_S))
        try:
            await self._look()
        except Exception as error:  # noqa: BLE001 - it goes to the callers
            lost, self._lost = self._lost, []
            for call in lost:
                self.returned(call, error)
        else:
            lost, self._lost = self._lost, []
            for call in lost:
                self._route(call)

    async def _look(self) -> None:
        """Find out which servers there are, and drop those that are no more.

        Raises:
            NobodyServesError: None takes writes.
            RedisError: The only server does not answer.
            OSError: Likewise.
            TimeoutError: Likewise.
        """
        async with self._looking:
            self._failures += 1
            layout = await self._topology.find()
            try:
                statuses = await self._greet(layout)
            except Exception:
                # Nobody is better than a server that must not be believed.
                self._layout = self._only = None
                raise
            self._failures = 0
            if self._least_replicas is None:
                self._least_replicas = _least_replicas(layout, statuses)
            self._layout = layout
            self._only = None if layout.ranges else self._nodes[layout.addresses[0]]
            for address in layout.addresses:
                self._nodes[address].touch_at(layout.touch_key_of(address))
            for address in self._nodes.keys() - set(layout.addresses):
                self._close(self._nodes.pop(address))

    async def _greet(self, layout: Layout) -> list[Status]:
        """Ask the servers of a layout what they are; return what they say."""
        async with asyncio.timeout(self._patience_s):
            asked = map(self._status, layout.addresses)
            answers = await asyncio.gather(*asked, return_exceptions=True)
        statuses: list[Status] = []
        for answer in answers:
            if isinstance(answer, Status):
                statuses.append(answer)
            elif not layout.ranges:
                raise answer
        # A Sentinel may still name a server that has been told to follow another.
        if self._topology.can_move and not layout.ranges:
            for status in statuses:
                if status.role not in {"master", None}:
                    raise NobodyServesError("the server that was found is a replica")
        return statuses

    async def _status(self, address: Address) -> Status:
        # Where another server may have taken over, one that is slow is not waited for.
        patience_s = LOOK_PATIENCE_S if self._topology.can_move else self._patience_s
        async with asyncio.timeout(patience_s):
            return await self._node(address).learn()

    def _node(self, address: Address) -> Node:
        """Return the node at an address, made when it is new."""
        node = self._nodes.get(address)
        if node is None:
            node = Node(self._store, address, self, patience_s=self._patience_s)
            if self._layout is not None:
                node.touch_at(self._layout.touch_key_of(address))
            self._nodes[address] = node
        return node

    def _close(self, node: Node) -> None:
        """Close a node once it has answered what it was asked."""
        task = asyncio.get_running_loop().create_task(node.aclose())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)


def _key_of(parts: tuple[Argument, ...]) -> str | None:
    return str(parts[1]) if len(parts) > 1 else None


async def _all(calls: Sequence[asyncio.Future[Any]]) -> list[Any]:
    answers = await asyncio.gather(*calls, return_exceptions=True)
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
    return answers


def _least_replicas(layout: Layout, statuses: Sequence[Status]) -> int:
    """Return how many replicas there will always have to be from now on.

    Who guards the servers may be told to forget some of their replicas, never all.
    """
    if layout.replicas:
        return min(1, *layout.replicas.values())
    return max((status.replicas for status in statuses), default=0)
