"""Commands on a store, each of them in the trace of the call that needs it."""

import asyncio
from typing import Any

from ginref.adapters.redis_call import Words
from ginref.adapters.redis_connection import RedisConnection
from ginref.adapters.redis_script import Script
from ginref.app.trace import Tracer


class TracedConnection(RedisConnection):
    """A connection that tells a tracer the name of every command, and no more."""

    def __init__(self, url: str, tracer: Tracer) -> None:
        """Prepare connections; none is made before it is needed.

        Raises:
            UnsupportedStoreError: The URL has another scheme, or cannot be read.
        """
        super().__init__(url)
        self._tracer = tracer

    def _call(
        self,
        words: Words,
        key: str | None,
        script: Script | None = None,
        *,
        replicated: bool = False,
    ) -> asyncio.Future[Any]:
        answer = super()._call(words, key, script, replicated=replicated)
        if script is None:
            _, name, _ = words.data.split(b"\r\n", 2)
            self._tracer.store(name.decode(), None, answer)
        else:
            self._tracer.store("EVALSHA", script.name, answer)
        return answer
