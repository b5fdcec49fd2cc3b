/** What the bots themselves have signed of a match. */
import { canonical } from "./document.mjs";
import { WrongError } from "./envelope.mjs";
import { Buffer, isSigned } from "./platform.mjs";

const SEATS = ["north", "south", "east"];

/** The bytes that a bot signs when it submits the move of an entry. */
export function submission(matchId, entry) {
  const isCounted = entry.refusal !== undefined;
  const facts = {
    expected_version: isCounted ? entry.version : entry.version - 1,
    match_id: matchId,
    move: entry.move,
    request_id: entry.request_id,
    seat: entry.seat,
  };
  return Buffer.from(`ginref/submission/v1\n${canonical(facts)}`);
}

/**
 * Check every signature of a bot.
 *
 * @returns the seats whose bots have signed all that they submitted
 */
export async function checkSubmissions({ entries, match }) {
  const keys = (match.keys ?? []).map((key) => key && Buffer.from(key, "hex"));
  const told = keys.map(() => ({ submitted: 0, signed: 0 }));
  for (const entry of entries.filter(({ request_id: name }) => name !== undefined)) {
    const seat = SEATS.indexOf(entry.seat);
    const { signature } = entry;
    if (told[seat]) told[seat].submitted += 1;
    if (typeof signature !== "string") continue;
    const message = submission(match.match_id, entry);
    const made = Buffer.from(signature, "hex");
    if (!keys[seat] || !(await isSigned(keys[seat], made, message))) {
      const number = entry.refusal ? `${entry.version}-${entry.refusal}` : entry.version;
      const what = "the seat's bot has not signed this move";
      throw new WrongError("submission", `entry ${number}: ${what}`);
    }
    told[seat].signed += 1;
  }
  return SEATS.filter(
    (_, seat) =>
      keys[seat] && told[seat].submitted > 0 && told[seat].signed === told[seat].submitted,
  );
}
