"""A referee that logs all that any of its parts would ever log.

It is started with `python -m tests.e2e.telling_referee` in place of `ginref`.
"""

import hashlib
import logging
from typing import Final

from ginref.adapters.masked_log import log_to_stderr
from ginref.cli import main

LOGGERS: Final = ("ginref", "ginref_client", "grpc", "redis", "asyncio")


def canary(name: str) -> bytes:
    """Return bytes that a logger tells, so that a scan of the log must find them."""
    return hashlib.sha256(f"canary of {name}".encode()).digest()


if __name__ == "__main__":
    log_to_stderr(as_json=True)
    logging.getLogger().setLevel(logging.DEBUG)
    for logger in LOGGERS:
        logging.getLogger(logger).setLevel(logging.DEBUG)
        logging.getLogger(logger).debug("its canary is %s", canary(logger).hex())
    main()
