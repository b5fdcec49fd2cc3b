"""Everything that reads what others have written, by name."""

from collections.abc import Mapping
from typing import Final

from tests.fuzz.call import CALLS
from tests.fuzz.client import CLIENT
from tests.fuzz.gateway import GATEWAY
from tests.fuzz.kept_row import KEPT_ROWS
from tests.fuzz.probe import PROBES
from tests.fuzz.reading import READING
from tests.fuzz.sequence import SEQUENCES
from tests.fuzz.target import Target

TARGETS: Final[Mapping[str, Target]] = {
    **READING,
    **KEPT_ROWS,
    **CALLS,
    **CLIENT,
    **PROBES,
    **GATEWAY,
    **SEQUENCES,
}
"""All targets. A method of the API that is new is among them by itself."""
