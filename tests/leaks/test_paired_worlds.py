"""Whoever cannot see a card is told the same, wherever it lies.

Two worlds are played by the same script. They differ in nothing but cards that an
observer has not seen by the end of it. All that reaches the observer, its fellow
outsiders, the log and the metrics must be the same, byte for byte and in order.
"""

from collections.abc import Sequence

import pytest
from tests.leaks.comparison import compare
from tests.leaks.dealing import Deck
from tests.leaks.pair import KINDS, other_world
from tests.leaks.planted_leaks import PLANTS, Plant
from tests.leaks.script import RULES, Play, Question, Script, Slip, write_script
from tests.leaks.world import SEATED

from ginref.engine.card import PACK
from ginref.engine.match import Match, apply, start_match
from ginref.engine.move import Discard, Knock
from ginref.engine.showdown import Outcome
from ginref.engine.view import public_view, view_for

SCRIPTS = 125
PAIRS = 2_000


@pytest.mark.timeout(900)
def test_worlds_that_differ_in_hidden_cards_cannot_be_told_apart() -> None:
    findings = compare(1, SCRIPTS)

    assert findings.differences == []
    assert findings.pairs == PAIRS
    # They do differ: much is elsewhere, and whoever may see it does.
    assert findings.moved > 10 * PAIRS
    assert findings.apart > PAIRS // 3
    assert findings.compared > 10 * PAIRS


@pytest.mark.parametrize("leak", PLANTS, ids=lambda leak: leak.__name__)
def test_a_planted_leak_is_found(leak: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    leak(monkeypatch)

    assert compare(1, 10, 2, patient=False).differences


def test_scripts_reach_everything_that_they_are_for() -> None:
    scripts = [write_script(number) for number in range(1, SCRIPTS + 1)]
    actions = [action for script in scripts for action in script.actions]

    assert {script.rules.name for script in scripts} == {one.name for one in RULES}
    assert {script.end for script in scripts} == {"resign", "abort", "time", "strikes"}
    assert {script.observer for script in scripts} >= {None, *scripts[0].seats}
    assert {type(action) for action in actions} == {Play, Slip, Question}
    assert {bool(script.silent) for script in scripts} == {True, False}
    moves = [move for script in scripts for move in script.moves]
    assert any(isinstance(move, Knock) for move in moves)
    rounds = [one for script in scripts for one in script.at_end.history]
    assert {Outcome.KNOCK, Outcome.TURN_CAP} <= {one.outcome for one in rounds}
    assert sum(isinstance(move, Discard) for move in moves) > SCRIPTS


def _played(script: Script, decks: Sequence[Deck]) -> Match:
    deck_for = decks.__getitem__
    match = start_match(script.rules, script.seats, script.first_dealer, deck_for)
    for move in script.moves:
        assert match.to_act is not None
        match = apply(match, match.to_act, move, deck_for)
    return match


@pytest.mark.parametrize("number", range(len(KINDS)), ids=KINDS)
def test_the_other_world_looks_the_same_to_its_observer(number: int) -> None:
    for script in [write_script(one) for one in range(1, 25)]:
        world = other_world(script, number)
        there, here = _played(script, world.decks), script.at_end

        assert all(set(deck) == set(PACK) for deck in world.decks)
        assert there != here
        assert public_view(there) == public_view(here)
        for seat in script.seats:
            if SEATED[seat] in world.blind or seat is script.observer:
                assert view_for(there, seat) == view_for(here, seat)
