"""What is committed holds no secret: no private key, and no token of anybody."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

SECRET = re.compile(
    rb"-----BEGIN [A-Z ]*PRIVATE KEY-----\s+[A-Za-z0-9+/=]{16}"
    rb"|\bgr_[a-z2-7]{52}\b"
    rb"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"
    rb"|\bgh[oprsu]_[A-Za-z0-9]{36}\b"
    rb"|\bgithub_pat_\w{22}"
    rb"|\bxox[abprs]-\d"
    rb"|\bpypi-AgE[\w-]{20}"
    rb"|\bnpm_[A-Za-z0-9]{36}\b"
)


def test_no_secret_is_committed() -> None:
    listing = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    files = [ROOT / name for name in listing.stdout.split("\0") if name]

    assert len(files) > 100
    assert [
        path.name
        for path in files
        if path.is_file() and SECRET.search(path.read_bytes())
    ] == []


@pytest.mark.parametrize(
    "text",
    [
        f"-----BEGIN PRIVATE KEY-----\n{'MC4C' * 8}",
        f"-----BEGIN EC PRIVATE KEY-----\n{'MHcC' * 8}",
        "gr_" + "k7" * 26,
        "AKIA" + "Q7" * 8,
        "ghp_" + "a1" * 18,
    ],
)
def test_a_secret_would_be_noticed(text: str) -> None:
    assert SECRET.search(f"x = '{text}'".encode())
