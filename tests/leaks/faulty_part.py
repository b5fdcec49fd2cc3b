"""Parts of a referee that fail, with cards and secrets in what they say."""

import base64
import hashlib
from collections.abc import Callable, Iterator
from inspect import iscoroutinefunction
from typing import Final, NoReturn

import pytest
from tests.e2e.answer import cards_in
from tests.e2e.log_scan import forms
from tests.unit.app.tool import MemoryArchive

from ginref.adapters.memory_registry import MemoryRegistry
from ginref.adapters.memory_store import MemoryStore
from ginref.adapters.metrics import PrometheusObserver
from ginref.adapters.sealing import AesSealer
from ginref.app.announcer import Announcer
from ginref.app.desk import Desk
from ginref.app.judge import Judge
from ginref.app.keeper import Keeper
from ginref.app.session import Session
from ginref.app.step_taker import StepTaker
from ginref.app.watch import Watcher

SECRET: Final = hashlib.sha256(b"canary").digest()

CANARY: Final = (
    f"Kh lies on Qd, then ['7s', '8s'] and 9sTsJs; {SECRET.hex()} or {SECRET!r}"
    f" or {list(SECRET)} or {base64.b64encode(SECRET).decode()}"
    f" or {base64.urlsafe_b64encode(SECRET).decode()}"
    f" or {base64.b32encode(SECRET).decode()} or {int.from_bytes(SECRET)}"
)
"""What a part says as it fails."""


class CanaryError(Exception):
    """What nobody has thought of; callers are not told its name, either."""


def told_of(text: str) -> set[str]:
    """Return what a text tells of the failure: cards, or its secret in any form."""
    told = {str(card) for card in cards_in(text)}
    return told | {form for form in forms(SECRET) if form in text}


PARTS: Final[dict[str, tuple[str, ...]]] = {
    "engine": (
        "ginref.record.lifecycle.apply",
        "ginref.app.reporting.view_for",
        "ginref.app.reporting.public_view",
    ),
    "record": (
        "ginref.app.judge.step",
        "ginref.app.keeper.timing",
        "ginref.app.opening.begin",
        "ginref.app.signing.build_record",
    ),
    "transport": (
        "ginref.transport.referee_service.match_to_wire",
        "ginref.transport.referee_service.public_view_to_wire",
        "ginref.transport.referee_service.seat_view_to_wire",
        "ginref.transport.referee_service.answer_to_bytes",
        "ginref.transport.referee_service.submission_from_wire",
        "ginref.transport.referee_service.read_id",
        "ginref.transport.bot_service.message_to_bytes",
        "ginref.transport.bot_service.bot_message_from_wire",
    ),
}
"""Functions by layer, under the names by which they are called."""

METHODS: Final[dict[type, tuple[str, ...]]] = {
    Desk: ("get_match", "list_matches", "match_record"),
    Judge: ("submit",),
    Keeper: ("load", "reach", "commit", "remember"),
    StepTaker: ("take",),
    Session: ("hello", "submit"),
    Announcer: ("find", "tell"),
    Watcher: ("_make",),
    MemoryStore: (
        *("create", "read", "apply", "log", "due", "list_matches", "live_matches"),
        *("attach", "attachment", "drop_live", "finished", "acknowledge"),
    ),
    MemoryRegistry: ("get", "rows", "add"),
    MemoryArchive: ("get", "put"),
    AesSealer: ("seal", "open"),
    PrometheusObserver: (
        "move",
        "move_times",
        "match_created",
        "attached",
        "watching",
        "refusal",
        "call",
    ),
}
"""Methods of use cases and adapters."""


def parts() -> Iterator[str]:
    """Yield the names of all parts that can be made to fail."""
    for named in PARTS.values():
        yield from named
    for kind, methods in METHODS.items():
        yield from (f"{kind.__name__}.{method}" for method in methods)


def break_part(
    part: str, patch: pytest.MonkeyPatch, note: Callable[[str], None]
) -> None:
    """Let a part fail from now on, and note each time that it does."""

    def fail(*_: object, **__: object) -> NoReturn:
        note(part)
        raise CanaryError(CANARY)

    async def fail_later(*_: object, **__: object) -> NoReturn:
        fail()

    for kind, methods in METHODS.items():
        for method in methods:
            if part == f"{kind.__name__}.{method}":
                is_later = iscoroutinefunction(getattr(kind, method))
                patch.setattr(kind, method, fail_later if is_later else fail)
                return
    patch.setattr(part, fail)
