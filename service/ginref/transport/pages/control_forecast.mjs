/** What a tournament would come to, before anybody has entered. */
import { Refused } from "./control_call.mjs";
import { html } from "./frame.mjs";

const UNITS = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1000, "s"],
];

/** A length of time in its two largest units. */
function span(ms = 0) {
  const at = UNITS.findIndex(([size]) => ms >= size);
  if (at < 0) return "less than a second";
  const [[size, unit], [part, less] = []] = UNITS.slice(at);
  const rest = part ? ` ${Math.floor((ms % size) / part)} ${less}` : "";
  return `${Math.floor(ms / size)} ${unit}${rest}`;
}

const many = (count, what, ending = "s") => `${count} ${what}${count === 1 ? "" : ending}`;
const percent = (share) => `${Math.round(100 * share)} %`;

/** Whole numbers of 64 bits come as text. */
function matches({ matches: least = 0, mostMatches: most = 0 }) {
  return least === most ? `${least}` : `${least} to ${most}`;
}

/** What a stage can tell apart of its entrants. */
function apart({ pointsPerBoard, matchChance }) {
  if (pointsPerBoard !== undefined) return `${pointsPerBoard.toFixed(1)} net points a board`;
  if (matchChance !== undefined) return `a bot that wins ${percent(matchChance)} of its matches`;
  return "–";
}

/** What is said of each stage, by what it is; nothing of a ladder that has no end. */
function rows({ thinkMs = 0, betterChance }) {
  const told = {
    Fixtures: ({ fixtures }) => fixtures,
    Matches: matches,
    [`Takes, at ${thinkMs} ms a move`]: ({ typicalMs }) => span(typicalMs),
    "Takes, if all clocks run down": ({ longestMs }) => span(longestMs),
    "Played by each": ({ separation }) =>
      separation.boards ? many(separation.boards, "board") : many(separation.matches, "match", "es"),
    "Tells apart": ({ separation }) => apart(separation),
    [`Fixtures won by a bot that wins ${percent(betterChance)} of games`]: ({ separation }) =>
      separation.fixtureChance === undefined ? "–" : percent(separation.fixtureChance),
  };
  return [
    ["Entrants", ({ entrants }) => entrants],
    ["Rounds", ({ rounds = "until it is closed" }) => rounds],
    ...Object.entries(told).map(([what, tell]) => [what, (stage) => (stage.rounds ? tell(stage) : "–")]),
  ];
}

/** A tournament with so many entrants: its stages, its times, and what to beware of. */
export function Forecast({ entrants, forecast, error }) {
  if (error) return html`<p>With ${entrants} entrants:</p><${Refused} error=${error} />`;
  const { stages, qualifying, cautions = [] } = forecast;
  return html`${cautions.length > 0 &&
    html`<ul class="need" aria-label="What may not be meant">
      ${cautions.map(({ field, message }) => html`<li key=${field}><code>${field}</code>: ${message}</li>`)}
    </ul>`}
    <p class="facts">
      <span>in all <b>${span(forecast.typicalMs)}</b>, or <b>${span(forecast.longestMs)}</b> if clocks run down</span>
      ${qualifying &&
      html`<span
        >qualifying <b>${span(qualifying.typicalMs)}</b> before that, or <b>${span(qualifying.longestMs)}</b></span
      >`}
    </p>
    <div class="scroll" tabindex="0" role="region" aria-label="What it comes to">
      <table class="forecast">
        <caption>
          What it comes to with ${entrants} entrants
        </caption>
        <thead>
          <tr>
            <th scope="col"><span class="hidden">What</span></th>
            ${stages.map(({ stage }) => html`<th key=${stage} scope="col">${stage}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows(forecast).map(
            ([what, tell]) =>
              html`<tr key=${what}>
                <th scope="row">${what}</th>
                ${stages.map((stage) => html`<td key=${stage.stage}>${tell(stage)}</td>`)}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}
