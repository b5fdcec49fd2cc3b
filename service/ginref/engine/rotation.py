"""Who plays a round when three seats share a match, and who is credited for it.

Two seats play each round and the third sits it out. With two seats nobody does.

Source: rummyrulebook.com for cutthroat, where the loser sits out and the idle seat
deals to the winner; gamingbuzzers.com for the box, whose holder deals and plays against
the captain of the other two.
"""

from typing import NamedTuple

from ginref.engine.ruleset import NextDealer, Ruleset, Table
from ginref.engine.seat import Seat


class Roles(NamedTuple):
    """What each seat does in one round.

    Attributes:
        dealer: The seat that deals; in the box form, the seat in the box.
        non_dealer: The seat it plays against; in the box form, the captain.
        idle: The seat that sits out; None at a table of two.
    """

    dealer: Seat
    non_dealer: Seat
    idle: Seat | None

    def opponent(self, seat: Seat) -> Seat:
        """Return the seat that plays against one of the two."""
        return self.non_dealer if seat is self.dealer else self.dealer


def first_roles(seats: tuple[Seat, ...], dealer: Seat) -> Roles:
    """Return the roles of the first round.

    The seat after the dealer plays against it, the next one sits out; after the last
    seat comes the first.
    """
    at = seats.index(dealer)
    non_dealer, *idle = (*seats[at + 1 :], *seats[:at])
    return Roles(dealer, non_dealer, idle[0] if idle else None)


def next_roles(rules: Ruleset, roles: Roles, winner: Seat | None) -> Roles:
    """Return the roles of the round after this one; nobody won a drawn one."""
    dealer, non_dealer, idle = roles
    if idle is None:
        deals = _next_dealer(rules, roles, winner)
        return Roles(deals, roles.opponent(deals), None)
    if winner is None:
        return roles
    if rules.table is Table.CUTTHROAT:
        loser = roles.opponent(winner)
        return Roles(idle, roles.opponent(loser), loser)
    if winner is dealer:
        return Roles(dealer, idle, non_dealer)
    return Roles(non_dealer, idle, dealer)


def _next_dealer(rules: Ruleset, roles: Roles, winner: Seat | None) -> Seat:
    if rules.next_dealer is NextDealer.BOARD_PARITY:
        return roles.non_dealer
    if winner is None:
        return roles.dealer
    if rules.next_dealer is NextDealer.WINNER:
        return winner
    return roles.non_dealer


def credited(
    rules: Ruleset, dealer: Seat, idle: Seat | None, winner: Seat | None
) -> tuple[Seat, ...]:
    """Return the seats that score a round: the winner first, and its partner if any.

    Source: none says how the box scores. The two who play against the box are one
    side, so both are credited; the seat in the box is credited alone.
    """
    if winner is None:
        return ()
    if rules.table is Table.BOX and idle is not None and winner is not dealer:
        return winner, idle
    return (winner,)
