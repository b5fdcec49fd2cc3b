/** One change of a tournament: shown first, then made. */
import { call, html, newRequest, useState } from "./frame.mjs";

const ATTEMPTS = 5;

/** The referee has gone on between two calls. */
const isStale = (problem) => problem.reason === "TOURNAMENT_STALE";

/** What a refusal says, with the field that it is about. */
export function Refused({ error }) {
  if (!error) return null;
  return html`<p class="trouble" role="alert">
    ${error.field && !error.message.startsWith(error.field) && html`<code>${error.field}</code>: `}
    ${error.message}
  </p>`;
}

/** Bring what is new to whoever has done something elsewhere on the page. */
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
 * The second time names the version of the first: if somebody or something has come between,
 * it is done only if it is still what was shown. Whoever says yes again, because no answer
 * came, asks for the same thing again and not for another one.
 * What `ask` is given as `emptied` empties a form after that, and returns the field to go
 * on in, if there is one.
 */
export function useChange(tournament, done) {
  const [asked, set] = useState(null);
  const [error, fail] = useState(null);
  const [said, say] = useState(null);
  const path = `/v1/tournaments/${encodeURIComponent(tournament.tournamentId)}`;
  const send = (change, version, more) =>
    call(`${path}:change`, { ...change, expectedVersion: version, ...more });
  const preview = async (change, attempts) => {
    // What is on the page may be a moment old; what is shown now is what is asked for.
    const { version } = (await call(path)).tournament;
    try {
      const { differences } = await send(change, version, { requestId: newRequest(), validateOnly: true });
      return { version, rows: differences ?? [] };
    } catch (problem) {
      if (!isStale(problem) || attempts <= 1) throw problem;
      return preview(change, attempts - 1);
    }
  };
  const confirm = async (shown, attempts) => {
    try {
      return await send(shown.change, shown.version, { requestId: shown.requestId });
    } catch (problem) {
      if (!isStale(problem) || attempts <= 1) throw problem;
      const now = await preview(shown.change, ATTEMPTS);
      if (JSON.stringify(now.rows) !== JSON.stringify(shown.rows)) throw problem;
      return confirm({ ...shown, ...now }, attempts - 1);
    }
  };
  const ask = async (title, change, emptied) => {
    const from = document.activeElement;
    fail(null);
    say(null);
    set(null);
    try {
      set({ title, change, emptied, from, requestId: newRequest(), ...(await preview(change, ATTEMPTS)) });
    } catch (problem) {
      fail(problem);
    }
  };
  const refuse = () => {
    set(null);
    focus(asked.from);
  };
  const make = async () => {
    set({ ...asked, isSent: true });
    fail(null);
    try {
      const made = await confirm(asked, ATTEMPTS);
      // Where the next one of its kind is entered, or else at what has been said.
      const next = asked.emptied?.();
      say({ title: asked.title, codes: made.codes ?? [], isNext: !next });
      set(null);
      done();
      focus(next);
    } catch (problem) {
      fail(problem);
      // What was shown is not what would be done any more.
      if (isStale(problem)) refuse();
      else set(asked);
    }
  };
  const dialog = html`${asked &&
    html`<fieldset class="asked" tabindex="-1" ref=${focus}>
      <legend>${asked.title}?</legend>
      <${Differences} rows=${asked.rows} />
      <div class="actions">
        <button type="button" class="main" disabled=${asked.isSent} onClick=${make}>
          Yes, ${asked.title.toLowerCase()}
        </button>
        <button type="button" disabled=${asked.isSent} onClick=${refuse}>No</button>
      </div>
    </fieldset>`}
    <${Refused} error=${error} />
    <div aria-live="polite">
      ${said &&
      html`<p class="done" tabindex="-1" ref=${said.isNext ? focus : null}>
        Done: ${said.title.toLowerCase()}.
        ${said.codes.length > 0 &&
        html`<br />Codes, shown this once: ${said.codes.map((code) => html`<code key=${code}>${code}</code> `)}`}
      </p>`}
    </div>`;
  return { ask, dialog };
}
