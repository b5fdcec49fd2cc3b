"""What a tournament asks a bot for before the start."""

from ginref.app.live_tournament import LiveTournament
from ginref.app.tournament_report import Summons, SummonsKind
from ginref.tournament.ledger import Ledger
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.roster import present, roster_ms, unrevealed


def summons_of(live: LiveTournament, bot: str) -> Summons | None:
    """Return what a tournament asks a bot for now, if anything."""
    if bot not in awaited(live.ledger):
        return None
    ledger = live.ledger
    checks_in = ledger.lifecycle is Lifecycle.CHECK_IN
    if checks_in:
        limit_ms, called_ms = ledger.configuration.schedule.check_in_ms, ledger.since_ms
    else:
        limit_ms = ledger.configuration.stages[0].match.clock.start_ms
        called_ms = roster_ms(ledger)
    return Summons(
        tournament=live.name,
        kind=SummonsKind.COMMITMENT if checks_in else SummonsKind.SHARE,
        deadline_ms=None if limit_ms is None else called_ms + limit_ms,
        referee_commitment=ledger.referee,
        head=live.head,
    )


def awaited(ledger: Ledger) -> tuple[str, ...]:
    """Return the bots that a tournament waits for."""
    if ledger.lifecycle is Lifecycle.CHECK_IN:
        return tuple(one.bot for one in present(ledger) if not one.is_checked_in)
    if ledger.lifecycle is Lifecycle.SEEDING and not ledger.seeded:
        return unrevealed(ledger)
    return ()
