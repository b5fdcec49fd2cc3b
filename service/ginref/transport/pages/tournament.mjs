/** A tournament: brackets and tables as they stand, live. */
import { Bracket, Meet } from "./bracket.mjs";
import {
  BEFORE,
  entrantState,
  grouped,
  html,
  isProjector,
  isPublished,
  Moment,
  show,
  Stale,
  State,
  subject,
  useTitle,
  Waiting,
  word,
} from "./frame.mjs";
import { CrossTable, Standing } from "./standing.mjs";
import { useTournament } from "./tournament_source.mjs";

const BRACKETS = ["single_elimination", "double_elimination"];

const isPlayed = (one) => word(one.state, "FIXTURE_STATE") === "playing";
const isDone = (one) => word(one.state, "FIXTURE_STATE") === "final";

/** The rounds that are played now, or else the last one that was, or the first. */
function current(rounds) {
  const played = rounds.filter(([, some]) => some.some(isPlayed));
  const last = rounds.find(([, some]) => some.some(isDone)) ?? rounds[rounds.length - 1];
  return played.length ? played : [last];
}

/** Rounds, the last one first; each with what every group plays in it. */
function Rounds({ fixtures }) {
  const rounds = grouped(fixtures, (one) => one.round).sort(([one], [other]) => other - one);
  const open = current(rounds);
  return rounds.map(
    ([number, some]) =>
      html`<details key=${number} open=${open.some(([other]) => other === number)}>
        <summary>Round ${number}</summary>
        ${grouped(some, (one) => one.group ?? "").map(
          ([group, meets]) =>
            html`<div key=${group}>
              ${group && html`<h4>Group ${group}</h4>`}
              <div class="tiles">
                ${meets.map((one) => html`<${Meet} key=${one.node} fixture=${one} />`)}
              </div>
            </div>`,
        )}
      </details>`,
  );
}

/** What a wall has room for: the stages that are being played, or the last one. */
function onWall(stages) {
  const begun = stages.filter((stage) => stage.fixtures?.length);
  const open = begun.filter((stage) => !stage.closed);
  return open.length ? open : begun.slice(-1);
}

function Stage({ stage }) {
  const fixtures = stage.fixtures ?? [];
  const isBracket = BRACKETS.includes(stage.format);
  return html`<section aria-labelledby="stage-${stage.name}">
    <h2 id="stage-${stage.name}">
      ${stage.name} <small>${stage.format.replaceAll("_", " ").replace("swiss", "Swiss")}${stage.closed ? ", closed" : ""}</small>
    </h2>
    ${isBracket && fixtures.length > 0 && html`<${Bracket} fixtures=${fixtures} />`}
    ${!isBracket &&
    isProjector &&
    fixtures.some(isPlayed) &&
    html`<h3>Played now</h3>
      <div class="tiles">
        ${fixtures.filter(isPlayed).map((one) => html`<${Meet} key=${one.fixtureId} fixture=${one} />`)}
      </div>`}
    ${(stage.rankings ?? []).map(
      (ranking) =>
        html`<div key=${ranking.group}>
          <${Standing}
            lines=${ranking.lines ?? []}
            title=${ranking.group ? `Group ${ranking.group}` : "Standings"}
          />
          ${!isBracket &&
          html`<${CrossTable}
            lines=${ranking.lines ?? []}
            fixtures=${fixtures.filter((one) => (one.group ?? "") === (ranking.group ?? ""))}
          />`}
        </div>`,
    )}
    ${!isBracket &&
    !isProjector &&
    fixtures.length > 0 &&
    html`<h3>Fixtures</h3><${Rounds} fixtures=${fixtures} />`}
    ${!fixtures.length && html`<p class="empty">This stage has not begun.</p>`}
  </section>`;
}

function Field({ entrants, state }) {
  if (!entrants.length && state === "draft") {
    return html`<p class="empty">Bots can enter once the organizer opens registration.</p>`;
  }
  if (!entrants.length && state !== "registration") {
    return html`<p class="empty">Nobody has entered.</p>`;
  }
  if (!entrants.length) {
    return html`<p class="empty">
      Nobody has entered yet. Bots enter with <code>ginref tournament enter ${subject}</code>.
    </p>`;
  }
  return html`<ul class="check">
    ${entrants.map(
      (one) =>
        html`<li key=${one.bot} class=${one.checkedIn ? "here" : ""}>
          <span>${one.seed !== undefined && html`<small>${one.seed}.</small> `}${one.bot}</span>
          <small>${entrantState(one)}</small>
        </li>`,
    )}
  </ul>`;
}

function Page() {
  const { value, error, again, isUp } = useTournament(subject);
  useTitle(value?.title || value?.tournamentId);
  if (!value) {
    return html`<h1>${subject}</h1>
      <${Waiting} what="the tournament" error=${error} again=${again} />`;
  }
  const state = word(value.state, "TOURNAMENT_STATE");
  const all = value.stages ?? [];
  const stages = isProjector ? onWall(all) : all;
  const entrants = value.entrants ?? [];
  const isBefore = BEFORE.includes(state);
  return html`<header class="head">
      <h1>${value.title || value.tournamentId}</h1>
      <p class="facts">
        <${State} of=${value} />
        <span>since <${Moment} at=${value.stateTime} /></span>
        <span><b>${entrants.length}</b> entrants</span>
        ${!isPublished && !["archived", "cancelled"].includes(state) && html`<${Stale} isUp=${isUp} />`}
        ${!isPublished && !isProjector && html`<a href="?projector">Projector view</a>`}
        ${isPublished && html`<a href="tournament.json" download>Signed export</a>`}
      </p>
    </header>
    ${stages.map((stage) => html`<${Stage} key=${stage.name} stage=${stage} />`)}
    ${(!isProjector || isBefore) &&
    html`<section aria-labelledby="field">
      <h2 id="field">Field</h2>
      <${Field} entrants=${entrants} state=${state} />
    </section>`}`;
}

show(html`<${Page} />`);
