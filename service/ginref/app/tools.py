"""What the use cases work with."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from ginref.app.allowance import Allowance
from ginref.app.hub import Hub
from ginref.app.keeper import Keeper
from ginref.app.match_store import MatchStore
from ginref.app.port import Archive, Chance, Observer, Registry, Signer
from ginref.app.trace import Tracer


def _system_time_ms() -> int:
    return time.time_ns() // 1_000_000


def _no_keys() -> bytes:
    return b'{"keys":[]}'


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """What the use cases work with.

    Attributes:
        store: Keeps matches.
        registry: Keeps owners, bots and tokens.
        keeper: Reads and changes live matches.
        signer: Gives the key that signs now. The next call may give another one.
        archive: Keeps records.
        chance: Makes secrets.
        observer: Counts.
        engine: Version of the engine, as records say it.
        hub: Told of each match that this process has changed.
        jwks: Tells the public keys of all signatures, as a JSON Web Key Set.
        allow_seeded: Take seeds for deals.
        allowance: What each token has left of what it may ask for.
        ended: Set when a match ends in this process.
        monotonic: Tells seconds that only go forward, for what takes time here.
        now_ms: Tells this process's time, in milliseconds since the Unix epoch.
        tracer: Keeps traces of calls; None where nobody collects them.
    """

    store: MatchStore
    registry: Registry
    keeper: Keeper
    signer: Callable[[], Signer]
    archive: Archive
    chance: Chance
    observer: Observer
    engine: str
    hub: Hub
    jwks: Callable[[], bytes] = _no_keys
    allow_seeded: bool = False
    allowance: Allowance = field(default_factory=Allowance)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    monotonic: Callable[[], float] = time.monotonic
    now_ms: Callable[[], int] = _system_time_ms
    tracer: Tracer | None = None
