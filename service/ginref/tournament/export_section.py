"""The parts of an export that follow from configuration and log, as JSON.

They are there for readers: nobody needs the rules to read them. Whoever verifies an
export works them out anew and compares.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from ginref.tournament.audit import Audit
from ginref.tournament.configuration import Configuration
from ginref.tournament.configuration_write import configuration_to_json
from ginref.tournament.event import SecretOpened
from ginref.tournament.export_figure import figures
from ginref.tournament.final_ranking import final_ranking
from ginref.tournament.fixture import Fixture
from ginref.tournament.ledger import Game, Ledger
from ginref.tournament.log import LogEntry
from ginref.tournament.plan import Plan, plan
from ginref.tournament.qualifying import deal_secret, qualifying_state
from ginref.tournament.shape import to_json
from ginref.tournament.stage_view import StageView


def derived_sections(
    configuration: Configuration, entries: Sequence[LogEntry], audited: Audit
) -> dict[str, Any]:
    """Return all that follows, by name."""
    # Nothing that is shown depends on when it is looked at.
    planned = plan(configuration, entries, entries[-1].time_ms)
    ledger = planned.ledger
    opened = opened_secret(entries)
    return {
        "tournament": ledger.tournament,
        "lifecycle": str(ledger.lifecycle),
        "entrants": list(_entrants(ledger)),
        "chance": _chance(ledger, opened),
        "stages": [_stage(planned, view) for view in planned.stages],
        "matches": list(_matches(ledger, audited, opened)),
        "ranking": [to_json(placing) for placing in final_ranking(planned)],
        "interventions": [to_json(one) for one in audited.interventions],
        "attempts": [to_json(one) for one in audited.attempts],
        "missing": list(audited.missing),
    }


def opened_secret(entries: Sequence[LogEntry]) -> SecretOpened | None:
    """Return what has opened the tournament's secret, if it is open."""
    return next(
        (entry.event for entry in entries if isinstance(entry.event, SecretOpened)),
        None,
    )


def opened_boards(tournament: str, opened: SecretOpened, deal: str) -> bytes:
    """Return the match secret of a deal, as it follows from what was opened."""
    secret = bytes.fromhex(opened.secret)
    share = bytes.fromhex(opened.share or "")
    return deal_secret(tournament, secret, share, deal)


def _entrants(ledger: Ledger) -> Iterator[dict[str, Any]]:
    """Yield who has entered: who plays by seed, then the others in order of entry."""
    seeds = {bot: at for at, bot in enumerate(ledger.order, 1)}
    others = [bot for bot in ledger.entrants if bot not in seeds]
    for bot in [*seeds, *others]:
        entrant, left = ledger.entrants[bot], ledger.departures.get(bot)
        facts = {
            "bot": bot,
            "owner": entrant.owner,
            "seed": seeds.get(bot),
            "round": entrant.round,
            "is_checked_in": entrant.is_checked_in,
            "latency": entrant.latency,
            "departure": None if left is None else to_json(left),
        }
        state = qualifying_state(ledger, bot)
        if state is not None:
            facts["qualifying"] = str(state)
        yield facts


def _chance(ledger: Ledger, opened: SecretOpened | None) -> dict[str, Any]:
    """Return what the draw follows from."""
    return {
        "referee_commitment": ledger.referee,
        "referee_share": None if opened is None else opened.share,
        "shares": [
            {
                "bot": entrant.bot,
                "commitment": entrant.commitment,
                "share": ledger.shares.get(entrant.bot),
            }
            for entrant in ledger.entrants.values()
            if entrant.commitment is not None
        ],
        "commitment": ledger.commitment,
        "secret": None if opened is None else opened.secret,
        "lots": ledger.lots or None,
    }


def _stage(planned: Plan, view: StageView) -> dict[str, Any]:
    ledger = planned.ledger
    stages = configuration_to_json(ledger.configuration)["stages"]
    (declared,) = (one for one in stages if one["name"] == view.stage.name)
    return {
        "name": view.stage.name,
        "format": declared["format"],
        "closed": None if view.closing is None else view.closing.sequence,
        "entrants": [seat.bot for seat in view.seats],
        "fixtures": [_fixture(fixture) for fixture in view.fixtures],
        **figures(planned, view),
    }


def _fixture(fixture: Fixture) -> dict[str, Any]:
    is_corrected = fixture.onward != fixture.result
    return {
        "id": fixture.fixture_id or None,
        "node": fixture.node,
        "group": fixture.group,
        "round": fixture.round,
        "sources": [str(source) for source in fixture.sources],
        "entrants": list(fixture.entrants),
        "state": str(fixture.state),
        "attempt": fixture.attempt,
        "best_of": fixture.match.best_of,
        "result": _union(fixture.result),
        "goes_on": _union(fixture.onward) if is_corrected else None,
        "winner": fixture.winner,
        "decided": fixture.decided or None,
        "games": [_game(game) for game in fixture.games],
    }


def _union(value: object) -> Any:  # noqa: ANN401 - JSON
    return None if value is None else to_json(value, is_named=True)


def _game(game: Game) -> dict[str, Any]:
    return {
        "game": game.number,
        "match": game.match,
        "ended": game.ended,
        "outcome": None if game.outcome is None else to_json(game.outcome),
        "record": game.record,
    }


def _matches(
    ledger: Ledger, audited: Audit, opened: SecretOpened | None
) -> Iterator[dict[str, Any]]:
    """Yield every match that was created, those that count for nothing as well."""
    games = {game.match: game for played in ledger.games.values() for game in played}
    for logged in audited.matches:
        order, game = logged.order, games[logged.match]
        secret = None
        if opened is not None:
            secret = opened_boards(ledger.tournament, opened, order.deal).hex()
        yield {
            "match": logged.match,
            "created": logged.sequence,
            "stage": logged.stage,
            "node": logged.node,
            "fixture": order.fixture,
            "attempt": order.attempt,
            "bots": list(order.bots),
            "first": logged.first,
            "deal": order.deal,
            "commitment": logged.commitment,
            "secret": secret,
            **_game(game),
        }
