"""What can go wrong for a bot author, by whose move it is to do something."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType


class ClientError(Exception):
    """Anything this package refuses or gives up on; its text is for people."""


class ProtocolError(ClientError):
    """The referee said something that this client cannot read exactly.

    Client and referee are of different versions, or the other side is no referee.

    Attributes:
        field: The field at fault, as a path such as `table.phase`.
    """

    def __init__(self, field: str, problem: str) -> None:
        """Keep the field. Neither text may hold a card."""
        super().__init__(f"{field}: {problem}")
        self.field = field


class RefusedError(ClientError):
    """The referee refused a call; nothing has changed.

    Attributes:
        reason: The reason by name, for example `MATCH_NOT_FOUND`.
        message: The reason in a sentence.
        facts: Facts of the refusal, as text by name.
        receipt: What the referee has signed of a refused submission; empty where the
            match keeps no receipts.
    """

    receipt: bytes = b""

    def __init__(
        self, reason: str, message: str, facts: Mapping[str, str] | None = None
    ) -> None:
        """Keep reason, message and facts."""
        super().__init__(f"{reason}: {message}" if message else reason)
        self.reason = reason
        self.message = message
        self.facts: Mapping[str, str] = MappingProxyType(dict(facts or {}))


class AccessError(RefusedError):
    """The token is missing, unknown, expired or revoked, or may not do this."""


class FencedError(ClientError):
    """Another stream of the same bot has taken over: this bot runs twice."""


class SplitLogError(ClientError):
    """The referee has shown two logs of one tournament: do not trust it.

    Attributes:
        tournament: The tournament.
        problem: How the log that it shows contradicts the one that it had shown.
    """

    def __init__(self, tournament: str, problem: str, evidence: Path | None) -> None:
        """Keep both; `evidence` is the file that proves it, if there is one."""
        kept = "" if evidence is None else f" (kept in {evidence})"
        message = f"tournament {tournament}: DO NOT TRUST THIS REFEREE: {problem}{kept}"
        super().__init__(message)
        self.tournament = tournament
        self.problem = problem


class UnavailableError(ClientError):
    """No referee answered, for as long as it was worth waiting."""


class EndpointError(ClientError):
    """An address that cannot be used, or that would show the token to others."""


class LoadError(ClientError):
    """A bot that cannot be loaded; the text says which and why."""
