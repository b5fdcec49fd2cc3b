"""`ginref tournament rehearse` comes to its end whatever goes wrong."""

import subprocess
import sys
from pathlib import Path

from tests.e2e.table import PATIENCE

FILE = """\
name: rehearsed
match: {ruleset: {name: short, preset: gin, game_target: 10}}
stages:
  - name: main
    format: round_robin
"""


def test_a_tournament_survives_its_rehearsal(folder: Path) -> None:
    file, place = folder / "cup.yaml", folder / "all"
    file.write_text(FILE)

    done = subprocess.run(
        [
            *(sys.executable, "-m", "ginref", "tournament", "rehearse", str(file)),
            *("--entrants", "4", "--folder", str(place)),
        ],
        capture_output=True,
        check=False,
        text=True,
        timeout=3 * PATIENCE,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    for happening in (
        "bot-04 is gone",
        "bot-01 crashes",
        "bot-01 is started again",
        "the referee is there again",
        "6 of 6 fixtures are over",
        "rehearsed.json: VALID",
        "6 matches, 6 as their records say",
    ):
        assert happening in done.stdout
    assert len(list((place / "records").glob("*.json"))) == 6
