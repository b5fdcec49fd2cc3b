"""The lock files: pinned, hashed, fitting each other, and bound to no index."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RUNTIME = "requirements.lock"
DEVELOPMENT = "requirements-dev.lock"
PEERS = "requirements-peers.lock"
KAGGLE = "requirements-kaggle.lock"
IMAGE = "requirements-image.lock"
BUILD = "requirements-build.lock"
HELM = "requirements-helm.lock"
FUZZ = "requirements-fuzz.lock"
SCHEMATHESIS = "requirements-schemathesis.lock"
ENVOY = "requirements-envoy.lock"

each_lock = pytest.mark.parametrize(
    "lock",
    [
        pytest.param(RUNTIME, id="runtime"),
        pytest.param(DEVELOPMENT, id="development"),
        pytest.param(PEERS, id="peers"),
        pytest.param(KAGGLE, id="kaggle"),
        pytest.param(IMAGE, id="image"),
        pytest.param(BUILD, id="build"),
        pytest.param(HELM, id="helm"),
        pytest.param(FUZZ, id="fuzz"),
        pytest.param(SCHEMATHESIS, id="schemathesis"),
        pytest.param(ENVOY, id="envoy"),
    ],
)


def requirements(lock: str) -> list[str]:
    """The requirements of a lock, each with its marker and its hashes on one line."""
    text = (ROOT / lock).read_text(encoding="utf-8").replace("\\\n", "")
    return [
        line for line in text.splitlines() if line and not line.lstrip().startswith("#")
    ]


@each_lock
def test_every_package_is_pinned_by_version_and_hash(lock: str) -> None:
    pinned = re.compile(
        r"[a-z0-9-]+==([0-9]+!)?[0-9a-z.]+( ; .+?)? +(--hash=sha256:[0-9a-f]{64} *)+"
    )

    assert requirements(lock)
    assert [line for line in requirements(lock) if not pinned.fullmatch(line)] == []


@each_lock
def test_no_host_is_named(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")

    assert not re.search(r"://|-index|--find-links", text)


@pytest.mark.parametrize("lock", [RUNTIME, IMAGE, BUILD])
def test_the_development_lock_holds_what_is_shipped(lock: str) -> None:
    assert set(requirements(lock)) <= set(requirements(DEVELOPMENT))


def test_other_engines_bring_no_other_version_of_what_is_there() -> None:
    pinned = set(requirements(PEERS)) - set(requirements(DEVELOPMENT))
    here = {line.split("==")[0] for line in requirements(DEVELOPMENT)}

    assert not here & {line.split("==")[0] for line in pinned}


def test_an_audit_is_of_the_image_and_fails_where_nobody_can_be_asked() -> None:
    told = subprocess.run(
        ["make", "--dry-run", "audit"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )

    assert f"--requirement {IMAGE} --require-hashes" in told.stdout
    assert "--strict" in told.stdout
