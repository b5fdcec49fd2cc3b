"""`ginref tournament`: declare a tournament, look at it beforehand, and prove it after.

Each command is a function of a module of its own, and is added to the others here.
"""

import typer

from ginref.cli import (
    tournament_convert,
    tournament_course,
    tournament_export,
    tournament_look,
    tournament_preview,
    tournament_publish,
    tournament_rehearse,
    tournament_ruling,
    verify,
)

app = typer.Typer(
    help="Declare tournaments, run them, look at them, export and prove them.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

app.command("example")(tournament_preview.example)
app.command("preview")(tournament_preview.preview)
app.command("rehearse")(tournament_rehearse.rehearse)
app.command("create")(tournament_course.create)
app.command("configure")(tournament_course.configure_)
app.command("codes")(tournament_course.codes)
app.command("enter")(tournament_course.enter_)
for _verb in ("open", "check-in"):
    app.command(_verb)(tournament_course.VERBS[_verb])
app.command("seed")(tournament_course.seed)
app.command("start")(tournament_course.start)
app.command("list")(tournament_look.list_)
app.command("status")(tournament_look.status)
app.command("problems")(tournament_look.problems)
app.command("watch")(tournament_look.watch)
for _verb in ("pause", "resume", "finish", "cancel", "archive"):
    app.command(_verb)(tournament_course.VERBS[_verb])
app.command("withdraw")(tournament_course.withdraw_)
app.command("disqualify")(tournament_course.disqualify_)
app.command("award")(tournament_ruling.award_)
app.command("correct")(tournament_ruling.correct_)
app.command("requeue")(tournament_ruling.requeue_)
app.command("pair")(tournament_ruling.pair)
app.command("close")(tournament_course.close)
app.command("appeal")(tournament_ruling.appeal)
app.command("decide")(tournament_ruling.decide)
app.command("tie-breaks")(tournament_ruling.tie_breaks)
app.command("export")(tournament_export.export)
app.command("report")(tournament_convert.report)
app.command("publish")(tournament_publish.publish)
app.command("verify")(verify.verify)
