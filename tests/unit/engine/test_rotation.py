from typing import Any

import pytest
from hypothesis import given as for_any
from hypothesis import strategies as st
from tests.unit.engine.golden_vectors import vectors

from ginref.engine.rotation import Roles, credited, first_roles, next_roles
from ginref.engine.ruleset import GIN, THREE_HANDED, Ruleset, Table
from ginref.engine.seat import Seat

NORTH, SOUTH, EAST = Seat
BOX = THREE_HANDED.but(name="box", table=Table.BOX)
SEATS = {"X": NORTH, "Y": SOUTH, "Z": EAST}
LETTERS: dict[Seat | None, str] = {seat: letter for letter, seat in SEATS.items()}
WINNERS = st.lists(st.sampled_from([None, 0, 1]), max_size=12)


def letters(roles: Roles) -> list[str]:
    return [LETTERS[seat] for seat in roles]


@pytest.mark.parametrize(("given", "expect"), vectors("three_handed_cutthroat"))
def test_the_loser_sits_out(given: dict[str, Any], expect: dict[str, Any]) -> None:
    start = given["start"]
    roles = Roles(*(SEATS[start[role]] for role in ("dealer", "opponent", "idle")))
    met = [letters(roles)]

    for winner in given["results"]:
        roles = next_roles(THREE_HANDED, roles, SEATS.get(winner))
        met.append(letters(roles))

    assert met == expect["seats_[dealer,opponent,idle]"]


@pytest.mark.parametrize(("given", "expect"), vectors("three_handed_box"))
def test_the_box_is_held(given: dict[str, Any], expect: dict[str, Any]) -> None:
    start = given["start"]
    names = ("box_dealer", "captain", "sitting_out")
    roles = Roles(*(SEATS[start[role]] for role in names))
    met = [letters(roles)]

    for result in given["results"]:
        winners = {"box": roles.dealer, "captain": roles.non_dealer, "draw": None}
        roles = next_roles(BOX, roles, winners[result])
        met.append(letters(roles))

    assert met == expect["roles_[box,captain,out]"]


@pytest.mark.parametrize(
    ("dealer", "roles"),
    [
        pytest.param(NORTH, Roles(NORTH, SOUTH, EAST), id="north deals"),
        pytest.param(SOUTH, Roles(SOUTH, EAST, NORTH), id="south deals"),
        pytest.param(EAST, Roles(EAST, NORTH, SOUTH), id="east deals"),
    ],
)
def test_the_seat_after_the_first_dealer_plays(dealer: Seat, roles: Roles) -> None:
    assert first_roles(tuple(Seat), dealer) == roles


def test_at_a_table_of_two_nobody_sits_out() -> None:
    assert first_roles((NORTH, SOUTH), SOUTH) == Roles(SOUTH, NORTH, None)


@for_any(st.permutations(tuple(Seat)), st.sampled_from([THREE_HANDED, BOX]), WINNERS)
def test_seats_that_change_places_change_the_roles_alike(
    order: list[Seat], rules: Ruleset, winners: list[int | None]
) -> None:
    roles, moved = Roles(*Seat), Roles(*order)
    place = dict(zip(Seat, order, strict=True))

    for winner in winners:
        scores = None if winner is None else roles[winner]
        roles = next_roles(rules, roles, scores)
        moved = next_roles(rules, moved, None if scores is None else place[scores])

        assert moved == tuple(place[seat] for seat in roles if seat is not None)
        assert set(roles) == set(Seat)


@pytest.mark.parametrize(
    ("rules", "winner", "seats"),
    [
        pytest.param(GIN, SOUTH, (SOUTH,), id="one of two"),
        pytest.param(THREE_HANDED, SOUTH, (SOUTH,), id="one of three"),
        pytest.param(BOX, NORTH, (NORTH,), id="the box alone"),
        pytest.param(BOX, SOUTH, (SOUTH, EAST), id="captain and partner"),
        pytest.param(BOX, None, (), id="nobody"),
    ],
)
def test_a_round_is_credited_to(
    rules: Ruleset, winner: Seat | None, seats: tuple[Seat, ...]
) -> None:
    idle = None if rules is GIN else EAST

    assert credited(rules, NORTH, idle, winner) == seats
