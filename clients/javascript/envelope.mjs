/** Signed bytes and the keys that signed them: DSSE, Ed25519, JWKS and PEM. */
import { Buffer, isSigned, sha256 } from "./platform.mjs";

const PAYLOAD_TYPE = "application/vnd.ginref.match.v1+json";
const SIGNATURE_SIZE = 64;
const PEM = /-----BEGIN PUBLIC KEY-----([^-]+)-----END PUBLIC KEY-----/g;
// What a public key of Ed25519 begins with in DER (RFC 8410); 32 bytes follow.
const DER = "302a300506032b6570032100";
const KEY_SIZE = 32;

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

/** Read public keys, 32 bytes each, by name from a JSON Web Key Set or from PEM. */
export function readKeys(text) {
  const found = text.includes("-----BEGIN") ? readPem(text) : readJwks(text);
  const keys = found.filter((key) => key.length === KEY_SIZE);
  if (keys.length === 0) throw new Error("no Ed25519 key in it");
  return new Map(keys.map((key) => [nameOf(key), key]));
}

/** The name of a key: its thumbprint (RFC 7638). */
function nameOf(key) {
  const x = key.toString("base64url");
  const jwk = JSON.stringify({ crv: "Ed25519", kty: "OKP", x });
  return sha256(jwk).toString("base64url");
}

function readPem(text) {
  const found = [...text.matchAll(PEM)].map(([, block]) => Buffer.from(block, "base64"));
  return found
    .map((der) => der.toString("hex"))
    .filter((der) => der.startsWith(DER))
    .map((der) => Buffer.from(der.slice(DER.length), "hex"));
}

function readJwks(text) {
  const { keys } = JSON.parse(text);
  return keys
    .filter(({ kty, crv }) => kty === "OKP" && crv === "Ed25519")
    .map(({ x }) => Buffer.from(x, "base64url"));
}

/**
 * Open an envelope and check every signature in it whose key is known.
 *
 * @returns the payload, the name of the key that counts, and whether it is trusted
 */
export async function openEnvelope(bytes, keys) {
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
    keyId: one?.keyid === undefined ? "" : one.keyid,
    signature: decode(one?.sig),
  }));
  if (!listed.every(({ keyId }) => typeof keyId === "string")) {
    throw new WrongError("form", "keyid is no text");
  }
  if (listed.some(({ signature }) => signature.length !== SIGNATURE_SIZE)) {
    throw new WrongError("form", "a signature of another size");
  }
  if (payloadType !== PAYLOAD_TYPE) throw new WrongError("form", "no match record");
  if (listed.length === 0) throw new WrongError("signature", "nobody has signed it");
  const head = `DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${content.length} `;
  const signed = Buffer.concat([Buffer.from(head), content]);
  const known = listed.filter(({ keyId }) => keys.has(keyId));
  for (const { keyId, signature } of known) {
    if (!(await isSigned(keys.get(keyId), signature, signed))) {
      throw new WrongError("signature", `not made with the key ${keyId}`);
    }
  }
  const { keyId } = known[0] ?? listed[0];
  return { payload: content, keyId, isTrusted: known.length > 0 };
}
