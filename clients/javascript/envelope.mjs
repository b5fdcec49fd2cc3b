/** Signed bytes and the keys that signed them: DSSE, Ed25519, JWKS and PEM. */
import { createPublicKey, verify } from "node:crypto";

import { sha256 } from "./derive.mjs";

const PAYLOAD_TYPE = "application/vnd.ginref.match.v1+json";
const SIGNATURE_SIZE = 64;
const PEM = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g;

/** The first wrong thing: `wrong` is its kind. */
export class WrongError extends Error {
  constructor(wrong, message) {
    super(message);
    this.wrong = wrong;
  }
}

/** Read bytes as UTF-8 and as nothing else. */
export function decodeText(bytes) {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

/** Read base64 in its one right form. */
function decode(text) {
  const bytes = Buffer.from(String(text), "base64");
  if (bytes.toString("base64") !== text) throw new WrongError("form", "not base64");
  return bytes;
}

/** Read public keys by name from a JSON Web Key Set or from PEM. */
export function readKeys(text) {
  const keys = new Map();
  for (const found of text.includes("-----BEGIN") ? readPem(text) : readJwks(text)) {
    const { crv, kty, x } = found.export({ format: "jwk" });
    const name = sha256(JSON.stringify({ crv, kty, x })).toString("base64url");
    keys.set(name, found);
  }
  if (keys.size === 0) throw new Error("no Ed25519 key in it");
  return keys;
}

function readPem(text) {
  const found = (text.match(PEM) ?? []).map((block) => createPublicKey(block));
  return found.filter((key) => key.asymmetricKeyType === "ed25519");
}

function readJwks(text) {
  const { keys } = JSON.parse(text);
  return keys
    .filter(({ kty, crv }) => kty === "OKP" && crv === "Ed25519")
    .map((key) => createPublicKey({ key, format: "jwk" }));
}

/** Return the public key of 32 bytes; null if they are none. */
export function rawKey(bytes) {
  const x = bytes.toString("base64url");
  try {
    return createPublicKey({ key: { crv: "Ed25519", kty: "OKP", x }, format: "jwk" });
  } catch {
    return null;
  }
}

/** Say whether a key has signed exactly these bytes. */
export function isSigned(key, signature, message) {
  return verify(null, message, key, signature);
}

/**
 * Open an envelope and check every signature in it whose key is known.
 *
 * @returns the payload, the name of the key that counts, and whether it is trusted
 */
export function openEnvelope(bytes, keys) {
  let envelope;
  try {
    envelope = JSON.parse(decodeText(bytes));
  } catch {
    throw new WrongError("form", "not JSON");
  }
  const { payload, payloadType, signatures } = envelope ?? {};
  if (!Array.isArray(signatures)) throw new WrongError("form", "no envelope");
  const content = decode(payload);
  const listed = signatures.map((one) => ({
    keyId: typeof one?.keyid === "string" ? one.keyid : "",
    signature: decode(one?.sig),
  }));
  if (listed.some(({ signature }) => signature.length !== SIGNATURE_SIZE)) {
    throw new WrongError("form", "a signature of another size");
  }
  if (payloadType !== PAYLOAD_TYPE) throw new WrongError("form", "no match record");
  if (listed.length === 0) throw new WrongError("signature", "nobody has signed it");
  const head = `DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${content.length} `;
  const signed = Buffer.concat([Buffer.from(head), content]);
  const known = listed.filter(({ keyId }) => keys.has(keyId));
  for (const { keyId, signature } of known) {
    if (!isSigned(keys.get(keyId), signature, signed)) {
      throw new WrongError("signature", `not made with the key ${keyId}`);
    }
  }
  const { keyId } = known[0] ?? listed[0];
  return { payload: content, keyId, isTrusted: known.length > 0 };
}
