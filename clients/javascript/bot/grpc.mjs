/** The way over gRPC: one stream for all matches. Wants the packages of package.json. */
import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

import { isWorthAnother, LostError, RefusedError, sleep, waitMs } from "./again.mjs";
import { choose } from "./strategy.mjs";

// Unlike import, this finds packages by NODE_PATH, too.
const require = createRequire(import.meta.url);
const grpc = require("@grpc/grpc-js");
const loader = require("@grpc/proto-loader");

const PROTOS = fileURLToPath(new URL("../../../proto", import.meta.url));
const WELCOME_MS = 10_000;

// Another try helps none of these.
const FINAL = new Set([
  grpc.status.INVALID_ARGUMENT,
  grpc.status.PERMISSION_DENIED,
  grpc.status.UNAUTHENTICATED,
  grpc.status.UNIMPLEMENTED,
]);

/** Messages as JSON has them, so that a view is the same over both ways. */
const FORM = { bytes: String, defaults: true, enums: String, longs: Number, oneofs: true };

function openClient(url) {
  const { protocol, host } = new URL(url);
  const definition = loader.loadSync("ginref/v1/bot_service.proto", {
    ...FORM,
    includeDirs: [PROTOS],
  });
  const { BotService } = grpc.loadPackageDefinition(definition).ginref.v1;
  const { createInsecure, createSsl } = grpc.credentials;
  return new BotService(host, protocol === "http:" ? createInsecure() : createSsl());
}

/** Plays all matches of a bot. */
export class GrpcPlayer {
  #url;
  #metadata = new grpc.Metadata();
  #bot;
  #shares;
  #seats = new Map(); // how many there are, by match
  #versions = new Map(); // of live matches
  #sent = new Map(); // the last submission of each seat
  #call = null;

  constructor(url, token, bot, shares) {
    this.#url = url;
    this.#metadata.set("authorization", `Bearer ${token}`);
    this.#bot = bot;
    this.#shares = shares;
  }

  /** Play until `over`, which is told of each match that has ended, says: enough. */
  async play(over) {
    const client = openClient(this.#url);
    try {
      for (let tries = 0; ; tries += 1) {
        try {
          for await (const message of this.#attach(client)) {
            tries = 0;
            if (this.#handle(message, over)) return;
          }
          throw new LostError("the stream has ended");
        } catch (error) {
          if (!isWorthAnother(error)) throw error;
          console.error(`${error.message}; attaching again`);
          await sleep(waitMs(tries, error));
        }
      }
    } finally {
      client.close();
    }
  }

  /** Yield the messages of one stream. */
  async *#attach(client) {
    const call = client.connect(this.#metadata);
    this.#call = call;
    call.on("error", () => {}); // one that comes when nobody reads any more
    const live = [...this.#versions];
    const cursors = live.map(([matchId, version]) => ({ matchId, version }));
    this.#send({ hello: { protocol: 1, client: "ginref-javascript/1", cursors } });
    let patience = WELCOME_MS;
    const silence = () => call.cancel();
    let timer = setTimeout(silence, patience);
    try {
      for await (const message of call) {
        patience = message.welcome?.limits?.silenceMs || patience;
        clearTimeout(timer);
        timer = setTimeout(silence, patience);
        yield message;
      }
    } catch (error) {
      if (FINAL.has(error.code)) throw error;
      throw new LostError(error.message);
    } finally {
      clearTimeout(timer);
      call.cancel();
      this.#call = null;
    }
  }

  #send(message) {
    // What is not sent now is asked for again on the next stream.
    this.#call?.write(message);
  }

  /** Deal with one message; says whether the bot is done. */
  #handle({ message: kind, [kind]: told }, over) {
    const { matchId, seat } = told;
    switch (kind) {
      case "welcome":
        if (told.bot !== this.#bot) throw new Error(`this is the token of ${told.bot}`);
        for (const match of told.liveMatches) this.#know(match);
        break;
      case "offer":
        this.#know(told.match);
        this.#send({ accept: { matchId: told.match.matchId, seat } });
        break;
      case "prepare":
        this.#prepare(told);
        break;
      case "turn":
        this.#move(told.view);
        break;
      case "moveResult":
        if (told.refused) this.#refused(told);
        break;
      case "ping":
        this.#send({ pong: { number: told.number } });
        break;
      case "fenced":
        throw new Error("the same bot has attached elsewhere");
      case "drain":
        throw new LostError("the referee is about to stop");
      case "matchOver":
        this.#sent.delete(`${matchId}/${seat}`);
        this.#versions.delete(matchId);
        this.#seats.delete(matchId);
        this.#shares.forget(matchId);
        return over(matchId, told.ending);
      default: // a bot plays correctly without the others
    }
    return false;
  }

  #know({ matchId, seats }) {
    this.#seats.set(matchId, seats.length);
  }

  #prepare({ matchId, seat, version, kind, commitments }) {
    this.#versions.set(matchId, version);
    const seats = this.#seats.get(matchId);
    try {
      const answer =
        kind === "PREPARE_KIND_COMMITMENT"
          ? { commitment: this.#shares.commit(matchId, seat) }
          : { nonce: this.#shares.reveal(matchId, seat, commitments, seats) };
      this.#send({ preparation: { matchId, seat, ...answer } });
    } catch (error) {
      console.error(error.message);
    }
  }

  /** Make a move, or send the one again that has got no answer. */
  #move(view) {
    const { matchId, seat, version: expectedVersion } = view;
    this.#versions.set(matchId, expectedVersion);
    const key = `${matchId}/${seat}`;
    if (this.#sent.get(key)?.expectedVersion !== expectedVersion) {
      const move = { text: choose(view) };
      this.#sent.set(key, { matchId, seat, expectedVersion, requestId: randomUUID(), move });
    }
    this.#send({ move: this.#sent.get(key) });
  }

  #refused({ matchId, seat, requestId, refused }) {
    const reason = refused.reason.replace("ERROR_REASON_", "");
    const error = new RefusedError(reason, refused.message, refused.facts);
    console.error(`match ${matchId}: ${error.message}`);
    if (!error.isForNow) return;
    const move = this.#sent.get(`${matchId}/${seat}`);
    if (move?.requestId === requestId) {
      setTimeout(() => this.#send({ move }), waitMs(0, error)).unref();
    }
  }
}
