"""Records in a bucket that two referees share."""

from collections.abc import Iterator
from pathlib import Path

import grpc.aio
import pytest
from tests.contract.redis_fleet import Server, binary_of
from tests.e2e.bucket_server import bucket_server
from tests.e2e.referee_process import RefereeProcess
from tests.e2e.table import Table, verify

from ginref.adapters.archive import open_archive
from ginref.record.verify import Finding
from ginref.v1 import referee_service_pb2
from ginref.v1.referee_service_pb2_grpc import RefereeServiceStub

pytestmark = pytest.mark.redis

PLACE = "s3://records/league"


@pytest.fixture(autouse=True)
def _bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with bucket_server(monkeypatch):
        yield


@pytest.fixture
def store(tmp_path: Path) -> Iterator[str]:
    settings = ["--save", "", "--appendonly", "yes"]
    server = Server(binary_of("valkey"), tmp_path, settings)
    server.start()
    yield server.url
    server.kill()


async def test_what_one_referee_has_signed_another_one_hands_out(
    tmp_path: Path, store: str
) -> None:
    keys = tmp_path / "keys"
    options = ("--dev", "--archive", PLACE, "--keys", str(keys))
    one, two = (
        RefereeProcess(
            tmp_path / name,
            store=store,
            options=(*options, "--roles", roles),
        )
        for name, roles in (("one", "referee,sweeper,signer"), ("two", "referee"))
    )
    try:
        first = one.start()
        second = two.start()
        table = Table(first.address, first.token())
        await table.bot_tokens()
        match_id = await table.create_match()
        async with grpc.aio.insecure_channel(first.address) as channel:
            await RefereeServiceStub(channel).AbortMatch(
                referee_service_pb2.AbortMatchRequest(match_id=match_id),
                metadata=table.metadata,
            )

        envelope = await Table(second.address, second.token()).record(match_id)
    finally:
        one.kill()
        two.kill()

    assert await open_archive(PLACE).get(match_id) == envelope
    assert verify(envelope, keys).finding is Finding.VALID
    assert not (tmp_path / "one" / "records").exists()


def test_a_bucket_that_is_not_there_is_told_at_the_start(
    tmp_path: Path,
) -> None:
    referee = RefereeProcess(tmp_path / "one", options=("--archive", "s3://nowhere"))

    with pytest.raises(AssertionError):
        referee.start()

    log = (tmp_path / "one" / "referee.log").read_text()
    assert "s3://nowhere cannot keep records" in log
    assert "Traceback" not in log
