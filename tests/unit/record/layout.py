"""The published schema of match records, and what in a record goes against it."""

import json
from pathlib import Path
from typing import Any, Final

from jsonschema import Draft202012Validator

PAGE: Final = Path(__file__).parents[3] / "docs" / "record.schema.json"
SCHEMA: Final[dict[str, Any]] = json.loads(PAGE.read_text(encoding="utf-8"))
_VALIDATOR: Final = Draft202012Validator(SCHEMA)


def follows(document: object) -> bool:
    """Say whether a record follows the schema."""
    return _VALIDATOR.is_valid(document)


def violations(document: object) -> list[str]:
    """Name what a record has that the schema does not allow."""
    return [
        f"{error.json_path}: {error.message[:200]}"
        for error in _VALIDATOR.iter_errors(document)
    ]
