"""`ginref serve`: run the referee."""

import asyncio
import os
from functools import partial

import typer
from rich.console import Console

from ginref.cli.setting_option import settle, takes_settings
from ginref.setting import ConfigError


@takes_settings
def serve(**given: str | bool | None) -> None:
    """Run the referee until it is told to stop.

    Every option can also be set in the environment, as GINREF_ and its name in
    capitals, or in a file, which goes last: ginref config check shows what would hold.
    What holds without it is in brackets. The first start writes the token of an
    operator into the data folder.
    """
    try:
        # Only this command needs the server's packages; a bot's machine lacks them.
        from ginref import bootstrap, supervisor  # noqa: PLC0415
        from ginref.cli import share  # noqa: PLC0415
        from ginref.cli.house import House  # noqa: PLC0415
        from ginref.foundation import StartError  # noqa: PLC0415
    except ImportError as error:
        package = (error.name or "").partition(".")[0]
        if package == "ginref":
            raise
        _complain(f"{package} is missing: install ginref[server]")
        raise typer.Exit(2) from error
    try:
        config = settle(given, os.environ).config
        config = share.with_certificate(config)
        alone = config.workers == 1 or config.worker is not None
        run = bootstrap.serve if alone else supervisor.supervise
        asyncio.run(
            run(
                config,
                tell=_tell,
                house=partial(House, config),
                invite=partial(share.invite, config),
            )
        )
    except (ConfigError, StartError) as error:
        _complain(str(error))
        raise typer.Exit(2) from error


def _tell(line: str) -> None:
    Console(markup=False, highlight=False, soft_wrap=True).print(line)


def _complain(line: str) -> None:
    console = Console(stderr=True, markup=False, highlight=False, soft_wrap=True)
    console.print(f"ginref serve: {line}")
