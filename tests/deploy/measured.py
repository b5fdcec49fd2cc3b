"""What a referee measures, and what rules and panels ask for."""

import re
from collections.abc import Collection

from ginref.adapters.metrics import PrometheusObserver

_NAME = re.compile(r"\b(?:ginref|process|job|instance)[a-z0-9_]*:?[\w:]*")


def measured_names() -> set[str]:
    """Return the names of all series."""
    observer = PrometheusObserver(version="1", store="local/always")
    observer.call("/ginref.v1.RefereeService/GetMatch", "OK", 0.001)
    observer.http_answer(200)
    shown = re.findall(rb"^(\w+?)(?:\{| )", observer.render(), re.MULTILINE)
    return {name.decode() for name in shown} | {"up"}


def unknown_names(expression: str, recorded: Collection[str] = ()) -> set[str]:
    """Return the names that an expression asks for and that nobody tells."""
    bare = re.sub(r'"[^"]*"|\{[^}]*\}|by \([^)]*\)', "", expression)
    asked = set(_NAME.findall(bare))
    return asked - measured_names() - set(recorded)
