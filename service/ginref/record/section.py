"""The parts of a match record that follow from its setup and entries, as JSON.

They are there for readers: a program that only shows results need not play the
match again. Whoever verifies a record works them out anew and compares.
"""

from collections.abc import Sequence
from typing import Any

from ginref.engine.match import Match
from ginref.engine.phase import Showdown
from ginref.engine.seat import Seat
from ginref.engine.sheet import Game
from ginref.record.lifecycle import MatchState
from ginref.record.replay import PlayedRound, Replay
from ginref.record.share import mix


def derived_sections(replay: Replay) -> dict[str, Any]:
    """Return openings, rounds, sheet, ending, clocks and strikes by name."""
    state = replay.state
    return {
        "openings": _openings(state),
        "rounds": [_round(played) for played in replay.rounds],
        "sheet": None if state.match is None else _sheet(state.match),
        "ending": _ending(state),
        "clocks": [
            {"seat": str(seat), "bank_ms": replay.clock.banks_ms[seat]}
            for seat in state.setup.seats
        ],
        "strikes": list(state.strikes),
    }


def _openings(state: MatchState) -> dict[str, Any]:
    setup = state.setup
    secret, first_dealer = None, None
    if state.match is not None:
        history = state.match.history
        first_dealer = history[0].dealer if history else state.match.dealer
        secret = setup.fixed_secret or mix(
            setup.match_id, setup.referee_share, state.shares
        )
    return {
        "referee_share": setup.referee_share.hex(),
        "seed": setup.seed,
        "secret": None if secret is None else secret.hex(),
        "first_dealer": _seat(first_dealer),
    }


def _round(played: PlayedRound) -> dict[str, Any]:
    summary = played.summary
    facts = {
        "number": summary.number,
        "dealer": str(summary.dealer),
        "first_upcard": str(played.first_upcard),
        "knock_limit": played.knock_limit,
        "multiplier": played.multiplier,
        "outcome": str(summary.outcome),
        "winner": _seat(summary.winner),
        "points": summary.points,
        "columns": list(summary.columns),
    }
    if summary.idle is not None:
        facts["idle"] = str(summary.idle)
    if played.showdown is not None:
        facts["showdown"] = _showdown(played.showdown)
    return facts


def _showdown(showdown: Showdown) -> dict[str, Any]:
    laid, spread = showdown.arrangement, showdown.spread
    return {
        "knocker": str(showdown.knocker),
        "discard": None if showdown.discard is None else str(showdown.discard),
        "melds": [str(meld.cards) for meld in laid.melds],
        "deadwood": str(laid.deadwood),
        "defender_melds": [str(meld.cards) for meld in spread.melds],
        "layoffs": [[str(layoff.card), layoff.meld] for layoff in spread.layoffs],
        "defender_deadwood": str(spread.deadwood),
    }


def _sheet(match: Match) -> dict[str, Any]:
    sheet = match.sheet
    return {
        "games": [_game(game) for game in sheet.games],
        "wins": list(sheet.wins),
        "games_won": list(sheet.games_won),
        "points": list(sheet.points),
    }


def _game(game: Game) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "entries": [
            [[entry.round_number, entry.points] for entry in column]
            for column in game.entries
        ],
        "totals": list(game.totals),
        "winner": _seat(game.winner),
        "closed_in_round": game.closed_in_round,
    }
    if game.settlement is not None:
        facts["settlement"] = {
            "totals": list(game.settlement.totals),
            "balances": list(game.settlement.balances),
        }
    return facts


def _ending(state: MatchState) -> dict[str, Any] | None:
    ending = state.ending
    if ending is None:
        return None
    return {
        "kind": str(ending.kind),
        "winner": _seat(ending.winner),
        "fault": str(ending.fault),
        "seats_at_fault": _seats(ending.seats_at_fault),
    }


def _seats(seats: Sequence[Seat]) -> list[str]:
    return [str(seat) for seat in seats]


def _seat(seat: Seat | None) -> str | None:
    return None if seat is None else str(seat)
