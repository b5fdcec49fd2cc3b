import re
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from ginref.adapters.key_file import Ed25519Signer
from ginref.adapters.key_folder import KeyFolder
from ginref.adapters.secret_file import replace_secret
from ginref.cli.keys import app
from ginref.record.public_key import read_public_keys

Run = Callable[..., Result]

NOBODY = "A" * 43


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run `ginref keys` on a folder that is named in the environment."""

    def invoke(*words: str) -> Result:
        place = {"GINREF_KEYS": str(tmp_path / "keys")}
        return CliRunner().invoke(app, list(words), env=place)

    return invoke


@pytest.fixture
def keys(tmp_path: Path) -> KeyFolder:
    """A folder with a key that signs."""
    return KeyFolder.open_or_create(tmp_path / "keys")


def test_the_first_key_signs_and_later_ones_wait(run: Run) -> None:
    first, second = run("new"), run("new")

    assert (first.exit_code, second.exit_code) == (0, 0)
    assert run("list").stdout == f"{first.stdout.strip()}  active\n{second.stdout}"


def test_the_folder_may_be_an_option(tmp_path: Path) -> None:
    folder = tmp_path / "there"

    result = CliRunner().invoke(app, ["new", "--folder", str(folder)])

    assert result.stdout == f"{KeyFolder(folder).active_id}\n"


def test_a_rotation_makes_a_key_and_lets_it_sign(run: Run, keys: KeyFolder) -> None:
    result = run("rotate")

    assert result.exit_code == 0
    active_id = KeyFolder(keys.path).active_id
    assert active_id != keys.active_id
    assert result.stdout == f"{active_id}  active\n{keys.active_id}\n"


def test_a_rotation_may_take_a_key_that_was_published_before(
    run: Run, keys: KeyFolder
) -> None:
    waiting = run("new").stdout.strip()

    result = run("rotate", waiting)

    assert result.stdout == f"{waiting}  active\n{keys.active_id}\n"


def test_a_retired_key_is_listed_with_the_time(run: Run, keys: KeyFolder) -> None:
    run("rotate")

    result = run("retire", keys.active_id)

    assert result.exit_code == 0
    active, retired = result.stdout.splitlines()
    assert active == f"{KeyFolder(keys.path).active_id}  active"
    assert re.fullmatch(
        rf"{keys.active_id}  retired \d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\dZ", retired
    )
    assert run("list").stdout == result.stdout


@pytest.mark.parametrize("command", ["rotate", "retire"])
def test_the_name_of_a_key_may_begin_with_a_dash(
    run: Run, keys: KeyFolder, command: str
) -> None:
    signers = iter(Ed25519Signer.generate, None)
    dashed = next(signer for signer in signers if signer.key_id.startswith("-"))
    replace_secret(keys.path / f"{dashed.key_id}.pem", dashed.to_file())

    result = run(command, dashed.key_id)

    assert result.exit_code == 0
    assert (KeyFolder(keys.path).active_id == dashed.key_id) == (command == "rotate")
    assert (dashed.key_id in KeyFolder(keys.path).retired_at) == (command == "retire")


@pytest.mark.parametrize("options", [(), ("--pem",)], ids=["jwks", "pem"])
def test_public_keys_are_what_a_verifier_reads(
    run: Run, keys: KeyFolder, options: tuple[str, ...]
) -> None:
    run("rotate")
    run("new")
    run("retire", keys.active_id)

    result = run("public", *options)

    assert result.exit_code == 0
    published = read_public_keys(result.stdout_bytes)
    assert len(published) == 3
    assert published == KeyFolder(keys.path).public_keys
    assert b"PRIVATE" not in result.stdout_bytes


def test_what_cannot_be_done_is_one_line_of_complaint(
    run: Run, keys: KeyFolder
) -> None:
    run("rotate")
    run("retire", keys.active_id)
    now = KeyFolder(keys.path)
    since = now.retired_at[keys.active_id]

    for words, complaint in {
        ("retire", now.active_id): (
            f"the key {now.active_id} signs: rotate first, so that another does"
        ),
        ("retire", NOBODY): f"{keys.path} has no key {NOBODY}",
        ("rotate", NOBODY): f"{keys.path} has no key {NOBODY}",
        ("rotate", keys.active_id): (
            f"the key {keys.active_id} is retired since {since}"
        ),
    }.items():
        result = run(*words)

        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr == f"ginref keys: {complaint}\n"
    assert KeyFolder(keys.path).public_keys == now.public_keys


@pytest.mark.parametrize("command", ["new", "list", "rotate", "public"])
def test_a_folder_that_others_may_read_is_refused(
    run: Run, keys: KeyFolder, command: str
) -> None:
    keys.path.chmod(0o755)

    result = run(command)

    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        f"ginref keys: {keys.path} is open to others:"
        " take the rights away (chmod 700)\n"
    )


@pytest.mark.parametrize("command", ["list", "rotate", "public"])
def test_a_key_that_others_may_read_is_refused(
    run: Run, keys: KeyFolder, command: str
) -> None:
    file = keys.path / f"{keys.active_id}.pem"
    file.chmod(0o644)

    result = run(command)

    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        f"ginref keys: {file} is open to others: take the rights away (chmod 600)\n"
    )


def test_a_folder_of_somebody_else_is_one_line_of_complaint(tmp_path: Path) -> None:
    (tmp_path / "passwd").write_text("somebody else's")

    result = CliRunner().invoke(app, ["new", "--folder", str(tmp_path)])

    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        f"ginref keys: {tmp_path} holds other things: keys need a folder of their own\n"
    )


@pytest.mark.parametrize(
    "words", [("list",), ("rotate",), ("retire", NOBODY), ("public",)], ids="-".join
)
def test_a_folder_without_keys_is_one_line_of_complaint(
    run: Run, tmp_path: Path, words: tuple[str, ...]
) -> None:
    result = run(*words)

    assert result.exit_code == 1
    assert result.stderr == f"ginref keys: {tmp_path / 'keys'} is no folder\n"
    assert not (tmp_path / "keys").exists()


def test_a_folder_that_cannot_be_written_is_one_line_of_complaint(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("")

    result = CliRunner().invoke(app, ["new", "--folder", str(tmp_path / "file")])

    assert result.exit_code == 1
    assert result.stderr.startswith(f"ginref keys: {tmp_path}/file cannot be written")
    assert len(result.stderr.splitlines()) == 1
