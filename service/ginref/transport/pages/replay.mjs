/** A finished match once more, both hands open, and whether its record is true. */
import { Back, Card, MoveText, sorted } from "./card.mjs";
import {
  grouped,
  html,
  show,
  subject,
  useEffect,
  useLoaded,
  useRef,
  useState,
  useTitle,
  Waiting,
  word,
} from "./frame.mjs";
import { Plot } from "./plot.mjs";
import { positionsOf } from "./positions.mjs";
import { fromRounds, SEATS, Sheet } from "./sheet.mjs";
import { loadKeys, loadRecord } from "./source.mjs";
import { Verdict } from "./verdict.mjs";
import { readRecord } from "./built/verifier/document.mjs";
import { openEnvelope } from "./built/verifier/envelope.mjs";
import { verifyRecord } from "./built/verifier/judge.mjs";

const STEP_MS = 900;

const asked = () => Number(/^#move-(\d+)$/.exec(location.hash)?.[1] ?? 0);

/** A hand: its melds first, then what is loose, the card just taken marked. */
function Hand({ hand, taken }) {
  const marks = taken ? { [taken]: "taken" } : {};
  const row = (cards) =>
    sorted(cards).map((card) => html`<${Card} key=${card} card=${card} mark=${marks[card]} />`);
  return html`<div class="hand">
    ${hand.melds.map((meld, at) => html`<span key=${at} class="cards meld">${row(meld)}</span>`)}
    <span class="cards">${row(hand.loose)}</span>
  </div>`;
}

function Seat({ name, seat, position }) {
  const isActing = position.seat === seat;
  const hand = position.hands[seat];
  return html`<section class="seat ${isActing ? "acts" : ""}" aria-label=${name}>
    <h2>
      ${name}${position.dealer === seat && html` <small>deals</small>`}
      ${isActing && html` <small><${MoveText} move=${position.entry.move} /></small>`}
    </h2>
    <${Hand} hand=${hand} taken=${isActing ? position.taken : null} />
    <p class="facts"><span>deadwood <b>${hand.deadwood}</b></span></p>
  </section>`;
}

function Middle({ position, names }) {
  const { ended } = position;
  const says =
    ended &&
    (ended.winner
      ? `${word(ended.outcome)}: ${names[SEATS.indexOf(ended.winner)]} scores ${ended.points}`
      : `${word(ended.outcome)}: nobody scores`);
  return html`<section class="middle" aria-label="Table">
    <div class="piles">
      <figure>
        <${Back} label="the stock" />
        <figcaption>${position.stock} in the stock</figcaption>
      </figure>
      <figure>
        ${position.pile.length
          ? html`<${Card} card=${position.pile[position.pile.length - 1]} />`
          : html`<span class="card none" role="img" aria-label="the pile is empty"></span>`}
        <figcaption>pile</figcaption>
      </figure>
    </div>
    <p class="facts">
      <span>round <b>${position.number}</b></span>
      <span>knock with <b>${position.knockLimit}</b> or less</span>
    </p>
    ${says && html`<p class="ended" role="status">${says}</p>`}
  </section>`;
}

/** Lets somebody show a move to others. */
function Share({ at }) {
  const [said, say] = useState("");
  useEffect(() => say(""), [at]);
  const copy = async () => {
    const address = `${location.href.split("#")[0]}#move-${at}`;
    try {
      await navigator.clipboard.writeText(address);
      say("Copied");
    } catch {
      // Browsers let safe pages copy, and no others.
      history.replaceState(null, "", address);
      say("See the address bar");
    }
  };
  return html`<button type="button" onClick=${copy}>${said || "Copy link"}</button>
    <span class="hidden" role="status">${said}</span>`;
}

function Controls({ at, last, go, isPlaying, play }) {
  return html`<div class="controls" role="toolbar" aria-label="Moves">
    <button type="button" onClick=${() => go(0)} disabled=${at === 0}>First</button>
    <button type="button" onClick=${() => go(at - 1)} disabled=${at === 0}>Back</button>
    <button type="button" class="main" onClick=${() => play(!isPlaying)} disabled=${at === last && !isPlaying}>
      ${isPlaying ? "Pause" : "Play"}
    </button>
    <button type="button" onClick=${() => go(at + 1)} disabled=${at === last}>Next</button>
    <button type="button" onClick=${() => go(last)} disabled=${at === last}>Last</button>
    <input
      type="range"
      min="0"
      max=${last}
      value=${at}
      aria-label="Move"
      aria-valuetext="move ${at} of ${last}"
      onInput=${(event) => go(Number(event.target.value))}
    />
    <span class="soft">${at} / ${last}</span>
    <${Share} at=${at} />
  </div>`;
}

/** All moves, round by round; each is a link to its position. */
function Moves({ positions, at, names }) {
  const rounds = grouped([...positions.entries()], ([, one]) => one.number);
  const now = positions[at].number;
  const list = useRef(null);
  useEffect(() => {
    const place = list.current;
    const here = place.querySelector("[aria-current]").getBoundingClientRect();
    const { top, bottom } = place.getBoundingClientRect();
    if (here.top < top || here.bottom > bottom) {
      place.scrollTop += here.top - (top + bottom) / 2;
    }
  }, [at]);
  return html`<div class="moves" ref=${list}>
    ${rounds.map(
      ([number, rows]) =>
        html`<details key=${number} open=${number === now}>
          <summary>Round ${number}</summary>
          <ol>
            ${rows.map(
              ([index, one]) =>
                html`<li key=${index}>
                  <a href="#move-${index}" aria-current=${index === at ? "step" : null}
                    >${one.entry
                      ? html`<b>${names[one.seat]}</b> <${MoveText} move=${one.entry.move} />`
                      : "cards are dealt"}</a
                  >
                </li>`,
            )}
          </ol>
        </details>`,
    )}
  </div>`;
}

function Game({ record, positions, names }) {
  const last = positions.length - 1;
  const [at, set] = useState(Math.min(asked(), last));
  const [isPlaying, play] = useState(false);
  const go = (to) => {
    const next = Math.max(0, Math.min(last, to));
    set(next);
    history.replaceState(null, "", `#move-${next}`);
  };
  useEffect(() => {
    const moved = () => set(Math.min(asked(), last));
    const pressed = (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      // They move a slider, and what is wider than the page.
      if (event.target.closest("input, .sheet")) return;
      const steps = { ArrowLeft: -1, ArrowRight: 1 };
      if (event.key in steps) {
        event.preventDefault();
        set((old) => {
          const next = Math.max(0, Math.min(last, old + steps[event.key]));
          history.replaceState(null, "", `#move-${next}`);
          return next;
        });
      }
    };
    addEventListener("hashchange", moved);
    addEventListener("keydown", pressed);
    return () => {
      removeEventListener("hashchange", moved);
      removeEventListener("keydown", pressed);
    };
  }, []);
  useEffect(() => {
    if (!isPlaying) return undefined;
    if (at === last) {
      play(false);
      return undefined;
    }
    const timer = setTimeout(() => go(at + 1), STEP_MS);
    return () => clearTimeout(timer);
  }, [isPlaying, at]);
  const position = positions[at];
  const rounds = record.rounds.slice(0, position.rounds);
  return html`<div class="table">
      ${names.map(
        (name, seat) =>
          html`${seat === 1 && html`<${Middle} position=${position} names=${names} />`}<${Seat}
              key=${name}
              name=${name}
              seat=${seat}
              position=${position}
            />`,
      )}
    </div>
    <${Controls} at=${at} last=${last} go=${go} isPlaying=${isPlaying} play=${play} />
    <div class="side">
      <section aria-labelledby="plot">
        <h2 id="plot">Deadwood in round ${position.number}</h2>
        <${Plot} positions=${positions} at=${at} names=${names} go=${go} />
        <h2>Score sheet</h2>
        <${Sheet}
          games=${record.sheet ? fromRounds(rounds, names, record.sheet) : []}
          names=${names}
        />
      </section>
      <section aria-labelledby="moves">
        <h2 id="moves">Moves</h2>
        <${Moves} positions=${positions} at=${at} names=${names} />
      </section>
    </div>`;
}

/** Read a record, judge it, and play it again. */
async function opened() {
  const [bytes, keys] = await Promise.all([loadRecord(subject), loadKeys()]);
  const verdict = await verifyRecord(bytes, keys);
  let record = null;
  let positions = [];
  try {
    record = readRecord((await openEnvelope(bytes, new Map())).payload);
    if (record.openings) positions = positionsOf(record);
  } catch {
    // What cannot be read cannot be shown; the verdict says why.
  }
  return { bytes, verdict, record, positions };
}

function Page() {
  const { value: found, error, again } = useLoaded(opened);
  useTitle(found?.record && `Replay of ${found.record.match.bots.join(" – ")}`);
  if (!found) {
    if (error?.reason === "RECORD_NOT_READY") {
      return html`<h1>${subject}</h1>
        <p class="empty">
          The match is not over, or its record is being signed. Until then it can be${" "}
          <a href="/matches/${subject}">watched</a>.
        </p>`;
    }
    return html`<h1>${subject}</h1>
      <${Waiting} what="the record" error=${error} again=${again} />`;
  }
  const { record, positions, verdict, bytes } = found;
  const names = record?.match.bots ?? [];
  const { ending } = record ?? {};
  const winner = ending?.winner && names[SEATS.indexOf(ending.winner)];
  return html`<header class="head">
      <h1>${names.length ? names.join(" – ") : subject}</h1>
      <p class="facts">
        ${record && html`<span>${record.match.ruleset.name}</span>`}
        ${ending &&
        html`<span
          ><b>${winner ? `${winner} won` : "nobody won"}</b>, ${word(ending.kind)}</span
        >`}
      </p>
      <${Verdict} verdict=${verdict} bytes=${bytes} names=${names} />
    </header>
    ${positions.length
      ? html`<${Game} record=${record} positions=${positions} names=${names} />`
      : html`<p class="empty">There are no cards to show: none were dealt, or they are not open.</p>`}`;
}

show(html`<${Page} />`);
