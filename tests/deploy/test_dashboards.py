"""The dashboards: they are what their code says, and every panel shows something."""

import asyncio
import json
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import grpc.aio
import httpx
import pytest
import yaml
from deploy.grafana.boards import BOARDS, FOLDER, written
from deploy.grafana.panel import Board
from tests.deploy.image import ROOT
from tests.deploy.measured import unknown_names
from tests.e2e.cups import Cup
from tests.e2e.host import OPERATOR, SEATED, STRANGER, Host, hosting
from tests.e2e.table import Table, play

from ginref.v1 import clock_pb2
from ginref_client.bots.careful import Careful
from ginref_client.bots.simple import Simple
from ginref_client.referee import Referee
from ginref_client.session import Session

PATIENCE = 400.0
RULES = [ROOT / f"deploy/prometheus/{name}.yaml" for name in ("recording", "alerts")]

# Its matches last long enough to be looked at while they are played.
CUP = Cup(name="cup", count=3, stage={"format": "round_robin"}, ruleset="gin")

IMPATIENT = clock_pb2.ClockPolicy(start_ms=1000, free_ms=100, bank_ms=100, cap_ms=100)

WITNESSES = (
    'max_over_time(ginref_fixtures{state="playing"}[10m]) > 0',
    'max_over_time(ginref_fixtures{state="final"}[10m]) > 0',
    "max_over_time(ginref_matches_live[10m]) > 0",
    'ginref_matches_ended_total{ending="no_show",fault="seat"} > 0',
    "job:ginref_move_referee_seconds:p99_5m > 0",
    'ginref_store_call_seconds_count{operation="append"} > 0',
)
"""What is true only after real work; panels may show nothing but zeros else."""

each_board = pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)


def expressions(board: Board) -> dict[str, str]:
    """Return what the panels of a dashboard ask, by panel and line."""
    shown = json.loads((FOLDER / f"{board.name}.json").read_text())
    return {
        f"{board.title} / {panel['title']} / {target['refId']}": target["expr"]
        for panel in shown["panels"]
        for target in panel.get("targets", ())
    }


@each_board
def test_a_dashboard_is_what_its_code_says(board: Board) -> None:
    path = FOLDER / f"{board.name}.json"

    assert path.read_text() == written(board), "make dashboards"


def test_there_is_no_other_dashboard() -> None:
    names = {path.stem for path in FOLDER.iterdir()}

    assert names == {board.name for board in BOARDS}


@each_board
def test_every_panel_says_what_to_see_and_asks_for_what_is_measured(
    board: Board,
) -> None:
    shown = json.loads(written(board))

    numbers = [panel["id"] for panel in shown["panels"]]
    assert len(set(numbers)) == len(numbers)
    for panel in shown["panels"]:
        if panel["type"] != "row":
            assert panel["description"].endswith(".")
            assert panel["datasource"] == {"type": "prometheus", "uid": "${source}"}
    for where, expression in expressions(board).items():
        assert unknown_names(expression) == set(), where


@contextmanager
def _prometheus(folder: Path, target: str) -> Iterator[httpx.Client]:
    """Run a Prometheus that reads a referee every second, with our rules."""
    program = shutil.which("prometheus")
    if program is None:
        pytest.skip("no prometheus is installed")
    configuration = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": [str(path) for path in RULES],
        "scrape_configs": [
            {"job_name": "ginref", "static_configs": [{"targets": [target]}]}
        ],
    }
    (folder / "prometheus.yaml").write_text(yaml.safe_dump(configuration))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [
        program,
        f"--config.file={folder / 'prometheus.yaml'}",
        f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--log.level=warn",
        "--enable-feature=exemplar-storage",
    ]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        address = f"http://127.0.0.1:{port}/api/v1"
        with httpx.Client(base_url=address, trust_env=False, timeout=60) as client:
            yield client
    finally:
        process.terminate()
        process.wait()


def _asked(client: httpx.Client, expression: str) -> list[float]:
    """Return the values that an expression has now."""
    query = re.sub(r"\$__rate_interval|\$__range", "5m", expression)
    query = query.replace("$instance", ".+")
    try:
        answer = client.get("/query", params={"query": query})
    except httpx.TransportError:
        return []
    if answer.status_code == httpx.codes.SERVICE_UNAVAILABLE:
        return []
    told = answer.json()
    assert told["status"] == "success", told
    values = [float(one["value"][1]) for one in told["data"]["result"]]
    return [value for value in values if value == value]  # noqa: PLR0124 - no NaN


def _health(client: httpx.Client) -> set[str]:
    """Return what Prometheus says of our rules."""
    groups = client.get("/rules").json()["data"]["groups"]
    return {rule["health"] for group in groups for rule in group["rules"]}


async def _work(host: Host) -> None:
    """Play a match, and a tournament, to their ends."""
    address, operator = host.process.address, host.tokens[OPERATOR]
    table = Table(address, operator)
    match_id = await table.create_match("gin", bots=SEATED)
    await play(
        [
            Session(address, host.tokens[SEATED[0]], Careful),
            Session(address, host.tokens[SEATED[1]], Simple),
        ]
    )
    await table.record(match_id)
    async with Referee(address, operator) as referee, asyncio.TaskGroup() as group:
        tokens = await CUP.declare(referee)
        sessions = [Session(address, token, Simple) for token in tokens]
        playing = [group.create_task(session.run()) for session in sessions]
        await CUP.start(referee)
        await CUP.until(referee, "secret_opened")
        for session in sessions:
            session.stop()
        await asyncio.wait(playing)


async def _trouble(host: Host) -> None:
    """Make a call that is refused, one over HTTP, and one of each kind of panels.

    A match is left alone as well, until it is timed out.
    """
    async with host.open() as room:
        # Nobody comes, and nobody aborts it.
        room.created.remove(await room.create(by=OPERATOR, clock=IMPATIENT))
        match_id = await room.create(by=OPERATOR)
        await room.referee(OPERATOR, "GetMatch", match_id=match_id)
        with pytest.raises(grpc.aio.AioRpcError):
            await room.referee(STRANGER, "GetMatch", match_id="none")
        await room.clear()
    http = json.loads((host.process.data / "referee.json").read_text())["http"]
    async with httpx.AsyncClient(trust_env=False) as client:
        await client.get(f"http://{http}/v1/matches")


@pytest.fixture
def host() -> Iterator[Host]:
    """Return a referee with callers of every kind."""
    with hosting("--dev", "--http", "127.0.0.1:0") as started:
        yield started


async def _fill(host: Host, client: httpx.Client, blank: dict[str, str]) -> None:
    """Keep a referee at work until no panel is blank; take out those that are not."""
    while _asked(client, 'up{job="ginref"}') != [1]:  # noqa: ASYNC110 - it is elsewhere
        await asyncio.sleep(0.1)
    await _work(host)
    while blank:
        await _trouble(host)
        await asyncio.sleep(0.5)
        for where, expression in [*blank.items()]:
            if _asked(client, expression):
                del blank[where]
    while "unknown" in _health(client):  # noqa: ASYNC110 - it is elsewhere
        await asyncio.sleep(0.1)


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_every_panel_shows_something_of_a_referee_at_work(
    host: Host, tmp_path: Path
) -> None:
    blank: dict[str, str] = {}
    for board in BOARDS:
        blank |= expressions(board)
    blank |= {witness: witness for witness in WITNESSES}
    with _prometheus(tmp_path, host.process.admin) as client:
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                await _fill(host, client, blank)
        assert blank == {}
        assert _health(client) == {"ok"}
