"""Store URLs, and what is read from them."""

import pytest

from ginref.adapters.redis_address import (
    Address,
    Login,
    StoreAddress,
    UnsupportedStoreError,
    Way,
    parse_store_url,
)

HERE = (Address("localhost", 6379),)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        pytest.param(
            "unix:///run/redis.sock",
            StoreAddress(way=Way.DIRECT, addresses=(Address("/run/redis.sock", 0),)),
            id="a socket",
        ),
        pytest.param(
            "unix://me:secret@/run/redis.sock?db=3",
            StoreAddress(
                way=Way.DIRECT,
                addresses=(Address("/run/redis.sock", 0),),
                login=Login("me", "secret"),
                database=3,
            ),
            id="a socket with a login",
        ),
        pytest.param(
            "redis://localhost",
            StoreAddress(way=Way.DIRECT, addresses=HERE),
            id="a host",
        ),
        pytest.param(
            "redis://:p%40ss@localhost:1234/2?replicas=1",
            StoreAddress(
                way=Way.DIRECT,
                addresses=(Address("localhost", 1234),),
                login=Login("", "p@ss"),
                database=2,
                replicas=1,
            ),
            id="a host with everything",
        ),
        pytest.param(
            "redis://[::1]:1234",
            StoreAddress(way=Way.DIRECT, addresses=(Address("::1", 1234),)),
            id="a host of the other protocol",
        ),
        pytest.param(
            "rediss://localhost?ssl_ca_certs=/ca.pem",
            StoreAddress(
                way=Way.DIRECT,
                addresses=HERE,
                tls=True,
                tls_options={"ssl_ca_certs": "/ca.pem"},
            ),
            id="a host by TLS",
        ),
        pytest.param(
            "redis+sentinel://a,b:1,[::1]/main?password=x&sentinel_password=y&db=1",
            StoreAddress(
                way=Way.SENTINEL,
                addresses=(
                    Address("a", 26379),
                    Address("b", 1),
                    Address("::1", 26379),
                ),
                service="main",
                login=Login("", "x"),
                sentinel_login=Login("", "y"),
                database=1,
            ),
            id="Sentinels",
        ),
        pytest.param(
            "rediss+cluster://me:x@a:1,b:2",
            StoreAddress(
                way=Way.CLUSTER,
                addresses=(Address("a", 1), Address("b", 2)),
                login=Login("me", "x"),
                tls=True,
            ),
            id="a cluster by TLS",
        ),
    ],
)
def test_a_store_url_says_where_the_store_is(url: str, expected: StoreAddress) -> None:
    assert parse_store_url(url) == expected


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:6379",
        "/run/redis.sock",
        "http://localhost",
        "redis+unknown://localhost",
        "redis://",
        "redis://:6379",
        "redis://localhost:port",
        "redis://localhost:0",
        "redis://localhost/main",
        "redis://a,b",
        "redis://localhost?replicas=-1",
        "redis://localhost?replicas=few",
        "redis://localhost?socket_timeout=1",
        "redis://localhost?ssl_ca_certs=/ca.pem",
        "unix://",
        "unix://localhost/run/redis.sock",
        "redis+sentinel://localhost",
        "redis+sentinel://localhost/main?replicas=0",
        "redis+sentinel:///main",
        "redis+cluster://localhost/main",
        "redis+cluster://localhost?db=1",
    ],
)
def test_another_url_is_refused(url: str) -> None:
    with pytest.raises(UnsupportedStoreError, match="store URL"):
        parse_store_url(url)


def test_no_message_and_no_text_holds_a_password() -> None:
    store = parse_store_url("redis://me:hunter2@localhost?sentinel_password=hunter3")

    assert "hunter" not in repr(store)
    with pytest.raises(UnsupportedStoreError) as caught:
        parse_store_url("redis://me:hunter2@localhost:x?password=hunter3")
    assert "hunter" not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "text"),
    [
        (Address("localhost", 6379), "localhost:6379"),
        (Address("::1", 6379), "[::1]:6379"),
        (Address("/run/redis.sock", 0), "/run/redis.sock"),
    ],
)
def test_an_address_is_written_as_people_do(address: Address, text: str) -> None:
    assert str(address) == text
