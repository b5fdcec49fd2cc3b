"""What a server reports about keeping what it has acknowledged."""

from typing import Final

from redis import exceptions

from ginref.adapters.redis_connection import RedisConnection
from ginref.app.match_store import Durability

_SETTINGS: Final = ("appendonly", "appendfsync", "maxmemory-policy")


async def durability(connection: RedisConnection) -> Durability:
    """Ask the server for its settings and its role.

    Raises:
        StoreUnavailableError: It does not answer.
    """
    problems: list[str] = []
    try:
        mode = await _mode(connection, problems)
    except exceptions.ResponseError:
        mode = "unknown"
        problems.append("the server does not show its settings (CONFIG GET)")
    await _judge_state(connection, problems)
    return Durability(mode=mode, problems=tuple(problems))


async def _mode(connection: RedisConnection, problems: list[str]) -> str:
    answers = await connection.commands(
        [("CONFIG", "GET", setting) for setting in _SETTINGS]
    )
    appendonly, appendfsync, policy = (value.decode() for _, value in answers)
    if policy != "noeviction":
        problems.append(
            f"maxmemory-policy is {policy}: matches may be thrown away; set noeviction"
        )
    if appendonly != "yes":
        problems.append("appendonly is off: a restart loses matches; set it to yes")
        return "none"
    return f"local/{appendfsync}"


async def _judge_state(connection: RedisConnection, problems: list[str]) -> None:
    try:
        replication = _facts(await connection.command("INFO", "replication"))
        persistence = _facts(await connection.command("INFO", "persistence"))
    except exceptions.ResponseError:
        problems.append("the server does not show its state (INFO)")
        return
    if replication.get("role") != "master":
        problems.append("the server is a replica: it takes no moves")
    if persistence.get("aof_last_write_status", "ok") != "ok":
        problems.append("the server could not write its append-only file")


def _facts(answer: bytes) -> dict[str, str]:
    """Read the answer of INFO: a fact in a line, and headings."""
    lines = answer.decode().splitlines()
    return dict(line.split(":", 1) for line in lines if ":" in line)
