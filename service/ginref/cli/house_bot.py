"""The program of one house bot: `house_bot.py SETTINGS`, which are JSON.

It is an ordinary client. Its token is in a file, since everybody sees arguments.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from ginref.adapters.masked_log import log_to_stderr
from ginref_client.error import ClientError
from ginref_client.loading import load_bot
from ginref_client.run import read_token, serve
from ginref_client.session import Session


def main() -> None:
    """Play until told to stop.

    Raises:
        SystemExit: With a line for people when the bot cannot play.
    """
    log_to_stderr()
    settings: dict[str, Any] = json.loads(sys.argv[1])
    roots = settings["roots"]
    try:
        asyncio.run(
            serve(
                Session(
                    settings["urls"],
                    read_token(Path(settings["token_file"])),
                    load_bot(settings["bot"]),
                    state=Path(settings["state"]),
                    roots=Path(roots).read_bytes() if roots else None,
                    server_name=settings["server_name"],
                    # Nothing leaves this machine.
                    allow_plaintext=True,
                )
            )
        )
    except (ClientError, OSError) as error:
        sys.exit(f"house bot {settings['bot']}: {error}")


if __name__ == "__main__":
    main()
