/** Standings with what is sure of them, and who met whom. */
import { Bot, html, isProjector } from "./frame.mjs";

/** Criteria that a table has columns of anyway. */
const SHOWN = ["match_points", "net_per_board"];

const NAMES = { sonneborn_berger: "Sonneborn-Berger" };

/** What a criterion is called at the head of its column. */
function headOf(criterion) {
  const plain = criterion.replaceAll("_", " ");
  return NAMES[criterion] ?? plain[0].toUpperCase() + plain.slice(1);
}

/** A number in figures that are all as long after the point. */
const figure = (number, places = 1) => number.toFixed(places).replace("-", "−");
const round = (number) => (number > 0 ? "+" : "") + figure(number);

/** How far a scale goes: to the widest interval, unless most are much narrower. */
function reach(lines) {
  const ends = lines
    .filter((one) => one.mean !== undefined)
    .map((one) => Math.abs(one.mean) + (one.margin ?? 0))
    .sort((one, other) => one - other);
  return Math.max(1, Math.min(ends[ends.length - 1] ?? 0, 3 * (ends[ends.length >> 1] ?? 0)));
}

/** A mean and its 95 % interval, drawn on a scale that a table shares. */
function Interval({ mean, margin, most }) {
  if (mean === undefined) return null;
  const x = (value) => 64 + 60 * Math.max(-1, Math.min(1, value / most));
  const wide = margin ?? 0;
  return html`<svg class="interval" viewBox="0 0 128 16" role="img" aria-label="${round(mean)} ± ${wide.toFixed(1)}">
    <line x1="64" x2="64" y1="0" y2="16" />
    <line class="span" x1=${x(mean - wide)} x2=${x(mean + wide)} y1="8" y2="8" />
    <circle cx=${x(mean)} cy="8" r="3.5" />
  </svg>`;
}

/** What a criterion comes to; a dash where it says nothing. */
function tieText(value) {
  if (value === undefined) return "–";
  return figure(value, Number.isInteger(value) ? 0 : 2);
}

/** The lines of a ranking. */
export function Standing({ lines, title }) {
  if (!lines.length) return html`<p class="empty">Nobody has a place yet.</p>`;
  const most = reach(lines);
  const hasPoints = lines.some((one) => one.points !== undefined);
  const ties = (one) =>
    isProjector ? [] : (one.tieBreaks ?? []).filter((tie) => !SHOWN.includes(tie.criterion));
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${title}>
    <table>
      <caption>
        <span>${title}; the bar is net points a board with its 95 % interval</span>
      </caption>
      <thead>
        <tr>
          <th scope="col">#</th>
          <th scope="col">Bot</th>
          ${hasPoints && html`<th scope="col" class="number">Points</th>`}
          <th scope="col" class="number">W</th>
          <th scope="col" class="number">D</th>
          <th scope="col" class="number">L</th>
          <th scope="col">Net a board</th>
          <th scope="col"><span class="hidden">Interval</span></th>
          <th scope="col" class="number">Boards</th>
          ${ties(lines[0]).map((one) => html`<th scope="col" class="number tie">${headOf(one.criterion)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${lines.map(
          (one) =>
            html`<tr key=${one.bot}>
              <td>${one.rank || "–"}</td>
              <th scope="row"><${Bot} name=${one.bot} /></th>
              ${hasPoints && html`<td class="number">${one.points ?? 0}</td>`}
              <td class="number">${one.won ?? 0}</td>
              <td class="number">${one.drawn ?? 0}</td>
              <td class="number">${one.lost ?? 0}</td>
              <td>
                ${one.mean === undefined
                  ? "–"
                  : `${round(one.mean)}${one.margin === undefined ? "" : ` ± ${one.margin.toFixed(1)}`}`}
              </td>
              <td><${Interval} mean=${one.mean} margin=${one.margin} most=${most} /></td>
              <td class="number">${one.boards ?? 0}</td>
              ${ties(one).map((tie) => html`<td class="number">${tieText(tie.value)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Net points of every board of every pair, from the side of the first one. */
function pairs(fixtures) {
  const met = new Map();
  const add = (one, other, boards) => {
    const key = `${one} ${other}`;
    met.set(key, [...(met.get(key) ?? []), ...boards]);
  };
  for (const fixture of fixtures) {
    const [first, second] = (fixture.sides ?? []).map((side) => side.bot);
    for (const { over, boards = [] } of fixture.matches ?? []) {
      if (!over || !boards.length) continue;
      add(first, second, boards);
      add(second, first, boards.map((points) => -points));
    }
  }
  return met;
}

/** The mean of some boards, and half of its 95 % interval; null for fewer than two. */
function summed(boards) {
  const count = boards.length;
  const mean = boards.reduce((sum, points) => sum + points, 0) / count;
  if (count < 2) return { mean, margin: null };
  const spread = boards.reduce((sum, points) => sum + (points - mean) ** 2, 0) / (count - 1);
  return { mean, margin: 1.96 * Math.sqrt(spread / count) };
}

function Cell({ boards }) {
  if (!boards) return html`<td class="soft">·</td>`;
  const { mean, margin } = summed(boards);
  // A colour is for what is hardly chance.
  const isSure = margin !== null && Math.abs(mean) > margin;
  const shade = isSure ? (mean > 0 ? "up" : "down") : "";
  return html`<td class=${shade} title="${boards.length} boards">
    ${round(mean)} <small>${margin === null ? "" : `± ${margin.toFixed(1)}, `}${boards.length}</small>
  </td>`;
}

/** Who met whom: mean net points of the row's bot, their interval, and the boards. */
export function CrossTable({ lines, fixtures }) {
  const bots = lines.map((one) => one.bot);
  const met = pairs(fixtures);
  if (isProjector || bots.length < 2 || bots.length > 24 || !met.size) return null;
  return html`<details>
    <summary>Who met whom</summary>
    <div class="scroll" tabindex="0" role="region" aria-label="Cross-table">
      <table class="cross">
        <caption>
          <span
            >Net points a board of the bot on the left, with their 95 % interval, and boards;
            coloured where that is hardly chance</span
          >
        </caption>
        <thead>
          <tr>
            <th scope="col">Bot</th>
            ${bots.map((_, at) => html`<th scope="col" title=${bots[at]}>${at + 1}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${bots.map(
            (bot, row) =>
              html`<tr key=${bot}>
                <th scope="row">${row + 1} ${bot}</th>
                ${bots.map((other, column) =>
                  row === column
                    ? html`<td class="self"></td>`
                    : html`<${Cell} boards=${met.get(`${bot} ${other}`)} />`,
                )}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </details>`;
}
