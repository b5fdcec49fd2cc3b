"""How a command changes a tournament: what it has looked at, and what comes of it."""

from collections.abc import Callable, Iterator
from typing import Final

from ginref.cli.organizing import CommandError, Office, Writing, json_of
from ginref_client.error import RefusedError
from ginref_client.referee import Referee
from ginref_client.tournament import Changed, Fixture, Tournament
from ginref_client.tournament_change import Change, state_name

_SHOWN: Final = 20
"""Differences that people are shown; programs get all of them."""

_STALE: Final = "TOURNAMENT_STALE"

_ATTEMPTS: Final = 10


async def carry_out(
    office: Office,
    write: Writing,
    name: str,
    change_of: Callable[[Tournament], Change],
    *,
    is_plain: bool = False,
) -> Changed:
    """Look at a tournament, change it, and show what has changed.

    Args:
        office: Where the command works.
        write: How the change is asked for.
        name: The tournament.
        change_of: Returns the change, by what was looked at.
        is_plain: It is the same whatever else happens: many may ask for such at once,
            so it is looked at again when somebody was faster.

    Raises:
        ClientError: The referee refuses, or does not answer.
        CommandError: There is no such change.
    """
    attempts = _ATTEMPTS if is_plain and write.expect is None else 1
    async with office.referee() as referee:
        seen, version, changed = await _change(
            referee, write, name, change_of, attempts
        )
    if write.as_json:
        office.tell({"dry_run": write.dry_run, **json_of(changed)})
    else:
        for line in told(seen, changed, version, dry_run=write.dry_run):
            office.say(line)
    return changed


async def _change(
    referee: Referee,
    write: Writing,
    name: str,
    change_of: Callable[[Tournament], Change],
    attempts: int,
) -> tuple[Tournament, int, Changed]:
    """Return what was looked at, its version, and what the change has done."""
    while True:
        attempts -= 1
        seen = await referee.get_tournament(name)
        version = seen.version if write.expect is None else write.expect
        try:
            changed = await referee.change_tournament(
                name,
                change_of(seen),
                expected_version=version,
                dry_run=write.dry_run,
                request_id=write.request_id,
            )
        except RefusedError as error:
            if error.reason != _STALE or not attempts:
                raise
        else:
            return seen, version, changed


def told(
    seen: Tournament, changed: Changed, version: int, *, dry_run: bool
) -> Iterator[str]:
    """Yield what has changed, or would, for people."""
    yield f"{seen.tournament_id}: version {version}, {state_name(seen.state)}"
    for one in changed.differences[:_SHOWN]:
        yield f"  {one.path}: {one.before or 'nothing'} -> {one.after or 'nothing'}"
    if len(changed.differences) > _SHOWN:
        yield f"  and {len(changed.differences) - _SHOWN} more"
    if changed.unchanged:
        yield "nothing changes: it is so already" if dry_run else "it was so already"
    elif dry_run:
        yield "nothing was changed: this is what would be"
    else:
        yield f"now at version {changed.version}"


def find_fixture(seen: Tournament, named: str) -> Fixture:
    """Return a fixture by its identity, its place, or its stage and place.

    Raises:
        CommandError: There is none, or more than one.
    """
    found = [
        fixture
        for stage in seen.stages
        for fixture in stage.fixtures
        if named in {fixture.fixture_id, fixture.node, f"{stage.name}/{fixture.node}"}
    ]
    if not found:
        message = f"there is no fixture {named}; `status` lists them"
        raise CommandError(message)
    if len(found) > 1:
        message = f"more than one stage has {named}: name it as STAGE/{named}"
        raise CommandError(message)
    if not found[0].fixture_id:
        message = f"who plays {named} is not known yet, or nobody does"
        raise CommandError(message)
    return found[0]
