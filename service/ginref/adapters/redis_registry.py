"""Owners, bots and tokens in Redis or Valkey: one hash for each kind of row."""

from collections.abc import Sequence

from ginref.adapters.redis_connection import RedisConnection
from ginref.adapters.redis_script import REPLACE, registry_key
from ginref.app.port import Registry


class RedisRegistry(Registry):
    """Rows of JSON text by kind and key."""

    def __init__(self, connection: RedisConnection) -> None:
        """Use connections that somebody else closes."""
        self._connection = connection

    async def add(self, kind: str, key: str, row: str) -> str:
        """Store a row unless the key is taken; return the row that is stored."""
        place = registry_key(kind)
        if await self._connection.command("HSETNX", place, key, row, replicated=True):
            return row
        kept: bytes = await self._connection.command(
            "HGET", place, key, replicated=True
        )
        return kept.decode()

    async def get(self, kind: str, key: str) -> str | None:
        """Return a row, or None."""
        kept = await self._connection.command("HGET", registry_key(kind), key)
        return None if kept is None else kept.decode()

    async def replace(self, kind: str, key: str, old: str, new: str) -> bool:
        """Replace a row if it is still `old`; say whether it was."""
        done = await self._connection.run(
            REPLACE, [registry_key(kind)], [key, old, new], replicated=True
        )
        return bool(done)

    async def rows(self, kind: str) -> Sequence[str]:
        """Return all rows of a kind, ordered by key."""
        flat = await self._connection.command("HGETALL", registry_key(kind))
        rows = zip(flat[::2], flat[1::2], strict=True)
        return tuple(row.decode() for _, row in sorted(rows))
