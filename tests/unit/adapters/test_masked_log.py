"""The log of a referee: whatever is logged, no card can be read there."""

import base64
import hashlib
import io
import logging
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ginref.adapters.masked_log import JsonFormatter, MaskingFormatter
from ginref.engine.card import PACK, CardSet
from ginref.engine.match import Match
from ginref.engine.meld import DeclaredMeld, find_meld
from ginref.engine.move import Discard, Knock
from ginref.engine.phase import throw_after_stock
from ginref.engine.seat import Seat
from ginref.engine.view import public_view, view_for
from ginref.record.entry import Moved, Refused, StampedEntry
from ginref.record.lifecycle import MatchState, begin, step
from ginref.record.setup import Setup

RUN = find_meld(CardSet.parse("9h Th Jh"))
DECLARED = DeclaredMeld.parse("9hThJh")
TEXTS = {str(card) for card in PACK}
SECRET = hashlib.sha256(b"a secret").digest()


FORMS: dict[str, logging.Formatter] = {
    "text": MaskingFormatter("%(levelname)s %(name)s: %(message)s"),
    "JSON": JsonFormatter(),
}

in_each_form = pytest.mark.parametrize("form", FORMS)


@contextmanager
def log_book(form: str = "text") -> Iterator[tuple[logging.Logger, io.StringIO]]:
    """A logger that takes everything, and what it has written."""
    book = io.StringIO()
    handler = logging.StreamHandler(book)
    handler.setFormatter(FORMS[form])
    logger = logging.getLogger("ginref.test")
    logger.setLevel(logging.DEBUG)
    logger.addHandler(handler)
    yield logger, book
    logger.removeHandler(handler)


def cards_in(text: str) -> set[str]:
    """Return all cards that stand in a text, alone or in a row."""
    found: set[str] = set()
    for word in re.findall("[0-9A-Za-z]+", text):
        pairs = {word[at : at + 2] for at in range(0, len(word), 2)}
        if pairs <= TEXTS:
            found |= pairs
    return found


@pytest.fixture(scope="module")
def state(
    play_match: Callable[[int], tuple[Setup, tuple[StampedEntry, ...]]],
) -> MatchState:
    """A match in play, after a round that ended in a knock."""
    setup, log = play_match(4)
    now = begin(setup)
    for logged in log[1:]:
        now = step(now, logged.entry)
        if now.match and now.match.last_result and now.match.round.turns > 4:
            return now
    pytest.fail("no round ended in a knock")


def _game(state: MatchState) -> Match:
    assert state.match is not None
    return state.match


VALUES: dict[str, Callable[[MatchState], object]] = {
    "the match": lambda state: state,
    "the round": lambda state: _game(state).round,
    "the deck": lambda state: _game(state).round.deck,
    "a hand": lambda state: _game(state).round.hands[0],
    "hands as text": lambda state: " / ".join(map(str, _game(state).round.hands)),
    "a card": lambda state: _game(state).round.deck[-1],
    "a view": lambda state: view_for(_game(state), Seat.NORTH),
    "the public view": lambda state: public_view(_game(state)),
    "a drawn card": lambda _: throw_after_stock(PACK[7]),
    "a meld": lambda _: RUN,
    "a meld as text": lambda _: str(RUN),
    "a move as text": lambda _: f"knock Td {RUN}",
    "a move": lambda _: Moved(Seat.NORTH, "r", Discard(PACK[3]), 0),
    "a refused move": lambda _: Refused(
        Seat.NORTH, "r", Knock(PACK[3], (DECLARED,)), 0
    ),
    "a move as sent": lambda _: "'DISCARD kD' and tDjDqD",
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
@pytest.mark.parametrize("how", ["%s", "%r"])
@in_each_form
def test_no_card_can_be_read(
    state: MatchState, value: Callable[[MatchState], object], how: str, form: str
) -> None:
    shown = value(state)
    with log_book(form) as (logger, book):
        logger.debug(f"this is {how}", shown)  # noqa: G004 - as it may be

    assert "??" in book.getvalue()
    assert not cards_in(book.getvalue())
    assert "kD" not in book.getvalue()


@in_each_form
def test_no_card_can_be_read_in_an_exception_and_its_causes(
    state: MatchState, form: str
) -> None:
    hand, other = _game(state).round.hands
    with log_book(form) as (logger, book):
        error = ValueError(f"not in {other}")
        error.__cause__ = KeyError(hand)
        logger.error("fault %s", "5c6d", exc_info=error)

    assert "ValueError: not in ??" in book.getvalue()
    assert "KeyError: CardSet" in book.getvalue()
    assert not cards_in(book.getvalue())


@pytest.mark.parametrize(
    "written",
    [
        pytest.param(SECRET.hex(), id="hexadecimal"),
        pytest.param(SECRET.hex().upper(), id="hexadecimal in capitals"),
        pytest.param(repr(SECRET), id="bytes"),
        pytest.param(repr(b"it's " + SECRET), id="bytes with a quote"),
        pytest.param(str(list(SECRET)), id="numbers"),
        pytest.param(str(int.from_bytes(SECRET)), id="a number"),
        pytest.param(base64.b64encode(SECRET).decode(), id="base64"),
        pytest.param(base64.urlsafe_b64encode(SECRET).decode(), id="base64 of URLs"),
        pytest.param(base64.b32encode(SECRET).decode(), id="base32"),
        pytest.param("gr_" + base64.b32encode(SECRET).decode().lower(), id="a token"),
    ],
)
def test_no_secret_can_be_read_in_an_exception(written: str) -> None:
    with log_book() as (logger, book):
        logger.error("fault 5c6d", exc_info=ValueError(f"it is <{written}>, is it"))

    assert book.getvalue().endswith("ValueError: it is <??>, is it\n") or (
        "ValueError: it is <[??]>, is it" in book.getvalue()
    )


def test_where_an_exception_comes_from_can_be_read() -> None:
    with log_book() as (logger, book):
        try:
            "".index("fault 9c4d1a7be2f03a58")
        except ValueError:
            logger.exception("match m5x2abcdefghijk2 cannot be read")

    assert f'File "{__file__}", line' in book.getvalue()
    assert "match m5x2abcdefghijk2 cannot be read" in book.getvalue()
    assert '"".index("fault 9c4d1a7be2f03a58")' in book.getvalue()


def test_no_secret_of_a_deal_can_be_read(state: MatchState) -> None:
    secrets = [state.setup.referee_share, *filter(None, state.shares)]
    with log_book() as (logger, book):
        logger.debug("this is %r", state)

    assert len(secrets) > 1
    for secret in secrets:
        assert repr(secret)[2:-1] not in book.getvalue()


@pytest.mark.parametrize(
    "text",
    [
        "fault 9c4d1a7be2f03a58: KeyError",
        "match m5x2 is void: 12 versions are lost",
        "nobody swept for 2500 ms: credited to all clocks",
        "bot jack attaches with 'ginref-python/0.1.0 Ace'",
        "2026-11-30 04:08:03,123 INFO ginref.app: as usual, ad hoc",
    ],
)
def test_other_words_stay_as_they_are(text: str) -> None:
    with log_book() as (logger, book):
        logger.info(text)

    assert book.getvalue() == f"INFO ginref.test: {text}\n"


def test_the_log_of_a_referee_is_masked() -> None:
    program = """
from ginref.adapters.masked_log import log_to_stderr
import logging
log_to_stderr()
logging.getLogger("any").error("the stock is %s", "Kd Qs 2h")
"""
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert ran.stderr.endswith(" ERROR any: the stock is ?? ?? ??\n")


def test_who_fails_to_connect_writes_nothing_into_the_log(tmp_path: Path) -> None:
    program = """
import asyncio, ginref.__main__, grpc.aio, sys
from pathlib import Path
from ginref.adapters.self_signed import keep_certificate
async def serve():
    chain, key = keep_certificate(Path(sys.argv[1]), ["127.0.0.1"])
    pair = (key.read_bytes(), chain.read_bytes())
    server = grpc.aio.server()
    secure = grpc.ssl_server_credentials([pair])
    port = server.add_secure_port("127.0.0.1:0", secure)
    await server.start()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"this is no TLS")
    print(await reader.read())
    writer.close()
    await server.stop(0)
asyncio.run(serve())
"""
    ran = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert ran.stdout
    assert ran.stderr == ""
