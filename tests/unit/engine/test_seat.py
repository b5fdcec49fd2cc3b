import pytest

from ginref.engine.error import NotationError
from ginref.engine.seat import Seat


@pytest.mark.parametrize("seat", Seat, ids=str)
def test_a_seat_is_read_from_its_own_text_in_either_case(seat: Seat) -> None:
    assert Seat.parse(str(seat)) is seat
    assert Seat.parse(str(seat).upper()) is seat


@pytest.mark.parametrize("text", ["", "west", "0", "n", "\u017fouth"])
def test_text_that_is_no_seat_is_refused_by_name(text: str) -> None:
    with pytest.raises(NotationError) as refusal:
        Seat.parse(text)

    assert repr(text) in str(refusal.value)


def test_seats_are_numbered_from_north() -> None:
    assert [str(seat) for seat in sorted(Seat)] == ["north", "south", "east"]
    assert [seat.value for seat in sorted(Seat)] == [0, 1, 2]
