/** The score sheet: a column of boxes for each seat in each game. */
import { html } from "./frame.mjs";

/** The seats as a record names them, in order. */
export const SEATS = ["north", "south", "east"];

const add = (boxes) => boxes.reduce((total, [, points]) => total + points, 0);

/** The sheet of a live match, as this page draws sheets. */
export function fromView(sheet, seats) {
  return (sheet?.games ?? []).map((game) => ({
    columns: seats.map((seat) => {
      const own = game.scores?.find((one) => one.seat === seat);
      return (own?.boxes ?? []).map((box) => [box.round ?? 0, box.points ?? 0]);
    }),
    winner: game.winner === undefined ? null : seats.indexOf(game.winner),
    closedIn: game.closed ? (game.closedInRound ?? 0) : null,
    settlement: game.settlement
      ? seats.map((seat) => game.settlement.seats.find((one) => one.seat === seat)?.total ?? 0)
      : null,
  }));
}

/** The sheet of a record after so many rounds, added up from them. */
export function fromRounds(rounds, names, final) {
  const games = final.games.map(() => names.map(() => []));
  for (const round of rounds) {
    for (const at of round.columns) {
      for (const [seat] of names.entries()) {
        const box = final.games[at].entries[seat].find(([number]) => number === round.number);
        if (box) games[at][seat].push(box);
      }
    }
  }
  const last = rounds.length ? rounds[rounds.length - 1].number : 0;
  return final.games.map((game, at) => {
    const isClosed = game.closed_in_round !== null && game.closed_in_round <= last;
    return {
      columns: games[at],
      winner: isClosed && game.winner !== null ? SEATS.indexOf(game.winner) : null,
      closedIn: isClosed ? game.closed_in_round : null,
      settlement: isClosed ? (game.settlement?.totals ?? null) : null,
    };
  });
}

/** One game of a sheet. */
function Game({ game, number, names, isOnly, target }) {
  const depth = Math.max(1, ...game.columns.map((column) => column.length));
  const rows = [...Array(depth).keys()];
  const title = isOnly ? "Score" : `Game ${number}`;
  return html`<table class="game ${game.closedIn === null ? "" : "closed"}">
    <caption>
      ${title}${game.closedIn !== null &&
      html` <small>closed in round ${game.closedIn}</small>`}
    </caption>
    <thead>
      <tr>
        ${names.map(
          (name, seat) =>
            html`<th scope="col" class=${game.winner === seat ? "won" : ""}>
              ${name}${game.winner === seat && html`<span aria-label=", won"> ✓</span>`}
            </th>`,
        )}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (row) =>
          html`<tr key=${row}>
            ${game.columns.map((column) => {
              const box = column[row];
              return html`<td title=${box ? `round ${box[0]}` : ""}>${box ? box[1] : ""}</td>`;
            })}
          </tr>`,
      )}
    </tbody>
    <tfoot>
      <tr>
        ${game.columns.map((column) => html`<td>${add(column)}</td>`)}
      </tr>
      ${game.settlement &&
      html`<tr class="settled">
        ${game.settlement.map((total) => html`<td title="with bonuses">${total}</td>`)}
      </tr>`}
    </tfoot>
  </table>`;
}

/** A whole sheet. */
export function Sheet({ games, names, isOver = false }) {
  if (!games.length) {
    return html`<p class="soft">${isOver ? "Nothing was scored." : "Nothing is scored yet."}</p>`;
  }
  return html`<div class="sheet" tabindex="0" role="group" aria-label="Score sheet">
    ${games.map(
      (game, at) =>
        html`<${Game}
          key=${at}
          game=${game}
          number=${at + 1}
          names=${names}
          isOnly=${games.length === 1}
        />`,
    )}
  </div>`;
}
