"""Who plays: the entrants that have a place, in the order of their seeds."""

from collections.abc import Mapping, Sequence

from ginref.engine.deck import draw_lots
from ginref.tournament.configuration import EntryBy, EntryRules, Seeding
from ginref.tournament.error import FieldError
from ginref.tournament.ledger import Entrant, Ledger
from ginref.tournament.lifecycle import ENTRY, Lifecycle
from ginref.tournament.qualifying import may_play


def present(ledger: Ledger) -> tuple[Entrant, ...]:
    """Return who has entered and not left, in order of entry."""
    return tuple(
        entrant
        for entrant in ledger.entrants.values()
        if entrant.bot not in ledger.departures
    )


def with_place(ledger: Ledger) -> tuple[Entrant, ...]:
    """Return who has a place: the first ones up to the capacity.

    Once the call to check in is over, only those count who have answered it, and have
    qualified.
    """
    rules = ledger.configuration.entry
    candidates = present(ledger)
    if rules.check_in and ledger.lifecycle not in ENTRY:
        candidates = tuple(
            one for one in candidates if one.is_checked_in and may_play(ledger, one.bot)
        )
    return candidates[: rules.capacity]


def waiting(ledger: Ledger) -> tuple[Entrant, ...]:
    """Return who waits for a place, in order."""
    placed = {entrant.bot for entrant in with_place(ledger)}
    return tuple(one for one in present(ledger) if one.bot not in placed)


def needs_seeds(ledger: Ledger) -> bool:
    """Say whether the field is to be seeded: for the first time, or as it changed."""
    placed = {entrant.bot for entrant in with_place(ledger)}
    return ledger.lifecycle is Lifecycle.SEEDING and placed != set(ledger.order)


def unrevealed(ledger: Ledger) -> tuple[str, ...]:
    """Return who has a place and has not revealed the share it committed to."""
    return tuple(
        entrant.bot
        for entrant in with_place(ledger)
        if entrant.commitment is not None and entrant.bot not in ledger.shares
    )


def roster_ms(ledger: Ledger) -> int:
    """Return when the roster became what it is; whoever moved up is called from then.

    Before the start nobody plays but to qualify.
    """
    changes = [departure.sequence for departure in ledger.departures.values()]
    changes += [
        game.ended for games in ledger.games.values() for game in games if game.ended
    ]
    return max([ledger.since_ms, *map(ledger.time_ms, changes)])


def seed_order(ledger: Ledger, lots: bytes) -> tuple[str, ...]:
    """Return the order of seeds that the rules of entry give.

    Args:
        ledger: What has happened; the call to check in is over.
        lots: The secret of all lots.
    """
    bots = [entrant.bot for entrant in with_place(ledger)]
    rules = ledger.configuration.entry
    match rules.seeding:
        case Seeding.ENTRY:
            return tuple(bots)
        case Seeding.GIVEN:
            seeds = {listed.bot: listed.seed or 0 for listed in rules.listed}
            last = len(seeds) + 1
            return tuple(sorted(bots, key=lambda bot: seeds.get(bot, last)))
        case Seeding.DRAW:
            return by_lot(lots, bots)


def by_lot(lots: bytes, bots: Sequence[str]) -> tuple[str, ...]:
    """Return bots in an order drawn by lot, whatever order they come in."""
    named = sorted(bots)
    return tuple(named[at] for at in draw_lots(lots, len(named)))


def is_welcome(ledger: Ledger, bot: str) -> bool:
    """Say whether the rules let a bot in without a code."""
    rules = ledger.configuration.entry
    listed = {one.bot for one in rules.listed}
    return (
        rules.by is EntryBy.OPEN
        or bot in listed
        or (rules.by is EntryBy.INVITATION and bot in rules.invited)
    )


def refuse_absent(rules: EntryRules, owners: Mapping[str, str]) -> None:
    """Refuse to name bots that are not there: somebody else could take the name.

    Args:
        rules: Who may enter.
        owners: The owner of each bot that there is, by name.

    Raises:
        FieldError: There is no such bot, or it has another owner.
    """
    listed = {f"listed[{at}].bot": one.bot for at, one in enumerate(rules.listed)}
    invited = {f"invited[{at}]": bot for at, bot in enumerate(rules.invited)}
    for place, bot in (listed | invited).items():
        if bot not in owners:
            raise FieldError(f"entry.{place}", f"there is no bot {bot}: add it first")
    for at, one in enumerate(rules.listed):
        if owners[one.bot] != one.owner:
            what = f"{one.bot} belongs to {owners[one.bot]}, not to {one.owner}"
            raise FieldError(f"entry.listed[{at}].owner", what)
