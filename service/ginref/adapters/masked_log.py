"""The log on standard error, in which no card and no secret can be read.

What is logged may hold what nobody should read while a match goes on: exceptions and
values with hands and decks in them, or with shares and keys. Who reads logs is not at
the table.
"""

import logging
import re
from typing import Final

MASK: Final = "??"
"""Stands for a card, for several that were written without blanks, or for a secret."""

_CARDS: Final = re.compile(
    r"(?<![0-9A-Za-z])(?:A[shdcSHDC]|[2-9TJQKtjqk][shdcSHDC])+(?![0-9A-Za-z])"
)

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
    |\bgr_[a-z2-7]{16,}=*           # tokens
    """,
    re.VERBOSE,
)
"""How secrets can be written in the text of an exception."""


class MaskingFormatter(logging.Formatter):
    """Writes a record with all cards masked; of an exception, secrets as well.

    The referee itself logs no secret. What others say when something has gone wrong
    is not in its hands.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the text of a record."""
        text = super().format(record)
        if record.exc_info:
            text = _SECRETS.sub(lambda found: found["kept"] or MASK, text)
        return _CARDS.sub(MASK, text)


def log_to_stderr() -> None:
    """Log what matters to a host on standard error, unless logging is set up."""
    handler = logging.StreamHandler()
    handler.setFormatter(
        MaskingFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    )
    logging.basicConfig(level=logging.INFO, handlers=[handler])
