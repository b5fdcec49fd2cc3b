/** A record judged from its signature to its sheet; nothing in here is of Node.js. */
import { commitBoards, commitReferee } from "./derive.mjs";
import { canonical, checkChain, readRecord } from "./document.mjs";
import { openEnvelope, WrongError } from "./envelope.mjs";
import { Buffer, isSigned } from "./platform.mjs";
import { checkSubmissions } from "./proof.mjs";
import { replay } from "./replay.mjs";

/**
 * Judge a signed match record.
 *
 * @param bytes the record as it was published
 * @param keys public keys that are trusted, by name
 */
export async function verifyRecord(bytes, keys) {
  let facts = {};
  try {
    const { payload, keyId, isTrusted } = await openEnvelope(bytes, keys);
    const record = readRecord(payload);
    facts = { key_id: keyId, match_id: record.match.match_id };
    checkChain(record);
    await checkCommitment(record, keys);
    facts.signed = await checkSubmissions(record);
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
async function checkCommitment({ match, openings }, keys) {
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
  if (key && !(await isSigned(key, Buffer.from(match.signature, "hex"), signed))) {
    throw new WrongError("signature", `match.signature: not of the key ${match.key_id}`);
  }
}
