"""The program around a bot: `main(Careful)` plays until it is stopped."""

import argparse
import asyncio
import logging
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from ginref.record.public_key import PublicKeyError, read_public_keys
from ginref_client.bot import Bot
from ginref_client.certificate import ClientCertificate
from ginref_client.error import ClientError
from ginref_client.session import Finished, Session

_STOP_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


def main(bot: Bot | Callable[[], Bot], arguments: Sequence[str] | None = None) -> None:
    """Attach a bot as the command line says, and play until stopped.

    The address comes from `--url` or GINREF_URL, the token from `--token-file`,
    GINREF_TOKEN_FILE or GINREF_TOKEN, a certificate of the bot's own from `--tls-cert`
    and `--tls-key`, or GINREF_CLIENT_CERT and GINREF_CLIENT_KEY.

    Raises:
        SystemExit: With a line for people when the bot cannot play.
    """
    options = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    url = options.url or os.environ.get("GINREF_URL", "")
    if not url:
        sys.exit("no referee: give --url or set GINREF_URL")
    try:
        session = Session(
            url,
            read_token(options.token_file),
            bot,
            capacity=options.capacity,
            state=options.state or state_folder(getattr(bot, "name", "") or "bot"),
            keys=read_keys(options.keys),
            roots=options.roots.read_bytes() if options.roots else None,
            certificate=read_certificate(options.tls_cert, options.tls_key),
            allow_plaintext=options.allow_plaintext,
        )
        asyncio.run(serve(session))
    except (ClientError, OSError) as error:
        sys.exit(str(error))


async def serve(session: Session, until: Finished | None = None) -> None:
    """Run a session until it ends or the process is asked to stop.

    Args:
        session: The session.
        until: Asked after each match whether to stop; None plays on.

    Raises:
        ClientError: As `Session.run`.
        OSError: As `Session.run`.
    """
    loop = asyncio.get_running_loop()
    for number in _STOP_SIGNALS:
        loop.add_signal_handler(number, session.stop)
    try:
        await session.run(until)
    finally:
        for number in _STOP_SIGNALS:
            loop.remove_signal_handler(number)


def read_token(file: Path | None) -> str:
    """Return the bearer token from a file, or from the environment.

    Raises:
        ClientError: There is none.
        OSError: The file cannot be read.
    """
    if file is None and (named := os.environ.get("GINREF_TOKEN_FILE")):
        file = Path(named)
    token = os.environ.get("GINREF_TOKEN", "") if file is None else file.read_text()
    if not token.strip():
        raise ClientError("no token: give --token-file or set GINREF_TOKEN")
    return token.strip()


def read_keys(file: Path | None) -> dict[str, bytes]:
    """Return a referee's public keys by name; none where no file is named.

    Raises:
        ClientError: The file holds none.
        OSError: It cannot be read.
    """
    try:
        return {} if file is None else read_public_keys(file.read_bytes())
    except PublicKeyError as error:
        raise ClientError(f"{file} is no file of public keys: {error}") from None


def read_certificate(chain: Path | None, key: Path | None) -> ClientCertificate | None:
    """Return a certificate of one's own, from files or as the environment names them.

    Raises:
        ClientError: Only one of the two is named, or they are no certificate and key.
        OSError: One of them cannot be read.
    """
    if chain is None and key is None:
        names = (
            os.environ.get("GINREF_CLIENT_CERT"),
            os.environ.get("GINREF_CLIENT_KEY"),
        )
        chain, key = (Path(name) if name else None for name in names)
    return ClientCertificate.read(chain, key)


def state_folder(name: str) -> Path:
    """Return a folder for a bot's state, where programs of this user keep theirs."""
    home = os.environ.get("XDG_STATE_HOME")
    root = Path(home) if home else Path.home() / ".local" / "state"
    return root / "ginref" / name


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Attach this bot to a referee.")
    parser.add_argument("--url", help="address of the referee; several with commas")
    parser.add_argument("--token-file", type=Path, help="file with the bot's token")
    parser.add_argument(
        "--capacity", type=int, default=0, help="matches at once; 0 for any number"
    )
    parser.add_argument(
        "--state",
        type=Path,
        help="folder for shares, evidence and the key; by default one of your user's",
    )
    parser.add_argument(
        "--keys", type=Path, help="the referee's public keys, to check what it signs"
    )
    parser.add_argument("--roots", type=Path, help="certificates to trust, in PEM")
    parser.add_argument(
        "--tls-cert", type=Path, help="a certificate of the bot's own, in PEM"
    )
    parser.add_argument("--tls-key", type=Path, help="the key of that certificate")
    parser.add_argument(
        "--allow-plaintext",
        action="store_true",
        help="send the token unencrypted over a network that is yours",
    )
    return parser
