/** The first page: what is going on, and what was. */
import {
  call,
  html,
  Moment,
  Outdated,
  show,
  Tiles,
  useLoaded,
  useState,
  useTitle,
  Waiting,
  word,
} from "./frame.mjs";

const SECONDS = 5;
const FEW = 20; // of each are shown at first
const MOST = 200; // of each are shown at all

/** The bot whose matches alone are looked for, if there is one. */
const looked = new URLSearchParams(location.search).get("bot")?.trim() ?? "";

/** The newest of some things: as many as are wanted, and a way to more of them. */
function useNewest(path, bot = "") {
  const [size, set] = useState(FEW);
  const query = new URLSearchParams({ pageSize: size, ...(bot && { bot }) });
  const load = (signal) => call(`${path}?${query}`, undefined, signal);
  const loaded = useLoaded(load, [size], SECONDS);
  const isAll = !loaded.value?.nextPageToken || size === MOST;
  const more =
    !isAll &&
    html`<div class="actions">
      <button type="button" onClick=${() => set(Math.min(3 * size, MOST))}>Show more</button>
    </div>`;
  return { ...loaded, more };
}

function Tournaments() {
  const { value, error, again, more } = useNewest("/v1/tournaments");
  if (!value) return html`<${Waiting} what="tournaments" error=${error} again=${again} />`;
  const found = value.tournaments ?? [];
  if (!found.length) {
    return html`<p class="empty">
      No tournament yet. An organizer makes one from a file:${" "}
      <code>ginref tournament create cup.yaml</code>, or in the${" "}
      <a href="/control">control room</a>.
    </p>`;
  }
  return html`<${Outdated} error=${error} />
    <${Tiles} tournaments=${found} under="/tournaments" />
    ${more}`;
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

/** Leads to the matches of one bot. */
function Search() {
  const [text, set] = useState(looked);
  const search = (event) => {
    event.preventDefault();
    const bot = text.trim();
    location.assign(bot ? `/?${new URLSearchParams({ bot })}` : "/");
  };
  return html`<form class="actions" role="search" onSubmit=${search}>
    <label for="bot">Matches of the bot</label>
    <input id="bot" type="search" spellcheck="false" autocapitalize="off" value=${text} onInput=${(event) => set(event.target.value)} />
    <button type="submit">Find</button>
  </form>`;
}

function Matches() {
  const { value, error, again, more } = useNewest("/v1/matches", looked);
  if (!value) return html`<${Waiting} what="matches" error=${error} again=${again} />`;
  const found = value.matches ?? [];
  if (!found.length && looked) {
    return html`<p class="empty">No match of a bot <b>${looked}</b> is known here.</p>`;
  }
  if (!found.length) {
    return html`<p class="empty">
      No match yet. A bot plays one with <code>ginref connect</code>; a match between two
      of them begins with <code>ginref play</code>.
    </p>`;
  }
  const live = found.filter((match) => !isOver(match));
  const playing = live.length ? `${live.length} being played` : "None is being played just now";
  return html`<${Outdated} error=${error} />
    <div class="scroll" tabindex="0" role="region" aria-label="Table of matches">
      <table class="newest">
        <caption>
          ${value.nextPageToken ? `The newest ${found.length}: ${playing.toLowerCase()}` : playing}
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
    </div>
    ${more}`;
}

function Home() {
  useTitle(looked && `Matches of ${looked}`);
  if (looked) {
    return html`<h1>Matches of ${looked}</h1>
      <p class="facts"><a href="/">All tournaments and matches</a></p>
      <${Search} />
      <${Matches} />`;
  }
  return html`<h1>Gin Rummy between programs, refereed</h1>
    <p class="soft">
      Every deal can be checked, every match is signed. Watch a match live, or replay one
      that is over, with both hands open.
    </p>
    <section aria-labelledby="tournaments">
      <h2 id="tournaments">Tournaments</h2>
      <${Tournaments} />
    </section>
    <section aria-labelledby="matches">
      <h2 id="matches">Matches</h2>
      <${Search} />
      <${Matches} />
    </section>`;
}

show(html`<${Home} />`);
