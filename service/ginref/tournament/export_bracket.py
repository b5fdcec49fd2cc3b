"""A tournament as brackets-viewer draws it: rows of participants, stages and matches.

A bye is null, somebody to be decided has the identity null. Byes, which a bracket of
ours leaves out, are drawn as places with nobody.

Source: the data model of brackets-model 1, as brackets-viewer 1 takes it.
"""

import enum
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ginref.tournament.bracket import Node, bracket_size, first_slots
from ginref.tournament.bracket_draw import draw_bracket, fitting_byes
from ginref.tournament.bracket_play import loser_of
from ginref.tournament.fixture import Fixture, FixtureState
from ginref.tournament.format import DoubleElimination, Elimination, GrandFinal
from ginref.tournament.plan import Plan
from ginref.tournament.result import Outcome, Result, is_forfeit_of, winner_of
from ginref.tournament.source import BYE, Bye, LoserOf, Seed, Source, WinnerOf
from ginref.tournament.stage_view import StageView

_ROUND: Final = re.compile(r"([A-Z]+)([0-9]+)\.([0-9]+)")
_GROUPS: Final = {"R": 1, "W": 1, "L": 2, "GF": 3}
_CONSOLATION: Final = 2
_FINALS: Final = {
    GrandFinal.NONE: "none",
    GrandFinal.SINGLE: "simple",
    GrandFinal.RESET: "double",
}

_Slot = dict[str, Any] | None
"""Somebody, somebody to be decided, or nobody for good."""

_TO_BE_DECIDED: Final[Mapping[str, Any]] = {"id": None}


class _Status(enum.IntEnum):
    """How far a match has come, by the numbers of the model."""

    LOCKED = 0
    WAITING = 1
    READY = 2
    RUNNING = 3
    COMPLETED = 4


_STATUSES: Final = {
    FixtureState.READY: _Status.READY,
    FixtureState.PLAYING: _Status.RUNNING,
    FixtureState.STOPPED: _Status.RUNNING,
    FixtureState.FINAL: _Status.COMPLETED,
    FixtureState.NOT_NEEDED: _Status.LOCKED,
}


def viewer_data(plan: Plan) -> dict[str, Any]:
    """Return what `bracketsViewer.render` draws, with the groups and rounds of it.

    Swiss rounds and ladders are drawn like a round robin, which is the one table that
    the model knows.
    """
    rows = _Rows(bots={bot: at for at, bot in enumerate(plan.ledger.entrants)})
    for number, view in enumerate(plan.stages, 1):
        stage = rows.add_stage(view, number)
        if view.bracket is not None and isinstance(view.stage.format, Elimination):
            _draw(rows, stage, view, view.stage.format)
        else:
            _list(rows, stage, view)
    return {
        "participants": [
            {"id": at, "tournament_id": 0, "name": bot} for bot, at in rows.bots.items()
        ],
        "stages": rows.stages,
        "groups": rows.groups,
        "rounds": rows.rounds,
        "matches": rows.matches,
        "matchGames": rows.games,
    }


@dataclass(slots=True)
class _Rows:
    """Rows in the making; each has its place in its list as identity."""

    bots: Mapping[str, int]
    stages: list[dict[str, Any]] = field(default_factory=list)
    groups: list[dict[str, Any]] = field(default_factory=list)
    rounds: list[dict[str, Any]] = field(default_factory=list)
    matches: list[dict[str, Any]] = field(default_factory=list)
    games: list[dict[str, Any]] = field(default_factory=list)
    seen: dict[tuple[int, int, int], tuple[int, int]] = field(default_factory=dict)

    def add_stage(self, view: StageView, number: int) -> int:
        kind = "round_robin"
        settings: dict[str, Any] = {}
        if isinstance(view.stage.format, Elimination):
            kind = "single_elimination"
            settings["size"] = bracket_size(max(2, len(view.seats)))
            if isinstance(view.stage.format, DoubleElimination):
                kind = "double_elimination"
                settings["grandFinal"] = _FINALS[view.stage.format.grand_final]
            else:
                settings["consolationFinal"] = view.stage.format.third_place
        self.stages.append(
            {
                "id": len(self.stages),
                "tournament_id": 0,
                "name": view.stage.name,
                "type": kind,
                "number": number,
                "settings": settings,
            }
        )
        return len(self.stages) - 1

    def place(self, stage: int, group: int, number: int) -> tuple[int, int]:
        """Return the rows of a group and of its round, made when first asked for."""
        key = stage, group, number
        if key not in self.seen:
            known = [one for one in self.seen if one[:2] == key[:2]]
            if known:
                group_id = self.seen[known[0]][0]
            else:
                group_id = len(self.groups)
                self.groups.append({"id": group_id, "stage_id": stage, "number": group})
            round_id = len(self.rounds)
            self.rounds.append(
                {
                    "id": round_id,
                    "stage_id": stage,
                    "group_id": group_id,
                    "number": number,
                }
            )
            self.seen[key] = group_id, round_id
        return self.seen[key]

    def add_match(
        self,
        place: tuple[int, int, int, int],
        fixture: Fixture | None,
        slots: Sequence[_Slot],
    ) -> None:
        """Add a match: of a fixture, or with a bye and of none.

        Args:
            place: Its stage, group, round and number.
            fixture: The fixture.
            slots: Its two sides.
        """
        stage, group, number, at = place
        group_id, round_id = self.place(stage, group, number)
        outcomes = () if fixture is None else tuple(_outcomes(fixture))
        best_of = 1 if fixture is None else fixture.match.best_of
        is_series = best_of > 1
        games: list[Outcome | None] = [*outcomes] if is_series else []
        # Games that are not played, or not yet, are rows as well.
        games += [None] * (best_of - len(games) if is_series else 0)
        first, second = _told(fixture, outcomes, slots, is_series=is_series)
        match_id = len(self.matches)
        self.matches.append(
            {
                "id": match_id,
                "stage_id": stage,
                "group_id": group_id,
                "round_id": round_id,
                "number": at,
                "child_count": len(games),
                "status": int(_status(fixture, slots)),
                "opponent1": first,
                "opponent2": second,
            }
        )
        for count, outcome in enumerate(games, 1):
            opponents = _of_game(fixture, outcome, slots)
            is_over = outcome is not None
            self.games.append(
                {
                    "id": len(self.games),
                    "stage_id": stage,
                    "parent_id": match_id,
                    "number": count,
                    "status": int(_Status.COMPLETED if is_over else _Status.LOCKED),
                    "opponent1": opponents[0],
                    "opponent2": opponents[1],
                }
            )

    def slot(self, bot: str | None) -> dict[str, Any]:
        return {"id": None if bot is None else self.bots[bot]}


def _list(rows: _Rows, stage: int, view: StageView) -> None:
    """Add the fixtures of a table, byes among them."""
    groups = sorted({fixture.group for fixture in view.fixtures})
    counts: dict[tuple[int, int], int] = {}
    for fixture in view.fixtures:
        group = groups.index(fixture.group) + 1
        at = counts[group, fixture.round] = counts.get((group, fixture.round), 0) + 1
        slots = [
            None if isinstance(source, Bye) else rows.slot(bot)
            for bot, source in zip(fixture.entrants, fixture.sources, strict=True)
        ]
        rows.add_match((stage, group, fixture.round, at), fixture, slots)


def _draw(
    rows: _Rows, stage: int, view: StageView, bracket_format: Elimination
) -> None:
    """Add a whole bracket, with the places that byes have left out of it."""
    fixtures = {fixture.node: fixture for fixture in view.fixtures}
    winners: dict[str, _Slot] = {}
    losers: dict[str, _Slot] = {}
    for node in _whole(bracket_format, len(view.seats)):
        fixture = fixtures.get(node.key)
        if fixture is None and isinstance(node.a, LoserOf) and node.winner_place:
            # Too few play for a third place, and nobody would have met for it.
            continue
        sides = [_side(rows, side, view, winners, losers) for side in (node.a, node.b)]
        if fixture is None:
            winners[node.key] = next((one for one in sides if one is not None), None)
            losers[node.key] = None
        else:
            sides = [
                None
                if fixture.is_over and bot is None and not _is_unplayed(fixture)
                else rows.slot(bot)
                for bot in fixture.entrants
            ]
            winners[node.key] = _gone(rows, fixture, fixture.winner)
            losers[node.key] = _gone(rows, fixture, loser_of(fixture))
        rows.add_match((stage, *_spot(node)), fixture, sides)


def _is_unplayed(fixture: Fixture) -> bool:
    return fixture.state is FixtureState.NOT_NEEDED


def _gone(rows: _Rows, fixture: Fixture, bot: str | None) -> _Slot:
    """Return who leaves a fixture: somebody, not yet known, or nobody."""
    if bot is None and fixture.is_over:
        return None
    return rows.slot(bot)


def _whole(bracket_format: Elimination, entrants: int) -> Iterator[Node]:
    """Yield all nodes of a bracket, those with byes as well."""
    size = bracket_size(entrants)
    slots = first_slots(entrants, fitting_byes(bracket_format, entrants))
    filled = draw_bracket(replace(bracket_format, byes=None), size).nodes
    for node in filled:
        yield replace(
            node,
            a=_slot_source(node.a, size, slots),
            b=_slot_source(node.b, size, slots),
        )


def _slot_source(side: Source, size: int, slots: Sequence[Source]) -> Source:
    """Return who stands in a first slot: a bye where there is no such seed."""
    if not isinstance(side, Seed):
        return side
    return slots[first_slots(size).index(side)]


def _side(
    rows: _Rows,
    side: Source,
    view: StageView,
    winners: Mapping[str, _Slot],
    losers: Mapping[str, _Slot],
) -> _Slot:
    match side:
        case Seed(number=number):
            return rows.slot(view.seats[number - 1].bot)
        case WinnerOf(node=node):
            return winners[node]
        case LoserOf(node=node):
            return losers[node]
        case _:
            return None if side == BYE else dict(_TO_BE_DECIDED)


def _spot(node: Node) -> tuple[int, int, int]:
    """Return the group, the round and the number of a node."""
    found = _ROUND.fullmatch(node.key)
    if found is None:
        return _CONSOLATION, 1, 1
    return _GROUPS[found[1]], int(found[2]), int(found[3])


def _status(fixture: Fixture | None, slots: Sequence[_Slot]) -> _Status:
    if fixture is None or None in slots:
        return _Status.LOCKED
    known = sum(slot is not None and slot["id"] is not None for slot in slots)
    blocked = _Status.WAITING if known == 1 else _Status.LOCKED
    return _STATUSES.get(fixture.state, blocked)


def _outcomes(fixture: Fixture) -> Iterator[Outcome]:
    for game in fixture.games:
        if game.outcome is not None:
            yield game.outcome


def _told(
    fixture: Fixture | None,
    outcomes: Sequence[Outcome],
    slots: Sequence[_Slot],
    *,
    is_series: bool,
) -> list[_Slot]:
    """Return both sides with what the fixture brought them."""
    result = None if fixture is None else fixture.result
    sides: list[_Slot] = []
    for at, slot in enumerate(slots):
        told = None if slot is None else dict(slot)
        if fixture is not None and told is not None and result is not None:
            bot = fixture.entrants[at]
            told |= _result(fixture, result, bot)
            if outcomes and bot is not None:
                won = sum(outcome.winner == bot for outcome in outcomes)
                told["score"] = won if is_series else _points(outcomes, at)
        sides.append(told)
    return sides


def _result(fixture: Fixture, result: Result, bot: str | None) -> dict[str, Any]:
    if bot is None:
        return {}
    winner = winner_of(result, fixture.entrants)
    if is_forfeit_of(result, bot):
        return {"result": "loss", "forfeit": True}
    if winner is None:
        return {"result": "draw"}
    return {"result": "win" if winner == bot else "loss"}


def _points(outcomes: Sequence[Outcome], at: int) -> int:
    """Return the net points that a side has won: those of its own boards."""
    sign = -1 if at else 1
    return sum(max(0, sign * net) for outcome in outcomes for net in outcome.boards)


def _of_game(
    fixture: Fixture | None, outcome: Outcome | None, slots: Sequence[_Slot]
) -> list[_Slot]:
    if outcome is None:
        return list(slots)
    sides: list[_Slot] = []
    for at, slot in enumerate(slots):
        bot = None if fixture is None else fixture.entrants[at]
        if slot is None or bot is None:
            sides.append(slot)
            continue
        told = {**slot, "score": _points([outcome], at)}
        if bot in outcome.forfeiters:
            told |= {"result": "loss", "forfeit": True}
        elif outcome.winner is not None:
            told["result"] = "win" if outcome.winner == bot else "loss"
        else:
            told["result"] = "draw"
        sides.append(told)
    return sides
