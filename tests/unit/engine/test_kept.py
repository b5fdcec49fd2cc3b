"""What is written once for its values, however often it is needed."""

from ginref.engine.kept import kept


def test_a_value_is_written_once() -> None:
    written: list[list[int]] = []

    def write(value: list[int]) -> int:
        written.append(value)
        return sum(value)

    found = kept(write)
    value = [1, 2]

    assert [found(value), found(value)] == [3, 3]
    assert written == [[1, 2]]


def test_values_that_are_equal_are_written_each() -> None:
    found = kept(id)
    one, other = [1], [1]

    assert found(one) != found(other)


def test_the_value_that_came_first_is_forgotten_first() -> None:
    written: list[list[int]] = []
    found = kept(written.append, most=2)
    values: list[list[int]] = [[1], [2], [3]]

    for value in (*values, values[2], values[0]):
        found(value)

    assert written == [[1], [2], [3], [1]]
