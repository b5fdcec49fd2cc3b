/** A match as it is played: what anybody may see of it, and no hidden card. */
import { Back, Card, Cards, MoveText, Small, sorted } from "./card.mjs";
import {
  Bot,
  follow,
  html,
  Outdated,
  show,
  Stale,
  subject,
  useEffect,
  useState,
  useTitle,
  Waiting,
  word,
} from "./frame.mjs";
import { fromView, Sheet } from "./sheet.mjs";

const LINES = 40; // of what has happened
const SHARES = "The deck is being mixed, from secrets of the bots and the referee.";
const UNDEALT = {
  MATCH_STAGE_FORMING: "The bots are being asked to play; then cards are dealt.",
  MATCH_STAGE_COMMITTING: SHARES,
  MATCH_STAGE_REVEALING: SHARES,
  MATCH_STAGE_PLAYING: "The cards are being dealt.",
};
const OUTCOMES = {
  OUTCOME_KNOCK: "knocks and wins",
  OUTCOME_GIN: "goes gin",
  OUTCOME_BIG_GIN: "goes big gin",
  OUTCOME_UNDERCUT: "undercuts",
};

/** Time as a player thinks of it. */
function clockText(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** Milliseconds that the referee's clock is ahead of the one here. */
function ahead(clock) {
  return clock?.serverTime ? Date.parse(clock.serverTime) - Date.now() : 0;
}

/** What is left to whoever is to act; counted down here between two messages. */
function Deadline({ clock, offset }) {
  const [now, tick] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => tick(Date.now()), 250);
    return () => clearInterval(timer);
  }, []);
  if (!clock?.deadline) return null;
  const left = Date.parse(clock.deadline) - now - offset;
  return html`<span class="deadline ${left < 5000 ? "short" : ""}" role="timer"
    >${clockText(left)}</span
  >`;
}

/** One seat: what is known of its hand. */
function SeatRow({ holder, view, offset }) {
  const { table, clock, sheet } = view;
  const at = table?.seats?.find((one) => one.seat === holder.seat);
  const known = sorted(at?.known ?? []);
  const hidden = Math.max(0, (at?.handCount ?? 0) - known.length);
  const own = clock?.seats?.find((one) => one.seat === holder.seat);
  const wins = sheet?.gamesWon?.find((one) => one.seat === holder.seat)?.count ?? 0;
  const isToAct = table?.toAct === holder.seat && !view.ending;
  const isWinner = view.ending?.winner === holder.seat;
  return html`<section class="seat ${isToAct ? "acts" : ""}" aria-label=${holder.bot}>
    <h2>
      <${Bot} name=${holder.bot} />
      ${table?.dealer === holder.seat && html` <small>deals${isToAct && ","}</small>`}
      ${isWinner && html` <small class="won">won</small>`}
      ${isToAct && html` <small>to move</small>`}
    </h2>
    <div class="cards" aria-label="${at?.handCount ?? 0} cards, ${known.length} of them known">
      ${known.map((card) => html`<${Card} key=${card} card=${card} />`)}
      ${[...Array(hidden).keys()].map((one) => html`<${Back} key=${`back-${one}`} />`)}
    </div>
    <p class="facts">
      ${own && html`<span>bank <b>${clockText(own.bankMs ?? 0)}</b></span>`}
      ${isToAct && html`<span>this turn <${Deadline} clock=${clock} offset=${offset} /></span>`}
      ${own?.strikesUsed > 0 && html`<span>strikes <b>${own.strikesUsed}</b></span>`}
      ${sheet?.games?.length > 1 && html`<span>games won <b>${wins}</b></span>`}
    </p>
  </section>`;
}

/** The stock, the pile, and what was thrown. */
function Middle({ table, stage }) {
  if (!table) return html`<p class="soft">${UNDEALT[stage] ?? "No cards were dealt."}</p>`;
  const thrown = table.thrown ?? [];
  return html`<section class="middle" aria-label="Table">
    <div class="piles">
      <figure>
        <${Back} label="the stock" />
        <figcaption>${table.stockCount ?? 0} in the stock</figcaption>
      </figure>
      <figure>
        ${table.upcard
          ? html`<${Card} card=${table.upcard} />`
          : html`<span class="card none" role="img" aria-label="the pile is empty"></span>`}
        <figcaption>upcard</figcaption>
      </figure>
    </div>
    <p class="facts">
      <span>round <b>${table.round}</b></span>
      <span>turn <b>${(table.turn ?? 0) + 1}</b></span>
      <span>knock with <b>${table.knockLimit ?? 0}</b> or less</span>
      ${(table.multiplier ?? 1) > 1 && html`<span>counts <b>${table.multiplier}×</b></span>`}
    </p>
    ${thrown.length > 0 &&
    html`<p class="thrown" aria-label="Thrown in this round">
      ${thrown.map(
        (one, index) =>
          html`<span key=${index} class=${one.takenBy ? "taken" : ""}
            ><${Small} card=${one.card}
          /></span>`,
      )}
    </p>`}
  </section>`;
}

/** How the round before ended, with both hands. */
function LastRound({ reveal, names }) {
  if (!reveal) return null;
  const winner = reveal.winner === undefined ? null : names[reveal.winner];
  const { showdown } = reveal;
  const says = winner
    ? `${winner} ${OUTCOMES[reveal.outcome] ?? "wins"} for ${reveal.points ?? 0}`
    : "drawn";
  return html`<details class="last" open>
    <summary>Round ${reveal.round}: ${says}</summary>
    ${showdown &&
    html`<dl>
      <dt>${names[showdown.knocker]} lays down</dt>
      <dd>
        ${(showdown.knockerMelds ?? []).map(
          (meld, at) => html`<${Cards} key=${at} cards=${meld.cards} label="meld" />`,
        )}
        <${Cards} cards=${showdown.knockerDeadwood ?? []} label="deadwood" />
        <small>${showdown.knockerPoints ?? 0} deadwood</small>
      </dd>
      <dt>${names[showdown.defender]}</dt>
      <dd>
        ${(showdown.defenderMelds ?? []).map(
          (meld, at) => html`<${Cards} key=${at} cards=${meld.cards} label="meld" />`,
        )}
        ${showdown.layoffs?.length > 0 &&
        html`<${Cards} cards=${showdown.layoffs.map((one) => one.card)} label="laid off" />
          <small>laid off</small>`}
        <${Cards} cards=${showdown.defenderDeadwood ?? []} label="deadwood" />
        <small>${showdown.defenderPoints ?? 0} deadwood</small>
      </dd>
    </dl>`}
  </details>`;
}

function Event({ event, names }) {
  const who = (part) => html`<b>${names[part.seat]}</b>`;
  if (event.played) {
    return html`<li>
      ${who(event.played)} <${MoveText} move=${event.played.move} />
      <small> ${((event.played.elapsedMs ?? 0) / 1000).toFixed(2)} s</small>
    </li>`;
  }
  if (event.struck) return html`<li>${who(event.struck)} makes an illegal move: a strike</li>`;
  if (event.prepared) {
    return html`<li>${who(event.prepared)} has ${word(event.prepared.step, "PREPARATION_STEP")}</li>`;
  }
  if (event.ended) return html`<li>the match is over</li>`;
  return html`<li>the match is created</li>`;
}

function Page() {
  const [state, set] = useState({ events: [] });
  const [error, fail] = useState(null);
  const [isUp, tell] = useState(null);
  useEffect(() => {
    const ended = new AbortController();
    const take = (message) => {
      const { match, publicView: view } = message;
      set((old) => ({
        match: match ?? old.match,
        view: view ?? old.view,
        offset: view?.clock ? ahead(view.clock) : old.offset,
        events: [...old.events, ...(message.events ?? [])].slice(-LINES),
      }));
    };
    const note = (isNow, problem = null) => {
      tell(isNow);
      fail(problem);
    };
    // What was refused for good has been noted, too.
    follow(`/v1/matches/${subject}:watch`, take, note, ended.signal).catch(() => {});
    return () => ended.abort();
  }, []);
  const { match, view, events, offset } = state;
  useTitle(match?.seats?.map((one) => one.bot).join(" – "));
  if (error?.reason === "BOARD_CLOSED") {
    return html`<h1>${subject}</h1>
      <p class="empty">
        These cards are played more than once. Nothing of them is shown before the last
        match with them has finished.
      </p>`;
  }
  if (error?.reason === "MATCH_EXPIRED") {
    return html`<h1>${subject}</h1>
      <p class="empty">
        The match is over, and only its record is kept:${" "}
        <a href="/matches/${subject}/replay">replay and verify</a> it.
      </p>`;
  }
  if (!match) {
    return html`<h1>${subject}</h1>
      <${Waiting} what="the match" error=${error} />`;
  }
  const seats = match.seats ?? [];
  const names = Object.fromEntries(seats.map((one) => [one.seat, one.bot]));
  const isOver = match.stage === "MATCH_STAGE_OVER" || view?.ending;
  const ending = view?.ending ?? match.ending;
  return html`<header class="head">
      <h1>${seats.map((one) => one.bot).join(" – ")}</h1>
      <p class="facts">
        <span>${match.ruleset?.name}</span>
        ${match.place?.tournamentId &&
        html`<span
          ><a href="/tournaments/${match.place.tournamentId}">${match.place.tournamentId}</a></span
        >`}
        ${isOver
          ? html`<span
              ><b>${names[ending?.winner] ? `${names[ending.winner]} won` : "nobody won"}</b>,${" "}
              ${word(ending?.kind, "ENDING_KIND")}</span
            >`
          : html`<${Stale} isUp=${isUp} />`}
        ${isOver && html`<a class="button main" href="/matches/${subject}/replay">Replay and verify</a>`}
      </p>
      ${!isOver && html`<${Outdated} error=${error} />`}
    </header>
    <div class="table">
      ${seats.map(
        (holder, at) =>
          html`${at === 1 && html`<${Middle} table=${view?.table} stage=${isOver ? "" : match.stage} />`}<${SeatRow}
              key=${holder.seat}
              holder=${holder}
              view=${view ?? {}}
              offset=${offset ?? 0}
            />`,
      )}
    </div>
    <${LastRound} reveal=${view?.lastRound} names=${names} />
    <h2>Score sheet</h2>
    <${Sheet}
      games=${fromView(
        view?.sheet,
        seats.map((one) => one.seat),
      )}
      names=${seats.map((one) => one.bot)}
      isOver=${isOver}
    />
    ${(events.length > 0 || !isOver) && html`<h2>What happened</h2>`}
    ${events.length
      ? html`<ol class="events" reversed>
          ${[...events]
            .reverse()
            .map((event) => html`<${Event} key=${event.version} event=${event} names=${names} />`)}
        </ol>`
      : !isOver && html`<p class="soft">Moves appear here as they are made.</p>`}`;
}

show(html`<${Page} />`);
