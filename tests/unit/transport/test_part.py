import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginref.transport.part import number, numbers, part, parts, text, texts
from ginref.v1 import bot_service_pb2, session_pb2

FIELD = bot_service_pb2.ConnectResponse.MOVE_RESULT_FIELD_NUMBER


@pytest.mark.parametrize("length", [0, 1, 121, 122, 125, 128, 16_380, 16_384, 70_000])
def test_a_part_is_what_the_message_around_it_would_be(length: int) -> None:
    inner = session_pb2.MoveResult(request_id="x" * length)

    written = inner.SerializeToString()

    whole = bot_service_pb2.ConnectResponse(move_result=inner).SerializeToString()
    assert part(FIELD, written) == whole
    assert parts(FIELD)(written) == whole


def test_parts_side_by_side_are_one_message() -> None:
    result = bot_service_pb2.ConnectResponse.MOVE_RESULT_FIELD_NUMBER
    named = session_pb2.MoveResult(request_id="a").SerializeToString()
    placed = session_pb2.MoveResult(match_id="m").SerializeToString()

    read = bot_service_pb2.ConnectResponse.FromString(part(result, named + placed))

    assert read.move_result == session_pb2.MoveResult(request_id="a", match_id="m")


@given(st.integers(-(2**31), 2**31 - 1))
def test_a_number_is_written_as_a_message_writes_it(value: int) -> None:
    field = session_pb2.MoveAccepted.ELAPSED_MS_FIELD_NUMBER

    whole = session_pb2.MoveAccepted(elapsed_ms=value).SerializeToString()

    assert number(field, value) == whole
    assert numbers(field)(value) == whole


@given(st.text(max_size=200))
def test_a_text_is_written_as_a_message_writes_it(value: str) -> None:
    whole = session_pb2.MoveResult(request_id=value).SerializeToString()

    field = session_pb2.MoveResult.REQUEST_ID_FIELD_NUMBER

    assert text(field, value) == whole
    assert texts(field)(value) == whole
