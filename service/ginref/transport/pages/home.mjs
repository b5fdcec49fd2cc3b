/** The first page: what is going on, and what was. */
import { call, html, Moment, show, useLoaded, Waiting, word } from "./frame.mjs";

const SECONDS = 5;

function Tournaments() {
  const load = (signal) => call("/v1/tournaments?pageSize=20", undefined, signal);
  const { value, error, again } = useLoaded(load, [], SECONDS);
  if (!value) return html`<${Waiting} what="tournaments" error=${error} again=${again} />`;
  const found = value.tournaments ?? [];
  if (!found.length) {
    return html`<p class="empty">
      No tournament yet. An organizer makes one from a file:
      <code>ginref tournament create cup.yaml</code>, or in the${" "}
      <a href="/control">control room</a>.
    </p>`;
  }
  return html`<ul class="tiles">
    ${found.map(
      (one) =>
        html`<li key=${one.tournamentId}>
          <a href="/tournaments/${one.tournamentId}">${one.title || one.tournamentId}</a>
          <span class="state ${word(one.state, "TOURNAMENT_STATE").replace(" ", "-")}">
            ${word(one.state, "TOURNAMENT_STATE")}
          </span>
          <small>since <${Moment} at=${one.stateTime ?? one.createTime} /></small>
        </li>`,
    )}
  </ul>`;
}

const isOver = (match) => match.stage === "MATCH_STAGE_OVER";

function Match({ match }) {
  const players = (match.seats ?? []).map((seat) => seat.bot);
  const winner = match.seats?.find((seat) => seat.seat === match.ending?.winner)?.bot;
  return html`<tr>
    <th scope="row"><a href="/matches/${match.matchId}">${players.join(" – ")}</a></th>
    <td>${match.ruleset?.name}</td>
    <td>
      ${isOver(match)
        ? winner
          ? html`<b>${winner}</b> won`
          : word(match.ending?.kind, "ENDING_KIND")
        : html`<span class="live">${word(match.stage, "MATCH_STAGE")}</span>`}
    </td>
    <td><${Moment} at=${match.createTime} /></td>
    <td>${isOver(match) && html`<a href="/matches/${match.matchId}/replay">replay</a>`}</td>
  </tr>`;
}

function Matches() {
  const load = (signal) => call("/v1/matches?pageSize=30", undefined, signal);
  const { value, error, again } = useLoaded(load, [], SECONDS);
  if (!value) return html`<${Waiting} what="matches" error=${error} again=${again} />`;
  const found = value.matches ?? [];
  if (!found.length) {
    return html`<p class="empty">
      No match yet. A bot plays one with <code>ginref connect</code>; a match between two
      of them begins with <code>ginref play</code>.
    </p>`;
  }
  const live = found.filter((match) => !isOver(match));
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Table of matches">
    <table>
      <caption>
        ${live.length ? `${live.length} being played` : "None is being played just now"}
      </caption>
      <thead>
        <tr>
          <th scope="col">Players</th>
          <th scope="col">Rules</th>
          <th scope="col">How it stands</th>
          <th scope="col">Begun</th>
          <th scope="col"><span class="hidden">Replay</span></th>
        </tr>
      </thead>
      <tbody>
        ${[...live, ...found.filter(isOver)].map(
          (match) => html`<${Match} key=${match.matchId} match=${match} />`,
        )}
      </tbody>
    </table>
  </div>`;
}

function Home() {
  return html`<h1>Gin Rummy between programs, refereed</h1>
    <p class="soft">
      Every deal can be checked, every match is signed. Click a match that is over to see
      both hands, move by move.
    </p>
    <section aria-labelledby="tournaments">
      <h2 id="tournaments">Tournaments</h2>
      <${Tournaments} />
    </section>
    <section aria-labelledby="matches">
      <h2 id="matches">Matches</h2>
      <${Matches} />
    </section>`;
}

show(html`<${Home} />`);
