"""A match that keeps receipts, from its creation to `ginref verify --evidence`."""

import json
from pathlib import Path

import grpc.aio
import pytest
import typer
from tests.e2e.referee_process import RefereeProcess
from tests.e2e.table import BOTS, Table, play
from typer.testing import CliRunner

from ginref.adapters.trusted_keys import read_trusted_keys
from ginref.cli.verify import verify
from ginref.engine.move import PASS
from ginref.engine.seat import Seat
from ginref.record.evidence import ReceiptLine, write_line
from ginref.record.submission import Submission
from ginref.v1 import referee_service_pb2 as referee_pb
from ginref.v1 import seat_pb2
from ginref.v1.referee_service_pb2_grpc import RefereeServiceStub
from ginref_client.bots.careful import Careful
from ginref_client.bots.simple import Simple
from ginref_client.codec import move_to_wire
from ginref_client.referee import Referee
from ginref_client.session import Session
from ginref_client.status import error_from_rpc


async def refused(address: str, token: str, submission: Submission) -> bytes:
    """Submit a move by a call that is refused, and return the receipt of that."""
    request = referee_pb.SubmitMoveRequest(
        match_id=submission.match_id,
        seat=seat_pb2.SEAT_NORTH,
        expected_version=submission.expected_version,
        request_id=submission.request_id,
        move=move_to_wire(submission.move),
    )
    metadata = (("authorization", f"Bearer {token}"),)
    async with grpc.aio.insecure_channel(address) as channel:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await RefereeServiceStub(channel).SubmitMove(request, metadata=metadata)
    refusal = error_from_rpc(caught.value)
    assert refusal.reason == "MATCH_OVER"
    return refusal.receipt


async def test_what_bots_have_kept_agrees_with_the_record_of_their_match(
    referee: RefereeProcess, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    table = Table(referee.address, referee.token())
    tokens = await table.bot_tokens()
    keys = read_trusted_keys(referee.data / "keys")
    async with Referee(referee.address, referee.token()) as host:
        match = await host.create_match(BOTS, ruleset="gin", receipts=True)
    assert match.receipts
    folders = [tmp_path / name for name in BOTS]

    await play(
        [
            Session(referee.address, token, bot, state=folder, keys=keys)
            for token, bot, folder in zip(
                tokens, (Careful, Simple), folders, strict=True
            )
        ]
    )
    after = Submission(
        match_id=match.match_id,
        seat=Seat.NORTH,
        expected_version=9,
        request_id="after the end",
        move=PASS,
    )
    receipt = await refused(referee.address, tokens[0], after)
    path = folders[0] / f"{match.match_id}.north.jsonl"
    with path.open("ab") as file:
        file.write(write_line(ReceiptLine(receipt.decode(), after)))
    record = tmp_path / "record.json"
    record.write_bytes(await table.record(match.match_id))

    assert "DO NOT TRUST" not in caplog.text
    app = typer.Typer()
    app.command()(verify)
    options = ["--keys", str(referee.data / "keys"), "--json"]
    for folder in folders:
        options += ["--evidence", str(folder)]
    judged = CliRunner().invoke(app, [str(record), *options])
    facts = json.loads(judged.stdout)
    assert (judged.exit_code, facts["problem"]) == (0, None)
    north, south = facts["evidence"]
    assert north["accepted"] + south["accepted"] == facts["moves"] > 20
    assert (north["refused"], south["refused"]) == (1, 0)
    assert [one["unacknowledged"] for one in (north, south)] == [0, 0]
    assert [one["shares"] for one in (north, south)] == [1, 1]
