/** A new tournament, from a form or from its file; shown before it is made. */
import { Refused } from "./control_call.mjs";
import { Forecast } from "./control_forecast.mjs";
import { call, html, newRequest, useState } from "./frame.mjs";

const FORMATS = {
  single_elimination: "single elimination",
  double_elimination: "double elimination",
  round_robin: "round robin",
  swiss: "Swiss",
};
const RULES = { gin: "Gin Rummy", hollywood: "Hollywood Gin" };

/** The file of what a form says. */
function fileOf({ name, title, format, rounds, ruleset, capacity }) {
  // In YAML, 2026 is a number and yes may be true.
  const lines = [`name: ${JSON.stringify(name || "cup")}`];
  if (title) lines.push(`title: ${JSON.stringify(title)}`);
  lines.push("match:", `  ruleset: ${ruleset}`, "entry:", `  capacity: ${capacity}`, "stages:");
  lines.push("  - name: main", `    format: ${format}`);
  if (format === "swiss") lines.push(`    rounds: ${rounds}`);
  return `${lines.join("\n")}\n`;
}

/** Read a file as YAML, of which JSON is a part. */
async function read(text) {
  const { load } = await import("./built/js-yaml.mjs");
  return load(text);
}

/** What a tournament comes to with so many entrants, or why so many cannot play it. */
async function foretold(configuration, entrants) {
  try {
    const asked = { configuration, entrants: Number(entrants) };
    return { entrants, forecast: await call("/v1/tournaments:preview", asked) };
  } catch (error) {
    return { entrants, error };
  }
}

function Form({ facts, set }) {
  const take = (name) => (event) => set({ ...facts, [name]: event.target.value });
  const options = (table) =>
    Object.entries(table).map(([key, text]) => html`<option key=${key} value=${key}>${text}</option>`);
  return html`<label for="new-name">Name, which it keeps for good</label>
    <input id="new-name" value=${facts.name} onInput=${take("name")} placeholder="autumn-cup" />
    <label for="new-title">Title</label>
    <input id="new-title" value=${facts.title} onInput=${take("title")} />
    <label for="new-format">Format</label>
    <select id="new-format" value=${facts.format} onChange=${take("format")}>
      ${options(FORMATS)}
    </select>
    ${facts.format === "swiss" &&
    html`<label for="new-rounds">Rounds</label>
      <input id="new-rounds" type="number" min="1" max="64" value=${facts.rounds} onInput=${take("rounds")} />`}
    <label for="new-rules">Rules of each match</label>
    <select id="new-rules" value=${facts.ruleset} onChange=${take("ruleset")}>
      ${options(RULES)}
    </select>
    <label for="new-capacity">Places</label>
    <input id="new-capacity" type="number" min="2" max="512" value=${facts.capacity} onInput=${take("capacity")} />`;
}

/** Declares a tournament. */
export function NewTournament() {
  const [facts, fill] = useState({
    name: "",
    title: "",
    format: "double_elimination",
    rounds: 5,
    ruleset: "hollywood",
    capacity: 16,
  });
  const [entrants, expect] = useState(16);
  const [text, write] = useState(null);
  const [seen, show] = useState(null);
  const [error, fail] = useState(null);
  const file = text ?? fileOf(facts);
  const change = (next) => {
    show(null);
    fail(null);
    next();
  };
  const send = async (validateOnly) => {
    fail(null);
    try {
      const configuration = await read(file);
      const requestId = newRequest();
      const { tournament } = await call("/v1/tournaments", { requestId, configuration, validateOnly });
      if (!validateOnly) location.assign(`/control/${tournament.tournamentId}`);
      else show({ configured: JSON.parse(tournament.configuration), ...(await foretold(configuration, entrants)) });
    } catch (problem) {
      show(null);
      fail(problem);
    }
  };
  const configured = seen?.configured;
  return html`<section aria-labelledby="new">
    <h2 id="new">A new tournament</h2>
    <div class="actions" role="group" aria-label="How to declare it">
      <button type="button" aria-pressed=${text === null} onClick=${() => change(() => write(null))}>Form</button>
      <button type="button" aria-pressed=${text !== null} onClick=${() => change(() => write(file))}>File</button>
    </div>
    ${text === null
      ? html`<${Form} facts=${facts} set=${(next) => change(() => fill(next))} />`
      : html`<label for="new-file">Its file, in YAML</label>
          <textarea id="new-file" spellcheck="false" value=${text} onInput=${(event) => change(() => write(event.target.value))}></textarea>`}
    <div class="actions">
      <label for="new-entrants">Entrants expected</label>
      <input id="new-entrants" type="number" min="2" max="4096" value=${entrants}
        onInput=${(event) => change(() => expect(event.target.value))} />
      <button type="button" onClick=${() => send(true)}>Preview</button>
      <button type="button" class="main" disabled=${!seen} onClick=${() => send(false)}>Create</button>
      ${!seen && html`<small>It can be created once it has been previewed.</small>`}
    </div>
    <${Refused} error=${error} />
    ${configured &&
    html`<fieldset>
      <legend>This is how it would be</legend>
      <p>
        <b>${configured.title || configured.name}</b>:${" "}
        ${configured.stages.map((stage) => `${stage.name}, ${stage.format.replaceAll("_", " ")}`).join("; then ")}.
      </p>
      <${Forecast} ...${seen} />
      <details>
        <summary>All of it, with every default</summary>
        <pre>${JSON.stringify(configured, null, 2)}</pre>
      </details>
    </fieldset>`}
  </section>`;
}
