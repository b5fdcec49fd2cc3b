/** A whole match followed from its shares to its sheet. */
import * as derive from "./derive.mjs";
import { same } from "./document.mjs";
import { WrongError } from "./envelope.mjs";
import { Buffer } from "./platform.mjs";
import { Round } from "./round.mjs";
import {
  ahead,
  closeBoards,
  enter,
  giveAway,
  isOver,
  leader,
  majority,
  openSheet,
  tellSheet,
} from "./sheet.mjs";

const HANDSHAKE = ["accept", "decline", "commit", "reveal"];
const SEATS = ["north", "south", "east"];
const hex = (text) => Buffer.from(text, "hex");

/** Who plays the first round: the seat after the dealer, and nobody else of two. */
function firstRoles(count, dealer) {
  const nonDealer = (dealer + 1) % count;
  return { dealer, nonDealer, idle: count === 3 ? (dealer + 2) % count : null };
}

/** Who plays the round after one that `winner` has won; null for a drawn one. */
function nextRoles(rules, { dealer, nonDealer, idle }, winner) {
  if (idle === null) {
    const changes =
      rules.next_dealer === "board_parity" ||
      (winner !== null && (rules.next_dealer === "alternate" || winner === nonDealer));
    if (!changes) return { dealer, nonDealer, idle };
    return { dealer: nonDealer, nonDealer: dealer, idle };
  }
  if (winner === null) return { dealer, nonDealer, idle };
  const loser = winner === dealer ? nonDealer : dealer;
  if (rules.table === "cutthroat") {
    return { dealer: idle, nonDealer: winner, idle: loser };
  }
  return { dealer: winner, nonDealer: idle, idle: loser };
}

/** A match that takes one entry after another. */
export class Match {
  constructor(record) {
    this.record = record;
    this.rules = record.match.ruleset;
    this.seats = SEATS.slice(0, record.match.bots.length);
    this.commitments = this.seats.map(() => undefined);
    this.shares = this.seats.map(() => null);
    this.accepted = this.seats.map(() => false);
    this.strikes = this.seats.map(() => 0);
    this.requests = new Set();
    this.rounds = [];
    this.secret = null;
    this.round = null; // being played
    this.sheet = null;
    this.ending = null;
  }

  /** Take one entry. */
  take(entry) {
    if (this.ending) throw new WrongError("ending", "the match is over before it");
    const seat = entry.seat === undefined ? null : this.seats.indexOf(entry.seat);
    if (seat === -1) throw new WrongError("move", `no seat ${entry.seat}`);
    if (HANDSHAKE.includes(entry.kind)) this.#expectStep(seat, entry.kind);
    switch (entry.kind) {
      case "accept":
        this.accepted[seat] = true;
        break;
      case "commit":
        this.commitments[seat] = entry.commitment;
        break;
      case "reveal":
        this.#reveal(seat, entry.share);
        break;
      case "move":
        this.#move(seat, entry);
        break;
      case "strike":
        this.#strike(seat, entry);
        break;
      case "decline":
        this.#forfeit("no_show", [seat]);
        break;
      case "resign":
        this.#forfeit("resigned", [seat]);
        break;
      case "timeout":
        this.#timeout();
        break;
      case "abort":
        this.ending = { kind: "aborted", winner: null, fault: "organizer", guilty: [] };
        break;
      case "void":
        this.ending = { kind: "void", winner: null, fault: "referee", guilty: [] };
        break;
      default:
        break;
    }
    const isReady = this.sheet === null && this.#owed.seats.length === 0;
    if (isReady && !this.ending) this.#start();
  }

  /** What is owed before the cards are dealt, and by whom; nothing by nobody after. */
  get #owed() {
    const owing = (isOwed) => [...this.seats.keys()].filter(isOwed);
    const late = owing((seat) => !this.accepted[seat]);
    if (late.length > 0) return { step: "accept", seats: late };
    if (this.record.match.deal_source !== "shares") return { step: null, seats: [] };
    const silent = owing((seat) => this.commitments[seat] === undefined);
    if (silent.length > 0) return { step: "commit", seats: silent };
    const closed = owing((seat) => this.commitments[seat] && !this.shares[seat]);
    return { step: "reveal", seats: closed };
  }

  #expectStep(seat, kind) {
    const { step, seats } = this.#owed;
    const expected = kind === "decline" ? "accept" : kind;
    if (step !== expected || !seats.includes(seat)) {
      throw new WrongError("deal", "it cannot follow at this point of the match");
    }
  }

  #reveal(seat, text) {
    const share = hex(text);
    const made = derive.commitSeat(this.record.match.match_id, seat, share);
    if (made.toString("hex") !== this.commitments[seat]) {
      throw new WrongError("deal", "the share is not the one committed to");
    }
    this.shares[seat] = share;
  }

  #start() {
    const { match, openings } = this.record;
    const share = hex(openings.referee_share);
    const secrets = {
      seeded: () => derive.seedSecret(openings.seed),
      tournament: () => share,
      shares: () => derive.mix(match.match_id, share, this.shares),
    };
    this.secret = secrets[match.deal_source]();
    const dealer = derive.firstDealer(this.secret, this.seats);
    this.dealer = dealer;
    this.sheet = openSheet(this.rules, this.seats);
    this.#deal(firstRoles(this.seats.length, this.seats.indexOf(dealer)));
  }

  #deal(roles) {
    const deck = derive.deck(this.secret, this.rounds.length);
    this.round = new Round(this.rules, deck, roles);
  }

  #request(seat, entry) {
    const key = `${seat} ${entry.request_id}`;
    if (this.requests.has(key)) throw new WrongError("move", "a request id twice");
    this.requests.add(key);
    if (!this.round) throw new WrongError("move", "no cards are dealt");
  }

  #strike(seat, entry) {
    this.#request(seat, entry);
    if (seat !== this.round.toAct) throw new WrongError("move", "not its turn");
    const isLost = this.strikes[seat] >= this.record.match.strikes_allowed;
    this.strikes[seat] += 1;
    if (isLost === (entry.refusal !== undefined)) {
      throw new WrongError("move", "a step and a counted refusal are mixed up");
    }
    if (isLost) this.#forfeit("strikes", [seat]);
  }

  #timeout() {
    const isPlaying = this.round !== null;
    const guilty = isPlaying ? [this.round.toAct] : this.#owed.seats;
    this.#forfeit(isPlaying ? "timed_out" : "no_show", guilty);
  }

  #forfeit(kind, guilty) {
    const left = [...this.seats.keys()].filter((seat) => !guilty.includes(seat));
    let winner = left.length === 1 && guilty.length > 0 ? left[0] : null;
    if (this.sheet) {
      winner = ahead(this.sheet, left);
      if (winner !== null) giveAway(this.sheet, winner, this.rounds.length + 1);
    }
    this.ending = { kind, winner, fault: "seat", guilty };
  }

  #move(seat, entry) {
    this.#request(seat, entry);
    if (entry.refusal !== undefined) throw new WrongError("move", "no refusal");
    const claimed = this.record.rounds[this.rounds.length];
    const result = this.round.move(seat, entry.move, claimed?.showdown);
    if (result) this.#score(result, claimed);
  }

  #score(result, claimed) {
    const { round, rules, sheet } = this;
    const { roles } = round;
    const number = this.rounds.length + 1;
    const { winner } = result;
    let columns = [];
    if (winner !== null) {
      const isPartner = rules.table === "box" && winner !== roles.dealer;
      const scorers = isPartner ? [winner, roles.idle] : [winner];
      columns = enter(sheet, rules, scorers, result.points, number);
    }
    if (rules.boards === number) closeBoards(sheet, number);
    const name = (seat) => (seat === null ? null : this.seats[seat]);
    const told = {
      number,
      dealer: name(roles.dealer),
      first_upcard: round.firstUpcard,
      knock_limit: round.knockLimit,
      multiplier: round.multiplier,
      outcome: result.outcome,
      winner: name(winner),
      points: result.points,
      columns,
    };
    if (roles.idle !== null) told.idle = name(roles.idle);
    if (result.knocker !== undefined) {
      // Its cards were compared when they were laid down.
      const { knocker, discard } = result;
      told.showdown = { ...claimed.showdown, knocker: name(knocker), discard };
    }
    if (!claimed || !same(told, claimed)) {
      throw new WrongError("score", `round ${number} was played in another way`);
    }
    this.rounds.push(told);
    this.round = null;
    if (isOver(sheet, rules)) {
      this.#complete("completed", majority(sheet));
    } else if (number >= rules.round_limit) {
      this.#complete("round_cap", leader(sheet));
    } else {
      this.#deal(nextRoles(rules, roles, winner));
    }
  }

  #complete(kind, winner) {
    this.ending = { kind, winner, fault: "nobody", guilty: [] };
  }
}

/** Follow every entry of a record and compare what comes of it. */
export function replay(record) {
  const match = new Match(record);
  for (const entry of record.entries) {
    try {
      match.take(entry);
    } catch (error) {
      if (!(error instanceof WrongError)) throw error;
      const number = entry.refusal ? `${entry.version}-${entry.refusal}` : entry.version;
      throw new WrongError(error.wrong, `entry ${number}: ${error.message}`);
    }
  }
  if (!match.ending) throw new WrongError("ending", "the match is not over");
  const name = (seat) => (seat === null ? null : match.seats[seat]);
  const { kind, winner, fault, guilty } = match.ending;
  const ending = { kind, winner: name(winner), fault, seats_at_fault: guilty.map(name) };
  const { openings } = record;
  const secret = match.secret ? match.secret.toString("hex") : null;
  const first = match.dealer ?? null;
  expect("deal", "openings.secret", same(secret, openings.secret));
  expect("deal", "openings.first_dealer", same(first, openings.first_dealer));
  expect("score", "rounds", same(match.rounds, record.rounds));
  const sheet = match.sheet ? tellSheet(match.sheet, match.seats) : null;
  expect("score", "sheet", same(sheet, record.sheet));
  expect("ending", "ending", same(ending, record.ending));
  expect("move", "strikes", same(match.strikes, record.strikes));
  return match;
}

function expect(wrong, place, isTrue) {
  if (!isTrue) throw new WrongError(wrong, `${place}: something else comes of it`);
}
