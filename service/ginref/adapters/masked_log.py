"""The log on standard error, in which no card and no secret can be read.

What is logged may hold what nobody should read while a match goes on: exceptions and
values with hands and decks in them, or with shares and keys. Who reads logs is not at
the table.
"""

import json
import logging
import re
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final, TextIO

from ginref.app.trace import ABOUT, current_trace_id

MASK: Final = "??"
"""Stands for a card, for several that were written without blanks, or for a secret."""

_CARDS: Final = re.compile(
    r"(?:(?<![0-9A-Za-z])|(?<=\\[nrt]))"  # a line's end as Python writes it, too
    r"(?:A[shdcSHDC]|[2-9TJQKtjqk][shdcSHDC])+(?![0-9A-Za-z])"
)

_BEARER: Final = re.compile(r"\bgr_[a-z2-7]{16,}=*")
"""A token, which only others put into a sentence."""

_SECRETS: Final = re.compile(
    r"""
    (?P<kept>File\ "[^"\n]*")       # where in the code, which is no secret
    |b'(?:[^'\\\n]|\\.)*'           # bytes as Python writes them
    |b"(?:[^"\\\n]|\\.)*"
    |(?<![0-9A-Za-z])[0-9A-Fa-f]{32,}(?![0-9A-Za-z])
    |(?:\d{1,3},\s?){15,}\d{1,3}    # bytes as numbers
    |(?<![0-9A-Za-z+/_-])           # base64: of all kinds of letters, and long
     (?=[0-9A-Za-z+/_-]*[a-z])(?=[0-9A-Za-z+/_-]*[A-Z])(?=[0-9A-Za-z+/_-]*[0-9])
     [0-9A-Za-z+/_-]{24,}={0,2}
    |(?<![0-9A-Za-z])[A-Z2-7]{24,}=* # base32
    """,
    re.VERBOSE,
)
"""How secrets can be written in the text of an exception."""


_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}")
_UUID: Final = re.compile(r"[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}")
"""A usual identity of a request; a share or a key is longer."""

_NAMED: Final = re.compile(
    r"%%|(?:\b(call|match|tournament|bot|fault) )?%[-#0-9.]*[a-z]"
)
"""A place of a message's template, and the word before it, if that says what it is."""

_FIELDS: Final = {
    "call": "method",
    "match": "match_id",
    "tournament": "tournament_id",
    "bot": "bot",
    "fault": "fault_id",
}
"""How a field is called whose value a template has after a word."""

_EXTRAS: Final = ("code", "duration_ms")
"""Fields that may be given beside a message."""


class MaskingFormatter(logging.Formatter):
    """Writes a record without cards and tokens; of what others say, without secrets.

    The referee itself logs no secret. What callers name, and what is said when
    something has gone wrong, is not in its hands.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the text of a record."""
        return _text(record, super().format(record))


class JsonFormatter(logging.Formatter):
    """Writes a record as one line of JSON, masked likewise, with known fields only."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        when = datetime.fromtimestamp(record.created, UTC)
        facts: dict[str, object] = {
            "time": when.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _text(record, record.getMessage()),
        }
        facts.update(_context())
        facts.update((name, _masked(value)) for name, value in _named(record))
        for name in _EXTRAS:
            value = getattr(record, name, None)
            if isinstance(value, str):
                facts[name] = _masked(value)
            elif isinstance(value, int):
                facts[name] = value
        if record.exc_info and record.exc_info[0]:
            facts["error"] = record.exc_info[0].__name__
            facts["exception"] = _masked(self.formatException(record.exc_info))
        return json.dumps(facts)


class _StderrHandler(logging.StreamHandler[TextIO]):
    """Never shows what could not be formatted, which would not be masked."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - its name
        """Say where something could not be logged."""
        print(f"{record.name}: a line could not be logged", file=sys.stderr)  # noqa: T201


def log_to_stderr(*, as_json: bool = False, level: str = "info") -> None:
    """Log what matters to a host on standard error, unless logging is set up.

    Args:
        as_json: Write one line of JSON for each event, instead of text.
        level: How much the referee tells: `debug`, `info`, `warning` or `error`; other
            packages never tell more than `info`.
    """
    root = logging.getLogger()
    if root.hasHandlers():
        return
    text = MaskingFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    handler = _StderrHandler()
    handler.setFormatter(JsonFormatter() if as_json else text)
    root.addHandler(handler)
    wanted = logging.getLevelNamesMapping()[level.upper()]
    root.setLevel(max(logging.INFO, wanted))
    logging.getLogger("ginref").setLevel(wanted)


def telling(
    log: logging.Logger, tell: Callable[[str], None], *, as_json: bool
) -> Callable[[str], None]:
    """Return how a person is told: in the log, where it is read by programs.

    Args:
        log: Logs what is told.
        tell: How a person is told otherwise.
        as_json: Programs read the log.
    """
    return (lambda line: log.info("%s", " ".join(line.split()))) if as_json else tell


def _text(record: logging.LogRecord, text: str) -> str:
    if record.exc_info:
        return _masked(text)
    for _, value in _named(record):
        text = text.replace(value, _masked(value))
    return _sentence(text)


def _masked(text: str) -> str:
    """Return a text without cards and secrets."""
    shown = _SECRETS.sub(lambda found: found["kept"] or MASK, text)
    return _sentence(shown)


def _sentence(text: str) -> str:
    """Return a text without cards and tokens."""
    return _CARDS.sub(MASK, _BEARER.sub(MASK, text))


def _context() -> Iterator[tuple[str, str]]:
    """Yield what the call under way is about; its caller may have written anything."""
    trace_id, about = current_trace_id(), ABOUT.get()
    if trace_id is not None:
        yield "trace_id", trace_id
    if about is None:
        return
    if _ID.fullmatch(about.match_id):
        yield "match_id", _masked(about.match_id)
    if _ID.fullmatch(about.tournament_id):
        yield "tournament_id", _masked(about.tournament_id)
    if about.request_id:
        is_usual = _UUID.fullmatch(about.request_id)
        yield "request_id", about.request_id if is_usual else _masked(about.request_id)


def _named(record: logging.LogRecord) -> Iterator[tuple[str, str]]:
    """Yield what a message names, by the words of its template."""
    if isinstance(record.args, tuple):
        for field, value in zip(_fields(str(record.msg)), record.args, strict=False):
            if field is not None:
                yield field, str(value)


@lru_cache
def _fields(template: str) -> tuple[str | None, ...]:
    """Return for each place of a template the field that its value is, if any."""
    return tuple(
        _FIELDS.get(found[1]) for found in _NAMED.finditer(template) if found[0] != "%%"
    )
