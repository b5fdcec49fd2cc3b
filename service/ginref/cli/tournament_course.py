"""`ginref tournament`: declare one, let bots enter, and send it on its course."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from ginref.cli.organizing import (
    Bot,
    CommandError,
    Name,
    Office,
    Reason,
    Writing,
    json_of,
    writing,
)
from ginref.cli.tournament_change import carry_out
from ginref.tournament.configuration_write import configuration_to_json
from ginref_client.referee import Referee
from ginref_client.tournament import Tournament
from ginref_client.tournament_change import (
    advance,
    close_stage,
    configure,
    disqualify,
    enter,
    issue_codes,
    order_seeds,
    state_name,
    withdraw,
)

File = Annotated[
    Path, typer.Argument(metavar="FILE", help="The tournament's file, in YAML.")
]

_BEFORE_DRAW: Final = {"registration": "seeding", "check_in": "seeding"}


@writing
async def create(office: Office, write: Writing, file: File) -> None:
    """Declare a tournament as its file says; the same file again changes nothing."""
    if write.expect is not None:
        message = "a tournament that is not there has no version to expect"
        raise CommandError(message)
    declared = read_file(file)
    async with office.referee() as referee:
        made = await referee.create_tournament(
            declared, dry_run=write.dry_run, request_id=write.request_id
        )
    if write.as_json:
        office.tell({"dry_run": write.dry_run, **json_of(made)})
        return
    would = "would be declared" if write.dry_run else "is declared"
    office.say(f"{made.tournament_id} {would}: {state_name(made.state)}")
    for stage in made.stages:
        office.say(f"  stage {stage.name}: {stage.format}")
    if not write.dry_run:
        office.say(f"at version {made.version}")


@writing
async def configure_(office: Office, write: Writing, name: Name, file: File) -> None:
    """Change what is declared, before the field is seeded."""
    declared = read_file(file)
    await carry_out(office, write, name, lambda _: configure(declared))


@writing
async def codes(
    office: Office,
    write: Writing,
    name: Name,
    count: Annotated[int, typer.Argument(min=1, max=1000, metavar="COUNT")],
) -> None:
    """Issue codes to enter with. They are shown now and kept nowhere.

    The same `--request-id` again gives the same codes.
    """
    changed = await carry_out(office, write, name, lambda _: issue_codes(count))
    if not write.as_json:
        for code in changed.codes:
            office.say(code)


@writing
async def enter_(
    office: Office,
    write: Writing,
    name: Name,
    bot: Annotated[
        str,
        typer.Argument(
            metavar="[BOT]", help="The bot; by default the one of your token."
        ),
    ] = "",
    code: Annotated[
        str, typer.Option(metavar="TEXT", help="A code to enter with.")
    ] = "",
) -> None:
    """Let a bot enter; it checks in by itself while `ginref connect` is at work."""
    await carry_out(office, write, name, lambda _: enter(bot, code), is_plain=True)


@writing
async def withdraw_(
    office: Office,
    write: Writing,
    name: Name,
    bot: Annotated[
        str,
        typer.Argument(
            metavar="[BOT]", help="The bot; by default the one of your token."
        ),
    ] = "",
    reason: Reason = "",
) -> None:
    """Take a bot out, at its own wish. What it has not played is forfeited."""
    await carry_out(office, write, name, lambda _: withdraw(bot, reason), is_plain=True)


@writing
async def disqualify_(  # noqa: PLR0913, PLR0917 - one parameter for each option
    office: Office,
    write: Writing,
    name: Name,
    bot: Bot,
    reason: Reason,
    void_results: Annotated[
        bool, typer.Option("--void-results", help="Its results count no more.")
    ] = False,
) -> None:
    """Send a bot out."""
    await carry_out(
        office,
        write,
        name,
        lambda _: disqualify(bot, reason, void_results=void_results),
    )


@writing
async def seed(
    office: Office,
    write: Writing,
    name: Name,
    bots: Annotated[list[str], typer.Argument(metavar="BOT...", help="All, by seed.")],
) -> None:
    """Change the seeds that were drawn, before the start."""
    await carry_out(office, write, name, lambda _: order_seeds(bots))


@writing
async def close(
    office: Office,
    write: Writing,
    name: Name,
    stage: Annotated[str, typer.Argument(metavar="STAGE", help="The ladder.")],
) -> None:
    """Close a ladder that would go on."""
    await carry_out(office, write, name, lambda _: close_stage(stage))


@writing
async def start(
    office: Office, write: Writing, name: Name, reason: Reason = ""
) -> None:
    """Freeze the roster, wait for the draw, and let the matches begin.

    Bots that have not checked in are out. Whoever has committed to a share reveals it
    before the draw, or is out.
    """
    async with office.referee() as referee:
        seen = await referee.get_tournament(name)
        first = _BEFORE_DRAW.get(state_name(seen.state))
        if first is not None:
            # The request as a whole is the one that starts.
            request_id = write.request_id and f"{write.request_id}/draw"
            freeze = replace(write, request_id=request_id)
            await carry_out(office, freeze, name, lambda _: advance(first, reason))
            if write.dry_run:
                return
            # What was looked at is what the roster was frozen from.
            write = replace(write, expect=None)
        if not write.dry_run:
            await _wait_for_draw(referee, name)
    await carry_out(office, write, name, lambda _: advance("running", reason))


async def _wait_for_draw(referee: Referee, name: str) -> None:
    """Wait until the field is seeded.

    Raises:
        CommandError: It never will be.
    """
    seen = await referee.get_tournament(name)
    if _waits_for_draw(seen):
        async for _ in referee.watch_tournament(name, seen.version):
            seen = await referee.get_tournament(name)
            if not _waits_for_draw(seen):
                break
    if state_name(seen.state) == "cancelled":
        message = f"{name} is cancelled: not enough bots are there to play"
        raise CommandError(message)


def _waits_for_draw(seen: Tournament) -> bool:
    drawn = any(entrant.HasField("seed") for entrant in seen.entrants)
    return state_name(seen.state) == "seeding" and not drawn


def sends(verb: str, to: str, doc: str) -> Callable[..., None]:
    """Return the command that sends a tournament on."""

    async def send(
        office: Office, write: Writing, name: Name, reason: Reason = ""
    ) -> None:
        await carry_out(office, write, name, lambda _: advance(to, reason))

    send.__name__, send.__doc__ = verb, doc
    return writing(send)


VERBS: Final = {
    "open": sends("open", "registration", "Open the registration: bots enter."),
    "check-in": sends("check-in", "check_in", "Call the bots to check in."),
    "pause": sends(
        "pause", "paused", "Begin no new match; those that go on are played."
    ),
    "resume": sends("resume", "running", "Go on after a pause."),
    "finish": sends("finish", "finished", "Make the standings final."),
    "cancel": sends("cancel", "cancelled", "Give a tournament up; matches are ended."),
    "archive": sends("archive", "archived", "Only keep a finished tournament."),
}
"""Commands that send a tournament on, by their word."""


def read_file(file: Path) -> dict[str, Any]:
    """Read a tournament's file, with all that it leaves out.

    Raises:
        CommandError: It declares none: line and field are named.
        OSError: It cannot be read.
    """
    # YAML is read by what comes with ginref[server].
    from ginref.adapters.tournament_file import (  # noqa: PLC0415
        TournamentFileError,
        read_tournament,
    )

    try:
        declared = read_tournament(file.read_bytes())
    except TournamentFileError as error:
        message = f"{file}: {error}"
        raise CommandError(message) from None
    return configuration_to_json(declared.configuration)
