import json
import struct
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes, hmac
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from hypothesis import given
from hypothesis import strategies as st

from ginref.engine.card import PACK, Card, Suit
from ginref.engine.deck import (
    derive_deck,
    derive_key,
    draw_first_dealer,
    draw_lots,
    permute_suits,
    seed_secret,
)
from ginref.engine.seat import Seat

GOLDEN = Path(__file__).parents[2] / "golden" / "decks.json"
DECKS = json.loads(GOLDEN.read_text(encoding="utf-8"))

secrets = st.binary(min_size=32, max_size=32)
deals = st.integers(0, 2**32 - 1)


def golden(kind: str) -> list[Any]:
    return [
        pytest.param(vector, id=f"{vector['secret'][:8]}-{at}")
        for at, vector in enumerate(DECKS[kind])
    ]


def key_of(secret: bytes, info: bytes, k: int) -> bytes:
    """The key of a shuffle, by an HKDF that is not ours."""
    info += struct.pack(">I", k)
    return HKDF(hashes.SHA256(), length=32, salt=b"", info=info).derive(secret)


def order_of(count: int, key: bytes) -> list[int]:
    """The order of a shuffle, from a stream made longer until it suffices."""
    stream, position, order = b"", 0, list(range(count))
    for i in reversed(range(1, count)):
        while True:
            if position + 2 > len(stream):
                mac = hmac.HMAC(key, hashes.SHA256())
                mac.update(struct.pack(">Q", len(stream) // 32))
                stream += mac.finalize()
            value = stream[position] * 256 + stream[position + 1]
            position += 2
            if value < 65536 - 65536 % (i + 1):
                break
        j = value % (i + 1)
        order[i], order[j] = order[j], order[i]
    return order


@pytest.mark.parametrize("vector", golden("decks"))
def test_a_published_deck_stays(vector: dict[str, Any]) -> None:
    deck = derive_deck(bytes.fromhex(vector["secret"]), vector["k"])

    assert " ".join(map(str, deck)) == vector["deck"]


@pytest.mark.parametrize("vector", golden("first_dealers"))
def test_a_published_first_dealer_stays(vector: dict[str, Any]) -> None:
    seats = [Seat.parse(text) for text in vector["seats"]]

    assert (
        str(draw_first_dealer(bytes.fromhex(vector["secret"]), seats))
        == (vector["first_dealer"])
    )


@pytest.mark.parametrize("vector", golden("suits"))
def test_a_published_permutation_of_suits_stays(vector: dict[str, Any]) -> None:
    suits = permute_suits(bytes.fromhex(vector["secret"]), vector["k"])

    assert "".join(map(str, suits)) == vector["suits"]


@pytest.mark.parametrize("vector", golden("lots"))
def test_published_lots_stay(vector: dict[str, Any]) -> None:
    lots = draw_lots(bytes.fromhex(vector["secret"]), vector["count"])

    assert list(lots) == vector["lots"]


@pytest.mark.parametrize("vector", golden("seeds"))
def test_a_published_seed_stays(vector: dict[str, Any]) -> None:
    assert seed_secret(vector["text"]).hex() == vector["secret"]


@given(secrets, deals)
def test_another_implementation_derives_the_same_deck(secret: bytes, k: int) -> None:
    order = order_of(52, key_of(secret, b"ginref/deck/v1", k))

    assert [card.index for card in derive_deck(secret, k)] == order


@given(st.binary(min_size=1, max_size=100), deals)
def test_another_implementation_derives_the_same_key(secret: bytes, k: int) -> None:
    assert derive_key(secret, b"purpose", k) == key_of(secret, b"purpose", k)


@given(secrets, st.integers(1, 400))
def test_another_implementation_draws_the_same_lots(secret: bytes, count: int) -> None:
    key = key_of(secret, b"ginref/lots/v1", 0)

    assert list(draw_lots(secret, count)) == order_of(count, key)


@given(secrets, deals)
def test_another_implementation_permutes_the_same_suits(secret: bytes, k: int) -> None:
    order = order_of(4, key_of(secret, b"ginref/suits/v1", k))

    assert [suit.value for suit in permute_suits(secret, k)] == order


@given(secrets, st.sampled_from([2, 3]))
def test_another_implementation_draws_the_same_dealer(
    secret: bytes, count: int
) -> None:
    seats = list(Seat)[:count]
    order = order_of(count, key_of(secret, b"ginref/first-dealer/v1", 0))

    assert draw_first_dealer(secret, seats) is seats[order[0]]


def test_a_value_that_favours_the_first_places_is_thrown_away() -> None:
    # With 40,000 lots two draws in five are beyond the last multiple.
    key = key_of(bytes(32), b"ginref/lots/v1", 0)

    assert list(draw_lots(bytes(32), 40_000)) == order_of(40_000, key)


@given(secrets, deals)
def test_a_deck_holds_every_card_once(secret: bytes, k: int) -> None:
    deck = derive_deck(secret, k)

    assert sorted(deck) == list(PACK)


@given(secrets)
def test_every_deal_has_its_own_deck(secret: bytes) -> None:
    assert len({derive_deck(secret, k) for k in range(20)}) == 20


def test_every_card_comes_to_the_top_about_equally_often() -> None:
    secret = seed_secret("tops")

    tops: Counter[Card] = Counter(derive_deck(secret, k)[0] for k in range(5200))

    # Chi-squared with 51 degrees of freedom; one honest shuffle in 10,000 has 97.
    spread = sum((tops[card] - 100) ** 2 / 100 for card in PACK)
    assert spread < 97


def test_either_seat_may_deal_first() -> None:
    seats = [Seat.NORTH, Seat.SOUTH]
    dealers = [draw_first_dealer(seed_secret(str(n)), seats) for n in range(40)]

    assert set(dealers) == set(seats)


def test_suits_are_permuted() -> None:
    assert sorted(permute_suits(bytes(32), 0)) == list(Suit)


def test_there_may_be_no_lots() -> None:
    assert draw_lots(bytes(32), 0) == ()


def test_more_lots_than_values_are_refused() -> None:
    assert len(draw_lots(bytes(32), 65_536)) == 65_536
    with pytest.raises(ValueError, match="65537"):
        draw_lots(bytes(32), 65_537)


def test_seeds_are_not_shared_with_other_texts() -> None:
    assert seed_secret("") != seed_secret(" ")
    assert len(seed_secret("any text")) == 32
