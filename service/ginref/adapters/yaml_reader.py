"""YAML that somebody has written, read strictly: nothing in it is guessed or dropped.

A key that comes twice is refused, and so is whatever grows beyond bounds, be it by
size, by depth or by aliases. Only `true` and `false` are booleans, only digits are
whole numbers; a date stays text.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

SIZE_MOST: Final = 256 * 1024
"""Bytes of a document."""

_VALUES_MOST: Final = 20_000
"""Values of a document, each counted as often as an alias repeats it."""

_DEPTH_MOST: Final = 32
_NUMBER: Final = re.compile(r"-?[0-9]{1,15}")
_WORDS: Final[Mapping[str, Any]] = {
    "true": True,
    "false": False,
    "null": None,
    "~": None,
    "": None,
}
_TAG: Final = "tag:yaml.org,2002:"
_TAGS: Final = frozenset(
    f"{_TAG}{name}"
    for name in (
        *("bool", "float", "int", "map", "merge", "null", "seq", "str", "timestamp"),
        "value",
    )
)
"""What a value is taken for that nobody has named a tag for."""

_STEP: Final = re.compile(r"[.\[][^.\[]*$")


class YamlError(ValueError):
    """Text that is no YAML, or that is refused.

    Attributes:
        line: Where, counted from 1; 0 for the whole.
        what: What is wrong there.
    """

    def __init__(self, what: str, line: int = 0) -> None:
        """Keep line and wrong; the message is made of both."""
        super().__init__(f"line {line}: {what}" if line else what)
        self.line = line
        self.what = what


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """What a document holds, and where.

    Attributes:
        value: Mappings, lists, text, whole numbers, booleans and None.
        lines: The line of each value, by the names and positions that lead to it.
    """

    value: Any
    lines: Mapping[str, int] = field(repr=False)

    def line_of(self, path: str) -> int:
        """Return the line of a path, or of the nearest thing around it; 0 for none."""
        while path and path not in self.lines:
            path = _STEP.sub("", path) if _STEP.search(path) else ""
        return self.lines.get(path, 0)


def read_yaml(data: bytes) -> YamlDocument:
    """Read one document.

    Raises:
        YamlError: It is none, more than one, or too large, or names something twice.
    """
    if len(data) > SIZE_MOST:
        raise YamlError(f"{len(data)} bytes: {SIZE_MOST} at most are read")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise YamlError("not UTF-8") from None
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = 0 if mark is None else mark.line + 1
        raise YamlError(_told(error), line) from None
    except (yaml.YAMLError, RecursionError, ValueError):
        raise YamlError("not YAML") from None
    reading = _Reading()
    value = None if node is None else reading.value(node, "", 0)
    return YamlDocument(value, reading.lines)


def _told(error: yaml.MarkedYAMLError) -> str:
    problem = error.problem or "not YAML"
    return f"{error.context}, {problem}" if problem.startswith("but ") else problem


class _Reading:
    """A document that is being read."""

    def __init__(self) -> None:
        self.lines: dict[str, int] = {}
        self._count = 0

    def value(self, node: yaml.Node, path: str, depth: int) -> Any:  # noqa: ANN401
        line = node.start_mark.line + 1
        self._count += 1
        if self._count > _VALUES_MOST or depth > _DEPTH_MOST:
            raise YamlError("more than anybody writes by hand", line)
        if node.tag not in _TAGS:
            raise YamlError(f"the tag {node.tag} is not known", line)
        self.lines[path] = line
        match node:
            case yaml.MappingNode():
                return self._mapping(node, path, depth)
            case yaml.SequenceNode():
                return [
                    self.value(item, f"{path}[{at}]", depth + 1)
                    for at, item in enumerate(node.value)
                ]
            case yaml.ScalarNode():
                return _scalar(node)
            case _:
                raise YamlError("a value of no known kind", line)

    def _mapping(self, node: yaml.MappingNode, path: str, depth: int) -> dict[str, Any]:
        members: dict[str, Any] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                raise YamlError("a key that is no text", line)
            name = key.value
            if name in members:
                raise YamlError(f"{name!r} comes twice", line)
            inner = f"{path}{'.' if path else ''}{name}"
            members[name] = self.value(value, inner, depth + 1)
            # What is wrong with a value is looked for where its key stands.
            self.lines[inner] = line
        return members


def _scalar(node: yaml.ScalarNode) -> Any:  # noqa: ANN401
    text: str = node.value
    # Quotes make a text of anything.
    if node.style is not None:
        return text
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    return int(text) if _NUMBER.fullmatch(text) else text
