/** The way over HTTP: calls as JSON, a match as a stream of events. No package. */
import { randomUUID } from "node:crypto";

import { isWorthAnother, LostError, RefusedError, sleep, waitMs } from "./again.mjs";
import { readEvents } from "./events.mjs";
import { choose } from "./strategy.mjs";

const LOOK_MS = 500; // between two looks for new matches
const CALL_MS = 30_000;
const SILENCE_MS = 45_000; // three signs of life that did not come

/** A referee's API. Every call of it may be made again, and is. */
export class RestReferee {
  constructor(url, token) {
    this.url = url.replace(/\/$/, "");
    this.headers = { authorization: `Bearer ${token}` };
  }

  /** Call until there is an answer; throws a refusal that another try cannot help. */
  async call(verb, path, message) {
    const body = message && JSON.stringify(message);
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.#callOnce(verb, path, body);
      } catch (error) {
        if (!isWorthAnother(error)) throw error;
        // Once is enough, however long it takes.
        if (tries === 0) console.error(`${this.url}: ${error.message}; trying again`);
        await sleep(waitMs(tries, error));
      }
    }
  }

  /**
   * Yield what a match is and what becomes of it, until it is over.
   *
   * A stream that is cut goes on after the last message that was dealt with.
   */
  async *watch(matchId) {
    const path = `/v1/matches/${encodeURIComponent(matchId)}:watch`;
    let last = "";
    for (let tries = 0; ; tries += 1) {
      try {
        for await (const { kind, id, data } of this.#stream(path, last)) {
          if (kind === "end") return;
          if (kind === "error") throw refusalOf(JSON.parse(data));
          yield JSON.parse(data);
          last = id;
          tries = 0;
        }
        throw new LostError("the stream has no end");
      } catch (error) {
        if (!isWorthAnother(error)) throw error;
        console.error(`match ${matchId}: ${error.message}; going on after ${last}`);
        await sleep(waitMs(tries, error));
      }
    }
  }

  async #callOnce(verb, path, body) {
    const headers = { ...this.headers };
    if (body) headers["content-type"] = "application/json";
    const signal = AbortSignal.timeout(CALL_MS);
    const response = await this.#fetch(path, { method: verb, headers, body, signal });
    return answerOf(response);
  }

  async *#stream(path, last) {
    const headers = { ...this.headers, accept: "text/event-stream" };
    if (last) headers["last-event-id"] = last;
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(), SILENCE_MS);
    try {
      const response = await this.#fetch(path, { headers, signal: silence.signal });
      if (!response.ok) await answerOf(response);
      yield* readEvents(heard(response.body, timer));
    } finally {
      clearTimeout(timer);
    }
  }

  async #fetch(path, options) {
    try {
      return await fetch(this.url + path, options);
    } catch (error) {
      throw new LostError(String(error.cause?.code ?? error.message));
    }
  }
}

/** Pass chunks on, each of which begins a new silence. */
async function* heard(chunks, timer) {
  const reader = chunks.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error) => {
        throw new LostError(`cut: ${error.cause?.code ?? error.message}`);
      });
      if (done) return;
      timer.refresh();
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** What an answer says; throws what it refuses. */
async function answerOf(response) {
  let said;
  try {
    said = JSON.parse(await response.text());
  } catch {
    throw new LostError(`HTTP status ${response.status} without an answer of a referee`);
  }
  if (!response.ok) throw refusalOf(said);
  return said;
}

function refusalOf({ message, details = [] }) {
  const info = details.find(({ reason }) => reason);
  if (info === undefined) return new LostError(message);
  return new RefusedError(info.reason, message, info.metadata);
}

/** Plays all matches of a bot. */
export class RestPlayer {
  #referee;
  #bot;
  #shares;

  constructor(url, token, bot, shares) {
    this.#referee = new RestReferee(url, token);
    this.#bot = bot;
    this.#shares = shares;
  }

  /** Play until `over`, which is told of each match that has ended, says: enough. */
  async play(over) {
    const followed = new Set();
    let isDone = false;
    while (!isDone) {
      const path = `/v1/matches?bot=${encodeURIComponent(this.#bot)}&page_size=200`;
      const { matches } = await this.#referee.call("GET", path);
      for (const { matchId, stage } of matches) {
        if (stage === "MATCH_STAGE_OVER" || followed.has(matchId)) continue;
        followed.add(matchId);
        this.#follow(matchId)
          .catch((error) => console.error(`match ${matchId}: ${error.message}`))
          .then((match) => {
            this.#shares.forget(matchId);
            isDone ||= over(matchId, match?.ending);
          });
      }
      await sleep(LOOK_MS);
    }
  }

  /** Play one match to its end, and return it. */
  async #follow(matchId) {
    const taken = new Set(); // steps before play
    const played = new Map(); // the version of the last turn of each seat
    let match;
    for await (const told of this.#referee.watch(matchId)) {
      match = told.match;
      for (const { seat, bot } of match.seats) {
        const step = bot === this.#bot && this.#stepOf(match, seat);
        if (!step || taken.has(`${match.stage}/${seat}`)) continue;
        taken.add(`${match.stage}/${seat}`);
        await this.#tell(matchId, "prepareSeat", { seat, ...step });
      }
      for (const turn of told.turns) await this.#move(turn, played);
    }
    return match;
  }

  /** What a seat owes in a stage before play. */
  #stepOf({ matchId, stage, seats, seatCommitments }, seat) {
    switch (stage) {
      case "MATCH_STAGE_FORMING":
        return { accept: {} };
      case "MATCH_STAGE_COMMITTING":
        return { commitment: this.#shares.commit(matchId, seat) };
      case "MATCH_STAGE_REVEALING":
        return { nonce: this.#shares.reveal(matchId, seat, seatCommitments, seats.length) };
      default:
        return null;
    }
  }

  /** Make the moves of a turn: where to draw, then what to throw. */
  async #move(view, played) {
    let turn = view;
    while (turn && turn.version > (played.get(turn.seat) ?? 0)) {
      const { matchId, seat, version } = turn;
      played.set(seat, version);
      const move = { text: choose(turn) };
      const submission = { seat, expectedVersion: version, requestId: randomUUID(), move };
      ({ turn } = await this.#tell(matchId, "submitMove", submission));
    }
  }

  /** Tell the referee something of a match; what comes too late is no fault. */
  async #tell(matchId, verb, message) {
    const path = `/v1/matches/${encodeURIComponent(matchId)}:${verb}`;
    try {
      return await this.#referee.call("POST", path, message);
    } catch (error) {
      if (!error.isPast) throw error;
      console.error(`match ${matchId}: ${error.message}`);
      return {};
    }
  }
}
