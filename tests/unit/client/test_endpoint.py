import pytest

from ginref_client.endpoint import Endpoint, parse_endpoints
from ginref_client.error import EndpointError


@pytest.mark.parametrize(
    ("url", "target", "secure"),
    [
        ("127.0.0.1:7878", "127.0.0.1:7878", False),
        ("localhost:7878", "localhost:7878", False),
        ("[::1]:7878", "[::1]:7878", False),
        ("http://127.0.0.1:7878", "127.0.0.1:7878", False),
        ("referee.example:7878", "referee.example:7878", True),
        ("https://referee.example", "referee.example:443", True),
        ("https://127.0.0.1:7878", "127.0.0.1:7878", True),
        ("unix:/run/referee.sock", "unix:/run/referee.sock", False),
    ],
)
def test_an_address_is_read(url: str, target: str, secure: bool) -> None:  # noqa: FBT001
    assert Endpoint.parse(url) == Endpoint(target, secure)


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("", "expected"),
        ("referee", "expected"),
        ("127.0.0.1", "expected"),
        ("ftp://referee.example:1", "expected"),
        ("127.0.0.1:many", "not a number"),
        ("http://referee.example:7878", "unencrypted"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused(url: str, text: str) -> None:
    with pytest.raises(EndpointError, match=text):
        Endpoint.parse(url)


def test_plaintext_off_this_machine_must_be_wanted() -> None:
    endpoint = Endpoint.parse("http://referee.example:7878", allow_plaintext=True)

    assert not endpoint.secure
    assert str(endpoint) == "http://referee.example:7878"


def test_several_addresses_come_as_one_text_or_a_sequence() -> None:
    text = parse_endpoints("127.0.0.1:1, 127.0.0.1:2,")

    assert text == parse_endpoints(["127.0.0.1:1", "127.0.0.1:2"])
    assert len(text) == 2
    with pytest.raises(EndpointError, match="no address"):
        parse_endpoints(" , ")
