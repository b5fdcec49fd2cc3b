"""A process that floods: an order a line comes in as JSON, an answer a line goes out.

It is apart from whoever measures, so that it takes its time from the machine alone.
"""

import asyncio
import json
import sys
from collections import Counter
from typing import Any

from tests.dos.flood import FLOODS, Target


async def _flood(order: dict[str, Any]) -> Counter[str]:
    flood = FLOODS[order["flood"]]
    return await flood(Target(**order["target"]), order["count"])


def main() -> None:
    """Do as ordered, until there are no more orders."""
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for line in sys.stdin:
        order = json.loads(line)
        told = asyncio.run(_flood(order))
        sys.stdout.write(json.dumps(dict(sorted(told.items()))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
