"""Whole matches on cards that nobody has chosen, with everybody looking on."""

import random
from collections.abc import Iterator
from typing import Final

from tests.e2e.log_scan import Secret, forms
from tests.leaks.performance import Performance, Table, share_of
from tests.leaks.script import RULES, Script, write_script
from tests.leaks.spotter import Spotter
from tests.leaks.wire import Sent
from tests.leaks.world import ORGANIZER, SEATED, SPECTATOR, World

from ginref.engine.card import PACK, CardSet
from ginref.engine.deadwood import discard_deadwoods
from ginref.engine.match import Match, legal_moves
from ginref.engine.move import PASS, Discard, Knock, Move
from ginref.engine.phase import Throw
from ginref.engine.seat import Seat
from ginref.record.lifecycle import MatchState

_SLIPS: Final = 0.1
_LOOKS: Final = 0.1


async def play_whole(world: World, number: int, most: int) -> Spotter:
    """Play a match, at most so many moves of it, and look at all that is told."""
    chance = random.Random(number)
    script = _script(number)
    table = Table(world, wants_events=number % 2 == 0)
    for seat in script.seats:
        await table.attach(seat)
    performance = Performance(table, script)
    spotter = Spotter(
        {SEATED[seat]: seat for seat in script.seats}, named=performance.named
    )
    await performance.create()
    for caller in (SPECTATOR, ORGANIZER, SEATED[number % 2]):
        await performance.watch(caller)
    await performance.prepare()
    place, made = 0, 0
    while made < most:
        place = _look(world, performance, spotter, place)
        state = state_of(world, performance.match_id)
        if state.ending:
            break
        assert state.match is not None
        assert state.version == performance.version
        seat = _mover(state.match)
        if chance.random() < _LOOKS:
            looking = (SPECTATOR, ORGANIZER, *SEATED[: len(script.seats)])
            await performance.look(chance.choice(looking))
            place = _look(world, performance, spotter, place)
        if chance.random() < _SLIPS and state.strikes_left(seat) > 0:
            await performance.submit(seat, str(_slip(state.match, chance)))
            place = _look(world, performance, spotter, place)
        move = _choose(state.match, chance)
        _foresee(spotter, state, move)
        await performance.submit(seat, str(move))
        performance.version += 1
        made += 1
    assert made > most // 2
    _look(world, performance, spotter, place)
    await table.leave()
    return spotter


def state_of(world: World, match_id: str) -> MatchState:
    """Return a match as the referee knows it, hidden cards and all."""
    live = world.tools.keeper.hint(match_id)
    assert live is not None
    return live.state


def secrets_of(state: MatchState) -> dict[str, Secret]:
    """Return what a match keeps secret until it is over."""
    shares = {f"share of {seat}": share_of(seat) for seat in state.setup.seats}
    secret = state._secret  # noqa: SLF001 - what must not get out
    return {"referee": state.setup.referee_share, "secret": secret, **shares}


def secrets_in(data: bytes, secrets: dict[str, Secret]) -> Iterator[str]:
    """Yield the names of secrets that stand in some bytes, however written."""
    text = data.decode("latin-1")
    for name, secret in secrets.items():
        assert isinstance(secret, bytes)
        if secret in data or any(form in text for form in forms(secret)):
            yield name


def _script(number: int) -> Script:
    """Return a script of which the rules and the ways to call are played by."""
    script = write_script(number)
    rules = RULES[number % len(RULES)]
    return Script(
        number=number,
        rules=rules,
        decks=(),
        first_dealer=Seat.NORTH,
        observer=None,
        before=(),
        at_end=script.at_end._replace(seats=tuple(Seat)[: rules.seat_count]),
        silent=(),
        actions=(),
        end="",
        strikes_allowed=100,
        has_shares=True,
        streams=(True, False, True)[: rules.seat_count],
    )


def _look(world: World, performance: Performance, spotter: Spotter, place: int) -> int:
    told: list[Sent] = world.sent[place:]
    match = state_of(world, performance.match_id).match
    if match is not None:
        spotter.look(told, match)
    return len(world.sent)


def _foresee(spotter: Spotter, state: MatchState, move: Move) -> None:
    """Note what everybody may know after a move."""
    assert state.match is not None
    spotter.moves[state.version + 1] = str(move)
    if isinstance(move, Knock):
        one, other = state.match.round.hands
        spotter.shown[state.match.round_number] = CardSet(one.mask | other.mask)


def _mover(match: Match) -> Seat:
    assert match.to_act is not None
    return match.to_act


def _slip(match: Match, chance: random.Random) -> Move:
    """Return an illegal move that names a card, mostly one that nobody else knows."""
    seat = _mover(match)
    hand = match.round.hand(seat)
    if isinstance(match.round.phase, Throw):
        foreign = chance.choice([card for card in PACK if card not in hand])
        return chance.choice((Discard(foreign), Knock(foreign), PASS))
    card = chance.choice(tuple(hand))
    return chance.choice((Discard(card), Knock(card)))


def _choose(match: Match, chance: random.Random) -> Move:
    seat = _mover(match)
    legal = legal_moves(match, seat)
    if not isinstance(match.round.phase, Throw):
        return chance.choice(legal)
    if able := [move for move in legal if isinstance(move, Knock)]:
        return chance.choice(able)
    left = discard_deadwoods(match.round.hand(seat))
    throws = [move for move in legal if isinstance(move, Discard)]
    return min(throws, key=lambda move: (left[move.card], -move.card.points))
