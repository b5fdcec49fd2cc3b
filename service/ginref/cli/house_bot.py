"""The program of one house bot: `house_bot.py SETTINGS`, which are JSON.

It is an ordinary client. Its token is in a file, since everybody sees arguments.
"""

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from ginref.adapters.masked_log import log_to_stderr
from ginref_client.error import ClientError
from ginref_client.fact import FinishedMatch
from ginref_client.loading import load_bot
from ginref_client.run import read_token, serve
from ginref_client.session import Session

_GIVE_UP_S: Final = 30.0
"""Without a referee so long, another process looks at its certificate anew."""

MATCHES_MOST: Final = 1_000
"""Matches after which another process goes on: what a session remembers grows."""


class Tidy:
    """Throws away what is no longer needed of matches that are over.

    The host is no witness against itself: the record is enough.
    """

    def __init__(self, state: Path) -> None:
        """Look after the bot's folder."""
        self._state = state
        self._told = 0

    def __call__(self, finished: Sequence[FinishedMatch]) -> bool:
        """Take note of matches that are over; say whether it is time to end."""
        for result in finished[self._told :]:
            for path in self._state.glob(f"{result.match_id}.*"):
                path.unlink(missing_ok=True)
        self._told = len(finished)
        return self._told >= MATCHES_MOST


def main() -> None:
    """Play until told to stop.

    Raises:
        SystemExit: With a line for people when the bot cannot play.
    """
    settings: dict[str, Any] = json.loads(sys.argv[1])
    log_to_stderr(as_json=settings["as_json"])
    roots, state = settings["roots"], Path(settings["state"])
    try:
        asyncio.run(
            serve(
                Session(
                    settings["urls"],
                    read_token(Path(settings["token_file"])),
                    load_bot(settings["bot"]),
                    state=state,
                    roots=Path(roots).read_bytes() if roots else None,
                    server_name=settings["server_name"],
                    # Nothing leaves this machine.
                    allow_plaintext=True,
                    give_up_after=_GIVE_UP_S,
                ),
                Tidy(state),
            )
        )
    except (ClientError, OSError) as error:
        sys.exit(f"house bot {settings['bot']}: {error}")


if __name__ == "__main__":
    main()
