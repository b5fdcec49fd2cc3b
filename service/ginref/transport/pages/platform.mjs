/** What a browser gives to the verifier: bytes, hashes and signatures. */
import { hkdf as expand } from "../noble/hkdf.js";
import { hmac as authenticate } from "../noble/hmac.js";
import { sha256 as digest } from "../noble/sha2.js";

const CHUNK = 8192;

function toBinary(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK) {
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  }
  return text;
}

/** Read base64 of either alphabet, padded or not; what is none of it is left out. */
function fromBase64(text) {
  const plain = text.replaceAll("-", "+").replaceAll("_", "/").replace(/[^A-Za-z0-9+/]/g, "");
  const whole = plain.slice(0, plain.length - (plain.length % 4 === 1 ? 1 : 0));
  const binary = atob(whole.padEnd(Math.ceil(whole.length / 4) * 4, "="));
  return Uint8Array.from(binary, (one) => one.charCodeAt(0));
}

function fromHex(text) {
  const pairs = text.match(/^(?:[0-9a-f]{2})*/i)[0].match(/../g) ?? [];
  return Uint8Array.from(pairs, (pair) => parseInt(pair, 16));
}

/** As much of Node's bytes as the verifier needs. */
export class Buffer extends Uint8Array {
  static get [Symbol.species]() {
    return Uint8Array;
  }

  static of(bytes) {
    return new Buffer(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  static alloc(size) {
    return new Buffer(size);
  }

  static from(value, encoding = "utf8") {
    if (typeof value !== "string") return Buffer.of(Uint8Array.from(value));
    if (encoding === "hex") return Buffer.of(fromHex(value));
    if (encoding.startsWith("base64")) return Buffer.of(fromBase64(value));
    return Buffer.of(new TextEncoder().encode(value));
  }

  static concat(parts) {
    const all = new Buffer(parts.reduce((size, part) => size + part.length, 0));
    let at = 0;
    for (const part of parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }

  get #view() {
    return new DataView(this.buffer, this.byteOffset, this.byteLength);
  }

  writeUInt32BE(number) {
    this.#view.setUint32(0, number);
  }

  writeBigUInt64BE(number) {
    this.#view.setBigUint64(0, number);
  }

  readUInt16BE(at) {
    return this.#view.getUint16(at);
  }

  toString(encoding = "utf8") {
    if (encoding === "hex") {
      return Array.from(this, (byte) => byte.toString(16).padStart(2, "0")).join("");
    }
    if (encoding === "utf8") return new TextDecoder().decode(this);
    const text = btoa(toBinary(this));
    if (encoding === "base64") return text;
    return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  }
}

const bytes = (part) => (typeof part === "string" ? new TextEncoder().encode(part) : part);

/** SHA-256 over parts, one after the other; text counts as its UTF-8 bytes. */
export function sha256(...parts) {
  const hash = digest.create();
  for (const part of parts) hash.update(bytes(part));
  return Buffer.of(hash.digest());
}

/** HMAC-SHA256, 32 bytes. */
export function hmac(key, data) {
  return Buffer.of(authenticate(digest, bytes(key), bytes(data)));
}

/** HKDF-SHA256 without salt, 32 bytes (RFC 5869). */
export function hkdf(material, info) {
  return Buffer.of(expand(digest, bytes(material), new Uint8Array(0), bytes(info), 32));
}

/** Say whether signatures can be checked here: browsers do so for safe pages alone. */
export const canVerify = globalThis.crypto?.subtle !== undefined;

/** Say whether an Ed25519 key of 32 bytes has signed exactly these bytes. */
export async function isSigned(key, signature, message) {
  try {
    const known = await crypto.subtle.importKey("raw", key, "Ed25519", false, ["verify"]);
    return await crypto.subtle.verify("Ed25519", known, signature, message);
  } catch (error) {
    if (error.name === "NotSupportedError") throw error;
    return false;
  }
}
