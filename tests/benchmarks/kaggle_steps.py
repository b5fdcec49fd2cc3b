"""Steps of kaggle-environments' gin rummy, in process and without a network.

It runs in an environment of its own: for each number of seconds that it reads, it steps
for so long and answers with one line of JSON. Only the steps are timed, not the choice
of what to do, which is at random.
"""

import json
import random
import sys
import time
from typing import Any

from kaggle_environments import make

_NOTHING = -1


def deal() -> Any:  # noqa: ANN401 - a class of theirs
    """Return a round whose cards are dealt, which takes a step that is nobody's."""
    # Otherwise nobody could choose: what is legal would have to be worked out anew.
    settings = {"includeLegalActions": True}
    environment = make("open_spiel_gin_rummy", configuration=settings)
    environment.reset(2)
    environment.step([{"submission": _NOTHING}] * 2)
    return environment


def play(chance: random.Random, seconds: float) -> dict[str, Any]:
    """Step for so long, one round after the other, and return what it took."""
    environment = deal()
    trips: list[float] = []
    cpu_seconds = 0.0
    while sum(trips) < seconds:
        actions = [
            {"submission": chance.choice(seat.observation.legalActions or [_NOTHING])}
            for seat in environment.state
        ]
        began, worked = time.perf_counter(), time.process_time()
        environment.step(actions)
        trips.append(time.perf_counter() - began)
        cpu_seconds += time.process_time() - worked
        if environment.done:
            # A refused move would have ended it, too.
            assert environment.state[0].observation.isTerminal
            environment = deal()
    return {"trips": trips, "cpu_seconds": cpu_seconds}


def main() -> None:
    """Warm up, say so, and answer until the input is closed."""
    chance = random.Random(1)
    play(chance, 1.0)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for line in sys.stdin:
        sys.stdout.write(json.dumps(play(chance, float(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
