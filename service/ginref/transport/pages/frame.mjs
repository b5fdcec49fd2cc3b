/** What every page is made of: the API, live updates, and what is said meanwhile. */
import { html, render, useEffect, useRef, useState } from "./built/preact.mjs";

export { html, useEffect, useRef, useState };

const TOKEN = "ginref-token";
const LONGEST_PAUSE_MS = 10_000;
const AGAIN_S = 5;

const asked = new URLSearchParams(location.search);

/** What the page is about, as the server has read it, or a file is asked for it. */
export const subject = document.body.dataset.subject || ([...asked.keys()][0] ?? "");

/** Whether the page is for a wall, where nobody clicks. */
export const isProjector = asked.has("projector");
document.documentElement.classList.toggle("projector", isProjector);

/** Whether the pages are files that outlive their referee. */
export const isPublished = document.body.dataset.site === "files";

/** States of a tournament that has not begun. */
export const BEFORE = ["draft", "registration", "check in", "seeding"];

/** The token of whoever sits here; kept until the tab is closed. */
export const token = {
  get: () => sessionStorage.getItem(TOKEN),
  set: (text) => sessionStorage.setItem(TOKEN, text),
  forget: () => sessionStorage.removeItem(TOKEN),
};

/** The referee's refusal, or that it cannot be reached. */
export class CallError extends Error {
  constructor(message, { status = 0, reason = "", field = "" } = {}) {
    super(message);
    Object.assign(this, { status, reason, field });
  }
}

/** What went wrong: a refusal, or that whatever answers is no referee, or half of one. */
const told = (error) =>
  error instanceof CallError ? error : new CallError("What answers here makes no sense.");

/** Say whether something was refused for good, so that it is not asked for again. */
const isFinal = ({ status, reason }) =>
  status >= 400 && status < 500 && status !== 429 && reason !== "RECORD_NOT_READY";

async function reach(path, how) {
  try {
    return await fetch(path, { ...how, cache: "no-store" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new CallError("The referee cannot be reached.");
  }
}

/** Ask, as whoever sits here; as a guest, where the token is good no more. */
async function ask(path, { headers, ...how }) {
  const own = token.get();
  const asked = own ? { ...headers, authorization: `Bearer ${own}` } : headers;
  const response = await reach(path, { ...how, headers: asked });
  if (response.status !== 401 || !own || location.pathname.startsWith("/control")) {
    return response;
  }
  return reach(path, { ...how, headers });
}

async function refusal(response) {
  const { status } = response;
  const body = await response.json().catch(() => null);
  const details = [body?.details ?? []].flat();
  const reason = details.find((one) => one?.reason)?.reason ?? "";
  const field = details.flatMap((one) => one?.fieldViolations ?? [])[0]?.field ?? "";
  return new CallError(body?.message ?? `HTTP status ${status}`, { status, reason, field });
}

/** Make a call, and return its answer. */
export async function call(path, body, signal) {
  const accept = "application/json";
  const sent =
    body === undefined
      ? { headers: { accept } }
      : {
          method: "POST",
          headers: { accept, "content-type": accept },
          body: JSON.stringify(body),
        };
  const response = await ask(path, { ...sent, signal });
  if (!response.ok) throw await refusal(response);
  return response.json().catch((error) => {
    throw told(error);
  });
}

/** Yield the messages of a stream of server-sent events, each with its id. */
async function* messages(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const lines = block.split("\n").map((line) => line.split(/:(.*)/s));
      const of = (name) =>
        lines
          .filter(([field]) => field === name)
          .map(([, text]) => text.replace(/^ /, ""))
          .join("\n");
      const data = of("data");
      if (data) yield { id: of("id"), event: of("event"), data: JSON.parse(data) };
    }
  }
}

/**
 * Follow a stream for as long as the signal lets it, over every interruption.
 *
 * EventSource cannot send a token, so that it is done by hand.
 *
 * @param take is given each message
 * @param tell is told whether the stream is up, and if it is not, why
 * @returns when the stream has come to its end
 */
export async function follow(path, take, tell, signal) {
  let last = "";
  for (let pause = 500; !signal.aborted; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      const more = last ? { "last-event-id": last } : {};
      const response = await ask(path, {
        headers: { accept: "text/event-stream", ...more },
        signal,
      });
      if (!response.ok) throw await refusal(response);
      tell(true);
      for await (const message of messages(response)) {
        if (message.event === "end") return;
        if (message.event === "error") throw new CallError(message.data.message ?? "");
        last = message.id || last;
        pause = 500;
        take(message.data);
      }
      throw new CallError("The stream was cut.");
    } catch (error) {
      if (signal.aborted) return;
      tell(false, told(error));
      // Where the referee knows less than it has told, it begins anew.
      if (error.status === 400 && last) last = "";
      else if (isFinal(error)) throw error;
      await new Promise((go) => setTimeout(go, pause));
    }
  }
}

/**
 * Load something, and again whenever `again` is called or after some seconds.
 *
 * What fails is asked for again in any case, unless it was refused for good.
 *
 * @returns what was loaded, what went wrong last, and `again`
 */
export function useLoaded(load, needs = [], seconds = 0) {
  const [state, set] = useState({ value: undefined, error: null });
  const again = useRef(() => {});
  useEffect(() => {
    const ended = new AbortController();
    let timer;
    let isLoading = false;
    let isWanted = false;
    // What is asked for while it comes is asked for once more after that.
    const run = async () => {
      isWanted = isLoading;
      if (isLoading) return;
      isLoading = true;
      clearTimeout(timer);
      let next = seconds;
      try {
        set({ value: await load(ended.signal), error: null });
      } catch (error) {
        if (!isFinal(error)) next ||= AGAIN_S;
        if (!ended.signal.aborted) set((old) => ({ ...old, error: told(error) }));
      }
      isLoading = false;
      if (ended.signal.aborted) return;
      if (isWanted) run();
      else if (next) timer = setTimeout(run, 1000 * next);
    };
    again.current = run;
    run();
    return () => {
      ended.abort();
      clearTimeout(timer);
    };
  }, needs);
  return { ...state, again: () => again.current() };
}

const home = document.querySelector("header .home")?.getAttribute("href");

/** Something that is not there yet, or does not come. */
export function Waiting({ error, what, again }) {
  if (!error) return html`<p class="waiting" role="status">Loading ${what} …</p>`;
  return html`<div class="trouble" role="alert">
    <p><b>${what[0].toUpperCase() + what.slice(1)} cannot be shown:</b> ${error.message}</p>
    ${error.reason?.endsWith("_NOT_FOUND")
      ? html`<p>
          The address may be mistyped, or be that of another referee.${" "}
          <a href=${home}>See what is here</a>
        </p>`
      : again && html`<button type="button" onClick=${again}>Try again</button>`}
  </div>`;
}

/** Call the window by what is shown in it, once that is known. */
export function useTitle(text) {
  useEffect(() => {
    if (text) document.title = `${text} - ginref`;
  }, [text]);
}

/** Says that what is shown is of a moment ago, and why there is nothing newer. */
export function Outdated({ error }) {
  if (!error) return null;
  return html`<p class="live off" role="status">This is how it was: ${error.message}</p>`;
}

/** Says whether what is shown is kept up to date; null before that can be told. */
export function Stale({ isUp }) {
  if (isUp === null) return html`<span class="soft" role="status">connecting …</span>`;
  return isUp
    ? html`<span class="live" role="status">live</span>`
    : html`<span class="live off" role="status">connecting again …</span>`;
}

/** A moment in the words of whoever looks at it. */
export function Moment({ at }) {
  if (!at) return null;
  const when = new Date(at);
  return html`<time dateTime=${at} title=${when.toISOString()}
    >${when.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })}</time
  >`;
}

/** What a tournament has come to. */
export function State({ of }) {
  const state = word(of.state, "TOURNAMENT_STATE");
  return html`<span class="state ${state.replaceAll(" ", "-")}">${state}</span>`;
}

/** How far an entrant has come, who may be waiting, here, or gone. */
export function entrantState({ state, checkedIn }) {
  const known = word(state, "ENTRANT_STATE");
  return known === "placed" ? (checkedIn ? "checked in" : "entered") : known;
}

/** Tournaments side by side; each is a link to its page under some path. */
export function Tiles({ tournaments, under }) {
  return html`<ul class="tiles">
    ${tournaments.map(
      (one) =>
        html`<li key=${one.tournamentId}>
          <a href="${under}/${one.tournamentId}">${one.title || one.tournamentId}</a>
          <${State} of=${one} />
          ${(one.problems ?? []).some((problem) => problem.blocking) &&
          html`<span class="state stuck">waits for an organizer</span>`}
          <small>since <${Moment} at=${one.stateTime ?? one.createTime} /></small>
        </li>`,
    )}
  </ul>`;
}

/** The name of a bot, which leads to its matches where a referee knows them. */
export function Bot({ name }) {
  if (isProjector || isPublished) return name;
  return html`<a class="bot" href="/?bot=${encodeURIComponent(name)}" title="Its matches">${name}</a>`;
}

/** The words of a name: `MATCH_STAGE_PLAYING` of the enum `MATCH_STAGE` is playing. */
export function word(value, of = "") {
  const name = value ?? "";
  const own = of && name.startsWith(`${of}_`) ? name.slice(of.length + 1) : name;
  return own.toLowerCase().replaceAll("_", " ");
}

/** Things by what they have in common, in their order. */
export function grouped(things, key) {
  const found = new Map();
  for (const one of things) {
    if (!found.has(key(one))) found.set(key(one), []);
    found.get(key(one)).push(one);
  }
  return [...found];
}

/** Let somebody keep some bytes as a file. */
export function save(name, bytes) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([bytes], { type: "application/json" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** The identity of a request that is made once. */
export function newRequest() {
  return `page-${crypto.getRandomValues(new Uint32Array(3)).join("-")}`;
}

/** Put a page in its place. */
export function show(page) {
  const place = document.getElementById("page");
  place.replaceChildren();
  render(page, place);
}
