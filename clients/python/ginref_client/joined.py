"""Referees that a person has joined: address, token, and the keys that it signs with.

Each has a file of its own among this user's settings, read by nobody else.
"""

import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import quote

from ginref.record.public_key import PublicKeyError, read_jwks, write_jwks
from ginref_client.endpoint import parse_endpoints
from ginref_client.error import ClientError

_FILE_MODE: Final = 0o600
_FOLDER_MODE: Final = 0o700


class JoinError(ClientError):
    """A referee that cannot be joined, or whose file cannot be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """A referee that was joined.

    Attributes:
        url: Its address; several replicas with commas.
        token: The token to call it with.
        roots: Certificates to trust, in PEM; None for the system's.
        keys: Public keys of its signatures, by name.
        server_name: What its certificate names, if that is not the address's host.
        certificate: Files of a certificate of one's own and of its key; None for none.
    """

    url: str
    token: str = field(repr=False)
    roots: bytes | None = None
    keys: Mapping[str, bytes]
    server_name: str | None = None
    certificate: tuple[Path, Path] | None = None


def pin(
    known: Mapping[str, bytes], found: Mapping[str, bytes], expected: str | None
) -> Mapping[str, bytes]:
    """Return the keys to trust from now on.

    Args:
        known: Those that were trusted before; nothing at the first time.
        found: Those that the referee shows.
        expected: Name of the one to take, as its host has told it; None takes all
            that are shown.

    Raises:
        JoinError: The expected key is not shown, or none of those that were trusted:
            this may be another referee.
    """
    if not found:
        raise JoinError("the referee shows no keys")
    if expected is not None and expected not in found:
        shown = ", ".join(sorted(found))
        raise JoinError(f"the key {expected} is not one of the referee's: {shown}")
    if expected is not None:
        # Whoever pretends to be the referee can show its keys, and one more.
        return {**known, expected: found[expected]}
    # A referee keeps the keys that it has signed with, so one of them is always there.
    if known and known.keys().isdisjoint(found):
        raise JoinError(
            "the referee shows none of the keys that were pinned: ask its host which"
            " key is right, and give it with --key-id"
        )
    return {**known, **found}


def read_joined(url: str | None = None) -> Joined | None:
    """Return a referee that was joined; without a URL the only one there is.

    Raises:
        JoinError: Its file cannot be used, or several referees were joined and none
            was named.
        EndpointError: The URL is no address.
    """
    if url is None:
        files = _files()
        if len(files) > 1:
            raise JoinError("several referees were joined: name one by its address")
        return _read(files[0]) if files else None
    path = _path(url)
    return _read(path) if path.exists() else None


def pinned() -> tuple[Mapping[str, bytes], ...]:
    """Return the keys of each referee that was joined, by name.

    Raises:
        JoinError: A file cannot be used.
    """
    return tuple(_read(file).keys for file in _files())


def all_pinned() -> dict[str, bytes]:
    """Return the keys of all referees that were joined, by name.

    Raises:
        JoinError: A file cannot be used.
    """
    return {name: key for keys in pinned() for name, key in keys.items()}


def keep_joined(joined: Joined) -> Path:
    """Keep a referee that was joined, in place of what was kept of it; return its file.

    Raises:
        JoinError: The file cannot be written.
        EndpointError: The URL is no address.
    """
    path = _path(joined.url)
    facts = {
        "url": joined.url,
        "token": joined.token,
        "roots": None if joined.roots is None else joined.roots.decode(),
        "keys": json.loads(write_jwks(joined.keys.values())),
        "server_name": joined.server_name,
        "certificate": joined.certificate and [*map(str, joined.certificate)],
    }
    draft = path.with_suffix(f".{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(_FOLDER_MODE, parents=True, exist_ok=True)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _FILE_MODE)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(facts, file, indent=2)
            file.write("\n")
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise JoinError(f"{path}: {error.strerror or error}") from error
    return path


def _folder() -> Path:
    home = os.environ.get("XDG_CONFIG_HOME")
    root = Path(home) if home else Path.home() / ".config"
    return root / "ginref" / "referees"


def _files() -> list[Path]:
    return sorted(_folder().glob("*.json"))


def _path(url: str) -> Path:
    """Return the file of a referee, the same for each way to write its address."""
    endpoints = parse_endpoints(url, allow_plaintext=True)
    return _folder() / f"{quote(','.join(map(str, endpoints)), safe='')}.json"


def _read(path: Path) -> Joined:
    try:
        if path.stat().st_mode & 0o077:
            raise JoinError(
                f"{path} is open to others: take the rights away (chmod 600)"
            )
        facts = json.loads(path.read_bytes())
        roots = facts["roots"]
        # Files of earlier versions have neither.
        own = facts.get("certificate")
        return Joined(
            url=facts["url"],
            token=facts["token"],
            roots=None if roots is None else roots.encode(),
            keys=read_jwks(json.dumps(facts["keys"]).encode()),
            server_name=facts.get("server_name"),
            certificate=(Path(own[0]), Path(own[1])) if own else None,
        )
    except OSError as error:
        raise JoinError(f"{path}: {error.strerror or error}") from error
    except (KeyError, TypeError, ValueError, AttributeError, PublicKeyError):
        raise JoinError(f"{path} is no file of `ginref join`: join again") from None
