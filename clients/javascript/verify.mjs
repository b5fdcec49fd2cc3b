#!/usr/bin/env node
/**
 * A second verifier of match records, apart from the referee and its language.
 *
 *     node verify.mjs RECORD... [--keys FILE]... [--json]
 *
 * It needs Node.js, 18 or newer, and nothing else: no package and no network.
 */
import { readFileSync, realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { commitBoards, commitReferee } from "./derive.mjs";
import { canonical, checkChain, readRecord } from "./document.mjs";
import { isSigned, openEnvelope, readKeys, WrongError } from "./envelope.mjs";
import { checkSubmissions } from "./proof.mjs";
import { replay } from "./replay.mjs";

const EXIT_CODES = { valid: 0, broken: 1, unknown_key: 3, not_open: 4 };
const RANKS = ["valid", "unknown_key", "not_open", "broken"]; // the worst one last
const NOT_JUDGED = "clocks, illegal moves that were counted, best melds and layoffs";

/**
 * Judge a signed match record.
 *
 * @param bytes the record as it was published
 * @param keys public keys that are trusted, by name
 */
export function verifyRecord(bytes, keys) {
  let facts = {};
  try {
    const { payload, keyId, isTrusted } = openEnvelope(bytes, keys);
    const record = readRecord(payload);
    facts = { key_id: keyId, match_id: record.match.match_id };
    checkChain(record);
    checkCommitment(record, keys);
    facts.signed = checkSubmissions(record);
    if (record.openings === null) return { finding: "not_open", wrong: null, ...facts };
    const match = replay(record);
    const moves = record.entries.filter(({ kind }) => kind === "move").length;
    facts = {
      ...facts,
      rounds: match.rounds.length,
      moves,
      ending: record.ending,
      sheet: record.sheet,
      shares: match.shares.filter(Boolean).length,
      deal_source: record.match.deal_source,
    };
    if (isTrusted) return { finding: "valid", wrong: null, ...facts };
    return { finding: "unknown_key", wrong: "key", ...facts };
  } catch (error) {
    // A record of another shape makes a plain program stumble in its own way.
    const { wrong } = error instanceof WrongError ? error : { wrong: "form" };
    return { finding: "broken", wrong, problem: error.message, ...facts };
  }
}

/** Check the referee's share and the signature that was made at creation. */
function checkCommitment({ match, openings }, keys) {
  if (openings !== null) {
    const share = Buffer.from(openings.referee_share, "hex");
    const made = match.place
      ? commitBoards(match.place.tournament, match.place.deal, share)
      : commitReferee(match.match_id, share);
    if (made.toString("hex") !== match.commitment || share.toString("hex") !== openings.referee_share) {
      throw new WrongError("deal", "not the share that the referee committed to");
    }
    if ((openings.seed === null) === (match.deal_source === "seeded")) {
      throw new WrongError("form", "openings.seed");
    }
  }
  const { bots, commitment, match_id, ruleset_digest } = match;
  const facts = canonical({ bots, commitment, match_id, ruleset_digest });
  const signed = Buffer.from(`ginref/commitment/v1\n${facts}`);
  const key = keys.get(match.key_id);
  if (key && !isSigned(key, Buffer.from(match.signature, "hex"), signed)) {
    throw new WrongError("signature", `match.signature: not of the key ${match.key_id}`);
  }
}

/** Words for a terminal, where text of a record must do no harm. */
const plain = (text) => String(text).replace(/[^\x20-\x7e]/g, "?");

function tell(file, verdict) {
  const lines = [`${plain(file)}: ${verdict.finding.replace("_", " ").toUpperCase()}`];
  const add = (name, text) => lines.push(`  ${name.padEnd(10)}${plain(text)}`);
  if (verdict.problem) add("wrong", `${verdict.wrong}: ${verdict.problem}`);
  if (verdict.match_id) add("match", verdict.match_id);
  if (verdict.sheet !== undefined) {
    add("played", `${verdict.rounds} rounds, ${verdict.moves} moves`);
    add("ending", `${verdict.ending.kind}, won by ${verdict.ending.winner ?? "nobody"}`);
    for (const [at, game] of (verdict.sheet?.games ?? []).entries()) {
      add(`game ${at + 1}`, game.totals.join(" : "));
    }
    const shares = `shares of the referee and ${verdict.shares} seats`;
    const deals = {
      seeded: "seeded: the host chose the cards",
      tournament: "boards of a tournament: its export shows what they follow from",
      shares,
    };
    add("deals", deals[verdict.deal_source]);
    if (verdict.signed.length > 0) add("signed", `every move of ${verdict.signed.join(" and ")}`);
    add("not judged", NOT_JUDGED);
  }
  if (verdict.key_id) add("key", verdict.key_id);
  return lines.join("\n");
}

function main(words) {
  const files = [];
  const keys = new Map();
  let asJson = false;
  for (let at = 0; at < words.length; at += 1) {
    if (words[at] === "--json") {
      asJson = true;
    } else if (words[at] === "--keys" && at + 1 < words.length) {
      at += 1;
      for (const [name, key] of readKeys(readFileSync(words[at], "utf8"))) {
        keys.set(name, key);
      }
    } else if (words[at].startsWith("-")) {
      throw new Error(`unknown option ${words[at]}`);
    } else {
      files.push(words[at]);
    }
  }
  if (files.length === 0) {
    process.stderr.write("usage: verify.mjs RECORD... [--keys FILE]... [--json]\n");
    return 2;
  }
  let worst = "valid";
  for (const file of files) {
    const verdict = judge(file, keys);
    const { finding } = verdict;
    const exit_code = EXIT_CODES[finding];
    const facts = { file, exit_code, problem: null, ...verdict };
    process.stdout.write(`${asJson ? JSON.stringify(facts) : tell(file, verdict)}\n`);
    if (RANKS.indexOf(finding) > RANKS.indexOf(worst)) worst = finding;
  }
  return EXIT_CODES[worst];
}

function judge(file, keys) {
  let bytes;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    return { finding: "broken", wrong: "form", problem: `cannot be read: ${error.code}` };
  }
  return verifyRecord(bytes, keys);
}

const [, program] = process.argv;
if (program && realpathSync(program) === fileURLToPath(import.meta.url)) {
  try {
    process.exitCode = main(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`verify.mjs: ${error.message}\n`);
    process.exitCode = 1;
  }
}
