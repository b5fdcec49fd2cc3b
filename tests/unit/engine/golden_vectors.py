"""Numbers of `tests/golden/gin_vectors.json`, which says where they come from."""

import json
from pathlib import Path
from typing import Any

import pytest

_PATH = Path(__file__).parents[2] / "golden" / "gin_vectors.json"
_VECTORS = json.loads(_PATH.read_text(encoding="utf-8"))["vectors"]


def vectors(kind: str) -> list[Any]:
    """Every vector of a kind: what is given, and what is expected."""
    return [
        pytest.param(vector["given"], vector["expect"], id=vector["name"])
        for vector in _VECTORS
        if vector["kind"] == kind
    ]
