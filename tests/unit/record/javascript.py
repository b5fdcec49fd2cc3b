"""Node.js beside the second verifier."""

import shutil
import subprocess
from pathlib import Path

import pytest

JAVASCRIPT = Path(__file__).parents[3] / "clients" / "javascript"


def node(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """What a program says, in the folder of the second verifier."""
    program = shutil.which("node")
    if program is None:
        pytest.skip("no Node.js is installed")
    return subprocess.run(
        [program, *arguments],
        cwd=JAVASCRIPT,
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
