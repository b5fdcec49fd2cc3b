"""No card and no secret is told before it is public, from the first message on."""

from typing import Any

import pytest
from tests.leaks.spotter import Spotter
from tests.leaks.whole_match import play_whole, secrets_in, secrets_of, state_of
from tests.leaks.world import World, in_world

from ginref.app import reporting
from ginref.app.live_match import LiveMatch
from ginref.app.report import MatchFacts

MOVES = 70
"""Moves of each match."""


def _stored(world: World, match_id: str) -> bytes:
    """All that the store keeps of a match."""
    held: Any = world.store._matches[match_id]  # noqa: SLF001 - the store of this test
    entries = b"".join(entry.entry for entry in held.log)
    return bytes(held.creation.setup + held.creation.entry + held.state + entries)


def _play(number: int) -> tuple[Spotter, set[str]]:
    async def work(world: World) -> tuple[Spotter, set[str]]:
        spotter = await play_whole(world, number, MOVES)
        (match_id,) = world.store._matches  # noqa: SLF001 - the store of this test
        secrets = secrets_of(state_of(world, match_id))
        told = b"\n".join(sent.data for sent in world.sent)
        log = "\n".join(world.log.raw).encode()
        kept = _stored(world, match_id)
        # A share of a bot is in the log as the bot has shown it; the other secrets
        # are nowhere.
        hidden = {name: secrets[name] for name in ("referee", "secret")}
        return spotter, {
            *secrets_in(told + log, secrets),
            *secrets_in(kept, hidden),
        }

    return in_world(work)


@pytest.mark.parametrize("number", range(7))
def test_nobody_is_told_of_a_card_before_it_is_public(number: int) -> None:
    spotter, secrets = _play(number)

    assert spotter.found == []
    assert secrets == set()
    assert spotter.looked > 5 * MOVES
    assert len(spotter.moves) > MOVES // 2


def test_a_card_that_is_told_too_early_is_spotted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    step = reporting.seat_report

    def leaking(live: LiveMatch, seat: Any) -> Any:  # noqa: ANN401 - as it is
        return step(live, seat.__class__(1 - seat))

    monkeypatch.setattr("ginref.app.announcer.seat_report", leaking)

    spotter, _ = _play(0)

    assert spotter.found


def test_a_secret_that_is_told_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = reporting.match_facts

    def leaking(live: LiveMatch) -> MatchFacts:
        told = facts(live)
        secret = live.state.setup.referee_share.hex()
        return MatchFacts(
            **{
                **{name: getattr(told, name) for name in told.__dataclass_fields__},
                "key_id": secret,
            }
        )

    monkeypatch.setattr(reporting, "match_facts", leaking)

    _, secrets = _play(1)

    assert secrets == {"referee"}
