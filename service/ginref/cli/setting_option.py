"""Options of a command that are the settings of a referee."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand

from ginref.config import SETTINGS
from ginref.effective import (
    CONFIG_VARIABLE,
    Effective,
    Told,
    effective,
    from_environment,
    from_options,
)
from ginref.setting import SWITCH, ConfigError, Setting

_OTHERS: Final = "Options"

_FILE: Final = inspect.Parameter(
    "config",
    inspect.Parameter.KEYWORD_ONLY,
    default=None,
    annotation=Annotated[
        str | None,
        typer.Option(metavar="FILE", help="File of settings, in YAML. [none]"),
    ],
)


class SettingsCommand(TyperCommand):
    """A command that tells its settings by sections, and takes each option once."""

    def format_options(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
        """Write the options of each section below its heading."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            setting = SETTINGS.get(parameter.name or "")
            section = setting.section if setting else _OTHERS
            if (record := parameter.get_help_record(ctx)) is not None:
                sections.setdefault(section, []).append(record)
        sections[_OTHERS] = sections.pop(_OTHERS)
        for section, records in sections.items():
            with formatter.section(section):
                formatter.write_dl(records)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401
        """Refuse an option that comes twice, which may have been meant for another."""
        _, _, order = self.make_parser(ctx).parse_args(list(args))
        for place, parameter in enumerate(order):
            if parameter in order[:place]:
                ctx.fail(f"{parameter.opts[0]} comes twice.")
        return super().parse_args(ctx, args)


def takes_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take settings: an option for each, and one for a file of them.

    They are among its keywords by name, None for those that were not given.
    """
    signature = inspect.signature(command)
    own = [
        parameter
        for parameter in signature.parameters.values()
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD
    ]
    settings = [
        _parameter(setting) for setting in SETTINGS.values() if not setting.is_internal
    ]
    parameters = [*own, *settings, _FILE]
    vars(command)["__signature__"] = signature.replace(parameters=parameters)
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    return command


def _parameter(setting: Setting) -> inspect.Parameter:
    if setting.kind is SWITCH:
        option = typer.Option(
            f"{setting.option}/--no-{setting.option.removeprefix('--')}",
            help=setting.help,
            show_default=False,
        )
        kind: Any = bool | None
    else:
        option = typer.Option(
            setting.option,
            metavar=setting.kind.metavar,
            help=f"{setting.help} [{setting.default_text}]",
            show_default=False,
        )
        kind = str | None
    return inspect.Parameter(
        setting.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[kind, option],
    )


def settle(
    given: Mapping[str, str | bool | None], environment: Mapping[str, str]
) -> Effective:
    """Return the settings that hold: what was given, the environment, and the file.

    Raises:
        ConfigError: They cannot be used.
    """
    options = dict(given)
    place = options.pop("config", None)
    if place is None:
        place = environment.get(CONFIG_VARIABLE)
    told = () if place is None else _from_file(str(place))
    return effective(told, from_environment(environment), from_options(options))


def _from_file(place: str) -> Iterable[Told]:
    if not place:
        raise ConfigError("config: a value is missing")
    # YAML is read by what comes with ginref[server].
    try:
        from ginref.cli.config_file import from_file  # noqa: PLC0415
    except ImportError as error:
        if error.name != "yaml":
            raise
        raise ConfigError("yaml is missing: install ginref[server]") from error
    return from_file(Path(place))
