import subprocess
import sys

WITHOUT = """
import sys
from ginref.cli import main
sys.modules[{name!r}] = None
sys.argv = ["ginref", "serve"]
main()
"""


def serve_without(name: str) -> "subprocess.CompletedProcess[str]":
    """Run the command where a module cannot be imported."""
    return subprocess.run(
        [sys.executable, "-c", WITHOUT.format(name=name)],
        capture_output=True,
        check=False,
        text=True,
        timeout=60,
    )


def test_a_missing_package_of_the_server_is_said_how_to_get() -> None:
    ended = serve_without("redis")

    assert ended.returncode == 2
    assert ended.stderr == ("ginref serve: redis is missing: install ginref[server]\n")


def test_a_missing_module_of_our_own_is_not_to_be_installed() -> None:
    ended = serve_without("ginref.transport.server")

    assert ended.returncode == 1
    assert "install" not in ended.stderr
    assert "import of ginref.transport.server halted" in ended.stderr
