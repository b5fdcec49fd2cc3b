"""Referees of two versions on one store: neither reads the snapshots of the other."""

import json
from itertools import cycle
from typing import Any

import pytest

from ginref.app.error import RefusedError
from ginref.app.packing import Packer
from ginref.engine.snapshot import SnapshotError
from ginref.record.envelope import parse_envelope
from ginref.record.lifecycle import MatchState
from ginref.record.setup import Setup
from ginref.record.snapshot import FORMAT, decode_state, encode_state
from ginref.record.verify import Finding, verify_record

World = Any
"""The referee of `world`."""

NEWER = bytes([FORMAT + 1])


class NewerPacker(Packer):
    """Packs states in a format of its own, and reads no other."""

    def pack_state(self, state: MatchState) -> bytes:
        context = f"{state.setup.match_id}/{state.version}"
        return self._sealer.seal(NEWER + encode_state(state)[1:], context)

    def open_state(self, setup: Setup, version: int, packed: bytes) -> MatchState:
        opened = self._sealer.open(packed, f"{setup.match_id}/{version}")
        if opened[:1] != NEWER:
            raise SnapshotError("of an older version")
        return decode_state(bytes([FORMAT]) + opened[1:], setup)


async def test_a_match_is_played_by_two_versions_in_turns_and_its_record_is_true(
    world: World,
) -> None:
    newer = await world.replica(engine="9.9.9")
    newer.keeper.packer = NewerPacker(world.sealer)
    facts = await world.start()
    desks = cycle([newer.desk, world.one.desk])
    made, moves = None, 0
    while made is None or made.ending is None:
        if moves == 6:
            turn = await world.turn(facts)
            with pytest.raises(RefusedError):
                await world.submit(world.wrong(turn), facts, next(desks))
        made = await world.move(facts, desk=next(desks))
        moves += 1
    await newer.signing.sign_finished()

    record = world.archive.records[facts.match_id]
    keys = {world.signer.key_id: world.signer.public_key}
    verdict = verify_record(record, keys)
    assert verdict.finding is Finding.VALID, verdict.problem
    assert (verdict.move_count, verdict.strike_count) == (moves, 1)
    # Who has created a match is named; who else has judged it makes no difference.
    match = json.loads(parse_envelope(record).payload)["match"]
    assert match["engine"] == "0.1.0"
