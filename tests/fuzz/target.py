"""What is fed with bytes: a reader, with the refusals that it may answer with."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Check = Callable[[bytes], object]
"""Feeds bytes to a reader; raises if they do anything but be read or be refused."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """Something that reads what others have written.

    Attributes:
        make: Prepares it; returns its check.
        seeds: Returns what it can read, to begin with.
        share: How many of a thousand runs it gets.
    """

    make: Callable[[], Check]
    seeds: Callable[[], Sequence[bytes]]
    share: int


def reader(
    read: Callable[[bytes], Any], *refusals: type[Exception]
) -> Callable[[], Check]:
    """Return what makes the check of a reader that may refuse in these ways."""

    def check(data: bytes) -> None:
        try:
            read(data)
        except refusals:
            return

    return lambda: check


def text_reader(
    read: Callable[[str], Any], *refusals: type[Exception]
) -> Callable[[], Check]:
    """Return the same for a reader of text."""
    return reader(lambda data: read(data.decode("utf-8", "replace")), *refusals)


def be_quiet() -> None:
    """Write no log: faults are seen by what they are answered with."""
    logging.disable(logging.CRITICAL)
