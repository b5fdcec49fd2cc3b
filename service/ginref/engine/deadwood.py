"""The least deadwood of a hand, and the arrangement that leaves it.

Once the sets are chosen, the suits no longer touch: what is left of each suit is
one look-up in a table of 8192 rows. A set is possible only for a rank held three
or four times, so a hand needs few look-ups. The work grows with the number of such
ranks: this is made for hands, of which eleven cards are the largest.

Source: spielegratis24.de/action/multiplayer-rummy-2, where a card belongs to one meld
at most, and what no meld contains is deadwood.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ginref.engine.card import PACK, Card, CardSet, Rank
from ginref.engine.meld import MELD_CARDS_MIN, MELDS, Meld

_SUIT_SIZE: Final = len(Rank)
_SUIT_MASK: Final = (1 << _SUIT_SIZE) - 1
_DEAREST_CARD: Final = max(card.points for card in PACK)


def _tabulate() -> tuple[bytes, bytes]:
    """Points, and least deadwood by runs alone, of each set of ranks in a suit."""
    points = bytearray(_SUIT_MASK + 1)
    least = bytearray(_SUIT_MASK + 1)
    rank_points = {1 << rank: rank.points for rank in Rank}
    for ranks in range(1, _SUIT_MASK + 1):
        # The lowest card is either loose or the first of a run.
        lowest = ranks & -ranks
        points[ranks] = points[ranks ^ lowest] + rank_points[lowest]
        fewest = least[ranks ^ lowest] + rank_points[lowest]
        run = lowest * 0b111
        while ranks & run == run:
            fewest = min(fewest, least[ranks ^ run])
            run |= run << 1
        least[ranks] = fewest
    return bytes(points), bytes(least)


_POINTS, _LEAST_BY_RUNS = _tabulate()

# A run can start at A to J; bit by bit in every suit, so that no run wraps.
_RUN_STARTS: Final = sum(card.bit for card in PACK if card.rank <= Rank.JACK)


def deadwood(cards: CardSet) -> int:
    """Count the least deadwood points that any arrangement of the cards leaves."""
    return _least(cards.mask)


def _least(mask: int) -> int:
    spades = mask & _SUIT_MASK
    hearts = mask >> 13 & _SUIT_MASK
    diamonds = mask >> 26 & _SUIT_MASK
    clubs = mask >> 39
    table = _LEAST_BY_RUNS
    fewest = table[spades] + table[hearts] + table[diamonds] + table[clubs]
    ranks = spades & hearts & (diamonds | clubs) | diamonds & clubs & (spades | hearts)
    if ranks:
        return _least_with_sets(spades, hearts, diamonds, clubs, ranks, fewest)
    return fewest


def _least_with_sets(  # noqa: PLR0913, PLR0917 - a tuple of suits takes longer
    spades: int, hearts: int, diamonds: int, clubs: int, ranks: int, fewest: int
) -> int:
    """Improve on `fewest`, the deadwood by runs alone, with sets of some `ranks`."""
    table = _LEAST_BY_RUNS
    rank = ranks & -ranks
    others = ranks ^ rank
    all_suits = spades & hearts & diamonds & clubs & rank
    if others:
        fewest = _least_with_sets(spades, hearts, diamonds, clubs, others, fewest)
    rest = ~rank
    s, h, d, c = spades & rest, hearts & rest, diamonds & rest, clubs & rest
    in_s, in_h, in_d, in_c = table[s], table[h], table[d], table[c]
    by_set = in_s + in_h + in_d + in_c
    if not others:
        if all_suits:
            # A set of three instead leaves one card to a run of its suit.
            by_set += min(
                0,
                table[spades] - in_s,
                table[hearts] - in_h,
                table[diamonds] - in_d,
                table[clubs] - in_c,
            )
        return min(by_set, fewest)
    fewest = min(fewest, _least_with_sets(s, h, d, c, others, by_set))
    if all_suits:
        for one in (
            (spades, h, d, c),
            (s, hearts, d, c),
            (s, h, diamonds, c),
            (s, h, d, clubs),
        ):
            by_set = sum(table[suit] for suit in one)
            fewest = min(fewest, _least_with_sets(*one, others, by_set))
    return fewest


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Disjoint melds of a hand, and the cards that are in none of them.

    Attributes:
        melds: The melds, in order of their masks.
        deadwood: The unmatched cards.
    """

    melds: tuple[Meld, ...]
    deadwood: CardSet

    @property
    def points(self) -> int:
        """Deadwood points that the arrangement leaves."""
        return _points(self.deadwood.mask)


def best_arrangement(cards: CardSet) -> Arrangement:
    """Arrange the cards to their least deadwood.

    Among arrangements of equal deadwood the one wins on which an opponent could
    lay off the fewest cards, then the one with the smallest sorted meld masks.
    Nothing but the cards themselves decides.
    """
    mask = cards.mask
    # Choices come in the order of their masks, and the first of equals is kept.
    chosen = min(
        _choices(_melds_in(mask), mask, _least(mask)),
        key=lambda choice: _openings(choice, mask).bit_count(),
    )
    return Arrangement(
        tuple([MELDS[meld] for meld in chosen]), CardSet(mask & ~sum(chosen))
    )


def discard_deadwoods(hand: CardSet) -> dict[Card, int]:
    """Map each card of the hand to the least deadwood of the others."""
    mask = hand.mask
    least = _least(mask)
    meldable = _meldable(mask)
    # A card that fits no meld is deadwood in every arrangement.
    return {
        card: _least(mask ^ card.bit) if meldable & card.bit else least - card.points
        for card in hand
    }


def knock_discards(hand: CardSet, limit: int, kept: Card | None) -> tuple[Card, ...]:
    """Find the cards that can be thrown to knock, by index.

    Args:
        hand: Eleven cards.
        limit: The knock limit, in deadwood points.
        kept: A card that may not be thrown: the one just taken from the pile.
    """
    mask = hand.mask
    least = _least(mask)
    # Throwing a card saves its points at most.
    if least - _DEAREST_CARD > limit:
        return ()
    meldable = _meldable(mask)
    return tuple(
        [
            card
            for card in hand
            if least - card.points <= limit
            and card is not kept
            and (not meldable & card.bit or _least(mask ^ card.bit) <= limit)
        ]
    )


def _points(mask: int) -> int:
    return (
        _POINTS[mask & _SUIT_MASK]
        + _POINTS[mask >> 13 & _SUIT_MASK]
        + _POINTS[mask >> 26 & _SUIT_MASK]
        + _POINTS[mask >> 39]
    )


def _ranks_of_sets(mask: int) -> int:
    """Ranks held three or four times, as a mask of one suit."""
    spades, hearts = mask & _SUIT_MASK, mask >> 13 & _SUIT_MASK
    diamonds, clubs = mask >> 26 & _SUIT_MASK, mask >> 39
    return spades & hearts & (diamonds | clubs) | diamonds & clubs & (spades | hearts)


def _in_all_suits(ranks: int) -> int:
    return ranks * (1 | 1 << 13 | 1 << 26 | 1 << 39)


def _meldable(mask: int) -> int:
    """Cards of the mask that some meld within it contains."""
    starts = mask & mask >> 1 & mask >> 2 & _RUN_STARTS
    runs = starts | starts << 1 | starts << 2
    return runs | mask & _in_all_suits(_ranks_of_sets(mask))


def _melds_in(mask: int) -> list[int]:
    """Masks of all melds that the cards of the mask contain, in order."""
    melds = []
    for spade in CardSet(_ranks_of_sets(mask)):
        held = mask & _in_all_suits(spade.bit)
        melds.append(held)
        if held.bit_count() > MELD_CARDS_MIN:
            melds += [held ^ card.bit for card in CardSet(held)]
    for card in CardSet(mask & mask >> 1 & mask >> 2 & _RUN_STARTS):
        run = card.bit * 0b111
        # A run that goes on in the next suit is no meld.
        while mask & run == run and run in MELDS:
            melds.append(run)
            run |= run << 1
    return sorted(melds)


def _choices(melds: list[int], mask: int, least: int) -> Iterator[tuple[int, ...]]:
    """Yield each choice of disjoint melds that leaves `least` points, in order."""
    if _points(mask) == least:
        yield ()
    for at, meld in enumerate(melds):
        rest = mask & ~meld
        if mask & meld == meld and _least(rest) == least:
            for others in _choices(melds[at + 1 :], rest, least):
                yield (meld, *others)


def _openings(melds: tuple[int, ...], mask: int) -> int:
    """Cards outside the mask that could be laid off on its melds, chains included."""
    openings = 0
    for meld in melds:
        lowest = meld & -meld
        if meld & lowest << 1:
            openings |= _chain(meld, mask)
        else:
            rank = (lowest.bit_length() - 1) % _SUIT_SIZE
            openings |= _in_all_suits(1 << rank) & ~mask
    return openings


def _chain(run: int, mask: int) -> int:
    """Cards outside the mask in sequence with the run, at either end."""
    chain = 0
    suit = (run.bit_length() - 1) // _SUIT_SIZE
    whole = _SUIT_MASK << suit * _SUIT_SIZE & ~mask
    below = (run & -run) >> 1
    while below & whole:
        chain |= below
        below >>= 1
    above = 1 << run.bit_length()
    while above & whole:
        chain |= above
        above <<= 1
    return chain
