"""Pairs of matches on a real referee look the same to whoever sees the same."""

from collections.abc import Iterator
from itertools import islice

import pytest
from tests.e2e.answer import cards_in
from tests.e2e.host import SEATED, Host
from tests.leaks.pair import other_world
from tests.leaks.real_pair import (
    Heard,
    RealMatch,
    attached,
    hosting,
    real_scripts,
)
from tests.leaks.script import Script

PAIRS = 5


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    """A referee that deals what it is told."""
    with hosting() as running:
        yield running


async def _played(host: Host, script: Script) -> tuple[Heard, Heard]:
    """Play a script in two worlds, one after the other."""
    assert script.observer is not None
    decks = (script.decks[0], other_world(script, 0).decks[0])
    async with host.open() as room:
        stream = await attached(room, SEATED[script.observer])
        one, other = [
            await RealMatch(room, script, stream).play(deck) for deck in decks
        ]
        await stream.stop()
    return one, other


@pytest.mark.timeout(900)
async def test_real_matches_that_differ_in_hidden_cards_look_the_same(
    host: Host,
) -> None:
    told = 0
    for script in islice(real_scripts(1), PAIRS):
        one, other = await _played(host, script)

        assert one.observer == other.observer
        assert one.public == other.public
        # The other seat sees its own cards, and those are others.
        assert one.other != other.other
        told += len(one.observer) + len(one.public)

    assert told > 10 * PAIRS
    # The random name of its folder may look like a card.
    log = host.process.log().replace(str(host.process.data), "")
    assert log
    assert not cards_in(log)
