"""JSON values of a message, as a file holds them: numbers that are whole are integers.

A message of this kind can hold anything at all, and in a depth without end. What is
read here is bounded, and what cannot be used is named by its path.
"""

from typing import Any, Final, assert_never

from google.protobuf.struct_pb2 import Struct, Value

from ginref.app.error import Reason, RefusedError

DEPTH_LIMIT: Final = 12
"""Most mappings and lists that are in one another."""

VALUE_LIMIT: Final = 20_000
"""Most values of a whole message."""

_LARGEST: Final = 2**53
"""From here on a number of JSON is not exactly the one that was meant."""


class _Reader:
    """Reads one message, and counts what it has read."""

    def __init__(self) -> None:
        """Begin with nothing read."""
        self._left = VALUE_LIMIT

    def mapping(self, struct: Struct, at: str, depth: int) -> dict[str, Any]:
        self._enter(at, depth)
        return {
            name: self._value(value, f"{at}{'.' if at else ''}{name}", depth + 1)
            for name, value in sorted(struct.fields.items())
        }

    def _value(self, value: Value, at: str, depth: int) -> Any:  # noqa: ANN401 - JSON
        self._left -= 1
        if self._left < 0:
            raise _invalid(at, f"at most {VALUE_LIMIT} values expected")
        kind = value.WhichOneof("kind")
        match kind:
            case "null_value" | None:
                return None
            case "number_value":
                return _number(value.number_value)
            case "string_value":
                return value.string_value
            case "bool_value":
                return value.bool_value
            case "struct_value":
                return self.mapping(value.struct_value, at, depth)
            case "list_value":
                self._enter(at, depth)
                return [
                    self._value(item, f"{at}[{place}]", depth + 1)
                    for place, item in enumerate(value.list_value.values)
                ]
            case _:
                assert_never(kind)

    @staticmethod
    def _enter(at: str, depth: int) -> None:
        if depth >= DEPTH_LIMIT:
            raise _invalid(at, f"at most {DEPTH_LIMIT} levels expected")


def struct_from_wire(struct: Struct) -> dict[str, Any]:
    """Read a mapping.

    Raises:
        RefusedError: CONFIGURATION_INVALID: it is too deep or too large.
    """
    return _Reader().mapping(struct, "", 0)


def _number(value: float) -> int | float:
    whole = abs(value) < _LARGEST and value == int(value)
    return int(value) if whole else value


def _invalid(at: str, what: str) -> RefusedError:
    message = f"{at or 'the whole'}: {what}"
    return RefusedError(Reason.CONFIGURATION_INVALID, message, field=at)
