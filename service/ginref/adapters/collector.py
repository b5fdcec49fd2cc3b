"""Python's search for cycles of garbage, as seldom as a referee needs it."""

import gc
from typing import Final

_NEW_OBJECTS: Final = 20_000
"""Objects made and not freed after which the newest are searched."""


def collect_seldom() -> None:
    """Leave out what was loaded to start, and search less often.

    Next to everything is freed by its last user. To look through thousands of live
    matches for the rest is time that moves wait for.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS, 20, 50)
