/** Deadwood by turn, as lines. */
import { html } from "./frame.mjs";

const WIDTH = 600;
const HEIGHT = 180;
const EDGE = 28;

/** The lines of the round in which a position is; a click goes to one. */
export function Plot({ positions, at, names, go }) {
  const { number } = positions[at];
  const own = [...positions.entries()].filter(([, one]) => one.number === number);
  const most = Math.max(10, ...own.flatMap(([, one]) => one.hands.map((hand) => hand.deadwood)));
  const x = (place) => EDGE + (place * (WIDTH - 2 * EDGE)) / Math.max(1, own.length - 1);
  const y = (deadwood) => HEIGHT - EDGE - (deadwood * (HEIGHT - 2 * EDGE)) / most;
  const line = (seat) =>
    own.map(([, one], place) => `${x(place)},${y(one.hands[seat].deadwood)}`).join(" ");
  const here = own.findIndex(([index]) => index === at);
  const limit = own[0][1].knockLimit;
  const tell = names
    .map((name, seat) => `${name} ${own[here][1].hands[seat].deadwood}`)
    .join(", ");
  const clicked = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const part = ((event.clientX - box.left) / box.width) * WIDTH - EDGE;
    const place = Math.round((part / (WIDTH - 2 * EDGE)) * (own.length - 1));
    go(own[Math.max(0, Math.min(own.length - 1, place))][0]);
  };
  return html`<figure class="plot">
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Deadwood: ${tell}" onClick=${clicked}>
      <line class="axis" x1=${EDGE} x2=${WIDTH - EDGE} y1=${y(0)} y2=${y(0)} />
      <line class="limit" x1=${EDGE} x2=${WIDTH - EDGE} y1=${y(limit)} y2=${y(limit)} />
      <text x=${EDGE + 4} y=${y(limit) - 4}>knock with ${limit}</text>
      <text x="4" y=${y(most) + 4}>${most}</text>
      <text x="4" y=${y(0) + 4}>0</text>
      <line class="here" x1=${x(here)} x2=${x(here)} y1=${EDGE / 2} y2=${y(0)} />
      ${names.map(
        (name, seat) =>
          html`<polyline key=${name} class="seat-${seat}" points=${line(seat)} />
            <circle class="seat-${seat}" cx=${x(here)} cy=${y(own[here][1].hands[seat].deadwood)} r="4" />`,
      )}
    </svg>
    <figcaption>
      ${names.map(
        (name, seat) =>
          html`<span key=${name} class="legend seat-${seat}">${name} <b>${own[here][1].hands[seat].deadwood}</b></span>`,
      )}
    </figcaption>
  </figure>`;
}
