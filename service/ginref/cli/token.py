"""`ginref token`: who may come in, as what, and until when."""

import datetime as dt
from typing import Annotated, Final

import typer

from ginref.app.caller import Role
from ginref.cli.handing_out import (
    OVERLAP,
    Lifetime,
    To,
    check_place,
    hand_over,
    lifetime_seconds,
    moment,
    seconds,
    show,
)
from ginref.cli.organizing import AsJson, Office, json_of, online
from ginref_client.registry import Token as Row
from ginref_client.registry import role_name

app = typer.Typer(
    help="Make, list, rotate and revoke the tokens that a referee is called with.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Token = Annotated[
    str, typer.Argument(metavar="TOKEN-ID", help="The token, as `list` names it.")
]

_OVERLAP: Final = "1h"


@online
async def new(  # noqa: PLR0913, PLR0917 - one parameter for each option
    office: Office,
    role: Annotated[Role, typer.Argument(help="What its bearer may do.")],
    bot: Annotated[
        str | None, typer.Option(help="The bot it plays as, for a bot's token.")
    ] = None,
    match: Annotated[
        list[str] | None,
        typer.Option(metavar="MATCH-ID", help="Limit it to this match, or these."),
    ] = None,
    tournament: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Limit it to this tournament, or these.",
        ),
    ] = None,
    lifetime: Lifetime = None,
    to: To = None,
    as_json: AsJson = False,
) -> None:
    """Make a token, and print its secret, which is not shown again.

    It may do no more than your own, and works no longer. Without --lifetime it works as
    long as yours.
    """
    lasts = lifetime_seconds(lifetime)
    check_place(to)
    async with office.referee() as referee:
        made = await referee.create_token(
            role.value,
            bot=bot,
            match_ids=match or (),
            tournament_ids=tournament or (),
            lifetime=lasts,
        )
    facts = {"token": json_of(made.token)} if as_json else None
    hand_over(office, made.secret, to, facts)


@online
async def list_(
    office: Office,
    all_: Annotated[
        bool, typer.Option("--all", help="Also those that do not work any more.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List tokens: whose they are, and until when they work. Secrets are not kept."""
    async with office.referee() as referee:
        tokens = await referee.list_tokens()
    tokens.sort(key=lambda token: token.create_time.ToNanoseconds())
    shown = [token for token in tokens if all_ or _state(token) == "works"]
    if as_json:
        for token in shown:
            office.tell({**json_of(token), "state": _state(token)})
        return
    rows = [
        (
            token.token_id,
            role_name(token),
            token.bot,
            _limits(token),
            moment(token.create_time),
            moment(token.expire_time) if token.HasField("expire_time") else "never",
            _state(token),
        )
        for token in shown
    ]
    columns = ("token", "role", "bot", "reaches", "made", "ends", "state")
    show(office, rows, *columns)


@online
async def rotate(  # noqa: PLR0913, PLR0917 - one parameter for each option
    office: Office,
    token: Token,
    overlap: Annotated[
        str,
        typer.Option(metavar="TIME", help="How long the other one goes on working."),
    ] = _OVERLAP,
    lifetime: Lifetime = None,
    to: To = None,
    as_json: AsJson = False,
) -> None:
    """Make a token in place of another one, and print its secret.

    It has the same role, bot and limits, and works as long as the other one did when
    it was made, unless --lifetime says more. One that has expired is renewed.
    """
    lasts = lifetime_seconds(lifetime)
    overlaps = seconds(overlap, "--overlap", OVERLAP)
    check_place(to)
    async with office.referee() as referee:
        made = await referee.rotate_token(token, overlap=overlaps, lifetime=lasts)
    rows = {"token": json_of(made.token), "replaced": json_of(made.replaced)}
    hand_over(office, made.secret, to, rows if as_json else None)


@online
async def revoke(office: Office, token: Token, as_json: AsJson = False) -> None:
    """Revoke a token for good; what it has open ends within seconds."""
    async with office.referee() as referee:
        row = await referee.revoke_token(token)
    if as_json:
        office.tell(json_of(row))
    else:
        office.say(
            f"{row.token_id}: {role_name(row)}, revoked {moment(row.revoke_time)}"
        )


def _limits(token: Row) -> str:
    named = [f"match {one}" for one in token.match_ids]
    named += [f"tournament {one}" for one in token.tournament_ids]
    return ", ".join(named) or "all"


def _state(token: Row) -> str:
    if token.HasField("revoke_time"):
        return "revoked"
    if token.HasField("expire_time"):
        end = token.expire_time.ToDatetime(dt.UTC)
        if end <= dt.datetime.now(dt.UTC):
            return "expired"
    return "works"


app.command("new")(new)
app.command("list")(list_)
app.command("rotate")(rotate)
app.command("revoke")(revoke)
