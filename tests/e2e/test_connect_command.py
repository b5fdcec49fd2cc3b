"""What `ginref connect` says when a referee does not let it in."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.e2e.host import OPERATOR, SEATED, SPECTATOR, Host

UNKNOWN = "unknown"

REFUSED = [
    pytest.param(UNKNOWN, "TOKEN_UNKNOWN: ", id="nobody's token"),
    pytest.param(OPERATOR, "ROLE_NOT_ALLOWED: ", id="the operator's token"),
    pytest.param(SPECTATOR, "ROLE_NOT_ALLOWED: ", id="a spectator's token"),
]


@pytest.mark.parametrize(("whose", "said"), REFUSED)
def test_a_wrong_token_ends_it_with_one_complaint(
    host: Host, tmp_path: Path, whose: str, said: str
) -> None:
    secret = host.tokens.get(whose) or host.tokens[SEATED[0]][::-1]
    token = tmp_path / "token"
    token.write_text(secret)
    command = [
        *(sys.executable, "-m", "ginref", "connect", host.process.address),
        *("--bot", "simple", "--state", str(tmp_path / "state")),
        *("--token-file", str(token)),
    ]

    ended = subprocess.run(
        command, capture_output=True, check=False, text=True, timeout=60
    )

    assert ended.returncode == 1
    assert not ended.stdout
    # Before it, a referee that was busy may have been asked again.
    *_, line = lines = ended.stderr.splitlines()
    assert line.startswith(f"ginref connect: {said}")
    assert sum(one.startswith("ginref connect:") for one in lines) == 1
    assert secret not in ended.stderr
