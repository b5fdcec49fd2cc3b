/** The control room: what needs somebody, and everything an organizer decides. */
import { Actions } from "./control_actions.mjs";
import { NewTournament } from "./control_new.mjs";
import {
  BEFORE,
  call,
  entrantState,
  html,
  Moment,
  Outdated,
  show,
  Stale,
  State,
  subject,
  Tiles,
  token,
  useEffect,
  useLoaded,
  useState,
  useTitle,
  Waiting,
  word,
} from "./frame.mjs";
import { useTournament } from "./tournament_source.mjs";

const PAUSE_MS = 200; // few organize, and each waits for what follows from a change

function SignIn({ enter, problem }) {
  const [text, set] = useState("");
  const submit = (event) => {
    event.preventDefault();
    // What was copied with it is none of it: blanks, breaks, and what nobody sees.
    const plain = text.replace(/[^!-~]/g, "");
    if (!plain) return;
    token.set(plain);
    enter();
    document.getElementById("page").focus();
  };
  return html`<h1>Control room</h1>
    <form onSubmit=${submit}>
      <label for="token">Token of an operator or organizer</label>
      <input
        id="token"
        type="password"
        autocomplete="off"
        value=${text}
        onInput=${(event) => set(event.target.value)}
      />
      <p class="soft">
        The first start of a referee writes the operator's into the file${" "}
        <code>operator.token</code> of its data folder; <code>ginref token new</code> makes
        others. It is kept in this tab alone, until that is closed.
      </p>
      ${problem && html`<p class="trouble" role="alert">${problem}</p>`}
      <div class="actions"><button class="main" type="submit">Enter</button></div>
    </form>`;
}

/** Whoever enters with a token that is none is asked for another one. */
function useRefused({ error }, leave) {
  useEffect(() => {
    if (error?.status === 401) leave(error.message);
  }, [error]);
}

function Overview({ leave }) {
  const loaded = useLoaded(
    (signal) => call("/v1/tournaments?pageSize=100", undefined, signal),
    [],
    5,
  );
  useRefused(loaded, leave);
  const { value, error, again } = loaded;
  const found = value?.tournaments ?? [];
  return html`<header class="head">
      <h1>Control room</h1>
      <div class="actions"><button type="button" onClick=${() => leave()}>Sign out</button></div>
    </header>
    <section aria-labelledby="tournaments">
      <h2 id="tournaments">Tournaments</h2>
      ${value === undefined
        ? html`<${Waiting} what="tournaments" error=${error} again=${again} />`
        : html`<${Outdated} error=${error} />
            ${found.length
              ? html`<${Tiles} tournaments=${found} under="/control" />`
              : html`<p class="empty">None yet: declare the first one below.</p>`}`}
    </section>
    <${NewTournament} />`;
}

/** What is in the way comes first. */
function Needs({ tournament, state }) {
  const isBefore = BEFORE.includes(state);
  // Appeals are told below, with what they are about.
  const problems = (tournament.problems ?? [])
    .filter((one) => one.kind !== "appeal")
    .sort((a, b) => b.blocking - a.blocking);
  const appeals = (tournament.appeals ?? []).filter((one) => !one.decided);
  return html`<section aria-labelledby="needs">
    <h2 id="needs">What needs you</h2>
    ${problems.length + appeals.length === 0
      ? html`<p class="empty">
          ${isBefore ? "Nothing is in the way of the next step, which is below." : "Nothing just now."}
        </p>`
      : html`<ul class="need">
          ${problems.map(
            (one) =>
              html`<li key=${`${one.kind} ${one.about}`} class=${one.blocking ? "blocking" : ""}>
                <b>${one.kind.replaceAll("_", " ")}</b> ${one.about && html`<code>${one.about}</code> `}
                ${one.message}
              </li>`,
          )}
          ${appeals.map(
            (one) =>
              html`<li key=${one.appealId} class="blocking">
                <b>appeal</b> <code>${one.appealId}</code> of ${one.bot} about${" "}
                <code>${one.fixtureId}</code>: ${one.text}
              </li>`,
          )}
        </ul>`}
  </section>`;
}

/** What is said of an entrant: how far it has come, how fast it is, how it qualified. */
function told(entrant) {
  const { latencyMs, qualifying } = entrant;
  const answers = latencyMs === undefined ? "" : `, answers in ${latencyMs} ms`;
  const shown = qualifying ? `, ${word(qualifying.state, "QUALIFYING_STATE")} qualifying` : "";
  return `${entrantState(entrant)}${answers}${shown}`;
}

function CheckIn({ entrants, isCalled }) {
  const here = entrants.filter((one) => one.checkedIn).length;
  return html`<section aria-labelledby="check-in">
    <h2 id="check-in">
      ${isCalled || here
        ? html`Check-in <small>${here} of ${entrants.length}</small>`
        : html`Field <small>${entrants.length}</small>`}
    </h2>
    ${entrants.length
      ? html`<ul class="check">
          ${entrants.map(
            (one) =>
              html`<li key=${one.bot} class=${one.checkedIn ? "here" : ""}>
                <span>${one.bot} <small>${one.owner}</small></span>
                <small>${told(one)}</small>
              </li>`,
          )}
        </ul>`
      : html`<p class="empty">Nobody has entered.</p>`}
  </section>`;
}

function Room({ name, leave }) {
  const loaded = useTournament(name, PAUSE_MS);
  useRefused(loaded, leave);
  const { value, error, again, isUp } = loaded;
  useTitle(value && `Control room: ${value.title || name}`);
  if (!value) {
    return html`<h1>${name}</h1>
      <${Waiting} what="the tournament" error=${error} again=${again} />`;
  }
  const state = word(value.state, "TOURNAMENT_STATE");
  return html`<header class="head">
      <h1>${value.title || value.tournamentId}</h1>
      <p class="facts">
        <${State} of=${value} />
        <span>since <${Moment} at=${value.stateTime} /></span>
        <span>version <b>${value.version}</b></span>
        <${Stale} isUp=${isUp} />
        <a href="/control">All tournaments</a>
        <a href="/tournaments/${name}">What others see</a>
        <button type="button" onClick=${() => leave()}>Sign out</button>
      </p>
    </header>
    <${Needs} tournament=${value} state=${state} />
    <${Actions} tournament=${value} state=${state} again=${again} />
    <${CheckIn} entrants=${value.entrants ?? []} isCalled=${state === "check in"} />`;
}

function Page() {
  const [isIn, set] = useState(token.get() !== null);
  const [problem, tell] = useState("");
  const leave = (why = "") => {
    token.forget();
    tell(why);
    set(false);
  };
  if (!isIn) return html`<${SignIn} enter=${() => set(true)} problem=${problem} />`;
  return subject
    ? html`<${Room} name=${subject} leave=${leave} />`
    : html`<${Overview} leave=${leave} />`;
}

show(html`<${Page} />`);
