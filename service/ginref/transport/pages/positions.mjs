/** A match as a row of positions: after each move, all cards open. */
import { arrange } from "./meld.mjs";
import { SEATS } from "./sheet.mjs";
import { Match } from "./built/verifier/replay.mjs";

/** One position of a round that is being played, or has just ended. */
function position(match, round, pile, entry, isEnd) {
  return {
    entry,
    seat: entry ? SEATS.indexOf(entry.seat) : null,
    hands: match.seats.map((_, seat) => arrange([...(round.hands.get(seat) ?? [])])),
    stock: 52 - round.drawn,
    pile: [...pile],
    taken: entry?.move === "draw_stock" ? round.deck[round.drawn - 1] : round.taken,
    number: match.rounds.length + (isEnd ? 0 : 1),
    rounds: match.rounds.length,
    ended: isEnd ? match.rounds[match.rounds.length - 1] : null,
    knockLimit: round.knockLimit,
    dealer: round.roles.dealer,
  };
}

/**
 * Play a record again, and return its positions: the deal of each round and every move.
 *
 * It stops at the first entry that cannot be followed.
 */
export function positionsOf(record) {
  const match = new Match(record);
  const found = [];
  let pile = [];
  for (const entry of record.entries) {
    const before = match.round;
    try {
      match.take(entry);
    } catch {
      break;
    }
    const isMove = entry.kind === "move" && before !== null;
    if (isMove) {
      const [kind, card] = entry.move.split(" ");
      if (kind === "draw_upcard") pile.pop();
      if (kind === "discard" || (kind === "knock" && card?.length === 2)) pile.push(card);
      found.push(position(match, before, pile, entry, match.round !== before));
    }
    if (match.round !== before && match.round !== null) {
      pile = [match.round.firstUpcard];
      found.push(position(match, match.round, pile, null, false));
    }
  }
  return found;
}
