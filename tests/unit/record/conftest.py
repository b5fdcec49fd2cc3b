"""Records and the one who judges them, and matches at every stage."""

import json
from collections.abc import Callable
from typing import Any

import pytest
import rfc8785
from tests.unit.record.gallery import collect
from tests.unit.record.stage import REVEALED, STAGES, fold

from ginref.record.document import PAYLOAD_TYPE, build_record
from ginref.record.entry import StampedEntry
from ginref.record.envelope import seal_envelope
from ginref.record.lifecycle import MatchState
from ginref.record.setup import Setup
from ginref.record.verify import Verdict, verify_record

MakeReferee = Callable[..., Any]
Play = Callable[..., tuple[Setup, tuple[StampedEntry, ...]]]
Document = dict[str, Any]
Judge = Callable[[Document], Verdict]
MakeSetup = Callable[..., Setup]


@pytest.fixture(scope="session")
def whole(play_match: Play) -> Document:
    document: Document = json.loads(build_record(*play_match(3, refusals=0.05)))
    return document


@pytest.fixture(scope="session")
def gallery(play_match: Play, make_setup: MakeSetup) -> dict[str, bytes]:
    """Payloads of true records of every kind, by name."""
    return collect(play_match, make_setup)


@pytest.fixture(scope="session")
def keys(referee: MakeReferee) -> dict[str, bytes]:
    return {referee().key_id: referee().public_key}


@pytest.fixture(scope="session")
def judge(referee: MakeReferee, keys: dict[str, bytes]) -> Judge:
    """Sign a document whose chain is put right, and verify it."""

    def run(document: Document) -> Verdict:
        payload = rfc8785.dumps(document)
        return verify_record(seal_envelope(payload, PAYLOAD_TYPE, referee()), keys)

    return run


@pytest.fixture
def setup(make_setup: MakeSetup) -> Setup:
    return make_setup()


@pytest.fixture(params=STAGES.values(), ids=[str(stage) for stage in STAGES])
def any_stage(request: pytest.FixtureRequest, setup: Setup) -> MatchState:
    return fold(setup, request.param)


@pytest.fixture
def playing(setup: Setup) -> MatchState:
    return fold(setup, REVEALED)
