"""Referees that were joined, and the keys that are pinned."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from ginref.record.public_key import thumbprint
from ginref_client.joined import (
    Joined,
    JoinError,
    all_pinned,
    keep_joined,
    pin,
    read_joined,
)

FIRST, SECOND, THIRD = (
    {thumbprint(key): key} for key in (b"a" * 32, b"b" * 32, b"c" * 32)
)
URL = "https://referee.example:4433"


@pytest.fixture(autouse=True)
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep this user's own settings out of it."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path / "ginref" / "referees"


def joined(url: str = URL, keys: dict[str, bytes] = FIRST) -> Joined:
    return Joined(url=url, token="secret", roots=b"PEM", keys=keys)


def test_what_is_kept_is_found_again_by_any_spelling_of_the_address() -> None:
    keep_joined(joined())

    assert read_joined(URL) == read_joined("referee.example:4433") == joined()
    assert read_joined() == joined()
    assert read_joined("https://other.example:1") is None


def test_how_the_way_is_secured_is_kept(tmp_path: Path) -> None:
    whole = replace(
        joined(),
        server_name="localhost",
        certificate=(tmp_path / "tls.crt", tmp_path / "tls.key"),
    )
    keep_joined(whole)

    assert read_joined(URL) == whole


def test_a_file_from_before_certificates_of_bots_is_read() -> None:
    path = keep_joined(joined())
    facts = json.loads(path.read_text())
    del facts["server_name"], facts["certificate"]
    path.write_text(json.dumps(facts))

    assert read_joined(URL) == joined()


def test_nobody_else_can_read_the_token() -> None:
    path = keep_joined(joined())

    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o644)
    with pytest.raises(JoinError, match="open to others"):
        read_joined(URL)
    assert "secret" not in repr(joined())


def test_joining_again_replaces_what_was_kept(settings: Path) -> None:
    keep_joined(joined())
    keep_joined(joined(keys={**FIRST, **SECOND}))

    assert len([*settings.iterdir()]) == 1
    assert all_pinned() == {**FIRST, **SECOND}


def test_of_several_referees_one_has_to_be_named() -> None:
    keep_joined(joined())
    keep_joined(joined("https://second.example:1", SECOND))

    assert all_pinned() == {**FIRST, **SECOND}
    with pytest.raises(JoinError, match="name one"):
        read_joined()


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"url": 1}', '{"url":"","token":"","roots":1,"keys":{}}']
)
def test_a_file_of_something_else_is_refused_by_name(text: str) -> None:
    path = keep_joined(joined())
    path.write_text(text)

    with pytest.raises(JoinError, match="join again"):
        read_joined(URL)


def test_nothing_joined_is_nothing_pinned() -> None:
    assert read_joined() is None
    assert all_pinned() == {}


def test_the_first_keys_are_taken_as_they_are_shown() -> None:
    assert pin({}, FIRST, None) == FIRST


def test_a_rotated_key_is_taken_up_beside_one_that_is_known() -> None:
    assert pin(FIRST, {**FIRST, **SECOND}, None) == {**FIRST, **SECOND}


def test_a_key_that_was_pinned_is_never_forgotten() -> None:
    assert pin({**FIRST, **SECOND}, SECOND, None) == {**FIRST, **SECOND}


def test_a_referee_with_none_of_the_known_keys_is_another_one() -> None:
    with pytest.raises(JoinError, match="none of the keys"):
        pin(FIRST, SECOND, None)
    assert pin(FIRST, SECOND, next(iter(SECOND))) == {**FIRST, **SECOND}


def test_of_the_keys_beside_the_one_that_the_host_has_told_none_is_taken() -> None:
    shown = {**FIRST, **SECOND, **THIRD}

    assert pin({}, shown, next(iter(SECOND))) == SECOND
    assert pin(FIRST, shown, next(iter(SECOND))) == {**FIRST, **SECOND}


def test_the_key_that_the_host_has_told_must_be_there() -> None:
    with pytest.raises(JoinError, match="is not one of"):
        pin({}, {**FIRST, **SECOND}, next(iter(THIRD)))
    with pytest.raises(JoinError, match="shows no keys"):
        pin({}, {}, None)
