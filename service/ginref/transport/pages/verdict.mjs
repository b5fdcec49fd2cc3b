/** What the verification of a record came to, in words. */
import { html, save, subject } from "./frame.mjs";
import { canVerify } from "./built/verifier/platform.mjs";

const WORDS = {
  valid: "Verified in your browser",
  unknown_key: "Consistent, but signed with a key that is not this referee's",
  not_open: "Not open yet: its cards cannot be checked",
  broken: "Broken: this record is not what was signed, or not what was played",
};
const DEALS = {
  seeded: "The host chose the cards by a seed: nothing is proven of the deal.",
  tournament: "The cards follow from the tournament's secret, which its export opens.",
};

/** The verdict of this browser, which asked nobody. */
export function Verdict({ verdict, bytes, names }) {
  if (!canVerify) {
    return html`<p class="verdict unknown_key">
      A browser checks signatures on safe pages only: open this one by https or on the
      machine itself.
    </p>`;
  }
  const { finding, wrong, problem, key_id: key, rounds, moves, shares } = verdict;
  const source = verdict.deal_source;
  const deals =
    DEALS[source] ?? `The cards follow from shares of the referee and of ${shares} of ${names.length} bots.`;
  return html`<details class="verdict ${finding}" open=${finding !== "valid"}>
    <summary data-finding=${finding}>${WORDS[finding]}</summary>
    ${problem && html`<p><b>${wrong}</b>: ${problem}</p>`}
    ${rounds !== undefined &&
    html`<p>
      Your browser has checked the signature and the chain of the record, derived every
      deck, followed all cards through ${moves} moves and added up ${rounds} rounds. ${deals}
    </p>`}
    ${key && html`<p class="soft">Key <code>${key}</code></p>`}
    <p>
      <button type="button" onClick=${() => save(`${subject}.json`, bytes)}>Save the record</button>
      <small class="soft"> and check it again with <code>ginref verify ${subject}.json</code></small>
    </p>
  </details>`;
}
