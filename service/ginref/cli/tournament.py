"""`ginref tournament`: declare a tournament, look at it beforehand, and prove it after.

Each command is a function of a module of its own, and is added to the others here.
"""

import typer

from ginref.cli import tournament_convert, tournament_preview, verify

app = typer.Typer(
    help="Declare tournaments, look at them beforehand, export and prove them.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

app.command("example")(tournament_preview.example)
app.command("preview")(tournament_preview.preview)
app.command("export")(tournament_convert.export)
app.command("report")(tournament_convert.report)
app.command("verify")(verify.verify)
