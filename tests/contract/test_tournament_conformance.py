"""What every store of tournaments promises, asked of each of them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from itertools import count

import pytest
import pytest_asyncio

from ginref.adapters.memory_store import MemoryStore
from ginref.adapters.memory_tournament import MemoryTournaments
from ginref.adapters.redis_connection import RedisConnection
from ginref.adapters.redis_store import open_store
from ginref.adapters.redis_tournament import ALL, LIVE, tournament_keys
from ginref.app.match_store import EVERYTHING, MatchStore, Wake
from ginref.app.tournament_store import Addition, TournamentStore

BINARY = bytes(range(256))


@dataclass
class Table:
    """A store of tournaments, the same one as another process sees it, and wakes.

    Attributes:
        store: The store.
        second: The same one, as another process sees it.
        matches: The store of matches beside it.
        ahead: Sets the latest heartbeat beside a tournament ahead of the clock.
    """

    store: TournamentStore
    second: TournamentStore
    matches: MatchStore
    ahead: Callable[[str, int], Awaitable[None]]


@pytest_asyncio.fixture(
    params=[
        "memory",
        pytest.param("valkey", marks=pytest.mark.redis),
        pytest.param("redis", marks=pytest.mark.redis),
        pytest.param("sentinel", marks=pytest.mark.redis),
        pytest.param("cluster", marks=pytest.mark.redis),
    ]
)
async def table(request: pytest.FixtureRequest) -> AsyncIterator[Table]:
    if request.param == "memory":
        now, passed = count(1_700_000_000_000), 0
        matches = MemoryStore(lambda: next(now) + passed)
        store = MemoryTournaments(matches.wake, matches.now_ms)

        async def set_back(_name: str, by_ms: int) -> None:
            # Somebody was there all the time, and then the clock was set back.
            nonlocal passed
            for _ in range(by_ms // 1_000):
                passed += 1_000
                await matches.beat()
            passed -= by_ms

        yield Table(store, store, matches, set_back)
        return
    url = request.getfixturevalue(f"{request.param}_url")
    first, second = open_store(url), open_store(url)
    hand = RedisConnection(url)

    async def put_ahead(name: str, by_ms: int) -> None:
        await hand.command("HINCRBY", tournament_keys(name).beat, "at", by_ms)

    yield Table(first.tournaments(), second.tournaments(), first, put_ahead)
    await hand.aclose()
    await first.aclose()
    await second.aclose()


def addition(expected: int = 0, *entries: bytes, name: str = "cup") -> Addition:
    return Addition(
        tournament=name,
        expected=expected,
        entries=entries or (b"entry %d" % (expected + 1),),
    )


async def test_a_tournament_that_nobody_created_has_no_log(table: Table) -> None:
    stored = await table.store.read("cup")

    assert (stored.length, stored.entries) == (0, ())
    assert await table.store.live() == ()
    assert (await table.store.list_tournaments(10, None)).names == ()


async def test_entries_are_read_as_they_were_added(table: Table) -> None:
    assert await table.store.append(addition(0, BINARY, b"second"))
    assert await table.second.append(addition(2, b"third"))

    stored = await table.store.read("cup")

    assert (stored.length, stored.entries) == (3, (BINARY, b"second", b"third"))


async def test_only_what_is_new_is_read(table: Table) -> None:
    await table.store.append(addition(0, b"a", b"b", b"c"))

    assert (await table.second.read("cup", after=1)).entries == (b"b", b"c")
    beyond = await table.second.read("cup", after=3)
    assert (beyond.length, beyond.entries) == (3, ())


async def test_the_time_is_told_and_does_not_go_back(table: Table) -> None:
    first = await table.store.read("cup")
    await table.store.append(addition())

    assert (await table.store.read("cup")).now_ms >= first.now_ms > 1_600_000_000_000


async def test_time_is_that_of_the_matches_and_goes_on_from_the_latest_heartbeat(
    table: Table,
) -> None:
    await table.matches.beat()
    first = await table.store.read("cup")
    await table.ahead("cup", 3_600_000)

    later = await table.store.read("cup")
    assert later.now_ms - first.now_ms > 3_000_000


async def test_an_addition_to_a_log_of_another_length_is_not_stored(
    table: Table,
) -> None:
    await table.store.append(addition(0, b"a", b"b"))
    configured = Addition(
        tournament="cup", expected=1, entries=(b"c",), configuration=("d1", b"{}")
    )

    assert not await table.second.append(configured)
    assert not await table.second.append(addition(0))
    assert not await table.second.append(addition(3))

    assert (await table.store.read("cup")).entries == (b"a", b"b")
    assert await table.store.configuration("cup", "d1") is None


async def test_of_racing_additions_exactly_one_is_stored(table: Table) -> None:
    await table.store.append(addition())

    done = await asyncio.gather(
        *(
            store.append(addition(1, b"%d" % at))
            for at, store in enumerate([table.store, table.second] * 8)
        )
    )

    assert sum(done) == 1
    assert (await table.store.read("cup", after=1)).entries == (
        b"%d" % done.index(True),
    )


async def test_a_configuration_is_kept_with_the_entry_that_names_it(
    table: Table,
) -> None:
    for expected, digest in enumerate(("d1", "d2")):
        await table.store.append(
            Addition(
                tournament="cup",
                expected=expected,
                entries=(digest.encode(),),
                configuration=(digest, BINARY + digest.encode()),
            )
        )

    assert await table.second.configuration("cup", "d1") == BINARY + b"d1"
    assert await table.second.configuration("cup", "d2") == BINARY + b"d2"
    assert await table.second.configuration("other", "d1") is None


async def test_the_first_secret_is_kept(table: Table) -> None:
    assert await table.store.secret("cup") is None

    assert await table.store.keep_secret("cup", BINARY) == BINARY
    assert await table.second.keep_secret("cup", b"another") == BINARY

    assert await table.second.secret("cup") == BINARY
    assert await table.store.secret("other") is None


async def test_tournaments_are_apart(table: Table) -> None:
    await table.store.append(addition(name="cup"))
    await table.store.append(addition(0, b"x", b"y", name="league"))

    assert (await table.store.read("cup")).entries == (b"entry 1",)
    assert (await table.store.read("league")).length == 2


async def test_a_tournament_is_live_until_it_is_taken_off(table: Table) -> None:
    for name in ("cup", "league"):
        await table.store.append(addition(name=name))
    assert set(await table.second.live()) == {"cup", "league"}

    await table.store.leave_live("cup")
    await table.store.leave_live("cup")
    await table.store.append(addition(1))

    assert await table.second.live() == ("league",)


async def test_tournaments_are_listed_newest_first_page_by_page(
    table: Table,
) -> None:
    names = [f"cup-{at}" for at in range(7)]
    for name in names:
        await table.store.append(addition(name=name))
    await table.store.append(addition(1, name="cup-0"))

    seen: list[str] = []
    cursor = None
    while True:
        page = await table.second.list_tournaments(3, cursor)
        seen += page.names
        cursor = page.cursor
        if cursor is None:
            break

    # Within a millisecond the name decides.
    assert sorted(seen) == names
    assert len(seen) == len(set(seen))


async def test_a_cursor_that_is_none_is_refused(table: Table) -> None:
    with pytest.raises(ValueError, match="not a cursor"):
        await table.store.list_tournaments(3, "yesterday")


async def test_whoever_follows_is_woken_by_entries_and_by_word(table: Table) -> None:
    wakes = table.matches.wakes()
    assert await anext(wakes) == EVERYTHING

    await table.second.append(addition())
    await table.second.append(addition(7))
    await table.second.wake("bot/north")

    assert await anext(wakes) == Wake("tournament/cup")
    assert await anext(wakes) == Wake("bot/north")
    await wakes.aclose()


@pytest.mark.parametrize("name", ["cup", "a.b_c-d", "x" * 32])
def test_what_a_script_changes_lives_on_one_node(name: str) -> None:
    keys = tournament_keys(name)

    places = (keys.log, keys.configuration, keys.secret, keys.beat, keys.wake)
    assert len({key.split("}")[0] for key in places}) == 1
    assert ALL.split("}")[0] == LIVE.split("}")[0]
