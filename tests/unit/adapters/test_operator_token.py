"""The file with the operator's token, whoever has put it there."""

import logging
import time
from pathlib import Path

import pytest

from ginref.adapters.memory_registry import MemoryRegistry
from ginref.adapters.operator_token import OPERATOR_TOKEN, keep_operator_token
from ginref.adapters.secret_file import SecretFileError, is_mounted
from ginref.app.caller import Role
from ginref.app.gate import Gate
from ginref.bootstrap import SecretChance

OURS = "gr_" + "k7" * 26


@pytest.fixture
def gate() -> Gate:
    """Whoever lets callers in."""
    return Gate(MemoryRegistry(), SecretChance(), lambda: time.time_ns() // 1_000_000)


def write(folder: Path, text: str, mode: int = 0o600) -> Path:
    path = folder / OPERATOR_TOKEN
    path.write_text(text)
    path.chmod(mode)
    return path


async def test_the_first_start_makes_one_and_the_next_keeps_it(
    gate: Gate, tmp_path: Path
) -> None:
    path = await keep_operator_token(tmp_path, gate)
    made = path.read_text()

    again = await keep_operator_token(tmp_path, gate)

    caller = await gate.authenticate(made.strip())
    assert caller.role is Role.OPERATOR
    assert again.read_text() == made
    assert path.stat().st_mode & 0o777 == 0o600


async def test_one_that_the_host_has_made_becomes_the_operators(
    gate: Gate, tmp_path: Path
) -> None:
    write(tmp_path, f"{OURS}\n", 0o440)

    path = await keep_operator_token(tmp_path, gate)

    assert path.read_text() == f"{OURS}\n"
    assert (await gate.authenticate(OURS)).role is Role.OPERATOR


@pytest.mark.parametrize("text", ["", "a password", OURS + "\n" + OURS])
async def test_one_that_is_none_is_made_anew(
    gate: Gate, tmp_path: Path, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    write(tmp_path, text)

    with caplog.at_level(logging.WARNING):
        path = await keep_operator_token(tmp_path, gate)

    assert path.read_text() != text
    assert (await gate.authenticate(path.read_text().strip())).role is Role.OPERATOR
    assert "made anew" in caplog.text


async def test_one_that_was_revoked_is_made_anew_unless_it_is_mounted(
    gate: Gate, tmp_path: Path
) -> None:
    path = write(tmp_path, OURS)
    await keep_operator_token(tmp_path, gate)
    operator = await gate.authenticate(OURS)
    await gate.revoke_token(operator, operator.token_id)

    await keep_operator_token(tmp_path, gate)

    assert path.read_text() != OURS
    assert not is_mounted(path)


async def test_one_that_others_can_read_is_refused(gate: Gate, tmp_path: Path) -> None:
    write(tmp_path, OURS, 0o644)

    with pytest.raises(SecretFileError, match="open to others"):
        await keep_operator_token(tmp_path, gate)
