/**
 * What the cards of a match follow from: commitments, the match secret, every deck.
 *
 * Written from docs/records.md, without a look at the referee's own program.
 */
import { Buffer, hkdf, hmac, sha256 } from "./platform.mjs";

const RANKS = [..."A23456789TJQK"];
const SUITS = [..."shdc"];
const DRAWS = 65536; // values of two bytes

/** The cards before a shuffle: aces to kings, suit after suit. */
export const PACK = SUITS.flatMap((suit) => RANKS.map((rank) => rank + suit));

export function commitReferee(matchId, share) {
  return sha256("ginref/referee-commitment/v1", matchId, share);
}

/** Text with its length before it, so that no two lists of names look the same. */
function named(tag, ...names) {
  const parts = names.flatMap((name) => {
    const text = Buffer.from(name);
    return [Buffer.from([text.length >> 8, text.length & 0xff]), text];
  });
  return Buffer.concat([Buffer.from(tag), ...parts]);
}

/** Commit to a share of a tournament's secret; an empty name is the referee's. */
export function commitTournamentShare(tournament, who, share) {
  return sha256(named("ginref/tournament-share/v1", tournament, who), share);
}

/** Mix a tournament's secret; `shares` are those of the bots, by name. */
export function mixTournament(tournament, referee, shares) {
  const parts = Object.keys(shares)
    .sort()
    .flatMap((bot) => [named("", bot), shares[bot]]);
  const info = named("ginref/tournament-secret/v1", tournament);
  return hkdf(Buffer.concat([referee, ...parts]), info);
}

/** Commit to a tournament's secret. */
export function commitTournament(tournament, secret) {
  return sha256(named("ginref/tournament-commitment/v1", tournament), secret);
}

/** The secret of all lots of a tournament. */
export function lotsOf(secret) {
  return hkdf(secret, "ginref/tournament-lots/v1");
}

/** The match secret of all matches of a tournament that share a deal. */
export function boardsOf(secret, deal) {
  return hkdf(secret, named("ginref/tournament-boards/v1", deal));
}

/** Commit to the secret of all matches of a tournament that share a deal. */
export function commitBoards(tournament, deal, boards) {
  return sha256(named("ginref/boards-commitment/v1", tournament, deal), boards);
}

/** `seat` is 0 for north, 1 for south and 2 for east. */
export function commitSeat(matchId, seat, share) {
  return sha256("ginref/seat-commitment/v1", matchId, Buffer.from([seat]), share);
}

/** Mix the match secret; null stands for a seat without a share. */
export function mix(matchId, referee, seats) {
  const parts = seats.flatMap((share) =>
    share === null ? [Buffer.from([0])] : [Buffer.from([1]), share],
  );
  return hkdf(Buffer.concat([referee, ...parts]), `ginref/match-secret/v1${matchId}`);
}

/** The match secret of a seeded match. */
export function seedSecret(text) {
  return sha256("ginref/seed/v1", text);
}

/** The key of a shuffle: `purpose` and a number of four bytes, biggest first. */
function shuffleKey(secret, purpose, k) {
  const number = Buffer.alloc(4);
  number.writeUInt32BE(k);
  return hkdf(secret, Buffer.concat([Buffer.from(purpose), number]));
}

/** The stream of a key, two bytes at a time. */
function* draws(key) {
  for (let at = 0n; ; at += 1n) {
    const counter = Buffer.alloc(8);
    counter.writeBigUInt64BE(at);
    const block = hmac(key, counter);
    for (let i = 0; i < block.length; i += 2) yield block.readUInt16BE(i);
  }
}

/** Shuffle from the last place down; the first item comes out on top. */
function shuffle(items, key) {
  const shuffled = [...items];
  const stream = draws(key);
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const places = last + 1;
    const fair = DRAWS - (DRAWS % places);
    let draw = stream.next().value;
    while (draw >= fair) draw = stream.next().value;
    const at = draw % places;
    [shuffled[last], shuffled[at]] = [shuffled[at], shuffled[last]];
  }
  return shuffled;
}

/** The deck of the deal `k`, counted from 0; its first card is the top. */
export function deck(secret, k) {
  return shuffle(PACK, shuffleKey(secret, "ginref/deck/v1", k));
}

/** Who deals the first round. */
export function firstDealer(secret, seats) {
  return shuffle(seats, shuffleKey(secret, "ginref/first-dealer/v1", 0))[0];
}

/** The new suit of each old one for the board `k`. */
export function suits(secret, k) {
  return shuffle(SUITS, shuffleKey(secret, "ginref/suits/v1", k));
}

/** The numbers from 0 to `count` - 1, shuffled. */
export function lots(secret, count) {
  return shuffle([...Array(count).keys()], shuffleKey(secret, "ginref/lots/v1", 0));
}
