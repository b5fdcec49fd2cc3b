"""Records of every kind of match: presets, deals, and ways to end."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import rfc8785

from ginref.engine.ruleset import (
    GIN,
    HOLLYWOOD,
    OKLAHOMA,
    THREE_HANDED,
    ClosedPolicy,
    NextDealer,
    Ruleset,
    Shutout,
    Stop,
    Table,
)
from ginref.engine.seat import Seat
from ginref.record.document import build_record, record_json
from ginref.record.entry import (
    Aborted,
    Declined,
    Entry,
    Resigned,
    StampedEntry,
    TimedOut,
    Voided,
)
from ginref.record.lifecycle import Stage
from ginref.record.replay import replay
from ginref.record.setup import Setup
from ginref.record.tournament_place import TournamentPlace

MakeSetup = Callable[..., Setup]
Play = Callable[..., tuple[Setup, tuple[StampedEntry, ...]]]

RULES: Final[dict[str, Ruleset]] = {
    "gin": GIN,
    "hollywood": HOLLYWOOD.but(game_target=60),
    "ordinal hollywood": HOLLYWOOD.but(
        game_target=40, closed_policy=ClosedPolicy.ORDINAL, stop=Stop.MAJORITY
    ),
    "oklahoma": OKLAHOMA.but(game_target=60),
    "three_handed": THREE_HANDED.but(
        game_target=60, shutout=Shutout.FLAT_BONUS, shutout_bonus=30, line_bonus=5
    ),
    "box": THREE_HANDED.but(game_target=60, table=Table.BOX),
    "boards": GIN.but(boards=4, next_dealer=NextDealer.BOARD_PARITY),
    "settled": GIN.but(
        game_target=30,
        game_bonus=100,
        line_bonus=20,
        shutout=Shutout.DOUBLE_TOTAL,
        may_discard_taken_card=True,
    ),
    "half settled": GIN.but(
        game_target=30, game_bonus=100, shutout=Shutout.DOUBLE_GAME_BONUS
    ),
    "straight gin": GIN.but(
        game_target=60, knock_limit=0, big_gin_bonus=31, layoff_on_gin=True
    ),
    "short of rounds": GIN.but(round_limit=2, next_dealer=NextDealer.ALTERNATE),
    "short of turns": GIN.but(round_limit=3, turn_limit=6, undercut_on_tie=False),
}

ENDINGS: Final[dict[str, tuple[Entry, Stage]]] = {
    "resigned": (Resigned(Seat.SOUTH), Stage.PLAYING),
    "timed out": (TimedOut(), Stage.PLAYING),
    "void": (Voided(), Stage.PLAYING),
    "aborted": (Aborted(), Stage.PLAYING),
    "declined": (Declined(Seat.NORTH), Stage.FORMING),
    "not revealed": (TimedOut(), Stage.REVEALING),
    "not committed": (TimedOut(), Stage.COMMITTING),
    "void before the deal": (Voided(), Stage.REVEALING),
}

PLACE: Final = TournamentPlace(
    tournament="autumn-cup",
    fixture="0123456789abcdef",
    attempt=1,
    game=2,
    deal="main/3/2",
    is_shared=True,
    length=40,
    head="ab" * 32,
)


def collect(play: Play, make_setup: MakeSetup) -> dict[str, bytes]:
    """Play them all, each from its own number."""
    logs: dict[str, Any] = {
        name: play(number, setup=make_setup(number, rules=rules), refusals=0.03)
        for number, (name, rules) in enumerate(RULES.items(), start=20)
    }
    for number, (name, (ending, stage)) in enumerate(ENDINGS.items(), start=60):
        logs[name] = play(number, ending=ending, ends_in=stage, moves=30)
    logs["three seats, resigned"] = play(
        80,
        setup=make_setup(80, rules=THREE_HANDED),
        ending=Resigned(Seat.NORTH),
        moves=120,
    )
    logs["seeded"] = play(81, setup=make_setup(81, seeded=True))
    logs["board"] = play(90, setup=make_setup(90, place=PLACE))
    logs["one share"] = play(82, shares=(False, True))
    logs["no share"] = play(83, shares=(False, False))
    logs["lost by strikes"] = _lose_by_strikes(*play(84, refusals=1))
    logs["signed"] = play(88, setup=make_setup(88, signing=(Seat.NORTH, Seat.SOUTH)))
    logs["with receipts"] = play(91, setup=replace(make_setup(91), receipts=True))
    logs["signed by one"] = play(
        89, setup=make_setup(89, signing=(Seat.SOUTH,)), refusals=0.05
    )
    logs["credited"] = credit(*play(85, refusals=0))
    logs["void with a loss"] = _lose(*play(86, refusals=0))
    records = {name: build_record(*log) for name, log in logs.items()}
    records["unopened"] = close(*play(87))
    return records


def _lose_by_strikes(
    setup: Setup, entries: tuple[StampedEntry, ...]
) -> tuple[Setup, tuple[StampedEntry, ...]]:
    """Count one strike too many."""
    setup = replace(setup, strikes_allowed=2)
    at = next(at for at, one in enumerate(entries) if one.refusal == 3)
    fatal = replace(entries[at], version=entries[at].version + 1, refusal=0)
    return setup, (*entries[:at], fatal)


def credit(
    setup: Setup, entries: tuple[StampedEntry, ...]
) -> tuple[Setup, tuple[StampedEntry, ...]]:
    """Be away for seven seconds while a clock runs."""
    late = [replace(one, time_ms=one.time_ms + 7_000) for one in entries[30:]]
    return setup, (*entries[:30], replace(late[0], credit_ms=7_000), *late[1:])


def _lose(
    setup: Setup, entries: tuple[StampedEntry, ...]
) -> tuple[Setup, tuple[StampedEntry, ...]]:
    """Lose ten versions after the fortieth entry."""
    last = entries[50]
    return setup, (
        *entries[:40],
        replace(last, entry=Voided(last.version - entries[39].version - 1)),
    )


def close(setup: Setup, entries: tuple[StampedEntry, ...]) -> bytes:
    """Keep the referee's share back."""
    document = record_json(setup, entries, replay(setup, entries))
    return rfc8785.dumps({**document, "openings": None})
