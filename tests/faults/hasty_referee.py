"""A referee with small limits, so that a test reaches them soon.

It is started with `python -m tests.faults.hasty_referee` in place of `ginref`.
"""

import functools
import os
from typing import Any

from ginref import bootstrap
from ginref.cli import main
from ginref.transport.server import ServerOptions

WRITE_MS = 1_000
STREAM_LIMIT = 16

if __name__ == "__main__":
    limited: Any = functools.partial(
        ServerOptions,
        write_ms=WRITE_MS,
        call_limit=int(os.environ["CALL_LIMIT"]),
        stream_limit=STREAM_LIMIT,
    )
    vars(bootstrap)["ServerOptions"] = limited
    main()
