"""`ginref invite`: codes by which strangers bring bots."""

import datetime as dt
from typing import Annotated

import typer

from ginref.cli.handing_out import Lifetime, lifetime_seconds, moment, show
from ginref.cli.organizing import AsJson, Office, json_of, online
from ginref_client.registry import Invitation as Row

app = typer.Typer(
    help="Invite others: codes by which `ginref join` makes a bot and its token.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Invitation = Annotated[
    str,
    typer.Argument(metavar="INVITATION-ID", help="The one, as `list` names it."),
]


@online
async def new(
    office: Office,
    uses: Annotated[
        int, typer.Option(min=1, max=100, help="Most bots that may come by it.")
    ] = 1,
    owner: Annotated[
        str | None,
        typer.Option(help="Owner of the bots; else each gets one of its own name."),
    ] = None,
    lifetime: Lifetime = "1d",
    as_json: AsJson = False,
) -> None:
    """Make an invitation, and print its code, which is not shown again.

    Whoever has it runs: ginref join ADDRESS --code CODE
    """
    lasts = lifetime_seconds(lifetime)
    async with office.referee() as referee:
        made = await referee.create_invitation(uses=uses, lifetime=lasts, owner=owner)
    if as_json:
        office.tell({"invitation": json_of(made.invitation), "code": made.code})
    else:
        typer.echo(made.code)


@online
async def list_(
    office: Office,
    all_: Annotated[
        bool, typer.Option("--all", help="Also those that do not work any more.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List invitations, and who has come by them. Codes are not kept."""
    async with office.referee() as referee:
        invitations = await referee.list_invitations()
    shown = [one for one in invitations if all_ or _state(one) == "works"]
    if as_json:
        for one in shown:
            office.tell({**json_of(one), "state": _state(one)})
        return
    rows = [
        (
            one.invitation_id,
            f"{len(one.bots)} of {one.uses}",
            ", ".join(one.bots),
            one.owner,
            moment(one.expire_time),
            _state(one),
        )
        for one in shown
    ]
    show(office, rows, "invitation", "used", "bots", "owner", "ends", "state")


@online
async def end(office: Office, invitation: Invitation, as_json: AsJson = False) -> None:
    """End an invitation now. The bots that came by it stay."""
    async with office.referee() as referee:
        row = await referee.end_invitation(invitation)
    if as_json:
        office.tell(json_of(row))
    else:
        office.say(f"{row.invitation_id}: ended {moment(row.expire_time)}")


def _state(invitation: Row) -> str:
    if invitation.expire_time.ToDatetime(dt.UTC) <= dt.datetime.now(dt.UTC):
        return "ended"
    return "used up" if len(invitation.bots) >= invitation.uses else "works"


app.command("new")(new)
app.command("list")(list_)
app.command("end")(end)
