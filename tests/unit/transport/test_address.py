import pytest

from ginref.transport.address import Address, BindError


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("127.0.0.1:7878", "127.0.0.1", 7878),
        ("localhost:0", "localhost", 0),
        ("[::1]:65535", "::1", 65535),
        ("referee.example:1", "referee.example", 1),
    ],
)
def test_an_address_is_a_host_and_a_port(text: str, host: str, port: int) -> None:
    address = Address.parse(text)

    assert (address.host, address.port, str(address)) == (host, port, text)


@pytest.mark.parametrize(
    "text",
    ["", "7878", ":7878", "host", "host:", "host:x", "host:-1", "host:65536", "::1:7"],
)
def test_anything_else_is_none(text: str) -> None:
    with pytest.raises(BindError):
        Address.parse(text)


@pytest.mark.parametrize(
    ("text", "loopback"),
    [
        ("127.0.0.1:1", True),
        ("127.8.8.8:1", True),
        ("[::1]:1", True),
        ("localhost:1", True),
        ("0.0.0.0:1", False),
        ("[::]:1", False),
        ("10.0.0.1:1", False),
        ("localhost.example:1", False),
    ],
)
def test_loopback_is_known_by_its_address(
    text: str,
    loopback: bool,  # noqa: FBT001 - a column of the table
) -> None:
    assert Address.parse(text).is_loopback is loopback
