"""The published schema of match records, and what in a record goes against it."""

import json
from pathlib import Path
from typing import Any, Final

from jsonschema import Draft202012Validator

_DOCS: Final = Path(__file__).parents[3] / "docs"
_PAGES: Final = ("record-0.schema.json", "record.schema.json")
SCHEMAS: Final[list[dict[str, Any]]] = [
    json.loads((_DOCS / page).read_text(encoding="utf-8")) for page in _PAGES
]
"""Schemas by the format that they describe."""

SCHEMA: Final = SCHEMAS[-1]
_VALIDATORS: Final = [Draft202012Validator(schema) for schema in SCHEMAS]


def _validator(document: object) -> Draft202012Validator:
    number = document.get("format") if isinstance(document, dict) else None
    return _VALIDATORS[0 if number == 0 else -1]


def follows(document: object) -> bool:
    """Say whether a record follows the schema."""
    return _validator(document).is_valid(document)


def violations(document: object) -> list[str]:
    """Name what a record has that the schema does not allow."""
    return [
        f"{error.json_path}: {error.message[:200]}"
        for error in _validator(document).iter_errors(document)
    ]
