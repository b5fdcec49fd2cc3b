/** A bracket: rounds side by side, each fixture with its two sides. */
import { grouped, html, isProjector, word } from "./frame.mjs";
import { matchPath } from "./source.mjs";

const NAMES = { W: "Winners", L: "Losers", R: "Round", GF: "Grand final" };

/** The round of a node: `W1` of `W1.2`. */
const roundOf = (node) => node.split(".")[0];

function title(round) {
  const [, letters, number] = /^([A-Z]+)(\d*)$/.exec(round) ?? [];
  if (!letters) return round.replaceAll("_", " ");
  return `${NAMES[letters] ?? letters} ${number}`.trim();
}

/** Where somebody comes from who is not known yet. */
function fromWhere(source) {
  const [kind, ...rest] = (source ?? "").split(":");
  if (kind === "winner") return `winner of ${rest.join(":")}`;
  if (kind === "loser") return `loser of ${rest.join(":")}`;
  if (kind === "seed") return `seed ${rest[0]}`;
  if (kind === "rank") return rest.join(" ").replaceAll(",", " ");
  return kind === "bye" ? "nobody" : "to be decided";
}

/** How many matches a side has won, or its net points where there is but one. */
function score(fixture, at) {
  const matches = fixture.matches ?? [];
  const over = matches.filter((one) => one.over);
  if (!over.length) return "";
  const { bot } = fixture.sides[at];
  if (matches.length > 1) return String(over.filter((one) => one.winner === bot).length);
  const net = (over[0].boards ?? []).reduce((sum, points) => sum + points, 0);
  return String(at === 0 ? net : -net).replace("-", "−");
}

/** What is said of a fixture beside its sides. */
function resultText(fixture) {
  const { result } = fixture;
  const state = word(fixture.state, "FIXTURE_STATE");
  if (!result) return state === "blocked" ? "" : state;
  if (result.kind === "won") return result.cause === "matches" ? "" : `by ${word(result.cause)}`;
  if (result.kind === "forfeited") return `forfeited: ${word(result.cause)}`;
  return word(result.kind);
}

/** One fixture. */
export function Meet({ fixture }) {
  const state = word(fixture.state, "FIXTURE_STATE");
  const note = resultText(fixture);
  const links = isProjector ? [] : (fixture.matches ?? []).filter((one) => one.matchId);
  return html`<div class="meet ${state.replaceAll(" ", "-")}" data-fixture=${fixture.fixtureId}>
    ${(fixture.sides ?? []).map(
      (side, at) =>
        html`<p key=${at} class=${side.bot && fixture.result?.winner === side.bot ? "won" : ""}>
          <span title=${side.bot}>${side.bot || html`<i class="soft">${fromWhere(side.source)}</i>`}</span>
          <span>${score(fixture, at)}</span>
        </p>`,
    )}
    ${(note || links.length > 0) &&
    html`<p class="note">
      <span>${note}</span>
      <span>
        ${links.map(
          (one) =>
            html`<a key=${one.matchId} href=${matchPath(one.matchId, one.over)}
                >${one.over ? "replay" : "watch"}${links.length > 1 ? ` ${one.game}` : ""}</a
              >${" "}`,
        )}
      </span>
    </p>`}
  </div>`;
}

/** All rounds of a bracket, those of losers below those of winners. */
export function Bracket({ fixtures }) {
  const all = grouped(fixtures, (one) => roundOf(one.node));
  const lower = all.filter(([round]) => /^L\d/.test(round));
  const upper = all.filter(([round]) => !/^L\d/.test(round));
  return [upper, lower]
    .filter((some) => some.length)
    .map(
      (some, at) =>
        html`<div key=${at} class="scroll" tabindex="0" role="region" aria-label=${at ? "Losers' bracket" : "Bracket"}>
          <div class="bracket">
            ${some.map(
              ([round, meets]) =>
                html`<section key=${round}>
                  <h3>${title(round)}</h3>
                  <div class="meets">
                    ${meets.map((one) => html`<${Meet} key=${one.node} fixture=${one} />`)}
                  </div>
                </section>`,
            )}
          </div>
        </div>`,
    );
}
