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

import { readKeys } from "./envelope.mjs";
import { verifyRecord } from "./judge.mjs";

const EXIT_CODES = { valid: 0, broken: 1, unknown_key: 3, not_open: 4 };
const RANKS = ["valid", "unknown_key", "not_open", "broken"]; // the worst one last
const NOT_JUDGED = "clocks, illegal moves that were counted, best melds and layoffs";

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

async function main(words) {
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
    const verdict = await judge(file, keys);
    const { finding } = verdict;
    const exit_code = EXIT_CODES[finding];
    const facts = { file, exit_code, problem: null, ...verdict };
    process.stdout.write(`${asJson ? JSON.stringify(facts) : tell(file, verdict)}\n`);
    if (RANKS.indexOf(finding) > RANKS.indexOf(worst)) worst = finding;
  }
  return EXIT_CODES[worst];
}

async function judge(file, keys) {
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
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`verify.mjs: ${error.message}\n`);
    process.exitCode = 1;
  }
}
