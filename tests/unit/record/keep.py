"""Signs records of every kind, to be kept: `python -m tests.unit.record.keep FOLDER`.

Each new layout gets a folder of its own, once; what is kept is never made anew.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from tests.unit.conftest import Referee, build_setup, play
from tests.unit.record.gallery import PLACE, RULES, close, collect, credit

from ginref.engine.ruleset import GIN, HOLLYWOOD, OKLAHOMA
from ginref.engine.seat import Seat
from ginref.record.document import PAYLOAD_TYPE, build_record
from ginref.record.entry import Moved, Refused, StampedEntry
from ginref.record.envelope import seal_envelope
from ginref.record.public_key import write_jwks

TINY: Final = GIN.but(name="tiny", game_target=10)
AS_THEY_ARE: Final = (
    "gin",
    "three seats, resigned",
    "box",
    "settled",
    "straight gin",
    "void",
    "void with a loss",
    "lost by strikes",
    "timed out",
    "not revealed",
)


def shortest(make: Callable[[int], bytes | None]) -> bytes:
    """The shortest of the records that thirty numbers lead to."""
    return min(filter(None, map(make, range(100, 130))), key=len)


def played(number: int, **options: Any) -> Any:  # noqa: ANN401 - as `play` has them
    """A short match, with a setup of its own."""
    named = {"rules": TINY, **options}
    options_of_setup = ("rules", "seeded", "signing", "place")
    chosen = {key: named.pop(key) for key in options_of_setup if key in named}
    return play(number, setup=build_setup(number, **chosen), **named)


def recorded(number: int, **options: Any) -> bytes:  # noqa: ANN401 - as `play` has them
    return build_record(*played(number, **options))


def credited(number: int) -> bytes | None:
    log = played(number, refusals=0)
    return build_record(*credit(*log)) if len(log[1]) > 40 else None


def big_gin(number: int) -> bytes | None:
    record = recorded(number, rules=RULES["straight gin"].but(game_target=10))
    return record if b'"outcome":"big_gin"' in record else None


def unsigned(number: int) -> bytes:
    """North signs nothing, and south with another key."""
    setup, log = played(number, signing=(Seat.NORTH, Seat.SOUTH))
    return build_record(replace(setup, keys=setup.keys[::-1]), strip(log, Seat.NORTH))


def strip(log: Sequence[StampedEntry], seat: Seat) -> list[StampedEntry]:
    """Take the signatures of a seat away."""
    return [
        replace(one, entry=replace(one.entry, signature=None))
        if isinstance(one.entry, Moved | Refused) and one.entry.seat is seat
        else one
        for one in log
    ]


def chosen() -> Iterator[tuple[str, bytes]]:
    """Yield payloads by name."""
    gallery = collect(play, build_setup)
    yield from ((name, gallery[name]) for name in AS_THEY_ARE)
    yield "signed", shortest(partial(recorded, signing=(Seat.NORTH, Seat.SOUTH)))
    yield "signed by one", shortest(partial(recorded, signing=(Seat.SOUTH,)))
    yield "not signed after all", shortest(unsigned)
    yield "seeded", shortest(partial(recorded, seeded=True))
    yield "board", shortest(partial(recorded, place=PLACE))
    yield "credited", shortest(credited)
    yield "unopened", shortest(lambda number: close(*played(number)))
    yield "one share", shortest(partial(recorded, shares=(False, True)))
    for rules in (
        OKLAHOMA.but(game_target=40),
        HOLLYWOOD.but(game_target=30),
        RULES["three_handed"].but(game_target=30),
    ):
        yield rules.name, shortest(partial(recorded, rules=rules))
    yield "big_gin", next(filter(None, map(big_gin, range(200, 360))))


def main(folder: Path) -> None:
    """Fill a folder that does not exist yet."""
    folder.mkdir()
    referee = Referee()
    for name, payload in chosen():
        file = folder / f"{name.replace(', ', '_').replace(' ', '_')}.json"
        file.write_bytes(seal_envelope(payload, PAYLOAD_TYPE, referee))
    keys = folder.parent / "keys.json"
    keys.write_bytes(write_jwks([referee.public_key]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
