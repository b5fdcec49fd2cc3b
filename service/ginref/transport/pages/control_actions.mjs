/** All that an organizer may do to a tournament, by what it has come to. */
import { useChange } from "./control_call.mjs";
import { BEFORE, call, html, save, useState } from "./frame.mjs";

const NEXT = {
  draft: [["registration", "Open registration"]],
  registration: [["check_in", "Call for check-in"]],
  "check in": [["seeding", "Close check-in and seed"]],
  seeding: [["running", "Start"]],
  running: [["paused", "Pause"]],
  paused: [["running", "Go on"]],
  finished: [["archived", "Archive"]],
};
const CANCEL = [...BEFORE, "running", "paused"];
const MODES = {
  STRICT: "only if nothing depends on it",
  RESET_DEPENDENTS: "and play again what depends on it",
  RECORD_ONLY: "on paper: what follows stays as it is",
};

function Field({ label, children, name }) {
  return html`<label for=${name}>${label}</label>${children}`;
}

function Choice({ name, value, set, options, empty }) {
  return html`<select id=${name} value=${value} onChange=${(event) => set(event.target.value)}>
    ${empty && html`<option value="">${empty}</option>`}
    ${options.map(([key, text]) => html`<option key=${key} value=${key}>${text}</option>`)}
  </select>`;
}

/** Moves from one state to the next; none to a start before the referee has seeded. */
function Course({ state, entrants, ask }) {
  const isUnseeded = (one) => one.state === "ENTRANT_STATE_PLACED" && one.seed === undefined;
  const isEarly = state === "seeding" && entrants.some(isUnseeded);
  const steps = isEarly ? [] : (NEXT[state] ?? []);
  const advance = (to, reason) => ({ advance: { to: `TOURNAMENT_STATE_${to.toUpperCase()}`, reason } });
  return html`<div class="actions">
    ${isEarly && html`<span class="waiting" role="status">The field is being seeded …</span>`}
    ${steps.map(
      ([to, title]) =>
        html`<button key=${to} type="button" class="main" onClick=${() => ask(title, advance(to))}>${title}</button>`,
    )}
    ${CANCEL.includes(state) &&
    html`<button type="button" class="danger" onClick=${() => ask("Cancel it for good", advance("cancelled", "cancelled in the control room"))}>
      Cancel it
    </button>`}
  </div>`;
}

/** One bot leaves, or is sent away. */
function Leaving({ entrants, ask }) {
  const [bot, set] = useState("");
  const [reason, give] = useState("");
  const emptied = () => {
    set("");
    give("");
  };
  const there = entrants.filter((one) => ["ENTRANT_STATE_PLACED", "ENTRANT_STATE_WAITING"].includes(one.state));
  if (!there.length) return null;
  return html`<fieldset>
    <legend>A bot leaves</legend>
    <${Field} label="Bot" name="leaving-bot">
      <${Choice} name="leaving-bot" value=${bot} set=${set} empty="choose" options=${there.map((one) => [one.bot, one.bot])} />
    <//>
    <${Field} label="Reason, for the log" name="leaving-reason">
      <input id="leaving-reason" value=${reason} onInput=${(event) => give(event.target.value)} />
    <//>
    <div class="actions">
      <button type="button" disabled=${!bot} onClick=${() => ask(`Withdraw ${bot}`, { withdraw: { bot, reason } }, emptied)}>Withdraw</button>
      <button type="button" class="danger" disabled=${!bot || !reason} onClick=${() => ask(`Disqualify ${bot}`, { disqualify: { bot, reason } }, emptied)}>
        Disqualify
      </button>
    </div>
  </fieldset>`;
}

const bots = (fixture) => (fixture.sides ?? []).map((side) => side.bot).filter(Boolean);

/** A result given by hand, in place of another one or of none. */
function Ruling({ stages, ask }) {
  const fixtures = stages.flatMap((stage) =>
    (stage.fixtures ?? [])
      .filter((one) => one.fixtureId && bots(one).length === 2)
      .map((one) => ({ ...one, stage: stage.name })),
  );
  const [id, set] = useState("");
  const [given, give] = useState("");
  const [mode, choose] = useState("STRICT");
  const [reason, explain] = useState("");
  const emptied = () => {
    for (const empty of [set, give, explain]) empty("");
    choose("STRICT");
  };
  const fixture = fixtures.find((one) => one.fixtureId === id);
  if (!fixtures.length) return null;
  const name = (one) => `${one.stage} ${one.group} ${one.node}: ${bots(one).join(" – ")}`.replace("  ", " ");
  const results = fixture
    ? [
        ...bots(fixture).map((bot) => [`won:${bot}`, `${bot} won`]),
        ["drawn:", "drawn"],
        ...bots(fixture).map((bot) => [`forfeited:${bot}`, `${bot} forfeited`]),
        ["doubleForfeited:", "both forfeited"],
      ]
    : [];
  const rule = () => {
    const [kind, bot] = given.split(":");
    const result = { [kind]: bot || true };
    const { fixtureId, attempt } = fixture;
    const isDecided = Boolean(fixture.result?.kind);
    return isDecided
      ? { correct: { fixtureId, attempt, result, mode: `CORRECTION_MODE_${mode}`, reason } }
      : { award: { fixtureId, attempt, result, reason } };
  };
  const isReady = fixture && given && reason;
  return html`<fieldset>
    <legend>A fixture is decided, or decided otherwise</legend>
    <${Field} label="Fixture" name="ruling-fixture">
      <${Choice} name="ruling-fixture" value=${id} set=${set} empty="choose" options=${fixtures.map((one) => [one.fixtureId, name(one)])} />
    <//>
    <${Field} label="Result" name="ruling-result">
      <${Choice} name="ruling-result" value=${given} set=${give} empty="choose" options=${results} />
    <//>
    <${Field} label="If other fixtures follow from it" name="ruling-mode">
      <${Choice} name="ruling-mode" value=${mode} set=${choose} options=${Object.entries(MODES)} />
    <//>
    <${Field} label="Reason, for the log" name="ruling-reason">
      <input id="ruling-reason" value=${reason} onInput=${(event) => explain(event.target.value)} />
    <//>
    <div class="actions">
      <button type="button" disabled=${!isReady} onClick=${() => ask("Decide it so", rule(), emptied)}>Show what it changes</button>
      <button
        type="button"
        disabled=${!fixture || !reason}
        onClick=${() => ask("Play it again", { requeue: { fixtureId: id, attempt: fixture.attempt, reason } }, emptied)}
      >
        Play it again
      </button>
    </div>
  </fieldset>`;
}

function Appeals({ appeals, ask }) {
  const [reason, give] = useState("");
  const open = appeals.filter((one) => !one.decided);
  if (!open.length) return null;
  const decide = (one, upheld) =>
    ask(
      `${upheld ? "Uphold" : "Reject"} the appeal ${one.appealId}`,
      { decideAppeal: { appealId: one.appealId, upheld, reason } },
      () => give(""),
    );
  return html`<fieldset>
    <legend>Appeals</legend>
    <${Field} label="Reason, for the log" name="appeal-reason">
      <input id="appeal-reason" value=${reason} onInput=${(event) => give(event.target.value)} />
    <//>
    ${open.map(
      (one) =>
        html`<div class="actions" key=${one.appealId}>
          <span><b>${one.bot}</b>: ${one.text}</span>
          <button type="button" disabled=${!reason} onClick=${() => decide(one, true)}>Uphold</button>
          <button type="button" disabled=${!reason} onClick=${() => decide(one, false)}>Reject</button>
        </div>`,
    )}
  </fieldset>`;
}

/** Lets somebody keep the signed export. */
function Export({ name }) {
  const [problem, tell] = useState("");
  const fetched = async () => {
    tell("");
    try {
      const { envelope } = await call(`/v1/tournaments/${encodeURIComponent(name)}/export`);
      const bytes = Uint8Array.from(atob(envelope), (one) => one.charCodeAt(0));
      save(`${name}.json`, bytes);
    } catch (error) {
      tell(error.message);
    }
  };
  return html`<div class="actions">
    <button type="button" onClick=${fetched}>Save the signed export</button>
    <small>Anybody can check it with <code>ginref verify ${name}.json</code>.</small>
    ${problem && html`<p class="trouble" role="alert">${problem}</p>`}
  </div>`;
}

/** Codes by which invited bots enter. */
function Codes({ ask }) {
  const [count, set] = useState(1);
  const issue = (event) => {
    event.preventDefault();
    ask(`Issue ${count} codes`, { issueCodes: { count } }, () => set(1));
  };
  return html`<form class="actions" onSubmit=${issue}>
    <label for="codes">Entry codes</label>
    <input id="codes" type="number" min="1" max="200" required value=${count} onInput=${(event) => set(Number(event.target.value))} />
    <button type="submit">Issue</button>
  </form>`;
}

/** Lets a bot in that does not enter by itself. */
function Entering({ ask }) {
  const [text, set] = useState("");
  const bot = text.trim();
  const enter = (event) => {
    event.preventDefault();
    const field = event.target.elements[0];
    ask(`Enter ${bot}`, { enter: { bot } }, () => {
      set("");
      return field;
    });
  };
  return html`<form class="actions" onSubmit=${enter}>
    <label for="entering">A bot enters</label>
    <input id="entering" value=${text} onInput=${(event) => set(event.target.value)} />
    <button type="submit" disabled=${!bot}>Enter it</button>
  </form>`;
}

/** Everything that can be done now. */
export function Actions({ tournament, state, again }) {
  const { ask, dialog } = useChange(tournament, again);
  const isPlayed = ["running", "paused", "finishing"].includes(state);
  const isOver = ["finished", "archived", "cancelled"].includes(state);
  return html`<section aria-labelledby="actions">
    <h2 id="actions">What you can do</h2>
    <${Course} state=${state} entrants=${tournament.entrants ?? []} ask=${ask} />
    ${dialog}
    ${state === "registration" && html`<${Entering} ask=${ask} /><${Codes} ask=${ask} />`}
    <${Appeals} appeals=${tournament.appeals ?? []} ask=${ask} />
    ${isPlayed && html`<${Ruling} stages=${tournament.stages ?? []} ask=${ask} />`}
    ${!isOver && html`<${Leaving} entrants=${tournament.entrants ?? []} ask=${ask} />`}
    <${Export} name=${tournament.tournamentId} />
  </section>`;
}
