/** The bot's own shares of the secrets that cards follow from. */
import { randomBytes } from "node:crypto";

import { commitSeat } from "../derive.mjs";

const SEATS = ["SEAT_NORTH", "SEAT_SOUTH", "SEAT_EAST"];

/** Shares by match and seat, in memory: they do not outlive the program. */
export class Shares {
  #kept = new Map();

  /** Commit to the share of a seat; the same one however often it is asked for. */
  commit(matchId, seat) {
    const key = `${matchId}/${seat}`;
    if (!this.#kept.has(key)) {
      const share = randomBytes(32);
      const commitment = commitSeat(matchId, SEATS.indexOf(seat), share);
      this.#kept.set(key, { share, commitment: commitment.toString("base64") });
    }
    return this.#kept.get(key).commitment;
  }

  /**
   * Show the share of a seat, once nobody can choose another one.
   *
   * @param commitments what every seat has committed to, as the referee shows it
   * @param seats how many seats there are
   */
  reveal(matchId, seat, commitments, seats) {
    const kept = this.#kept.get(`${matchId}/${seat}`);
    if (kept === undefined) throw new Error(`match ${matchId}: no share to show`);
    const isMine = commitments[SEATS.indexOf(seat)] === kept.commitment;
    if (!isMine || commitments.length !== seats) {
      const what = "not what each seat has committed to; do not trust this referee";
      throw new Error(`match ${matchId}: ${what}`);
    }
    return kept.share.toString("base64");
  }

  /** Forget the shares of a match that is over. */
  forget(matchId) {
    for (const key of this.#kept.keys()) {
      if (key.startsWith(`${matchId}/`)) this.#kept.delete(key);
    }
  }
}
