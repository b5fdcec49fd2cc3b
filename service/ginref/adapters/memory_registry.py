"""Rows of owners, bots and tokens in the memory of one process, for tests."""

from collections.abc import Sequence

from ginref.app.port import Registry


class MemoryRegistry(Registry):
    """Rows that live as long as the process."""

    def __init__(self) -> None:
        """Start without rows."""
        self._rows: dict[str, dict[str, str]] = {}

    async def add(self, kind: str, key: str, row: str) -> str:
        """Store a row unless the key is taken; return the row that is stored."""
        return self._rows.setdefault(kind, {}).setdefault(key, row)

    async def get(self, kind: str, key: str) -> str | None:
        """Return a row, or None."""
        return self._rows.get(kind, {}).get(key)

    async def replace(self, kind: str, key: str, old: str, new: str) -> bool:
        """Replace a row if it is still `old`; say whether it was."""
        rows = self._rows.get(kind, {})
        if rows.get(key) != old:
            return False
        rows[key] = new
        return True

    async def rows(self, kind: str) -> Sequence[str]:
        """Return all rows of a kind, ordered by key."""
        return tuple(row for _, row in sorted(self._rows.get(kind, {}).items()))
