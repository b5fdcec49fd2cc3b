"""`ginref bot`: the bots of a referee, and whose they are."""

from typing import Annotated

import typer

from ginref.cli.handing_out import To, check_place, hand_over, moment, show
from ginref.cli.organizing import AsJson, Bot, Office, json_of, online

app = typer.Typer(
    help="Add and list the bots of a referee.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@online
async def new(
    office: Office,
    bot: Bot,
    owner: Annotated[
        str | None,
        typer.Option(help="Whose it is, added if need be; else one of its name."),
    ] = None,
    to: To = None,
    as_json: AsJson = False,
) -> None:
    """Add a bot, make a token for it, and print the token's secret.

    A bot that is there already, of the same owner, gets one more token.
    """
    check_place(to)
    async with office.referee() as referee:
        await referee.create_owner(owner or bot)
        row = await referee.create_bot(bot, owner or bot)
        made = await referee.create_token("bot", bot=bot)
    facts = {"bot": json_of(row), "token": json_of(made.token)}
    hand_over(office, made.secret, to, facts if as_json else None)


@online
async def list_(office: Office, as_json: AsJson = False) -> None:
    """List bots by name."""
    async with office.referee() as referee:
        bots = await referee.list_bots()
    if as_json:
        for row in bots:
            office.tell(json_of(row))
        return
    rows = [
        (
            row.name,
            row.owner,
            "house" if row.house else "yes" if row.accepts_challenges else "no",
            "yes" if row.HasField("public_key") else "no",
            moment(row.create_time),
        )
        for row in bots
    ]
    show(office, rows, "bot", "owner", "challenges", "key", "added")


app.command("new")(new)
app.command("list")(list_)
