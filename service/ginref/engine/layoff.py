"""What the defender does after a knock: meld, and lay off on the knocker's melds.

Only the defender lays off, one card at a time, on the knocker's melds: the fourth card
of a set or the next card at either end of a run, which it extends for the next one. Own
melds and layoffs are chosen together, because breaking a meld can pay. Less deadwood is
never worse for the defender, so the choice can be made for it.

Source: ginrummy.com/scoring.html for who lays off, and that nobody does on gin;
github.com/google-deepmind/open_spiel for runs that grow at either end.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ginref.engine.card import PACK, Card, CardSet, Rank
from ginref.engine.deadwood import best_arrangement, deadwood
from ginref.engine.meld import Meld, SetMeld

# A third card in sequence would be a meld of the defender's own.
_LONGEST_CHAIN = 2


@dataclass(frozen=True, slots=True)
class Layoff:
    """One card added to a meld of the knocker.

    Attributes:
        card: The defender's card.
        meld: Position of the meld among the knocker's melds, from 0.
    """

    card: Card
    meld: int


@dataclass(frozen=True, slots=True)
class Spread:
    """The defender's hand laid down.

    Attributes:
        melds: The defender's own melds, in order of their masks.
        layoffs: The cards laid off, in an order that is legal one by one.
        deadwood: The cards left.
    """

    melds: tuple[Meld, ...]
    layoffs: tuple[Layoff, ...]
    deadwood: CardSet

    @property
    def points(self) -> int:
        """Deadwood points left."""
        return self.deadwood.points


def defend(melds: Sequence[Meld], hand: CardSet, *, may_lay_off: bool = True) -> Spread:
    """Spread the defender's hand to its least deadwood, layoffs included.

    Among equals the fewest cards are laid off, then those with the smallest mask,
    each on the first meld that takes it; the rest is arranged at its best.

    Args:
        melds: The knocker's melds.
        hand: The defender's cards.
        may_lay_off: Whether the rules let the defender lay off, as they do not
            against gin.
    """
    layoffs: tuple[Layoff, ...] = ()
    if may_lay_off:
        options = _layoff_options(melds, hand)
        layoffs = options[
            min(
                options,
                key=lambda laid: (
                    deadwood(CardSet(hand.mask & ~laid)),
                    laid.bit_count(),
                    laid,
                ),
            )
        ]
    rest = best_arrangement(hand - CardSet.of(layoff.card for layoff in layoffs))
    return Spread(rest.melds, layoffs, rest.deadwood)


def _layoff_options(
    melds: Sequence[Meld], hand: CardSet
) -> dict[int, tuple[Layoff, ...]]:
    """Every set of cards that can be laid off together, by mask, and how."""
    prefixes = [
        [chain[:length] for length in range(len(chain), -1, -1)]
        for at, meld in enumerate(melds)
        for chain in _chains(at, meld, hand)
    ]
    options: dict[int, tuple[Layoff, ...]] = {}
    for choice in itertools.product(*prefixes):
        layoffs = tuple(itertools.chain.from_iterable(choice))
        laid = CardSet.of(layoff.card for layoff in layoffs)
        if len(laid) == len(layoffs):
            options.setdefault(laid.mask, layoffs)
    return options


def _chains(at: int, meld: Meld, hand: CardSet) -> Iterator[tuple[Layoff, ...]]:
    """Yield the cards of the hand that can follow each other onto a meld."""
    for cards in _continuations(meld):
        held = tuple(itertools.takewhile(hand.__contains__, cards))
        if held:
            yield tuple(Layoff(card, at) for card in held)


def _continuations(meld: Meld) -> list[tuple[Card, ...]]:
    """Cards that continue a meld, nearest first, for each end that it has."""
    if isinstance(meld, SetMeld):
        rank = PACK[meld.rank :: len(Rank)]
        return [tuple(card for card in rank if card not in meld.cards)]
    suit = PACK[meld.suit * len(Rank) : (meld.suit + 1) * len(Rank)]
    below, above = suit[: meld.low], suit[meld.high + 1 :]
    return [below[::-1][:_LONGEST_CHAIN], above[:_LONGEST_CHAIN]]
