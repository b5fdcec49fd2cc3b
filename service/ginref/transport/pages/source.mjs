/** Where pages take what is published: from a referee, or from files beside them. */
import { call, CallError, isPublished } from "./frame.mjs";
import { Buffer } from "./built/verifier/platform.mjs";
import { readKeys } from "./built/verifier/envelope.mjs";

async function file(path) {
  const response = await fetch(new URL(path, document.baseURI), { cache: "no-cache" });
  if (!response.ok) throw new CallError(`${path} is not there.`, { status: response.status });
  return Buffer.from(new Uint8Array(await response.arrayBuffer()));
}

/** The signed record of a match, as bytes. */
export async function loadRecord(match) {
  if (isPublished) return file(`records/${encodeURIComponent(match)}.json`);
  const { envelope } = await call(`/v1/matches/${encodeURIComponent(match)}/record`);
  return Buffer.from(envelope, "base64");
}

/** The public keys of the referee, by name. */
export async function loadKeys() {
  const bytes = isPublished
    ? await file("keys.json")
    : Buffer.from((await call("/v1/keys")).jwks, "base64");
  return readKeys(bytes.toString());
}

/** The tournament that is published here, as the referee showed it last. */
export async function loadPublished() {
  return JSON.parse((await file("view.json")).toString());
}

/** The address of a match's page. */
export function matchPath(match, isOver) {
  const name = encodeURIComponent(match);
  if (isPublished) return `replay.html?${name}`;
  return isOver ? `/matches/${name}/replay` : `/matches/${name}`;
}
