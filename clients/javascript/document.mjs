/** The record as a document: its form, its order, and the chain over its entries. */
import { decodeText, WrongError } from "./envelope.mjs";
import { Buffer, sha256 } from "./platform.mjs";

const MEMBERS =
  "format match created_ms openings entries chain rounds sheet ending clocks strikes";
const MATCH =
  "match_id ruleset ruleset_digest clock strikes_allowed bots deal_source commitment" +
  " signature key_id creator durability engine";
const PLACE = "tournament fixture attempt game deal is_shared length head";
const OPENINGS = "referee_share seed secret first_dealer";
const MOVE = "seat request_id move";
const TIMES = ["referee_ms", "turn_ms"]; // beside a submission, by format
const ENTRIES = {
  new: "",
  accept: "seat",
  decline: "seat",
  commit: "seat commitment",
  reveal: "seat share",
  move: MOVE,
  strike: MOVE,
  resign: "seat",
  abort: "",
  timeout: "",
  void: "",
};
const NEEDED = ["kind", "version", "at_ms"];
const OPTIONAL = ["refusal", "credit_ms", "lost"];
const KEY = /^[0-9a-f]{64}$/;
const SIGNATURE = /^[0-9a-f]{128}$/;

/** Write JSON in the form of RFC 8785: keys sorted by code unit, no blanks. */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
  return `{${members.join(",")}}`;
}

/** Say whether two JSON values are the same. */
export function same(one, other) {
  return canonical(one) === canonical(other);
}

/** Read a record and check its form. */
export function readRecord(payload) {
  let record;
  let text;
  try {
    text = decodeText(payload);
    record = JSON.parse(text);
  } catch {
    throw new WrongError("form", "the record is not JSON");
  }
  if (canonical(record) !== text) {
    throw new WrongError("form", "not the canonical form of its JSON");
  }
  checkValues(record);
  checkMembers(record, MEMBERS, "the record");
  const { format } = record;
  if (format !== 0 && format !== 1) {
    throw new WrongError("form", "only formats 0 and 1 can be read");
  }
  const inTournament = format > 0 && record.match?.deal_source === "tournament";
  const keepsReceipts = format > 0 && record.match?.receipts === true;
  const members = [
    MATCH,
    format > 0 && "keys",
    keepsReceipts && "receipts",
    inTournament && "place",
  ];
  checkMembers(record.match, members.filter(Boolean).join(" "), "match");
  if (inTournament) checkPlace(record.match.place);
  if (record.openings !== null) checkMembers(record.openings, OPENINGS, "openings");
  for (const [at, entry] of record.entries.entries()) {
    checkEntry(entry, at, format);
  }
  checkStated(record);
  if (format > 0) checkKeys(record.match);
  const { bots, ruleset, ruleset_digest: digest } = record.match;
  if (bots.length !== (ruleset.table === "two_handed" ? 2 : 3)) {
    throw new WrongError("form", "match.bots: as many as there are seats expected");
  }
  if (sha256(canonical(ruleset)).toString("hex") !== digest) {
    throw new WrongError("form", "match.ruleset_digest: not that of the ruleset");
  }
  return record;
}

/** Check the kinds of what only the host can say. */
function checkStated({ created_ms: created, match }) {
  const names = ["match_id", "deal_source", "key_id", "creator", "durability", "engine"];
  const areTexts = [...match.bots, ...names.map((name) => match[name])].every(
    (fact) => typeof fact === "string",
  );
  const areCounts = [created, match.strikes_allowed].every(
    (fact) => Number.isInteger(fact) && fact >= 0,
  );
  if (!areTexts || !areCounts) throw new WrongError("form", "match: text or numbers");
}

/** Check where the match stands in its tournament. */
function checkPlace(place) {
  checkMembers(place, PLACE, "match.place");
  const areTexts = ["tournament", "fixture", "deal"].every(
    (name) => typeof place[name] === "string",
  );
  const areCounts = ["attempt", "game", "length"].every(
    (name) => Number.isInteger(place[name]) && place[name] > 0,
  );
  const isRest = typeof place.is_shared === "boolean" && KEY.test(place.head);
  if (!areTexts || !areCounts || !isRest) throw new WrongError("form", "match.place");
}

/** Check that each bot has a key or none. */
function checkKeys({ bots, keys }) {
  const isKey = (key) => key === null || (typeof key === "string" && KEY.test(key));
  if (!Array.isArray(keys) || keys.length !== bots.length || !keys.every(isKey)) {
    throw new WrongError("form", "match.keys: a key or null for each bot expected");
  }
}

/** Refuse numbers and text that not every language reads in the same way. */
function checkValues(value) {
  if (typeof value === "number" && !Number.isSafeInteger(value)) {
    throw new WrongError("form", `${value}: a whole number below 2^53 expected`);
  }
  if (typeof value === "string" && /\p{Surrogate}/u.test(value)) {
    throw new WrongError("form", "text with half a letter");
  }
  if (value !== null && typeof value === "object") {
    for (const [name, member] of Object.entries(value)) {
      checkValues(name);
      checkValues(member);
    }
  }
}

function checkMembers(value, names, place) {
  const expected = names.split(" ").sort().join(" ");
  const found = Object.keys(value ?? {}).sort().join(" ");
  if (found !== expected) throw new WrongError("form", `${place}: unexpected members`);
}

function checkEntry(entry, at, format) {
  const facts = Object.hasOwn(ENTRIES, entry?.kind) ? ENTRIES[entry.kind] : null;
  if (facts === null) throw new WrongError("form", `entries[${at}]: an unknown kind`);
  const optional = OPTIONAL.filter(
    (name) => name in entry && (name !== "lost" || entry.kind === "void"),
  );
  const names = [...NEEDED, ...optional, ...facts.split(" ").filter(Boolean)];
  if (facts === MOVE) {
    names.push(TIMES[format]);
    if (format > 0 && "signature" in entry) names.push("signature");
  }
  checkMembers(entry, names.join(" "), `entries[${at}]`);
  const counts = [["version", 1], ["at_ms", 0], ...optional.map((name) => [name, 1])];
  for (const [name, least] of counts) {
    if (!Number.isInteger(entry[name]) || entry[name] < least) {
      throw new WrongError("form", `entries[${at}].${name}: a whole number expected`);
    }
  }
  if (facts === MOVE) checkProof(entry, at);
}

const isCount = (value) => Number.isInteger(value) && value >= 0;

function isTurn(times) {
  if (!Array.isArray(times) || times.length !== 2) return false;
  return (times[0] === null || Number.isInteger(times[0])) && Number.isInteger(times[1]);
}

/** Check the form of the times and the signature of a submission. */
function checkProof(entry, at) {
  const { referee_ms: spent, turn_ms: times, signature } = entry;
  if (spent !== undefined ? !isCount(spent) : !isTurn(times)) {
    throw new WrongError("form", `entries[${at}]: times that cannot be`);
  }
  const isNone = signature === undefined || signature === null;
  if (!isNone && !(typeof signature === "string" && SIGNATURE.test(signature))) {
    throw new WrongError("form", `entries[${at}].signature: 64 bytes expected`);
  }
}

/** Check that no entry is missing, and the chain over all of them. */
export function checkChain(record) {
  let version = 0;
  let refusal = 0;
  let head = sha256("ginref/chain/v1");
  for (const [at, entry] of record.entries.entries()) {
    const place = `entry ${entry.version}`;
    const isStep = entry.refusal === undefined;
    const follows = isStep
      ? entry.version === version + (entry.lost ?? 0) + 1
      : entry.version === version && entry.refusal === refusal + 1;
    if (!follows || (entry.kind === "new") !== (at === 0)) {
      throw new WrongError("chain", `${place}: it does not follow the one before it`);
    }
    if (at > 0 && entry.at_ms < record.entries[at - 1].at_ms) {
      throw new WrongError("clock", `${place}: its time is before the one before it`);
    }
    const [sentMs, receivedMs] = entry.turn_ms ?? [null, 0];
    if (receivedMs > entry.at_ms || (sentMs !== null && sentMs > receivedMs)) {
      throw new WrongError("clock", `${place}: its times are out of order`);
    }
    version = entry.version;
    refusal = entry.refusal ?? 0;
    head = sha256(head, canonical(entry));
  }
  if (version === 0) throw new WrongError("chain", "the creation is missing");
  if (head.toString("hex") !== record.chain) {
    throw new WrongError("chain", "chain: not the head of the chain over the entries");
  }
}
