"""House rules as people write them: TOML, or JSON when the text begins with a brace.

    preset = "hollywood"
    name = "club"
    gin_bonus = 20

A file names its rules. What it does not say is as its preset has it, or as plain gin
when it names none.
"""

import json
import re
import tomllib
from collections.abc import Sequence
from typing import Any, Final

from ginref.engine.error import RulesetError, shown
from ginref.engine.ruleset import PRESETS, Ruleset

_WHOLE: Final = "ruleset"
"""Named as the key when the text as a whole is at fault."""

_TOML_KEY: Final = re.compile(
    r"""^[ \t]*(?:([A-Za-z0-9_-]+)|"([^"\\\n]*)"|'([^'\n]*)')[ \t]*=""", re.MULTILINE
)


def read_ruleset(text: str) -> Ruleset:
    """Read the rules of a file.

    Raises:
        RulesetError: The text is neither TOML nor JSON, has no name or the same key
            twice, or `Ruleset.from_dict` refuses it; the key at fault is named.
    """
    options = _read_options(text)
    base = options.pop("preset", None)
    if base is None:
        return Ruleset.from_dict(options)
    if "name" not in options:
        raise RulesetError("name", "missing")
    if base not in tuple(PRESETS):
        expected = ", ".join(PRESETS)
        raise RulesetError("preset", f"{shown(base)}: one of {expected} expected")
    return PRESETS[base].but(**options)


def _read_options(text: str) -> dict[str, Any]:
    # Some editors put a mark before the first letter.
    text = text.removeprefix("\ufeff")
    is_json = text.lstrip().startswith("{")
    options: dict[str, Any]
    try:
        if is_json:
            options = json.loads(text, object_pairs_hook=_members)
        else:
            options = tomllib.loads(text)
    except RulesetError:
        raise
    except (ValueError, RecursionError) as error:
        if not is_json:
            _check_twice(text)
        kind = "JSON" if is_json else "TOML"
        raise RulesetError(_WHOLE, f"not {kind}: {error}") from None
    return options


def _members(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a key that comes twice: only one of its values could count."""
    members: dict[str, Any] = {}
    for key, value in pairs:
        if key in members:
            raise RulesetError(key, "given twice")
        members[key] = value
    return members


def _check_twice(text: str) -> None:
    """Name a key that comes twice in a text of TOML: who reads TOML names none."""
    seen: set[str] = set()
    for found in _TOML_KEY.finditer(text):
        key = "".join(filter(None, found.groups()))
        if key in seen:
            raise RulesetError(key, "given twice") from None
        seen.add(key)
