"""Records that were signed once and kept: every later version must verify them."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from ginref.adapters.trusted_keys import read_trusted_keys
from ginref.record.document import FORMATS
from ginref.record.envelope import parse_envelope
from ginref.record.verify import Finding, verify_record

ROOT = Path(__file__).parents[3]
GOLDEN = ROOT / "tests" / "golden" / "records"
KEYS = GOLDEN / "keys.json"
RECORDS = sorted(GOLDEN.glob("format-*/*.json"))


def name_of(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


@pytest.mark.parametrize("path", RECORDS, ids=name_of)
def test_a_record_that_was_kept_is_still_verified(path: Path) -> None:
    envelope = path.read_bytes()

    verdict = verify_record(envelope, read_trusted_keys(KEYS))

    closed = path.stem == "unopened"
    assert verdict.finding is (Finding.NOT_OPEN if closed else Finding.VALID)
    told = {"credited", "void_with_a_loss", "not_signed_after_all"}
    assert verdict.notes == () or path.stem in told
    document = json.loads(parse_envelope(envelope).payload)
    assert path.parent.name == f"format-{document['format']}"


def test_there_are_records_of_every_format() -> None:
    assert {path.parent.name for path in RECORDS} == {
        f"format-{number}" for number in FORMATS
    }


def test_the_second_verifier_verifies_all_of_them_too() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node.js is installed")
    program = ROOT / "clients" / "javascript" / "verify.mjs"
    opened = [str(path) for path in RECORDS if path.stem != "unopened"]

    done = subprocess.run(
        [node, str(program), *opened, "--keys", str(KEYS), "--json"],
        capture_output=True,
        text=True,
        check=False,
    )

    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [facts["file"] for facts in told if facts["finding"] == "valid"] == opened
    assert done.returncode == 0
