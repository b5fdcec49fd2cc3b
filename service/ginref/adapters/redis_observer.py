"""Who counts what is asked of a store."""

from typing import Protocol


class StoreObserver(Protocol):
    """Counts questions to a store, how they are answered, and what travels together."""

    def store_call(self, operation: str, seconds: float, *, failed: bool) -> None:
        """Count a question that is answered, or has failed.

        Args:
            operation: Name of a script, or `command`.
            seconds: From when it was asked.
            failed: There is no answer that can be relied on.
        """

    def store_conflict(self, log: str) -> None:
        """Count a step that was not stored because somebody else was faster.

        Args:
            log: Of a `match` or of a `tournament`.
        """

    def store_retry(self) -> None:
        """Count a command that had certainly not run and is sent again."""

    def store_batch(self, commands: int) -> None:
        """Count a round trip by the commands that share it."""


class Unobserved:
    """Counts nothing."""

    def store_call(self, operation: str, seconds: float, *, failed: bool) -> None:
        """Do nothing."""

    def store_conflict(self, log: str) -> None:
        """Do nothing."""

    def store_retry(self) -> None:
        """Do nothing."""

    def store_batch(self, commands: int) -> None:
        """Do nothing."""
