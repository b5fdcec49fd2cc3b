"""A referee that drops soon what is not read, so that a test sees it.

It is started with `python -m tests.dos.brisk_referee` in place of `ginref`.
"""

import functools
from typing import Any

from ginref import bootstrap
from ginref.cli import main
from ginref.transport.server import ServerOptions

WRITE_MS = 1_000

if __name__ == "__main__":
    brisk: Any = functools.partial(ServerOptions, write_ms=WRITE_MS)
    vars(bootstrap)["ServerOptions"] = brisk
    main()
