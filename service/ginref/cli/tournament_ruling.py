"""`ginref tournament`: what an organizer decides about fixtures, rounds and appeals."""

import secrets
from typing import Annotated

import typer

from ginref.cli.organizing import (
    CommandError,
    Name,
    Office,
    Reason,
    Writing,
    writing,
)
from ginref.cli.tournament_change import carry_out, find_fixture
from ginref_client.tournament import Tournament
from ginref_client.tournament_change import (
    MODES,
    Change,
    GivenResult,
    award,
    change_tie_breaks,
    correct,
    decide_appeal,
    file_appeal,
    pair_round,
    requeue,
)

_PAIR = 2

Fixture = Annotated[
    str,
    typer.Argument(
        metavar="FIXTURE", help="Its identity or place, such as W1.2 or main/W1.2."
    ),
]
Stage = Annotated[str, typer.Argument(metavar="STAGE", help="The stage.")]
Given = Annotated[
    str,
    typer.Argument(
        metavar="RESULT",
        help="won:BOT, drawn, forfeited:BOT, double-forfeited, void or void:BOT "
        "(who goes on).",
    ),
]


@writing
async def award_(  # noqa: PLR0913, PLR0917 - one parameter for each option
    office: Office,
    write: Writing,
    name: Name,
    fixture: Fixture,
    given: Given,
    reason: Reason,
) -> None:
    """Decide a fixture that is not decided yet."""
    result = _result(given)

    def change(seen: Tournament) -> Change:
        found = find_fixture(seen, fixture)
        return award(found.fixture_id, found.attempt, result, reason)

    await carry_out(office, write, name, change)


@writing
async def correct_(  # noqa: PLR0913, PLR0917 - one parameter for each option
    office: Office,
    write: Writing,
    name: Name,
    fixture: Fixture,
    given: Given,
    reason: Reason,
    mode: Annotated[
        str,
        typer.Option(
            metavar="MODE",
            help="What becomes of fixtures that follow: strict (refused if one has "
            "started), reset-dependents (played again), record-only (untouched).",
        ),
    ] = "strict",
) -> None:
    """Correct the result of a fixture."""
    named = mode.replace("-", "_")
    if named not in MODES:
        known = ", ".join(one.replace("_", "-") for one in MODES)
        message = f"{mode} is none of {known}"
        raise CommandError(message)
    result = _result(given)

    def change(seen: Tournament) -> Change:
        found = find_fixture(seen, fixture)
        return correct(found.fixture_id, found.attempt, result, reason, named)

    await carry_out(office, write, name, change)


@writing
async def requeue_(
    office: Office, write: Writing, name: Name, fixture: Fixture, reason: Reason
) -> None:
    """Play a fixture again, as another attempt."""

    def change(seen: Tournament) -> Change:
        found = find_fixture(seen, fixture)
        return requeue(found.fixture_id, found.attempt, reason)

    await carry_out(office, write, name, change)


@writing
async def pair(  # noqa: PLR0913, PLR0917 - one parameter for each option
    office: Office,
    write: Writing,
    name: Name,
    stage: Stage,
    number: Annotated[
        int, typer.Argument(min=1, metavar="ROUND", help="The round, from 1.")
    ],
    pairs: Annotated[
        list[str], typer.Argument(metavar="BOT:BOT...", help="Who meets, by table.")
    ],
    reason: Reason,
    bye: Annotated[str, typer.Option(metavar="BOT", help="Who sits out.")] = "",
) -> None:
    """Pair the next round of a Swiss stage otherwise than by the rules."""
    tables = [tuple(table.split(":")) for table in pairs]
    for at, table in enumerate(tables):
        if len(table) != _PAIR:
            message = f"{pairs[at]}: two bots with a colon in between expected"
            raise CommandError(message)
    await carry_out(
        office,
        write,
        name,
        lambda _: pair_round(
            stage,
            number,
            [(table[0], table[1]) for table in tables],
            bye=bye,
            reason=reason,
        ),
    )


@writing
async def appeal(  # noqa: PLR0913, PLR0917 - one parameter for each option
    office: Office,
    write: Writing,
    name: Name,
    fixture: Fixture,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What is said.")],
    bot: Annotated[
        str,
        typer.Option(metavar="BOT", help="The bot; by default that of your token."),
    ] = "",
    appeal_id: Annotated[
        str,
        typer.Option("--id", metavar="ID", help="A name for it; one is made up."),
    ] = "",
) -> None:
    """Appeal against the result of a fixture."""
    named = appeal_id or f"a-{secrets.token_hex(4)}"

    def change(seen: Tournament) -> Change:
        return file_appeal(named, find_fixture(seen, fixture).fixture_id, text, bot)

    await carry_out(office, write, name, change, is_plain=True)
    if not write.as_json:
        office.say(f"appeal {named}")


@writing
async def decide(  # noqa: PLR0913, PLR0917 - one parameter for each option
    office: Office,
    write: Writing,
    name: Name,
    appeal_id: Annotated[str, typer.Argument(metavar="APPEAL", help="The appeal.")],
    reason: Reason,
    upheld: Annotated[
        bool,
        typer.Option(
            "--upheld/--rejected",
            help="Whether it is right; a correction is a command of its own.",
        ),
    ],
) -> None:
    """Decide an appeal."""
    await carry_out(
        office, write, name, lambda _: decide_appeal(appeal_id, reason, upheld=upheld)
    )


@writing
async def tie_breaks(  # noqa: PLR0913, PLR0917 - one parameter for each option
    office: Office,
    write: Writing,
    name: Name,
    stage: Stage,
    criteria: Annotated[
        list[str], typer.Argument(metavar="CRITERION...", help="First to last.")
    ],
    reason: Reason,
) -> None:
    """Change what decides between equal scores."""
    await carry_out(
        office, write, name, lambda _: change_tie_breaks(stage, criteria, reason)
    )


def _result(given: str) -> GivenResult:
    """Read a result.

    Raises:
        CommandError: It is none.
    """
    kind, _, bot = given.partition(":")
    match kind, bool(bot):
        case "won", True:
            return GivenResult(won=bot)
        case "forfeited", True:
            return GivenResult(forfeited=bot)
        case "void", _:
            return GivenResult(voided=bot)
        case "drawn", False:
            return GivenResult(drawn=True)
        case "double-forfeited", False:
            return GivenResult(double_forfeited=True)
        case _:
            pass
    message = (
        f"{given}: won:BOT, drawn, forfeited:BOT, double-forfeited, void or void:BOT "
        "expected"
    )
    raise CommandError(message)
