/** What is worth another try, and when. */
const FIRST_MS = 100;
const MOST_MS = 5000;

/** Reasons of refusals after which the same request may be sent again. */
const AGAIN = new Set([
  "STORE_UNAVAILABLE",
  "REFEREE_DRAINING",
  "INTERNAL_FAULT",
  "LIMIT_EXCEEDED",
  "RATE_LIMITED",
]);

/** Reasons that say that the match has moved on: its next turn follows. */
const MOVED_ON = new Set([
  "VERSION_STALE",
  "NOT_YOUR_TURN",
  "MOVE_LATE",
  "MATCH_OVER",
  "MATCH_NOT_PLAYING",
]);

/** Nobody knows what became of a request. */
export class LostError extends Error {}

/** The referee says no, and why. */
export class RefusedError extends Error {
  constructor(reason, message, facts = {}) {
    super(`${reason}: ${message}`);
    this.reason = reason;
    this.facts = facts;
  }

  get isForNow() {
    return AGAIN.has(this.reason);
  }

  get isPast() {
    return MOVED_ON.has(this.reason);
  }
}

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** Say whether a request that failed may be sent again. */
export const isWorthAnother = (error) => error instanceof LostError || error?.isForNow;

/** How many milliseconds to wait before the try after `tries` others. */
export function waitMs(tries, error) {
  const asked = Number(error?.facts?.resets_ms ?? 0);
  return Math.max(asked, Math.min(FIRST_MS * 2 ** tries, MOST_MS));
}
