"""What a referee stands on, before its parts are there."""

import subprocess
import sys

LIMITED = """\
import resource
from ginref.foundation import FILES_MOST, allow_files
_, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (200, {hard}))
allow_files()
print(*resource.getrlimit(resource.RLIMIT_NOFILE), FILES_MOST)
"""


def _limits(hard: str) -> list[int]:
    done = subprocess.run(
        [sys.executable, "-c", LIMITED.format(hard=hard)],
        capture_output=True,
        check=True,
        text=True,
    )
    return [int(word) for word in done.stdout.split()]


def test_a_process_opens_as_many_files_as_it_may() -> None:
    soft, hard, most = _limits("hard")
    assert soft == (most if hard < 0 else min(hard, most))


def test_what_its_owner_allows_is_not_exceeded() -> None:
    assert _limits("300")[:2] == [300, 300]
