/**
 * What to do with a turn. It knows cards and melds; what is legal, the view says.
 *
 * It takes an upcard that saves points, throws the dearest loose card, and knocks as
 * soon as it can.
 */
const RANKS = "A23456789TJQK";
const SUITS = "shdc";

const rank = (card) => RANKS.indexOf(card[0]);
const points = (card) => Math.min(rank(card) + 1, 10);

/** All melds of three and more within a hand, each as the bits of its cards. */
function melds(hand) {
  const bit = (card) => (card === undefined ? 0 : 1 << hand.indexOf(card));
  const found = [];
  for (const value of RANKS) {
    const set = hand.filter((card) => card[0] === value).map(bit);
    const all = set.reduce((bits, one) => bits | one, 0);
    if (set.length > 2) found.push(all);
    if (set.length > 3) found.push(...set.map((one) => all & ~one));
  }
  for (const suit of SUITS) {
    const at = (value) => hand.find((card) => card === RANKS[value] + suit);
    for (let first = 0; first < RANKS.length; first += 1) {
      let run = 0;
      for (let value = first; at(value) !== undefined; value += 1) {
        run |= bit(at(value));
        if (value - first >= 2) found.push(run);
      }
    }
  }
  return found;
}

/** The least deadwood of a hand of eleven cards at most. */
export function deadwood(hand) {
  const all = melds(hand);
  const known = new Map();
  const least = (rest) => {
    if (rest === 0) return 0;
    if (!known.has(rest)) {
      const first = rest & -rest; // is loose, or in one of its melds
      const loose = points(hand[31 - Math.clz32(first)]) + least(rest & ~first);
      const within = all.filter((meld) => meld & first && (meld & ~rest) === 0);
      known.set(rest, Math.min(loose, ...within.map((meld) => least(rest & ~meld))));
    }
    return known.get(rest);
  };
  return least((1 << hand.length) - 1);
}

/** The move, of those that throw a card, that leaves the least deadwood. */
function cheapest(hand, moves) {
  const left = (text) => {
    const [, thrown] = text.split(" "); // none with big gin
    return deadwood(hand.filter((card) => card !== thrown));
  };
  const dearest = (text) => -points(text.split(" ")[1] ?? "A");
  const judged = moves.map((text) => [left(text), dearest(text), text]);
  judged.sort(([a, c], [b, d]) => a - b || c - d);
  return judged[0][2];
}

/** Say whether the upcard saves points, whatever is thrown for it. */
function saves(hand, upcard) {
  const others = hand.map((thrown) => hand.filter((card) => card !== thrown));
  return others.some((rest) => deadwood([...rest, upcard]) < deadwood(hand));
}

/** The text of a move for the view of a seat that is to act. */
export function choose(view) {
  const { hand } = view.own;
  const legal = view.legalMoves.map(({ text }) => text);
  const knocks = legal.filter((text) => text.startsWith("knock"));
  if (knocks.length > 0) return cheapest(hand, knocks);
  const discards = legal.filter((text) => text.startsWith("discard"));
  if (discards.length > 0) return cheapest(hand, discards);
  if (legal.includes("draw_upcard") && saves(hand, view.table.upcard)) {
    return "draw_upcard";
  }
  return ["pass", "draw_stock"].find((text) => legal.includes(text)) ?? legal[0];
}
