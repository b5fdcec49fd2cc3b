"""How long to wait before trying again."""

import random
from typing import Final

_FIRST_SECONDS: Final = 0.1
_MOST_SECONDS: Final = 1.0


def backoff(failed: int) -> float:
    """Return seconds to wait after so many failures before this one.

    They grow to a limit, and are spread, so that bots do not gang up.
    """
    longest = min(_MOST_SECONDS, _FIRST_SECONDS * (1 << min(failed, 16)))
    return longest * random.uniform(0.5, 1.0)  # noqa: S311 - no secret
