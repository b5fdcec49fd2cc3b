"""Files of evidence that bots have kept, by the matches that they are of."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ginref.record.evidence_read import match_of_evidence
from ginref.record.shape import RecordError
from ginref.tournament.witness import KeptHead, read_heads
from ginref_client.evidence import FILES
from ginref_client.witness import FILE as WITNESS


class KeptError(Exception):
    """A file of evidence that cannot be used; says which, and why."""


@dataclass(frozen=True, slots=True)
class Kept:
    """Evidence to compare records with.

    Attributes:
        files: The files of each match.
        named: Matches of files that were named one by one: each needs a record.
        heads: Heads of the logs of tournaments, to compare exports with.
    """

    files: Mapping[str, tuple[Path, ...]]
    named: frozenset[str]
    heads: tuple[KeptHead, ...] = ()


def find_evidence(paths: Iterable[Path]) -> Kept:
    """Find evidence in files, and in the state folders of bots.

    Raises:
        KeptError: A file cannot be read, or says of no match; a folder holds none.
    """
    files: dict[str, tuple[Path, ...]] = {}
    named = set()
    heads: list[KeptHead] = []
    for path in paths:
        found, witness = [path], path
        if path.is_dir():
            found, witness = sorted(path.glob(FILES)), path / WITNESS
        if witness.name == WITNESS and witness.is_file():
            heads += _heads_of(witness)
            found = [one for one in found if one != witness]
        elif not found:
            raise KeptError(f"{path} holds no evidence")
        for one in found:
            line = _first_line(one)
            if path.is_dir() and not line.endswith(b"\n"):
                # A bot has died as it began to write: there is nothing in it.
                continue
            match_id = _match_of(one, line)
            files[match_id] = (*files.get(match_id, ()), one)
            if not path.is_dir():
                named.add(match_id)
    return Kept(files, frozenset(named), tuple(heads))


def _heads_of(path: Path) -> tuple[KeptHead, ...]:
    try:
        return tuple(read_heads(path.read_bytes(), str(path)))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise KeptError(f"{path} cannot be read: {reason}") from error
    except ValueError as error:
        raise KeptError(f"{path} is no evidence of tournaments: {error}") from error


def _first_line(path: Path) -> bytes:
    if path.exists() and not path.is_file():
        # What can be read but once would seem to be empty the next time.
        raise KeptError(f"{path} is no file")
    try:
        with path.open("rb") as file:
            return file.readline()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise KeptError(f"{path} cannot be read: {reason}") from error


def _match_of(path: Path, line: bytes) -> str:
    try:
        return match_of_evidence(line)
    except RecordError as error:
        raise KeptError(f"{path} is no evidence of a match: {error}") from error
