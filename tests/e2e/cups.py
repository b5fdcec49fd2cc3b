"""Tournaments of real bots on real referees, from their declaration to a verdict."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ginref.adapters.trusted_keys import read_trusted_keys
from ginref.tournament.export_match import read_match_record
from ginref.tournament.export_verify import ExportVerdict, verify_export
from ginref_client.referee import Referee
from ginref_client.tournament_change import advance, enter

CLOCK = {"start": "60s", "free": "1s", "bank": "10m", "cap": "2m", "grace": "250ms"}
"""Time rules that outlast every interruption."""


@dataclass(frozen=True, kw_only=True)
class Cup:
    """A tournament.

    Attributes:
        name: Its identity.
        count: How many bots enter.
        stage: Its only stage.
        ruleset: The rules of its matches.
        entry: Who may enter, and what bots must show.
        clock: The time rules of its matches.
    """

    name: str
    count: int
    stage: Mapping[str, Any]
    ruleset: str | Mapping[str, Any] = field(
        default_factory=lambda: {"name": "short", "game_target": 1}
    )
    entry: Mapping[str, Any] = field(default_factory=dict)
    clock: Mapping[str, Any] = field(default_factory=lambda: CLOCK)

    @property
    def bots(self) -> list[str]:
        """The names of its bots."""
        return [f"{self.name}-{at:03}" for at in range(self.count)]

    @property
    def document(self) -> dict[str, Any]:
        """What its file says."""
        return {
            "name": self.name,
            "match": {"ruleset": self.ruleset, "clock": self.clock},
            "entry": self.entry,
            "stages": [{"name": "main", **self.stage}],
        }

    async def declare(self, referee: Referee) -> list[str]:
        """Declare it and let its bots enter; return their tokens."""
        await referee.create_tournament(self.document)
        version = await self.go_on(referee, "registration")
        tokens = []
        for bot in self.bots:
            tokens.append(await declared(referee, bot))
            changed = await referee.change_tournament(
                self.name, enter(bot), expected_version=version
            )
            version = changed.version
        return tokens

    async def start(self, referee: Referee) -> None:
        """Call its bots, draw, and let them play."""
        await self.go_on(referee, "check_in")
        await self.until(referee, "checked_in", self.count)
        await self.go_on(referee, "seeding")
        await self.until(referee, "seeded")
        await self.go_on(referee, "running")

    async def go_on(self, referee: Referee, state: str) -> int:
        """Send it on, and return its version then."""
        version = (await referee.get_tournament(self.name)).version
        changed = await referee.change_tournament(
            self.name, advance(state), expected_version=version
        )
        return changed.version

    async def until(self, referee: Referee, event: str, times: int = 1) -> None:
        """Wait until its log tells of something so often."""
        async for entry in referee.watch_tournament(self.name):
            times -= json.loads(entry.json)["event"]["kind"] == event
            if not times:
                return
        raise AssertionError(f"the log of {self.name} ends without {event}")

    async def judge(self, referee: Referee, folder: Path) -> ExportVerdict:
        """Judge its export, and the records of its matches."""
        keys = read_trusted_keys(folder / "keys")
        envelope = await referee.export_tournament(self.name)
        return await asyncio.to_thread(_judge, envelope, keys, folder / "records")


async def declared(referee: Referee, bot: str) -> str:
    """Make a bot known, and return its token."""
    await referee.create_owner(f"of-{bot}")
    await referee.create_bot(bot, f"of-{bot}")
    return (await referee.create_token("bot", bot=bot)).secret


def _judge(envelope: bytes, keys: Mapping[str, bytes], folder: Path) -> ExportVerdict:
    audited = verify_export(envelope, keys).audited
    assert audited is not None
    paths = [folder / f"{one.match}.json" for one in audited.matches]
    records = [read_match_record(path.name, path.read_bytes(), keys) for path in paths]
    return verify_export(envelope, keys, records)


def created(verdicts: Sequence[ExportVerdict]) -> set[str]:
    """Return all matches of tournaments, of which no fixture has the same one twice."""
    found: set[str] = set()
    for verdict in verdicts:
        assert verdict.audited is not None
        matches = verdict.audited.matches
        orders = [one.order.request_id for one in matches]
        assert len(orders) == len(set(orders)) == verdict.records
        found |= {one.match for one in matches}
    return found
