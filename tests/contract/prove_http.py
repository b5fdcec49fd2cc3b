"""Judges a served API over HTTP by its own description: `make prove-http`.

A referee with bots, matches and a tournament is asked for whatever its `/openapi.json`
allows, and for what it does not. It ends with 1 if an answer is a fault of the server,
or breaks the description.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import urllib.request
from typing import Final

from tests.e2e.host import Host, hosting

from ginref.v1.referee_service_pb2 import AcceptSeat

_PROGRAM: Final = "build/schemathesis/bin/schemathesis"

_CHECKS: Final = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
)

_LEFT_OUT: Final = {
    "WatchMatch": "a stream, which goes on for as long as the match",
    "WatchTournament": "likewise",
    "RotateToken": "ends the token that asks",
    "RevokeToken": "likewise",
}
"""Calls that are not made, and why."""

_KNOWN_SHARE: Final = 0.7
"""How often a name in a path is one that the referee knows."""


async def _fill(host: Host) -> dict[str, list[str]]:
    """Make something of each kind; return the names by the field that holds them."""
    async with host.open() as room:
        playing = await room.create(seed="a deal")
        await room.prepare(playing, accept=AcceptSeat())
        forming = await room.create()
        over = await room.finished()
        cup = await room.tournament()
        made = await room.registry("operator", "CreateInvitation", uses=9)
    return {
        "match_id": [playing, forming, over],
        "tournament_id": [cup],
        "name": ["ada", "bob", "eve"],
        "opponent": ["ada", "bob", "eve"],
        "invitation_id": [made.invitation.invitation_id],
    }


def _settings(known: dict[str, list[str]]) -> str:
    lines = ["[dictionaries]"]
    lines += [f"{name} = {{ values = {json.dumps(of)} }}" for name, of in known.items()]
    lines += ["[parameters]"]
    lines += [
        f'"path.{name}" = {{ dictionary = "{name}", probability = {_KNOWN_SHARE} }}'
        for name in known
    ]
    return "\n".join(lines) + "\n"


def _judge(host: Host, known: dict[str, list[str]], examples: int, seed: int) -> int:
    facts = json.loads((host.process.data / "referee.json").read_text())
    address = f"http://{facts['http']}"
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as settings:
        settings.write(_settings(known))
        settings.flush()
        command = [_PROGRAM, "--no-color", "--config-file", settings.name]
        command += ["run", f"{address}/openapi.json"]
        command += ["--header", f"authorization: Bearer {host.process.token()}"]
        command += ["--phases", "examples,coverage,fuzzing", "--continue-on-failure"]
        command += ["--checks", ",".join(_CHECKS), "--request-timeout", "60"]
        command += ["--max-examples", str(examples), "--seed", str(seed)]
        for name in _LEFT_OUT:
            command += ["--exclude-operation-id", name]
        judged = subprocess.run(command, check=False, stdin=subprocess.DEVNULL)
    # Whatever it was asked, it still answers.
    with urllib.request.urlopen(f"{address}/v1/keys", timeout=120) as answer:
        assert answer.status == 200
    return judged.returncode


def main() -> int:
    """Judge the API; 0 if there is nothing to tell."""
    parser = argparse.ArgumentParser(prog="python -m tests.contract.prove_http")
    parser.add_argument("--examples", type=int, default=100, help="of each call")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    for name, why in _LEFT_OUT.items():
        sys.stdout.write(f"left out: {name}, {why}\n")
    sys.stdout.flush()
    options = ("--http", "127.0.0.1:0", "--dev")
    with hosting(*options) as host:
        return _judge(host, asyncio.run(_fill(host)), asked.examples, asked.seed)


if __name__ == "__main__":
    sys.exit(main())
