"""The log on standard error, in which no card can be read.

What is logged may hold what nobody should read while a match goes on: exceptions and
values with hands and decks in them. Who reads logs is not at the table.
"""

import logging
import re
from typing import Final

MASK: Final = "??"
"""Stands for a card, or for several that were written without blanks."""

_CARDS: Final = re.compile(
    r"(?<![0-9A-Za-z])(?:A[shdcSHDC]|[2-9TJQKtjqk][shdcSHDC])+(?![0-9A-Za-z])"
)


class MaskingFormatter(logging.Formatter):
    """Writes a record, its exception included, with all cards masked."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the text of a record."""
        return _CARDS.sub(MASK, super().format(record))


def log_to_stderr() -> None:
    """Log what matters to a host on standard error, unless logging is set up."""
    handler = logging.StreamHandler()
    handler.setFormatter(
        MaskingFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    )
    logging.basicConfig(level=logging.INFO, handlers=[handler])
