/** What Node.js gives: bytes, hashes and signatures. A browser has its own. */
import { createHash, createHmac, createPublicKey, hkdfSync, verify } from "node:crypto";

export { Buffer } from "node:buffer";

/** SHA-256 over parts, one after the other; text counts as its UTF-8 bytes. */
export function sha256(...parts) {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** HMAC-SHA256, 32 bytes. */
export function hmac(key, data) {
  return createHmac("sha256", key).update(data).digest();
}

/** HKDF-SHA256 without salt, 32 bytes (RFC 5869). */
export function hkdf(material, info) {
  return Buffer.from(hkdfSync("sha256", material, Buffer.alloc(0), info, 32));
}

/** Say whether an Ed25519 key of 32 bytes has signed exactly these bytes. */
export async function isSigned(key, signature, message) {
  const x = key.toString("base64url");
  const jwk = { crv: "Ed25519", kty: "OKP", x };
  try {
    return verify(null, message, createPublicKey({ key: jwk, format: "jwk" }), signature);
  } catch {
    return false;
  }
}
