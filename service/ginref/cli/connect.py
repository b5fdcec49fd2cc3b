"""`ginref connect`: attach a bot to a referee, and play until stopped."""

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.text import Text

from ginref.cli.access import (
    AllowPlaintext,
    OwnCertificate,
    OwnKey,
    Roots,
    find_access,
)
from ginref_client.challenge import Challenge, play_challenge
from ginref_client.error import ClientError
from ginref_client.fact import FinishedMatch
from ginref_client.loading import load_bot
from ginref_client.referee import Referee
from ginref_client.run import serve, state_folder
from ginref_client.session import Session

_INTERRUPTED: Final = 130


def connect(  # noqa: PLR0913, PLR0917 - one parameter for each option
    bot: Annotated[
        str,
        typer.Option(
            metavar="BOT", help="careful, simple, FILE.py, FILE.py:CLASS, MODULE:CLASS."
        ),
    ],
    url: Annotated[
        str | None,
        typer.Argument(
            envvar="GINREF_URL",
            help="Address of the referee; several replicas with commas."
            " [default: the one that was joined]",
        ),
    ] = None,
    token_file: Annotated[
        Path | None,
        typer.Option(
            envvar="GINREF_TOKEN_FILE",
            help="File with the bot's token; else GINREF_TOKEN has it, or what was"
            " joined.",
        ),
    ] = None,
    capacity: Annotated[
        int, typer.Option(min=0, help="Matches at once; 0 for any number.")
    ] = 0,
    matches: Annotated[
        int, typer.Option(min=0, help="Stop after so many matches; 0 plays on.")
    ] = 0,
    state: Annotated[
        Path | None,
        typer.Option(
            help="Folder for shares, evidence and key; by default one of your user's."
        ),
    ] = None,
    keys: Annotated[
        Path | None,
        typer.Option(
            help="The referee's public keys, to check what it signs."
            " [default: those that were joined]"
        ),
    ] = None,
    roots: Roots = None,
    tls_cert: OwnCertificate = None,
    tls_key: OwnKey = None,
    allow_plaintext: AllowPlaintext = False,
    challenge: Annotated[
        str | None,
        typer.Option(
            metavar="OPPONENT",
            help="Play against this bot, as often as --matches says, and end:"
            " house/simple, or any bot that accepts challenges.",
        ),
    ] = None,
    ruleset: Annotated[
        str, typer.Option(help="Rules of a challenge: gin, hollywood, oklahoma.")
    ] = "gin",
    clock: Annotated[
        str, typer.Option(help="Clock of a challenge: fast, standard, research.")
    ] = "standard",
    accept_challenges: Annotated[
        bool | None,
        typer.Option(
            "--accept-challenges/--refuse-challenges",
            help="Say whether other bots may challenge this one from now on.",
        ),
    ] = None,
) -> None:
    """Attach a bot to a referee and play every match it is offered, until stopped.

    Lost connections are made again, and moves sent again, by itself.
    """
    console = Console(highlight=False, soft_wrap=True)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    told = 0

    def tell(finished: Sequence[FinishedMatch]) -> bool:
        nonlocal told
        for result in finished[told:]:
            console.print(_line(result))
        told = len(finished)
        return 0 < matches <= told

    try:
        player = load_bot(bot)
        access = find_access(url, token_file, roots, keys, (tls_cert, tls_key))
        session = Session(
            access.url,
            access.token,
            player,
            capacity=capacity,
            state=state or state_folder(player.name),
            keys=access.keys,
            roots=access.roots,
            server_name=access.server_name,
            certificate=access.certificate,
            allow_plaintext=allow_plaintext,
        )
        wanted = challenge and Challenge(
            opponent=challenge, matches=matches or 1, ruleset=ruleset, clock=clock
        )

        async def play() -> None:
            async with Referee(
                access.url,
                access.token,
                roots=access.roots,
                server_name=access.server_name,
                certificate=access.certificate,
                allow_plaintext=allow_plaintext,
            ) as referee:
                if accept_challenges is not None:
                    await referee.set_bot_consent(
                        "", accepts_challenges=accept_challenges
                    )
                if wanted:
                    await play_challenge(session, referee, wanted, tell)
                else:
                    await serve(session, tell)

        asyncio.run(play())
    except (ClientError, OSError) as error:
        complaints = Console(stderr=True, highlight=False, soft_wrap=True)
        complaints.print(Text(f"ginref connect: {error}"))
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        raise typer.Exit(_INTERRUPTED) from None


def _line(result: FinishedMatch) -> Text:
    outcome = "won" if result.won else "lost"
    if result.ending.winner is None:
        outcome = "without a winner"
    games = ""
    if result.sheet is not None:
        games = "  " + ", ".join(
            " : ".join(map(str, game.totals)) for game in result.sheet.games
        )
    ending = str(result.ending.kind).replace("_", " ")
    return Text(f"match {result.match_id}, {result.seat}: {outcome} ({ending}){games}")
