"""The command line: one word per thing."""

from typing import Annotated

import typer

from ginref import __version__
from ginref.cli import (
    bot,
    connect,
    demo,
    invite,
    join,
    keys,
    play,
    replay,
    serve,
    settings,
    token,
    tournament,
    verify,
)
from ginref.cli.setting_option import SettingsCommand

app = typer.Typer(
    name="ginref",
    help="The referee of Gin Rummy and Hollywood Gin matches between programs.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Print the version.",
            is_eager=True,
            callback=_show_version,
        ),
    ] = False,
) -> None:
    pass


app.command()(play.play)
app.command()(join.join)
app.command()(connect.connect)
app.command(cls=SettingsCommand)(serve.serve)
app.command()(demo.demo)
app.command()(verify.verify)
app.command()(replay.replay)
app.add_typer(settings.app, name="config")
app.add_typer(keys.app, name="keys")
app.add_typer(token.app, name="token")
app.add_typer(bot.app, name="bot")
app.add_typer(invite.app, name="invite")
app.add_typer(tournament.app, name="tournament")


def main() -> None:
    """Run the command line."""
    app()
