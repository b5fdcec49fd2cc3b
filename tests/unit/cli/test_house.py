"""Where house bots find their referee, and which there can be."""

import pytest

from ginref.cli.house import _url, check_house
from ginref.foundation import StartError


@pytest.mark.parametrize(
    ("address", "is_secure", "url"),
    [
        ("127.0.0.1:7878", False, "http://127.0.0.1:7878"),
        ("0.0.0.0:7878", False, "http://127.0.0.1:7878"),
        ("[::]:7878", True, "https://[::1]:7878"),
        ("referee.example:443", True, "https://referee.example:443"),
    ],
)
def test_a_house_bot_reaches_the_referee_on_its_machine(
    address: str, *, is_secure: bool, url: str
) -> None:
    assert _url(address, is_secure=is_secure) == url


def test_only_bots_that_come_with_the_client_are_of_the_house() -> None:
    check_house(("simple", "careful"))
    check_house(())

    with pytest.raises(StartError, match=r"'clever': some of careful, simple expected"):
        check_house(("simple", "clever"))
