/** One change of a tournament: shown first, then made. */
import { call, html, newRequest, useState } from "./frame.mjs";

const ATTEMPTS = 5;

/** What a refusal says, with the field that it is about. */
export function Refused({ error }) {
  if (!error) return null;
  return html`<p class="trouble" role="alert">
    ${error.field && html`<code>${error.field}</code>: `}${error.message}
  </p>`;
}

/** Bring what is asked to whoever has done something elsewhere on the page. */
const focus = (element) => element?.focus();

/** A change as it would be: everything that becomes something else. */
function Differences({ rows }) {
  if (!rows.length) return html`<p class="soft">Nothing else changes.</p>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="What changes">
    <table class="difference">
      <caption>
        What changes
      </caption>
      <tbody>
        ${rows.map(
          (one) =>
            html`<tr key=${one.path}>
              <th scope="row"><code>${one.path}</code></th>
              <td>${one.before && html`<del>${one.before}</del>`}</td>
              <td>${one.after && html`<ins>${one.after}</ins>`}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/**
 * Changes of one tournament, each asked for twice: what it would do, then to do it.
 *
 * The second time names the version of the first, so that nobody else has come between.
 */
export function useChange(tournament, done) {
  const [asked, set] = useState(null);
  const [error, fail] = useState(null);
  const [said, say] = useState(null);
  const path = `/v1/tournaments/${encodeURIComponent(tournament.tournamentId)}`;
  const send = (change, version, more) =>
    call(`${path}:change`, { ...change, requestId: newRequest(), expectedVersion: version, ...more });
  const preview = async (change, attempts) => {
    // What is on the page may be a moment old; what is shown now is what is asked for.
    const { version } = (await call(path)).tournament;
    try {
      const { differences } = await send(change, version, { validateOnly: true });
      return { version, rows: differences ?? [] };
    } catch (problem) {
      // The referee has gone on between the two calls.
      if (problem.reason !== "TOURNAMENT_STALE" || attempts <= 1) throw problem;
      return preview(change, attempts - 1);
    }
  };
  const ask = async (title, change) => {
    fail(null);
    say(null);
    set(null);
    try {
      set({ title, change, ...(await preview(change, ATTEMPTS)) });
    } catch (problem) {
      fail(problem);
    }
  };
  const make = async () => {
    try {
      const made = await send(asked.change, asked.version);
      say({ title: asked.title, codes: made.codes ?? [] });
      set(null);
      done();
    } catch (problem) {
      fail(problem);
    }
  };
  const dialog = html`<div aria-live="polite">
    ${asked &&
    html`<fieldset class="asked" tabindex="-1" ref=${focus}>
      <legend>${asked.title}?</legend>
      <${Differences} rows=${asked.rows} />
      <div class="actions">
        <button type="button" class="main" onClick=${make}>Yes, ${asked.title.toLowerCase()}</button>
        <button type="button" onClick=${() => set(null)}>No</button>
      </div>
    </fieldset>`}
    <${Refused} error=${error} />
    ${said &&
    html`<p class="done" role="status">
      Done: ${said.title.toLowerCase()}.
      ${said.codes.length > 0 &&
      html`<br />Codes, shown this once: ${said.codes.map((code) => html`<code key=${code}>${code}</code> `)}`}
    </p>`}
  </div>`;
  return { ask, dialog };
}
