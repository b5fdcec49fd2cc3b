/** One round: cards go from the deck to hands and pile, until somebody lays down. */
import { PACK } from "./derive.mjs";
import { WrongError } from "./envelope.mjs";

const index = (card) => PACK.indexOf(card);
const points = (card) => Math.min((index(card) % 13) + 1, 10);
const sum = (cards) => cards.reduce((total, card) => total + points(card), 0);
const sorted = (cards) => [...cards].sort((a, b) => index(a) - index(b));
const split = (text) => text.split(" ").filter(Boolean);

function isSame(some, others) {
  return sorted(some).join() === sorted(others).join();
}

/** Say whether cards are three or more of a rank, or in sequence in one suit. */
function isMeld(cards) {
  const at = sorted(cards).map(index);
  if (at.length < 3 || new Set(at).size < at.length) return false;
  const isSet = at.every((one) => one % 13 === at[0] % 13);
  const inSuit = Math.floor(at[0] / 13) === Math.floor(at[at.length - 1] / 13);
  return isSet || (inSuit && at[at.length - 1] - at[0] === at.length - 1);
}

/** A round between two seats, which are given by their position. */
export class Round {
  constructor(rules, deck, roles) {
    this.rules = rules;
    this.roles = roles;
    this.deck = deck;
    this.hands = new Map([
      [roles.nonDealer, new Set(deck.slice(0, 20).filter((_, at) => at % 2 === 0))],
      [roles.dealer, new Set(deck.slice(0, 20).filter((_, at) => at % 2 === 1))],
    ]);
    [this.firstUpcard] = deck.slice(20);
    this.drawn = 21;
    this.upcard = this.firstUpcard; // the last card thrown; null once it is taken
    this.turns = 0;
    this.passes = 0;
    this.taken = null; // the card just taken from the pile
    this.toAct = roles.nonDealer;
  }

  get knockLimit() {
    const { knock_limit: limit, knock_limit_from_upcard: tight } = this.rules;
    if (!tight) return limit;
    const isAce = points(this.firstUpcard) === 1;
    if (isAce && this.rules.ace_limit === "gin_only") return 0;
    return Math.min(limit, points(this.firstUpcard));
  }

  get multiplier() {
    return this.rules.spades_double && this.firstUpcard.endsWith("s") ? 2 : 1;
  }

  opponent(seat) {
    return seat === this.roles.dealer ? this.roles.nonDealer : this.roles.dealer;
  }

  /**
   * Make a move.
   *
   * @param showdown what the record says was laid down at the end of this round
   * @returns how the round ended, or null while it goes on
   */
  move(seat, text, showdown) {
    const [kind, card, ...melds] = text.split(" ");
    this.#expect(seat === this.toAct, "another seat is to act");
    const hand = this.hands.get(seat);
    const isThrow = kind === "discard" || kind === "knock";
    this.#expect(isThrow === (hand.size === 11), "draw first, then throw");
    switch (kind) {
      case "pass":
        this.#expect(this.turns === 0 && this.drawn === 21, "no upcard to refuse");
        this.#expect(this.passes < 2, "both have refused it");
        this.passes += 1;
        this.toAct = this.opponent(seat);
        return null;
      case "draw_upcard":
        this.#expect(this.turns > 0 || this.passes < 2, "both have refused it");
        this.taken = this.upcard;
        hand.add(this.upcard);
        return null;
      case "draw_stock":
        this.#expect(this.turns > 0 || this.passes === 2, "refuse the upcard first");
        this.taken = null;
        hand.add(this.deck[this.drawn]);
        this.drawn += 1;
        return null;
      case "discard":
        return this.#discard(seat, hand, card);
      case "knock":
        return this.#knock(seat, hand, [card, ...melds].filter(Boolean), showdown);
      default:
        throw new WrongError("move", `no move: ${text}`);
    }
  }

  #expect(isTrue, otherwise) {
    if (!isTrue) throw new WrongError("move", otherwise);
  }

  #throw(hand, card) {
    this.#expect(hand.delete(card), "the card thrown is not in the hand");
    const mayGoBack = this.rules.may_discard_taken_card || card !== this.taken;
    this.#expect(mayGoBack, "the card just taken may not go back");
  }

  #discard(seat, hand, card) {
    this.#throw(hand, card);
    this.upcard = card;
    this.turns += 1;
    this.toAct = this.opponent(seat);
    const nothing = { winner: null, points: 0 };
    if (52 - this.drawn <= this.rules.wall) return { outcome: "wall", ...nothing };
    if (this.turns >= this.rules.turn_limit) return { outcome: "turn_cap", ...nothing };
    return null;
  }

  #knock(seat, hand, words, showdown) {
    const isBig = words.length === 0 || words[0].length > 2;
    const discard = isBig ? null : words[0];
    if (!isBig) this.#throw(hand, discard);
    if (isBig) this.#expect(this.rules.big_gin_bonus !== null, "no big gin here");
    const { melds, deadwood } = this.#laidDown(hand, showdown);
    const declared = isBig ? words : words.slice(1);
    if (declared.length > 0) {
      const claimed = declared.filter((word) => word !== "-");
      const cards = claimed.map((word) => sorted(word.match(/../g)).join(" "));
      const isClaim = cards.sort().join() === [...showdown.melds].sort().join();
      this.#expect(isClaim, "other melds were declared");
    }
    this.#expect(sum(deadwood) <= this.knockLimit, "too much deadwood to knock");
    this.#expect(!isBig || deadwood.length === 0, "big gin melds all its cards");
    const left = this.#defence(seat, melds, deadwood, showdown);
    const worth = this.#score(sum(deadwood), sum(left), isBig);
    const winner = { true: seat, false: this.opponent(seat) }[worth.knockerWins] ?? null;
    return {
      outcome: worth.outcome,
      winner,
      points: worth.points,
      knocker: seat,
      discard,
    };
  }

  /** The knocker's melds and deadwood, which must be its hand. */
  #laidDown(hand, showdown) {
    if (showdown === undefined) throw new WrongError("score", "no showdown");
    const melds = showdown.melds.map(split);
    const deadwood = split(showdown.deadwood);
    if (!melds.every(isMeld)) throw new WrongError("score", "the knocker's melds");
    if (!isSame([...melds.flat(), ...deadwood], hand)) {
      throw new WrongError("score", "the knocker has other cards");
    }
    return { melds, deadwood };
  }

  /** What is left to the defender, whose cards laid down must be its hand. */
  #defence(seat, melds, deadwood, showdown) {
    const own = showdown.defender_melds.map(split);
    const left = split(showdown.defender_deadwood);
    const laidOff = showdown.layoffs.map(([card]) => card);
    const hand = this.hands.get(this.opponent(seat));
    if (!isSame([...own.flat(), ...left, ...laidOff], hand)) {
      throw new WrongError("score", "the defender has other cards");
    }
    for (const [card, at] of showdown.layoffs) melds[at]?.push(card);
    const isGin = deadwood.length === 0 && !this.rules.layoff_on_gin;
    const isFair = laidOff.length === 0 || !isGin;
    if (!isFair || ![...own, ...melds].every(isMeld)) {
      throw new WrongError("score", "the defender's melds and layoffs");
    }
    return left;
  }

  #score(knocker, defender, isBig) {
    const { rules, multiplier } = this;
    const difference = defender - knocker;
    if (knocker === 0) {
      const outcome = isBig ? "big_gin" : "gin";
      const bonus = isBig ? rules.big_gin_bonus : rules.gin_bonus;
      return { outcome, knockerWins: true, points: (difference + bonus) * multiplier };
    }
    if (difference > 0) {
      return { outcome: "knock", knockerWins: true, points: difference * multiplier };
    }
    if (difference === 0 && !rules.undercut_on_tie) {
      return { outcome: "tie", knockerWins: null, points: 0 };
    }
    const undercut = (rules.undercut_bonus - difference) * multiplier;
    return { outcome: "undercut", knockerWins: false, points: undercut };
  }
}
