"""`ginref config`: look at a referee's settings before it starts."""

import json
import os
from textwrap import fill
from typing import Annotated, Any, Final

import typer
from rich.console import Console

from ginref.cli.setting_option import SettingsCommand, settle, takes_settings
from ginref.config import SETTINGS
from ginref.effective import Effective
from ginref.setting import ConfigError, Setting, Source

app = typer.Typer(
    help="Check the settings of a referee, or print all there are.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

_EXAMPLE_HEAD: Final = """\
# Settings of a referee: ginref serve --config FILE
#
# What stands here is what holds without it. Take away the # to change it. An option
# of the command line goes before a variable GINREF_<NAME> of the environment, and
# that before this file.
"""

_TABLE_HEAD: Final = (
    "| in the file | option | variable | default | |",
    "|---|---|---|---|---|",
)


@app.command("check", cls=SettingsCommand)
@takes_settings
def check(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    **given: str | bool | None,
) -> None:
    """Print what would hold, and where it comes from.

    Takes what `ginref serve` takes, and starts nothing. What is secret is masked. Exit
    status: 0, or 2 when the settings cannot be used; each that is at fault is named.
    """
    try:
        settled = settle(given, os.environ)
    except ConfigError as error:
        if as_json:
            typer.echo(json.dumps({"problems": str(error).splitlines()}, indent=2))
        _complain(str(error))
        raise typer.Exit(2) from error
    settings = [one for one in SETTINGS.values() if not one.is_internal]
    if as_json:
        shown = {one.name: _as_json(settled, one) for one in settings}
        typer.echo(json.dumps({"problems": [], "settings": shown}, indent=2))
        return
    lines = [
        (one.name, _origin(settled, one), _shown(settled, one)) for one in settings
    ]
    widths = [max(len(line[at]) for line in lines) for at in (0, 1)]
    for name, origin, value in lines:
        typer.echo(f"{name:{widths[0]}}  {origin:{widths[1]}}  {value}")


@app.command("example")
def example() -> None:
    """Print a file of all settings, commented out.

    Each with what it is for and what holds without it.
    """
    typer.echo(example_file(), nl=False)


def example_file() -> str:
    """Return a file of all settings, none of which is given."""
    blocks = [_EXAMPLE_HEAD]
    section = ""
    for setting in SETTINGS.values():
        if setting.is_internal:
            continue
        if setting.section != section:
            section = setting.section
            blocks.append(f"# ---- {section} ----\n")
        unset = f" Without it: {setting.unset}." if setting.unset else ""
        told = fill(
            f"{setting.help}{unset}",
            initial_indent="# ",
            subsequent_indent="# ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        blocks.append(f"{told}\n#{setting.name}: {_example(setting)}\n")
    return "\n".join(blocks)


@app.command("table")
def table() -> None:
    """Print all settings as tables in Markdown."""
    typer.echo(settings_table(), nl=False)


def settings_table() -> str:
    """Return a table of all settings in Markdown, a section for each heading."""
    lines = []
    section = ""
    for setting in SETTINGS.values():
        if setting.is_internal:
            continue
        if setting.section != section:
            section = setting.section
            lines += ["", f"### {section}", "", *_TABLE_HEAD]
        names = f"`{setting.name}` | `{setting.option}` | `{setting.variable}`"
        default = setting.unset or f"`{setting.default_text}`"
        lines.append(f"| {names} | {default} | {setting.help} |")
    return "\n".join(lines).lstrip() + "\n"


def _example(setting: Setting) -> str:
    if setting.default is None:
        return setting.kind.metavar
    text = setting.write(setting.default)
    if setting.kind.plain is list:
        return f"[{text.replace(',', ', ')}]"
    return text


def _shown(settled: Effective, setting: Setting) -> str:
    shown = setting.show(settled.value(setting.name))
    return setting.unset if shown is None else shown


def _origin(settled: Effective, setting: Setting) -> str:
    told = settled.told.get(setting.name)
    return Source.DEFAULT.value if told is None else told.place


def _as_json(settled: Effective, setting: Setting) -> dict[str, Any]:
    value = settled.value(setting.name)
    shown: Any = setting.show(value)
    if setting.kind.plain in {bool, int}:
        shown = value
    elif setting.kind.plain is list:
        shown = shown.split(",") if shown else []
    told = settled.told.get(setting.name)
    return {
        "value": shown,
        "source": settled.source(setting.name).value,
        "place": None if told is None else told.place,
    }


def _complain(text: str) -> None:
    console = Console(stderr=True, markup=False, highlight=False, soft_wrap=True)
    for line in text.splitlines():
        console.print(f"ginref config check: {line}")
