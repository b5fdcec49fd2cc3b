"""Nothing favours any card: honest deals pass for chance, and biased ones do not.

`make prove-deals` does the same with ten million deals.
"""

import ast
import hashlib
import hmac
import itertools
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.statistics.deals import CARDS, LIMIT, Deal, Tally, deal_fairly, tally

from ginref.engine import deck
from ginref.engine.card import PACK, Card

ROOT = Path(__file__).parents[2]
SOURCES = {
    "ginref": ROOT / "service" / "ginref",
    "ginref_client": ROOT / "clients" / "python" / "ginref_client",
}
DEALS = 200_000
BIASED_DEALS = 20_000
"""A test that needs no more of them to see a bias sees it in all of them."""

CHANCE = {"numpy", "random", "secrets", "time", "uuid", "os", "importlib"}
"""Modules from which something could come into a deal that nobody committed to."""


def swap_anywhere(secret: bytes, k: int) -> list[int]:
    """Shuffle by swapping each place with any other one, the classic mistake."""
    cards = list(range(CARDS))
    stream = _stream(deck.derive_key(secret, b"ginref/deck/v1", k))
    for at in range(CARDS):
        other = next(stream) % CARDS
        cards[at], cards[other] = cards[other], cards[at]
    return cards


def draw_one_byte(secret: bytes, k: int) -> list[int]:
    """Shuffle with draws of one byte, none of them thrown away."""
    cards = list(range(CARDS))
    stream = _stream(deck.derive_key(secret, b"ginref/deck/v1", k))
    for last in range(CARDS - 1, 0, -1):
        at = (next(stream) & 0xFF) % (last + 1)
        cards[last], cards[at] = cards[at], cards[last]
    return cards


def stop_short(secret: bytes, k: int) -> list[int]:
    """Shuffle so that no card can stay where it was."""
    cards = list(range(CARDS))
    stream = _stream(deck.derive_key(secret, b"ginref/deck/v1", k))
    for last in range(CARDS - 1, 0, -1):
        at = next(stream) % last
        cards[last], cards[at] = cards[at], cards[last]
    return cards


def deal_twice(secret: bytes, k: int) -> list[int]:
    """Deal every second deal of a match as the one before it."""
    return deal_fairly(secret, k - k % 2)


def _stream(key: bytes) -> Iterator[int]:
    for counter in itertools.count():
        block = hmac.digest(key, counter.to_bytes(8, "big"), "sha256")
        for at in range(0, len(block), 2):
            yield int.from_bytes(block[at : at + 2], "big")


@pytest.mark.slow
def test_two_hundred_thousand_deals_pass_for_chance() -> None:
    counted = tally(DEALS, seed=1)

    assert counted.deals == DEALS
    assert all(sum(row.values()) == DEALS for row in counted.positions)
    assert all(abs(score) < LIMIT for score in counted.scores().values()), (
        counted.scores()
    )


@pytest.mark.parametrize(
    ("deal", "seen_by"),
    [
        pytest.param(swap_anywhere, "card by position", id="swaps anywhere"),
        pytest.param(draw_one_byte, "card by position", id="draws of one byte"),
        pytest.param(stop_short, "card by position", id="no card stays"),
        pytest.param(deal_twice, "top card after top card", id="deals repeated"),
    ],
)
def test_the_same_test_refuses_a_biased_shuffle(deal: Deal, seen_by: str) -> None:
    counted = tally(BIASED_DEALS, seed=1, deal=deal)

    assert counted.scores()[seen_by] > LIMIT


def test_counts_of_parts_add_up() -> None:
    whole, parts = tally(400, seed=3), Tally()
    for number in range(4):
        parts.add(tally(100, seed=3, first=number * 5))

    assert parts == whole


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6])
def test_of_all_draws_each_order_of_a_small_pack_comes_from_one(
    monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    pack = PACK[:count]
    orders: Counter[tuple[Card, ...]] = Counter()
    for draws in itertools.product(*(range(n) for n in range(count, 1, -1))):
        monkeypatch.setattr(deck, "_draw", lambda _, drawn=draws: iter(drawn))
        orders[deck._shuffle(pack, b"")] += 1  # noqa: SLF001 - whatever the key

    assert set(orders) == set(itertools.permutations(pack))
    assert set(orders.values()) == {1}


def test_swapping_anywhere_makes_some_orders_of_a_small_pack_more_often() -> None:
    orders: Counter[tuple[int, ...]] = Counter()
    for draws in itertools.product(range(3), repeat=3):
        cards = [0, 1, 2]
        for at, other in enumerate(draws):
            cards[at], cards[other] = cards[other], cards[at]
        orders[tuple(cards)] += 1

    assert sorted(orders.values()) == [4, 4, 4, 5, 5, 5]


def test_of_all_values_of_a_draw_each_place_gets_equally_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The one value too many of 65,536 is thrown away, and the next draw counts.
    places: Counter[tuple[Card, ...]] = Counter()
    thrown = 0
    for value in range(65_536):
        rest = iter((value, 0, 0))
        monkeypatch.setattr(deck, "_draw", lambda _, rest=rest: rest)
        order = deck._shuffle(PACK[:3], b"")  # noqa: SLF001 - whatever the key
        if list(rest):
            places[order] += 1
        else:
            thrown += 1

    assert set(places.values()) == {21_845}
    assert (len(places), thrown) == (3, 1)


def imported(module: str) -> set[str]:
    """What a module of ours imports, by its syntax."""
    package, *names = module.split(".")
    path = SOURCES[package].joinpath(*names)
    source = path.with_suffix(".py") if not path.is_dir() else path / "__init__.py"
    found: set[str] = set()
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module is not None
            found.add(node.module)
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found.update(name for name in inner if is_ours(name))
    return found


def is_ours(module: str) -> bool:
    package, *names = module.split(".")
    if package not in SOURCES:
        return False
    path = SOURCES[package].joinpath(*names)
    return path.is_dir() or path.with_suffix(".py").exists()


def reach(*roots: str) -> dict[str, set[str]]:
    """Every module of ours that roots lead to, with what it imports."""
    found: dict[str, set[str]] = {}
    waiting = list(roots)
    while waiting:
        module = waiting.pop()
        if module not in found:
            found[module] = imported(module)
            waiting += [name for name in found[module] if is_ours(name)]
    return found


def chance_in(modules: dict[str, set[str]]) -> set[tuple[str, str]]:
    return {
        (module, name)
        for module, names in modules.items()
        for name in names
        if name.partition(".")[0] in CHANCE
    }


def test_no_chance_comes_into_a_deal_but_what_was_committed_to() -> None:
    path = reach("ginref.engine.deck", "ginref.record.share", "ginref.record.lifecycle")

    assert {"ginref.engine.match", "ginref.engine.round"} <= set(path)
    assert chance_in(path) == set()


def test_the_gate_sees_chance_where_there_is_some() -> None:
    assert ("ginref.bootstrap", "secrets") in chance_in(reach("ginref.bootstrap"))
    assert ("ginref_client.backoff", "random") in chance_in(
        reach("ginref_client.backoff")
    )


def test_a_referee_draws_nothing_from_a_generator_that_can_be_guessed() -> None:
    modules = {
        ".".join(("ginref", *path.relative_to(SOURCES["ginref"]).with_suffix("").parts))
        for path in SOURCES["ginref"].rglob("*.py")
        if path.name != "__init__.py" and "v1" not in path.parts
    }

    weak = {
        module
        for module in modules
        if {"random", "numpy"} & {name.partition(".")[0] for name in imported(module)}
    }
    assert len(modules) > 100
    assert weak == set()


def test_a_share_of_a_bot_is_drawn_from_the_system() -> None:
    names = imported("ginref_client.evidence")

    assert "secrets" in names
    assert "random" not in names


def test_the_fair_deal_is_the_referees_own() -> None:
    secret = hashlib.sha256(b"a secret").digest()

    assert deal_fairly(secret, 3) == [
        card.index for card in deck.derive_deck(secret, 3)
    ]
