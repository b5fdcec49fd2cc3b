/** Playing cards, drawn by style sheet alone. */
import { html } from "./frame.mjs";

const SUITS = { s: ["♠", "spades"], h: ["♥", "hearts"], d: ["♦", "diamonds"], c: ["♣", "clubs"] };
const RANKS = {
  A: "ace",
  2: "two",
  3: "three",
  4: "four",
  5: "five",
  6: "six",
  7: "seven",
  8: "eight",
  9: "nine",
  T: "ten",
  J: "jack",
  Q: "queen",
  K: "king",
};
const ORDER = [..."shdc"].flatMap((suit) => [..."A23456789TJQK"].map((rank) => rank + suit));

/** Cards in the order of suits and ranks. */
export const sorted = (cards) =>
  [...cards].sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b));

/** The name of a card in words. */
function cardName(card) {
  return `${RANKS[card[0]]} of ${SUITS[card[1]][1]}`;
}

/** One card; `mark` says how it is set apart. */
export function Card({ card, mark = "" }) {
  const [rank, suit] = card;
  return html`<span class="card ${suit} ${mark}" role="img" aria-label=${cardName(card)}
    ><b>${rank === "T" ? "10" : rank}</b><i>${SUITS[suit][0]}</i></span
  >`;
}

/** A card that lies face down. */
export function Back({ label = "" }) {
  return html`<span class="card back" role="img" aria-label=${label || "a hidden card"}></span>`;
}

/** Some cards in a row. */
export function Cards({ cards, label }) {
  return html`<span class="cards" role="group" aria-label=${label}>
    ${cards.map((card) => html`<${Card} key=${card} card=${card} />`)}
  </span>`;
}

/** A card in the middle of a text. */
export function Small({ card }) {
  return html`<span class="small ${card[1]}" title=${cardName(card)}
    >${card[0] === "T" ? "10" : card[0]}${SUITS[card[1]][0]}</span
  >`;
}

/** A move in words, its cards drawn. */
export function MoveText({ move }) {
  const [kind, card] = move.split(" ");
  const words = {
    pass: "refuses the upcard",
    draw_upcard: "takes the upcard",
    draw_stock: "draws from the stock",
    discard: "throws",
    knock: "knocks",
  };
  const thrown = card?.length === 2 && card !== "-" ? html` <${Small} card=${card} />` : null;
  return html`${words[kind] ?? kind}${thrown}`;
}
