"""What commands of those who run a referee share: how they reach it, and fail."""

import asyncio
import inspect
import json
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial, wraps
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

import typer
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from rich.console import Console
from rich.text import Text

from ginref.cli.access import (
    AllowPlaintext,
    OwnCertificate,
    OwnKey,
    Roots,
    find_access,
)
from ginref_client.error import ClientError, RefusedError
from ginref_client.referee import Referee

_INTERRUPTED: Final = 130

_Command = Callable[..., Awaitable[None]]
_Run = TypeVar("_Run", bound=Callable[..., Any])

Name = Annotated[str, typer.Argument(metavar="NAME", help="The tournament.")]
Bot = Annotated[str, typer.Argument(metavar="BOT", help="The bot.")]
AsJson = Annotated[
    bool, typer.Option("--json", help="One JSON object a line, for programs.")
]
Reason = Annotated[
    str,
    typer.Option(metavar="TEXT", help="Why; it stands in the tournament's log."),
]


def _console() -> Console:
    return Console(highlight=False, soft_wrap=True, markup=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Office:
    """Where a command works: the referee it reaches, and what it writes to.

    Attributes:
        url: Address of the referee; None for the one that was joined.
        token_file: File with the token; None for the environment, or as joined.
        roots: File with certificates to trust; None for the system's, or as joined.
        tls_cert: File with a certificate of one's own; None for none, or as joined.
        tls_key: File with the key of that certificate.
        allow_plaintext: The network is one's own.
        console: What people read.
    """

    url: str | None
    token_file: Path | None
    roots: Path | None
    tls_cert: Path | None
    tls_key: Path | None
    allow_plaintext: bool
    console: Console = field(default_factory=_console)

    def referee(self) -> Referee:
        """Return the referee, to be used as a context in a running event loop.

        Raises:
            ClientError: There is no address or no token, or a file cannot be used.
            OSError: A file cannot be read.
        """
        access = find_access(
            self.url,
            self.token_file,
            self.roots,
            certificate=(self.tls_cert, self.tls_key),
        )
        return Referee(
            access.url,
            access.token,
            roots=access.roots,
            server_name=access.server_name,
            certificate=access.certificate,
            allow_plaintext=self.allow_plaintext,
        )

    def say(self, line: str) -> None:
        """Write a line for people; what others have named cannot command a terminal."""
        self.console.print(Text(printable(line)))

    def tell(self, facts: object) -> None:
        """Write a line of JSON for programs."""
        typer.echo(json.dumps(facts))


class CommandError(Exception):
    """A command that cannot be carried out; the message says why."""


def printable(text: str) -> str:
    """Return a text without what would command a terminal."""
    return "".join(one if one.isprintable() else "?" for one in text)


def json_of(message: Message) -> Any:  # noqa: ANN401 - JSON
    """Return a message of the API as JSON values, with all that it can say."""
    return MessageToDict(
        message,
        preserving_proto_field_name=True,
        always_print_fields_with_no_presence=True,
    )


_Option = tuple[str, Any, Any]
"""Name, annotation and usual value of a parameter."""

_OFFICE: Final[tuple[_Option, ...]] = (
    (
        "url",
        Annotated[
            str | None,
            typer.Option(
                envvar="GINREF_URL",
                help="Address of the referee; by default the one that was joined.",
            ),
        ],
        None,
    ),
    (
        "token_file",
        Annotated[
            Path | None,
            typer.Option(
                envvar="GINREF_TOKEN_FILE",
                help="File with your token; else GINREF_TOKEN, or that of joining.",
            ),
        ],
        None,
    ),
    ("roots", Roots, None),
    ("tls_cert", OwnCertificate, None),
    ("tls_key", OwnKey, None),
    ("allow_plaintext", AllowPlaintext, False),
)

_WRITING: Final[tuple[_Option, ...]] = (
    (
        "dry_run",
        Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")],
        False,
    ),
    (
        "expect",
        Annotated[
            int | None,
            typer.Option(
                min=0,
                metavar="VERSION",
                help="Version that you have looked at; by default what is read now.",
            ),
        ],
        None,
    ),
    (
        "request_id",
        Annotated[
            str | None,
            typer.Option(
                metavar="TEXT",
                help="Identity of this request: the same again changes nothing more.",
            ),
        ],
        None,
    ),
    ("as_json", AsJson, False),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """How a change is asked for.

    Attributes:
        dry_run: Only show what would change.
        expect: Version that was looked at; None for the one that is read now.
        request_id: Identity of the request; None makes one.
        as_json: Answer for programs.
    """

    dry_run: bool
    expect: int | None
    request_id: str | None
    as_json: bool


def online(command: _Command) -> Callable[..., None]:
    """Return a command with the options by which it reaches a referee.

    Its first parameter, the office, is made of them.
    """

    @wraps(command)
    def run(**given: Any) -> None:  # noqa: ANN401 - the command's own
        office = Office(**{name: given.pop(name) for name, _, _ in _OFFICE})
        try:
            asyncio.run(_to_its_end(partial(command, office, **given)))
        except (ClientError, CommandError, OSError) as error:
            group, _, _ = command.__module__.rpartition(".")[2].partition("_")
            name = command.__name__.strip("_").replace("_", "-")
            complain(f"{group} {name}", _told(error))
            raise typer.Exit(1) from None
        except KeyboardInterrupt:
            raise typer.Exit(_INTERRUPTED) from None

    return _with_options(run, command, _OFFICE)


def writing(command: _Command) -> Callable[..., None]:
    """Return a command that changes something, with the options of all that do.

    Its first two parameters, office and writing, are made of options.
    """

    @wraps(command)
    async def write(office: Office, **given: Any) -> None:  # noqa: ANN401 - its own
        asked = Writing(**{name: given.pop(name) for name, _, _ in _WRITING})
        await command(office, asked, **given)

    return online(_with_options(write, command, _WRITING, made=(1,)))


def _with_options(
    run: _Run,
    command: Callable[..., Any],
    options: tuple[_Option, ...],
    made: tuple[int, ...] = (0,),
) -> _Run:
    """Give a function the parameters of a command, and options instead of one of them.

    Args:
        run: The function.
        command: The command that it runs.
        options: What is asked for instead.
        made: Places of the parameters that are made of the options.
    """
    own = [
        one
        for at, one in enumerate(inspect.signature(command).parameters.values())
        if at not in made
    ]
    own += [
        inspect.Parameter(
            name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            annotation=annotation,
            default=default,
        )
        for name, annotation, default in options
    ]
    # What has no usual value comes first, as everywhere.
    own.sort(key=lambda one: one.default is not inspect.Parameter.empty)
    run.__signature__ = inspect.Signature(own)  # type: ignore[attr-defined] # as it is read
    run.__annotations__ = {one.name: one.annotation for one in own}
    return run


async def _to_its_end(work: Callable[[], Awaitable[None]]) -> None:
    await work()


def complain(command: str, message: str) -> None:
    """Say on the standard error what a command fails of."""
    console = Console(file=sys.stderr, highlight=False, soft_wrap=True, markup=False)
    console.print(Text(f"ginref {command}: {printable(message)}"))


def _told(error: Exception) -> str:
    if not isinstance(error, RefusedError):
        return str(error)
    at = error.facts.get("field", "")
    return f"{error} ({at})" if at and at not in error.message else str(error)
