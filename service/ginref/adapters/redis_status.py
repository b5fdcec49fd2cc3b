"""What one server says about itself (INFO)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

SECTIONS: Final = ("server", "replication", "memory", "persistence", "cluster")

FULL_PERCENT: Final = 80
"""Share of the memory limit above which no new matches are taken."""

Version = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """State of one server; None where it does not say.

    Attributes:
        version: Version of Redis that it is compatible with.
        role: `master` or `slave`.
        replicas: Connected replicas that follow its stream of writes.
        good_replicas: Of these, as many as count for `min-replicas-to-write`.
        memory: Used bytes.
        memory_limit: Bytes that it may use; 0 without a limit.
        policy: What happens at the limit.
        has_file: It keeps an append-only file.
        file_works: It could write that file the last time.
        is_cluster: It is a node of a cluster.
        is_loading: It still reads its files, and takes no commands.
    """

    version: Version | None = None
    role: str | None = None
    replicas: int = 0
    good_replicas: int | None = None
    memory: int = 0
    memory_limit: int = 0
    policy: str | None = None
    has_file: bool | None = None
    file_works: bool = True
    is_cluster: bool = False
    is_loading: bool = False

    @property
    def is_filling(self) -> bool:
        """So much of its memory is used that new matches must wait."""
        limit = self.memory_limit
        return bool(limit) and 100 * self.memory > FULL_PERCENT * limit


UNKNOWN: Final = Status()


def parse_status(answer: bytes) -> Status:
    """Read the answer of INFO: a fact in a line, and headings."""
    facts = dict(_facts(answer.decode(errors="replace")))
    version = facts.get("redis_version", "")
    followers = sum(
        "state=online" in facts.get(f"slave{number}", "")
        for number in range(_number(facts, "connected_slaves"))
    )
    has_file = facts.get("aof_enabled")
    good = facts.get("min_slaves_good_slaves")
    return Status(
        version=tuple(int(part) for part in version.split(".") if part.isdigit())
        or None,
        role=facts.get("role"),
        replicas=followers,
        good_replicas=None if good is None else int(good),
        memory=_number(facts, "used_memory"),
        memory_limit=_number(facts, "maxmemory"),
        policy=facts.get("maxmemory_policy"),
        has_file=None if has_file is None else has_file == "1",
        file_works=facts.get("aof_last_write_status", "ok") == "ok",
        is_cluster=facts.get("cluster_enabled") == "1",
        is_loading=facts.get("loading", "0") == "1",
    )


def _facts(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        name, separator, value = line.partition(":")
        if separator:
            yield name, value


def _number(facts: dict[str, str], name: str) -> int:
    text = facts.get(name, "")
    return int(text) if text.isdigit() else 0
