"""The image: what it is built from, and its program without any rights."""

import fnmatch
import json
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest
from tests.deploy.box import USER, Empty, opened
from tests.deploy.image import ROOT, Stage, final, stage_called, stages

from ginref.effective import effective, from_environment, from_options
from ginref.setting import PREFIX
from ginref.transport.page import BUILT


def context() -> set[PurePosixPath]:
    """Return the committed files that are sent to be built from."""
    listing = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    rules = [line for line in lines if line and not line.startswith("#")]
    names = {PurePosixPath(name) for name in listing.stdout.split("\0") if name}
    return {name for name in names if not _ignored(name, rules)}


def _ignored(name: PurePosixPath, rules: list[str]) -> bool:
    """Say whether the last rule that is about a file or its folder leaves it out."""
    ignored = False
    for rule in rules:
        pattern = rule.removeprefix("!")
        places = [str(name), *map(str, name.parents)][:-1]
        depth = pattern.count("/")
        for place in places:
            same = pattern.startswith("**/") or place.count("/") == depth
            tail = pattern.removeprefix("**/")
            tried = place.rpartition("/")[2] if pattern.startswith("**/") else place
            if same and fnmatch.fnmatchcase(tried, tail):
                ignored = not rule.startswith("!")
    return ignored


def test_the_context_holds_what_is_copied_and_little_else() -> None:
    sent = context()
    wanted = {path for stage in stages() for path in stage.copied()}

    for path in wanted:
        assert any(name.is_relative_to(path) for name in sent), path
    for name in sent:
        assert any(name.is_relative_to(path) for path in wanted), name


def test_nothing_is_run_by_a_shell_and_nothing_by_root() -> None:
    for stage in stages():
        for word in ("RUN", "ENTRYPOINT", "CMD", "VOLUME"):
            for given in stage.given(word):
                assert json.loads(given), given
    image = final()
    assert image.health_check()
    assert image.last("USER") == f"{USER}:{USER}"


def test_the_bases_are_one_version_of_python_and_one_of_node() -> None:
    text = (ROOT / "deploy/Dockerfile").read_text(encoding="utf-8")
    (python,) = re.findall(r"^ARG PYTHON=(.*)$", text, re.MULTILINE)
    (node,) = re.findall(r"^ARG NODE=(.*)$", text, re.MULTILINE)

    assert re.fullmatch(r"3\.1[1-9]\.\d+-slim-[a-z]+", python)
    assert re.fullmatch(r"2[0-9]\.\d+\.\d+-[a-z]+-slim", node)
    assert {one.name: one.base for one in stages()[:-1]} == {
        "pages": "node:${NODE}",
        "build": "python:${PYTHON}",
    }
    assert final().base == "python:${PYTHON}"


def test_the_pages_are_whole_in_the_wheel_of_the_image() -> None:
    # What fails to make them ends without them, and then this fails.
    (made,) = (
        given for given in stage_called("build").given("COPY") if "--from=" in given
    )

    source, place = made.removeprefix("--from=pages ").split()
    assert source == f"{stage_called('pages').last('WORKDIR')}/{place}"
    assert ROOT / place == BUILT


def test_packages_come_by_hash_from_the_lock_files() -> None:
    (installs) = [
        json.loads(given)
        for given in stage_called("build").given("RUN")
        if '"install",' in given
    ]
    fetching = [
        words for words in installs if "--no-index" not in words and "pip" in words
    ]

    assert len(fetching) == 2
    assert all("--require-hashes" in words for words in fetching)


def test_the_image_has_what_every_extra_wants() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    pinned = (ROOT / "requirements-image.lock").read_text(encoding="utf-8")
    names = {
        re.match(r"[a-z0-9-]+", wanted, re.IGNORECASE)[0].lower()  # type: ignore[index] # a name is first
        for part in extras.values()
        for wanted in part
    }

    assert names
    assert names <= set(re.findall(r"^([a-z0-9-]+)==", pinned, re.MULTILINE))


def test_the_variables_of_the_image_are_settings() -> None:
    image = final()
    settings = {
        name: value
        for name, value in image.environment().items()
        if name.startswith(PREFIX)
    }

    config = effective(
        from_environment(settings), from_options({"allow_plaintext": "true"})
    ).config

    addresses = (config.listen, config.http, config.admin)
    ports = {address.rpartition(":")[2] for address in addresses}
    assert set(image.last("EXPOSE").split()) == ports
    folders = {str(config.data), str(config.keys_folder), config.records}
    assert set(image.arguments("VOLUME")) == folders


def _built(folder: Path, umask: int, copy: Callable[[Path, Path], object]) -> Path:
    """Return the wheel that is built in a folder from what is copied."""
    wanted = {path for stage in stages() for path in stage.copied()}
    for name in context():
        if any(name.is_relative_to(path) for path in wanted) and (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            copy(ROOT / name, folder / name)
    (build,) = (
        words[1:]
        for words in map(json.loads, stage_called("build").given("RUN"))
        if "hatchling" in words
    )
    subprocess.run([sys.executable, *build], cwd=folder, check=True, umask=umask)
    (wheel,) = (folder / "dist").glob("*.whl")
    return wheel


@pytest.mark.slow
def test_the_wheel_is_built_from_what_is_copied_alone_and_is_always_the_same(
    tmp_path: Path,
) -> None:
    wheel = _built(tmp_path / "here", 0o022, shutil.copy)
    again = _built(tmp_path / "there" / "and later", 0o077, shutil.copyfile)

    assert wheel.name == again.name
    assert wheel.read_bytes() == again.read_bytes()
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
    shipped = {
        str(name.relative_to(root))
        for root in ("service", "clients/python")
        for name in context()
        if name.is_relative_to(root)
        and name.parts[len(PurePosixPath(root).parts)].startswith("ginref")
        # Those say how the pages are made.
        and not name.match("pages/package*.json")
    }
    assert shipped
    assert shipped - held == set()


def _volumes(image: Stage) -> dict[str, Empty]:
    return {path: Empty() for path in image.arguments("VOLUME")}


@pytest.mark.slow
def test_the_program_of_the_image_runs_without_rights_and_writes_to_volumes_alone() -> (
    None
):
    image = final()
    plain = {"GINREF_ALLOW_PLAINTEXT": "true"}
    with opened(_volumes(image), image.environment()) as box:
        command = [*image.arguments("ENTRYPOINT"), *image.arguments("CMD")]
        unready = box.run(image.health_check())
        process = box.start(command, plain)
        assert process.stdout is not None
        said = ""
        for line in process.stdout:
            said += line
            if "signing key" in line:
                break

        assert "is ready" in said, said
        assert box.run(image.health_check()).returncode == 0
        assert unready.returncode != 0
        for path in ("/", "/opt/ginref", "/tmp", "/var/lib/ginref", "/usr/local"):
            refused = box.run(["touch", f"{path}/mark"])
            assert "Read-only" in refused.stderr, path
        owners = box.run(
            ["stat", "--format=%u:%a", "/var/lib/ginref/data/operator.token"]
        )
        assert owners.stdout.strip() == f"{USER}:600"
        process.terminate()
        assert process.wait(timeout=60) == 0


@pytest.mark.slow
def test_the_program_of_the_image_wants_a_certificate_or_your_word() -> None:
    image = final()
    with opened(_volumes(image), image.environment()) as box:
        refused = box.run([*image.arguments("ENTRYPOINT"), *image.arguments("CMD")])

    assert refused.returncode == 2
    assert "give tls_cert and tls_key, or allow_plaintext" in refused.stderr
