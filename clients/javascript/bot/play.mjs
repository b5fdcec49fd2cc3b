#!/usr/bin/env node
/**
 * A bot that plays whatever it is offered; prints a line of JSON for each match.
 *
 *     GINREF_TOKEN=… node play.mjs URL BOT [--grpc] [--matches N] [--allow-plaintext]
 *
 * It needs Node.js, 18 or newer; over gRPC, `npm ci` in this folder as well.
 */
import { Shares } from "./shares.mjs";

const USAGE = "usage: play.mjs URL BOT [--grpc] [--matches N] [--allow-plaintext]\n";
const HERE = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

function readWords(words) {
  const options = { places: [], matches: Infinity };
  for (let at = 0; at < words.length; at += 1) {
    if (words[at] === "--grpc") options.isGrpc = true;
    else if (words[at] === "--allow-plaintext") options.allowsPlaintext = true;
    else if (words[at] === "--matches") options.matches = Number(words[(at += 1)]);
    else if (words[at].startsWith("-")) return null;
    else options.places.push(words[at]);
  }
  return options.places.length === 2 && options.matches >= 1 ? options : null;
}

function check(url, token, allowsPlaintext) {
  if (!token) throw new Error("the bot's token is expected in GINREF_TOKEN");
  if (!/^[!-~]+$/.test(token)) throw new Error("GINREF_TOKEN holds more than a token");
  const { protocol, hostname } = new URL(url);
  if (protocol === "https:") return;
  if (protocol !== "http:") throw new Error("https://host:port expected");
  if (HERE.test(hostname) || allowsPlaintext) return;
  throw new Error("the token would leave this machine unencrypted; use https");
}

async function main(words) {
  const options = readWords(words);
  if (options === null) {
    process.stderr.write(USAGE);
    return 2;
  }
  const [url, bot] = options.places;
  const token = process.env.GINREF_TOKEN?.trim();
  check(url, token, options.allowsPlaintext);
  const Player = options.isGrpc
    ? (await import("./grpc.mjs")).GrpcPlayer
    : (await import("./rest.mjs")).RestPlayer;
  const ended = new Set();
  await new Player(url, token, bot, new Shares()).play((matchId, ending) => {
    const { kind = null, winner = null } = ending ?? {};
    const line = JSON.stringify({ match_id: matchId, ending: kind, winner });
    if (!ended.has(matchId)) process.stdout.write(`${line}\n`);
    return ended.add(matchId).size >= options.matches;
  });
  return 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`play.mjs: ${error.message}\n`);
  process.exitCode = 1;
}
