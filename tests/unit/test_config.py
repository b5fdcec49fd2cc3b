from dataclasses import fields
from datetime import timedelta
from pathlib import Path

import pytest

from ginref.config import SETTINGS, ServeConfig
from ginref.effective import (
    effective,
    from_environment,
    from_options,
    to_environment,
)
from ginref.setting import FOREVER, ConfigError
from ginref.setting_kind import Part


def test_nothing_given_is_the_defaults() -> None:
    assert effective().config == ServeConfig()


def test_options_that_were_not_given_leave_the_environment_its_say() -> None:
    nothing = {field.name: None for field in fields(ServeConfig)}

    config = effective(
        from_environment({"GINREF_LISTEN": "127.0.0.1:1"}), from_options(nothing)
    ).config

    assert config == ServeConfig(listen="127.0.0.1:1")


def test_an_option_goes_before_the_environment() -> None:
    config = effective(
        from_environment({"GINREF_DRAIN_MS": "8"}), from_options({"drain_ms": "7"})
    ).config

    assert config.drain_ms == 7


READ = [
    pytest.param("data", "/srv/ginref", Path("/srv/ginref"), id="a path"),
    pytest.param("store", "redis://store:6379", "redis://store:6379", id="a text"),
    pytest.param("drain_ms", "0", 0, id="nothing"),
    pytest.param("drain_ms", "12000", 12_000, id="a number"),
    pytest.param("dev", "1", True, id="a switch that is on"),
    pytest.param("dev", "Yes", True, id="a switch in words"),
    pytest.param("allow_plaintext", "OFF", False, id="a switch that is off"),
    pytest.param("keep", "90s", timedelta(seconds=90), id="seconds"),
    pytest.param("keep", "14d", timedelta(days=14), id="days"),
    pytest.param("keep", "forever", FOREVER, id="no end"),
    pytest.param("house", "simple, careful", ("simple", "careful"), id="bots"),
    pytest.param("roles", "signer", frozenset({Part.SIGNER}), id="one role"),
    pytest.param(
        "roles",
        "referee, sweeper",
        frozenset({Part.REFEREE, Part.SWEEPER}),
        id="two roles",
    ),
]


@pytest.mark.parametrize(("name", "text", "value"), READ)
def test_a_setting_is_read_alike_from_both_sides(
    name: str, text: str, value: object
) -> None:
    variable = f"GINREF_{name.upper()}"

    assert getattr(effective(from_environment({variable: text})).config, name) == value
    config = effective(from_options({name: text})).config
    assert getattr(config, name) == value
    # What a worker is given is what its referee was.
    assert effective(from_environment(to_environment(config))).config == config


def test_a_store_with_a_password_may_stand_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "store"
    file.write_text("redis://ginref:secret@store:6379\n")

    config = effective(from_environment({"GINREF_STORE": f"file:{file}"})).config

    assert config.store == "redis://ginref:secret@store:6379"


@pytest.mark.parametrize("content", [None, b"\n", b"\xff"])
def test_a_file_without_a_store_is_named(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "store"
    if content is not None:
        file.write_bytes(content)

    with pytest.raises(ConfigError, match=rf"^--store: {file}\b"):
        effective(from_options({"store": f"file:{file}"}))


def test_an_archived_match_is_kept_for_a_month_unless_told_otherwise() -> None:
    assert ServeConfig().keep_ms == 30 * 24 * 60 * 60 * 1000
    assert ServeConfig(keep=FOREVER).keep_ms is None


REFUSED = [
    pytest.param({"GINREF_LISTN": "x"}, "GINREF_LISTN", id="a misspelt name"),
    pytest.param({"GINREF_keep": "7d"}, "GINREF_keep: no", id="small letters"),
    pytest.param({"GINREF_": "x"}, "GINREF_", id="no name"),
    pytest.param({"GINREF_STORE": ""}, "GINREF_STORE", id="no value"),
    pytest.param({"GINREF_DRAIN_MS": "-1"}, "GINREF_DRAIN_MS", id="less than nothing"),
    pytest.param(
        {"GINREF_DRAIN_MS": "\u0661"}, "GINREF_DRAIN_MS", id="digits of elsewhere"
    ),
    pytest.param(
        {"GINREF_CONNECTION_AGE_MS": str(2**31)}, "GINREF_CONNECTION_AGE_MS", id="ages"
    ),
    pytest.param({"GINREF_ARCHIVE": "s3://"}, "GINREF_ARCHIVE", id="no bucket"),
    pytest.param({"GINREF_DEV": "2"}, "GINREF_DEV", id="more than on"),
    pytest.param({"GINREF_ROLES": ","}, "GINREF_ROLES", id="roles without names"),
    pytest.param({"GINREF_ROLES": "Referee"}, "GINREF_ROLES", id="a role in capitals"),
    pytest.param({"GINREF_KEEP": "30"}, "GINREF_KEEP", id="a time without a unit"),
    pytest.param({"GINREF_KEEP": "59s"}, "GINREF_KEEP", id="less than a minute"),
    pytest.param({"GINREF_KEEP": "36501d"}, "GINREF_KEEP", id="more than a century"),
    pytest.param({"GINREF_KEEP": "9999999999d"}, "GINREF_KEEP", id="too long a number"),
    pytest.param({"GINREF_HOUSE": "simple,simple"}, "house", id="a bot twice"),
    pytest.param(
        {"GINREF_HOUSE": "simple", "GINREF_ROLES": "signer"}, "house", id="no place"
    ),
    pytest.param({"GINREF_HOUSE": "clever"}, "GINREF_HOUSE", id="no such bot"),
    pytest.param({"GINREF_TLS_CERT": "x"}, "tls_cert", id="half a certificate"),
    pytest.param(
        {"GINREF_TLS_CLIENT_CA": "x"}, "tls_client_ca and tls_cert", id="only roots"
    ),
    *(
        pytest.param(
            {
                **dict.fromkeys(("GINREF_TLS_CERT", "GINREF_TLS_KEY"), "x"),
                "GINREF_TLS_CLIENT_CA": "x",
                f"GINREF_{name.upper()}": value,
            },
            f"tls_client_ca and {name}",
            id=f"roots and {name}",
        )
        for name, value in [("share", "on"), ("house", "simple")]
    ),
    pytest.param(
        {"GINREF_SHARE": "on", "GINREF_ROLES": "signer"}, "share", id="nothing shared"
    ),
    pytest.param({"GINREF_LIMITS": "moves=x"}, "GINREF_LIMITS", id="no limit"),
    pytest.param({"GINREF_LOG_FORMAT": "xml"}, "GINREF_LOG_FORMAT", id="no such form"),
    pytest.param({"GINREF_LOG_LEVEL": "loud"}, "GINREF_LOG_LEVEL", id="no such level"),
    pytest.param({"GINREF_OTEL_ENDPOINT": "h:1"}, "GINREF_OTEL_ENDPOINT", id="no URL"),
    pytest.param({"GINREF_HTTP": "on"}, "GINREF_HTTP", id="no address of pages"),
    pytest.param(
        {"GINREF_HTTP": "127.0.0.1:7878"}, "listen and http", id="pages in the way"
    ),
    pytest.param({"GINREF_LISTEN": "here"}, "GINREF_LISTEN", id="no port"),
    pytest.param({"GINREF_LISTEN": "0.0.0.0:1"}, "listen", id="plain for others"),
    pytest.param(
        {"GINREF_ADMIN": "127.0.0.1:7878"}, "listen and admin", id="a port twice"
    ),
    pytest.param(
        {"GINREF_ADMIN": "127.0.0.1:7881", "GINREF_WORKERS": "4"},
        "listen and admin",
        id="rows of ports that meet",
    ),
]


@pytest.mark.parametrize(("environment", "named"), REFUSED)
def test_a_setting_that_cannot_be_used_is_named(
    environment: dict[str, str], named: str
) -> None:
    with pytest.raises(ConfigError, match=rf"^{named}\b"):
        effective(from_environment(environment))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("archive", "s3://me:hunter2@bucket"),
        ("otel_endpoint", "https://me:hunter2@collector"),
        ("http_origins", "https://me:hunter2@example.org"),
        ("listen", "me:hunter2@here"),
    ],
)
def test_a_password_where_none_belongs_is_not_told(name: str, text: str) -> None:
    with pytest.raises(ConfigError, match=rf"^--{name.replace('_', '-')}: ") as refused:
        effective(from_options({name: text}))

    assert "hunter2" not in str(refused.value)


def test_the_variable_of_the_file_is_hinted_at_as_well() -> None:
    with pytest.raises(ConfigError, match=r"mean GINREF_CONFIG\?"):
        effective(from_environment({"GINREF_CONFG": "x"}))


def test_an_option_that_is_no_setting_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"^--lisen: no setting .*mean --listen\?"):
        effective(from_options({"lisen": "x"}))


def test_who_gave_what_contradicts_is_told() -> None:
    with pytest.raises(
        ConfigError, match=r"^house and roles: .*\(--house, GINREF_ROLES\)$"
    ):
        effective(
            from_environment({"GINREF_ROLES": "signer"}),
            from_options({"house": "simple"}),
        )


def test_a_shared_referee_listens_everywhere_unless_told_otherwise() -> None:
    given = {"GINREF_SHARE": "on"}

    assert effective(from_environment(given)).config.listen == "0.0.0.0:7878"
    option = from_options({"listen": "127.0.0.1:1"})
    config = effective(from_environment(given), option).config
    assert config.listen == "127.0.0.1:1"


def test_no_role_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"^roles: at least one"):
        ServeConfig(roles=frozenset())


@pytest.mark.parametrize(
    "variable",
    [f"GINREF_{name}" for name in ("URL", "TOKEN", "TOKEN_FILE", "CLIENT_CERT")],
)
def test_what_bots_read_is_left_to_them(variable: str) -> None:
    assert effective(from_environment({variable: "x"})).config == ServeConfig()


def test_other_variables_are_nobodys_business() -> None:
    assert (
        effective(from_environment({"HOME": "/", "ginref_listen": "x"})).config
        == ServeConfig()
    )


def test_each_field_is_a_setting_with_a_help_that_is_a_sentence() -> None:
    assert list(SETTINGS) == [field.name for field in fields(ServeConfig)]
    for setting in SETTINGS.values():
        assert setting.help[0].isupper()
        assert setting.help.endswith(".")
        assert setting.default_text, setting.name
        if not setting.unset:
            assert setting.read(setting.default_text, "") == setting.default
