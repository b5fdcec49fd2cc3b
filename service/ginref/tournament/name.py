"""Names by which owners, bots and tournaments are called, and parts of tournaments."""

import re
from typing import Final, TypeGuard

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{1,31}")


def is_name(value: object) -> TypeGuard[str]:
    """Say whether something can be a name.

    It is 2 to 32 small letters, digits, dots, dashes and underscores, of which the
    first is a letter or a digit.
    """
    return isinstance(value, str) and _NAME.fullmatch(value) is not None
