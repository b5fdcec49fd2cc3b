"""`ginref serve`: run the referee."""

import asyncio
import os
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console


def serve(  # noqa: PLR0913, PLR0917 - one parameter for each setting
    data: Annotated[
        Path | None, typer.Option(help="Folder for all that is kept on disk.")
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(help="URL of a Redis or Valkey server; else one is embedded."),
    ] = None,
    keys: Annotated[Path | None, typer.Option(help="Folder of signing keys.")] = None,
    archive: Annotated[
        str | None,
        typer.Option(
            metavar="PLACE", help="Signed records: a folder, or s3://bucket/prefix."
        ),
    ] = None,
    keep: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Time that archived matches stay in the store: 30d, 12h, forever.",
        ),
    ] = None,
    listen: Annotated[str | None, typer.Option(help="Address of the gRPC API.")] = None,
    admin: Annotated[
        str | None, typer.Option(help="Address of metrics and probes.")
    ] = None,
    roles: Annotated[
        str | None,
        typer.Option(help="Some of referee,sweeper,signer,runner; all by default."),
    ] = None,
    house: Annotated[
        str | None,
        typer.Option(help="Bots that anybody may challenge: some of careful,simple."),
    ] = None,
    dev: Annotated[
        bool | None, typer.Option("--dev", help="Allow seeded deals and reflection.")
    ] = None,
    allow_plaintext: Annotated[
        bool | None,
        typer.Option("--allow-plaintext", help="Serve others without TLS."),
    ] = None,
    tls_cert: Annotated[
        Path | None, typer.Option(help="Certificate chain in PEM.")
    ] = None,
    tls_key: Annotated[Path | None, typer.Option(help="Private key in PEM.")] = None,
    assume_durable: Annotated[
        bool | None,
        typer.Option(
            "--assume-durable",
            help="Take work although the store does not tell what it promises.",
        ),
    ] = None,
    drain_ms: Annotated[
        int | None, typer.Option(help="Milliseconds for calls to end at a stop.")
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(help="Processes that serve side by side, on ports in a row."),
    ] = None,
    connection_age_ms: Annotated[
        int | None,
        typer.Option(help="Milliseconds until a connection is made anew; 0 for never."),
    ] = None,
) -> None:
    """Run the referee until it is told to stop.

    Every option can also be set in the environment, as GINREF_ and its name in
    capitals. The first start writes the token of an operator into the data folder.
    """
    try:
        # Only this command needs the server's packages; a bot's machine lacks them.
        from ginref import bootstrap, supervisor  # noqa: PLC0415
        from ginref.cli.house import House, check_house  # noqa: PLC0415
        from ginref.config import ConfigError, read_config  # noqa: PLC0415
        from ginref.foundation import StartError  # noqa: PLC0415
    except ImportError as error:
        package = (error.name or "").partition(".")[0]
        if package == "ginref":
            raise
        _complain(f"{package} is missing: install ginref[server]")
        raise typer.Exit(2) from error
    given = {
        "data": data,
        "store": store,
        "keys": keys,
        "archive": archive,
        "keep": keep,
        "listen": listen,
        "admin": admin,
        "roles": roles,
        "house": house,
        "dev": dev,
        "allow_plaintext": allow_plaintext,
        "tls_cert": tls_cert,
        "tls_key": tls_key,
        "assume_durable": assume_durable,
        "drain_ms": drain_ms,
        "workers": workers,
        "connection_age_ms": connection_age_ms,
    }
    try:
        config = read_config(given, os.environ)
        alone = config.workers == 1 or config.worker is not None
        run = bootstrap.serve if alone else supervisor.supervise
        check_house(config.house)
        asyncio.run(run(config, tell=_tell, house=partial(House, config)))
    except (ConfigError, StartError) as error:
        _complain(str(error))
        raise typer.Exit(2) from error


def _tell(line: str) -> None:
    Console(markup=False, highlight=False, soft_wrap=True).print(line)


def _complain(line: str) -> None:
    console = Console(stderr=True, markup=False, highlight=False, soft_wrap=True)
    console.print(f"ginref serve: {line}")
