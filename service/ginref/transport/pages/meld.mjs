/** The least deadwood of a hand, and the melds that leave it. */
const RANKS = "A23456789TJQK";
const SUITS = "shdc";

/** What a card counts as deadwood. */
export const points = (card) => Math.min(RANKS.indexOf(card[0]) + 1, 10);

/** Every meld that can be made of some cards. */
function melds(cards) {
  const has = new Set(cards);
  const found = [];
  for (const rank of RANKS) {
    const set = [...SUITS].map((suit) => rank + suit).filter((card) => has.has(card));
    if (set.length < 3) continue;
    found.push(set);
    if (set.length === 4) for (const left of set) found.push(set.filter((one) => one !== left));
  }
  for (const suit of SUITS) {
    for (let from = 0; from < RANKS.length; from += 1) {
      const run = [];
      for (let at = from; at < RANKS.length && has.has(RANKS[at] + suit); at += 1) {
        run.push(RANKS[at] + suit);
        if (run.length >= 3) found.push([...run]);
      }
    }
  }
  return found;
}

/** Arrange a hand so that least is left over: its melds, and what counts against it. */
export function arrange(cards) {
  const all = melds(cards);
  let best = { melds: [], saved: -1 };
  const search = (at, used, chosen, saved) => {
    if (saved > best.saved) best = { melds: chosen, saved };
    for (let next = at; next < all.length; next += 1) {
      const meld = all[next];
      if (meld.some((card) => used.has(card))) continue;
      const worth = meld.reduce((sum, card) => sum + points(card), 0);
      search(next + 1, new Set([...used, ...meld]), [...chosen, meld], saved + worth);
    }
  };
  search(0, new Set(), [], 0);
  const melded = new Set(best.melds.flat());
  const loose = cards.filter((card) => !melded.has(card));
  return {
    melds: best.melds,
    loose,
    deadwood: loose.reduce((sum, card) => sum + points(card), 0),
  };
}
