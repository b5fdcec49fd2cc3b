from pathlib import Path

import pytest
from typer.testing import CliRunner

from ginref.adapters.key_folder import KeyFolder
from ginref.cli.keys import app
from ginref.record.public_key import read_public_keys


def test_a_new_key_is_the_active_one(tmp_path: Path) -> None:
    folder = str(tmp_path / "keys")

    first = CliRunner().invoke(app, ["new", "--folder", folder])
    second = CliRunner().invoke(app, ["new", "--folder", folder])

    assert (first.exit_code, second.exit_code) == (0, 0)
    keys = KeyFolder(tmp_path / "keys")
    active, older = second.stdout.splitlines()
    assert active == f"{keys.active_id}  active"
    assert first.stdout == f"{older}  active\n"


def test_keys_are_listed_with_the_active_one_first(tmp_path: Path) -> None:
    KeyFolder.new(tmp_path)
    keys = KeyFolder.new(tmp_path)

    result = CliRunner().invoke(app, ["list"], env={"GINREF_KEYS": str(tmp_path)})

    assert result.exit_code == 0
    words = [line.split()[0] for line in result.stdout.splitlines()]
    assert words == list(keys.public_keys)


@pytest.mark.parametrize("options", [(), ("--pem",)], ids=["jwks", "pem"])
def test_public_keys_are_what_a_verifier_reads(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    KeyFolder.new(tmp_path)
    keys = KeyFolder.new(tmp_path)

    result = CliRunner().invoke(app, ["public", "--folder", str(tmp_path), *options])

    assert result.exit_code == 0
    assert read_public_keys(result.stdout_bytes) == keys.public_keys
    assert b"PRIVATE" not in result.stdout_bytes


def test_a_folder_of_somebody_else_is_one_line_of_complaint(tmp_path: Path) -> None:
    (tmp_path / "passwd").write_text("somebody else's")

    result = CliRunner().invoke(app, ["new", "--folder", str(tmp_path)])

    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        f"ginref keys: {tmp_path} holds other things: keys need a folder of their own\n"
    )


def test_a_folder_without_keys_is_one_line_of_complaint(tmp_path: Path) -> None:
    folder = tmp_path / "nowhere"

    result = CliRunner().invoke(app, ["list", "--folder", str(folder)])

    assert result.exit_code == 1
    assert result.stderr == f"ginref keys: {folder} is no folder\n"


def test_a_folder_that_cannot_be_written_is_one_line_of_complaint(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("")

    result = CliRunner().invoke(app, ["new", "--folder", str(tmp_path / "file")])

    assert result.exit_code == 1
    assert result.stderr.startswith(f"ginref keys: {tmp_path}/file cannot be written")
    assert len(result.stderr.splitlines()) == 1
