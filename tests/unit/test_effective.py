"""Which settings hold, whoever gives them."""

import tempfile
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from ginref.cli.config_file import from_file
from ginref.config import SETTINGS, ServeConfig
from ginref.effective import (
    Effective,
    effective,
    from_environment,
    from_options,
    to_environment,
)
from ginref.setting import FOREVER, ConfigError, Source, masked
from ginref.setting_kind import HOUSE_BOTS, Part

LETTERS = st.characters(min_codepoint=33, max_codepoint=0x17F)
WORDS = st.sampled_from(
    ["a", "B c", "#d", "e: f", "'", "~", "on", "7", "[g]", "ü", "é\u2028"]
)
VALUES: Mapping[str, st.SearchStrategy[object]] = {
    **dict.fromkeys(("data", "keys"), WORDS.map(Path)),
    **dict.fromkeys(("store", "archive"), WORDS),
    "listen": st.integers(10_000, 20_000).map(lambda port: f"127.0.0.1:{port}"),
    "admin": st.integers(10_000, 20_000).map(lambda port: f"[::1]:{port}"),
    "keep": st.integers(60, 36_500 * 86_400).map(lambda s: timedelta(seconds=s))
    | st.just(FOREVER),
    **dict.fromkeys(("dev", "allow_plaintext", "assume_durable"), st.booleans()),
    "roles": st.sets(st.sampled_from(Part)).map(
        lambda some: frozenset({Part.REFEREE, *some})
    ),
    "house": st.permutations(HOUSE_BOTS).map(tuple),
    "workers": st.integers(1, 64),
    **dict.fromkeys(("drain_ms", "connection_age_ms"), st.integers(0, 10**9)),
}
SOME = st.fixed_dictionaries({}, optional=dict(VALUES))


def texts(values: Mapping[str, object]) -> dict[str, str]:
    """Values as they are written in an environment."""
    return {name: SETTINGS[name].write(value) for name, value in values.items()}


def plain(values: Mapping[str, object]) -> dict[str, Any]:
    """Values as they are written in a file."""
    told: dict[str, Any] = dict(texts(values))
    for name, value in values.items():
        if SETTINGS[name].kind.plain in {bool, int}:
            told[name] = value
        elif SETTINGS[name].kind.plain is list:
            told[name] = told[name].split(",")
    return told


def read_file(text: str) -> Effective:
    """What holds when a file alone is read."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".yaml") as file:
        file.write(text)
        file.flush()
        try:
            return effective(from_file(Path(file.name)))
        except ConfigError as error:
            raise ConfigError(str(error).replace(file.name, "FILE")) from None


@settings(max_examples=25)
@given(SOME, SOME, SOME)
def test_an_option_goes_before_a_variable_and_that_before_a_file(
    file: dict[str, object], variables: dict[str, object], options: dict[str, object]
) -> None:
    written = read_file(yaml.safe_dump(plain(file))).told.values()
    environment = {
        SETTINGS[name].variable: text for name, text in texts(variables).items()
    }

    settled = effective(
        written, from_environment(environment), from_options(texts(options))
    )

    for name in SETTINGS:
        givers = {
            source: given[name]
            for source, given in (
                (Source.OPTION, options),
                (Source.ENVIRONMENT, variables),
                (Source.FILE, file),
            )
            if name in given
        }
        assert settled.source(name) is next(iter(givers), Source.DEFAULT)
        if givers:
            assert getattr(settled.config, name) == next(iter(givers.values()))


@settings(max_examples=25)
@given(SOME)
def test_a_worker_reads_the_settings_that_its_referee_has(
    values: dict[str, object],
) -> None:
    config = effective(from_options(texts(values))).config

    assert effective(from_environment(to_environment(config))).config == config


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("workers: two", "FILE:1: workers: 'two': a whole", id="a word"),
        pytest.param(
            "\nworkers: true", "FILE:2: workers: True: a whole", id="a switch"
        ),
        pytest.param("dev: 1", "FILE:1: dev: 1: true or false expected", id="a number"),
        pytest.param("listen: [a]", "FILE:1: listen: ['a']: HOST:PORT", id="a list"),
        pytest.param(
            "house: [{}]", "FILE:1: house: [{}]: some of", id="a map in a list"
        ),
        pytest.param("keep: 30", "FILE:1: keep: 30: a time like", id="no unit"),
        pytest.param("data:", "FILE:1: data: a value is missing", id="nothing"),
        pytest.param('data: "\\0"', "FILE:1: data: ", id="no character of a path"),
        pytest.param("store: 5", "FILE:1: store: ***: a URL expected", id="a secret"),
        pytest.param(
            "drain-ms: 5",
            "FILE:1: drain-ms: no setting of that name; did you mean drain_ms?",
            id="another spelling",
        ),
        pytest.param("worker: 1", "FILE:1: worker: no setting", id="an inner setting"),
        pytest.param("zzz: 1", "FILE:1: zzz: no setting of that name", id="a stranger"),
        pytest.param("dev: true\ndev: true", "FILE:2: 'dev' comes twice", id="twice"),
        pytest.param("[dev]", "FILE: settings expected, each as", id="a list alone"),
        pytest.param("dev: {", "FILE:", id="no YAML"),
        pytest.param(
            "dev: 1\nkeep: 1",
            "FILE:1: dev: 1: true or false expected\nFILE:2: keep: 1: ",
            id="two at once",
        ),
        pytest.param(
            "tls_cert: x",
            "tls_cert and tls_key: give both or neither (FILE:1)",
            id="one without the other",
        ),
    ],
)
def test_what_is_wrong_in_a_file_is_named_with_its_line(text: str, told: str) -> None:
    with pytest.raises(ConfigError) as refused:
        read_file(text)

    assert str(refused.value).startswith(told)


VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner)
    ),
    max_leaves=3,
)


@settings(max_examples=40)
@given(st.sampled_from(sorted(SETTINGS)), VALUE)
def test_whatever_stands_in_a_file_is_read_or_refused_in_one_line(
    name: str, value: object
) -> None:
    try:
        read = SETTINGS[name].read(value, "FILE:1")
    except ConfigError as error:
        told = str(error)
        assert told.startswith("FILE:1: ")
        assert len(told.splitlines()) == 1
    else:
        text = SETTINGS[name].write(read)
        assert not text or SETTINGS[name].read(text, "") == read


def test_an_empty_file_gives_nothing() -> None:
    settled = read_file("# nothing\n")

    assert settled == Effective(ServeConfig(), {})


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"gone\.yaml cannot be read: No such file"):
        list(from_file(tmp_path / "gone.yaml"))


def test_a_secret_is_looked_for_only_where_it_holds(tmp_path: Path) -> None:
    kept = tmp_path / "url"
    kept.write_text("redis://a:b@store:1\n")

    config = effective(
        from_environment({"GINREF_STORE": "file:/nowhere/at/all"}),
        from_options({"store": f"file:{kept}"}),
    ).config

    assert config.store == "redis://a:b@store:1"


@settings(max_examples=50)
@given(
    st.text(LETTERS, min_size=1).map(lambda text: f"\u1e9e{text}\u1e9e"),
    st.sampled_from(
        [
            "redis://:{}@store:6379/0",
            "redis://ada:{}@store:6379/0?db=1",
            "rediss://store/?password={}",
            "redis+sentinel://ada:{}@one:1,two:2/main?sentinel_password={}",
            "ada:{}@store:6379",
            "{}",
        ]
    ),
)
def test_no_piece_of_a_password_is_shown(password: str, url: str) -> None:
    told = SETTINGS["store"].show(url.format(password, password))

    assert told is not None
    assert "\u1e9e" not in told
    assert told.startswith(("***", url.partition("://")[0]))


def test_what_is_no_secret_in_a_store_is_shown() -> None:
    assert masked("unix:///run/redis.sock") == "unix:///run/redis.sock"
    assert masked("redis://a:b@store:6379/0") == "redis://***@store:6379/0"
    assert masked("redis://store:6379/0?db=1") == "redis://store:6379/0?***"
