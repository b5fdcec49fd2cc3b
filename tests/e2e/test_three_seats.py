"""A match of three seats between real processes."""

import json

from tests.e2e.referee_process import RefereeProcess
from tests.e2e.table import Table, play, verify

from ginref.engine.seat import Seat
from ginref.record.envelope import parse_envelope
from ginref.record.lifecycle import EndingKind
from ginref.record.verify import Finding
from ginref_client.bots.careful import Careful
from ginref_client.bots.simple import Simple
from ginref_client.session import Session

BOTS = ("ada", "bob", "eve")


async def test_three_bots_play_a_match_that_is_settled_between_them(
    referee: RefereeProcess,
) -> None:
    """Each on a stream of its own, and one of them always sitting out."""
    table = Table(referee.address, referee.token())
    tokens = await table.bot_tokens(BOTS)
    match_id = await table.create_match("three_handed", bots=BOTS)

    heard = await play(
        [
            Session(referee.address, token, bot)
            for token, bot in zip(tokens, (Careful, Simple, Careful), strict=True)
        ]
    )

    envelope = await table.record(match_id)
    verdict = verify(envelope, referee.data / "keys")
    assert verdict.finding is Finding.VALID, verdict.problem
    finished = [matches[0] for matches in heard]
    assert [over.match_id for over in finished] == [match_id] * 3
    assert [over.seat for over in finished] == list(Seat)
    ending = finished[0].ending
    assert [over.ending for over in finished] == [ending] * 3
    assert ending.kind is EndingKind.COMPLETED
    record = json.loads(parse_envelope(envelope).payload)
    (game,) = record["sheet"]["games"]
    assert ending.winner is not None
    assert game["winner"] == str(ending.winner)
    assert game["totals"][ending.winner] == max(game["totals"]) >= 100
    assert sum(game["settlement"]["balances"]) == 0
    # The loser of the first round sits the next one out.
    assert len({played["idle"] for played in record["rounds"]}) > 1
