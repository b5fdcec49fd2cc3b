"""Places at the table."""

import enum

from ginref.engine.error import NotationError, shown


class Seat(enum.IntEnum):
    """A place at the table; the number orders seats and indexes per-seat tuples."""

    NORTH = 0
    SOUTH = 1
    EAST = 2

    def __str__(self) -> str:
        """Lower-case name, as in records and on the command line."""
        return self.name.lower()

    @classmethod
    def parse(cls, text: str) -> "Seat":
        """Read a seat's name, in small or capital letters.

        Raises:
            NotationError: The text names no seat.
        """
        for seat in cls:
            if text in {seat.name, str(seat)}:
                return seat
        message = f"{shown(text)} is not a seat: north, south or east expected"
        raise NotationError(message)
