"""Where house bots find their referee, and which there can be."""

import pytest

from ginref.cli.house import own_url
from ginref.setting_kind import HOUSE_BOTS
from ginref_client.loading import BUILT_IN


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
    assert own_url(address, is_secure=is_secure) == url


def test_the_bots_of_the_house_are_those_that_come_with_the_client() -> None:
    assert list(HOUSE_BOTS) == list(BUILT_IN)
