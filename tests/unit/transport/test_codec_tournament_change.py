"""What is asked of tournaments is read strictly."""

import json
import math
from typing import Any, cast

import pytest
from google.protobuf import json_format, struct_pb2
from hypothesis import given
from hypothesis import strategies as st

from ginref.app.error import Reason, RefusedError
from ginref.tournament.event import Cascade, Handling
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.operation import (
    Advance,
    Award,
    ChangeTieBreaks,
    CheckIn,
    CloseStage,
    Correct,
    DecideAppeal,
    Disqualify,
    FileAppeal,
    PairManually,
    Requeue,
    RevealShare,
    Withdraw,
)
from ginref.tournament.result import (
    Cause,
    Decision,
    DoubleForfeited,
    Drawn,
    Forfeited,
    Voided,
    Won,
)
from ginref.tournament.tiebreak import Criterion
from ginref.transport.codec_struct import DEPTH_LIMIT, struct_from_wire
from ginref.transport.codec_tournament_change import (
    NewCodes,
    NewConfiguration,
    NewEntry,
    NewOrder,
    Wanted,
    change_from_wire,
)
from ginref.v1.tournament_service_pb2 import ChangeTournamentRequest

SHARE = bytes(range(32))
FIXTURE = {"fixture_id": "f" * 16, "attempt": 2, "reason": "the rules"}


def read(change: dict[str, Any], own_bot: str | None = None) -> Wanted:
    """Read a change that is given by its fields."""
    return change_from_wire(ChangeTournamentRequest(**change), own_bot)


def ruled(result: Any, mode: Cascade = Cascade.STRICT) -> Correct:  # noqa: ANN401
    return Correct(
        fixture="f" * 16, attempt=2, result=result, mode=mode, reason="the rules"
    )


CHANGES = [
    pytest.param(
        {"advance": {"to": 6, "reason": "lunch"}},
        Advance(to=Lifecycle.PAUSED, reason="lunch"),
        id="pause",
    ),
    pytest.param({"issue_codes": {"count": 3}}, NewCodes(3), id="codes"),
    pytest.param(
        {"enter": {"bot": "ada", "code": "abc"}}, NewEntry("ada", "abc"), id="enter"
    ),
    pytest.param({"enter": {}}, NewEntry("own", None), id="enter oneself"),
    pytest.param(
        {"check_in": {"commitment": SHARE}},
        CheckIn(bot="own", commitment=SHARE.hex()),
        id="check in",
    ),
    pytest.param({"check_in": {}}, CheckIn(bot="own"), id="check in without a share"),
    pytest.param(
        {"reveal_share": {"share": SHARE}},
        RevealShare(bot="own", share=SHARE.hex()),
        id="reveal",
    ),
    pytest.param(
        {"order_seeds": {"bots": ["ada", "bob"]}},
        NewOrder(("ada", "bob")),
        id="seeds",
    ),
    pytest.param(
        {
            "pair_round": {
                "stage": "main",
                "round": 2,
                "pairs": [{"first": "ada", "second": "bob"}],
                "bye": "eve",
                "reason": "so",
            }
        },
        PairManually(
            stage="main", round=2, pairs=(("ada", "bob"),), bye="eve", reason="so"
        ),
        id="pair",
    ),
    pytest.param(
        {"award": {**FIXTURE, "result": {"won": "ada"}}},
        Award(
            fixture="f" * 16,
            attempt=2,
            result=Won("ada", Decision.RULING),
            reason="the rules",
        ),
        id="award",
    ),
    pytest.param(
        {"correct": {**FIXTURE, "result": {"drawn": True}}}, ruled(Drawn()), id="drawn"
    ),
    pytest.param(
        {"correct": {**FIXTURE, "result": {"forfeited": "bob"}, "mode": 2}},
        ruled(Forfeited("bob", Cause.RULING), Cascade.RESET_DEPENDENTS),
        id="forfeited",
    ),
    pytest.param(
        {"correct": {**FIXTURE, "result": {"double_forfeited": True}, "mode": 3}},
        ruled(DoubleForfeited(Cause.RULING), Cascade.RECORD_ONLY),
        id="forfeited by both",
    ),
    pytest.param(
        {"correct": {**FIXTURE, "result": {"voided": ""}}}, ruled(Voided()), id="void"
    ),
    pytest.param(
        {"requeue": FIXTURE},
        Requeue(fixture="f" * 16, attempt=2, reason="the rules"),
        id="requeue",
    ),
    pytest.param(
        {"withdraw": {"bot": "ada"}}, Withdraw(bot="ada", reason=""), id="withdraw"
    ),
    pytest.param(
        {"disqualify": {"bot": "ada", "void_results": True, "reason": "no"}},
        Disqualify(bot="ada", results=Handling.VOID, reason="no"),
        id="disqualify",
    ),
    pytest.param(
        {"close_stage": {"stage": "main"}}, CloseStage(stage="main"), id="close"
    ),
    pytest.param(
        {"file_appeal": {"appeal_id": "a1", "fixture_id": "f", "text": "unfair"}},
        FileAppeal(appeal="a1", fixture="f", bot="own", text="unfair"),
        id="appeal",
    ),
    pytest.param(
        {"decide_appeal": {"appeal_id": "a1", "upheld": True, "reason": "so"}},
        DecideAppeal(appeal="a1", upheld=True, reason="so"),
        id="decide",
    ),
    pytest.param(
        {"change_tie_breaks": {"stage": "s1", "criteria": ["wins"], "reason": "so"}},
        ChangeTieBreaks(stage="s1", order=(Criterion.WINS,), reason="so"),
        id="tie-breaks",
    ),
]


@pytest.mark.parametrize(("change", "wanted"), CHANGES)
def test_a_change_is_read(change: dict[str, Any], wanted: Wanted) -> None:
    assert read(change, "own") == wanted


def test_no_change_of_the_api_is_left_out() -> None:
    changes = ChangeTournamentRequest.DESCRIPTOR.oneofs_by_name["change"].fields
    read_here = {kind for case in CHANGES for kind in cast("Any", case.values[0])}

    assert {field.name for field in changes} == read_here | {"configure"}


def test_a_configuration_is_read_as_its_file_says_it() -> None:
    document = {"name": "cup", "stages": [{"rounds": 5, "byes": None, "x": True}]}
    request = json_format.ParseDict(
        {"configure": {"configuration": document}}, ChangeTournamentRequest()
    )

    assert change_from_wire(request, None) == NewConfiguration(document)


MALFORMED = [
    pytest.param({}, Reason.FIELD_MISSING, "change", id="no change"),
    pytest.param({"advance": {}}, Reason.FIELD_MISSING, "advance.to", id="nowhere"),
    pytest.param(
        {"advance": {"to": 77}}, Reason.ENUM_UNKNOWN, "advance.to", id="unknown state"
    ),
    pytest.param(
        {"advance": {"to": 6, "reason": "x" * 501}},
        Reason.FIELD_INVALID,
        "advance.reason",
        id="a long reason",
    ),
    pytest.param(
        {"configure": {}},
        Reason.FIELD_MISSING,
        "configure.configuration",
        id="no configuration",
    ),
    pytest.param(
        {"issue_codes": {"count": 1001}},
        Reason.FIELD_INVALID,
        "issue_codes.count",
        id="too many codes",
    ),
    pytest.param({"enter": {}}, Reason.FIELD_MISSING, "enter.bot", id="no bot"),
    pytest.param(
        {"check_in": {"bot": "ada", "commitment": b"x"}},
        Reason.FIELD_INVALID,
        "check_in.commitment",
        id="a short commitment",
    ),
    pytest.param(
        {"reveal_share": {"bot": "ada"}},
        Reason.FIELD_INVALID,
        "reveal_share.share",
        id="no share",
    ),
    pytest.param(
        {"order_seeds": {"bots": ["ada", "B"]}},
        Reason.NAME_INVALID,
        "order_seeds.bots[1]",
        id="a seed without a name",
    ),
    pytest.param(
        {"award": {**FIXTURE, "attempt": 0}},
        Reason.FIELD_MISSING,
        "award.attempt",
        id="no attempt",
    ),
    pytest.param(
        {"award": FIXTURE}, Reason.FIELD_MISSING, "award.result", id="no result"
    ),
    pytest.param(
        {"award": {**FIXTURE, "result": {"drawn": False}}},
        Reason.FIELD_INVALID,
        "award.result.drawn",
        id="drawn, and not drawn",
    ),
    pytest.param(
        {"requeue": {**FIXTURE, "reason": " "}},
        Reason.FIELD_MISSING,
        "requeue.reason",
        id="no reason",
    ),
    pytest.param(
        {"change_tie_breaks": {"stage": "s1", "criteria": ["luck"], "reason": "so"}},
        Reason.FIELD_INVALID,
        "change_tie_breaks.criteria[0]",
        id="an unknown criterion",
    ),
]


@pytest.mark.parametrize(("change", "reason", "at"), MALFORMED)
def test_what_cannot_be_used_is_named(
    change: dict[str, Any], reason: Reason, at: str
) -> None:
    with pytest.raises(RefusedError) as refused:
        read(change)

    assert refused.value.reason is reason
    assert refused.value.facts["field"] == at


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=5), VALUES, max_size=3))
def test_a_mapping_comes_back_with_its_whole_numbers(document: dict[str, Any]) -> None:
    struct = struct_pb2.Struct()
    struct.update(document)

    found = struct_from_wire(struct)

    # Text tells 1 from 1.0 and from true.
    assert json.dumps(found, sort_keys=True) == json.dumps(document, sort_keys=True)


@pytest.mark.parametrize("number", [0.5, math.inf, 2.0**53, -1e300])
def test_a_number_that_is_not_whole_stays_what_it_is(number: float) -> None:
    struct = struct_pb2.Struct()
    struct.update({"rounds": number})

    assert isinstance(struct_from_wire(struct)["rounds"], float)


def test_a_configuration_without_a_bottom_is_refused() -> None:
    struct = struct_pb2.Struct()
    inner: dict[str, Any] = {}
    for _ in range(DEPTH_LIMIT):
        inner = {"in": inner}
    struct.update(inner)

    with pytest.raises(RefusedError) as refused:
        struct_from_wire(struct)

    assert refused.value.reason is Reason.CONFIGURATION_INVALID
    assert refused.value.facts["field"] == ".".join(["in"] * DEPTH_LIMIT)
